"""The commands design and split, least maximum and least-leakage folds: contract keys, and values as core gives them."""

import numpy as np
import pytest

from core.demo import bundled_corpus, bundled_vectors
from core.splits import least_leakage
from core.topics import hits_path, optimum, topic_space
from core.vectors import make_encoder
from tests.core.command_runs import answered


@pytest.fixture(scope="module")
def space():
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert")).matrix
    return topic_space(vectors, corpus.topic_codes, corpus.topic_names)


def test_design_gives_what_core_gives(capsys, space):
    answer, _ = answered(capsys, "design", "demo", "--k", "20", "--balance", "0.8")
    kinds = {"random", "hits", "least-maximum", "grouping", "hybrid", "least-leakage"}
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


def test_hits_takes_the_other_sampler_and_tells_the_optimum(capsys, space):
    answer, _ = answered(capsys, "hits", "demo", "--m", "12", "--sampler", "least-maximum", "--optimum")
    best = optimum(space.similarity, 12)
    assert answer["optimum"] == {
        "max": best.max,
        "mean": pytest.approx(best.mean),
        "max_bound": best.max_bound,
        "proven": True,
        "topics": [space.names[topic] for topic in best.topics],
    }
    assert answer["selected"] == answer["optimum"]["topics"]
    assert answer["similarity"]["max"] == best.max <= hits_path(space.similarity).max[11]
    plain, _ = answered(capsys, "hits", "demo", "--m", "12")
    assert "optimum" not in plain and plain["path"] == answer["path"]


def test_folds_take_the_scheme(capsys, space):
    answer, _ = answered(capsys, "folds", "demo", "--k", "6", "--scheme", "least-leakage")
    assert max(fold["max"] for fold in answer["folds"]) == pytest.approx(0.541, abs=5e-4)


def test_split_says_what_leaks_and_what_would_mend_it(capsys, tmp_path):
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
    answer, _ = answered(capsys, "split", str(file), "--encoder", "lsa", "--mend")
    assert {"level", "sentence", "near_duplicates", "similarity", "expected_by_chance"} <= set(answer)
    assert answer["topics_on_both_sides"] == ["stars"] and answer["level"] == "leaks"
    assert answer["mended"]["changes"] == [{"topic": "stars", "from": "test", "documents": 5, "moved": True}]
    assert answer["mended"]["remaining"] == []
