"""Centroids and similarities: laws, and scikit-learn as an oracle."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.preprocessing import normalize

from core.corpora import make_corpus
from core.errors import SettingError
from core.topics import check_documents, merged_space, topic_space
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


def test_topics_that_all_go_leave_nothing():
    space, _, _ = random_space(0, topics=3)
    with pytest.raises(SettingError, match="No topic is left"):
        merged_space(space, np.full(3, -1))


def test_a_topic_without_documents_is_like_no_other():
    space = topic_space(np.ones((2, 2), dtype=np.float32), np.array([0, 2]), ("a", "b", "c"), similarity="plain")
    assert space.sizes.tolist() == [1, 0, 1]
    assert space.similarity[1].tolist() == [0, 1, 0]


def test_unknown_similarities_are_refused():
    with pytest.raises(SettingError, match="Did you mean 'corrected'"):
        topic_space(np.ones((2, 2)), np.array([0, 1]), ("a", "b"), similarity="correct")


def test_similarities_and_vectors_of_other_documents_are_refused():
    vectors = np.eye(4)[[0, 1, 2, 3]]
    corpus, other = (make_corpus([f"text {row}" for row in range(4)], topics) for topics in ("aabb", "aacc"))
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    check_documents(corpus, space)
    check_documents(corpus, space, vectors)
    with pytest.raises(SettingError, match=r"^The similarities are of other documents"):
        check_documents(other, space)
    for wrong in ((other, space, vectors), (corpus, space, vectors[:3])):
        with pytest.raises(SettingError, match=r"^Vectors and similarities are of other documents"):
            check_documents(*wrong)
