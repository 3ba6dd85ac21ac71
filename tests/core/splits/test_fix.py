"""The smallest change that fixes a split: the audit of what is left is clean, or what remains is named."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from core.corpora import filtered, make_corpus
from core.demo import bundled_corpus, bundled_vectors
from core.errors import SettingError
from core.splits import audit_split, fix_split
from core.splits.fix import leaks, least_cover, movable, whole_families
from core.topics import bootstrap_topics, topic_space
from core.vectors import make_encoder


def test_the_cover_is_the_least_by_brute_force():
    rng = np.random.default_rng(0)
    for _ in range(15):
        alike = np.triu(rng.random((4, 4)) < 0.3, k=1)
        alike |= alike.T | np.eye(4, dtype=bool)
        sizes = rng.integers(0, 6, (2, 4))
        leaking = leaks(alike, sizes)
        if not len(leaking) or not sizes.sum(axis=1).all():
            continue
        leaving, proven = least_cover(alike, sizes, 0.01)
        possible = [
            (sizes * chosen).sum()
            for chosen in (np.array(bits).reshape(2, 4) for bits in product((0, 1), repeat=8))
            if all(chosen[0, one] or chosen[1, two] for one, two in leaking)
            and ((sizes * chosen).sum(axis=1) <= 0.99 * sizes.sum(axis=1)).all()
        ]
        assert (leaving is None) == (not possible)
        if possible:
            assert proven and (sizes * leaving).sum() == min(possible)
            moving = movable(alike, sizes, leaving)
            present = ((sizes > 0) & ~leaving) | moving[::-1]
            assert not (alike & present[0][:, None] & present[1][None, :]).any()


def test_where_every_topic_is_on_both_sides_families_go_to_one_side_whole():
    rng = np.random.default_rng(0)
    for _ in range(10):
        alike = np.triu(rng.random((5, 5)) < 0.2, k=1)
        alike |= alike.T | np.eye(5, dtype=bool)
        sizes = rng.integers(1, 9, (2, 5))
        leaving = whole_families(alike, sizes, 0.5)
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
            assert movable(alike, sizes, leaving).sum() == leaving.sum(), "all of them can move"


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


def alike_topics(count: int, size: int) -> tuple[np.ndarray, list[str], list[str]]:
    """Topics of which every one is a near twin of every other."""
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(count * size, 6)).astype(np.float32)
    vectors[:, 0] += 5
    texts = [f"text number {row} of its own {rng.integers(10**6)}" for row in range(count * size)]
    return vectors, [f"t{row % count}" for row in range(count * size)], texts


def test_where_near_twins_cannot_be_parted_topics_are_put_on_one_side_and_what_remains_is_named():
    vectors, topics, texts = alike_topics(4, 10)
    corpus = make_corpus(texts, topics, splits=["test" if row < 16 else "train" for row in range(40)])
    found = fixed(corpus, vectors)
    sides = {(topic, side) for topic, side in zip(found.corpus.topics, found.corpus.splits, strict=True)}
    assert len(sides) == 4 and len(found.corpus) == 40 and found.moved > 0, (
        "each topic on one side, and nothing dropped"
    )
    assert found.remaining and all("near twin" in each for each in found.remaining)
    assert found.remaining and not found.smallest


def test_what_cannot_be_fixed_is_named():
    vectors, topics, texts = alike_topics(2, 10)
    corpus = make_corpus(texts, topics, splits=["test" if topic == "t0" else "train" for topic in topics])
    found = fixed(corpus, vectors)
    assert found.remaining[0] == "'t1' and its near twin 't0'"
    assert len(found.corpus) == 20


def test_fixing_changes_nothing_for_pairs_that_the_audit_leaves_in_doubt(courier):
    corpus, vectors = courier
    given = split_by(corpus, np.isin(corpus.topic_codes, [corpus.topic_names.index("cricket")]))
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    drawn = bootstrap_topics(vectors, corpus.topic_codes, len(space), kind=space.kind)
    sure = audit_split(given, vectors, space, bootstrap=drawn)
    assert sure.twins == 1 and fixed(given, vectors, bootstrap=drawn).moved
    unsure = replace(drawn, low=np.minimum(drawn.low, 0.5))  # every interval begins below the line
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
