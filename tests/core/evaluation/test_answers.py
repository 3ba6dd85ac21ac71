"""Answers from files: PAN's worked example, laws of missing and unknown ids, and every refusal with its line.

Tables of answers are tested in tests/core/papers/hits_2024/test_raven.py.
"""

import io
import json
import math
import tracemalloc

import numpy as np
import pytest

from core.errors import InputError
from core.evaluation import pan_scores, read_system_answers, read_truth, system_names
from core.evaluation.answers import PAN_METRICS
from core.models import verification_scores

SAME = [True, True, True, False, False, False, True, False]
SCORES = [0.9, 0.7, 0.5, 0.2, 0.5, 0.6, 0.3, 0.1]


def truth_lines(same=SAME):
    return [json.dumps({"id": f"p{index}", "same": value, "authors": ["x", "y"]}) for index, value in enumerate(same)]


def answer_lines(scores=SCORES):
    return [json.dumps({"id": f"p{index}", "value": value}) for index, value in enumerate(scores)]


def stream(lines) -> io.BytesIO:
    file = io.BytesIO("\n".join(lines).encode())
    file.name = "given.jsonl"
    return file


def read_answers(file, truth):
    return read_system_answers([file], truth.ids)


@pytest.fixture
def truth():
    return read_truth(stream(truth_lines()))


def test_the_worked_example(truth):
    answers = read_answers(stream(answer_lines()), truth)
    values, reasons = pan_scores(truth, answers)
    assert tuple(values) == PAN_METRICS
    assert values["auc"] == pytest.approx(0.78125)
    assert values["c@1"] == pytest.approx(0.625)
    assert values["f_05_u"] == pytest.approx(0.588235, abs=1e-6)
    assert values["F1"] == pytest.approx(0.666667, abs=1e-6)
    assert values["overall"] == pytest.approx((0.78125 + 0.625 + values["f_05_u"] + values["F1"]) / 4)
    assert values == {metric: verification_scores(SAME, SCORES).named()[metric] for metric in PAN_METRICS}
    assert answers.notes == reasons == ()


def test_the_order_of_answers_does_not_count(truth):
    shuffled = read_answers(stream(reversed(answer_lines())), truth)
    assert np.array_equal(shuffled.scores, SCORES)


def test_a_missing_answer_is_a_half(truth):
    left_out = read_answers(stream(answer_lines()[:5]), truth)
    written = read_answers(stream(answer_lines([*SCORES[:5], 0.5, 0.5, 0.5])), truth)
    assert pan_scores(truth, left_out) == pan_scores(truth, written)
    assert left_out.notes == ("3 of 8 problems have no answer and count as 0.5: p5, p6, p7.",)


def test_unknown_ids_are_named_and_ignored(truth):
    extra = [json.dumps({"id": f"z{index}", "value": 1}) for index in range(7)]
    answers = read_answers(stream(extra + answer_lines()), truth)
    assert np.array_equal(answers.scores, SCORES)
    (note,) = answers.notes
    assert note.startswith("7 answers") and note.endswith("z0, z1, z2, z3, z4, ….")


def test_ids_may_be_numbers():
    truth = read_truth(stream(['{"id": 7, "same": true}', '{"id": "8", "same": false}']))
    answers = read_answers(stream(['{"id": "7", "value": 1}', '{"id": 8, "value": 0}']), truth)
    assert answers.scores.tolist() == [1, 0]


def test_a_mark_blank_lines_and_windows_line_ends_are_fine(truth):
    content = b"\xef\xbb\xbf" + "\r\n\r\n".join(answer_lines()).encode() + b"\r\n"
    assert np.array_equal(read_answers(io.BytesIO(content), truth).scores, SCORES)


def test_a_list_of_one_number_is_that_number_and_is_said(truth):
    lines = [*answer_lines()[:5], *(json.dumps({"id": f"p{index}", "value": [SCORES[index]]}) for index in (5, 6, 7))]
    answers = read_answers(stream(lines), truth)
    assert np.array_equal(answers.scores, SCORES)
    assert answers.notes == ("3 answers are lists of one number, and read as that number.",)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_table_is_read_too(truth, encoding):
    rows = [f"p{index};{value};très sûr" for index, value in enumerate(SCORES)]
    file = io.BytesIO("\n".join(["id;score;note", *rows]).encode(encoding))
    assert np.array_equal(read_answers(file, truth).scores, SCORES)
    assert not file.closed, "the file is its owner's to close"


def test_a_table_without_rows_is_no_answer(truth):
    with pytest.raises(InputError, match="there is no answer in it"):
        read_answers(io.BytesIO(b"id,score\n"), truth)


@pytest.mark.parametrize(("same", "kind"), [(True, "same"), (False, "different")])
def test_one_class_leaves_auc_undefined(same, kind):
    truth = read_truth(stream(truth_lines([same] * 3)))
    values, (reason,) = pan_scores(truth, read_answers(stream(answer_lines([0.9, 0.1, 0.6])), truth))
    assert math.isnan(values["auc"]) and math.isnan(values["overall"])
    assert not math.isnan(values["brier"])
    assert reason.startswith("auc, overall undefined") and f"{kind}-author problems only" in reason


def test_no_answers_at_all_have_an_f1_of_zero(truth):
    values, reasons = pan_scores(truth, read_answers(stream(answer_lines([0.5] * 8)), truth))
    assert (values["F1"], values["auc"], values["overall"]) == (0.0, 0.5, 0.125)
    assert not reasons


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"id": "p0", "value": 1.2}', "score 1.2 is outside [0, 1]"),
        ('{"id": "p0", "value": -0.1}', "outside [0, 1]"),
        ('{"id": "p0", "value": 1' + "0" * 400 + "}", "outside [0, 1]"),
        ('{"id": "p0", "value": Infinity}', "outside [0, 1]"),
        ('{"id": "p0", "value": NaN}', "NaN, not a number"),
        ('{"id": "p0", "value": true}', "true, not a number; write 0.5"),
        ('{"id": "p0", "value": null}', "null, not a number"),
        ('{"id": "p0", "value": "0.7"}', '"0.7", not a number'),
        ('{"id": "p0", "value": [0.7, 0.3]}', "a list, not a number"),
        ('{"id": "p0", "value": []}', "a list, not a number"),
        ('{"id": "p0", "value": [[0.7]]}', "a list, not a number"),
        ('{"id": "p0", "value": [1.2]}', "score 1.2 is outside [0, 1]"),
        ('{"id": "p0"}', "no 'value'"),
        ('{"value": 0.7}', "no 'id'"),
        ('{"id": "p9", "value": 2}', "outside [0, 1]"),
        ("[0.7]", "is a list"),
        ("id,value", "is not JSON"),
        ('{"id": "p1", "value": 0.7}', "id 'p1' already stands in line 1"),
        ("[" * 100_000, "line 2"),
    ],
)
def test_a_bad_answer_is_named_with_its_line(truth, line, words):
    with pytest.raises(InputError) as problem:
        read_answers(stream(['{"id": "p1", "value": 0.1}', line]), truth)
    assert str(problem.value).startswith("given.jsonl: line 2")
    assert words in str(problem.value)


def test_an_unknown_id_may_not_come_twice_either(truth):
    with pytest.raises(InputError, match="line 3: id 'z' already stands in line 1"):
        read_answers(stream(['{"id": "z", "value": 1}', "", '{"id": "z", "value": 1}']), truth)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (['{"id": "a", "same": 1}'], "'same' is 1; write the truth"),
        (['{"id": "a", "same": "true"}'], "with true or false"),
        (['{"id": "a", "value": 0.3}'], "no 'same'"),
        (['{"id": "a", "same": true}', '{"id": "a", "same": true}'], "line 2: id 'a' already stands in line 1"),
        (['{"id": "", "same": true}'], "no 'id'"),
        (["", " "], "empty"),
        ([], "empty"),
    ],
)
def test_a_bad_truth_is_refused(lines, words):
    with pytest.raises(InputError) as problem:
        read_truth(stream(lines))
    assert words in str(problem.value)


@pytest.mark.parametrize("content", ['{"id": "é", "same": true}'.encode("latin-1"), '{"id": "a"}'.encode("utf-16")])
def test_only_utf8_is_read(content):
    with pytest.raises(InputError, match="line 1 is not UTF-8"):
        read_truth(io.BytesIO(content))


def test_what_cannot_be_opened_is_said(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere.jsonl"):
        with pytest.raises(InputError, match="no such file"):
            read_truth(path)


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["a.jsonl", "b.jsonl"], ["a", "b"]),
        (["runs/one/answers.jsonl", "runs/two/answers.jsonl", "c.jsonl"], ["one", "two", "c"]),
        (["x/a/answers.jsonl", "y/a/answers.jsonl"], ["x/a/answers.jsonl", "y/a/answers.jsonl"]),
        (["a/s.jsonl", "a/s.json"], ["a/s.jsonl", "a/s.json"]),
        (["d/a/s.jsonl", "d/b/s.jsonl", "d/a.jsonl"], ["d/a/s.jsonl", "b", "d/a.jsonl"]),
    ],
)
def test_names_are_stems_folders_or_paths(files, names):
    assert system_names(files) == names


def test_one_file_twice_is_refused():
    with pytest.raises(InputError, match="given twice"):
        system_names(["a.jsonl", "b.jsonl", "a.jsonl"])


def test_memory_grows_with_ids_not_with_lines(tmp_path):
    padding = "x" * 20_000
    truth_file, answers, table = (tmp_path / name for name in ("truth.jsonl", "answers.jsonl", "answers.csv"))
    with truth_file.open("w") as truths, answers.open("w") as objects, table.open("w") as rows:
        rows.write("id,score,why\n")
        for n in range(1_000):
            truths.write(json.dumps({"id": f"p{n}", "same": n % 2 == 0, "pair": padding}) + "\n")
            objects.write(json.dumps({"id": f"p{n}", "value": 0.25, "why": padding}) + "\n")
            rows.write(f"p{n},0.25,{padding}\n")
    tracemalloc.start()
    try:
        truth = read_truth(truth_file)
        first = tracemalloc.get_traced_memory()[1]
        assert all((read_answers(file, truth).scores == 0.25).all() for file in (answers, table))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(truth) == 1_000 and first < 2_000_000
    assert peak < 6_000_000 < min(file.stat().st_size for file in (truth_file, answers, table))
