"""The command `topics`: contract keys, the file it writes, and what it refuses."""

import csv
from pathlib import Path

import pytest

from core.__main__ import main
from core.corpora.readers import read_corpus
from tests.core.command_runs import TOPICS, answered, written


@pytest.fixture
def without_topics(tmp_path: Path) -> str:
    with Path(written(tmp_path, each=8)).open(newline="") as source:
        rows = list(csv.DictReader(source))
    file = tmp_path / "bare.csv"
    with file.open("w", newline="") as target:
        writer = csv.writer(target)
        writer.writerows([["text"], *([row["text"]] for row in rows)])
    return str(file)


def test_topics_are_found_written_and_read_by_every_other_command(tmp_path, capsys, without_topics):
    out = tmp_path / "found.csv"
    answer, _ = answered(capsys, "topics", without_topics, "--encoder", "lsa", "--k", "6", "--out", str(out))
    assert {"k", "topics", "stability", "agreement", "sentence", "level", "without_topic"} <= set(answer)
    assert answer["k"] == len(answer["topics"]) == 6 and answer["agreement"] is None
    assert sum(answer["topics"].values()) + answer["without_topic"] == 48
    found = read_corpus(out)
    assert found.found and dict(zip(found.topic_names, found.topic_sizes.tolist(), strict=True)) == answer["topics"]
    verdict, _ = answered(capsys, "verdict", str(out), "--encoder", "lsa", "--k", "3")
    assert any("found in the texts" in caution for caution in verdict["cautions"])


def test_agreement_with_given_topics_and_the_same_seed_the_same_answer(tmp_path, capsys):
    arguments = ("topics", written(tmp_path), "--encoder", "lsa", "--k", "6", "--out", str(tmp_path / "found.jsonl"))
    answer, _ = answered(capsys, *arguments)
    assert answer["agreement"] > 0.5 and len(TOPICS) == answer["k"]
    assert answered(capsys, *arguments)[0] == answer


def test_what_cannot_be_done_is_one_line(tmp_path, capsys, without_topics):
    out = str(tmp_path / "found.csv")
    for arguments, fact in (
        (("--out", str(tmp_path / "found.xlsx")), "end it in one of .csv, .parquet, .jsonl"),
        (("--out", out, "--k", "99"), "choose k from 2 to"),
        (("--out", out, "--method", "hdbscan", "--k", "3"), "leave k out"),
        (("--out", str(tmp_path / "no" / "such" / "found.csv")), "cannot be written"),
        (("--out", out, "--topic", "subject"), "no column 'subject'"),
    ):
        assert main(["topics", without_topics, "--encoder", "lsa", *arguments]) == 2
        error = capsys.readouterr().err.strip().splitlines()[-1]
        assert fact in error
    assert main(["verdict", without_topics, "--encoder", "lsa"]) == 2
    assert "no column 'topic'" in capsys.readouterr().err
