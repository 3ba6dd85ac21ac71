"""Centroids and similarities: laws, and scikit-learn as an oracle."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.preprocessing import normalize

from core.errors import SettingError
from core.topics import (
    closest_pairs,
    cluster_order,
    merged_space,
    pair_histogram,
    pair_similarities,
    topic_leakage,
    topic_space,
)
from tests.core.topics.similarities import random_space

BOTH = pytest.mark.parametrize("kind", ["plain", "corrected"])


@given(st.integers(0, 1_000))
@settings(deadline=None)
def test_similarity_is_the_cosine_of_mean_unit_vectors(seed):
    space, vectors, codes = random_space(seed)
    unit = normalize(vectors.astype(np.float64))
    centroids = np.stack([unit[codes == code].mean(axis=0) for code in range(5)])
    np.testing.assert_allclose(space.centroids, centroids, atol=1e-12)
    np.testing.assert_allclose(space.similarity, cosine_similarity(centroids), atol=1e-12)
    assert (space.similarity == space.similarity.T).all()
    assert (np.diag(space.similarity) == 1).all()


@BOTH
@given(seed=st.integers(0, 1_000))
@settings(deadline=None, max_examples=30)
def test_document_order_and_vector_length_do_not_matter(kind, seed):
    space, vectors, codes = random_space(seed, similarity=kind)
    rng = np.random.default_rng(seed + 1)
    shuffle = rng.permutation(len(codes))
    scaled = vectors[shuffle] * rng.uniform(0.5, 20, size=(len(codes), 1)).astype(np.float32)
    again = topic_space(scaled, codes[shuffle], space.names, similarity=kind)
    np.testing.assert_allclose(again.similarity, space.similarity, atol=1e-4)


def test_records_cannot_be_changed():
    space, _, _ = random_space(0)
    with pytest.raises(ValueError, match="read-only"):
        space.similarity[0, 1] = 0


def test_documents_without_a_known_word_do_not_turn_into_nan():
    vectors = np.array([[0, 0], [0, 0], [1, 0]], dtype=np.float32)
    space = topic_space(vectors, np.array([0, 0, 1]), ("empty", "full"), similarity="plain")
    assert space.similarity.tolist() == [[1, 0], [0, 1]]


def test_vectors_and_documents_must_match():
    with pytest.raises(SettingError, match="2 vectors for 3 documents"):
        topic_space(np.ones((2, 2), dtype=np.float32), np.array([0, 1, 1]), ("a", "b"))


@BOTH
@given(seed=st.integers(0, 1_000))
@settings(deadline=None, max_examples=30)
def test_merging_topics_equals_relabelling_their_documents(kind, seed):
    space, vectors, codes = random_space(seed, similarity=kind)
    assigned = np.array([0, 0, 2, -1, 2])
    merged = merged_space(space, assigned)
    left = assigned[codes] >= 0
    relabelled = np.searchsorted([0, 2], assigned[codes[left]])
    expected = topic_space(vectors[left], relabelled, ("t0", "t2"), similarity=kind)
    assert merged.names == expected.names
    assert merged.sizes.tolist() == expected.sizes.tolist()
    np.testing.assert_allclose(merged.similarity, expected.similarity, atol=1e-9)
    np.testing.assert_allclose(merged.coherence, expected.coherence, atol=1e-9)
    assert merged.counted.tolist() == expected.counted.tolist() and merged.kind == kind


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


def test_cluster_order_keeps_families_together():
    families = np.repeat([0, 1, 2], 4)
    shuffle = np.random.default_rng(0).permutation(12)
    similarity = np.where(families[shuffle][:, None] == families[shuffle][None, :], 0.9, 0.1)
    np.fill_diagonal(similarity, 1.0)
    ordered = families[shuffle][cluster_order(similarity)]
    assert (np.diff(ordered) != 0).sum() == 2
    assert cluster_order(similarity[:2, :2]).tolist() == [0, 1]


def test_topics_that_all_go_leave_nothing():
    space, _, _ = random_space(0, topics=3)
    with pytest.raises(SettingError, match="No topic is left"):
        merged_space(space, np.full(3, -1))


def test_a_topic_without_documents_is_like_no_other():
    space = topic_space(np.ones((2, 2), dtype=np.float32), np.array([0, 2]), ("a", "b", "c"), similarity="plain")
    assert space.sizes.tolist() == [1, 0, 1]
    assert space.similarity[1].tolist() == [0, 1, 0]


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


def test_unknown_similarities_are_refused():
    with pytest.raises(SettingError, match="Did you mean 'corrected'"):
        topic_space(np.ones((2, 2)), np.array([0, 1]), ("a", "b"), similarity="correct")


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
