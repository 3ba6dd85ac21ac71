"""The map and the matrix read back: ids and not texts, as many colours as a legend holds, blocks past a cell a pair."""

import numpy as np
import pytest

from core.demo import bundled_corpus, bundled_layout, bundled_vectors
from core.plots import topic_map as plots
from core.topics import Layout, SharedTerms, cluster_order, map_labels, matrix_blocks, topic_leakage, topic_space
from core.vectors import make_encoder


@pytest.fixture(scope="module")
def courier():
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    space = topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names)
    layout = bundled_layout(corpus, vectors)
    labels = map_labels(layout, space.names, topic_leakage(space.similarity).score, height=plots.MAP_HEIGHT)
    return corpus, space, layout, labels


@pytest.fixture(scope="module")
def many():
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(300), 3)
    return topic_space(rng.normal(1, 0.6, size=(900, 40)), codes, tuple(f"t{number:03}" for number in range(300)))


def test_the_map_carries_ids_not_texts_and_names_every_topic_of_the_bundled_corpus(courier):
    corpus, space, layout, labels = courier
    figure = plots.document_map(
        layout, space, corpus.topic_names, corpus.topic_codes, corpus.ids, labels, topics=corpus.topic_codes
    )
    drawn = [point for trace in figure.data if trace.customdata is not None for point in trace.customdata]
    assert sorted(row for row, _, _ in drawn) == list(range(len(corpus)))
    assert all(topic == corpus.topic_codes[row] for row, _, topic in drawn), "so that the browser can mark one topic"
    assert max(len(label) for _, label, _ in drawn) <= 32
    assert len(figure.to_json()) < 400_000
    marks, names = figure.data[-1], figure.layout.annotations
    assert list(np.argsort(marks.marker.size)) == list(np.argsort(space.reliability))
    assert marks.hovertext[0] == f"{space.names[0]} (centroid)<br>reliability {space.reliability[0]:.2f}"
    assert sorted(note.text for note in names) == [f"<b>{name}</b>" for name in space.names]
    assert all(abs(note.yshift) > 8 for note in names), "beside the dot, not on it"
    assert not figure.layout.showlegend, "every colour is named on the map"
    assert [name for name, _, _ in plots.map_key(figure)] == list(space.names), "and in words where names have no room"
    assert len({(colour, symbol) for _, colour, symbol in plots.map_key(figure)}) == 24


def test_what_has_no_colour_is_grey_and_a_legend_names_the_rest(courier):
    corpus, space, layout, labels = courier
    some = np.where(corpus.author_codes < 3, corpus.author_codes, -1)
    figure = plots.document_map(layout, space, corpus.author_names, some, corpus.ids, labels, topics=corpus.topic_codes)
    grey, *coloured, hovered, _ = figure.data
    assert hovered.meta == plots.HOVERED and len(hovered.x) == 0 and hovered.hoverinfo == "skip"
    assert grey.name == "others" and len(grey.x) == int((some < 0).sum())
    assert [trace.name for trace in coloured] == list(corpus.author_names[:3])
    assert len({(trace.marker.color, trace.marker.symbol) for trace in coloured}) == 3
    assert figure.layout.showlegend and figure.layout.legend.orientation == "h"


def test_a_topic_without_a_name_on_the_map_is_in_the_legend(courier):
    corpus, space, layout, labels = courier
    figure = plots.document_map(
        layout, space, corpus.topic_names, corpus.topic_codes, corpus.ids, labels[:5], topics=corpus.topic_codes
    )
    assert figure.layout.showlegend and len(figure.layout.annotations) == 5 and plots.map_key(figure) == []


def test_clusters_are_named_on_the_map_by_their_central_topics_in_frames_of_their_colour(courier):
    corpus, space, layout, labels = courier
    halves = (np.arange(24) >= 12).astype(int)[corpus.topic_codes]
    central = {3: (0, "first half +11"), 20: (1, "second half +11")}
    figure = plots.document_map(
        layout, space, ("one", "two"), halves, corpus.ids, labels, topics=corpus.topic_codes, central=central
    )
    assert not figure.layout.showlegend, "the names on the map serve"
    colours = {trace.name: trace.marker.color for trace in figure.data if trace.customdata is not None}
    framed = {note.text: note.bordercolor for note in figure.layout.annotations if note.bordercolor}
    assert framed == {"<b>first half +11</b>": colours["one"], "<b>second half +11</b>": colours["two"]}
    assert sum(note.text.startswith("<b>") for note in figure.layout.annotations) == 2, "other names are thinner"
    unnamed = [label for label in labels if label.topic != 20]
    figure = plots.document_map(
        layout, space, ("one", "two"), halves, corpus.ids, unnamed, topics=corpus.topic_codes, central=central
    )
    assert figure.layout.showlegend, "a cluster whose name has no room is in the legend"


def test_the_words_of_a_pair_are_as_high_as_the_matrix_beside_them(courier):
    _, space, *_ = courier
    matrix = plots.similarity_matrix(space, np.arange(24), (0, 1))
    few = SharedTerms(("a", "b"), np.array([1.0, 0.5]), np.array([0.5, 0.5]))
    words = plots.shared_terms(few, "one", "two", height=plots.PAIR_HEIGHT)
    assert words.layout.height == matrix.layout.height
    assert tuple(words.layout.yaxis.range) == (plots.MOST_WORDS - 0.5, -0.5), "two words stand at the top"
    assert tuple(plots.shared_terms(few, "one", "two").layout.yaxis.range) == (1.5, -0.5)


def test_everything_drawn_lies_inside_the_map(courier):
    corpus, space, layout, labels = courier
    figure = plots.document_map(
        layout, space, corpus.topic_names, corpus.topic_codes, corpus.ids, labels, topics=corpus.topic_codes
    )
    for axis, column in ((figure.layout.xaxis, 0), (figure.layout.yaxis, 1)):
        points = np.concatenate([layout.documents[:, column], layout.centroids[:, column]])
        assert axis.range[0] < points.min() and points.max() < axis.range[1]


def test_hostile_names_are_plain_text():
    layout = Layout("pca", np.arange(2), np.eye(2), np.eye(2))
    space = topic_space(np.eye(4)[[0, 0, 1, 1]] + 0.1, np.array([0, 0, 1, 1]), ("<b>a</b>", "<img src=x>"))
    labels = map_labels(layout, space.names, np.ones(2), height=plots.MAP_HEIGHT)
    codes, central = np.array([0, 1]), {0: (0, "<img src=y> +1")}
    figure = plots.document_map(layout, space, space.names, codes, ("<i>", "y"), labels, topics=codes, central=central)
    assert "<img" not in figure.to_json() and "<i>" not in figure.to_json()


def test_blocks_carry_their_closest_pair_and_frame_the_chosen(many):
    order = cluster_order(many.similarity)
    blocks = matrix_blocks(many.similarity, order)
    figure = plots.block_matrix(many, blocks, (5, 250))
    cells, clicks = figure.data
    assert np.array(cells.z).shape == (60, 60)
    for x, y, (first, second) in zip(clicks.x, clicks.y, clicks.customdata, strict=True):
        assert many.similarity[first, second] == blocks.highest[y, x]
    frame = figure.layout.shapes[0]
    row, column = int(frame.y0 + 0.5), int(frame.x0 + 0.5)
    assert 5 in order[blocks.edges[row] : blocks.edges[row + 1]]
    assert 250 in order[blocks.edges[column] : blocks.edges[column + 1]]
    assert len(figure.to_json()) < 1_500_000


def test_more_stands_out_more_by_the_themes_own_colours(many):
    figure = plots.block_matrix(many, matrix_blocks(many.similarity, np.arange(300)), (0, 1))
    assert figure.data[0].colorscale is None and figure.data[0].zmin <= np.nanmin(np.array(figure.data[0].z))
