"""Folds & accuracy: the line drawn is the statistic quoted, and topics that cannot be compared break nothing."""

from dataclasses import replace

import numpy as np
import pytest

from core.evaluation import ExposedTopic, exposure_matrix, relations, reliability_of
from core.plots import accuracy as plots
from core.plots.accuracy import reliability_diagram
from core.splits import Fold, Folds
from core.topics import topic_space

NAMES = tuple("abcdefgh")


def space_of_eight():
    vectors = np.random.default_rng(0).random((24, 6)).astype(np.float32)
    return topic_space(vectors, np.repeat(np.arange(8), 3), NAMES)


def rows_with(similarities, scores):
    return [
        ExposedTopic(
            0, topic, 10, () if np.isnan(value) else (0,), () if np.isnan(value) else (value,), 0.5, {"m": score}
        )
        for topic, (value, score) in enumerate(zip(similarities, scores, strict=True))
    ]


def drawn_line(rows):
    found = relations(rows)
    figure = plots.accuracy_against_similarity(
        space_of_eight(), rows, found, models={"m": "M"}, metric="accuracy", focus=None
    )
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    return found["m"], lines


@pytest.mark.parametrize("seed", range(12))
def test_the_line_goes_where_rho_goes(seed):
    rng = np.random.default_rng(seed)
    relation, (line,) = drawn_line(rows_with(rng.random(8), rng.random(8)))
    assert (np.diff(line.y) * np.sign(relation.rho) >= -1e-12).all()
    if abs(relation.rho) > 0.2:
        assert (line.y[-1] - line.y[0]) * relation.rho > 0


def test_one_far_topic_does_not_turn_the_line_round():
    similarities = [0.10, 0.11, 0.12, 0.13, 0.14, 0.15, 0.16, 0.95]
    scores = [0.80, 0.81, 0.82, 0.83, 0.84, 0.85, 0.86, 0.10]
    assert np.polyfit(similarities, scores, 1)[0] < 0
    relation, (line,) = drawn_line(rows_with(similarities, scores))
    assert relation.rho > 0 and line.y[-1] > line.y[0]


def test_where_there_is_no_rho_there_is_no_line():
    relation, lines = drawn_line(rows_with([0.1, 0.2, 0.3, 0.4], [0.5] * 4))
    assert np.isnan(relation.rho) and lines == []


def test_a_topic_that_have_too_few_documents_is_in_no_cloud_but_keeps_its_row():
    rows = rows_with([0.4, 0.3, 0.2, 0.1, np.nan], [0.9, 0.7, 0.8, 0.5, 0.6])
    space = space_of_eight()
    shown = {"models": {"m": "M"}, "metric": "accuracy", "focus": None}
    cloud = plots.accuracy_against_similarity(space, rows, relations(rows), **shown).data[0]
    assert len(cloud.x) == 4 and np.isfinite(cloud.x).all()
    drawn = plots.exposed_rows(space, rows, chance=0.5, **shown)
    assert [value for trace in drawn.data if trace.name == "M" for value in trace.x] == [0.9, 0.7, 0.8, 0.5, 0.6]
    assert list(drawn.data[0].y) == [0, 1, 2, 3] and list(drawn.layout.yaxis.ticktext) == list("abcde")


@pytest.mark.parametrize(("kind", "name"), [("corrected", "corrected similarity"), ("plain", "cosine of centroids")])
def test_both_charts_name_the_kind_of_similarity(kind, name):
    vectors = np.random.default_rng(0).random((24, 6)).astype(np.float32)
    space = topic_space(vectors, np.repeat(np.arange(8), 3), NAMES, similarity=kind)
    rows = rows_with(np.linspace(0.2, 0.9, 8), np.linspace(0.1, 0.8, 8))
    against = plots.accuracy_against_similarity(
        space, rows, relations(rows), models={"m": "M"}, metric="accuracy", focus=None
    )
    assert against.layout.xaxis.title.text == f"{name}<br>of the nearest training topic"
    topics = np.arange(8)
    folds = Folds("topic-kfold", NAMES, (Fold(np.arange(24), np.arange(0), topics, topics),))
    drawn = plots.exposed_rows(space, rows, models={"m": "M"}, metric="accuracy", chance=0.5, focus=None)
    assert drawn.layout.xaxis.title.text == f"nearest:<br>{name}"
    matrix = plots.train_test_matrix(space, exposure_matrix(space, folds, rows, topics))
    assert matrix.data[0].colorbar.title.text == name


def test_a_mark_carries_its_interval_its_row_and_its_topic():
    rows = [replace(row, intervals={"m": (0.2, 0.95)}) for row in rows_with([0.4, 0.3], [0.9, 0.7])]
    drawn = plots.exposed_rows(
        space_of_eight(), [rows[0], None, rows[1]], models={"m": "M"}, metric="c@1", chance=np.nan, left_out=6, focus=1
    )
    marks = drawn.data[1]
    assert list(marks.y) == [0, 2] and [list(each) for each in marks.customdata] == [[0], [1]]
    assert marks.error_x.array == pytest.approx((0.05, 0.25)) and marks.error_x.arrayminus == pytest.approx((0.7, 0.5))
    assert drawn.layout.yaxis.ticktext == ("a", "⋯ 6 between", "b")
    (band,) = drawn.layout.shapes  # no baseline, no line
    assert (band.y0, band.y1) == (1.5, 2.5)


def test_models_of_one_row_do_not_hide_each_other():
    rows = [replace(row, values={"m": 0.5, "n": 0.5, "o": 0.5}) for row in rows_with([0.4], [0.5])]
    drawn = plots.exposed_rows(
        space_of_eight(), rows, models={name: name for name in "mno"}, metric="c@1", chance=0.5, focus=None
    )
    places = [trace.y[0] for trace in drawn.data[1:]]
    assert len(set(places)) == 3 and max(map(abs, places)) < 0.5


@pytest.mark.parametrize("models", [1, 3, 6])
def test_no_mark_of_the_first_or_the_last_row_is_cut(models):
    names = "mnopqr"[:models]
    rows = [replace(row, values=dict.fromkeys(names, 0.5)) for row in rows_with(np.full(8, 0.4), np.full(8, 0.5))]
    drawn = plots.exposed_rows(
        space_of_eight(), rows, models={name: name for name in names}, metric="c@1", chance=0.5, focus=None
    )
    last, first = drawn.layout.yaxis.range
    row = (drawn.layout.height - 92) / (last - first)  # pixels, about
    places = [place for trace in drawn.data[1:] for place in trace.y]
    room = 4  # half a mark, in pixels
    assert (min(places) - first) * row >= room and (last - max(places)) * row >= room


def test_topics_that_are_all_equally_near_are_drawn_where_a_similarity_can_lie():
    """As shuffled ones are: plotly's own axis about a single value, 1, would run from 0 to 2."""
    rows = rows_with(np.full(8, 1.0), np.linspace(0.1, 0.8, 8))
    shown = {"models": {"m": "M"}, "metric": "accuracy", "focus": None}
    drawn = plots.accuracy_against_similarity(space_of_eight(), rows, relations(rows), **shown)
    assert drawn.layout.xaxis.range == (0.5, 1.05)
    rows = rows_with(np.linspace(0.2, 0.9, 8), np.linspace(0.1, 0.8, 8))
    assert (
        plots.accuracy_against_similarity(space_of_eight(), rows, relations(rows), **shown).layout.xaxis.range is None
    )


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
