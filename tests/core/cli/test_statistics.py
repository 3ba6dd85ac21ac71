"""compare, simulate and categorize keep the contract: keys, worked values, one line and exit code 2 on bad input."""

import json

import pytest

from core.__main__ import main
from core.statistics.simulation import GroupSettings, type1_rates

TABLE = "category,A,B\na,.80,.70\nb,.75,.75\nc,.90,.85\nd,.60,.65\ne,.55,.40\nf,.70,.60\ng,.85,.80\nh,.40,.30\n"


def run(capsys, *arguments: str):
    code = main([*arguments, "--json"])
    out, err = capsys.readouterr()
    return code, json.loads(out) if out else None, err


def test_compare_gives_the_worked_values(capsys, tmp_path):
    file = tmp_path / "table.csv"
    file.write_text(TABLE)
    code, answer, _ = run(capsys, "compare", str(file), "--a", "A", "--b", "B")
    tests = answer["tests"]
    assert code == 0
    assert {"S", "T", "Tprime", "paired_t", "unpaired_t", "wilcoxon"} <= set(tests)
    assert "s" not in tests, "single decisions are not in such a table"
    assert (tests["S"]["n"], tests["S"]["p"], tests["S"]["verdict"]) == (7, pytest.approx(0.0625), "~")
    assert (tests["T"]["statistic"], tests["T"]["p"]) == (
        pytest.approx(2.970443, abs=1e-6),
        pytest.approx(0.012472, abs=1e-6),
    )
    assert tests["Tprime"]["statistic"] == pytest.approx(2.661197, abs=1e-6)
    assert (tests["equivalence"]["verdict"], tests["equivalence"]["effect"]) == ("~", pytest.approx(0.0625))
    _, wider, _ = run(capsys, "compare", str(file), "--a", "A", "--b", "B", "--margin", "0.15")
    assert wider["tests"]["equivalence"]["verdict"] == "="
    code, _, err = run(capsys, "compare", str(file), "--a", "A", "--b", "B", "--margin", "0")
    assert code == 2 and "margin" in err


def test_compare_answers_first_and_no_test_that_judged_has_a_problem(capsys, tmp_path):
    file = tmp_path / "table.csv"
    file.write_text(TABLE)
    _code, answer, _ = run(capsys, "compare", str(file), "--a", "A", "--b", "B")
    assert next(iter(answer)) == "sentence"
    assert answer["sentence"].startswith("Cannot tell: A is ahead of B in 6 of the 7 rows that differ (p = 0.1250")
    assert not any("problem" in test for test in answer["tests"].values())
    main(["compare", str(file), "--a", "A", "--b", "B"])
    assert "problem" not in capsys.readouterr().out
    file.write_text("category,A,B\nx,.5,.5\ny,.6,.6\n")
    _, answer, _ = run(capsys, "compare", str(file), "--a", "A", "--b", "B")
    assert answer["sentence"].startswith("Nothing tells them apart")
    assert answer["tests"]["S"]["problem"] and answer["tests"]["S"]["p"] is None


def test_compare_counts_decisions(capsys, tmp_path):
    file = tmp_path / "table.csv"
    file.write_text("A,B\n" + "1,0\n" * 38 + "0,1\n" * 22 + "1,1\n" * 10)
    _, answer, _ = run(capsys, "compare", str(file), "--a", "A", "--b", "B")
    assert set(answer["tests"]) == {"s", "p"}
    assert answer["tests"]["s"]["statistic"] == pytest.approx(2.065591, abs=1e-6)
    assert answer["tests"]["s"]["p"] == pytest.approx(0.019434, abs=1e-6)


def test_simulate_counts_rejections(capsys):
    code, answer, _ = run(
        capsys, "simulate", "type1", "--scheme", "ncv", "--labelled", "0.5", "--trials", "200", "--seed", "1"
    )
    assert code == 0
    assert set(answer["rates"]) == {"paired", "unpaired", "wilcoxon"}
    assert answer["trials"] == 200
    assert 0.6 < answer["error_correlation"] < 1
    assert 0 <= answer["rates"]["paired"] < 0.15


def test_simulate_answers_what_the_simulation_found(capsys):
    code, answer, _ = run(
        capsys, "simulate", "type1", "--scheme", "ncv", "--labelled", "0.3", "--trials", "200", "--seed", "5",
        "--correlation", "0.5", "--instances", "200", "--groups", "20",
    )  # fmt: skip
    settings = GroupSettings(correlation=0.5, instances=200, groups=20)
    found = type1_rates("ncv", labelled=0.3, trials=200, seed=5, settings=settings)
    assert code == 0
    assert answer["rates"] == found.rates
    assert answer["intervals"] == {name: list(interval) for name, interval in found.intervals.items()}
    assert answer["error_correlation"] == pytest.approx(0.25, abs=0.06)
    assert answer["notes"] == []


def test_simulate_says_null_where_nothing_can_be_measured(capsys):
    _, answer, _ = run(
        capsys, "simulate", "type1", "--scheme", "rrs", "--labelled", "0.5", "--trials", "20", "--error", "0"
    )
    assert answer["error_correlation"] is None
    assert len(answer["notes"]) == 3


def test_categorize_scores_every_model_and_tests_every_pair(capsys, tmp_path):
    words = {
        "grain": "wheat corn barley crop harvest",
        "ship": "vessel port cargo crew dock",
        "gold": "ounce mine ore bullion metal",
    }
    lines = []
    for number in range(60):
        topics = [topic for index, topic in enumerate(words) if number % 3 == index or number % 7 == index]
        text = " ".join(words[topic] for topic in topics) + f" report {number % 5}"
        lines.append(json.dumps({"text": text, "topics": topics, "split": "train" if number % 4 else "test"}))
    file = tmp_path / "corpus.jsonl"
    file.write_text("\n".join(lines))
    code, answer, _ = run(capsys, "categorize", str(file), "--models", "svm,nb")
    assert code == 0
    assert {"miR", "miP", "miF1", "maF1", "error"} <= set(answer["systems"]["svm"])
    assert [(pair["a"], pair["b"]) for pair in answer["tests"]] == [("svm", "nb")]
    assert {"s", "S", "T", "Tprime"} <= set(answer["tests"][0])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["compare", "{file}", "--a", "A", "--b", "C"], "C"),
        (["compare", "nowhere.csv", "--a", "A", "--b", "B"], "nowhere.csv"),
        (["simulate", "type1", "--scheme", "nvc", "--labelled", "0.5"], "Did you mean 'ncv'"),
        (["simulate", "type1", "--scheme", "ncv", "--labelled", "0.0001"], "label"),
        (["categorize", "{file}"], "text"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(capsys, tmp_path, arguments, words):
    file = tmp_path / "table.csv"
    file.write_text(TABLE)
    code = main([argument.replace("{file}", str(file)) for argument in arguments])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert words in err.strip().splitlines()[-1]
