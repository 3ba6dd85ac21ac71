"""Exports read back as what was kept."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from core.corpora import make_corpus
from core.corpora.readers import read_corpus
from core.topics import (
    FORMATS,
    hits_path,
    make_sample,
    merged_space,
    pair_summary,
    sample_sentence,
    sample_table,
    settings_file,
    topic_space,
)

TEXTS = ["plain\rtext", 'with "quotes", and commas', "two\nlines", "ünïcödé", "=1+1", ""]
TOPICS = ["a", "b", "c", "a", "b", "c"]
AUTHORS = ["x", "y", "z", "x", "y", "x"]


@pytest.fixture
def made():
    corpus = make_corpus(TEXTS, TOPICS, authors=AUTHORS, name="made")
    vectors = np.array([[1, 0], [0.9, 0.1], [0, 1], [1, 0.1], [0.8, 0.1], [0.1, 1]], dtype=np.float32)
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    path = hits_path(space.similarity)
    return corpus, space, path


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_reads_back(made, format):
    corpus, space, path = made
    sample = make_sample(space.similarity, path.order[:2])
    content = FORMATS[format](sample_table(corpus, sample))
    again = read_corpus(content, name=f"kept.{format}")
    kept = [row for row, topic in enumerate(corpus.topic_codes) if sample.assigned[topic] >= 0]
    assert list(again.texts) == [TEXTS[row] for row in kept]
    assert again.topics == [TOPICS[row] for row in kept]
    assert again.authors == [AUTHORS[row] for row in kept]


def test_merged_documents_keep_their_first_topic_beside_the_new_one(made):
    corpus, space, path = made
    sample = make_sample(space.similarity, path.order[:2], policy="grouping")
    table = pd.read_csv(io.BytesIO(FORMATS["csv"](sample_table(corpus, sample))), keep_default_na=False)
    assert table["original_topic"].tolist() == TOPICS
    assert set(table["topic"]) == {space.names[topic] for topic in path.order[:2]}


def test_settings_tell_the_whole_selection(made):
    corpus, space, path = made
    sample = make_sample(space.similarity, path.order[:2])
    record = json.loads(settings_file(corpus, space, path, sample, encoder_key="k", settings={"policy": "cutting"}))
    assert record["corpus"]["fingerprint"] == corpus.content_digest
    assert record["selected"] == [space.names[topic] for topic in path.order[:2]]
    assert record["path"][0]["leakage"] is None
    assert record["similarity"]["max"] == pytest.approx(space.similarity[path.order[0], path.order[1]])
    assert sum(home is None for home in record["homes"].values()) == 1


def test_merged_topics_are_counted_in_the_similarity_reported(made):
    corpus, space, path = made
    sample = make_sample(space.similarity, path.order[:2], policy="grouping")
    merged = merged_space(space, sample.assigned).similarity[0, 1]
    assert pair_summary(space, sample) == {"mean": pytest.approx(merged), "max": pytest.approx(merged)}
    assert merged != pytest.approx(space.similarity[path.order[0], path.order[1]], abs=1e-3)
    record = json.loads(settings_file(corpus, space, path, sample, encoder_key="k", settings={}))
    assert record["similarity"]["max"] == pytest.approx(merged)


def test_one_topic_has_no_similarity_to_report(made):
    corpus, space, path = made
    sample = make_sample(space.similarity, path.order[:1])
    record = json.loads(settings_file(corpus, space, path, sample, encoder_key="k", settings={}))
    assert record["similarity"] == {"kind": "corrected", "mean": None, "max": None}


def test_a_sample_is_said_in_a_sentence():
    keeps = "3 of 9 topics are kept, with 40 of 1,200 documents; "
    for closest, line, rest in (
        (None, 0.6, "fewer than two of them can be placed, so no pair can be compared."),
        (0.5, None, "the closest two have a similarity of 0.50."),
        (0.5, 0.6, "the closest two have a similarity of 0.50, below the near-twin line of 0.60."),
        (0.6, 0.6, "the closest two have a similarity of 0.60, past the near-twin line of 0.60."),
    ):
        assert sample_sentence(3, 9, 40, 1_200, closest=closest, line=line) == keeps + rest
