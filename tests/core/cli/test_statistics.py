"""compare, simulate and categorize keep the contract: keys, worked values, one line and exit code 2 on bad input."""

import json

import pytest

from core.__main__ import main
from core.papers.neville_2012 import GroupSettings, type1_rates

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
    assert code == 2 and "Margin" in err


def test_compare_answers_first_and_no_test_that_judged_has_a_problem(capsys, tmp_path):
    file = tmp_path / "table.csv"
    file.write_text(TABLE)
    _code, answer, _ = run(capsys, "compare", str(file), "--a", "A", "--b", "B")
    assert next(iter(answer)) == "headline" and answer["sentence"] == answer["headline"]
    assert answer["headline"].startswith("Inconclusive. A is ahead in 6 of 7 rows")
    assert not any("problem" in test for test in answer["tests"].values())
    main(["compare", str(file), "--a", "A", "--b", "B"])
    assert "problem" not in capsys.readouterr().out
    file.write_text("category,A,B\nx,.5,.5\ny,.6,.6\n")
    _, answer, _ = run(capsys, "compare", str(file), "--a", "A", "--b", "B")
    assert answer["headline"].startswith("No. A and B score the same")
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


def test_simulate_on_networks_of_ones_own(capsys, tmp_path):
    nodes = [(f"n{node}", "+" if node // 10 % 2 else "-") for node in range(60)]
    links = [(f"n{a}", f"n{b}") for a in range(60) for b in range(a + 1, min(a + 4, 60))]
    (tmp_path / "e.csv").write_text("source,target\n" + "\n".join(",".join(link) for link in links))
    (tmp_path / "l.csv").write_text("node,label\n" + "\n".join(",".join(node) for node in nodes))
    files = ["--edges", str(tmp_path / "e.csv"), "--labels", str(tmp_path / "l.csv")]
    code, answer, _ = run(capsys, "simulate", "network", *files, "--trials", "5", "--positive", "+")
    assert code == 0 and next(iter(answer)) == "headline"
    assert (answer["nodes"], answer["positive"], answer["held_out"]) == (60, ["+"], False)
    assert set(answer["schemes"]) == {"ncv", "rrs", "ers"}
    (whole,) = answer["networks"].values()
    assert set(whole["classifiers"]) == {"wvrn", "nbc", "link"}
    assert set(whole["classifiers"]["link"]) == {"alone", "collective"}
    for more, words in (
        (["--positive", "x"], "No class is called 'x'"),
        (["--models", "wvrn"], "Name 2"),
        (["--models", "wvrn,gcn"], "No relational classifier is called 'gcn'"),
    ):
        code, _, err = run(capsys, "simulate", "network", *files, *more)
        assert code == 2 and words in err


def test_simulate_on_made_networks_gives_type_1_error_and_power(capsys):
    options = ["--trials", "5", "--nodes", "60", "--scheme", "ncv", "--labelled", "0.4"]
    _, answer, _ = run(capsys, "simulate", "network", *options, "--models", "wvrn,link")
    assert answer["nodes"] == 60 and set(answer["schemes"]) == {"ncv"}
    _, power, _ = run(capsys, "simulate", "network", *options, "--perturbation", "0.3")
    assert "finds a true difference of " in power["headline"]
    assert power["schemes"]["ncv"]["difference"] > 0.02


def test_compare_weighs_rows_by_their_documents(capsys, tmp_path):
    file = tmp_path / "table.csv"
    file.write_text(
        TABLE.replace("category,A,B", "category,A,B,documents").replace("0\n", "0,12\n").replace("5\n", "5,40\n")
    )
    _, answer, _ = run(capsys, "compare", str(file), "--a", "A", "--b", "B")
    assert answer["tests"]["weighted_t"]["n"] == 8
    assert any("weights the rows" in note for note in answer["notes"])
    assert any("rows of equal size" in caution for caution in answer["cautions"])
    _, named, _ = run(capsys, "compare", str(file), "--a", "A", "--b", "B", "--weights", "documents")
    assert named["tests"]["weighted_t"] == answer["tests"]["weighted_t"]


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
        (["simulate", "type1", "--labelled", "0.5"], "type1 needs --scheme"),
        (["simulate", "network", "--edges", "{file}"], "give both --edges and --labels"),
        (["categorize", "{file}"], "text"),
        (["categorize", "demo"], "one topic"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(capsys, tmp_path, arguments, words):
    file = tmp_path / "table.csv"
    file.write_text(TABLE)
    code = main([argument.replace("{file}", str(file)) for argument in arguments])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert words in err.strip().splitlines()[-1]


def test_an_equivalence_says_which_interval_is_which(capsys, tmp_path):
    file = tmp_path / "scores.csv"
    file.write_text("A,B\n0.8,0.7\n0.7,0.75\n0.9,0.85\n0.6,0.5\n")
    assert main(["compare", str(file), "--a", "A", "--b", "B", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["tests"]["equivalence"]
    low, high = found["interval_90"]
    assert found["interval_confidence"] == 0.95 and found["interval"][0] < low < high < found["interval"][1]
    assert "90% CI −0.033 to 0.133" in found["reading"]


def test_one_trial_tells_nothing(capsys):
    given = ["--scheme", "ncv", "--labelled", "0.5", "--trials", "1"]
    assert main(["simulate", "type1", *given]) == 0
    assert "too uncertain to tell" in capsys.readouterr().out
