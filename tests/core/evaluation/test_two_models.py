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
)
from core.splits import make_folds
from core.statistics import (
    TESTS,
    clustered_comparison,
    corrected_t,
    head_to_head,
    micro_sign,
    true_rate,
    weighted_t,
)

TWO = ("max_ent", "char_svm")
MIRROR = {"»": "«", ">": "<", "~": "~", "<": ">", "«": "»", "=": "=", None: None}


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
    assert found.errors.rates == turned.errors.rates


def test_the_outcome_is_that_of_topics(run):
    found = compared(run, *TWO)
    assert found.outcome == head_to_head(*found.scores, margin=0.05, sizes=found.documents)
    assert found.outcome.outcome == "b" and not found.share_texts


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
    assert not found.errors.rates
    assert 0 < found.tests["S"].n < 24
    assert np.isnan(found.difference).sum() == len(evaluation.folds.folds[0].test_topics)


def test_a_model_against_itself_is_never_better(run):
    found = compared(run, TWO[0], TWO[0])
    assert {test.verdict for test in found.tests.values()} <= {None, "~", "="}
    assert found.outcome.outcome == "same"
