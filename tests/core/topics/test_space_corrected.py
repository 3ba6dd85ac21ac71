"""Similarity corrected for topic size: the worked example, its laws, and topics that cannot be placed."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import normalize

from core.topics import (
    closest_pairs,
    cluster_order,
    merged_space,
    pair_similarities,
    part_of_space,
    topic_leakage,
    topic_space,
)
from core.topics.space import NO_COHERENCE
from tests.core.topics.similarities import in_the_plane, random_space


def test_the_worked_example_in_the_plane():
    vectors = in_the_plane(0, 20, 40, 60, 100)
    codes = np.array([0, 0, 0, 1, 1])
    assert topic_space(vectors, codes, ("A", "B"), similarity="plain").similarity[0, 1] == pytest.approx(0.5, abs=5e-7)
    space = topic_space(vectors, codes, ("A", "B"))
    assert space.coherence == pytest.approx([0.881810, 0.766044], abs=5e-7)
    assert space.similarity[0, 1] == pytest.approx(0.548681, abs=5e-7)
    assert space.reliability == pytest.approx([0.957234, 0.867526], abs=5e-7)


@given(st.integers(0, 1_000))
@settings(deadline=None, max_examples=30)
def test_coherence_is_the_mean_cosine_of_two_different_documents(seed):
    space, vectors, codes = random_space(seed, similarity="corrected")
    unit = normalize(vectors.astype(np.float64))
    for topic in range(len(space)):
        cosines = unit[codes == topic] @ unit[codes == topic].T
        assert space.coherence[topic] == pytest.approx(pair_similarities(cosines).mean(), abs=1e-9)
    between = [[(unit[codes == i] @ unit[codes == j].T).mean() for j in range(5)] for i in range(5)]
    scale = np.sqrt(np.where(space.placed, space.coherence, 1.0))
    placed = np.ix_(space.placed, space.placed)
    expected = np.clip(np.array(between) / np.outer(scale, scale), -1, 1)
    np.fill_diagonal(expected, 1.0)
    np.testing.assert_allclose(space.similarity[placed], expected[placed], atol=1e-9)


def population(rng: np.random.Generator, documents: int, towards: np.ndarray) -> np.ndarray:
    return rng.normal(size=(documents, len(towards))) + towards


def test_halves_of_one_topic_are_as_one_and_small_topics_are_not_pushed_away():
    rng = np.random.default_rng(0)
    one, two = np.eye(30)[:2] * 3
    two = two + one / 2
    large = topic_space(
        np.vstack([population(rng, 4_000, one), population(rng, 4_000, two)]), np.repeat([0, 1], 4_000), ("a", "b")
    )
    plain, corrected, halves = [], [], []
    for _ in range(200):
        vectors = np.vstack([population(rng, 5, one), population(rng, 5, two), population(rng, 5, one)])
        codes = np.repeat([0, 1, 2], 5)
        similarity = topic_space(vectors, codes, ("a", "b", "c")).similarity
        corrected.append(similarity[0, 1])
        halves.append(similarity[0, 2])
        plain.append(topic_space(vectors, codes, ("a", "b", "c"), similarity="plain").similarity[0, 1])
    truth = large.similarity[0, 1]
    assert np.mean(plain) < truth - 0.1
    assert np.median(corrected) == pytest.approx(truth, abs=0.05)
    assert np.median(halves) > 0.93


def test_topics_that_cannot_be_placed_are_named_with_the_reason():
    vectors = np.vstack([in_the_plane(0, 10, 90, 170, 180, 0, 180), [[0.0, 0.0]]])
    codes = np.array([0, 0, 1, 2, 2, 3, 3, 4])
    space = topic_space(vectors, codes, ("good", "lonely", "also good", "torn", "wordless"))
    assert space.placed.tolist() == [True, False, True, False, False]
    assert [(each.topic, each.reason.split(",")[0]) for each in space.unplaced] == [
        (1, "one document"),
        (3, "documents that have nothing in common with each other"),
        (4, "no document with a vector"),
    ]
    assert np.isnan(space.similarity[1]).all() and np.isnan(space.similarity[:, 3]).all()
    assert np.isnan(space.reliability[[1, 3, 4]]).all()
    assert len(pair_similarities(space.similarity)) == 1
    assert closest_pairs(space.similarity, most=9) == [(0, 2, space.similarity[0, 2])]
    leakage = topic_leakage(space.similarity)
    assert leakage.nearest.tolist() == [2, -1, 0, -1, -1]
    assert sorted(cluster_order(space.similarity).tolist()) == [0, 1, 2, 3, 4]
    assert topic_space(vectors, codes, space.names, similarity="plain").placed.all()


@pytest.mark.parametrize(("cosine", "placed"), [(1.5e-9, True), (0.5e-9, False)])
def test_documents_have_nothing_in_common_below_a_billionth(cosine, placed):
    space = topic_space(np.array([[1.0, 0.0], [cosine, 1.0]]), np.array([0, 0]), ("a",))
    assert (space.placed.tolist(), bool(np.isnan(space.reliability[0]))) == ([placed], not placed)
    if placed:
        assert space.reliability[0] == pytest.approx(2 * cosine, rel=1e-6)


def test_what_is_not_known_of_a_space_stays_unknown():
    space, _, _ = random_space(0, topics=3)
    bare = replace(space, counted=None, coherence=None)
    for unknown in (bare, replace(space, coherence=None), replace(space, counted=None)):
        assert np.isnan(unknown.reliability).all()
    none = replace(space, coherence=np.full(3, NO_COHERENCE))
    assert np.isnan(none.reliability).all(), "at the bound documents have nothing in common"
    part = part_of_space(bare, np.array([2, 0]))
    assert (part.names, part.counted, part.coherence) == (("t2", "t0"), None, None)
    merged = merged_space(bare, np.array([0, 0, 2]))
    assert merged.counted.tolist() == [space.sizes[:2].sum(), space.sizes[2]]


def test_a_part_of_a_space_is_the_space_of_the_part():
    space, vectors, codes = random_space(3, similarity="corrected")
    part = part_of_space(space, np.array([1, 2, 4]))
    rows = np.flatnonzero(np.isin(codes, [1, 2, 4]))
    expected = topic_space(vectors[rows], np.searchsorted([1, 2, 4], codes[rows]), ("t1", "t2", "t4"))
    assert (part.names, part.kind) == (expected.names, expected.kind)
    for field in ("sizes", "centroids", "similarity", "counted", "coherence"):
        np.testing.assert_allclose(getattr(part, field), getattr(expected, field), atol=1e-12)


def test_documents_without_a_vector_are_merged_but_not_counted():
    vectors = np.vstack([in_the_plane(0, 10, 20, 60, 80), [[0.0, 0.0]]])
    codes = np.array([0, 0, 1, 1, 2, 2])
    space = topic_space(vectors, codes, ("a", "b", "c"))
    assert (space.sizes.tolist(), space.counted.tolist()) == ([2, 2, 2], [2, 2, 1])
    merged = merged_space(space, np.array([0, 1, 1]))
    expected = topic_space(vectors, np.minimum(codes, 1), ("a", "b"))
    assert merged.counted.tolist() == expected.counted.tolist() == [2, 3]
    np.testing.assert_allclose(merged.similarity, expected.similarity, atol=1e-12)


def test_the_centroid_of_one_document_is_its_direction():
    space = topic_space(np.array([[3.0, 4.0], [1.0, 0.0], [0.0, 2.0]]), np.array([0, 1, 1]), ("one", "two"))
    np.testing.assert_allclose(space.centroids, [[0.6, 0.8], [0.5, 0.5]])


def test_no_similarity_leaves_its_range_by_rounding_or_by_correction():
    found = []
    for seed in range(60):
        direction = np.random.default_rng(seed).normal(size=9)
        vectors = np.stack([direction, direction * 3, direction * 0.1, -direction, -2 * direction])
        space = topic_space(vectors, np.arange(5), tuple("abcde"), similarity="plain")
        found.append(space.similarity)
    assert np.max(found) == 1 and np.min(found) == -1
    # Opposite topics whose documents differ among themselves: −.587/.174 without the bound.
    opposite = topic_space(in_the_plane(0, 80, 180, 260), np.array([0, 0, 1, 1]), ("a", "b"))
    assert opposite.similarity.tolist() == [[1, -1], [-1, 1]]
