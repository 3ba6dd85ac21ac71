"""Figures read back: what is drawn is what the records say, and users' labels stay plain text."""

import numpy as np
import pytest

from core.corpora import audit
from core.demo import bundled_corpus, bundled_layout, bundled_vectors
from core.plots import corpus as corpus_plots
from core.plots import hits as hits_plots
from core.plots import overview as overview_plots
from core.plots import topic_map as map_plots
from core.plots.style import COLOURS, SYMBOLS, colour_and_symbol, plain
from core.topics import (
    Layout,
    SharedTerms,
    closest_pairs,
    cluster_order,
    hits_path,
    judge,
    make_sample,
    pair_histogram,
    random_band,
    topic_space,
)
from core.vectors import make_encoder

HOSTILE = "<b>bold</b> & <img src=x>"


@pytest.fixture(scope="module")
def courier():
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    space = topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names)
    return corpus, vectors, space, hits_path(space.similarity)


def test_labels_are_escaped_and_cut():
    assert plain(HOSTILE) == "&lt;b&gt;bold&lt;/b&gt; &amp; &lt;img src=x&gt;"
    assert len(plain("x" * 500)) == 32
    assert plain("two\nlines") == "two lines"


def test_sixty_four_groups_are_told_apart():
    assert len({colour_and_symbol(index) for index in range(64)}) == 64
    assert len(set(COLOURS)) == len(set(SYMBOLS)) == 8


def test_curve_shows_path_band_and_the_point_at_m(courier):
    _, _, space, path = courier
    band = random_band(space.similarity, samples=10)
    figure = hits_plots.similarity_against_m(path, band, 9)
    hits = [trace for trace in figure.data if trace.name == "HITS"]
    np.testing.assert_allclose(hits[0].y, path.mean[1:])
    np.testing.assert_allclose(hits[1].y, path.max[1:])
    points = [trace for trace in figure.data if trace.mode == "markers+text"]
    assert [(trace.x[0], trace.y[0]) for trace in points] == [(9, path.mean[8]), (9, path.max[8])]
    assert figure.layout.yaxis.title.text == "similarity"


def test_path_bars_follow_the_path_and_mark_the_kept(courier):
    _, _, space, path = courier
    figure = hits_plots.path_steps(space.names, path, 7)
    bars = figure.data[0]
    np.testing.assert_allclose(bars.x[1:], path.leakage[1:])
    assert bars.customdata[0] == f"1. {space.names[path.order[0]]}"
    assert len(set(bars.marker.color[:7])) == 1
    assert bars.marker.color[6] != bars.marker.color[7]
    assert len(hits_plots.path_steps(space.names, path, len(space)).layout.shapes) == 0


def test_a_long_path_is_a_line():
    similarity = np.full((200, 200), 0.5)
    np.fill_diagonal(similarity, 1.0)
    figure = hits_plots.path_steps([HOSTILE] * 200, hits_path(similarity), 50)
    assert figure.data[0].type == "scattergl"
    assert "<" not in figure.data[0].customdata[0]


def test_kept_map_draws_every_topic_once_and_ties_the_merged(courier):
    _, _, space, path = courier
    positions = Layout("pca", np.arange(0), np.empty((0, 2)), np.random.default_rng(0).normal(size=(len(space), 2)))
    for policy, expected in (("cutting", (19, 0, 5)), ("grouping", (0, 19, 5))):
        sample = make_sample(space.similarity, path.order[:5], policy=policy)
        figure = hits_plots.kept_map(space.names, positions, space.sizes, sample)
        assert tuple(len(trace.x) for trace in figure.data[1:]) == expected
        assert len(figure.data[0].x) == 3 * expected[1]


def test_worst_pairs_and_histogram_hold_all_pairs(courier):
    _, _, space, path = courier
    verdict = judge(space.similarity, path, k=5)
    pairs = closest_pairs(space.similarity, most=8)
    figure = overview_plots.worst_pairs(space.names, pairs, verdict)
    assert list(figure.data[0].x) == [value for _, _, value in pairs]
    figure = overview_plots.similarity_histogram(*pair_histogram(space.similarity), verdict)
    assert sum(int(sum(trace.y)) for trace in figure.data) == 24 * 23 // 2


def test_document_map_carries_ids_not_texts(courier):
    corpus, vectors, space, _ = courier
    figure = map_plots.document_map(
        bundled_layout(corpus, vectors), space, corpus.topic_names, corpus.topic_codes, corpus.ids
    )
    drawn = [point for trace in figure.data[:-1] for point in trace.customdata]
    assert sorted(row for row, _ in drawn) == list(range(len(corpus)))
    assert max(len(label) for _, label in drawn) <= 32
    assert len(figure.to_json()) < 400_000


def test_matrix_cells_carry_their_topics(courier):
    _, _, space, _ = courier
    order = cluster_order(space.similarity)
    figure = map_plots.similarity_matrix(space, order, (0, 1))
    cells, clicks = figure.data
    for x, y, (first, second) in zip(clicks.x, clicks.y, clicks.customdata, strict=True):
        assert space.similarity[first, second] == cells.z[y][x]
    assert len(figure.layout.shapes) == 2


def test_shared_terms_point_both_ways():
    shared = SharedTerms(("oven", "flour"), np.array([0.2, 0.1]), np.array([0.3, 0.05]))
    figure = map_plots.shared_terms(shared, HOSTILE, "bread")
    assert list(figure.data[0].x) == [-0.2, -0.1]
    assert list(figure.data[1].x) == [0.3, 0.05]
    assert "<img" not in figure.data[0].name


def test_corpus_figures_count_every_document(courier):
    corpus, _, _, _ = courier
    found = audit(corpus)
    assert sum(corpus_plots.lengths(found).data[0].y) == len(corpus)
    assert np.nansum(np.array(corpus_plots.author_topic(found).data[0].z, dtype=float)) == len(corpus)
