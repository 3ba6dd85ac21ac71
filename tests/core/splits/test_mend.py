"""The smallest change that mends a split: the audit of what is left is clean, or what remains is named."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from core.corpora import filtered, make_corpus
from core.demo import bundled_corpus, bundled_vectors
from core.errors import SettingError
from core.splits import audit_split, mend_split
from core.splits.mend import _leaks, _least_cover, _movable, _whole_families
from core.topics import topic_space
from core.vectors import make_encoder


@pytest.fixture(scope="module")
def courier():
    whole = bundled_corpus()
    vectors = bundled_vectors(whole, make_encoder("sbert")).matrix
    corpus = filtered(whole, at_most=15)
    row_of = {identity: row for row, identity in enumerate(whole.ids)}
    return corpus, vectors[[row_of[identity] for identity in corpus.ids]]


def split_by(corpus, tested):
    return replace(corpus, splits=tuple("test" if each else "train" for each in tested))


def mended(corpus, vectors, **more):
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    return mend_split(corpus, vectors, space, **more)


def audited(found, corpus, vectors):
    row_of = {identity: row for row, identity in enumerate(corpus.ids)}
    own = vectors[[row_of[identity] for identity in found.corpus.ids]]
    space = topic_space(own, found.corpus.topic_codes, found.corpus.topic_names)
    return audit_split(found.corpus, own, space)


@pytest.mark.parametrize("by_topic", [True, False])
def test_the_audit_of_a_mended_split_is_clean(courier, by_topic):
    corpus, vectors = courier
    rng = np.random.default_rng(2)
    tested = np.isin(corpus.topic_codes, rng.permutation(24)[:6]) if by_topic else rng.random(len(corpus)) < 0.3
    given = split_by(corpus, tested)
    found = mended(given, vectors)
    after = audited(found, given, vectors)
    assert (after.shared, after.twins, after.doubtful, len(after.duplicates)) == (0, 0, 0, 0)
    assert found.remaining == ()
    assert len(found.corpus) == len(corpus) - found.dropped
    before = dict(zip(given.ids, given.splits, strict=True))
    changed = sum(
        before[identity] != label for identity, label in zip(found.corpus.ids, found.corpus.splits, strict=True)
    )
    assert changed == found.moved
    assert found.sentence.startswith(f"Move {found.moved:,} documents and drop {found.dropped:,}")
    again = mended(found.corpus, vectors[[corpus.ids.index(identity) for identity in found.corpus.ids]])
    assert (again.moved, again.dropped, again.sentence) == (0, 0, "Nothing needs to be changed.")


def test_near_duplicates_are_dropped_from_the_test_side(courier):
    corpus, vectors = courier
    tested = np.isin(corpus.topic_codes, [corpus.topic_names.index("cricket"), corpus.topic_names.index("softball")])
    given = split_by(corpus, tested)
    clean = mended(given, vectors)
    labels = dict(zip(clean.corpus.ids, clean.corpus.splits, strict=True))
    test = next(row for row, identity in enumerate(given.ids) if labels.get(identity) == "test")
    train = next(row for row, identity in enumerate(given.ids) if labels.get(identity) == "train")
    texts = list(given.texts)
    texts[test] = texts[train] + " and so on"
    copied = make_corpus(texts, given.topics, authors=given.authors, ids=given.ids, splits=given.splits)
    found = mended(copied, vectors)
    assert found.duplicates == (given.ids[test],) and "1 of them near duplicates" in found.sentence


def test_the_cover_is_the_least_by_brute_force():
    rng = np.random.default_rng(0)
    for _ in range(15):
        alike = np.triu(rng.random((4, 4)) < 0.3, k=1)
        alike |= alike.T | np.eye(4, dtype=bool)
        sizes = rng.integers(0, 6, (2, 4))
        leaks = _leaks(alike, sizes)
        if not len(leaks) or not sizes.sum(axis=1).all():
            continue
        leaving, proven = _least_cover(alike, sizes, 0.01)
        possible = [
            (sizes * chosen).sum()
            for chosen in (np.array(bits).reshape(2, 4) for bits in product((0, 1), repeat=8))
            if all(chosen[0, one] or chosen[1, two] for one, two in leaks)
            and ((sizes * chosen).sum(axis=1) <= 0.99 * sizes.sum(axis=1)).all()
        ]
        assert (leaving is None) == (not possible)
        if possible:
            assert proven and (sizes * leaving).sum() == min(possible)
            moving = _movable(alike, sizes, leaving)
            present = ((sizes > 0) & ~leaving) | moving[::-1]
            assert not (alike & present[0][:, None] & present[1][None, :]).any()


def test_where_every_topic_is_on_both_sides_families_go_to_one_side_whole():
    rng = np.random.default_rng(0)
    for _ in range(10):
        alike = np.triu(rng.random((5, 5)) < 0.2, k=1)
        alike |= alike.T | np.eye(5, dtype=bool)
        sizes = rng.integers(1, 9, (2, 5))
        leaving = _whole_families(alike, sizes, 0.5)
        possible = []
        for bits in product((False, True), repeat=5):
            in_test = np.array(bits)
            if (alike & (in_test[:, None] != in_test)).any():
                continue
            after = np.array([sizes[:, ~in_test].sum(), sizes[:, in_test].sum()])
            if (after >= 0.5 * sizes.sum(axis=1)).all():
                possible.append(sizes[0, in_test].sum() + sizes[1, ~in_test].sum())
        assert (leaving is None) == (not possible)
        if possible:
            assert (sizes * leaving).sum() == min(possible)
            assert _movable(alike, sizes, leaving).sum() == leaving.sum(), "all of them can move"


def test_a_split_of_every_topic_in_two_is_mended_by_moving(courier):
    corpus, vectors = courier
    given = split_by(corpus, np.arange(len(corpus)) % 2 == 0)
    found = mended(given, vectors)
    assert found.remaining == () and found.moved > 0
    after = audited(found, given, vectors)
    assert (after.shared, after.twins) == (0, 0)
    assert min(after.train, after.test) >= 0.4 * len(corpus) / 2


def test_what_cannot_be_mended_is_named():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(40, 6)).astype(np.float32)
    vectors[:, 0] += 5  # every topic a near twin of every other
    topics = [f"t{row % 4}" for row in range(40)]
    texts = [f"text number {row} of its own {rng.integers(10**6)}" for row in range(40)]
    corpus = make_corpus(texts, topics, splits=["test" if row < 16 else "train" for row in range(40)])
    found = mended(corpus, vectors)
    assert found.remaining and found.sentence.startswith(
        "Nothing could be changed. What still crosses: 't0' on both sides"
    )
    assert len(found.corpus) == 40


def test_a_corpus_without_a_split_and_a_senseless_share_are_refused(courier):
    corpus, vectors = courier
    with pytest.raises(SettingError, match="no train/test labels"):
        mended(replace(corpus, splits=None), vectors)
    given = split_by(corpus, corpus.topic_codes < 5)
    with pytest.raises(SettingError, match="between 0 and 1"):
        mended(given, vectors, kept=1.0)
    with pytest.raises(SettingError, match="of other documents"):
        mend_split(given, vectors[:-1], topic_space(vectors, corpus.topic_codes, corpus.topic_names))
