"""Kept answers: a stopped run goes on, nothing is computed twice, and only what an answer depends on computes it again."""

import os
from dataclasses import replace

import numpy as np
import pytest

import core.evaluation.tasks
from core.corpora import take
from core.evaluation import TASKS, Answers, NamedVectors, ResultStore, evaluate, missing_runs, write_runs
from core.evaluation.store import read_runs
from core.models.attribution import CLASSIFIERS
from core.models.verification import VERIFIERS
from core.splits import topic_kfold
from core.splits.folds import capped, fixed_split
from tests.core.spies import Log, corpus_of, rows_of, spy_kinds
from tests.core.stops import Enough, stop_when

BOTH = pytest.mark.parametrize("task", ["verification", "attribution"])


@pytest.fixture
def log(monkeypatch) -> Log:
    found = Log()
    for registry, kind in zip((VERIFIERS, CLASSIFIERS), spy_kinds(found), strict=True):
        monkeypatch.setitem(registry, "spy", kind)
    return found


def fresh_runs(corpus, folds, results, *, task="verification", **choices) -> int:
    """Runs computed now, which must be those announced."""
    choices = {"task": task, "models": ["spy"], "results": results} | choices
    vectors = choices.pop("vectors", None)
    key = "" if vectors is None else vectors.key
    announced = missing_runs(corpus, folds, vectors_key=key, **choices)
    fresh = evaluate(corpus, folds, vectors=vectors, **choices).fresh
    assert announced == fresh
    assert missing_runs(corpus, folds, vectors_key=key, **choices) == 0
    return fresh


@BOTH
def test_a_stopped_run_goes_on_and_fits_nothing_twice(log, tmp_path, task):
    corpus = corpus_of(rows_of())
    folds = topic_kfold(corpus, k=3, seed=0)
    choices = {"task": task, "models": ["spy", "topic_fit"], "results": ResultStore(tmp_path)}
    stops = iter([False, False, True])
    with pytest.raises(Enough):
        evaluate(corpus, folds, progress=stop_when(lambda: next(stops)), **choices)
    assert len(log.fitted) == 2
    assert missing_runs(corpus, folds, **choices) == 4
    steps = []
    second = evaluate(corpus, folds, progress=lambda *step: steps.append(step[0]), **choices)
    assert (second.fresh, len(log.fitted)) == (4, 3)
    assert steps == [2, 3, 4, 5, 6]
    third = evaluate(corpus, folds, **choices)
    assert (third.fresh, len(log.fitted)) == (0, 3)
    alone = evaluate(corpus, folds, task=task, models=["spy", "topic_fit"])
    for one, two, three in zip(alone.runs, second.runs, third.runs, strict=True):
        assert one.answers.tobytes() == two.answers.tobytes() == three.answers.tobytes()
        assert one.notes == two.notes == three.notes


@BOTH
def test_a_shuffled_file_finds_its_answers(log, tmp_path, task):
    corpus = corpus_of(rows_of())
    results = ResultStore(tmp_path)
    first = evaluate(corpus, topic_kfold(corpus, k=3, seed=0), task=task, models=["spy"], results=results)
    order = np.random.default_rng(0).permutation(len(corpus))
    shuffled = take(corpus, order)
    again = evaluate(shuffled, topic_kfold(shuffled, k=3, seed=0), task=task, models=["spy"], results=results)
    assert again.fresh == 0
    for one, two, questions, other in zip(first.runs, again.runs, first.questions, again.questions, strict=True):
        assert (one.answers == two.answers).all()
        assert [corpus.ids[row] for row in questions.lead] == [shuffled.ids[row] for row in other.lead]


@BOTH
@pytest.mark.parametrize("column", ["text", "author", "id"])
def test_a_changed_document_computes_again_only_the_runs_whose_sides_hold_it(log, tmp_path, task, column):
    rows = rows_of(topics=6, authors=3, each=3)
    results = ResultStore(tmp_path)
    corpus = corpus_of(rows)
    folds = capped(corpus, topic_kfold(corpus, k=3, seed=0), at_most=5, seed=0)
    assert fresh_runs(corpus, folds, results, task=task) == 3
    held = [np.concatenate([fold.train, fold.test]) for fold in folds]
    outside = next(row for row in range(len(corpus)) if not any(row in sides for sides in held))
    inside = int(folds.folds[0].test[0])
    for row, expected in ((outside, 0), (inside, sum(inside in sides for sides in held))):
        changed = [dict(entry) for entry in rows]
        changed[row][column] = "author 1" if column == "author" and rows[row]["author"] != "author 1" else "author 2"
        assert fresh_runs(corpus_of(changed), folds, results, task=task) == expected


@pytest.mark.parametrize(
    ("task", "pairing", "again"),
    [("verification", "matched", 1), ("verification", "paper", 0), ("attribution", "matched", 0)],
)
def test_a_topic_renamed_in_place_changes_no_answer_but_where_topics_decide_the_pairs(
    log, tmp_path, task, pairing, again
):
    rows = rows_of()
    results = ResultStore(tmp_path)
    labels = ["test" if row["topic"] == "topic 0" else "train" for row in rows]
    corpus = corpus_of(rows)
    assert fresh_runs(corpus, fixed_split(corpus, labels=labels), results, task=task, pairing=pairing) == 1
    renamed = corpus_of([row | {"topic": row["topic"].replace("topic", "theme")} for row in rows])
    assert fresh_runs(renamed, fixed_split(renamed, labels=labels), results, task=task, pairing=pairing) == again


def test_pairings_do_not_share_answers_and_attribution_has_none(log, tmp_path):
    corpus = corpus_of(rows_of())
    folds, results = topic_kfold(corpus, k=3, seed=0), ResultStore(tmp_path)
    for task, expected in (("verification", [3, 3, 0]), ("attribution", [3, 0, 0])):
        kinds = ("matched", "paper", "matched")
        assert [fresh_runs(corpus, folds, results, task=task, pairing=kind) for kind in kinds] == expected


@BOTH
def test_settings_seed_versions_and_sides_compute_again(log, tmp_path, monkeypatch, task):
    corpus = corpus_of(rows_of())
    folds, results = topic_kfold(corpus, k=3, seed=0), ResultStore(tmp_path)
    registry = TASKS[task].models
    assert fresh_runs(corpus, folds, results, task=task) == 3
    assert fresh_runs(corpus, folds, results, task=task) == 0
    log.version = 2
    assert fresh_runs(corpus, folds, results, task=task) == 3
    monkeypatch.setitem(registry, "spy", spy_kinds(log, setting=2)[0 if task == "verification" else 1])
    assert fresh_runs(corpus, folds, results, task=task) == 3
    assert fresh_runs(corpus, folds, results, task=task, seed=7) == 3
    assert fresh_runs(corpus, topic_kfold(corpus, k=3, seed=5), results, task=task) > 0
    monkeypatch.setitem(TASKS, task, replace(TASKS[task], version=TASKS[task].version + 1))
    assert fresh_runs(corpus, folds, results, task=task) == 3


def test_tasks_with_models_of_one_name_do_not_share_answers(log, tmp_path):
    corpus = corpus_of(rows_of())
    folds, results = topic_kfold(corpus, k=3, seed=0), ResultStore(tmp_path)
    assert [fresh_runs(corpus, folds, results, task=task) for task in TASKS] == [3, 3]


def test_an_author_added_elsewhere_moves_no_kept_prediction(log, tmp_path):
    rows = rows_of(topics=6, authors=3, each=3)
    corpus, results = corpus_of(rows), ResultStore(tmp_path)
    folds = capped(corpus, topic_kfold(corpus, k=3, seed=0), at_most=5, seed=0)
    held = np.concatenate([side for fold in folds for side in (fold.train, fold.test)])
    outside = next(row for row in range(len(corpus)) if row not in held)
    rows[outside]["author"] = "Aaron"  # sorts first, so every other author's code moves up
    named = []
    for version in (corpus, corpus_of(rows)):
        found = evaluate(version, folds, task="attribution", models=["spy"], results=results)
        named.append([version.author_names[int(code)] for run in found.runs for code in run.answers])
    assert named[0] == named[1]


def test_vectors_count_where_they_are_used_and_must_be_named(log, tmp_path, monkeypatch):
    corpus = corpus_of(rows_of())
    folds, results = topic_kfold(corpus, k=3, seed=0), ResultStore(tmp_path)
    vectors = np.eye(len(corpus))
    for key, expected in (("one", 3), ("two", 0), ("", 0)):
        assert fresh_runs(corpus, folds, results, vectors=NamedVectors(vectors, key)) == expected
    monkeypatch.setitem(VERIFIERS, "spy", spy_kinds(log, setting=3, vectors=True)[0])
    for key, expected in (("one", 3), ("two", 3), ("one", 0)):
        assert fresh_runs(corpus, folds, results, vectors=NamedVectors(vectors, key)) == expected
    with pytest.raises(ValueError, match="vectors without a key"):
        evaluate(corpus, folds, task="verification", models=["spy"], vectors=NamedVectors(vectors), results=results)


def test_a_fold_that_cannot_be_run_is_not_tried_again_and_keeps_its_sentence(log, tmp_path):
    rows = rows_of(topics=3)
    for row in rows[:6]:
        row["author"] = "author 0"
    corpus = corpus_of(rows)
    folds, results = topic_kfold(corpus, k=3, seed=0), ResultStore(tmp_path)
    assert fresh_runs(corpus, folds, results) == 3
    found = evaluate(corpus, folds, task="verification", models=["spy"], results=results)
    assert found.fresh == 0
    assert sum(run.problem is not None and "cannot be paired" in run.problem for run in found.runs) == 1


def test_pairs_of_a_fold_are_drawn_once_for_all_models(log, monkeypatch):
    drawn = []
    make = core.evaluation.tasks.make_pairs
    monkeypatch.setattr(core.evaluation.tasks, "make_pairs", lambda *a, **k: drawn.append(a) or make(*a, **k))
    corpus = corpus_of(rows_of())
    evaluate(corpus, topic_kfold(corpus, k=3, seed=0), task="verification", models=["spy", "char_ngram", "topic_fit"])
    assert len(drawn) == 6  # each fold's training side and test side


def test_shipped_answers_are_read_and_never_written(log, tmp_path):
    corpus = corpus_of(rows_of())
    folds, first = topic_kfold(corpus, k=3, seed=0), ResultStore(tmp_path / "first")
    fresh_runs(corpus, folds, first)
    shipped = tmp_path / "shipped.answers"
    with shipped.open("wb") as target:
        write_runs(target, {k: v for file in first.folder.glob("*/*") for k, v in read_runs(file).items()})
    before = shipped.read_bytes(), shipped.stat().st_mtime_ns
    store = ResultStore(tmp_path / "second", shipped=shipped)
    assert fresh_runs(corpus, folds, store) == 0
    assert not store.folder.exists()
    assert fresh_runs(corpus, folds, store, seed=1) == 3
    assert len(list(store.folder.glob("*/*"))) == 3
    assert (shipped.read_bytes(), shipped.stat().st_mtime_ns) == before


@BOTH
def test_damaged_answers_are_computed_again(log, tmp_path, task):
    corpus = corpus_of(rows_of())
    folds, results = topic_kfold(corpus, k=3, seed=0), ResultStore(tmp_path)
    fresh_runs(corpus, folds, results, task=task)
    one, two, _ = sorted(results.folder.glob("*/*"))
    one.write_bytes(one.read_bytes()[:-3])
    two.write_bytes(b"")
    assert fresh_runs(corpus, folds, results, task=task) == 2


def test_where_nothing_can_be_written_runs_are_computed_again(log, tmp_path):
    corpus = corpus_of(rows_of())
    folds = topic_kfold(corpus, k=3, seed=0)
    (tmp_path / "file").write_text("no folder")
    results = ResultStore(tmp_path / "file")  # stands for a read-only folder, also for a user who may write anywhere
    choices = {"task": "attribution", "models": ["spy"], "results": results}
    for _ in range(2):
        assert evaluate(corpus, folds, **choices).fresh == 3
    assert os.listdir(tmp_path) == ["file"]


def test_kept_answers_of_another_number_are_computed_again(tmp_path):
    corpus = corpus_of(rows_of(topics=3))
    folds, store = topic_kfold(corpus, k=3, seed=0), ResultStore(tmp_path)
    choices = {"task": "attribution", "models": ["char_svm"], "results": store}
    right = evaluate(corpus, folds, **choices)
    for file in store.folder.rglob("*.answers"):
        store.put(file.name.split(".")[0], Answers(right.runs[0].answers[:-1], ()))
    again = evaluate(corpus, folds, **choices)
    assert again.fresh == 3
    assert [run.answers.tolist() for run in again.runs] == [run.answers.tolist() for run in right.runs]
