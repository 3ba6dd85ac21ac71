"""The answer claims what ranks and the slope without authors show, and no more; what weakens it is said."""

import numpy as np
import pytest

from core.evaluation import similarity_answer, similarity_cautions
from core.statistics import AdjustedSlope, Relation, weighted_summary


def relation(rho: float) -> Relation:
    return Relation(20, rho, rho - 0.2, rho + 0.2, 0.01)


def slope(low: float) -> AdjustedSlope:
    nothing = np.empty(0)
    return AdjustedSlope(20, low + 0.1, 0.0, low, low + 0.2, 0.01, nothing, nothing, nothing)


@pytest.mark.parametrize(
    ("rho", "low", "p", "said"),
    [
        (0.6, 0.1, 0.01, "Yes, for Made (ρ +0.60): accuracy rises"),
        (0.6, 0.0, 0.01, "Perhaps, for Made "),
        (0.6, np.nan, 0.05, "Perhaps, for Made "),
        (0.6, 0.1, 0.051, "It does not show: over 20 test topics no model's accuracy"),
        (-0.6, 0.1, 0.01, "accuracy of Made (ρ -0.60) falls with that similarity"),
        (np.nan, 0.1, np.nan, "It cannot be told: too few"),
    ],
)
def test_each_branch_of_the_answer(rho, low, p, said):
    given = {"m": "Made"}, {"m": relation(rho)}, {"m": slope(low)}, {"m": p}
    assert similarity_answer(*given, metric="accuracy").startswith(said)
    assert similarity_answer(*given, metric="accuracy", meaningful=False).startswith("It cannot be told: the labels")


def test_models_are_told_apart_in_one_answer():
    names = {name: name.upper() for name in "abcd"}
    found = {"a": relation(0.7), "b": relation(0.6), "c": relation(-0.6), "d": relation(0.1)}
    slopes = {"a": slope(0.1), "b": slope(-0.1), "c": slope(0.1), "d": slope(0.1)}
    said = similarity_answer(names, found, slopes, {"a": 0.01, "b": 0.02, "c": 0.03, "d": 0.9}, metric="c@1")
    assert said.startswith("Yes, for A (ρ +0.70)") and "Perhaps also, for B" in said
    assert "c@1 of C (ρ -0.60) falls" in said and said.endswith("For D it does not show.")


def cautions(nearest, *, mean=0.8, chance=0.3):
    summary = {"m": weighted_summary(np.array([mean, mean]), np.array([1.0, 1.0]))}
    return similarity_cautions({"m": "Made"}, summary, nearest, chance=chance)


def test_nothing_is_cautioned_where_nothing_is_weak():
    assert cautions(np.linspace(0.1, 0.9, 20)) == []


def test_ties_say_how_few_decide():
    (said,) = cautions([1.0] * 11 + [0.4, 0.3, np.nan])
    assert said.startswith("For 11 of 13 test topics") and "the other 2" in said
    assert cautions([1.0] * 6 + list(np.linspace(0.1, 0.8, 6))) == []


def test_few_topics_are_said_and_none_are_nothing():
    (said,) = cautions([0.1, 0.2, 0.3, np.nan])
    assert said == "With 3 test topics only a very close relation could show."
    assert cautions([]) == cautions([np.nan]) == []


@pytest.mark.parametrize(("mean", "cautioned"), [(0.3, True), (0.31, False), (0.2, True)])
def test_a_model_that_does_not_beat_the_majority_has_nothing_to_buy(mean, cautioned):
    found = cautions(np.linspace(0.1, 0.9, 20), mean=mean)
    assert ("Made does no better than one who does not read (0.30)" in " ".join(found)) == cautioned
    assert cautions(np.linspace(0.1, 0.9, 20), mean=mean, chance=np.nan) == [], "no baseline, no claim"
