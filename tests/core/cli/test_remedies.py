"""What a refusal advises can be done on the command line, and is shown before anything takes long."""

import json

import numpy as np
import pytest

from core.__main__ import main
from core.cli import complain, progress

WORDS = {"bread": "flour oven yeast crust", "stars": "orbit comet moon dust", "trams": "rails stop fare bell"}


def written(path, cells=lambda row: f"author {row // 3 % 4},d{row}", header="author,id", blank=False):
    """Twenty-four documents on three topics; `cells` is what a row holds beside text and topic."""
    rows = [f"text,topic,{header}"]
    for row in range(24):
        topic = list(WORDS)[row % 3]
        text = (
            "" if blank else " ".join(WORDS[topic].split()[(row + step) % 4] for step in range(3)) + f" number{row % 5}"
        )
        rows.append(f"{text},{topic},{cells(row)}")
    path.write_text("\n".join(rows), encoding="utf-8")
    return str(path)


def refused(capsys, *arguments: str) -> str:
    code = main(arguments)
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    return err.strip().splitlines()[-1]


def test_equal_ids_can_be_left_unread(capsys, tmp_path):
    file = written(tmp_path / "a.csv", lambda row: f"author {row % 3},x")
    assert "--id none" in refused(capsys, "audit", file)
    assert main(["audit", file, "--id", "none"]) == 0


@pytest.mark.parametrize(
    ("label", "words"),
    [
        (lambda row: "train", "column 'split' has 'train' in every row. Label some 'train' and some 'test'"),
        (lambda row: ["train", "test", "dev"][row % 3], "column 'split' has 'dev' in 8 rows"),
        (lambda row: str(row % 2), "column 'split' has '0' in 12 rows and '1' in 12 rows"),
        (lambda row: ["train", "test", "test", ""][row % 4], "column 'split' has nothing in 6 rows"),
    ],
)
@pytest.mark.parametrize("command", [["split"], ["folds", "--scheme", "own-split"]])
def test_a_split_that_is_none_is_named_with_what_it_holds(capsys, tmp_path, label, words, command):
    file = written(tmp_path / "a.csv", label, header="split")
    said = refused(capsys, command[0], file, "--encoder", "lsa", *command[1:])
    assert words in said and "--split" in said


def test_a_split_may_stand_in_any_column(capsys, tmp_path):
    file = written(tmp_path / "a.csv", lambda row: ["Train", "test "][row // 12], header="part")
    assert "no column 'split' for the split" in refused(capsys, "split", file, "--encoder", "lsa")
    assert main(["split", file, "--encoder", "lsa", "--split", "part", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["train"], answer["test"]) == (12, 12)


def test_pairs_that_would_not_help_are_not_advised(capsys, tmp_path):
    file = written(tmp_path / "a.csv", lambda row: f"author {row},d{row}")
    said = refused(capsys, "raven", file, "--encoder", "lsa", "--pairs", "paper", "--out", str(tmp_path / "r"))
    assert "--pairs paper" not in said and "--author" in said


@pytest.mark.parametrize("task", ["attribution", "verification"])
def test_authors_of_one_text_each_are_said_before_anything_runs(capsys, tmp_path, task):
    file = written(tmp_path / "a.csv", lambda row: f"author {row},d{row}")
    assert main(["evaluate", file, "--task", task]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "No author has two texts" in line and "--author" in line


@pytest.mark.parametrize("encoder", ["lsa", "sbert"])
def test_empty_texts_are_named(capsys, tmp_path, encoder):
    file = written(tmp_path / "a.csv", blank=True)
    said = refused(capsys, "verdict", file, "--encoder", encoder)
    assert "Every text is empty" in said and "--text" in said


def test_the_audit_names_options_and_cuts_no_fix(capsys):
    assert main(["audit", "demo"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "--author-documents N" in out and "sidebar" not in out and "…" not in out


def test_a_benchmark_of_all_topics_compares_nothing(capsys, tmp_path):
    said = refused(capsys, "raven", "demo", "--m", "24", "--k", "3", "--out", str(tmp_path / "r"))
    assert "keeps all 24 topics" in said and "choose m from 2 to 23" in said
    two = tmp_path / "two.csv"
    written(two)
    two.write_text("\n".join(line for line in two.read_text().split("\n") if "stars" not in line))
    said = refused(capsys, "raven", str(two), "--encoder", "lsa", "--out", str(tmp_path / "r"))
    assert "2 topics" in said and "3 topics or more" in said


@pytest.fixture
def shuffled(tmp_path):
    """Texts and vectors that topics tell nothing of."""
    random = np.random.default_rng(0)
    file, vectors = written(tmp_path / "shuffled.csv"), tmp_path / "v.npy"
    np.save(vectors, random.normal(size=(24, 8)).astype(np.float32) + 1)
    return [file, "--vectors", str(vectors)]


@pytest.mark.parametrize(
    "arguments", [["hits", "--m", "2"], ["folds", "--k", "3"], ["raven", "--m", "2", "--k", "2", "--out", "{out}"]]
)
def test_labels_that_mean_nothing_are_said(capsys, tmp_path, shuffled, arguments):
    given = [each.replace("{out}", str(tmp_path / "r")) for each in arguments[1:]]
    assert main([arguments[0], *shuffled, *given]) == 0
    said = capsys.readouterr().out
    assert "The labels do not separate these texts" in said and "near-twin" not in said.splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["folds", "{file}", "--k", "9"], "k = 9, but there are 3 topics to split; choose k from 2 to 3"),
        (["folds", "{file}", "--k", "9", "--sampler", "hits", "--m", "2"], "are 2 topics to split; choose k = 2"),
        (["design", "{file}", "--k", "9"], "choose k from 2 to 3"),
        (["design", "{file}", "--out", "/nowhere/a.csv"], "there is no folder /nowhere"),
        (["embed", "{file}", "--out", "/nowhere/v.npy"], "there is no folder /nowhere"),
        (["dial", "--out", "/nowhere/a.csv"], "there is no folder /nowhere"),
        (["shortcut", "nothing", "a.jsonl", "--metric", "overal"], "Did you mean 'overall'?"),
        (["shortcut", "nothing", "a.jsonl", "--control", "b"], "No system is called 'b'"),
    ],
)
def test_what_can_be_refused_is_refused_before_vectors_are_made(capsys, tmp_path, arguments, words):
    file = written(tmp_path / "a.csv")
    assert main([each.replace("{file}", file) for each in arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert words in line


def test_progress_under_way_leaves_nothing_in_the_line_of_an_error(capsys):
    progress(1, 3, "documents", None)
    complain("No.")
    assert capsys.readouterr().err.splitlines()[-1] == "No."


def test_topics_that_have_too_few_documents_have_no_optimum(capsys, tmp_path):
    file = tmp_path / "one.csv"
    file.write_text("text,topic\n" + "\n".join(f"word{row} other{row},t{row}" for row in range(4)))
    np.save(tmp_path / "v.npy", np.eye(4, dtype=np.float32))
    given = [str(file), "--vectors", str(tmp_path / "v.npy"), "--m", "2", "--optimum", "--json"]
    assert main(["hits", *given]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["optimum"]["max"] is None and answer["optimum"]["topics"] == []
