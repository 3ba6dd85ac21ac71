"""The command line keeps its contract: names, keys, exit codes, one line on stderr."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest

from core.__main__ import main, parser
from core.render.terminal import PIPED
from tests.conftest import ROOT
from tests.core.cli.test_screen import SCREEN


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
    assert answer["sentence"].startswith("12 documents in 3 topics by 3 authors")


def test_audit_says_the_answer_first_and_counts_only_where_all_is_asked_for(capsys, csv_file):
    _, short, _ = run(capsys, "audit", csv_file)
    _, whole, _ = run(capsys, "audit", csv_file, "--all")
    assert short.startswith("12 documents in 3 topics by 3 authors: 1 problem to fix.")
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


def test_plain_output_is_for_people(capsys, csv_file):
    code, out, _ = run(capsys, "audit", csv_file)
    assert code == 0
    assert out.startswith("12 documents in 3 topics")


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
        (["hits", "demo", "--m", "10"], "Keep 14 of 24 topics."),
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


def test_the_verdict_counts_twins_beyond_doubt(capsys):
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
