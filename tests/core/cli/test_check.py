"""The gate for builds: it fails by what was asked for, and accepts what a baseline lists."""

import json
import re
import subprocess
import sys

import pytest
import yaml

from core.__main__ import main
from core.questions.check import IN_SPLIT, LEVELS, SPLIT, checked_kinds
from tests.conftest import ROOT

LSA = ("--encoder", "lsa")


def checked(capsys, *arguments: str) -> tuple[int, dict]:
    code = main(["check", *arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.fixture
def leaking(tmp_path, tiny_csv):
    """A corpus whose topic bread is on both sides, with one text of it twice."""
    head, *rows = tiny_csv.decode().splitlines()
    sides = {"stars": "test", "cakes": "train"}
    lines = [
        f"{row},{sides.get(row.rsplit(',', 1)[1], 'test' if row.startswith('bread0') else 'train')}" for row in rows
    ]
    copy = (
        next(line for line in lines if line.startswith("bread0")).replace("bread0", "copy").replace(",test", ",train")
    )
    file = tmp_path / "leaking.csv"
    file.write_text("\n".join([f"{head},split", *lines, copy]))
    return str(file)


def test_the_word_split_stands_for_every_kind_of_it():
    assert checked_kinds(["leaks", SPLIT, "twins"]) == ("leaks", *IN_SPLIT)


def test_the_bundled_corpus_fails_on_leaks_and_says_why_in_its_first_line(capsys):
    assert main(["check", "demo", "--fail-on", "leaks"]) == 1
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("Failed. It leaks. In a random 6-fold split, about 15 of 24 topics")
    code, found = checked(capsys, "demo", "--fail-on", "some,unknown,meaningless")
    assert (code, found["passed"], found["level"], found["problems"]) == (0, True, "leaks", [])


def test_a_split_fails_by_topics_on_both_sides_and_by_copies(capsys, leaking):
    code, found = checked(capsys, leaking, *LSA, "--fail-on", "shared-topics")
    assert (code, found["shared-topics"]) == (1, ["bread"])
    assert found["problems"] == ["1 test topic is also in training."]
    code, found = checked(capsys, leaking, *LSA, "--fail-on", "duplicates")
    assert code == 1 and "bread0" in found["duplicates"]
    assert "twins" in found and "shared-topics" not in found, "only what was asked for is looked at"


def test_a_baseline_accepts_what_was_there_and_nothing_else(capsys, leaking, tmp_path):
    kinds = (*LSA, "--fail-on", "split")
    code, before = checked(capsys, leaking, *kinds)
    assert code == 1
    (tmp_path / "baseline.json").write_text(json.dumps(before))
    code, found = checked(capsys, leaking, *kinds, "--baseline", str(tmp_path / "baseline.json"))
    assert code == 0 and "that was not there before" in found["headline"]
    (tmp_path / "baseline.json").write_text(json.dumps(before | {"shared-topics": []}))
    code, found = checked(capsys, leaking, *kinds, "--baseline", str(tmp_path / "baseline.json"))
    assert code == 1 and found["problems"] == ["1 test topic is also in training."]


def test_a_level_is_accepted_only_with_the_pairs_that_were_there(capsys, tmp_path):
    _, before = checked(capsys, "demo", "--fail-on", "leaks")
    assert len(before["twins"]) == 12
    for pairs, expected in ((before["twins"], 0), (before["twins"][1:], 1)):
        (tmp_path / "baseline.json").write_text(json.dumps(before | {"twins": pairs}))
        code, _ = checked(capsys, "demo", "--fail-on", "leaks", "--baseline", str(tmp_path / "baseline.json"))
        assert code == expected


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--fail-on", "leeks"], "Did you mean 'leaks'"),
        (["--fail-on", ","], "--fail-on names nothing"),
        (["--fail-on", "split"], "split"),
        (["--baseline", "nowhere.json"], "Write a baseline with: check FILE --json > nowhere.json"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(capsys, tmp_path, tiny_csv, arguments, words):
    (tmp_path / "tiny.csv").write_bytes(tiny_csv)
    assert main(["check", str(tmp_path / "tiny.csv"), *LSA, *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and words in err and err.count("\n") == 1


def test_without_a_split_the_verdict_alone_is_checked(capsys, tmp_path, tiny_csv):
    (tmp_path / "tiny.csv").write_bytes(tiny_csv)
    code, found = checked(capsys, str(tmp_path / "tiny.csv"), *LSA)
    assert found["fail_on"] == ["leaks"] and code == int(found["level"] == "leaks")


def test_pytest_reports_a_check_as_a_test(leaking, tmp_path):
    given = [f"--leakscope={leaking} --encoder lsa --fail-on {kind}" for kind in ("shared-topics", "meaningless")]
    given.append(f"--leakscope={leaking} --oops")
    options = ["-q", "-p", "core.pytest_plugin", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tmp_path)]
    command = [sys.executable, "-m", "pytest", *options, *given]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "2 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "Failed. 1 test topic is also in training." in done.stdout and "Traceback" not in done.stdout


def test_the_document_lists_every_word_and_its_examples_can_be_read():
    text = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([\w-]+)` \|", text, flags=re.MULTILINE)) == {*LEVELS, *IN_SPLIT, SPLIT}
    hooks, workflow = (yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", text, flags=re.DOTALL))
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hooks["repos"][0]["hooks"][0]["id"] == hook["id"] and hook["entry"] == "leakscope check"
    assert workflow["jobs"]["check"]["steps"][-1]["run"].startswith("leakscope check ")
