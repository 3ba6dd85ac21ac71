"""The commands design and split, minimax and least-leakage folds: contract keys, and values as core gives them."""

import json

import numpy as np
import pandas as pd
import pytest

from core.__main__ import main
from core.corpora.readers import read_corpus
from core.demo import bundled_corpus, bundled_vectors
from core.splits import Constraints, least_leakage
from core.topics import hits_path, optimum, topic_space
from core.vectors import make_encoder
from tests.core.command_runs import ATTRIBUTION, TOPICS, answered, written


@pytest.fixture(scope="module")
def space():
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert")).matrix
    return topic_space(vectors, corpus.topic_codes, corpus.topic_names)


def test_design_gives_what_core_gives(capsys, space):
    answer, _ = answered(capsys, "design", "demo", "--k", "20", "--balance", "0.8")
    kinds = {"random", "hits", "minimax", "grouping", "hybrid", "least-leakage"}
    assert set(answer["options"]) == kinds
    for option in answer["options"].values():
        assert {"documents", "topics", "mean", "max", "nearest_mean", "seen_authors"} <= set(option)
    found = least_leakage(bundled_corpus(), space, k=20)
    assert len(answer["folds"]) == 20 and sorted(topic for fold in answer["folds"] for topic in fold) == sorted(
        space.names
    )
    assert answer["options"]["least-leakage"]["balance"] == 0.8
    assert answer["options"]["least-leakage"]["max"] <= found.max
    assert answer["optimal"] in (True, False) and answer["sentence"]


def refused(capsys, *arguments: str) -> str:
    assert main(["design", *arguments, "--encoder", "lsa", "--json"]) == 2
    out, err = capsys.readouterr()
    assert not out
    return err.strip().splitlines()[-1]


def test_design_keeps_to_the_constraints_and_writes_the_split(capsys, tmp_path):
    file, target = written(tmp_path), tmp_path / "folds.jsonl"
    constraints = [
        "--balance",
        "1",
        "--together",
        "bread",
        "trams",
        "--together",
        "soups",
        "stars",
        "--apart",
        "bread",
        "cakes",
    ]
    answer, _ = answered(
        capsys,
        "design",
        file,
        "--encoder",
        "lsa",
        "--k",
        "3",
        *constraints,
        "--out",
        str(target),
        "--take",
        "least-leakage",
    )
    fold = {topic: number for number, topics in enumerate(answer["folds"]) for topic in topics}
    assert fold["bread"] == fold["trams"] != fold["cakes"] and fold["soups"] == fold["stars"]
    assert answer["options"]["least-leakage"]["meets_constraints"] is True
    assert all(option["as_wished"] == option["meets_constraints"] for option in answer["all_options"]), "the old name"
    assert not all(option["meets_constraints"] for option in answer["all_options"] if option["kind"] == "random")
    assert (answer["taken"], answer["column"]) == ("Least-leakage folds, balance 100%", "fold")
    rows = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    assert {row["topic"]: row["fold"] - 1 for row in rows} == fold and len(rows) == 36
    sides = tmp_path / "sides.parquet"
    taken, _ = answered(
        capsys, "design", file, "--encoder", "lsa", "--k", "2", "--out", str(sides), "--as", "split", "--take", "hits"
    )
    kept = pd.read_parquet(sides)
    assert set(kept["split"]) == {"train", "test"} and len(kept) == taken["options"]["hits"]["documents"]
    assert read_corpus(sides).splits == tuple(kept["split"])


def test_design_without_authors_and_its_refusals(capsys, tmp_path):
    nobody = written(tmp_path, column="writer")
    answer, _ = answered(capsys, "design", nobody, "--encoder", "lsa", "--k", "2")
    assert all(option["seen_authors"] is option["authors"] is None for option in answer["options"].values())
    assert answer["options"]["least-leakage"]["documents"] == 36 and len(answer["folds"]) == 2
    assert "names no authors" in refused(capsys, nobody, "--k", "2", "--seen-authors", "0.5")
    assert "k = 7, but there are 6 topics to split; choose k from 2 to 6." in refused(capsys, nobody, "--k", "7")
    assert "No topic is called 'bred'. Did you mean 'bread'?" in refused(capsys, nobody, "--apart", "bred", "cakes")
    both = ["--together", "bread", "cakes", "--apart", "bread", "cakes"]
    assert "'bread' and 'cakes' are to be together and apart" in refused(capsys, nobody, "--k", "2", *both)
    assert "files ending in '.xls' are not written" in refused(capsys, nobody, "--out", "x.xls")
    lone = tmp_path / "one.csv"
    lone.write_text("text,topic\n" + "flour oven dough,bread\n" * 9, encoding="utf-8")
    assert "every document has the topic 'bread'" in refused(capsys, str(lone))
    with lone.open("a", encoding="utf-8") as file:
        file.write("a telescope,stars\n")
    assert "Fewer than two topics have enough documents" in refused(capsys, str(lone), "--k", "2")


def test_design_of_equally_similar_topics_and_of_a_near_twin_cluster(capsys, tmp_path):
    file, vectors = written(tmp_path, column="writer"), tmp_path / "vectors.npy"
    np.save(vectors, np.eye(6).repeat(6, axis=0) + 0.2)
    answer, _ = answered(capsys, "design", file, "--vectors", str(vectors), "--k", "3")
    maxima = [option["max"] for option in answer["all_options"]]
    assert np.allclose(maxima, maxima[0]) and answer["recommended"]["kind"] == "least-leakage", (
        "what leakage costs is not shown to be small"
    )
    near = np.eye(6)
    near[:3] = np.eye(6)[0] + 0.3 * near[:3]  # three topics that are nearly one
    drawn = np.random.default_rng(0).normal(scale=0.05, size=(36, 6))
    np.save(vectors, near.repeat(6, axis=0) + drawn)
    answer, _ = answered(capsys, "design", file, "--vectors", str(vectors), "--k", "5")
    (note,) = [note for note in answer["notes"] if "near-twin cluster" in note]
    assert "3 topics" in note and "50% of the documents ('bread', 'cakes' and 'soups')" in note
    assert "3 other folds at most" in note


def test_hits_takes_the_other_sampler_and_tells_the_optimum(capsys, space):
    answer, _ = answered(capsys, "hits", "demo", "--m", "12", "--sampler", "minimax", "--optimum")
    best = optimum(space.similarity, 12)
    assert answer["optimum"] == {
        "max": best.max,
        "mean": pytest.approx(best.mean),
        "max_bound": best.max_bound,
        "proven": True,
        "topics": [space.names[topic] for topic in best.topics],
    }
    older, _ = answered(capsys, "hits", "demo", "--m", "12", "--sampler", "least-maximum", "--optimum")
    assert older == answer, "the sampler's older name"
    assert answer["selected"] == answer["optimum"]["topics"]
    assert answer["similarity"]["max"] == best.max <= hits_path(space.similarity).max[11]
    plain, _ = answered(capsys, "hits", "demo", "--m", "12")
    assert "optimum" not in plain and plain["path"] == answer["path"]


def test_folds_take_the_scheme(capsys, space):
    answer, _ = answered(capsys, "folds", "demo", "--k", "6", "--scheme", "least-leakage")
    assert max(fold["max"] for fold in answer["folds"]) == pytest.approx(0.541, abs=5e-4)
    even, _ = answered(capsys, "folds", "demo", "--k", "6", "--scheme", "least-leakage", "--balance", "0.05")
    found = least_leakage(bundled_corpus(), space, k=6, constraints=Constraints(0.05))
    assert max(fold["max"] for fold in even["folds"]) == found.max > 0.55
    told, _ = answered(capsys, "folds", "demo", "--k", "6", "--balance", "0.05", "--apart", "chess", "astronomy")
    assert any("Only least-leakage folds keep to --balance and --apart; add --scheme" in note for note in told["notes"])


def test_models_are_evaluated_on_folds_that_keep_to_the_constraints(capsys, tmp_path):
    file = written(tmp_path)
    common = ["evaluate", file, *ATTRIBUTION, "--encoder", "lsa", "--k", "2", "--scheme", "least-leakage"]
    for constraints, most in ((["--balance", "0"], 3), (["--balance", "1", "--together", *TOPICS[:4]], 4)):
        answer, _ = answered(capsys, *common, *constraints)
        sides = [score["topics"] for score in answer["scores"]]
        assert max(map(len, sides)) >= most and sorted(topic for side in sides for topic in side) == sorted(TOPICS)
        assert most == 3 or any(set(TOPICS[:4]) <= set(side) for side in sides)


def test_split_says_what_leaks_and_what_would_fix_it(capsys, tmp_path):
    rng = np.random.default_rng(0)
    words = {topic: [f"{topic}{number}" for number in range(30)] for topic in ("bread", "cake", "stars", "ships")}
    lines = ["text,topic,author,split"]
    for topic, own in words.items():
        for number in range(12):
            text = " ".join(rng.choice(own, 12))
            side = "test" if topic == "ships" or (topic == "stars" and number < 5) else "train"
            lines.append(f"{text},{topic},a{number % 3},{side}")
    file = tmp_path / "split.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    target = tmp_path / "mended.csv"
    answer, _ = answered(capsys, "split", str(file), "--encoder", "lsa", "--mend", "--out", str(target))
    assert {"level", "sentence", "near_duplicates", "similarity", "expected_by_chance"} <= set(answer)
    assert answer["topics_on_both_sides"] == ["stars"] and answer["level"] == "leaks"
    assert answer["mended"]["changes"] == [{"topic": "stars", "from": "test", "documents": 5, "moved": True}]
    assert answer["mended"]["remaining"] == []
    fixed = pd.read_csv(target)
    assert answer["out"] == str(target) and set(fixed[fixed.topic == "stars"].split) == {"train"}
    again, _ = answered(capsys, "split", str(target), "--encoder", "lsa")
    assert again["topics_on_both_sides"] == [] and again["level"] == "clear"
    assert main(["split", str(file), "--out", str(target)]) == 2 and "add --fix" in capsys.readouterr().err
