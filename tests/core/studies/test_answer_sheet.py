"""Answers to a benchmark from files: both formats, several files a system, and a sentence for each thing amiss."""

import io
import json
from pathlib import Path

import numpy as np
import pytest

from core.errors import InputError
from core.studies import AnswerSheet, answer_sheet, read_system, read_systems
from core.studies.raven.benchmark import pair_id
from tests.core.raven_runs import answers_file, small_benchmark


@pytest.fixture(scope="module")
def sheet() -> AnswerSheet:
    return answer_sheet(small_benchmark())


def score(index: int) -> float:
    return round(index % 101 / 100, 2)


def table(sheet: AnswerSheet, header: str, row, *, delimiter: str = ",") -> str:
    """A CSV of every pair; `row` gives its cells from id, index and fold."""
    lines = [header.replace(",", delimiter)]
    for each, start in zip(sheet.pairs, sheet.starts, strict=False):
        for number in range(len(each)):
            identity = pair_id(sheet.tag, each.setup, each.fold, "test", number)
            lines.append(delimiter.join(map(str, row(identity, start + number, each))))
    return "\n".join(lines) + "\n"


def expected(sheet: AnswerSheet) -> list[float]:
    return [score(index) for index in range(len(sheet.ids))]


def test_pan_lines(sheet, tmp_path):
    found = read_system(sheet, [answers_file(tmp_path / "a.jsonl", sheet, score)], name="a")
    assert np.concatenate(found.answers).tolist() == expected(sheet)
    assert [len(part) for part in found.answers] == [len(each) for each in sheet.pairs]
    assert found.notes == ()


@pytest.mark.parametrize(
    ("header", "row", "delimiter", "encoding"),
    [
        ("id,score", lambda each, index, fold: (each, score(index)), ",", "utf-8"),
        ("fold,pair id,score", lambda each, index, fold: (fold.fold, each, score(index)), ";", "utf-8-sig"),
        (
            "Setup,Fold,pair,value",
            lambda each, index, fold: (fold.setup.replace("-", " "), f"{fold.fold}.0", each, score(index)),
            "\t",
            "utf-16",
        ),
    ],
)
def test_tables(sheet, tmp_path, header, row, delimiter, encoding):
    file = tmp_path / "a.csv"
    file.write_text(table(sheet, header, row, delimiter=delimiter), encoding=encoding)
    found = read_system(sheet, [file], name="a")
    assert np.concatenate(found.answers).tolist() == expected(sheet)


def test_a_folder_is_a_system_and_files_too(sheet, tmp_path):
    for part in ("hits", "random-0", "random-1"):
        answers_file(tmp_path / "mine" / part / "answers.jsonl", sheet, score, only=[part])
    (tmp_path / "mine" / "log.txt").write_text("not an answer")
    whole = answers_file(tmp_path / "other.jsonl", sheet, score)
    mine, other = read_systems(sheet, [str(tmp_path / "mine"), whole])
    assert (mine.name, other.name) == ("mine", "other")
    assert np.concatenate(mine.answers).tolist() == np.concatenate(other.answers).tolist()


def test_an_upload(sheet, tmp_path):
    data = io.BytesIO(Path(answers_file(tmp_path / "a.jsonl", sheet, score)).read_bytes())
    data.name = "a.jsonl"
    data.read(10)
    assert np.concatenate(read_system(sheet, [data], name="a").answers).tolist() == expected(sheet)


def test_missing_and_foreign_answers_are_said(sheet, tmp_path):
    file = Path(answers_file(tmp_path / "a.jsonl", sheet))
    lines = file.read_text().splitlines()
    absent = [json.loads(line)["id"] for line in lines[2:4]]
    foreign = json.dumps({"id": "p7", "value": 1})
    file.write_text("\n".join([*lines[:2], *lines[4:], foreign, ""]))
    found = read_system(sheet, [file], name="a")
    assert np.concatenate(found.answers)[2:5].tolist() == [0.5, 0.5, 0.3]
    assert found.notes == (
        f"2 of {len(sheet.ids)} pairs have no answer and count as 0.5: {', '.join(absent)}.",
        "1 answer is to pairs that are not asked here; ignored: p7.",
    )


def test_files_in_different_encodings_are_said(sheet, tmp_path):
    one = answers_file(tmp_path / "1.jsonl", sheet, score, only=["hits"])
    two = Path(answers_file(tmp_path / "2.jsonl", sheet, score, only=["random"]))
    two.write_text(two.read_text(), encoding="utf-16")
    found = read_system(sheet, [one, two], name="a")
    assert np.concatenate(found.answers).tolist() == expected(sheet)
    assert found.notes == ("The files are in different encodings (UTF-16, UTF-8); each was read in its own.",)


def line(identity: str, value: object = 0.3) -> str:
    return json.dumps({"id": identity, "value": value}) + "\n"


def hits_pair(tag: str, side: str = "test") -> str:
    return pair_id(tag, "hits", 0, side, 0)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            lambda tag: line("0badf00d-0") + line("0badf00d-1"),
            r"a: these are answers to another benchmark: none of 2 ids",
        ),
        (lambda tag: line(hits_pair(tag, "train")), "answers to training pairs"),
        (
            lambda tag: line(hits_pair(tag)),
            "no answer at all for hits, fold 1; random-0, fold 0; .* and 2 more",
        ),
        (lambda tag: line(hits_pair(tag)) * 2, "line 2: id '[0-9a-f-]+' already stands in line 1"),
        (lambda tag: line(hits_pair(tag), 1.2), r"line 1: score 1.2 is outside \[0, 1\]"),
        (lambda tag: line(hits_pair(tag), -1), r"line 1: score -1 is outside \[0, 1\]"),
        (lambda tag: line(hits_pair(tag), "high"), 'line 1: the score is "high", not a number'),
        (lambda tag: line(hits_pair(tag), True), "not a number"),
        (lambda tag: line(hits_pair(tag), float("nan")), "not a number"),
        (lambda tag: '{"id": "x"}\n', "line 1: no 'value'"),
        (lambda tag: '{"value": 1}\n', "line 1: no 'id'"),
        (lambda tag: '{"id": \n', "line 1 is not JSON"),
        (lambda tag: "[1]\n", "line 1 is a list"),
        (lambda tag: " \n", "the file is empty"),
        (lambda tag: "name,score\nx,1\n", "a table with a column 'id'"),
        (lambda tag: "id,points\nx,1\n", "a table with a column 'score'"),
        (lambda tag: f"id,score\n{hits_pair(tag)}\n", r"line 2 has 1 field where the header has 2"),
        (lambda tag: f"id;score\n{hits_pair(tag)};0,7\n", 'line 2: the score is "0,7", not a number'),
        (lambda tag: f"id,score\n{hits_pair(tag)},\n", 'line 2: the score is "", not a number'),
        (lambda tag: "id,score\n", "there is no answer in it"),
        (
            lambda tag: f"fold,id,score\n1,{hits_pair(tag)},1\n",
            "is of hits, fold 0, but the line says hits, fold 1; folds are numbered from 0",
        ),
        (lambda tag: f"setup,id,score\nrandom 1,{hits_pair(tag)},1\n", "but the line says random-1, fold 0"),
    ],
)
def test_bad_answers_have_their_sentence(sheet, tmp_path, content, words):
    file = tmp_path / "a.jsonl"
    file.write_text(content(sheet.tag))
    with pytest.raises(InputError, match=words):
        read_system(sheet, [file], name="a")


def test_a_line_in_another_encoding_is_named(sheet, tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_bytes('{"id": "é", "value": 1}\n'.encode() + '{"id": "é", "value": 1}\n'.encode("latin-1"))
    with pytest.raises(InputError, match="line 2 holds a byte that is not UTF-8"):
        read_system(sheet, [file], name="a")


def test_two_systems_in_one_folder(sheet, tmp_path):
    for name in ("one", "two"):
        answers_file(tmp_path / "both" / f"{name}.jsonl", sheet)
    with pytest.raises(InputError, match=r"already answered in .*one\.jsonl, line 1; a folder is one system"):
        list(read_systems(sheet, [str(tmp_path / "both")]))
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match="no answers in this folder"):
        list(read_systems(sheet, [str(tmp_path / "none")]))
    with pytest.raises(InputError, match="there is no such file"):
        list(read_systems(sheet, [str(tmp_path / "nowhere.csv")]))
