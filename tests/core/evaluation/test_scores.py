"""Answers to scores: topics pool to folds, what is undefined is NaN, and the methods sheet's weighted example."""

import math

import numpy as np
import pytest

from core.evaluation import (
    TASKS,
    Evaluation,
    Score,
    evaluate,
    fold_scores,
    metric_labels,
    score_table,
    summarise,
    topic_scores,
)
from core.evaluation.run import Run
from core.evaluation.tasks import Questions
from core.models import METRICS, verification_scores
from core.splits import make_folds, topic_kfold
from core.splits.folds import leave_one_topic_out
from tests.core.spies import corpus_of, rows_of

EVERY_SCHEME = pytest.mark.parametrize("scheme", ["topic-kfold", "leave-one-topic-out", "kfold"])


def attributed(scheme: str = "topic-kfold", **size: int):
    corpus = corpus_of(rows_of(**size))
    folds = make_folds(corpus, scheme=scheme, k=3, seed=0)
    return corpus, evaluate(corpus, folds, task="attribution", models=["max_ent", "topic_fit"])


def answered(corpus, folds, answers) -> Evaluation:
    """An evaluation whose one model gives these answers (a function of the questions) on every fold."""
    task = "verification"
    asked = evaluate(corpus, folds, task=task, models=["char_ngram"]).questions
    runs = tuple(
        Run("made", number, answers(questions), (), questions.problem) for number, questions in enumerate(asked)
    )
    return Evaluation(task, ("made",), folds, asked, runs, 0)


@EVERY_SCHEME
def test_accuracy_of_topics_pools_to_that_of_the_fold(scheme):
    corpus, found = attributed(scheme)
    folds, topics = fold_scores(found, corpus), topic_scores(found, corpus)
    assert len(folds) == 2 * len(found.folds)
    for whole in folds:
        parts = [score for score in topics if (score.model, score.fold) == (whole.model, whole.fold)]
        assert tuple(score.topics[0] for score in parts) == whole.topics
        assert sum(score.questions for score in parts) == whole.questions
        assert sum(score.documents for score in parts) == whole.documents == len(found.folds.folds[whole.fold].test)
        pooled = sum(score.questions * score.values["accuracy"] for score in parts) / whole.questions
        assert whole.values["accuracy"] == pytest.approx(pooled)


@EVERY_SCHEME
def test_brier_of_topics_pools_to_that_of_the_fold(scheme):
    corpus = corpus_of(rows_of())
    found = answered(
        corpus,
        make_folds(corpus, scheme=scheme, k=3, seed=0),
        lambda questions: np.random.default_rng(len(questions.truth)).random(len(questions.truth)),
    )
    for whole in fold_scores(found, corpus):
        parts = [score for score in topic_scores(found, corpus) if score.fold == whole.fold and score.questions]
        pooled = sum(score.questions * score.values["brier"] for score in parts) / whole.questions
        assert whole.values["brier"] == pytest.approx(pooled)


def test_scores_are_those_of_the_metrics_on_the_questions_of_the_topic():
    corpus = corpus_of(rows_of())
    found = evaluate(corpus, topic_kfold(corpus, k=2, seed=0), task="verification", models=["topic_fit"])
    for score in topic_scores(found, corpus):
        questions, run = found.questions[score.fold], found.runs[score.fold]
        here = [i for i, row in enumerate(questions.lead) if corpus.topic_codes[row] == score.topics[0]]
        expected = verification_scores(questions.truth[here], run.answers[here]).named()
        assert score.questions == len(here)
        assert repr(score.values) == repr(expected)


def test_perfect_answers_reach_one_in_every_metric_and_topic():
    corpus = corpus_of(rows_of())
    found = answered(corpus, topic_kfold(corpus, k=3, seed=0), lambda questions: questions.truth.astype(float))
    for score in fold_scores(found, corpus):
        assert all(value == 1 for value in score.values.values())


def test_a_topic_with_one_kind_of_pair_has_no_auc_and_no_overall_but_keeps_the_rest():
    corpus = corpus_of(rows_of(topics=2))
    folds = leave_one_topic_out(corpus)
    found = answered(corpus, folds, lambda questions: np.full(len(questions.truth), 0.2))
    questions = found.questions[0]
    different = questions.truth == 0
    asked = (
        Questions(questions.lead[different], questions.other[different], questions.truth[different]),
        found.questions[1],
    )
    runs = (Run("made", 0, found.runs[0].answers[different], ()), found.runs[1])
    score = topic_scores(Evaluation("verification", ("made",), folds, asked, runs, 0), corpus)[0]
    assert score.problem is None
    assert score.values["c@1"] == 1
    assert {name for name, value in score.values.items() if math.isnan(value)} == {
        "auc",
        "f_05_u",
        "F1",
        "overall",
        "overall_2021",
    }


def test_no_answers_at_all_are_undefined_and_never_zero():
    rows = rows_of(topics=3)
    for row in rows[:6]:
        row["author"] = "author 0"
    corpus = corpus_of(rows)
    found = evaluate(corpus, leave_one_topic_out(corpus), task="verification", models=["char_ngram"])
    for scores in (fold_scores(found, corpus), topic_scores(found, corpus)):
        assert "cannot be paired" in scores[0].problem
        assert scores[0].questions == 0 and scores[0].documents == 6
        assert all(math.isnan(value) for value in scores[0].values.values())
        assert scores[0].values.keys() == METRICS.keys()
        for score in scores[1:]:
            assert score.problem is None and not math.isnan(score.values["c@1"])
    summary = summarise(fold_scores(found, corpus), "c@1")["char_ngram"]
    assert summary.n == 2 and not math.isnan(summary.mean)


def test_a_topic_nobody_asked_about_says_so():
    rows = rows_of(topics=4)
    for number, row in enumerate(rows[:6]):
        row["author"] = f"once {number}"  # their texts lead no pair, whatever shares the fold
    corpus = corpus_of(rows)
    found = evaluate(corpus, topic_kfold(corpus, k=2, seed=0), task="verification", models=["topic_fit"])
    by_topic = {corpus.topic_names[score.topics[0]]: score for score in topic_scores(found, corpus)}
    silent = by_topic.pop("topic 0")
    assert silent.questions == 0 and "No question was asked about this topic" in silent.problem
    assert all(math.isnan(value) for value in silent.values.values())
    assert all(score.problem is None and score.questions > 0 for score in by_topic.values())


def test_two_known_authors_add_precision_recall_and_f_of_the_first():
    rows = rows_of(topics=4, authors=2, each=4)
    for row in rows[::7]:
        row["author"] = ""  # "(unknown)" sorts before every name and is no author
    corpus = corpus_of(rows)
    found = evaluate(corpus, topic_kfold(corpus, k=2, seed=0), task="attribution", models=["topic_fit"])
    assert list(metric_labels(found, corpus)) == ["accuracy", "macro_f1", "precision", "recall", "f1"]
    first = corpus.author_names.index("author 0")
    for score, questions, run in zip(fold_scores(found, corpus), found.questions, found.runs, strict=True):
        true, said = questions.truth == first, run.answers == first
        assert score.values["recall"] == pytest.approx((true & said).sum() / true.sum())
        assert score.questions == len(questions.truth) < score.documents
        if said.any():
            assert score.values["precision"] == pytest.approx((true & said).sum() / said.sum())


def test_the_metrics_of_each_task():
    corpus, found = attributed()
    assert list(metric_labels(found, corpus)) == ["accuracy", "macro_f1"]
    for task in TASKS:
        some = Evaluation(task, (), found.folds, (), (), 0)
        assert fold_scores(some, corpus) == topic_scores(some, corpus) == []
    pairs = Evaluation("verification", (), found.folds, (), (), 0)
    assert list(metric_labels(pairs, corpus)) == list(METRICS)


def test_the_weighted_example():
    scores = [
        Score("a", fold, (fold,), documents, documents, {"accuracy": value})
        for fold, (value, documents) in enumerate([(0.9, 100), (0.8, 50), (0.5, 50)])
    ]
    other = [Score("b", 0, (0,), 10, 10, {"accuracy": math.nan})]
    found = summarise([*scores, *other], "accuracy")
    assert found["a"].n == 3
    assert found["a"].mean == pytest.approx(0.775)
    assert found["a"].variance == pytest.approx(0.0430)
    assert found["a"].sd == pytest.approx(0.207364, abs=5e-7)
    assert found["a"].se == pytest.approx(0.126984, abs=5e-7)
    assert found["b"].n == 0 and math.isnan(found["b"].mean)


def test_weighting_by_documents_over_topic_folds_gives_the_accuracy_of_all_answers():
    corpus, found = attributed("leave-one-topic-out", topics=5, authors=3, each=3)
    for model, summary in summarise(fold_scores(found, corpus), "accuracy").items():
        right = [run.answers == found.questions[run.fold].truth for run in found.of(model)]
        assert summary.mean == pytest.approx(np.concatenate(right).mean())


def test_the_table_of_scores_has_a_row_a_model_and_a_column_a_fold():
    corpus, found = attributed()
    scores = fold_scores(found, corpus)
    table = score_table(scores, "macro_f1")
    assert table.shape == (2, 3)
    for row, model in enumerate(found.models):
        assert table[row].tolist() == [score.values["macro_f1"] for score in scores if score.model == model]
    assert score_table(topic_scores(found, corpus), "accuracy").shape == (2, 6)
