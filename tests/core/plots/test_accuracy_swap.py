"""Figures of the twin swapped out: what is drawn is what the records say."""

import numpy as np
import pytest

from core.evaluation import Sources, SwapEffect
from core.plots import accuracy_swap as plots
from core.plots.style import COLOURS
from core.splits import Folds, Swaps
from core.statistics import adjusted_slope

HOSTILE = "<b>bold</b>"
NAMES = (HOSTILE, "tea", "oil")


@pytest.fixture
def swaps() -> Swaps:
    nothing = Folds("swap", NAMES, ())
    twins = tuple(np.array([code]) for code in (1, 0, 0))
    return Swaps(np.arange(3), twins, np.array([0.9, 0.9, 0.4]), np.full((3, 1), 5), nothing, (nothing,), ())


def effect(*by_topic: float) -> SwapEffect:
    values = np.array(by_topic)[:, None]
    return SwapEffect(values, float(np.nanmean(values)), -0.1, 0.3, 0.5)


def test_means_and_intervals_are_those_of_the_record(swaps):
    found = effect(0.2, 0.1, np.nan)
    drawn = plots.mean_effects({HOSTILE: found}, metric="accuracy")
    (mark,) = drawn.data
    assert mark.x[0] == pytest.approx(15.0) and mark.y[0] == "&lt;b&gt;bold&lt;/b&gt;"
    assert mark.x[0] + mark.error_x.array[0] == pytest.approx(30.0)
    assert mark.x[0] - mark.error_x.arrayminus[0] == pytest.approx(-10.0)


def test_every_topic_stands_at_the_similarity_of_its_twin(swaps):
    drawn = plots.effects_by_topic(
        NAMES, swaps, {"A": effect(0.2, -0.4, np.nan)}, metric="accuracy", kind="corrected", focus=1
    )
    (marks,) = drawn.data
    np.testing.assert_allclose(marks.x, swaps.similarity)
    np.testing.assert_allclose(marks.y, [20, -40, np.nan])
    assert [point[0] for point in marks.customdata] == [0, 1, 2]
    assert marks.marker.opacity[1] == 1.0 > marks.marker.opacity[0]
    assert [label.text for label in drawn.layout.annotations] == ["tea", "&lt;b&gt;bold&lt;/b&gt;"]


def test_of_two_names_on_one_another_the_weaker_stands_on_another_side(swaps):
    drawn = plots.effects_by_topic(
        NAMES, swaps, {"A": effect(0.40, 0.41, 0.0), "B": effect(-0.3, 0.1, 0.2)}, metric="accuracy", kind="corrected", focus=None
    )  # fmt: skip
    names = [(label.text, label.yshift) for label in drawn.layout.annotations]
    assert names == [("tea", 13), ("&lt;b&gt;bold&lt;/b&gt;", -13), ("oil", 13)]


def test_no_name_is_printed_over_a_point(swaps):
    drawn = plots.effects_by_topic(
        NAMES, swaps, {"A": effect(0.40, 0.0, 0.0), "B": effect(0.43, 0.0, 0.0), "C": effect(-0.4, 0.0, 0.0)},
        metric="accuracy", kind="corrected", focus=None,
    )  # fmt: skip
    (name,) = drawn.layout.annotations
    assert (name.text, name.y, name.yshift) == ("&lt;b&gt;bold&lt;/b&gt;", 43.0, 13)
    drawn = plots.effects_by_topic(
        NAMES, swaps, {"A": effect(0.40, 0.0, 0.0), "B": effect(0.36, 0.0, 0.0), "C": effect(-0.43, 0.0, 0.0), "D": effect(-0.38, 0, 0)},
        metric="accuracy", kind="corrected", focus=None,
    )  # fmt: skip
    (name,) = drawn.layout.annotations
    assert (name.y, name.yshift) == (-43.0, -13), "above it another point lies"


def test_dose_and_waterfall_hold_every_number():
    drawn = plots.dose({1: {"A": effect(0.1, 0.1)}, 4: {"A": effect(0.3, 0.3)}}, metric="accuracy")
    assert list(drawn.data[0].x) == ["1", "4"]
    np.testing.assert_allclose(drawn.data[0].y, [10, 30])
    sources = Sources(np.array([0.10, 0.20]), np.array([0.08, 0.18]), np.array([0.02, 0.02]))
    drawn = plots.waterfall({"A": sources}, metric="accuracy")
    heights = [bar.y[0] for bar in drawn.data]
    np.testing.assert_allclose(heights, [2, 11, 2, 15])
    np.testing.assert_allclose([bar.base[0] for bar in drawn.data[:3]], [0, 2, 13])
    assert heights[3] == pytest.approx(drawn.data[2].base[0] + heights[2]), "the steps end where all of them do"
    assert np.isnan(drawn.data[0].error_y.array[0]), "two samples are too few for an interval"
    many = Sources(*(np.linspace(0, top, 10) for top in (0.2, 0.1, 0.05)))
    topic = plots.waterfall({"A": many}, metric="accuracy").data[2]
    low, high = many.interval("topic")
    assert (topic.y[0] - topic.error_y.arrayminus[0], topic.y[0] + topic.error_y.array[0]) == pytest.approx(
        (100 * low, 100 * high)
    )
    every = plots.waterfall({"A": many}, metric="accuracy")
    low, high = many.interval("raw")
    assert every.data[3].error_y.array[0] == pytest.approx(100 * high - every.data[3].y[0])
    assert every.data[3].error_y.arrayminus[0] == pytest.approx(every.data[3].y[0] - 100 * low)
    assert every.layout.yaxis.title.text == "points of accuracy lost, random − HITS"


def test_steps_have_colours_of_their_own():
    many = Sources(*(np.linspace(0, top, 10) for top in (0.2, 0.1, 0.05)))
    steps = [bar.marker.color for bar in plots.waterfall({"A": many}, metric="accuracy").data]
    assert len(set(steps)) == 4 and not {colour.upper() for colour in COLOURS} & {each.upper() for each in steps}


def test_the_line_drawn_is_the_regression_quoted():
    rng = np.random.default_rng(0)
    topics = rng.integers(0, 8, 400)
    similarity = np.linspace(0.2, 0.9, 8)
    right = (rng.random(400) < similarity[topics]).astype(float)
    found = adjusted_slope(right, rng.integers(0, 4, 400), np.ones(400), topics, similarity)
    points, drawn_line = plots.all_together({"A": found}, kind="corrected").data
    np.testing.assert_allclose(points.y, 100 * found.residual)
    rise = (drawn_line.y[1] - drawn_line.y[0]) / (drawn_line.x[1] - drawn_line.x[0])
    assert rise == pytest.approx(100 * found.slope)
