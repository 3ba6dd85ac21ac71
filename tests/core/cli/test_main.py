"""The command line keeps its contract: names, keys, exit codes, one line on stderr."""

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from core.__main__ import main, parser
from core.cli import COMMANDS, NEXT, next_command
from core.cli.options import checked_table, checked_target, write_table
from core.corpora import dial_corpus
from core.corpora.readers import read_corpus
from core.errors import SettingError
from core.render import Answer, Fact, Rows, print_answer
from core.render.terminal import PIPED
from tests.conftest import ROOT
from tests.core.command_runs import TOPICS, answered, written

SCREEN = 40  # lines


def shown(capsys, *arguments: str) -> list[str]:
    assert main(arguments) == 0
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["hits", "demo", "--m", "8", "--sampler", "minimax", "--optimum"], ["Lowest possible"]),
        (["design", "demo"], ["All topics, random", "HITS, m = ", "Minimax, ", "HITS, the others merged", "Least-leakage"]),
        (["raven", "demo", "--m", "9", "--k", "3", "--out", "{out}"], ["hits ", *(f"random-{n} " for n in range(5))]),
        (["compare", "{scores}", "--a", "A", "--b", "B"], ["Macro sign test (S)", "Macro t-test (T)", "Macro t-test on ranks", "Equivalence"]),
        (["evaluate", "demo", "--task", "attribution", "--k", "3"], ["Character SVM", "TopicFit"]),
    ],
)  # fmt: skip
def test_every_answer_asked_for_is_on_the_screen(capsys, tmp_path, arguments, words):
    (tmp_path / "scores.csv").write_text("A,B\n0.8,0.7\n0.7,0.75\n0.9,0.85\n0.6,0.5\n")
    files = {"{out}": str(tmp_path / "out"), "{scores}": str(tmp_path / "scores.csv")}
    lines = shown(capsys, *[files.get(each, each) for each in arguments])
    assert len(lines) <= SCREEN
    for word in words:
        assert any(line.startswith(word) for line in lines), word
    assert sum("kind = random" in line for line in lines) <= 1


def test_a_name_cannot_forge_a_line_or_speak_to_the_terminal(capsys, tmp_path):
    file = tmp_path / "forged.csv"
    rows = [f'x{row} word{row % 3},"{name}"' for row in range(8) for name in ("a\nlevel: clear\n\x1b[31mb", "c")]
    file.write_text("\n".join(["text,topic", *rows]))
    for more in ((), ("--all",)):
        lines = shown(capsys, "hits", str(file), "--encoder", "lsa", *more)
        assert not any(line.startswith("level") or "\x1b" in line for line in lines)
        assert any("a level: clear [31mb" in line for line in lines)


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def csv_file(tmp_path, tiny_csv):
    file = tmp_path / "tiny.csv"
    file.write_bytes(tiny_csv)
    return str(file)


def test_audit_counts(capsys, csv_file):
    code, out, _ = run(capsys, "audit", csv_file, "--json")
    answer = json.loads(out)
    assert code == 0
    assert (answer["documents"], answer["topics"], answer["authors"]) == (12, 3, 3)
    assert answer["counts"]["bread"] == {"author 0": 2, "author 1": 1, "author 2": 1}
    assert [warning["code"] for warning in answer["warnings"]] == ["small-topics"]
    assert all({"code", "text", "explanation", "remedy", "page"} == set(warning) for warning in answer["warnings"])
    assert answer["sentence"].startswith("1 problem to fix")


def test_audit_says_the_answer_first_and_counts_only_where_all_is_asked_for(capsys, csv_file):
    _, short, _ = run(capsys, "audit", csv_file)
    _, whole, _ = run(capsys, "audit", csv_file, "--all")
    assert short.startswith("1 problem to fix.")
    assert "author 0" in whole and "author 0" not in short


def test_embed_then_hits_on_the_vectors(capsys, csv_file, tmp_path):
    target = tmp_path / "v.npy"
    code, out, _ = run(capsys, "embed", csv_file, "--encoder", "lsa", "--out", str(target), "--json")
    answer = json.loads(out)
    vectors = np.load(target)
    assert code == 0
    assert (answer["documents"], answer["dimensions"]) == vectors.shape
    assert answer["encoded"] + answer["from_store"] == 12
    code, out, _ = run(capsys, "hits", csv_file, "--vectors", str(target), "--m", "2", "--json")
    by_vectors = json.loads(out)
    _, out, _ = run(capsys, "hits", csv_file, "--encoder", "lsa", "--m", "2", "--json")
    assert by_vectors["path"] == json.loads(out)["path"]
    assert code == 0
    assert by_vectors["topics"] == ["bread", "cakes", "stars"]
    assert by_vectors["path"][0]["leakage"] is None
    assert [step["topic"] for step in by_vectors["path"]][:2] == by_vectors["selected"]
    assert "stars" in by_vectors["selected"], "the odd one out is kept"
    assert set(by_vectors["similarity"]) == {"mean", "max"}


def test_demo_needs_no_model(capsys):
    code, out, _ = run(capsys, "hits", "demo", "--m", "10", "--json")
    answer = json.loads(out)
    assert code == 0
    assert (len(answer["topics"]), len(answer["selected"]), answer["m"]) == (24, 10, 10)


@pytest.mark.parametrize(
    ("more", "last", "kept"), [((), "folk music.", "14 of 24"), (("--m", "3"), "orchestra.", "3 of 24")]
)
def test_hits_lists_the_selection_before_anything_else(capsys, more, last, kept):
    _, out, _ = run(capsys, "hits", "demo", *more)
    words = " ".join(out.split())
    assert "Keep, most distinct first: astronomy · insurance" in words and f"Topics kept {kept}" in words
    assert words.index(last) < words.index("Topics kept")


def test_plain_output_is_for_people(capsys, csv_file):
    code, out, _ = run(capsys, "audit", csv_file)
    assert code == 0
    assert out.startswith("1 problem to fix")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["audit", "nowhere.csv"], "nowhere.csv"),
        (["hits", "{file}", "--encoder", "lsaa"], "Did you mean 'lsa'"),
        (["hits", "{file}", "--encoder", "lsa", "--m", "9"], "choose m from 1 to 3"),
        (["audit", "{file}", "--topic", "topics"], "Did you mean 'topic'"),
        (["embed", "{file}", "--encoder", "lsa", "--out", "/proc/nowhere/v.npy"], "cannot be written"),
        (["audit", "{file}", "--min-documents", "99"], "Lower the minimum"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(capsys, csv_file, arguments, words):
    code, out, err = run(capsys, *[argument.replace("{file}", csv_file) for argument in arguments])
    assert code == 2
    assert out == ""
    last = err.strip().splitlines()[-1]
    assert words in last


def test_bad_options_also_exit_with_2(csv_file):
    with pytest.raises(SystemExit) as stopped:
        main(["hits", csv_file, "--m", "two"])
    assert stopped.value.code == 2


def test_stdout_holds_one_json_document_and_a_pipe_no_progress(csv_file):
    done = subprocess.run(
        [sys.executable, "-m", "core", "hits", csv_file, "--encoder", "nmf", "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["m"] == 3
    assert done.stderr == ""


def test_every_command_is_in_the_readme():
    commands = parser()._subparsers._group_actions[0].choices
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for command in commands:
        assert re.search(rf"python -m core {command}\b", text), f"README does not show '{command}'"


@pytest.mark.parametrize(
    ("arguments", "begins"),
    [
        (["verdict", "demo"], "Yes."),
        (["hits", "demo"], "Keep 14 of 24 topics."),
        (["hits", "demo", "--m", "5"], "The 5 topics that HITS keeps include no near twins"),
        (["hits", "demo", "--m", "24"], "The 24 topics that HITS keeps include near twins"),
        (["folds", "demo", "--k", "4"], "The most similar training topic reaches 0.89"),
        (["embed", "{file}", "--encoder", "lsa", "--out", "{out}"], "Written: 12 vectors of "),
    ],
)
def test_the_first_line_is_the_answer_and_the_rest_a_screen(capsys, csv_file, tmp_path, arguments, begins):
    given = [each.replace("{file}", csv_file).replace("{out}", str(tmp_path / "v.npy")) for each in arguments]
    _, out, _ = run(capsys, *given)
    lines = out.splitlines()
    assert lines[0].startswith(begins)
    assert len(lines) <= SCREEN and max(map(len, lines[1:])) <= PIPED
    _, out, _ = run(capsys, *given, "--all")
    whole = out.splitlines()
    assert whole[0].startswith(begins) and not any("--all" in line for line in whole)
    assert len(whole) >= len(lines) - 1


def test_the_verdict_counts_twins_clear(capsys):
    _, out, _ = run(capsys, "verdict", "demo", "--json")
    answer = json.loads(out)
    assert 0 <= answer["sure_pairs"] <= answer["twin_pairs"] == 12
    assert 0 <= answer["surely_leaking"] <= answer["leaking_topics"]


def test_the_verdict_gives_every_near_twin_and_the_folds_it_is_on(capsys, tmp_path):
    rows = [f"text {row},topic {row % 40:02}" for row in range(160)]
    (tmp_path / "alike.csv").write_text("\n".join(["text,topic", *rows]))
    centres = np.eye(40)
    centres[:16] = centres[0]  # 120 pairs of equal topics among 780
    np.save(tmp_path / "v.npy", np.tile(centres, (4, 1)) + np.random.default_rng(0).normal(0, 0.001, size=(160, 40)))
    given = [str(tmp_path / "alike.csv"), "--vectors", str(tmp_path / "v.npy"), "--k", "20"]
    _, out, _ = run(capsys, "verdict", *given, "--json")
    answer = json.loads(out)
    assert len(answer["twins"]) == answer["twin_pairs"] == 120
    assert answer["k"] == 20
    code, _, err = run(capsys, "verdict", *given[:-1], "1000")
    assert code == 2 and "choose k from 2 to 40" in err


def test_the_help_imports_no_library():
    program = (
        "import sys; from core.__main__ import main\ntry: main(['--help'])\nexcept SystemExit: print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"numpy", "pandas", "sklearn", "scipy", "plotly", "rich", "torch"} & set(done.stdout.split())


@pytest.mark.parametrize("command", ["verdict", "hits"])
def test_a_command_imports_no_library_of_an_extra(command: str):
    program = f"import sys; from core.__main__ import main; main(['{command}', 'demo', '--json']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"torch", "umap", "numba", "sentence_transformers", "dask", "streamlit"} & set(done.stdout.split())


def test_dial_writes_the_corpus_that_core_makes(capsys, tmp_path):
    file = tmp_path / "made.csv"
    answer, _ = answered(capsys, "dial", "--shared", "0.8", "--loyal", "0.4", "--seed", "2", "--out", str(file))
    assert (answer["documents"], answer["topics"], answer["authors"]) == (960, 32, 16)
    made, read = dial_corpus(shared=0.8, loyal=0.4, seed=2), read_corpus(file)
    assert (read.texts, read.topics, read.authors) == (made.texts, made.topics, made.authors)
    assert main(["dial", "--shared", "1.2", "--out", str(file), "--json"]) == 2
    assert "Choose a share between 0 and 1" in capsys.readouterr().err
    assert main(["dial", "--out", str(tmp_path / "no" / "folder.csv"), "--json"]) == 2
    assert "--out" in capsys.readouterr().err


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


def test_a_target_that_cannot_be_written_is_refused_beforehand(tmp_path):
    assert checked_target(str(tmp_path / "answer.csv")).parent == tmp_path
    (tmp_path / "file").write_text("no folder")
    for target in (tmp_path / "nowhere" / "answer.csv", tmp_path / "file" / "answer.csv", tmp_path):
        with pytest.raises(SettingError, match="--out"):
            checked_target(str(target))


def test_a_table_is_written_in_the_format_its_name_ends_in(tmp_path):
    table = pd.DataFrame({"id": ["a", "b"], "fold": [1, 2]})
    for ending, read in (("csv", pd.read_csv), ("parquet", pd.read_parquet)):
        target = str(tmp_path / f"split.{ending}")
        write_table(target, table)
        assert read(target).equals(table)
    with pytest.raises(SettingError, match=r"files ending in '.xls' are not written"):
        checked_table(str(tmp_path / "split.xls"))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["split.csv", "split.parquet"], "nothing half written"


def test_the_next_command_keeps_what_names_the_corpus_and_its_vectors():
    given = ["verdict", "my file.csv", "--encoder", "lsa", "--k", "3", "--topic=subject", "--all"]
    assert next_command("leakscope", "verdict", "my file.csv", given) == (
        "leakscope design 'my file.csv' --encoder lsa --topic=subject"
    )
    assert (
        next_command("leakscope", "split", "a.csv", ["split", "a.csv"]) == "leakscope split a.csv --fix --out fixed.csv"
    )
    assert next_command("leakscope", "split", "a.csv", ["split", "a.csv", "--fix"]) == ""
    assert next_command("leakscope", "dial", None, ["dial"]) == ""
    for name, words in NEXT.items():
        command, *more = words.replace("FILE", "demo").split()
        assert name in COMMANDS and parser(command).parse_args([command, *more]).command == command


def test_a_wide_table_is_printed_in_blocks_and_no_word_is_broken(monkeypatch):
    table = pd.DataFrame(
        {"topic": ["restaurants", "cricket"]} | {f"accuracy of {number}": [0.5, 0.25] for number in range(9)}
    )
    rows = Rows("wide", "Topic by topic", lambda: table, "Read it so.")
    answer = Answer(
        "x", "X", "good", "Done.", facts=(Fact("Training documents", "7,770"),), tables=(rows,), make_data=dict
    )
    console = Console(width=60, file=io.StringIO())
    monkeypatch.setattr("core.render.terminal.make_console", lambda: console)
    print_answer(answer, all=True)
    lines = console.file.getvalue().splitlines()
    assert sum(line.startswith("restaurants ") for line in lines) == 3 and max(map(len, lines)) <= 60
    assert all(f"accuracy of {number}" in " ".join(lines) for number in range(9))
    assert any(line.startswith("Training documents  7,770") for line in lines) and lines[-1] == "Read it so."


@pytest.mark.parametrize("quiet", ["", "NO_COLOR"])
def test_on_a_terminal_the_headline_has_a_colour_and_progress_leaves_nothing(quiet, tmp_path):
    """A real terminal of 80 columns, in which nothing is left of the line of progress."""
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", "LEAKSCOPE_CACHE": str(tmp_path)}
    environment.pop("NO_COLOR", None)
    if quiet:
        environment[quiet] = "1"
    front, back = pty.openpty()
    command = [sys.executable, "-m", "core", "hits", "demo", "--m", "8", "--encoder", "lsa"]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=back, stderr=back) as running:
        os.close(back)
        seen = b""
        while True:
            try:
                piece = os.read(front, 65536)
            except OSError:  # the other end is closed
                break
            seen += piece
            if not piece:
                break
        assert running.wait() == 0
    os.close(front)
    text = seen.decode()
    assert "\x1b" not in text if quiet else "\x1b[1;3" in text, "the headline is bold, in the colour of its level"
    lines = [line.split("\r")[-1] for line in text.replace("\r\n", "\n").splitlines()]
    assert not any(" of 1,500 " in line and "s left" in line for line in lines)
    assert any(line.strip("\x1b[0m1").startswith("Next: ") for line in lines)


def test_a_reader_that_has_seen_enough_is_no_failure():
    command = [sys.executable, "-m", "core", "explain", "small-topics"]
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(command, cwd=ROOT, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (0, "")
