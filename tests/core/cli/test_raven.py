"""The commands raven and shortcut: contract keys, values as core gives them, refusals in one line."""

import json

import pytest

from core.__main__ import main
from core.evaluation import shortcut_test
from core.papers.hits_2024 import answer_sheet, benchmark_statistics, read_benchmark, read_systems
from tests.core.command_runs import answered, written
from tests.core.raven_runs import answers_file, written_corpus


@pytest.fixture
def small(tmp_path) -> list[str]:
    file, vectors = written_corpus(tmp_path)
    return [file, "--vectors", vectors]


def built(capsys, small, place, *more: str) -> dict:
    return answered(capsys, "raven", *small, "--m", "4", "--k", "2", "--out", str(place), *more)[0]


def test_raven_writes_what_it_says(capsys, small, tmp_path):
    answer = built(capsys, small, tmp_path / "out", "--seed", "5")
    benchmark = read_benchmark(tmp_path / "out")
    assert answer["manifest"] == str(tmp_path / "out" / "manifest.json")
    assert benchmark.settings.seed == 5 and benchmark.settings.random_seeds == (0, 1, 2, 3, 4)
    assert list(answer["setups"]) == ["hits", *(f"random-{seed}" for seed in range(5))]
    for found in benchmark_statistics(benchmark):
        shown = answer["setups"][found.key]
        assert (shown["topics"], shown["documents"], shown["authors"]) == (4, 36, found.authors)
        assert shown["pairs"] == sum(found.pairs.values())
        assert (shown["gap"], shown["topic_oracle_auc"]) == (0, 0.5)
        assert shown["left_out"] == sum(found.left_out.values())
    assert answer["pairs"] == benchmark.settings.pairs == "matched"


def test_raven_without_a_size_finds_one_that_can_be_built(capsys, small, tmp_path):
    found = answered(capsys, "raven", *small, "--out", str(tmp_path / "free"))[0]
    assert 2 <= found["k"] <= found["m"] and found["m"] == found["setups"]["hits"]["topics"]
    assert found["sentence"].startswith(f"Wrote a benchmark of {found['m']} topics in {found['k']} folds")
    kept = answered(capsys, "raven", *small, "--k", "2", "--out", str(tmp_path / "two"))[0]
    assert kept["k"] == 2


def test_raven_that_no_size_allows_is_refused(capsys, tmp_path):
    file = tmp_path / "alone.csv"
    rows = [f"words of text {row},t{row % 4},author {row}" for row in range(24)]
    file.write_text("\n".join(["text,topic,author", *rows]))
    assert main(["raven", str(file), "--encoder", "lsa", "--out", str(tmp_path / "out")]) == 2
    assert "authors with two texts" in capsys.readouterr().err


def test_raven_draws_the_papers_pairs_and_plain_similarity_when_asked(capsys, small, tmp_path):
    answer = built(capsys, small, tmp_path / "out", "--pairs", "paper", "--similarity", "plain")
    benchmark = read_benchmark(tmp_path / "out")
    assert (answer["pairs"], benchmark.settings.pairs, benchmark.settings.similarity) == ("paper", "paper", "plain")
    record = json.loads((tmp_path / "out" / "manifest.json").read_text())
    for found in benchmark_statistics(benchmark):
        told, shown = record["setups"][found.key], answer["setups"][found.key]
        for name in ("gap", "topic_oracle_auc"):
            assert shown[name] == told[name] == getattr(found, name)
        assert shown["topic_oracle_auc"] > 0.5
    assert any(shown["gap"] != 0 for shown in answer["setups"].values())


def test_raven_takes_the_other_sampler_and_reads_back(capsys, small, tmp_path):
    answer = built(capsys, small, tmp_path / "raven", "--sampler", "minimax")
    assert "kept by minimax and 5 random samples" in answer["sentence"]
    again = read_benchmark(tmp_path / "raven")
    unlike, *drawn = again.setups
    assert (unlike.key, unlike.group, again.settings.sampler) == ("minimax", "hits", "minimax")
    assert {setup.group for setup in drawn} == {"random"}
    plain = built(capsys, small, tmp_path / "hits")
    record = json.loads((tmp_path / "hits" / "manifest.json").read_text("utf-8"))
    assert "sampler" not in record["settings"] and plain["setups"].keys() - answer["setups"].keys() == {"hits"}
    assert read_benchmark(tmp_path / "hits").tag != again.tag
    assert "topics that minimax chooses" in (tmp_path / "raven" / "README.md").read_text("utf-8")


def test_raven_as_an_archive_without_training_texts(capsys, small, tmp_path):
    answer = built(capsys, small, tmp_path / "out.zip", "--train-texts", "no")
    assert read_benchmark(tmp_path / "out.zip").settings.m == 4
    assert any("README.md says how" in note for note in answer["notes"])


def test_shortcut_gives_what_core_gives(capsys, small, tmp_path):
    built(capsys, small, tmp_path / "out")
    sheet = answer_sheet(read_benchmark(tmp_path / "out"))
    files = [
        answers_file(tmp_path / "first.jsonl", sheet, lambda index: index % 7 / 7),
        answers_file(tmp_path / "second.jsonl", sheet, lambda index: index % 3 / 3),
        answers_file(tmp_path / "silent.jsonl", sheet, lambda index: 0.5),
    ]
    for metric in ("overall", "auc"):
        answer, _ = answered(capsys, "shortcut", str(tmp_path / "out"), *files, "--metric", metric)
        test = shortcut_test(sheet.pairs, list(read_systems(sheet, files)), metric=metric)
        assert list(answer["models"]) == ["first", "second", "silent"]
        for result in test.results:
            shown = answer["models"][result.name]
            for key in ("hits", "random", "avg", "diff", "rank_avg", "rank_diff"):
                assert shown[key] == getattr(result, key)
            assert shown["diff"] == abs(shown["hits"] - shown["random"])
            assert set(shown["similarity_rho"]) == {"all", "same", "different"}
            assert shown["reading"] == result.reading
        assert (answer["power"], answer["control"]) == (None, None)
    told, _ = answered(capsys, "shortcut", str(tmp_path / "out"), *files, "--metric", "auc", "--control", "silent")
    assert (told["power"], told["control"]) == (False, "silent")
    assert told["sentence"].startswith("Inconclusive.")
    assert {shown["reading"] for shown in told["models"].values()} == {"cannot tell"}
    overall, _ = answered(capsys, "shortcut", str(tmp_path / "out"), *files)
    assert overall["models"]["silent"]["avg"] == 0.125, "F1 of a system that never answers is 0, and its AUC .5"
    assert main(["shortcut", str(tmp_path / "out"), *files]) == 0
    assert "relies on topic?" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (["--m", "9"], "m = 9, but the corpus has 7 topics"),
        (["--m", "1"], "(m) is 1. Choose 2 or more"),
        (["--k", "5"], "choose k from 2 to 4"),
        (["--author", "writer"], "no column 'writer'"),
        (["--out", "{full}"], "the folder is not empty"),
        (["--out", "{full}/no/where"], "there is no folder"),
    ],
)
def test_raven_refuses_in_one_line(capsys, small, tmp_path, change, words):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    change = [part.replace("{full}", str(tmp_path / "full")) for part in change]
    code = main(["raven", *small, "--m", "4", "--k", "2", "--out", str(tmp_path / "out"), *change])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "") and words in err
    assert not (tmp_path / "out").exists()


def test_raven_needs_authors(capsys, tmp_path):
    file = written(tmp_path, column="writer")
    assert main(["raven", file, "--m", "4", "--k", "2", "--out", str(tmp_path / "out")]) == 2
    assert "names no authors" in capsys.readouterr().err


def test_shortcut_refuses_in_one_line(capsys, small, tmp_path):
    built(capsys, small, tmp_path / "out")
    answers = tmp_path / "a.jsonl"
    answers.write_text(json.dumps({"id": "p1", "value": 1}) + "\n")
    for arguments, words in (
        ([str(tmp_path), str(answers)], "no manifest.json"),
        ([str(tmp_path / "out"), str(answers)], "answers to another benchmark"),
        ([str(tmp_path / "out"), str(answers), str(answers)], "given twice"),
        ([str(tmp_path / "out"), str(tmp_path / "b.jsonl")], "no such file"),
    ):
        assert main(["shortcut", *arguments]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert words in line
