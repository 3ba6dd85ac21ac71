"""Ordinary folds beside unseen topics, and topics by authors: the tables agree with the corpus and with `summarise`."""

import numpy as np
import pytest

from core.corpora import make_corpus
from core.demo import RESULTS, bundled_corpus
from core.errors import SettingError
from core.evaluation import ResultStore, evaluate, fold_scores, summarise, topic_scores
from core.papers import novel_topics
from core.splits import make_folds

MODELS = ["max_ent", "char_svm"]


@pytest.fixture(scope="module")
def found():
    corpus = bundled_corpus()
    runs = [
        evaluate(
            corpus,
            make_folds(corpus, scheme=scheme, k=6, seed=0),
            task="attribution",
            models=MODELS,
            results=ResultStore(shipped=RESULTS),
        )
        for scheme in ("topic-kfold", "kfold")
    ]
    return corpus, *runs, novel_topics(corpus, *runs, metric="accuracy")


def test_means_are_over_topics_and_over_folds_by_documents(found):
    corpus, novel, ordinary, tables = found
    assert tables.models == tuple(MODELS)
    for model in MODELS:
        assert tables.novel[model]["accuracy"] == summarise(topic_scores(novel, corpus), "accuracy")[model]
        assert tables.ordinary[model]["accuracy"] == summarise(fold_scores(ordinary, corpus), "accuracy")[model]
        assert tables.novel[model]["accuracy"].n == 24 and tables.ordinary[model]["accuracy"].n == 6
        whole = (tables.scores[model] * tables.documents).sum() / tables.documents.sum()
        assert tables.novel[model]["accuracy"].mean == pytest.approx(whole)


def test_counts_are_the_corpus_topic_by_author(found):
    corpus, _, _, tables = found
    assert tables.counts.sum() == len(corpus) and (tables.counts.sum(axis=1) == tables.documents).all()
    topic, author = tables.topics.index("chess"), tables.authors.index("Bram Oakhurst")
    assert tables.counts[topic, author] == 16  # data/plan.csv
    assert tables.largest_share[topic] == pytest.approx(tables.counts[topic].max() / tables.counts[topic].sum())
    assert tables.one_author == ("insurance", "softball")  # 31 of 33, 28 of 30


def test_two_authors_have_precision_and_recall_and_a_topic_of_one_is_said():
    texts = [f"{'alpha beta' if row % 2 else 'gamma delta'} word{row % 7} and the {row}" for row in range(60)]
    topics = ["one", "two", "three"] * 20
    authors = ["A" if topic == "three" or row % 2 else "B" for row, topic in enumerate(topics)]
    authors[0] = ""
    corpus = make_corpus(texts, topics, authors=authors)
    novel, ordinary = (
        evaluate(corpus, make_folds(corpus, scheme=scheme, k=3, seed=0), task="attribution", models=["max_ent"])
        for scheme in ("leave-one-topic-out", "kfold")
    )
    tables = novel_topics(corpus, novel, ordinary, metric="accuracy")
    assert {"accuracy", "precision", "recall"} <= set(tables.metrics)
    assert tables.one_author == ("three",) and set(tables.authors) == {"A", "B"}
    assert np.isfinite(tables.largest_share).all() and tables.counts.sum() == 59


def test_a_corpus_without_authors_is_refused(found):
    _, novel, ordinary, _ = found
    with pytest.raises(SettingError, match="names no authors"):
        novel_topics(make_corpus(["a b", "c d"], ["x", "y"]), novel, ordinary, metric="accuracy")
