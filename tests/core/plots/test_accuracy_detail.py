"""The reliability diagram draws the record's bins, their intervals and their counts, and nothing else; of the dials every cell
is the grid's, and the corpus stands where it was placed."""

import numpy as np
import pytest

from core.evaluation import reliability_of
from core.plots import accuracy_detail as plots
from core.plots.accuracy_detail import reliability_diagram
from core.studies import DialPlace, DialRow, read_dial_grid, write_dial_grid

CHOICES = {"task": "attribution", "model": "topic_fit", "metric": "accuracy"}


def test_marks_intervals_and_counts_are_the_records():
    rng = np.random.default_rng(0)
    scores = rng.random(300)
    found = {"<b>A</b>": reliability_of(rng.random(300) < 0.5, scores), "B": reliability_of(scores > 0.5, scores)}
    for label, record in found.items():
        line, shares, counts = reliability_diagram(found, drawn=label).data
        assert list(line.x) == list(line.y) == [0, 1]
        assert list(shares.x) == [each.mean for each in record.bins]
        assert list(shares.y) == [each.share for each in record.bins]
        ends = [(each.share_low, each.share_high) for each in record.bins]
        drawn = zip(
            np.subtract(shares.y, shares.error_y.arrayminus), np.add(shares.y, shares.error_y.array), strict=True
        )
        np.testing.assert_allclose(list(drawn), ends)
        assert sum(counts.y) == record.answered == 300
        assert "<b>" not in shares.name
    assert shares.marker.color != reliability_diagram(found, drawn="<b>A</b>").data[1].marker.color


def test_nothing_answered_is_drawn_empty():
    found = reliability_diagram({"A": reliability_of([1, 0], [0.5, 0.5])}, drawn="A")
    assert len(found.data[1].x) == len(found.data[2].x) == 0


@pytest.fixture
def grid(tmp_path):
    rows = [
        DialRow(shared, loyal, "attribution", "", "topic_fit", "accuracy", "hits", 0.3, 0.01, -shared * loyal, 0.02, 3)
        for shared in (0.0, 0.5)
        for loyal in (0.0, 0.4, 0.8)
    ]
    write_dial_grid(tmp_path / "grid.csv", rows)
    return read_dial_grid(tmp_path / "grid.csv")


def test_cells_are_the_grids_and_the_corpus_stands_among_them(grid):
    place = DialPlace(0.3, (0.2, 0.5), 0.6, (0.5, 0.65), 0.6, 0.6, 20)
    drawn = plots.dial_map(grid, place, **CHOICES, unit="<b>X</b>")
    heat, mark = drawn.data
    numbers = {(each.x, each.y): each for each in drawn.layout.annotations}
    assert [each.text for each in numbers.values()] == [text for row in heat.text for text in row]
    moved = {cell for cell, each in numbers.items() if each.xshift or each.yshift}
    assert moved == {(0.5, 0.8)} or moved == {(0.5, 0.4)}, "that of the cell on which the star stands"
    np.testing.assert_allclose(heat.z, [[0, 0], [0, -20], [0, -40]], atol=1e-9)
    assert (heat.zmin, heat.zmax) == (-40, 40) and heat.text[2][1] == "−40.0"
    assert (mark.x[0], mark.y[0]) == (0.3, 0.6)
    assert mark.x[0] + mark.error_x.array[0] == pytest.approx(0.5)
    assert mark.y[0] - mark.error_y.arrayminus[0] == pytest.approx(0.5)
    assert "&lt;b&gt;X" in heat.hovertemplate and "<b>X" not in heat.hovertemplate


def test_what_cannot_be_placed_is_not_drawn(grid):
    drawn = plots.dial_map(grid, DialPlace(problem="No."), **CHOICES, unit="accuracy")
    assert len(drawn.data) == 1 and not any(each.xshift for each in drawn.layout.annotations)
