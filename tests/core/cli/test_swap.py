"""The commands swap and dial: contract keys, values as core gives them, and a sentence for what cannot be swapped."""

import csv

import pytest

from core.__main__ import main
from core.corpora import dial_corpus
from core.corpora.readers import read_corpus
from tests.core.command_runs import answered, written

SWAP = ("--encoder", "lsa", "--models", "topic_fit", "--draws", "1")


def authored(tmp_path, name: str, author) -> str:
    """The small corpus with authors named by row and topic."""
    with open(written(tmp_path, each=4), newline="") as source:
        rows = list(csv.DictReader(source))
    file = tmp_path / f"{name}.csv"
    with file.open("w", newline="") as target:
        table = csv.DictWriter(target, ["id", "text", "author", "topic"])
        table.writeheader()
        table.writerows(row | {"author": author(number, row["topic"])} for number, row in enumerate(rows))
    return str(file)


def test_swap_says_what_the_twin_buys(capsys, tmp_path):
    answer, _ = answered(capsys, "swap", written(tmp_path), *SWAP)
    effect = answer["effects"]["topic_fit"]
    assert set(effect) == {"effect", "low", "high", "p", "topics"} and effect["topics"] == 6
    assert effect["low"] is None, "six topics are too few for an interval"
    assert "TopicFit" in answer["sentence"] and answer["unmatched"] == []
    twins = {row["topic"]: row["twin"] for row in answer["rows"]}
    assert (twins["stars"], twins["comets"]) == ("comets", "stars")
    assert sum(row["effect"] for row in answer["rows"]) / 6 == pytest.approx(effect["effect"])
    few, _ = answered(capsys, "swap", written(tmp_path), *SWAP, "--topics", "2")
    assert {row["topic"] for row in few["rows"]} < set(twins) and len(few["rows"]) == 2


@pytest.mark.parametrize(
    ("author", "words"),
    [
        (lambda number, topic: "ann", "by one, so there is nobody to tell apart"),
        (lambda number, topic: f"of {topic}", "None of 6 authors writes on two topics"),
        (lambda number, topic: f"a{number}", "Each of 24 authors wrote one text"),
    ],
)
def test_what_cannot_be_swapped_is_one_line_with_what_would_help(capsys, tmp_path, author, words):
    assert main(["swap", authored(tmp_path, "made", author), *SWAP, "--json"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and words in err.strip().splitlines()[-1] and "; " in err.strip().splitlines()[-1]


def test_dial_writes_the_corpus_that_core_makes(capsys, tmp_path):
    file = tmp_path / "made.csv"
    answer, _ = answered(capsys, "dial", "--shared", "0.8", "--loyal", "0.4", "--seed", "2", "--out", str(file))
    assert (answer["documents"], answer["topics"], answer["authors"]) == (960, 32, 16)
    made, read = dial_corpus(shared=0.8, loyal=0.4, seed=2), read_corpus(file)
    assert (read.texts, read.topics, read.authors) == (made.texts, made.topics, made.authors)
    assert main(["dial", "--shared", "1.2", "--out", str(file), "--json"]) == 2
    assert "choose a share between 0 and 1" in capsys.readouterr().err
    assert main(["dial", "--out", str(tmp_path / "no" / "folder.csv"), "--json"]) == 2
    assert "choose another --out" in capsys.readouterr().err
