"""HITS on paper: the figures read back, m marked, names as text."""

import numpy as np
import pytest

from core.plots.hits import MOST_STEPS, closest_pair_curve, path_steps
from core.topics import hits_path, random_band


@pytest.fixture
def similarity():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(50, 6))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return points @ points.T


def test_the_curve_is_the_path_over_what_chance_gives(similarity):
    path = hits_path(similarity)
    band = random_band(similarity, path, samples=40)
    figure = closest_pair_curve(path, band, m=7, twin_threshold=0.6, kind="corrected")
    shade, middle, hits = figure.data
    np.testing.assert_array_equal(hits.x, np.arange(2, 51))
    np.testing.assert_array_equal(hits.y, path.max[1:])
    np.testing.assert_array_equal(middle.y, band.max[1, 1:])
    assert len(shade.x) == 2 * len(hits.x)
    m, line = figure.layout.shapes
    assert (m.x0, m.x1, line.y0, line.y1) == (7, 7, 0.6, 0.6)
    assert [note.text for note in figure.layout.annotations] == ["m = 7", "near twins"]


def test_the_path_names_topics_in_its_order_and_colours_those_that_are_kept(similarity):
    path = hits_path(similarity)
    names = [f"<b>{number}" for number in range(50)]
    shares = np.linspace(0, 1, 50)
    figure = path_steps(names, path, shares, m=3)
    (bars,) = figure.data
    np.testing.assert_array_equal(bars.x, shares[path.order[:MOST_STEPS]])
    assert len(set(bars.marker.color[:3])) == 1 and bars.marker.color[3] != bars.marker.color[2]
    assert figure.layout.yaxis.ticktext[0] == f"1. &lt;b&gt;{path.order[0]}"
