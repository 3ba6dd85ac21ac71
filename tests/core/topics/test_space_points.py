"""Topics as points without the matrix of all pairs: the same similarities, the same refusals, for any number of topics."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import SettingError
from core.topics import MOST_IN_MATRIX, pair_histogram, pair_similarities, space, topic_points, topic_space
from tests.core.topics.similarities import in_the_plane, random_space, similarities

BOTH = pytest.mark.parametrize("kind", ["plain", "corrected"])


@BOTH
@given(seed=st.integers(0, 1_000))
@settings(deadline=None, max_examples=20)
def test_the_product_of_two_points_is_the_similarity_of_their_topics(kind, seed):
    whole, vectors, codes = random_space(seed, similarity=kind)
    found = topic_points(vectors, codes, whole.names, similarity=kind)
    products = np.clip(found.points @ found.points.T, -1, 1)
    np.testing.assert_allclose(pair_similarities(products), pair_similarities(whole.similarity), atol=1e-12)
    assert (found.names, found.kind, len(found)) == (whole.names, kind, len(whole))
    for one, two in ((found.sizes, whole.sizes), (found.counted, whole.counted), (found.placed, whole.placed)):
        assert one.tolist() == two.tolist()


def test_points_that_cannot_be_placed_have_the_reasons_of_their_topics():
    vectors = np.vstack([in_the_plane(0, 10, 90, 170, 180, 0, 180), [[0.0, 0.0]]])
    codes, names = np.array([0, 0, 1, 2, 2, 3, 3, 4]), ("good", "lonely", "also good", "torn", "wordless")
    found = topic_points(vectors, codes, names)
    assert found.kind == "corrected" and found.placed.tolist() == [True, False, True, False, False]
    assert found.unplaced == topic_space(vectors, codes, names).unplaced
    assert len({each.reason for each in found.unplaced}) == 3


@BOTH
def test_documents_are_summed_block_by_block_wherever_their_topics_stand(kind, monkeypatch):
    whole, vectors, codes = random_space(5, similarity=kind)
    monkeypatch.setattr("core.arrays.BLOCK", 3 * vectors.shape[1])  # three documents at a time
    again = topic_space(vectors, codes, whole.names, similarity=kind)
    np.testing.assert_allclose(again.similarity, whole.similarity, atol=1e-12)
    np.testing.assert_allclose(again.centroids, whole.centroids, atol=1e-12)
    assert again.counted.tolist() == whole.counted.tolist() == whole.sizes.tolist()


@pytest.mark.parametrize("topics", [8_000, 8_001])
def test_a_matrix_of_all_pairs_is_made_of_8000_topics_at_most(topics, monkeypatch):
    monkeypatch.setattr(space, "similarity_of_points", lambda points: np.zeros((1, 1)))  # it would be half a gigabyte
    names = tuple(map(str, range(topics)))
    vectors, codes = np.ones((topics, 1)), np.arange(topics)
    assert MOST_IN_MATRIX == 8_000
    if topics > MOST_IN_MATRIX:
        with pytest.raises(
            SettingError, match="8,001 topics; the similarities of all pairs are computed for at most 8,000"
        ):
            topic_space(vectors, codes, names)
    else:
        assert len(topic_space(vectors, codes, names)) == topics
    points = topic_points(vectors, codes, names)
    assert len(points) == len(points.unplaced) == topics  # a document each


@given(similarities, st.floats(-0.2, 1.0), st.integers(1, 50))
@settings(deadline=None)
def test_no_bin_lies_on_both_sides_of_the_line(similarity, line, bins):
    values = pair_similarities(similarity)
    edges, counts = pair_histogram(similarity, bins=bins, line=line)
    assert counts.sum() == len(values) and (np.diff(edges) > 0).all()
    assert edges[0] <= min(values.min(), 0.0) + 1e-12 and edges[-1] >= 1 - 1e-12
    if edges[0] < line < edges[-1]:
        assert np.abs(edges - line).min() < 1e-9
        past = counts[edges[:-1] >= line - 1e-9].sum()
        assert abs(past - (values >= line).sum()) <= (np.abs(values - line) < 1e-9).sum()
    width = (1 - min(values.min(), 0.0)) / bins
    assert np.median(np.diff(edges)) == pytest.approx(width)


def test_bins_of_a_line_by_hand():
    three = np.array([[1, 0.2, 0.6], [0.2, 1, 0.7], [0.6, 0.7, 1]])
    edges, counts = pair_histogram(three, bins=5, line=0.7)  # a fifth wide, from the line both ways and past both ends
    np.testing.assert_allclose(edges, [-0.1, 0.1, 0.3, 0.5, 0.7, 0.9, 1.1])
    assert counts.tolist() == [0, 1, 0, 1, 1, 0]
    edges, counts = pair_histogram(three, bins=5)
    np.testing.assert_allclose(edges, [0, 0.2, 0.4, 0.6, 0.8, 1])
    edges, _ = pair_histogram(three, bins=5, line=0.4)
    np.testing.assert_allclose(edges, [0, 0.2, 0.4, 0.6, 0.8, 1])


def test_no_pair_falls_off_an_end_by_rounding():
    rng = np.random.default_rng(0)
    for lowest, line in zip(rng.uniform(-1, 0, 300), rng.uniform(0, 1, 300), strict=True):
        similarity = np.array([[1, lowest, 1], [lowest, 1, lowest], [1, lowest, 1]])
        for edges, counts in (pair_histogram(similarity), pair_histogram(similarity, line=line)):
            assert counts.sum() == 3 and edges[0] <= lowest and edges[-1] >= 1
