"""Folds: the level, headline, facts and data of planted leakage."""

from dataclasses import replace

import pytest

from core.questions import folds as question
from core.splits import fold_leakage, make_folds
from core.study import Study
from core.topics import make_setup
from tests.core.questions.studies import bundled, shuffled


def parts(study: Study, **how):
    setup = make_setup(study.corpus, study.vectors.matrix, study.space, sampler="none")
    folds = make_folds(setup.corpus, k=6, seed=0, space=setup.space, **how)
    return setup, folds, fold_leakage(folds, setup.space, nearest=1)


def codes(answer) -> set[str]:
    return {each.code for each in answer.cautions}


def test_least_leakage_folds_of_the_bundled_corpus():
    setup, folds, leakage = parts(bundled(), scheme="least-leakage")
    answer = question.answer(bundled(), setup, folds, leakage, notes=("a note",))
    assert answer.level == "neutral" and "0.54" in answer.headline and "folds-note" in codes(answer)
    assert {fact.label: fact.value for fact in answer.facts}["Highest"] == "0.54"
    assert answer.data["highest"] == max(fold["max"] for fold in answer.data["folds"]) == leakage.highest
    worst = answer.table("worst_pairs").frame["similarity"]
    assert worst.is_monotonic_decreasing and worst.iloc[0] == leakage.highest
    assert answer.data["notes"][0] == "a note"


def test_topics_on_both_sides_come_before_similarity():
    setup, folds, leakage = parts(bundled(), scheme="topic-kfold")
    shared = leakage.shared.copy()
    shared[0] = 3
    answer = question.answer(bundled(), setup, folds, replace(leakage, shared=shared))
    assert answer.level == "bad" and answer.headline.startswith("In 3 of 24 cases")


def test_nothing_to_compare_has_no_facts_and_no_table():
    setup, folds, leakage = parts(bundled(), scheme="topic-kfold")
    answer = question.answer(bundled(), setup, folds, replace(leakage, worst=()))
    assert "can be compared" in answer.headline and answer.facts == answer.tables == ()


def test_labels_that_separate_nothing_are_cautioned():
    answer = question.answer(shuffled(), *parts(shuffled(), scheme="topic-kfold"))
    assert answer.level == "unknown" and codes(answer) == {"meaningless-labels"}


@pytest.mark.parametrize("seed", range(3))
def test_every_test_topic_has_its_nearest_training_topic(seed):
    setup, _, _ = parts(bundled(), scheme="topic-kfold")
    folds = make_folds(setup.corpus, scheme="topic-kfold", k=4, seed=seed)
    answer = question.answer(bundled(), setup, folds, fold_leakage(folds, setup.space, nearest=1))
    for fold in answer.data["folds"]:
        assert set(fold["nearest"]) == set(fold["test"]) and set(fold["nearest"].values()) <= set(fold["train"])
