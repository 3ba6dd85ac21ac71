"""Topic map: which pair is named, when it is called the closest, and what two topics share."""

import numpy as np
import pytest

from core.corpora import make_corpus
from core.demo import bundled_corpus
from core.questions import ask, topic_map
from core.questions.topic_map import clearly_closest
from core.study import Study
from core.topics import Bootstrap
from core.vectors import embed, make_encoder
from tests.core.questions.studies import bundled


def planted(topics: int, each: int = 12, *, sisters: bool = False) -> Study:
    """Return topics of random vectors round one axis each; with `sisters` the first two share theirs."""
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(topics), each)
    centres = np.eye(topics + 2)[np.where(codes == 1, 0, codes) if sisters else codes]
    vectors = rng.normal(size=(len(codes), topics + 2)) * 0.1 + centres + 0.2 * np.eye(topics + 2)[-1]
    texts = [f"word{'abc'[code % 3]} number{row}" for row, code in enumerate(codes)]
    corpus = make_corpus(texts, [f"t{code:02}" for code in codes])
    return Study(corpus, embed(corpus, make_encoder("precomputed", vectors=vectors.astype(np.float32))))


def bootstrap_of(low: list[list[float]], high: list[list[float]]) -> Bootstrap:
    nothing = np.zeros((1, 3))
    return Bootstrap(np.array(low), np.array(high), np.ones((1, 3), dtype=np.int64), nothing, nothing[:, 0])


def test_the_closest_pair_is_named_with_its_interval():
    study = planted(6, sisters=True)
    answer = ask(study, "topic_map")
    low, high = study.bootstrap.low[0, 1], study.bootstrap.high[0, 1]
    told = f"({study.space.similarity[0, 1]:.2f}, 95% CI {low:.2f}–{high:.2f})"
    assert answer.headline == f"t00 and t01 are the most similar topics {told}."
    assert answer.data["pair"]["topics"] == ["t00", "t01"]
    assert answer.data["twin_pairs"] == 1
    assert any(reason.startswith("One pair of topics is near twins") for reason in answer.reasons)


def test_a_pair_is_the_closest_only_if_its_interval_is_above_the_next():
    closest = [(0, 1, 0.8), (1, 2, 0.6)]
    apart = bootstrap_of([[0, 0.7, 0], [0.7, 0, 0.5], [0, 0.5, 0]], [[0, 0.9, 0], [0.9, 0, 0.65], [0, 0.65, 0]])
    overlap = bootstrap_of([[0, 0.6, 0], [0.6, 0, 0.5], [0, 0.5, 0]], [[0, 0.9, 0], [0.9, 0, 0.65], [0, 0.65, 0]])
    assert clearly_closest(closest, apart)
    assert not clearly_closest(closest, overlap)
    assert clearly_closest(closest[:1], overlap)
    assert clearly_closest(closest, None)
    assert not clearly_closest([(0, 1, 0.801), (1, 2, 0.799)], None)


def test_without_near_twins_none_are_claimed():
    answer = ask(planted(5), "topic_map")
    assert answer.data["twin_pairs"] == 0
    assert any(reason.startswith("No two topics are near twins") for reason in answer.reasons)


def test_a_threshold_just_above_the_closest_pair_is_shown_with_more_decimals():
    corpus = bundled_corpus()
    answer = ask(Study(corpus, embed(corpus, make_encoder("lsa"))), "topic_map")
    closest, threshold = answer.data["closest"][0][2], answer.data["threshold"]
    assert closest < threshold and f"{closest:.2f}" == f"{threshold:.2f}"
    assert f"No two topics are near twins (similarity {threshold:.3f} or more)." in answer.reasons


def test_a_chosen_pair_is_explained_beside_the_closest():
    answer = ask(planted(6, sisters=True), "topic_map", first="t00", second="t03")
    assert answer.data["pair"]["shared_words"] == ["worda"]
    assert any(reason.startswith("t00 and t03 have similarity") for reason in answer.reasons)
    assert [each.name for each in answer.figures] == ["documents", "matrix", "shared"]


def test_a_topic_and_itself_share_nothing():
    answer = ask(planted(6), "topic_map", first="t00", second="t00")
    assert answer.numbers.shared is None
    assert [each.name for each in answer.figures] == ["documents", "matrix"]


def test_topics_of_one_document_are_not_compared():
    corpus = make_corpus(["one", "two", "three"], ["a", "b", "c"])
    study = Study(corpus, embed(corpus, make_encoder("precomputed", vectors=np.eye(3, dtype=np.float32))))
    answer = ask(study, "topic_map")
    assert answer.level == "unknown" and answer.headline.startswith("No two topics can be compared")
    assert answer.data["pair"]["similarity"] is None and answer.data["closest"] == []


@pytest.mark.parametrize("colour", ["topic", "author"])
def test_the_map_colours_what_is_asked_for(colour):
    study = planted(4)
    corpus = make_corpus(study.corpus.texts, study.corpus.topics, authors=["x", "y"] * (len(study.corpus) // 2))
    figure = ask(Study(corpus, study.vectors), "topic_map", colour=colour, layout="pca").figure("documents").figure
    named = {trace.name for trace in figure.data if trace.name}
    assert named == ({"x", "y"} if colour == "author" else {f"t{code:02}" for code in range(4)})


def test_clusters_hold_every_topic_and_near_twins_are_in_one():
    study = bundled()
    names, codes = topic_map.clusters(study)
    assert len(names) == 8 and set(codes.tolist()) == set(range(8))
    of = dict(zip(study.corpus.topics, codes.tolist(), strict=True))
    assert of["clinics"] == of["hospitals"] and of["baseball"] == of["softball"] and of["opera"] != of["volcanoes"]
