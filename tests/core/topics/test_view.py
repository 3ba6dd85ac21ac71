"""The HITS view as data, and samples as files."""

import base64
import io
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.corpora import make_corpus
from core.corpora.readers import read_corpus
from core.questions.hits import sample_sentence
from core.topics import (
    FORMATS,
    LabelCheck,
    Layout,
    bootstrap_topics,
    hits_path,
    hits_path_to,
    hits_view,
    judge,
    make_sample,
    merged_space,
    optimum_curve,
    pair_summary,
    random_band,
    sample_at_every_m,
    sample_table,
    settings_file,
    topic_points,
    topic_space,
)
from core.topics.view import MOST_CELLS, UNKNOWN, packed, thousandths
from tests.core.topics.test_sampling import made

HOSTILE = "<img src=x onerror=alert(1)>\n" + "x" * 500

TEXTS = ["plain\rtext", 'with "quotes", and commas', "two\nlines", "ünïcödé", "=1+1", ""]
TOPICS = ["a", "b", "c", "a", "b", "c"]
AUTHORS = ["x", "y", "z", "x", "y", "x"]


def unpacked(text: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text[1:]), dtype=f"<i{text[0]}").astype(np.int64)


@pytest.fixture(scope="module")
def seen():
    """Nine topics with all there can be to see."""
    corpus, vectors, space, path = made(2, 9)
    layout = Layout("pca", np.arange(0), np.empty((0, 2)), np.random.default_rng(0).normal(size=(9, 2)))
    view = hits_view(
        space,
        path,
        sample_at_every_m(corpus, space, path, policy="grouping"),
        band=random_band(space.similarity, path, samples=1_200),
        bootstrap=bootstrap_topics(vectors, corpus.topic_codes, 9, kind="corrected", samples=12),
        layout=layout,
        verdict=judge(space, path, k=2),
        other=("by name", path),
        optimum=optimum_curve(space.similarity),
    )
    return corpus, space, path, view


@given(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=30))
def test_packed_numbers_come_back(values):
    assert unpacked(packed(np.array(values, dtype=np.int64))).tolist() == values


@given(st.floats(-1, 1))
def test_thousandths_are_what_formatting_shows(value):
    assert f"{thousandths(np.array([value]))[0] / 1000:.3f}".replace("-0.000", "0.000") == f"{value:.3f}".replace(
        "-0.000", "0.000"
    )


def test_the_narrowest_type_that_holds_all_is_taken():
    assert [packed(np.array([low, high]))[0] for low, high in ((-128, 127), (0, 128), (-32_769, 0))] == ["1", "2", "4"]
    assert thousandths(np.array([np.nan]))[0] == UNKNOWN


def test_topics_stand_in_path_order(seen):
    _, space, path, view = seen
    sent = view.as_json()
    assert sent["names"] == [space.names[topic] for topic in path.order]
    np.testing.assert_array_equal(unpacked(sent["sizes"]), space.sizes[path.order])
    for topic, m, target in unpacked(sent["moves"]).reshape(-1, 3).tolist():
        assert topic >= m > target, "who moves is left out at that m, and where it goes is kept"
    draws = unpacked(sent["steps"]).reshape(len(space), sent["draws"])
    for m in range(1, path.comparable + 1):
        np.testing.assert_allclose((draws < m).mean(axis=1), (view.steps < m).mean(axis=0))


def test_the_closest_topic_before_gives_the_maximum_at_every_m(seen):
    _, space, path, view = seen
    for step in range(1, path.comparable):
        before = space.similarity[path.order[step], path.order[:step]]
        assert view.closest_similarity[step] == before[view.closest[step]] == before.max()
        assert np.nanmax(view.closest_similarity[: step + 1]) == path.max[step]


@pytest.mark.parametrize("topics", [4, 40])
def test_cells_are_means_of_pairs_of_different_topics(monkeypatch, topics):
    monkeypatch.setattr("core.topics.view.MOST_CELLS", 7)
    corpus, _, space, path = made(5, topics)
    view = hits_view(space, path, sample_at_every_m(corpus, space, path))
    assert view.edges[0] == 0 and view.edges[-1] == path.comparable and len(view.edges) - 1 == min(path.comparable, 7)
    blocks = [path.order[start:end] for start, end in zip(view.edges, view.edges[1:], strict=False)]
    for row, rows in enumerate(blocks):
        for column, columns in enumerate(blocks):
            pairs = [space.similarity[a, b] for a in rows for b in columns if a != b]
            found = view.cells[row, column]
            assert np.isnan(found) if not pairs else found == pytest.approx(np.mean(pairs))


def test_sentences_on_random_samples(seen):
    corpus, space, path, view = seen
    assert sample_sentence(view, 1) == ""
    last = path.comparable
    assert sample_sentence(view, last) == f"All {last} comparable topics are kept, as in every random sample of {last}."
    below = 1_200 - int(view.band.mean_rank[2])
    assert sample_sentence(view, 3).startswith("Before merging") and f"{below:,} of 1,200" in sample_sentence(view, 3)
    cut = hits_view(space, path, sample_at_every_m(corpus, space, path), band=view.band)
    assert sample_sentence(cut, 3).startswith("The 3 topics HITS keeps")
    assert "Any labels" not in sample_sentence(cut, 3)
    without = hits_view(space, path, sample_at_every_m(corpus, space, path))
    assert sample_sentence(without, 3) == "" and without.as_json()["band"] is None


def test_where_labels_mean_nothing_no_m_is_suggested_and_the_sentence_says_so(seen):
    corpus, space, path, view = seen
    nothing = judge(space, path, k=2, labels=LabelCheck(0.9, np.array([0.5])))
    shuffled = hits_view(space, path, sample_at_every_m(corpus, space, path), band=view.band, verdict=nothing)
    assert sample_sentence(shuffled, 3).endswith("HITS picks what differs by chance.")
    assert shuffled.as_json()["suggested"] is None and shuffled.as_json()["line"] is None
    verdict = judge(space, path, k=2)
    dropped = hits_view(space, path, sample_at_every_m(corpus, space, path), verdict=verdict)
    assert dropped.as_json()["suggested"] == verdict.keep == 3
    assert view.as_json()["suggested"] == 2 and view.samples.max[1] < verdict.threshold <= view.samples.max[2:].min()
    unknown = replace(view.samples, max=np.full(len(view.samples.max), np.nan))
    assert replace(view, samples=unknown).suggested is None


def test_more_topics_than_a_matrix_holds_are_seen_along_the_path():
    corpus, vectors, space, path = made(3, 12)
    points = topic_points(vectors, corpus.topic_codes, corpus.topic_names)
    short = hits_path_to(points, m=5)
    found = hits_view(points, short, sample_at_every_m(corpus, points, short))
    whole = hits_view(space, path, sample_at_every_m(corpus, space, path))
    np.testing.assert_allclose(found.closest_similarity, whole.closest_similarity[:5])
    np.testing.assert_allclose(found.cells, whole.cells[:5, :5])
    assert found.as_json()["totals"][0] == 12 and len(found.as_json()["names"]) == 5


def test_what_is_sent_is_plain_json_without_gaps_and_long_names_are_cut(seen):
    _, space, _, view = seen
    json.dumps(view.as_json(), allow_nan=False)
    sent = replace(view, names=(HOSTILE,) * len(space)).as_json()["names"]
    assert sent[0].startswith("<img src=x onerror=alert(1)> xxx") and len(sent[0]) == 80, "text, whatever it looks like"


def test_four_thousand_topics_are_a_megabyte():
    """Sizes alone: arrays of that length stand for those that would take minutes to compute."""
    rng, count = np.random.default_rng(0), 4_000
    corpus, _, space, path = made(2, 9)
    view = hits_view(space, path, sample_at_every_m(corpus, space, path))
    values = rng.random(count)
    long = replace(
        view,
        names=tuple(f"a topic called {topic}" for topic in range(count)),
        sizes=rng.integers(1, 900, count),
        path=replace(path, order=np.arange(count), leakage=values, mean=values, max=values, comparable=count),
        samples=replace(
            view.samples,
            documents=np.arange(count),
            mean=values,
            max=values,
            since=np.arange(count),
            moves=rng.integers(0, count, (34_000, 3)),  # counted on synthetic topics: about eight a topic
        ),
        closest=np.arange(count),
        closest_similarity=values,
        cells=rng.random((MOST_CELLS, MOST_CELLS)),
        steps=rng.integers(0, count, (40, count)),
        places=rng.normal(size=(count, 2)),
    )
    assert len(json.dumps(long.as_json())) < 1_100_000


def test_the_optimum_goes_along_and_is_never_above_the_path(seen):
    _, space, path, view = seen
    sent = view.as_json()["optimum"]
    highest, bound, proven = (unpacked(sent[name]) for name in ("max", "bound", "proven"))
    assert highest[0] == UNKNOWN and (highest[1:] <= thousandths(path.max[1 : path.comparable])).all()
    assert (bound[1:] == highest[1:]).all() and proven[1:].all(), "so few topics are decided"
    assert len(unpacked(sent["mean"])) == path.comparable <= len(space)
    assert replace(view, optimum=None).as_json()["optimum"] is None


@pytest.fixture
def exported():
    corpus = make_corpus(TEXTS, TOPICS, authors=AUTHORS, name="made")
    vectors = np.array([[1, 0], [0.9, 0.1], [0, 1], [1, 0.1], [0.8, 0.1], [0.1, 1]], dtype=np.float32)
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    path = hits_path(space.similarity)
    return corpus, space, path


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_reads_back(exported, format):
    corpus, space, path = exported
    sample = make_sample(space.similarity, path.order[:2])
    content = FORMATS[format](sample_table(corpus, sample))
    again = read_corpus(content, name=f"kept.{format}")
    kept = [row for row, topic in enumerate(corpus.topic_codes) if sample.assigned[topic] >= 0]
    assert list(again.texts) == [TEXTS[row] for row in kept]
    assert again.topics == [TOPICS[row] for row in kept]
    assert again.authors == [AUTHORS[row] for row in kept]


def test_merged_documents_keep_their_first_topic_beside_the_new_one(exported):
    corpus, space, path = exported
    sample = make_sample(space.similarity, path.order[:2], policy="grouping")
    table = pd.read_csv(io.BytesIO(FORMATS["csv"](sample_table(corpus, sample))), keep_default_na=False)
    assert table["original_topic"].tolist() == TOPICS
    assert set(table["topic"]) == {space.names[topic] for topic in path.order[:2]}


def test_settings_tell_the_whole_selection(exported):
    corpus, space, path = exported
    sample = make_sample(space.similarity, path.order[:2])
    record = json.loads(settings_file(corpus, space, path, sample, encoder_key="k", settings={"policy": "cutting"}))
    assert record["corpus"]["fingerprint"] == corpus.content_digest
    assert record["selected"] == [space.names[topic] for topic in path.order[:2]]
    assert record["path"][0]["leakage"] is None
    assert record["similarity"]["max"] == pytest.approx(space.similarity[path.order[0], path.order[1]])
    assert sum(home is None for home in record["homes"].values()) == 1


def test_merged_topics_are_counted_in_the_similarity_reported(exported):
    corpus, space, path = exported
    sample = make_sample(space.similarity, path.order[:2], policy="grouping")
    merged = merged_space(space, sample.assigned).similarity[0, 1]
    assert pair_summary(space, sample) == {"mean": pytest.approx(merged), "max": pytest.approx(merged)}
    assert merged != pytest.approx(space.similarity[path.order[0], path.order[1]], abs=1e-3)
    record = json.loads(settings_file(corpus, space, path, sample, encoder_key="k", settings={}))
    assert record["similarity"]["max"] == pytest.approx(merged)


def test_one_topic_has_no_similarity_to_report(exported):
    corpus, space, path = exported
    sample = make_sample(space.similarity, path.order[:1])
    record = json.loads(settings_file(corpus, space, path, sample, encoder_key="k", settings={}))
    assert record["similarity"] == {"kind": "corrected", "mean": None, "max": None}
