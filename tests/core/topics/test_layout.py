"""The map: shapes, seeds, sampling in proportion, and tiny corpora."""

import os
import subprocess
import sys

import numpy as np
import pytest

from core.errors import SettingError
from core.topics import map_layout, topic_space
from core.topics.layout import MOST_DRAWN
from tests.conftest import ROOT

TWO_MAPS_AT_ONCE = """
import sys, threading, types
import numba, numpy

@numba.njit(parallel=True)
def summed(points, times):
    total = numpy.zeros(len(points))
    for row in numba.prange(len(points)):
        for time in range(times):
            total[row] += points[row, time % points.shape[1]]
    return total

class Parallel:
    # UMAP's part in this: parallel code that runs for a while. UMAP itself would compile for most of a minute.
    def __init__(self, **settings):
        pass

    def fit_transform(self, points):
        return numpy.stack([summed(points, 1_000_000), points[:, 0]], axis=1)

sys.modules["umap"] = types.SimpleNamespace(UMAP=Parallel)
from core.topics import map_layout, topic_space, warm_layout

warm_layout()
rng = numpy.random.default_rng(0)
vectors, codes = rng.normal(size=(300, 16)).astype("float32"), numpy.arange(300) % 3
space = topic_space(vectors, codes, ("a", "b", "c"))
found, start = [], threading.Barrier(2)

def draw():
    start.wait()
    found.append(map_layout(vectors, codes, space).documents)

threads = [threading.Thread(target=draw) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(found), numpy.array_equal(*found))
"""


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


def test_two_threads_may_draw_at_once_where_numba_has_no_safe_threads_of_its_own():
    """numba's workqueue, which is what is left without libgomp, ends the process when two threads run parallel code."""
    alone = os.environ | {"NUMBA_THREADING_LAYER": "workqueue", "NUMBA_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", TWO_MAPS_AT_ONCE], cwd=ROOT, env=alone, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["2", "True"], done.stderr[-2_000:]
