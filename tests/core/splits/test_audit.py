"""A split judged as it stands: hand-made twins are found, strangers are not, and neighbour leakage keeps its laws."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.corpora import filtered, make_corpus, take
from core.demo import bundled_corpus, bundled_vectors
from core.errors import InputError, SettingError
from core.notes import Note
from core.splits import audit_split, fix_split, make_folds
from core.splits.audit import leaks, least_cover, movable, whole_families
from core.splits.duplicates import neighbour_leakage
from core.topics import Bootstrap, bootstrap_topics, topic_space
from core.vectors import make_encoder
from tests.core.stops import Enough, stop_when

WORDS = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in "lmnrst"]


def a_split(seed=0, topics=6, each=8, splits=None, sides=True):
    """Topics 0 and 1 are similar; every document stands near its topic's centre."""
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
def test_neighbour_leakage_does_not_depend_on_the_order_of_documents_even_with_copies(seed):
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(6, 3))[rng.integers(0, 6, 20)]  # many documents as near as the n-th
    labels = np.array(["r"] * 12 + ["t"] * 8)
    codes = rng.integers(0, 3, 20)
    mixed = rng.permutation(20)
    one = neighbour_leakage(vectors, codes, *sides(labels), neighbours=4)
    two = neighbour_leakage(vectors[mixed], codes[mixed], *sides(labels[mixed]), neighbours=4)
    assert one.score == pytest.approx(two.score, abs=1e-5)
    assert one.other_topics == pytest.approx(two.other_topics, abs=1e-5)


def test_nothing_similar_crosses_gives_0_and_copies_in_training_only_give_1():
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


def test_the_audit_does_not_depend_on_the_order_of_the_file():
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
    assert len(some.neighbour_leakage.rows) == 10 and Note("sampled tests", (10, 24)) in some.notes
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
    clear = audit_split(corpus, vectors, space)
    assert (clear.twins, clear.doubtful) == (1, 0)


def test_the_cover_is_the_least_by_brute_force():
    rng = np.random.default_rng(0)
    for _ in range(15):
        similar = np.triu(rng.random((4, 4)) < 0.3, k=1)
        similar |= similar.T | np.eye(4, dtype=bool)
        sizes = rng.integers(0, 6, (2, 4))
        leaking = leaks(similar, sizes)
        if not len(leaking) or not sizes.sum(axis=1).all():
            continue
        leaving, proven = least_cover(similar, sizes, 0.01)
        possible = [
            (sizes * chosen).sum()
            for chosen in (np.array(bits).reshape(2, 4) for bits in product((0, 1), repeat=8))
            if all(chosen[0, one] or chosen[1, two] for one, two in leaking)
            and ((sizes * chosen).sum(axis=1) <= 0.99 * sizes.sum(axis=1)).all()
        ]
        assert (leaving is None) == (not possible)
        if possible:
            assert proven and (sizes * leaving).sum() == min(possible)
            moving = movable(similar, sizes, leaving)
            present = ((sizes > 0) & ~leaving) | moving[::-1]
            assert not (similar & present[0][:, None] & present[1][None, :]).any()


def test_where_every_topic_is_on_both_sides_families_go_to_one_side_whole():
    rng = np.random.default_rng(0)
    for _ in range(10):
        similar = np.triu(rng.random((5, 5)) < 0.2, k=1)
        similar |= similar.T | np.eye(5, dtype=bool)
        sizes = rng.integers(1, 9, (2, 5))
        leaving = whole_families(similar, sizes, 0.5)
        possible = []
        for bits in product((False, True), repeat=5):
            in_test = np.array(bits)
            if (similar & (in_test[:, None] != in_test)).any():
                continue
            after = np.array([sizes[:, ~in_test].sum(), sizes[:, in_test].sum()])
            if (after >= 0.5 * sizes.sum(axis=1)).all():
                possible.append(sizes[0, in_test].sum() + sizes[1, ~in_test].sum())
        assert (leaving is None) == (not possible)
        if possible:
            assert (sizes * leaving).sum() == min(possible)
            assert movable(similar, sizes, leaving).sum() == leaving.sum(), "all of them can move"


@pytest.fixture(scope="module")
def courier():
    whole = bundled_corpus()
    vectors = bundled_vectors(whole, make_encoder("sbert")).matrix
    corpus = filtered(whole, at_most=15)
    row_of = {identity: row for row, identity in enumerate(whole.ids)}
    return corpus, vectors[[row_of[identity] for identity in corpus.ids]]


def split_by(corpus, tested):
    return replace(corpus, splits=tuple("test" if each else "train" for each in tested))


def fixed(corpus, vectors, **more):
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    return fix_split(corpus, vectors, space, **more)


def audited(found, corpus, vectors):
    row_of = {identity: row for row, identity in enumerate(corpus.ids)}
    own = vectors[[row_of[identity] for identity in found.corpus.ids]]
    space = topic_space(own, found.corpus.topic_codes, found.corpus.topic_names)
    return audit_split(found.corpus, own, space)


@pytest.mark.parametrize("by_topic", [True, False])
def test_the_audit_of_a_fixed_split_is_clean(courier, by_topic):
    corpus, vectors = courier
    rng = np.random.default_rng(2)
    tested = np.isin(corpus.topic_codes, rng.permutation(24)[:6]) if by_topic else rng.random(len(corpus)) < 0.3
    given = split_by(corpus, tested)
    found = fixed(given, vectors)
    after = audited(found, given, vectors)
    assert (after.shared, after.twins, after.doubtful, len(after.duplicates)) == (0, 0, 0, 0)
    assert found.remaining == ()
    assert len(found.corpus) == len(corpus) - found.dropped
    before = dict(zip(given.ids, given.splits, strict=True))
    changed = sum(
        before[identity] != label for identity, label in zip(found.corpus.ids, found.corpus.splits, strict=True)
    )
    assert changed == found.moved
    again = fixed(found.corpus, vectors[[corpus.ids.index(identity) for identity in found.corpus.ids]])
    assert (again.moved, again.dropped) == (0, 0)


def test_near_duplicates_are_dropped_from_the_test_side(courier):
    corpus, vectors = courier
    tested = np.isin(corpus.topic_codes, [corpus.topic_names.index("cricket"), corpus.topic_names.index("softball")])
    given = split_by(corpus, tested)
    clean = fixed(given, vectors)
    labels = dict(zip(clean.corpus.ids, clean.corpus.splits, strict=True))
    test = next(row for row, identity in enumerate(given.ids) if labels.get(identity) == "test")
    train = next(row for row, identity in enumerate(given.ids) if labels.get(identity) == "train")
    texts = list(given.texts)
    texts[test] = texts[train] + " and so on"
    copied = make_corpus(texts, given.topics, authors=given.authors, ids=given.ids, splits=given.splits)
    found = fixed(copied, vectors)
    assert found.duplicates == (given.ids[test],)


def test_a_split_of_every_topic_in_two_is_fixed_by_moving(courier):
    corpus, vectors = courier
    given = split_by(corpus, np.arange(len(corpus)) % 2 == 0)
    found = fixed(given, vectors)
    assert found.remaining == () and found.moved > 0
    after = audited(found, given, vectors)
    assert (after.shared, after.twins) == (0, 0)
    assert min(after.train, after.test) >= 0.4 * len(corpus) / 2


def similar_topics(count: int, size: int) -> tuple[np.ndarray, list[str], list[str]]:
    """Topics of which every one is a near twin of every other."""
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(count * size, 6)).astype(np.float32)
    vectors[:, 0] += 5
    texts = [f"text number {row} of its own {rng.integers(10**6)}" for row in range(count * size)]
    return vectors, [f"t{row % count}" for row in range(count * size)], texts


def test_where_near_twins_cannot_be_separated_topics_are_put_on_one_side_and_what_remains_is_named():
    vectors, topics, texts = similar_topics(4, 10)
    corpus = make_corpus(texts, topics, splits=["test" if row < 16 else "train" for row in range(40)])
    found = fixed(corpus, vectors)
    sides = {(topic, side) for topic, side in zip(found.corpus.topics, found.corpus.splits, strict=True)}
    assert len(sides) == 4 and len(found.corpus) == 40 and found.moved > 0, (
        "each topic on one side, and nothing dropped"
    )
    assert found.remaining and all(each.code == "twins cross" for each in found.remaining)
    assert found.remaining and not found.smallest


def test_what_cannot_be_fixed_is_named():
    vectors, topics, texts = similar_topics(2, 10)
    corpus = make_corpus(texts, topics, splits=["test" if topic == "t0" else "train" for topic in topics])
    found = fixed(corpus, vectors)
    assert found.remaining[0] == Note("twins cross", ("t1", "t0"))
    assert len(found.corpus) == 20


def test_fixing_changes_nothing_for_pairs_that_the_audit_leaves_in_doubt(courier):
    corpus, vectors = courier
    given = split_by(corpus, np.isin(corpus.topic_codes, [corpus.topic_names.index("cricket")]))
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    drawn = bootstrap_topics(vectors, corpus.topic_codes, len(space), kind=space.kind)
    clear = audit_split(given, vectors, space, bootstrap=drawn)
    assert clear.twins == 1 and fixed(given, vectors, bootstrap=drawn).moved
    unsure = replace(drawn, low=np.minimum(drawn.low, 0.5))  # every interval begins below the threshold
    doubtful = audit_split(given, vectors, space, bootstrap=unsure)
    assert (doubtful.twins, doubtful.doubtful) == (0, 1)
    found = fixed(given, vectors, bootstrap=unsure)
    assert (found.moved, found.dropped, found.remaining) == (0, 0, ())
    assert found.doubtful >= 1


def test_a_corpus_without_a_split_and_a_senseless_share_are_refused(courier):
    corpus, vectors = courier
    with pytest.raises(SettingError, match="no train/test labels"):
        fixed(replace(corpus, splits=None), vectors)
    given = split_by(corpus, corpus.topic_codes < 5)
    with pytest.raises(SettingError, match="between 0 and 1"):
        fixed(given, vectors, kept=1.0)
    with pytest.raises(SettingError, match="of other documents"):
        fix_split(given, vectors[:-1], topic_space(vectors, corpus.topic_codes, corpus.topic_names))
