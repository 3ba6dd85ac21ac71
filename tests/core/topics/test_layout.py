"""The topic map: coordinates, and labels that do not overlap."""

import os
import subprocess
import sys

import numpy as np
import pytest

from core.errors import SettingError
from core.topics import Layout, map_labels, map_layout, map_range, topic_space
from core.topics.layout import MOST_DRAWN, MOST_LABELS, NARROW, WIDE, label_box
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

HEIGHT = 540.0


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


def test_under_pca_a_centroid_is_the_mean_of_its_documents():
    codes, layout = laid_out(60, method="pca")
    for topic, place in enumerate(layout.centroids):
        assert place == pytest.approx(layout.documents[codes[layout.rows] == topic].mean(axis=0))


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


def made(count: int, *, seed: int = 0, spread: float = 1.0) -> Layout:
    rng = np.random.default_rng(seed)
    return Layout("pca", np.arange(3), rng.normal(size=(3, 2)), spread * rng.normal(size=(count, 2)))


def boxes(layout: Layout, names, labels, width: float):
    low, high = map_range(layout)
    pixels = (layout.centroids - low) / (high - low) * np.array([width, HEIGHT])
    return [label_box(label, names, pixels) for label in labels]


@pytest.mark.parametrize("count", [2, 24, 47, 300])
@pytest.mark.parametrize("seed", [0, 1])
def test_no_name_touches_another_or_leaves_the_map(count, seed):
    layout = made(count, seed=seed)
    names = [f"topic {number} " * (1 + number % 4) for number in range(count)]
    labels = map_labels(layout, names, np.arange(count, dtype=float), height=HEIGHT)
    assert 1 <= len(labels) <= MOST_LABELS and len({label.topic for label in labels}) == len(labels)
    narrow = [label for label in labels if label.narrow]
    assert narrow == list(labels[: len(narrow)]), "the others are left out by their number"
    for width, shown in ((WIDE, labels), (2 * WIDE, labels), (NARROW, narrow)):
        comparable = boxes(layout, names, shown, width)
        for index, (left, bottom, right, top) in enumerate(comparable):
            assert left >= 0 and bottom >= 0 and right <= width and top <= HEIGHT
            for x0, y0, x1, y1 in comparable[:index]:
                assert not (left < x1 and x0 < right and bottom < y1 and y0 < top)


def test_the_most_important_is_named_and_unknown_ones_come_last():
    layout = Layout(
        "pca", np.arange(1), np.zeros((1, 2)), np.array([[0.0, 0.0], [0.001, 0.0], [0.002, 0.0], [5.0, 5.0]])
    )
    labels = map_labels(layout, ["a" * 20] * 4, np.array([0.1, 0.9, np.nan, 0.2]), height=HEIGHT)
    assert labels[0].topic == 1
    named = [label.topic for label in labels]
    assert 2 not in named or named.index(2) == len(named) - 1


def test_chosen_topics_are_named_before_all():
    layout = made(400)
    labels = map_labels(layout, [f"t{n}" for n in range(400)], np.arange(400.0), height=HEIGHT, always=(3, 7))
    assert {3, 7} <= {label.topic for label in labels}


def test_topics_on_one_point_have_as_many_names_as_fit():
    layout = Layout("pca", np.arange(1), np.zeros((1, 2)), np.zeros((30, 2)))
    labels = map_labels(layout, ["name"] * 30, np.arange(30.0), height=HEIGHT)
    assert 1 <= len(labels) <= 6


def test_umap_tells_its_stages():
    told = []
    points = np.random.default_rng(0).normal(size=(60, 8))
    space = topic_space(points.astype(np.float32), np.arange(60) % 3, ("a", "b", "c"))
    map_layout(points, np.arange(60) % 3, space, progress=lambda done, *rest: told.append((done, rest[1])))
    assert [done for done, _ in told] == sorted(done for done, _ in told) and told[-1][0] == 100
    assert len({label for _, label in told}) == 3
