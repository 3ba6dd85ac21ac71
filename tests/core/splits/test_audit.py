"""A split judged as it stands: hand-made twins are found, strangers are not, and neighbour leakage keeps its laws."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.corpora import make_corpus, take
from core.errors import InputError, SettingError
from core.splits import audit_split, make_folds
from core.splits.duplicates import neighbour_leakage
from core.topics import Bootstrap, topic_space
from tests.core.stops import Enough, stop_when

WORDS = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in "lmnrst"]


def a_split(seed=0, topics=6, each=8, splits=None, sides=True):
    """Topics 0 and 1 are alike; every document stands near its topic's centre."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(topics), each)
    centres = np.eye(topics, 12)
    centres[1] = centres[0] + 0.3 * centres[1]
    vectors = (centres[codes] + 0.2 * rng.random(size=(len(codes), 12))).astype(np.float32)
    labels = splits or ["test" if code in (1, 2) else "train" for code in codes]
    texts = [" ".join(rng.choice(WORDS, 60)) for _ in codes]
    corpus = make_corpus(texts, [f"t{code}" for code in codes], splits=labels if sides else None)
    return corpus, vectors, topic_space(vectors, corpus.topic_codes, corpus.topic_names)


def sides(labels):
    test = np.array([label == "t" for label in labels])
    return np.flatnonzero(~test), np.flatnonzero(test)


def by_definition(vectors, train, test, n):
    """The score as its formula reads, where no two similarities are equal."""
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    shares = []
    for i in test:
        others = [j for j in [*train, *test] if j != i]
        near = sorted(others, key=lambda j: -(units[i] @ units[j]))[:n]
        mass = {j: max(float(units[i] @ units[j]), 0.0) for j in near}
        total = sum(mass.values())
        shares.append(sum(mass[j] for j in near if j in set(train)) / total if total else 0.0)
    return shares


@given(st.integers(0, 1_000), st.integers(1, 12))
@settings(max_examples=30, deadline=None)
def test_neighbour_leakage_is_its_formula(seed, n):
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(14, 4))
    order = rng.permutation(14)
    train, test = np.sort(order[:8]), np.sort(order[8:])
    found = neighbour_leakage(vectors, np.zeros(14, dtype=np.int64), train, test, neighbours=n)
    assert found.share == pytest.approx(by_definition(vectors, train, test, n), abs=1e-5)
    assert found.score == pytest.approx(found.share.mean())
    assert 0 <= found.score <= 1 + 1e-9
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert found.similarity == pytest.approx((units[test] @ units[train].T).max(axis=1), abs=1e-5)


@given(st.integers(0, 1_000))
@settings(max_examples=30, deadline=None)
def test_neighbour_leakage_does_not_hang_on_the_order_of_documents_even_with_copies(seed):
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(6, 3))[rng.integers(0, 6, 20)]  # many documents as near as the n-th
    labels = np.array(["r"] * 12 + ["t"] * 8)
    codes = rng.integers(0, 3, 20)
    mixed = rng.permutation(20)
    one = neighbour_leakage(vectors, codes, *sides(labels), neighbours=4)
    two = neighbour_leakage(vectors[mixed], codes[mixed], *sides(labels[mixed]), neighbours=4)
    assert one.score == pytest.approx(two.score, abs=1e-5)
    assert one.other_topics == pytest.approx(two.other_topics, abs=1e-5)


def test_nothing_alike_crosses_gives_0_and_copies_in_training_only_give_1():
    eye = np.eye(6)
    apart = np.concatenate([eye[:3], eye[:3], eye[3:], eye[3:]])
    codes = np.zeros(12, dtype=np.int64)
    clean = neighbour_leakage(apart, codes, *sides("rrrrrrtttttt"))
    assert clean.score == clean.ratio == 0
    copied = neighbour_leakage(apart, codes, *sides("rrrtttrrrttt"))
    assert copied.score == pytest.approx(1)
    assert copied.similarity == pytest.approx(1)
    # A document like no other has nothing that could cross.
    strangers = neighbour_leakage(eye, codes[:6], *sides("rrrttt"))
    assert strangers.score == 0 and strangers.chance == 0 and math.isnan(strangers.ratio)


def test_a_random_split_scores_chance_on_average():
    rng = np.random.default_rng(0)
    vectors, codes = rng.random((30, 5)), np.zeros(30, dtype=np.int64)
    scores = []
    for _ in range(300):
        order = rng.permutation(30)
        scores.append(neighbour_leakage(vectors, codes, order[:18], order[18:], neighbours=5))
    assert scores[0].chance == 18 / 29
    assert np.mean([found.score for found in scores]) == pytest.approx(18 / 29, abs=0.01)


def test_neighbour_leakage_parts_own_topic_from_others(monkeypatch):
    corpus, vectors, _ = a_split()
    folds = make_folds(corpus, scheme="topic-kfold", k=3, seed=0).folds[0]
    found = neighbour_leakage(vectors, corpus.topic_codes, folds.train, folds.test)
    assert (found.same_topic == 0).all() and found.other_topics == found.score
    both = neighbour_leakage(vectors, corpus.topic_codes, *sides("rt" * (len(corpus) // 2)))
    assert 0 < both.other_topics < both.score
    monkeypatch.setattr("core.splits.duplicates.CELLS", 100)
    again = neighbour_leakage(vectors, corpus.topic_codes, *sides("rt" * (len(corpus) // 2)))
    assert again.share == pytest.approx(both.share, abs=1e-6)


def test_the_audit_names_twins_shared_topics_and_what_hits_would_do():
    corpus, vectors, space = a_split()
    audit = audit_split(corpus, vectors, space)
    assert (audit.train, audit.test, audit.shared, audit.twins) == (32, 16, 0, 1)
    twin, other = audit.topics
    assert (twin.name, twin.nearest, twin.twin) == ("t1", "t0", True)
    assert twin.similarity == space.similarity[0, 1] == audit.max
    assert not other.twin and other.neighbour_leakage < twin.neighbour_leakage
    assert len(audit.duplicates) == 0
    assert audit.hits is not None and not {"t0", "t1"} <= set(audit.hits.topics)
    assert audit.hits.test_topics == 2 and audit.hits.max < audit.threshold < audit.max
    assert audit.hits.neighbour_leakage_ratio < audit.neighbour_leakage.ratio
    assert [topic.name for topic in audit.topics] == ["t1", "t2"]


def test_topics_on_both_sides_are_counted_apart():
    corpus, vectors, space = a_split(splits=["test" if row % 4 == 0 else "train" for row in range(48)])
    audit = audit_split(corpus, vectors, space)
    assert audit.shared == 6 and all(topic.shared for topic in audit.topics)
    assert audit.twins == 2 and audit.max == space.similarity[0, 1]
    assert audit.mean == pytest.approx((space.similarity.sum() - 6) / 30)
    assert audit.neighbour_leakage.ratio == pytest.approx(1, abs=0.15)
    assert audit.hits is not None and audit.hits.test_topics == round(len(audit.hits.topics) / 4)


def test_a_copied_document_is_counted_under_its_topic():
    corpus, vectors, space = a_split()
    texts = list(corpus.texts)
    texts[8] = texts[40]  # a test document of t1 and a training document of t5
    again = make_corpus(texts, corpus.topics, splits=corpus.splits)
    audit = audit_split(again, vectors, space)
    assert (audit.duplicates.test.tolist(), audit.duplicates.train.tolist()) == ([8], [40])
    assert [topic.duplicates for topic in audit.topics] == [1, 0]


def test_the_audit_does_not_hang_on_the_order_of_the_file():
    corpus, vectors, space = a_split()
    mixed = np.random.default_rng(5).permutation(len(corpus))
    one = audit_split(corpus, vectors, space)
    two = audit_split(take(corpus, mixed), vectors[mixed], space)
    assert one.neighbour_leakage.score == pytest.approx(two.neighbour_leakage.score, abs=1e-6)
    for a, b in zip(one.topics, two.topics, strict=True):
        assert (a.name, a.nearest, a.twin, a.documents) == (b.name, b.nearest, b.twin, b.documents)
        assert a.neighbour_leakage == pytest.approx(b.neighbour_leakage, abs=1e-6)


def test_any_fold_can_be_audited_and_large_tests_are_sampled(monkeypatch):
    corpus, vectors, space = a_split(sides=False)
    with pytest.raises(SettingError, match="no train/test labels"):
        audit_split(corpus, vectors, space)
    fold = make_folds(corpus, scheme="topic-kfold", k=2, seed=0).folds[0]
    assert audit_split(corpus, vectors, space, fold=fold).shared == 0
    monkeypatch.setattr("core.splits.audit.MOST_TESTED", 10)
    some, again = (audit_split(corpus, vectors, space, fold=fold, seed=3) for _ in range(2))
    assert len(some.neighbour_leakage.rows) == 10 and "10 of 24 test documents" in some.notes[0]
    assert some.neighbour_leakage.score == again.neighbour_leakage.score


def test_the_smallest_corpora():
    texts = ["one small text about bread", "one small text about stars"]
    corpus = make_corpus(texts, ["a", "b"], splits=["train", "test"])
    vectors = np.array([[1.0, 0.2], [0.2, 1.0]], dtype=np.float32)
    audit = audit_split(
        corpus, vectors, topic_space(vectors, corpus.topic_codes, corpus.topic_names, similarity="plain")
    )
    assert audit.twins == 0 and audit.neighbour_leakage.score == pytest.approx(1)
    assert audit.hits is not None and audit.hits.test_topics == 1
    same = np.ones((2, 2), dtype=np.float32)
    audit = audit_split(corpus, same, topic_space(same, corpus.topic_codes, corpus.topic_names, similarity="plain"))
    assert audit.hits is None and audit.notes
    incomparable = audit_split(corpus, vectors, topic_space(vectors, corpus.topic_codes, corpus.topic_names))
    assert incomparable.topics[0].nearest is None and np.isnan(incomparable.max) and not incomparable.topics[0].twin
    wrong = make_corpus(texts, ["a", "b"], splits=["train", "valid"])
    with pytest.raises(InputError, match="row 2"):
        audit_split(wrong, vectors, topic_space(vectors, wrong.topic_codes, wrong.topic_names))


def test_the_audit_shows_progress_and_can_be_stopped():
    corpus, vectors, space = a_split()
    seen = []
    audit_split(corpus, vectors, space, progress=lambda *step: seen.append(step))
    assert {step[2] for step in seen} == {"nearest documents", "near duplicates"}
    for turn in range(2):
        left = [turn]

        def stop(left=left):
            left[0] -= 1
            return left[0] < 0

        with pytest.raises(Enough):
            audit_split(corpus, vectors, space, progress=stop_when(stop))


def test_a_twin_that_the_documents_do_not_bear_out_is_only_possible():
    corpus, vectors, space = a_split()
    topics = len(space)
    doubt = Bootstrap(
        np.zeros((topics, topics)),
        np.ones((topics, topics)),
        np.tile(np.arange(topics), (2, 1)),
        np.zeros((2, topics)),
        np.zeros(2),
    )
    audit = audit_split(corpus, vectors, space, bootstrap=doubt)
    assert (audit.twins, audit.doubtful) == (0, 1)
    sure = audit_split(corpus, vectors, space)
    assert (sure.twins, sure.doubtful) == (1, 0)
