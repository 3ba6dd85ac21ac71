"""What similarities say of topics and pairs: laws, worked values, and orders."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage

from core.topics import closest_pairs, cluster_order, pair_histogram, pair_similarities, topic_leakage
from tests.core.topics.similarities import random_space


@given(st.integers(0, 1_000))
@settings(deadline=None)
def test_leakage_of_a_topic_is_mean_times_max_over_the_others(seed):
    space, _, _ = random_space(seed)
    leakage = topic_leakage(space.similarity)
    for topic in range(len(space)):
        others = np.delete(space.similarity[topic], topic)
        assert leakage.score[topic] == pytest.approx(others.mean() * others.max(), abs=1e-12)
        assert space.similarity[topic, leakage.nearest[topic]] == others.max()
        assert leakage.nearest[topic] != topic


def test_closest_pairs_come_in_falling_order_without_a_topic_and_itself():
    space, _, _ = random_space(4, topics=6)
    pairs = closest_pairs(space.similarity, most=100)
    values = [value for _, _, value in pairs]
    assert values == sorted(pair_similarities(space.similarity), reverse=True)
    assert all(first < second for first, second, _ in pairs)


@given(st.integers(1, 9), st.integers(1, 12), st.integers(0, 1_000))
@settings(deadline=None)
def test_closest_pairs_are_the_first_of_all_pairs_sorted_whatever_ties_and_is_unknown(topics, most, seed):
    rng = np.random.default_rng(seed)
    similarity = rng.integers(0, 4, size=(topics, topics)) / 4
    similarity = np.triu(similarity, 1) + np.triu(similarity, 1).T
    similarity[rng.random(topics) < 0.2] = np.nan
    similarity = np.where(np.isnan(similarity.T), np.nan, similarity)
    pairs = [(one, two, similarity[one, two]) for one in range(topics) for two in range(one + 1, topics)]
    known = sorted((pair for pair in pairs if not np.isnan(pair[2])), key=lambda pair: -pair[2])
    assert closest_pairs(similarity, most=most) == known[:most]
    assert pair_similarities(similarity).tolist() == [value for *_, value in pairs if not np.isnan(value)]


@given(st.integers(0, 1_000), st.floats(0.05, 1.0))
@settings(deadline=None)
def test_the_histogram_is_numpys_and_parts_pairs_at_the_line(seed, line):
    space, _, _ = random_space(seed)
    values = pair_similarities(space.similarity)
    edges, counts = pair_histogram(space.similarity, line=line)
    np.testing.assert_array_equal(counts, np.histogram(values, bins=edges)[0])
    at = int(np.argmin(np.abs(edges - line)))
    assert edges[at] == pytest.approx(line) and counts[at:].sum() == (values >= line).sum()


def test_cluster_order_keeps_families_together():
    families = np.repeat([0, 1, 2], 4)
    shuffle = np.random.default_rng(0).permutation(12)
    similarity = np.where(families[shuffle][:, None] == families[shuffle][None, :], 0.9, 0.1)
    np.fill_diagonal(similarity, 1.0)
    ordered = families[shuffle][cluster_order(similarity)]
    assert (np.diff(ordered) != 0).sum() == 2
    assert cluster_order(similarity[:2, :2]).tolist() == [0, 1]


def test_mean_and_max_of_a_topic_leave_itself_out():
    leakage = topic_leakage(np.array([[1, 0.2, 0.6], [0.2, 1, 0.4], [0.6, 0.4, 1]]))
    np.testing.assert_allclose(leakage.mean, [0.4, 0.3, 0.5])
    assert leakage.max.tolist() == [0.6, 0.4, 0.6]
    assert leakage.nearest.tolist() == [2, 2, 0]


def test_only_the_most_similar_pairs_are_named_and_equal_ones_in_order_of_name():
    similarity = np.array([[1, 0.5, 0.5], [0.5, 1, 0.9], [0.5, 0.9, 1]])
    assert closest_pairs(similarity, most=2) == [(1, 2, 0.9), (0, 1, 0.5)]


def test_the_histogram_counts_every_pair_from_zero_or_the_lowest_to_one():
    edges, counts = pair_histogram(np.array([[1, 0.2, 0.6], [0.2, 1, 0.4], [0.6, 0.4, 1]]), bins=5)
    np.testing.assert_allclose(edges, [0, 0.2, 0.4, 0.6, 0.8, 1])
    assert counts.sum() == 3
    edges, _ = pair_histogram(np.array([[1, -0.5], [-0.5, 1]]))
    assert len(edges) == 41 and (edges[0], edges[-1]) == (-0.5, 1)


def test_two_topics_have_each_other_and_an_unplaced_one_has_nobody():
    pair = topic_leakage(np.array([[1, 0.4], [0.4, 1]]))
    assert (pair.mean.tolist(), pair.max.tolist(), pair.nearest.tolist()) == ([0.4, 0.4], [0.4, 0.4], [1, 0])
    nan = np.nan
    beside = topic_leakage(np.array([[1, 0.4, nan], [0.4, 1, nan], [nan, nan, nan]]))
    np.testing.assert_array_equal(beside.mean, [0.4, 0.4, nan])
    np.testing.assert_array_equal(beside.max, [0.4, 0.4, nan])
    np.testing.assert_allclose(beside.score, [0.16, 0.16, nan])
    assert beside.nearest.tolist() == [1, 0, -1]


def test_alike_topics_are_neighbours_among_three():
    three = np.array([[1, 0.1, 0.9], [0.1, 1, 0.2], [0.9, 0.2, 1]])
    order = cluster_order(three).tolist()
    assert sorted(order) == [0, 1, 2] and abs(order.index(0) - order.index(2)) == 1


@pytest.mark.parametrize(("topics", "flipped"), [(399, True), (400, True), (401, False)])
def test_branches_are_flipped_up_to_400_topics(topics, flipped, monkeypatch):
    asked = []

    def spy(distances, method, *, optimal_ordering):
        asked.append(optimal_ordering)
        return linkage(distances, method)

    monkeypatch.setattr("scipy.cluster.hierarchy.linkage", spy)
    assert len(cluster_order(np.eye(topics))) == topics
    assert asked == [flipped]


def from_pairs(values: np.ndarray, topics: int) -> np.ndarray:
    """The matrix whose pairs, row by row, have these similarities."""
    similarity = np.eye(topics)
    similarity[np.triu_indices(topics, k=1)] = values
    return np.maximum(similarity, similarity.T)


def test_no_topics_have_no_pairs():
    assert pair_similarities(np.zeros((0, 0))).tolist() == []
    assert closest_pairs(np.zeros((0, 0)), most=3) == []


def test_the_closest_pairs_of_many_are_the_closest_in_whatever_order_they_stand():
    for seed in range(20):
        values = np.random.default_rng(seed).permutation(4950) / 4950
        found = closest_pairs(from_pairs(values, 100), most=500)
        assert [value for *_, value in found] == sorted(values, reverse=True)[:500]


# The last three: so many bins up to the line that rounding would put the lowest pair before the first.
@pytest.mark.parametrize(
    ("line", "bins"), [*((step / 40, 40) for step in range(1, 41)), (0.28, 25), (0.2, 35), (0.14, 50)]
)
def test_pairs_at_either_end_of_the_histogram_are_in_it_wherever_the_line_is(line, bins):
    edges, counts = pair_histogram(from_pairs(np.array([0.0, 0.5, 1.0]), 3), line=line, bins=bins)
    assert len(counts) == len(edges) - 1 and counts.sum() == 3
    assert counts[0] == counts[-1] == 1
