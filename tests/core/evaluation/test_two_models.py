"""Two models of one run: every test that a run has rows for, mirrored where A and B change places, none that only sounds so;
and who is ahead: named only where folds agree, and never among equals."""

from dataclasses import replace

import numpy as np
import pytest

from core.demo import RESULTS, bundled_corpus
from core.evaluation import (
    ResultStore,
    clustered_errors,
    compared_models,
    error_rates,
    evaluate,
    fold_scores,
    right_answers,
    score_table,
    standing_sentence,
)
from core.splits import make_folds
from core.statistics import (
    TESTS,
    clustered_comparison,
    comparison_conclusion,
    corrected_t,
    micro_sign,
    true_rate,
    weighted_t,
)

TWO = ("max_ent", "char_svm")
MIRROR = {"»": "«", ">": "<", "~": "~", "<": ">", "«": "»", "=": "=", None: None}
MODELS = ("Alpha", "Beta", "Gamma")


@pytest.fixture(scope="module")
def run():
    corpus = bundled_corpus()
    folds = make_folds(corpus, scheme="topic-kfold", k=6, seed=0)
    found = evaluate(corpus, folds, task="attribution", models=TWO, results=ResultStore(shipped=RESULTS))
    return found, corpus


def compared(run, a, b, margin=0.05):
    return compared_models(*run, a, b, metric="accuracy", margin=margin, errors=error_rates(*run, a, b))


def test_every_test_of_the_registry_has_rows_in_a_run(run):
    found = compared(run, *TWO)
    assert set(found.tests) == set(TESTS)
    assert found.names == ("Maximum entropy", "Character SVM")
    assert len(found.topics) == len(found.documents) == len(found.difference) == 24


def test_each_kind_of_row_goes_to_its_tests(run):
    found = compared(run, *TWO)
    evaluation, corpus = run
    one, two = score_table(fold_scores(evaluation, corpus), "accuracy")
    sizes = {
        side: float(np.mean([len(getattr(fold, side)) for fold in evaluation.folds.folds]))
        for side in ("train", "test")
    }
    assert found.tests["corrected_t"] == corrected_t(one, two, **sizes, names=found.names)
    assert found.tests["weighted_t"] == weighted_t(*found.scores, weights=found.documents, names=found.names)
    answers = [right_answers(evaluation, corpus, name)[0] for name in TWO]
    assert found.tests["s"] == micro_sign(*answers, names=found.names)
    assert (found.tests["corrected_t"].n, found.tests["weighted_t"].n) == (6, 24)


def test_a_and_b_change_places(run):
    found, turned = compared(run, *TWO), compared(run, *TWO[::-1])
    np.testing.assert_array_equal(found.difference, -turned.difference)
    assert {name: MIRROR[test.verdict] for name, test in found.tests.items()} == {
        name: test.verdict for name, test in turned.tests.items()
    }
    assert found.rates == turned.rates


def test_what_is_said_is_the_answer_by_topics_with_a_caution_by_decisions(run):
    found = compared(run, *TWO)
    said = comparison_conclusion(*found.scores, names=found.names, margin=0.05, sizes=found.documents)
    assert found.said.answer == said.answer and found.said.cautions[:-1] == said.cautions
    assert found.said.cautions[-1].startswith("By single decisions: ")


def test_rates_are_those_of_clustered_decisions(run):
    errors = clustered_errors(*run, *TWO)
    (a, topics), (b, _) = (right_answers(*run, name) for name in TWO)
    assert errors.found == clustered_comparison(1 - a, 1 - b, topics)
    rates = error_rates(*run, *TWO)
    assert rates.rates == {name: true_rate(TESTS[name], errors.found) for name in ("s", "p")}
    assert rates.alike == (errors.found.phi_difference > errors.by_chance)


def test_where_one_of_them_misses_a_fold_no_rate_is_known_and_topics_still_speak(run):
    evaluation, corpus = run
    runs = tuple(
        replace(each, answers=np.empty(0), problem="made up") if (each.model, each.fold) == (TWO[0], 0) else each
        for each in evaluation.runs
    )
    part = replace(evaluation, runs=runs), corpus
    found = compared(part, *TWO)
    assert not found.rates and found.said.cautions[-1].count("cannot be told here") == 1
    assert 0 < found.tests["S"].n < 24
    assert np.isnan(found.difference).sum() == len(evaluation.folds.folds[0].test_topics)


def test_a_model_against_itself_is_never_better(run):
    found = compared(run, TWO[0], TWO[0])
    assert {test.verdict for test in found.tests.values()} <= {None, "~", "="}
    assert found.said.answer.startswith("Nothing tells them apart")


def said(scores: np.ndarray, **more) -> str:
    rows = np.asarray(scores, dtype=float)
    return standing_sentence(rows, np.nanmean(rows, axis=1).tolist(), MODELS[: len(rows)], metric="accuracy", **more)


def test_one_that_leads_in_every_fold_is_named():
    rng = np.random.default_rng(0)
    scores = np.array([[0.8], [0.6], [0.5]]) + rng.normal(0, 0.01, size=(3, 10))
    assert said(scores).startswith(f"Alpha is ahead by accuracy, {scores[0].mean():.3f} on average over 10 folds")


def test_the_order_of_models_changes_no_winner():
    scores = np.array([[0.5] * 8, [0.9] * 8])
    assert said(scores).startswith("Beta is ahead") and said(scores[::-1]).startswith("Alpha is ahead")


@pytest.mark.parametrize("folds", [1, 2, 5])
def test_few_folds_name_no_winner(folds):
    sentence = said(np.array([[0.9] * folds, [0.1] * folds]))
    assert sentence.startswith(
        f"Too close to call by accuracy over {folds} fold{'s' * (folds > 1)} (fewer than six name no winner): Alpha"
    )


def test_equals_are_too_close_to_call():
    wins = sum("is ahead" in said(np.random.default_rng(seed).normal(0.5, 0.1, size=(2, 10))) for seed in range(100))
    assert wins <= 10, "five in a hundred, and chance"


def test_one_model_has_its_mean_and_the_majoritys_beside_it():
    sentence = said(np.array([[0.5, np.nan, 0.7]]), majority=0.25)
    assert sentence == "Alpha has a mean accuracy of 0.600 over 2 folds; always giving the commonest answer has 0.250."
