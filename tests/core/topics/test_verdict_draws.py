"""What a verdict says beside its level: the interval of m over resamples, near twins, and where cautions begin."""

import math
from dataclasses import replace

import numpy as np

from core.topics import (
    LabelCheck,
    TopicSpace,
    hits_path,
    judge,
    keep_interval,
    near_twins,
    sure_twins,
    topic_space,
    twin_line,
)
from core.topics.uncertainty import Resampled
from tests.core.topics.similarities import families, space_of


def resampled(highest: list[list[float]], medians: list[float], placed: int | None = None) -> Resampled:
    """Draws whose paths take the topics in order of name, the last of them not placed."""
    topics = len(highest[0]) + 1
    steps = np.tile(np.arange(topics), (len(highest), 1))
    steps[:, topics if placed is None else placed :] = topics
    return Resampled(None, None, steps, np.column_stack([np.full(len(highest), np.nan), highest]), np.array(medians))


def test_every_draw_keeps_what_lies_below_its_own_line():
    def keep(*highest: float, median: float, kind: str = "corrected", placed: int | None = None) -> int:
        low, high = keep_interval(resampled([list(highest)], [median], placed), kind=kind)
        assert low == high
        return low

    assert keep(0.2, 0.5, 0.9, median=0.2) == 3  # a line of .6
    assert keep(0.2, 0.5, 0.9, median=0.0) == 2  # of .5, and a pair at the line is a twin
    assert keep(0.2, 0.5, 0.9, median=-0.8) == 1  # of .1
    assert keep(0.2, 0.96, 0.99, median=0.94) == 2  # of .95, never above
    assert keep(0.2, 0.96, 0.99, median=0.94, kind="plain") == 3  # of .97
    assert keep(0.2, 0.3, 0.3, median=0.2) == 4
    assert keep(0.2, 0.3, 0.3, median=0.2, placed=3) == 3  # what a draw cannot place it cannot keep


def test_the_interval_of_m_holds_95_percent_of_the_draws_rounded_outwards():
    by_keep = {1: [0.7, 0.8, 0.9], 2: [0.2, 0.8, 0.9], 3: [0.2, 0.5, 0.9], 4: [0.2, 0.3, 0.3]}

    def interval(**draws: int) -> tuple[int, int]:
        highest = [by_keep[int(keep[1:])] for keep, count in draws.items() for _ in range(count)]
        return keep_interval(resampled(highest, [0.2] * len(highest)))

    assert interval(m1=2, m3=37, m4=2) == (1, 4)  # of 41 the second from either end
    assert interval(m1=1, m3=39, m4=1) == (3, 3)
    assert interval(m1=1, m2=19, m3=1) == (1, 3)  # of 21 half-way between the first and the second: 1.5 and 2.5


def test_a_verdict_carries_the_interval_of_its_draws():
    similarity = families([2, 1, 1])
    draws = resampled([[0.2, 0.5, 0.9]] * 3, [0.2] * 3)
    assert judge(space_of(similarity), hits_path(similarity), k=2, resampled=draws).keep_interval == (3, 3)
    assert judge(space_of(similarity), hits_path(similarity), k=2).keep_interval is None
    plain = TopicSpace(tuple("abcd"), np.ones(4, dtype=np.int64), np.zeros((4, 1)), similarity, kind="plain")
    alike = resampled([[0.2, 0.96, 0.99]], [0.94])
    assert judge(plain, hits_path(similarity), k=2, resampled=alike).keep_interval == (3, 3)


def test_near_twins_are_the_closest_pairs_from_the_line_on():
    space = space_of(families([3, 1], inside=0.9, outside=0.2))
    assert [pair[:2] for pair in near_twins(space, 0.9)] == [(0, 1), (0, 2), (1, 2)]
    assert near_twins(space, 0.9 + 1e-9) == []
    assert len(near_twins(space, 0.2, most=4)) == 4
    assert len(near_twins(space_of(families([15])), 0.9)) == 100  # of 105


def test_half_of_the_documents_is_not_less_than_half():
    similarity = families([2, 1])  # one of the twins goes
    for sizes, warned in (([1, 4, 3], False), ([1, 5, 3], True)):  # 4 of 8, and 4 of 9
        space = TopicSpace(tuple("abc"), np.array(sizes), np.zeros((3, 1)), similarity)
        verdict = judge(space, hits_path(similarity), k=2)
        assert (verdict.keep, verdict.keep_documents) == (2, 4)
        assert any("less than half" in caution for caution in verdict.cautions) == warned


def test_a_centroid_that_is_half_signal_is_not_mostly_noise():
    for coherence, weak in ((0.2, False), (0.19, True)):  # 4 · .2/(1 + 3 · .2) = .5
        similarity = families([1] * 4)
        each = np.array([4] * 4)
        space = TopicSpace(
            tuple("abcd"), each, np.zeros((4, 1)), similarity, each, np.array([coherence, 0.9, 0.9, 0.9])
        )
        cautions = judge(space, hits_path(similarity), k=2).cautions
        alike = replace(space, similarity=families([2, 1, 1], inside=0.9))
        assert sure_twins(alike, 0.9)[:2, :2].tolist() == [[False, not weak], [not weak, False]]
        assert cautions == (
            (
                "The centroid of 1 of the 4 topics is more noise than signal: its documents are few or have little in common, and "
                "with them near twins are found and missed by chance.",
            )
            if weak
            else ()
        )


def test_topics_that_cannot_be_compared_are_so_whatever_the_labels_say():
    space = topic_space(np.eye(3), np.arange(3), ("a", "b", "c"))
    verdict = judge(space, hits_path(space.similarity), k=2, labels=LabelCheck(math.nan, np.array([0.9])))
    assert verdict.sentence.startswith("No two topics can be compared")
    assert math.isnan(verdict.typical)
    assert twin_line(np.ones((1, 1)), kind="plain") == 1.0


def test_one_topic_that_leaks_beyond_doubt_is_no_perhaps():
    similarity = families([2] + [1] * 18)
    verdict = judge(space_of(similarity), hits_path(similarity), k=5)
    assert verdict.level == "some"
    for surely, start in ((1.0, "In places:"), (0.99, "Perhaps:")):
        assert replace(verdict, surely_leaking=surely).sentence.startswith(start)
