"""The verdict by effect: a shown cost leaks, green means shown to be small, and nothing known is never green."""

import math

import numpy as np
import pytest

from core.corpora import make_corpus
from core.evaluation import CurveSummary, ModelCurve
from core.questions.cost import LeakageCost, cost_of, more_on, sentence
from core.questions.verdict import JudgedLeakage
from core.statistics import MeanEffect
from core.study import Study
from core.topics import hits_path, judge
from core.vectors import embed, make_encoder
from tests.core.topics.test_verdict import families, space_of


def effect(mean: float, low: float, high: float) -> MeanEffect:
    return MeanEffect(np.array([mean] * 8), mean, low, high, 0.01 if low > 0 else 0.5, low, high)


def cost(**models: tuple[float, float, float]) -> LeakageCost:
    """Return a cost of (mean, low, high) by control."""
    curves = {
        name: ModelCurve(
            np.array([0.6, 0.5]),
            np.array([0.5, 0.4]),
            np.array([0.7, 0.6]),
            np.full((8, 2), 0.5),
            effect(*values),
            0.01 if values[1] > 0 else 0.5,
            effect(0.3, 0.2, 0.4),
        )
        for name, values in models.items()
    }
    nothing = effect(0.0, -0.1, 0.1)
    return LeakageCost(
        CurveSummary(np.array([0.7, 0.3]), curves, math.nan, "content", "nothing", nothing, 100.0, 80, 8, np.ones(2))
    )


def judged(sizes: list[int], found: LeakageCost | None) -> JudgedLeakage:
    similarity = families(sizes)
    return JudgedLeakage(judge(space_of(similarity), hits_path(similarity), k=5), found)


SMALL = {"content": (0.0, -0.03, 0.03), "all": (0.01, -0.02, 0.04)}


@pytest.mark.parametrize(
    ("sizes", "found", "level"),
    [
        ([1] * 6, cost(**SMALL), "clear"),
        ([1] * 6, cost(content=(0.0, -0.03, 0.03), all=(0.02, -0.01, 0.06)), "unknown"),
        ([1] * 6, cost(content=(0.2, 0.1, 0.3), all=(0.0, -0.03, 0.03)), "leaks"),
        ([1] * 6, cost(content=(0.01, 0.001, 0.019), all=(0.0, -0.03, 0.03)), "clear"),
        ([1] * 6, LeakageCost(None, "why"), "unknown"),
        ([1] * 6, None, "unknown"),
        ([2] + [1] * 18, cost(**SMALL), "some"),
        ([3, 3, 2, 1, 1], cost(**SMALL), "leaks"),
    ],
)
def test_the_level_follows_similarity_and_effect(sizes, found, level):
    assert judged(sizes, found).level == level


def test_where_two_encoders_disagree_the_effect_decides_and_nothing_is_green():
    none, many = (
        judge(space_of(families(sizes)), hits_path(families(sizes)), k=5) for sizes in ([1] * 6, [3, 3, 2, 1, 1])
    )
    leaking, small = cost(content=(0.2, 0.1, 0.3), all=(0.0, -0.03, 0.03)), cost(**SMALL)
    for own, other in ((none, many), (many, none)):
        levels = [JudgedLeakage(own, each, None, "LSA", ("SBERT", other)).level for each in (leaking, small)]
        assert levels == ["leaks", "some"]
    assert JudgedLeakage(none, small, None, "LSA", ("SBERT", none)).level == "clear"
    assert JudgedLeakage(none, small, None, "LSA", ("SBERT", many)).finder == "SBERT"
    assert JudgedLeakage(many, small, None, "LSA", ("SBERT", none)).finder == "LSA"


def test_mixed_topics_are_never_clear():
    similarity = families([1] * 6)
    for mixing, level in ((0.1, "clear"), (0.45, "some")):
        verdict = judge(space_of(similarity), hits_path(similarity), k=5, mixing=mixing)
        assert JudgedLeakage(verdict, cost(**SMALL)).level == level


def test_what_would_settle_it_is_named():
    wide = cost(content=(0.01, -0.05, 0.07), all=(0.01, -0.05, 0.07))
    assert wide.topics_needed == 18, "8 topics × (6 / 4)²: the interval must end below 5 points"
    assert more_on(wide) == "About 18 topics like the 8 tested, or more texts per author, would settle it."
    assert cost(**SMALL).topics_needed is None and "below 5 points" in more_on(cost(**SMALL))
    far_off = cost(content=(0.01, -0.19, 0.21))
    assert more_on(far_off) == "More topics, or more texts per author, would settle it.", "200 topics instead of 8"


def test_the_largest_shown_cost_is_named_with_its_interval():
    said = sentence(cost(content=(0.194, 0.136, 0.252), all=(0.158, 0.1, 0.216)))
    assert "19 points for content words (95% CI 14–25) and 16 for all words." in said
    assert "at most 4 points" in sentence(cost(**SMALL))
    assert "−1 points" in sentence(cost(content=(-0.01, -0.08, 0.06)))
    unknown = float("nan")
    assert "+3 points, no interval" in sentence(cost(content=(0.03, unknown, unknown))), "of too few topics"


def test_without_authors_nothing_is_green_and_the_reason_is_given():
    texts = [f"{word} again {number}" for word in ("bread", "stars", "trams") for number in range(12)]
    corpus = make_corpus(texts, [word for word in ("bread", "stars", "trams") for _ in range(12)])
    study = Study(corpus, embed(corpus, make_encoder("lsa")))
    found = cost_of(study)
    assert found.summary is None and "label to predict" in found.reason
    assert not found.leaks and not found.small
