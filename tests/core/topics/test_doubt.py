"""What documents leave in doubt: halves of one topic are told from two topics, and never the other way round."""

import numpy as np
import pytest

from core.topics import may_be_one_topic, may_be_twins, resample_topics, topic_space


def made(size: int, *, signal: float, kind: str, seed: int):
    """Six random pieces of one population, t0 to t5, and four topics of their own."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(10), size)
    means = rng.normal(size=(5, 80)) / np.sqrt(80)
    of = np.maximum(codes - 5, 0)
    vectors = np.sqrt(signal) * means[of] + np.sqrt(1 - signal) * rng.normal(size=(len(codes), 80)) / np.sqrt(80)
    space = topic_space(vectors, codes, tuple(f"t{topic}" for topic in range(10)), similarity=kind)
    return space, resample_topics(vectors, codes, 10, kind=kind, seed=seed)


@pytest.mark.parametrize("kind", ["corrected", "plain"])
@pytest.mark.parametrize(("size", "signal"), [(5, 0.4), (10, 0.3), (30, 0.1), (30, 0.4)])
def test_random_pieces_of_one_topic_are_found_and_topics_of_their_own_are_not(kind, size, signal):
    inside, outside = np.triu_indices(6, 1), np.s_[:6, 6:]
    missed = taken = 0
    for seed in range(8):
        one = may_be_one_topic(*made(size, signal=signal, kind=kind, seed=seed))
        missed, taken = missed + (~one[inside]).sum(), taken + one[outside].sum()
        assert (one == one.T).all() and not one.diagonal().any()
    assert missed <= 1 and taken <= 4, "of 120 and 192 pairs"


def test_the_lowest_of_the_pieces_similarities_lie_below_the_line_by_chance():
    """What makes the interval necessary: whoever looks for topics unlike each other finds these pieces."""
    space, resampled = made(10, signal=0.2, kind="corrected", seed=0)
    lowest = space.similarity[np.triu_indices(6, 1)].min()
    assert lowest < 0.95 and may_be_one_topic(space, resampled)[np.triu_indices(6, 1)].all()


def test_centroids_that_are_mostly_noise_tell_nothing():
    space, resampled = made(4, signal=0.05, kind="corrected", seed=1)
    weak = space.placed & (space.reliability < 0.5)
    assert weak.any()
    one, known = may_be_one_topic(space, resampled), ~np.isnan(space.similarity)
    np.fill_diagonal(known, False)
    assert (one[weak] == known[weak]).all()


def test_a_pair_may_be_near_twins_where_its_interval_reaches_the_line():
    space, resampled = made(10, signal=0.3, kind="corrected", seed=0)
    line = 0.5
    may = may_be_twins(space, line, resampled)
    assert (may >= may_be_twins(space, line, None)).all() and (may == may.T).all() and not may.diagonal().any()
    expected = (space.similarity >= line) | (resampled.high >= line)
    np.fill_diagonal(expected, False)
    assert (may == expected).all()
    assert not may_be_one_topic(space, None).any(), "nothing is known without intervals"
