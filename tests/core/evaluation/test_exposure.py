"""Similarity beside accuracy: every test topic once, the most exposed first, with its own numbers."""

import numpy as np
import pytest

from core.evaluation import evaluate, exposed_topics, relations, topic_scores
from core.splits import fold_leakage, topic_kfold
from core.topics import topic_space
from tests.core.spies import corpus_of, rows_of


@pytest.fixture(scope="module")
def made():
    corpus = corpus_of(rows_of(topics=7, authors=3, each=3)[:-1])
    vectors = np.random.default_rng(0).random((len(corpus), 5)).astype(np.float32)
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    folds = topic_kfold(corpus, k=3, seed=0)
    evaluation = evaluate(corpus, folds, task="attribution", models=["max_ent", "topic_fit"])
    leakage, scores = fold_leakage(folds, space, nearest=2), topic_scores(evaluation, corpus)
    return corpus, space, folds, scores, exposed_topics(corpus, leakage, scores, metric="accuracy")


def test_every_test_topic_comes_once_and_the_most_exposed_first(made):
    corpus, space, folds, _, rows = made
    assert sorted(row.topic for row in rows) == list(range(len(corpus.topic_names)))
    nearest = [row.nearest_similarity for row in rows]
    assert nearest == sorted(nearest, reverse=True)
    for row in rows:
        fold = folds.folds[row.fold]
        assert row.topic in fold.test_topics
        by_similarity = sorted(fold.train_topics, key=lambda other: -space.similarity[row.topic, other])
        assert row.nearest == tuple(by_similarity[:2])
        assert row.similarity == tuple(space.similarity[row.topic, list(row.nearest)])


def test_a_topic_carries_its_size_its_largest_author_and_every_models_score(made):
    corpus, _, _, scores, rows = made
    for row in rows:
        authors = corpus.author_codes[corpus.topic_codes == row.topic]
        assert row.documents == len(authors)
        assert row.largest_author_share == pytest.approx(np.bincount(authors).max() / len(authors))
        own = {score.model: score.values["accuracy"] for score in scores if score.topics == (row.topic,)}
        assert row.values == own and list(own) == ["max_ent", "topic_fit"]


def test_relations_are_of_each_models_scores_with_the_nearest_similarity(made):
    *_, rows = made
    found = relations(rows, seed=1)
    assert list(found) == ["max_ent", "topic_fit"]
    for model, relation in found.items():
        assert relation.n == sum(np.isfinite(row.values[model]) for row in rows)


def test_a_topic_that_have_too_few_documents_comes_last_without_a_nearest_one():
    corpus = corpus_of(rows_of(topics=5, authors=3, each=2))
    vectors = np.random.default_rng(0).random((len(corpus), 8))
    alone = np.flatnonzero(corpus.topic_codes == 0)
    vectors[alone] = np.eye(8)[: len(alone)]  # documents with nothing in common
    space = topic_space(vectors.astype(np.float32), corpus.topic_codes, corpus.topic_names)
    assert not space.comparable[0] and space.comparable[1:].all()
    folds = topic_kfold(corpus, k=3, seed=0)
    evaluation = evaluate(corpus, folds, task="attribution", models=["max_ent"])
    rows = exposed_topics(corpus, fold_leakage(folds, space), topic_scores(evaluation, corpus), metric="accuracy")
    assert rows[-1].topic == 0 and rows[-1].nearest == () and np.isnan(rows[-1].nearest_similarity)
    assert all(topic >= 0 for row in rows for topic in row.nearest) and all(row.nearest for row in rows[:-1])
