"""Answers brought back in files: scored like any model's, and refused with the lines that are wrong."""

import csv
import io
import json

import numpy as np
import pytest

from core.corpora import Corpus, make_corpus, take
from core.corpora.readers import File
from core.errors import InputError
from core.evaluation import Evaluation, compared_models, error_rates, evaluate, fold_scores, only_asked, summarise
from core.evaluation.own_answers import (
    OwnAnswers,
    fold_sides,
    folds_file,
    has_answers,
    read_fold_answers,
    with_own_answers,
)
from core.interface import NotebookStudy
from core.questions import ask, sampled_jobs
from core.questions.accuracy import evaluation_answer
from core.splits import Folds, make_folds
from tests.core.test_label import reviews


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return reviews(families=2, each=12)


@pytest.fixture(scope="module")
def folds(corpus: Corpus) -> Folds:
    return make_folds(corpus, scheme="topic-kfold", k=3, seed=0)


@pytest.fixture(scope="module")
def built_in(corpus: Corpus, folds: Folds) -> Evaluation:
    return evaluate(corpus, folds, task="attribution", models=["max_ent"])


def rows_of(evaluation: Evaluation, corpus: Corpus) -> list[dict[str, object]]:
    """Write a model's answers as a user would: a row per test document."""
    names = corpus.author_names or ()
    return [
        {"id": corpus.ids[row], "fold": run.fold + 1, "prediction": names[int(code)]}
        for run in evaluation.runs
        for row, code in zip(evaluation.questions[run.fold].lead, run.answers, strict=True)
    ]


def as_csv(rows: list[dict[str, object]], name: str = "mine.csv") -> File:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return File(name, text.getvalue().encode())


def as_lines(rows: list[dict[str, object]], name: str = "mine.jsonl") -> File:
    return File(name, "".join(f"{json.dumps(row)}\n" for row in rows).encode())


def read(file: File, corpus: Corpus, folds: Folds) -> OwnAnswers:
    (found,) = read_fold_answers([file], {"all": (corpus, folds)})
    return found


def probabilities(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Replace every prediction by a number per class."""
    return [
        {"id": row["id"], "fold": row["fold"], "negative": int(row["prediction"] == "negative"), "positive": 0.5}
        for row in rows
    ]


@pytest.mark.parametrize(
    "write",
    [
        as_csv,
        as_lines,
        lambda rows: as_csv(probabilities(rows)),
        lambda rows: as_csv([{key: value for key, value in row.items() if key != "fold"} for row in rows]),
        lambda rows: as_lines(
            [{"id": row["id"], "fold": row["fold"], "probabilities": {row["prediction"]: 0.9}} for row in rows]
        ),
        lambda rows: File("mine.csv", as_csv(rows).data.replace(b",", b";").decode().encode("utf-16")),
    ],
    ids=["table", "JSON lines", "a column per class", "without folds", "probabilities", "semicolons in UTF-16"],
)
def test_a_built_in_models_answers_brought_back_have_its_scores(write, corpus, folds, built_in):
    found = read(write(rows_of(built_in, corpus)), corpus, folds)
    both = with_own_answers(built_in, corpus, [found])
    assert both.models == ("max_ent", "mine") and has_answers(found, corpus, folds)
    ours, theirs = ([each.values for each in fold_scores(both, corpus) if each.model == model] for model in both.models)
    assert ours == theirs and len(ours) == 3
    assert both.label("mine") == "mine" and both.label("max_ent") == "Maximum entropy"


def test_the_folds_as_files_say_the_same(corpus, folds):
    asked = {"all": (corpus, folds)}
    table = fold_sides(asked)
    lines = [json.loads(line) for line in folds_file(asked, "jsonl").decode().splitlines()]
    assert len(table) == sum(len(fold.train) + len(fold.test) for fold in folds)
    for number, (fold, line) in enumerate(zip(folds, lines[1:], strict=True), start=1):
        for side in ("train", "test"):
            rows = table[(table["fold"] == number) & (table["side"] == side)]
            assert list(rows["id"]) == line[side] == [corpus.ids[row] for row in getattr(fold, side)]
    assert folds_file(asked, "csv").decode().splitlines()[0] == "fold,side,id"


def test_a_fold_without_answers_is_left_out_and_answers_to_other_folds_do_not_fit(corpus, folds, built_in):
    rows = [row for row in rows_of(built_in, corpus) if row["fold"] != 2]
    found = read(as_csv(rows), corpus, folds)
    both = with_own_answers(built_in, corpus, [found])
    runs = both.of("mine")
    assert [run.problem is None for run in runs] == [True, False, True]
    assert "Its file has no answers to this fold" in str(runs[1].problem)
    answer = evaluation_answer(both, corpus, ())
    mean = summarise([each for each in fold_scores(both, corpus) if each.fold != 1], "accuracy")["max_ent"].mean
    assert answer.headline.startswith(
        f"Too close to call by accuracy over 2 of 3 folds: Maximum entropy {mean:.3f}, mine {mean:.3f}."
    )
    assert answer.table("scores_by_fold").frame["fold"].tolist() == [1, 2, 3] * 2
    other = make_folds(corpus, scheme="topic-kfold", k=2, seed=3)
    asked = with_own_answers(only_asked(corpus, other, task="attribution"), corpus, [found])
    assert {run.problem for run in asked.runs} == {
        "Its answers are to other folds. Download the folds, and load answers to them."
    }
    assert not has_answers(found, corpus, other)


def test_a_document_without_a_class_needs_no_answer(corpus):
    authors = ["" if row % 5 == 0 else name for row, name in enumerate(corpus.authors)]
    holes = make_corpus(corpus.texts, corpus.topics, authors=authors, predicts="sentiment", name="holes")
    folds = make_folds(holes, scheme="topic-kfold", k=3, seed=0)
    evaluation = evaluate(holes, folds, task="attribution", models=["max_ent"])
    found = read(as_csv(rows_of(evaluation, holes)), holes, folds)
    assert all(run.problem is None for run in with_own_answers(evaluation, holes, [found]).of("mine"))


def test_a_class_that_a_sample_lacks_leaves_the_fold_out(corpus, folds, built_in):
    found = read(as_csv(rows_of(built_in, corpus)), corpus, folds)
    strange = OwnAnswers("mine", {key: dict.fromkeys(given, "neutral") for key, given in found.classes.items()}, "")
    problem = with_own_answers(built_in, corpus, [strange]).of("mine")[0].problem
    assert problem == "It predicts a class that these documents do not have."


def changed(rows: list[dict[str, object]], place: int, **cells: object) -> list[dict[str, object]]:
    return [row | cells if number == place else row for number, row in enumerate(rows)]


@pytest.mark.parametrize(
    "write, sentence",
    [
        (lambda rows: as_csv(rows[1:]), "1 of 24 test documents of fold 1 has no answer: .*Add a line for each"),
        (
            lambda rows: as_csv([*rows, rows[0]]),
            "mine.csv: line 74: id '.*' already stands in line 2; keep one of them",
        ),
        (
            lambda rows: as_csv(changed(rows, 3, id="nobody")),
            "1 answer is about documents that fold 1 does not test: nob",
        ),
        (lambda rows: as_csv(changed(rows, 3, fold=9)), "line 5: fold '9'. The folds are numbered from 1 to 3"),
        (lambda rows: as_csv(changed(rows, 3, prediction="postive")), "\"postive\" is none of the classes.*'positive'"),
        (lambda rows: as_csv([{"fold": 1, "prediction": "positive"}]), "no column 'id'"),
        (lambda rows: as_csv([{"id": "1", "fold": 1}]), "has no 'prediction', and no numbers for the classes"),
        (lambda rows: as_csv(changed(probabilities(rows), 0, positive="x")), "number for 'positive' is \"x\""),
        (lambda rows: as_csv(changed(probabilities(rows), 0, positive="nan")), "Write a finite number"),
        (lambda rows: as_lines([{"folds": "another"}, *rows]), "these answers are to other folds"),
        (lambda rows: as_lines([{"prediction": "positive"}]), "line 1 has no 'id'"),
        (lambda rows: File("mine.jsonl", b'{"id": 1}\n[1]'), "line 1 has no 'prediction'|line 2 is not an object"),
        (lambda rows: File("mine.csv", b""), "the file is empty"),
        (lambda rows: File("mine.csv", b"id,fold,prediction\n"), "there is no answer in it"),
        (lambda rows: as_csv(rows, "max_ent.csv"), "'max_ent' is a built-in model. Rename the file"),
    ],
)
def test_what_is_wrong_is_named_with_its_fix(write, sentence, corpus, folds, built_in):
    with pytest.raises(InputError, match=sentence):
        read(write(rows_of(built_in, corpus)), corpus, folds)


def test_two_files_of_one_name_are_refused(corpus, folds, built_in):
    rows = rows_of(built_in, corpus)
    with pytest.raises(InputError, match="Two files are called 'mine'"):
        read_fold_answers([as_csv(rows), as_lines(rows)], {"all": (corpus, folds)})


def test_answers_without_folds_are_refused_where_documents_are_tested_twice(corpus, built_in):
    part = take(corpus, np.arange(24))
    once = make_folds(part, scheme="topic-kfold", k=2, seed=0)
    twice = Folds(once.scheme, once.topic_names, (*once.folds, once.folds[0]))
    with pytest.raises(InputError, match="names no fold, and documents are tested more than once"):
        read(as_csv([{"id": part.ids[0], "prediction": "positive"}]), part, twice)


def test_two_models_are_compared_on_the_folds_that_both_answered(corpus, folds, built_in):
    rows = [row for row in rows_of(built_in, corpus) if row["fold"] != 2]
    both = with_own_answers(built_in, corpus, [read(as_csv(rows), corpus, folds)])
    errors = error_rates(both, corpus, "max_ent", "mine")
    found = compared_models(both, corpus, "max_ent", "mine", metric="accuracy", margin=0.05, errors=errors)
    assert found.names == ("Maximum entropy", "mine") and np.nanmax(np.abs(found.difference)) == 0


def test_several_samples_are_one_file_whose_folds_are_counted_on(corpus):
    asked = {f"sample {seed}": (corpus, make_folds(corpus, scheme="topic-kfold", k=2, seed=seed)) for seed in range(2)}
    table = fold_sides(asked)
    assert table.groupby("sample")["fold"].unique().map(list).to_dict() == {"sample 0": [1, 2], "sample 1": [3, 4]}
    rows = table[table["side"] == "test"].assign(prediction="positive").to_dict("records")
    (found,) = read_fold_answers([as_csv(rows)], asked)
    assert all(has_answers(found, part, folds) for part, folds in asked.values())


def test_answers_join_a_ranking_that_was_made_without_them(corpus):
    study, choices = NotebookStudy.of(corpus, encoder="lsa"), {"m": 4, "k": 2, "samples": 2}
    assert "mine" not in ask(study, "ranking", **choices).numbers.models
    asked = {setup.name: (setup.corpus, folds) for setup, folds in sampled_jobs(study, **choices)}
    table = fold_sides(asked)
    rows = table[table["side"] == "test"].assign(prediction="positive").to_dict("records")
    joined = study.with_answers(read_fold_answers([as_csv(rows)], asked))
    assert "mine" in ask(joined, "ranking", **choices).numbers.models
