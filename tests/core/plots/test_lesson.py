"""The lesson's figures read back: they show what the records say, and move with what is chosen."""

import numpy as np
import pytest

from core.demo import DIAL_GRID, bundled_evidence, bundled_layout, bundled_lesson, bundled_vectors
from core.lesson import (
    TWINS,
    chances_of_wins,
    hits_change,
    leaking_counts,
    nearest_in_training,
    random_split,
    read_dial_grid,
    sign_p,
)
from core.plots import lesson as plots
from core.topics import pair_histogram, random_band
from core.vectors import make_encoder


@pytest.fixture(scope="module")
def lesson():
    return bundled_lesson()


def texts(figure) -> str:
    return " ".join(note.text for note in figure.layout.annotations)


def test_the_map_joins_a_topic_to_its_nearest(lesson):
    drawn = bundled_layout(lesson.corpus, bundled_vectors(lesson.corpus, make_encoder("sbert")))
    figure = plots.topic_on_map(lesson, drawn, "cooking")
    assert len(figure.data[0].x) + len(figure.data[1].x) == len(lesson.corpus)
    assert len(figure.data[1].x) == lesson.corpus.topic_sizes[lesson.code("cooking")]
    for name in lesson.by_similarity("cooking")[:3]:
        assert f"{name} {lesson.similarity_of('cooking', name):.2f}" in texts(figure)
    assert "chess" not in texts(figure)


def test_all_pairs_are_counted_and_one_stands_out(lesson):
    edges, counts = pair_histogram(lesson.space.similarity, threshold=lesson.verdict.threshold)
    figure = plots.pair_among_all(lesson, edges, counts, *TWINS)
    assert sum(sum(bars.y) for bars in figure.data) == 24 * 23 / 2
    assert sum(figure.data[1].y) == lesson.verdict.twin_pairs
    assert figure.layout.annotations[0].x == pytest.approx(lesson.similarity_of(*TWINS))


def test_a_split_shows_every_topic_once_and_fills_those_that_leak(lesson):
    drawn = random_split(lesson, k=6, seed=3)
    figure = plots.split_of_topics(lesson, drawn, TWINS)
    leaking, clean = figure.data
    assert len(leaking.x) == drawn.leaking.sum() and len(clean.x) == (~drawn.leaking).sum()
    places = [*zip(leaking.x, leaking.y, strict=True), *zip(clean.x, clean.y, strict=True)]
    assert len(set(places)) == 24, "no tile covers another"
    assert all("trained on" in text for text in leaking.text) and not any("trained on" in text for text in clean.text)
    assert all(f"<b>{name}</b>" in texts(figure) for name in TWINS)


def test_splits_are_counted_and_the_prediction_is_drawn(lesson):
    counts = leaking_counts(lesson, k=6, seeds=range(50))
    figure = plots.leaks_of_splits(counts, topics=24, expected=14.75, guess=9)
    assert sum(figure.data[0].y) == 50 and figure.data[0].y[int(counts[0])] >= 1
    assert "you: 9" in texts(figure) and "expected 14.8" in texts(figure)
    assert "you" not in texts(plots.leaks_of_splits(counts, topics=24, expected=14.75, guess=None))


def test_the_kept_are_marked_at_m_and_stand_out_above_the_threshold(lesson):
    band = random_band(lesson.space.similarity, lesson.path, samples=20)
    clean, leaking = (
        plots.closest_kept(lesson, band, m).data[-1] for m in (lesson.verdict.keep, lesson.verdict.keep + 1)
    )
    assert clean.x[0] == lesson.verdict.keep and clean.y[0] == pytest.approx(lesson.path.max[lesson.verdict.keep - 1])
    assert clean.marker.color != leaking.marker.color and leaking.y[0] >= lesson.verdict.threshold


def test_every_topic_is_a_dot_at_its_nearest(lesson):
    found, similarity = bundled_evidence().held_out["topic_fit"], nearest_in_training(lesson)
    dots = plots.right_by_similarity(lesson, found, similarity, label="<b>x</b>", colour=0).data[0]
    assert np.allclose(dots.x, similarity) and np.allclose(dots.y, found.right / found.asked)
    assert dots.name == "&lt;b&gt;x&lt;/b&gt;"


def test_the_dials_change_is_drawn_in_points(lesson):
    grid = read_dial_grid(DIAL_GRID)
    rows = [hits_change(grid, loyal=float(loyal)) for loyal in grid.loyal]
    line = plots.change_under_hits({"TopicFit": rows}, chosen=rows[-1].loyal).data[0]
    assert list(line.y) == pytest.approx([100 * row.change for row in rows])
    assert line.marker.size[-1] > line.marker.size[0], "the chosen one stands out"


@pytest.mark.parametrize(("topics", "wins"), [(12, 9), (12, 6), (24, 18), (5, 5)])
def test_the_bars_that_stand_out_sum_to_p(topics, wins):
    usual, far = plots.chances_of_wins(chances_of_wins(topics), wins=wins).data
    assert sum(far.y) == pytest.approx(sign_p(wins, topics))
    assert sum(usual.y) + sum(far.y) == pytest.approx(1.0)
