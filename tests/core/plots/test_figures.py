"""Figures read back: what is drawn is what the records say, and users' labels stay plain text."""

import ast
import tomllib

import numpy as np
import plotly.graph_objects as go
import pytest

from core.corpora import audit
from core.demo import bundled_corpus, bundled_vectors
from core.models.attribution import CLASSIFIERS
from core.models.verification import VERIFIERS
from core.plots import corpus as corpus_plots
from core.plots import overview as overview_plots
from core.plots import topic_map as map_plots
from core.plots.style import (
    COLOURS,
    GROUND,
    INK,
    ORANGE,
    RED,
    SYMBOLS,
    by_model,
    cell_numbers,
    colour_and_symbol,
    free_places,
    model_mark,
    plain,
    plain_pair,
    shades,
    ticks_up_to,
    whiskers,
)
from core.topics import (
    LabelCheck,
    SharedTerms,
    bootstrap_topics,
    closest_pairs,
    cluster_order,
    hits_path,
    judge,
    pair_histogram,
    topic_space,
)
from core.vectors import make_encoder
from tests.conftest import ROOT

HOSTILE = "<b>bold</b> & <img src=x>"


@pytest.fixture(scope="module")
def courier():
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    space = topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names)
    return corpus, vectors, space, hits_path(space.similarity)


@pytest.fixture(scope="module")
def bootstrap(courier):
    corpus, vectors, space, _ = courier
    return bootstrap_topics(vectors.matrix, corpus.topic_codes, len(space), kind=space.kind, samples=20)


@pytest.fixture
def with_incomparable():
    """Four topics of three documents, and one of a single document."""
    rng = np.random.default_rng(0)
    codes = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4])
    return topic_space(rng.normal(1, 0.5, size=(13, 6)) + np.eye(6)[codes], codes, ("a", "b", "c", "d", "lonely"))


def test_labels_are_escaped_and_cut():
    assert plain(HOSTILE) == "&lt;b&gt;bold&lt;/b&gt; &amp; &lt;img src=x&gt;"
    assert len(plain("x" * 500)) == 32
    assert plain("two\nlines") == "two lines"


def test_sixty_four_groups_are_told_apart():
    assert len({colour_and_symbol(index) for index in range(64)}) == 64
    assert len(set(COLOURS)) == len(set(SYMBOLS)) == 8


def test_worst_pairs_and_histogram_hold_all_pairs(courier, bootstrap):
    _, _, space, path = courier
    verdict = judge(space, path, k=5)
    pairs = closest_pairs(space.similarity, most=8)
    clear = np.zeros((24, 24), dtype=np.bool_)
    clear[pairs[0][:2]] = True
    figure = overview_plots.worst_pairs(space.names, pairs, verdict, clear=clear, bootstrap=bootstrap)
    bars, arms = figure.data
    assert list(bars.marker.color) == [RED] + [ORANGE] * 7, "above the threshold, and only the first clearly"
    assert list(bars.x) == [value for _, _, value in pairs]
    for index, (first, second, _) in enumerate(pairs):
        assert (arms.x[3 * index], arms.x[3 * index + 1]) == (
            bootstrap.low[first, second],
            bootstrap.high[first, second],
        )
        assert arms.y[3 * index] == index
    unclear = overview_plots.worst_pairs(space.names, pairs, verdict, clear=clear)
    assert np.isnan(np.array(unclear.data[1].x)).all() and "95%" not in unclear.data[0].customdata[0]
    figure = overview_plots.similarity_histogram(
        *pair_histogram(space.similarity, threshold=verdict.threshold), verdict, kind=space.kind
    )
    below, past = figure.data
    assert sum(below.y) + sum(past.y) == 24 * 23 // 2
    assert sum(past.y) == verdict.twin_pairs, "as many pairs are drawn above the threshold as the card counts"
    assert max(below.x) + below.width / 2 <= verdict.threshold + 1e-9
    typical, twin = figure.layout.annotations
    assert typical.font.color is twin.font.color is None, (
        "words are in the page's ink: coloured ones are too pale to read"
    )
    assert {shape.x0 for shape in figure.layout.shapes} == {verdict.typical, verdict.threshold}
    assert figure.layout.xaxis.title.text == "corrected similarity of two topics"


def test_where_labels_mean_nothing_no_pair_is_drawn_as_a_near_twin(courier):
    _, _, space, path = courier
    labels = LabelCheck(0.3, np.linspace(0.2, 0.4, 9))
    verdict = judge(space, path, k=5, labels=labels)
    figure = overview_plots.similarity_histogram(*pair_histogram(space.similarity), verdict, kind=space.kind)
    assert [trace.name for trace in figure.data] == ["pairs of topics"]
    assert sum(figure.data[0].y) == 24 * 23 // 2
    band, typical = figure.layout.shapes
    assert (band.x0, band.x1) == (0.2, 0.4) and typical.x0 == verdict.typical
    assert not [note for note in figure.layout.annotations if "twin" in note.text]


def test_matrix_cells_carry_their_topics(courier):
    _, _, space, _ = courier
    order = cluster_order(space.similarity)
    figure = map_plots.similarity_matrix(space, order, (0, 1))
    cells, clicks = figure.data
    for x, y, (first, second) in zip(clicks.x, clicks.y, clicks.customdata, strict=True):
        assert space.similarity[first, second] == cells.z[y][x]
    assert len(figure.layout.shapes) == 2


def test_the_matrix_tells_intervals_where_known_and_leaves_unknown_pairs_blank(courier, bootstrap, with_incomparable):
    _, _, space, _ = courier
    order = cluster_order(space.similarity)
    clicks = map_plots.similarity_matrix(space, order, (0, 1), bootstrap=bootstrap).data[1]
    for text, (first, second) in zip(clicks.text, clicks.customdata, strict=True):
        interval = f"95%: {bootstrap.low[first, second]:.2f} to {bootstrap.high[first, second]:.2f}"
        assert (interval in text) == (first != second) and "<br>reliability 0.9" in text
    figure = map_plots.similarity_matrix(with_incomparable, np.arange(5), (0, 1))
    assert np.isnan(np.array(figure.data[0].z, dtype=float)[4]).all()
    assert sum("similarity unknown<br>reliability" in text for text in figure.data[1].text) == 9
    assert np.isfinite(figure.data[0].zmin)
    comparable = map_plots.similarity_matrix(with_incomparable, np.arange(4), (0, 4))
    assert np.array(comparable.data[0].z).shape == (4, 4) and not comparable.layout.shapes, (
        "no frame for a topic that is not drawn"
    )


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
    cells, numbers = corpus_plots.author_topic(found).data
    assert np.sum(cells.customdata) == sum(int(text or 0) for text in numbers.text) == len(corpus)
    assert np.isfinite(np.array(cells.z, dtype=float)).sum() == sum(text != "" for text in numbers.text)


def test_numbers_on_cells_can_be_read_on_a_light_and_on_a_dark_page():
    themes = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
    share = np.linspace(0, 1, 201)
    colours = np.array(cell_numbers(range(201), [0], share[None], [[""] * 201])["textfont"]["color"])
    for name in ("light", "dark"):
        scale = np.array([rgb(colour) for colour in themes[name]["chartSequentialColors"]])
        cells = np.stack(
            [np.interp(shades(share), np.linspace(0, 1, len(scale)), channel) for channel in scale.T], axis=1
        )
        text = {INK: rgb(themes[name]["textColor"]), GROUND: rgb(themes[name]["backgroundColor"])}
        for cell, colour in zip(cells, colours, strict=True):
            light = sorted((luminance(cell), luminance(text[colour])))
            assert (light[1] + 0.05) / (light[0] + 0.05) >= 4.5, (name, cell)


def rgb(colour: str) -> np.ndarray:
    return np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)], dtype=float)


def luminance(colour: np.ndarray) -> float:
    part = colour / 255
    return float(np.where(part <= 0.03928, part / 12.92, ((part + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722])


def test_two_long_labels_that_begin_the_same_show_their_ends():
    first, second = "labor-management disputes: secondary activity", "labor-management disputes: bargaining"
    shown = plain_pair(first, second, 26)
    assert shown == "labor…secondary activity – labor…bargaining"
    assert plain_pair("bread", "cakes", 26) == "bread – cakes"
    assert "<" not in plain_pair("<b>" * 20 + "x", "<b>" * 20 + "y", 26)


@pytest.mark.parametrize("index", [0, 5, 11])
def test_a_model_has_one_colour_in_marks_lines_and_intervals(index):
    reach = whiskers([0.5, 0.6], [0.4, 0.6], [0.9, 0.7])
    mark = by_model(index, HOSTILE, [1, 2], [0.5, 0.6], error_y=reach, size=4)
    colour, symbol = model_mark(index)
    assert {mark["marker"]["color"], mark["line"]["color"], mark["error_y"]["color"]} == {colour}
    assert (mark["marker"]["symbol"], mark["marker"]["size"], mark["name"]) == (symbol, 4, plain(HOSTILE))
    np.testing.assert_allclose(mark["error_y"]["array"], [0.4, 0.1])
    np.testing.assert_allclose(mark["error_y"]["arrayminus"], [0.1, 0.0])
    go.Figure(data=[mark])  # plotly takes it


def test_a_model_of_ours_keeps_its_mark_whichever_others_are_shown():
    assert model_mark(0, "TopicFit") == model_mark(2, "TopicFit") == model_mark(2)
    assert by_model(0, "TopicFit", [1], [1])["marker"]["color"] == model_mark(2)[0]
    for kinds in (VERIFIERS, CLASSIFIERS):
        assert len({model_mark(0, kind.label) for kind in kinds.values()}) == len(kinds)
    assert free_places(["mine", "TopicFit", "yours", "theirs"]) == [0, 2, 1, 3]


def calls(source: str) -> list[ast.Call]:
    return [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]


@pytest.mark.parametrize(
    ("highest", "ticks"),
    [(0.11, [0, 0.02, 0.04, 0.06, 0.08, 0.1]), (0.37, [0, 0.1, 0.2, 0.3]), (1.04, [0, 0.2, 0.4, 0.6, 0.8, 1])],
)
def test_an_axis_of_low_scores_has_ticks_to_read_them_by(highest: float, ticks: list[float]):
    assert ticks_up_to(highest) == ticks
