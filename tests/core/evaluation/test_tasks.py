"""Tasks: what folds ask and teach, which answers are right, and a registry that one line extends."""

from dataclasses import replace

import numpy as np
import pytest

from core.corpora import make_corpus
from core.evaluation import TASKS, Evaluation, evaluate, fold_scores, right_answers, wrong_answers
from core.evaluation.run import Run
from core.evaluation.tasks import Questions
from core.splits import topic_kfold
from tests.core.spies import Log, corpus_of, rows_of, spy_kinds


def given(task: str, truth, answers, *, problem=None) -> tuple[Evaluation, Run]:
    """An evaluation of one fold with these right and given answers, all about the first documents of the corpus."""
    lead = np.arange(len(truth))
    asked = Questions(lead, lead if task == "verification" else None, np.array(truth))
    folds = topic_kfold(corpus_of(rows_of()), k=2, seed=0)
    run = Run("made", 0, np.array(answers, dtype=np.float64), (), problem)
    return Evaluation(task, ("made",), folds, (asked,), (run,), 0), run


@pytest.mark.parametrize(
    ("task", "truth", "answers", "right", "wrong"),
    [
        ("verification", [1, 1, 1, 0, 0, 0], [0.9, 0.5, 0.4, 0.1, 0.5, 0.51], [1, 0, 0, 1, 0, 0], [0, 0, 1, 0, 0, 1]),
        ("attribution", [0, 1, 2, 1], [0, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1]),
    ],
)
def test_no_answer_is_neither_right_nor_wrong(task, truth, answers, right, wrong):
    corpus = corpus_of(rows_of())
    evaluation, run = given(task, truth, answers)
    found, topics = right_answers(evaluation, corpus, "made")
    assert found.tolist() == right and found.dtype == np.float64
    assert topics.tolist() == corpus.topic_codes[: len(truth)].tolist()
    assert wrong_answers(evaluation, run).tolist() == [bool(each) for each in wrong]


def test_folds_that_could_not_be_run_have_no_right_answers():
    corpus = corpus_of(rows_of())
    evaluation, _ = given("attribution", [0, 1], [], problem="It was raining.")
    right, topics = right_answers(evaluation, corpus, "made")
    assert len(right) == len(topics) == 0 and topics.dtype == np.int64


@pytest.mark.parametrize("task", TASKS)
def test_right_answers_are_the_accuracy_of_what_was_answered(task):
    corpus = corpus_of(rows_of())
    model = next(iter(TASKS[task].models))
    found = evaluate(corpus, topic_kfold(corpus, k=3, seed=0), task=task, models=[model])
    right, topics = right_answers(found, corpus, model)
    wrong = np.concatenate([wrong_answers(found, run) for run in found.of(model)])
    assert len(right) == len(topics) == len(wrong) == sum(len(each.truth) for each in found.questions)
    assert not (right.astype(bool) & wrong).any()
    if task == "attribution":
        assert ((right == 1) != wrong).all()


def test_the_metric_a_page_opens_with_is_one_of_the_tasks():
    corpus = corpus_of(rows_of())
    for task in TASKS.values():
        assert task.default_metric in task.metrics(corpus)


def test_a_task_is_one_line_of_the_registry(monkeypatch):
    log = Log()
    toy = replace(
        TASKS["attribution"],
        models={"spy": spy_kinds(log)[1]},
        make=lambda name: spy_kinds(log)[1].make(),
        metrics=lambda corpus: {"count": "questions"},
        score=lambda truth, answers, corpus: {"count": float(len(answers))},
    )
    monkeypatch.setitem(TASKS, "toy", toy)
    corpus = corpus_of(rows_of())
    found = evaluate(corpus, topic_kfold(corpus, k=3, seed=0), task="toy", models=["spy"])
    assert len(log.fitted) == 3
    assert [score.values for score in fold_scores(found, corpus)] == [{"count": 12.0}] * 3


def test_a_fold_without_an_author_of_training_is_not_run():
    corpus = make_corpus(
        [f"text {number} of one author" for number in range(8)],
        ["a"] * 4 + ["b"] * 4,
        authors=["ann", "bob"] * 2 + ["cid", "dan"] * 2,
    )
    found = evaluate(corpus, topic_kfold(corpus, k=2, seed=0), task="attribution", models=["topic_fit"])
    assert all("No author of the 4 test texts is in training" in (run.problem or "") for run in found.runs)
    shared = make_corpus(corpus.texts, corpus.topics, authors=["ann", "bob"] * 2 + ["ann", "dan"] * 2)
    found = evaluate(shared, topic_kfold(shared, k=2, seed=0), task="attribution", models=["topic_fit"])
    assert all("author of training" not in (run.problem or "") for run in found.runs), "one of four is enough"
