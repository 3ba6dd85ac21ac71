"""Pairs held out for calibration: no text in both parts, authors in proportion, and paired as the whole was."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from core.corpora import take
from core.errors import SettingError
from core.splits import PAIRINGS, held_out, make_pairs, topic_gap
from core.splits.held_out import _dealt
from tests.core.splits.pair_cases import by_id, check_laws, corpus_of, unordered

EVERY_KIND = pytest.mark.parametrize("kind", PAIRINGS)


@EVERY_KIND
@given(st.integers(0, 500), st.integers(2, 30), st.floats(0.1, 0.5))
@settings(max_examples=50, deadline=None)
def test_what_is_held_out_shares_no_text_with_what_is_fitted_on(kind, seed, authors, share):
    rng = np.random.default_rng(seed)
    names = [f"a{code}" for code in np.concatenate([np.arange(authors), rng.integers(0, authors, 200)])]
    corpus = corpus_of(names)
    pairs = make_pairs(corpus, np.arange(len(corpus)), seed=seed, kind=kind)
    fit, calibration = held_out(pairs, share=share, seed=seed)
    assert not set(fit.rows) & set(calibration.rows)
    for part in (fit, calibration):
        check_laws(corpus, part, part.rows)
        assert part.kind == kind
        assert set(part.rows) <= set(pairs.rows)
        if kind == "matched":
            assert topic_gap(part, corpus.topic_codes) == 0
    assert len(calibration.rows) / len(pairs.rows) == pytest.approx(share, abs=0.06)
    # Authors keep their shares: each gives calibration about as large a part of their texts.
    large = np.flatnonzero(np.bincount(corpus.author_codes[pairs.rows]) > 20)
    given = np.bincount(corpus.author_codes[calibration.rows], minlength=authors)[large]
    wanted = share * np.bincount(corpus.author_codes[pairs.rows], minlength=authors)[large]
    assert (np.abs(given - wanted) <= 4).all()


@EVERY_KIND
@pytest.mark.parametrize("texts", [8, 40])
def test_parts_do_not_depend_on_the_order_of_documents(kind, texts):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        corpus = corpus_of([f"a{code}" for code in [0, 0, 1, 1, *rng.integers(0, 4, texts - 4)]], seed=seed)
        shuffled = take(corpus, rng.permutation(texts))
        pairs = (make_pairs(each, np.arange(texts), seed=seed, kind=kind) for each in (corpus, shuffled))
        parts = (held_out(each, share=0.3, seed=1) for each in pairs)
        for one, two in zip(*parts, strict=True):
            assert by_id(corpus, one) == by_id(shuffled, two)


@EVERY_KIND
def test_authors_with_two_texts_go_whole_to_one_part(kind):
    corpus = corpus_of([f"a{i // 2}" for i in range(40)])
    fit, calibration = held_out(make_pairs(corpus, np.arange(40), seed=0, kind=kind), share=0.25, seed=0)
    assert len(calibration.rows) <= 10 < 20 < len(fit.rows)
    assert not set(fit.first_author) & set(calibration.first_author)


@EVERY_KIND
@pytest.mark.parametrize("share", [0.0, 1.0, -0.2, 1.2])
def test_a_share_is_strictly_between_none_and_all(share, kind):
    pairs = make_pairs(corpus_of("aaaabbbb"), np.arange(8), seed=0, kind=kind)
    with pytest.raises(SettingError, match="choose one between 0 and 1"):
        held_out(pairs, share=share, seed=0)


@EVERY_KIND
def test_tiny_sides_share_texts_and_say_so_or_are_refused(kind):
    corpus = corpus_of("aaabbbc", "sssssst")
    pairs = make_pairs(corpus, np.arange(6), seed=0, kind=kind)
    for seed in range(10):
        fit, calibration = held_out(pairs, share=0.3, seed=seed)
        assert sorted(map(sorted, unordered(fit) + unordered(calibration))) == sorted(map(sorted, unordered(pairs)))
        assert calibration.same.sum() == (~calibration.same).sum() == 2
        assert fit.kind == calibration.kind == kind
        assert "share texts" in calibration.notes[0] and fit.notes == calibration.notes
        for part in (fit, calibration):
            check_laws(corpus, part, part.rows)
    with pytest.raises(SettingError, match=r"1 text in training leads .*too few to hold any out"):
        held_out(make_pairs(corpus_of("aab", "sst"), np.arange(3), seed=0, kind="paper"), share=0.3, seed=0)


def test_a_part_that_cannot_be_matched_falls_back_to_the_pairs_as_they_stand():
    # Each author on a topic of their own but for one text: parts of a fifth of the texts rarely hold a match.
    corpus = corpus_of("aaaaaabbbbbb", "sssssttttttt")
    pairs = make_pairs(corpus, np.arange(12), seed=0)
    noted = 0
    for seed in range(20):
        fit, calibration = held_out(pairs, share=0.2, seed=seed)
        assert len(fit) and len(calibration)
        assert topic_gap(fit, corpus.topic_codes) == topic_gap(calibration, corpus.topic_codes) == 0
        noted += any("share texts" in note for note in calibration.notes)
    assert noted > 0


def dealt(authors: str, share: float, seed: int):
    """The papers' pairs of these texts in two parts: every text is in some pair, so that each part shows what it was dealt."""
    corpus = corpus_of(authors)
    parts = held_out(make_pairs(corpus, np.arange(len(authors)), seed=seed, kind="paper"), share=share, seed=seed)
    return corpus, *parts


def given_by(corpus, part) -> Counter:
    """How many texts each author has in a part."""
    return Counter(corpus.author_names[code] for code in corpus.author_codes[part.rows])


def test_authors_are_dealt_out_in_twos_and_a_last_odd_text_makes_three():
    authors = "a" + "bb" + "ccc" + "dddd" + "eeeee" + "fffffff" + "gg" + "hh"
    possible = {"a": {0, 1}, "b": {0, 2}, "c": {0, 3}, "d": {0, 2, 4}, "e": {0, 2, 3, 5}, "f": {0, 2, 3, 4, 5, 7}}
    for seed in range(30):
        corpus, fit, calibration = dealt(authors, 0.3, seed)
        assert sorted([*fit.rows, *calibration.rows]) == list(range(len(authors)))
        found = given_by(corpus, calibration)
        assert all(found[author] in counts for author, counts in possible.items())
        assert sum(max(count // 2, 1) for count in found.values()) in (3, 4), "of 12 units"
        assert not any(found[one] and found[two] for one, two in pairwise("abc")), "less than half: no two in a row"


def test_a_text_alone_is_a_unit_of_its_own():
    # Authors of two texts and of one by turns: less than half is held out, so no two units in a row.
    names = "abcdefghijklmnopqrst"
    for seed in range(10):
        corpus, _, calibration = dealt("".join(name * (2 - place % 2) for place, name in enumerate(names)), 0.3, seed)
        found = given_by(corpus, calibration)
        assert len(found) == 6 and not any(found[one] and found[two] for one, two in pairwise(names))


def test_everybody_is_held_out_as_often_as_anybody_over_seeds():
    # With an offset smaller than a step the same authors would be held out whatever the seed.
    counts = Counter()
    for seed in range(200):
        corpus, _, calibration = dealt("".join(2 * chr(97 + author) for author in range(20)), 0.2, seed)
        counts.update(given_by(corpus, calibration).keys())
    assert set(counts) == set(corpus.author_names)
    assert chisquare(list(counts.values())).pvalue > 0.001


def test_every_other_unit_is_half_of_everybody():
    # Units are dealt evenly, author by author: of two units in a row one is held out.
    for seed in range(20):
        corpus, fit, calibration = dealt("aaaabbbbccccdddddddd", 0.5, seed)
        assert given_by(corpus, fit) == given_by(corpus, calibration) == {"a": 2, "b": 2, "c": 2, "d": 4}


@pytest.mark.parametrize(("authors", "share", "texts"), [(4, 0.1, 4), (10, 0.1, 4), (20, 0.25, 10), (20, 0.5, 20)])
def test_as_many_units_are_held_out_as_the_share_says_but_two_at_least(authors, share, texts):
    for seed in range(20):
        _, fit, calibration = dealt("".join(2 * chr(97 + author) for author in range(authors)), share, seed)
        assert (len(calibration.rows), len(fit.rows)) == (texts, 2 * authors - texts)
        assert calibration.same.sum() == texts // 2


@pytest.mark.parametrize("authors", ["aabbcc", "aabbcdef", "aabbccdefg"])
def test_a_part_with_one_author_or_one_same_author_pair_will_not_do(authors):
    # Two in one part and one in the other, or one in each: no deal leaves two same-author pairs on both sides.
    for seed in range(4):
        _, fit, calibration = dealt(authors, 0.4, seed)
        assert "share texts" in calibration.notes[0] and "share texts" in fit.notes[0]
        assert fit.left_out == calibration.left_out == 0
        assert fit.same.any() and calibration.same.any()


@pytest.mark.parametrize(("share", "leads"), [(0.05, 1), (0.1, 1), (0.3, 2), (0.5, 3), (0.95, 5)])
def test_tiny_sides_hold_out_their_share_of_leads_but_neither_none_nor_all(share, leads):
    pairs = make_pairs(corpus_of("aaabbb", "ssttst"), np.arange(6), seed=0, kind="paper")
    for seed in range(10):
        fit, calibration = held_out(pairs, share=share, seed=seed)
        for part, count in ((calibration, leads), (fit, 6 - leads)):
            assert part.same.sum() == (~part.same).sum() == count
            assert len(set(part.first)) == count


def test_two_leads_are_enough_to_hold_one_out():
    pairs = make_pairs(corpus_of("aabb", "stst"), np.arange(4), seed=0)
    fit, calibration = held_out(pairs, share=0.3, seed=0)
    assert len(fit) == len(calibration) == 2 and set(fit.first) != set(calibration.first)


def test_a_lead_without_a_different_author_pair_is_never_held_out():
    # One text against three: one of the four leads no pair with the other author.
    for seed in range(40):
        pairs = make_pairs(corpus_of("aaab"), np.arange(4), seed=seed, kind="paper")
        assert pairs.left_out == 1
        _, calibration = held_out(pairs, share=0.6, seed=seed)
        assert calibration.same.sum() == (~calibration.same).sum() > 0


def test_two_units_are_held_out_however_small_the_share():
    authors = np.repeat(np.arange(6), 2)  # a unit each
    for seed in range(40):
        assert _dealt(authors, 0.01, np.random.default_rng(seed)).sum() == 4
