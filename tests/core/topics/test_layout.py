"""The map: shapes, seeds, sampling in proportion, and tiny corpora."""

import numpy as np
import pytest

from core.errors import SettingError
from core.topics import map_layout, topic_space
from core.topics.layout import MOST_DRAWN


def laid_out(documents: int, topics: int = 3, **choices):
    rng = np.random.default_rng(0)
    codes = np.sort(np.concatenate([np.arange(topics), rng.integers(0, topics, documents - topics)]))
    vectors = rng.normal(size=(documents, 6)).astype(np.float32)
    space = topic_space(vectors, codes, tuple(f"t{i}" for i in range(topics)))
    return codes, map_layout(vectors, codes, space, **choices)


@pytest.mark.parametrize("method", ["umap", "pca"])
def test_every_document_and_centroid_has_a_place_and_the_seed_fixes_it(method):
    _, layout = laid_out(60, method=method)
    assert layout.method == method
    assert layout.documents.shape == (60, 2)
    assert layout.centroids.shape == (3, 2)
    assert np.isfinite(layout.documents).all()
    assert (laid_out(60, method=method)[1].documents == layout.documents).all()


def test_a_corpus_too_small_for_umap_is_drawn_all_the_same():
    _, layout = laid_out(4, method="umap")
    assert layout.method == "pca"
    assert layout.documents.shape == (4, 2)


def test_large_corpora_are_drawn_in_proportion():
    codes, layout = laid_out(4 * MOST_DRAWN, method="pca")
    assert abs(len(layout.rows) - MOST_DRAWN) <= 3
    shares = np.bincount(codes[layout.rows]) / len(layout.rows)
    np.testing.assert_allclose(shares, np.bincount(codes) / len(codes), atol=0.002)


def test_unknown_layout_is_named():
    with pytest.raises(SettingError, match="Did you mean 'umap'"):
        laid_out(20, method="umpa")
