"""Near twins are claimed only where the documents bear it: few of them make many pairs look alike by chance."""

import numpy as np
import pytest

from core.topics import (
    TopicSpace,
    check_labels,
    hits_path,
    judge,
    pair_histogram,
    pair_similarities,
    resample_topics,
    sure_twins,
    topic_space,
)
from core.topics.uncertainty import Resampled
from tests.core.topics.similarities import families, space_of


def draws(low: np.ndarray) -> Resampled:
    """Draws of which only the lower ends of the intervals matter."""
    topics = len(low)
    return Resampled(low, low, np.tile(np.arange(topics), (2, 1)), np.full((2, topics), 0.2), np.full(2, 0.2))


def documents(topics: int, each: int, *, twins: int = 0, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Texts as directions: their topic's own and three times as much noise; the first `twins` topics share one direction."""
    rng = np.random.default_rng(seed)
    own = rng.normal(size=(topics, 60))
    own[:twins] = own[0]
    codes = np.repeat(np.arange(topics), each)
    return own[codes] + 0.5 + 2.0 * rng.normal(size=(len(codes), 60)), codes


def judged(vectors: np.ndarray, codes: np.ndarray, topics: int):
    names = tuple(f"t{topic:02}" for topic in range(topics))
    space = topic_space(vectors, codes, names)
    found = (vectors, codes, topics)
    return judge(
        space,
        hits_path(space.similarity),
        k=6,
        labels=check_labels(*found, kind="corrected"),
        resampled=resample_topics(*found, kind="corrected", draws=100),
    )


def test_a_pair_is_sure_where_all_of_its_interval_is_past_the_line():
    similarity = families([3, 1], inside=0.9, outside=0.2)
    low = np.full((4, 4), 0.1)
    low[0, 1] = low[1, 0] = 0.8
    low[0, 2] = low[2, 0] = 0.8 - 1e-9
    sure = sure_twins(space_of(similarity), 0.8, draws(low))
    assert np.argwhere(np.triu(sure)).tolist() == [[0, 1]], "at the line is past it; below it is not"
    assert (sure == sure.T).all() and not sure.diagonal().any()
    everything = sure_twins(space_of(similarity), 0.8)
    assert everything.sum() == 6, "where no interval is known every pair past the line counts"


def test_a_centroid_that_is_mostly_noise_has_no_sure_twin():
    similarity, each = families([3]), np.array([4, 4, 4])
    coherence = np.array([0.9, 0.9, 0.19])  # 4 · .19/(1 + 3 · .19) < .5
    space = TopicSpace(tuple("abc"), each, np.zeros((3, 1)), similarity, each, coherence)
    assert np.argwhere(np.triu(sure_twins(space, 0.8))).tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("sure_pairs", "level", "start"), [(0, "some", "Perhaps:"), (1, "some", "In places:"), (4, "leaks", "Yes:")]
)
def test_the_level_follows_the_sure_pairs_and_the_sentence_has_both_numbers(sure_pairs, level, start):
    similarity = families([2] * 4 + [1] * 4)
    low = np.full((12, 12), 0.1)
    for pair in range(sure_pairs):
        low[2 * pair, 2 * pair + 1] = low[2 * pair + 1, 2 * pair] = 0.85
    verdict = judge(space_of(similarity), hits_path(similarity), k=12, resampled=draws(low))
    assert (verdict.level, verdict.twin_pairs, verdict.sure_pairs) == (level, 4, sure_pairs)
    assert (verdict.leaking_topics, verdict.surely_leaking) == pytest.approx((8, 2 * sure_pairs))
    assert verdict.sentence.startswith(start)
    both = f"{2 * sure_pairs:.1f} to 8.0 of the 12 topics" in verdict.sentence
    assert both == (sure_pairs < 4) == ("beyond doubt" in verdict.sentence)


def test_three_documents_a_topic_do_not_make_strangers_twins():
    found = [judged(*documents(16, 3, seed=seed), 16) for seed in range(6)]
    assert sum(verdict.twin_pairs for verdict in found) > 6, "chance puts pairs past the line"
    assert sum(verdict.sure_pairs for verdict in found) <= 1
    assert all(verdict.level != "leaks" for verdict in found)


def test_with_documents_enough_twins_are_sure():
    found = judged(*documents(16, 60, twins=5), 16)
    assert found.sure_pairs == found.twin_pairs == 10
    assert found.level == "leaks" and "beyond doubt" not in found.sentence


@pytest.mark.parametrize("line", [0.31, 0.6, 0.9012, 1.0])
def test_no_bin_of_the_histogram_lies_on_both_sides_of_the_line(line):
    rng = np.random.default_rng(1)
    similarity = np.clip(rng.uniform(-0.2, 1.0, (30, 30)), -1, 1)
    values = pair_similarities(similarity)
    edges, counts = pair_histogram(similarity, line=line)
    assert counts.sum() == len(values) and (np.diff(edges) > 0).all()
    assert line in edges
    assert counts[edges[:-1] >= line].sum() == (values >= line).sum()
