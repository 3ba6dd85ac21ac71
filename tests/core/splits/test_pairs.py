"""Verification pairs: what every draw must satisfy, and what holding pairs out must keep apart."""

import time

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.corpora import make_corpus, take
from core.errors import SettingError
from core.splits import held_out, make_pairs


def corpus_of(authors, seed: int = 0):
    ids = [f"d{number}" for number in np.random.default_rng(seed).permutation(len(authors))]
    return make_corpus(["x"] * len(authors), ["s", *["t"] * (len(authors) - 1)], authors=authors, ids=ids)


def unordered(pairs):
    return [frozenset(pair) for pair in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)]


def check_laws(corpus, pairs, rows):
    assert set(pairs.rows) <= set(rows)
    assert (pairs.first != pairs.second).all()
    codes = corpus.author_codes
    assert (pairs.same == (codes[pairs.first] == codes[pairs.second])).all()
    assert (pairs.first_author == codes[pairs.first]).all()
    assert (pairs.second_author == codes[pairs.second]).all()
    assert pairs.same.sum() * 2 == len(pairs)
    assert len(set(unordered(pairs))) == len(pairs)
    # Every text with another by its author is in a same-author pair; those that lead one lead one of each kind.
    sizes = np.bincount(codes[rows])
    assert set(pairs.rows[sizes[codes[pairs.rows]] > 1]) <= set(pairs.first[pairs.same]) | set(pairs.second[pairs.same])
    assert sorted(pairs.first[pairs.same]) == sorted(pairs.first[~pairs.same])
    assert len(set(pairs.first[pairs.same])) == pairs.same.sum()


def can_pair(authors) -> bool:
    return len(set(authors)) > 1 and max(authors.count(author) for author in authors) > 1


writers = st.lists(st.sampled_from("abcde"), min_size=3, max_size=24).filter(can_pair)


@given(writers, st.integers(0, 1_000))
@settings(max_examples=150, deadline=None)
def test_pairs_obey_their_laws(authors, seed):
    corpus = corpus_of(authors, seed)
    rows = np.arange(len(authors))
    pairs = make_pairs(corpus, rows, seed=seed)
    check_laws(corpus, pairs, rows)
    leading = sum(size if size > 2 else 1 for size in map(authors.count, set(authors)) if size > 1)
    assert pairs.same.sum() == leading


@given(writers, st.integers(0, 1_000))
@settings(max_examples=60, deadline=None)
def test_pairs_never_leave_their_side(authors, seed):
    corpus = corpus_of(authors, seed)
    rows = np.flatnonzero(np.random.default_rng(seed).random(len(authors)) < 0.6)
    assume(len(rows) and can_pair([authors[row] for row in rows]))
    check_laws(corpus, make_pairs(corpus, rows, seed=seed), rows)


@given(writers, st.integers(0, 1_000))
@settings(max_examples=60, deadline=None)
def test_pairs_do_not_depend_on_the_order_of_documents_or_rows(authors, seed):
    corpus = corpus_of(authors, seed)
    rng = np.random.default_rng(seed)
    shuffled = take(corpus, rng.permutation(len(corpus)))
    first = make_pairs(corpus, np.arange(len(corpus)), seed=seed)
    second = make_pairs(shuffled, rng.permutation(len(corpus)), seed=seed)

    def by_id(texts, pairs):
        return [(texts.ids[one], texts.ids[two]) for one, two in zip(pairs.first, pairs.second, strict=True)]

    assert by_id(corpus, first) == by_id(shuffled, second)
    assert first.same.tolist() == second.same.tolist()
    if len(first) >= 8:
        parts = held_out(first, share=0.3, seed=1), held_out(second, share=0.3, seed=1)
        for one, two in zip(*parts, strict=True):
            assert by_id(corpus, one) == by_id(shuffled, two)


def test_the_tightest_sides_still_find_a_different_pair_for_every_text():
    # Three texts each by two authors: six leads on nine pairs, where a careless draw gets stuck.
    corpus = corpus_of(list("aaabbb"))
    for seed in range(300):
        check_laws(corpus, make_pairs(corpus, np.arange(6), seed=seed), np.arange(6))


def test_partners_are_drawn_evenly_and_the_seed_decides():
    corpus = corpus_of(list("aaaabbbcc"))
    rows = np.arange(9)
    assert unordered(make_pairs(corpus, rows, seed=3)) == unordered(make_pairs(corpus, rows, seed=3))
    mates, others = np.zeros((9, 9)), np.zeros((9, 9))
    for seed in range(1_500):
        pairs = make_pairs(corpus, rows, seed=seed)
        np.add.at(mates, (pairs.first[pairs.same], pairs.second[pairs.same]), 1)
        np.add.at(others, (pairs.first[~pairs.same], pairs.second[~pairs.same]), 1)
    assert np.abs(mates[0, 1:4] / 1_500 - 1 / 3).max() < 0.05
    # Not quite 1/5: a repeated pair is redrawn, which moves texts off the partners that lead pairs themselves.
    assert np.abs(others[0, 4:] / 1_500 - 1 / 5).max() < 0.07


def test_texts_alone_lead_no_pair_and_texts_of_nobody_are_in_none():
    corpus = corpus_of(["a", "a", "a", "b", "c", "", ""])
    seen = set()
    for seed in range(30):
        pairs = make_pairs(corpus, np.arange(7), seed=seed)
        assert set(pairs.first) == {0, 1, 2}
        seen |= set(pairs.second[~pairs.same])
    assert seen == {3, 4}
    assert "2 texts without an author are in no pair." in pairs.notes
    assert "2 of 5 texts have no other text by their author" in pairs.notes[1]


@pytest.mark.parametrize(
    ("authors", "message"),
    [
        (None, "names no authors"),
        (["a", "a", "a"], "by 1 author.*need two authors"),
        (["a", "a", ""], "by 1 author"),
        (["", "", ""], "by 0 author"),
        (["a", "b", "c"], "3 texts has an author of its own"),
    ],
)
def test_sides_without_pairs_are_refused_with_a_way_out(authors, message):
    corpus = make_corpus(["x"] * 3, ["s", "t", "t"], authors=authors)
    with pytest.raises(SettingError, match=message):
        make_pairs(corpus, np.arange(3), seed=0)


@given(st.integers(0, 500), st.integers(2, 30), st.floats(0.1, 0.5))
@settings(max_examples=60, deadline=None)
def test_what_is_held_out_shares_no_text_with_what_is_fitted_on(seed, authors, share):
    rng = np.random.default_rng(seed)
    corpus = corpus_of([f"a{code}" for code in np.concatenate([np.arange(authors), rng.integers(0, authors, 200)])])
    pairs = make_pairs(corpus, np.arange(len(corpus)), seed=seed)
    fit, calibration = held_out(pairs, share=share, seed=seed)
    assert not set(fit.rows) & set(calibration.rows)
    assert not fit.notes and not calibration.notes
    for part in (fit, calibration):
        check_laws(corpus, part, part.rows)
        assert set(part.rows) <= set(pairs.rows)
    assert len(calibration.rows) / len(pairs.rows) == pytest.approx(share, abs=0.06)
    # Authors keep their shares: each gives calibration about as large a part of their texts.
    large = np.flatnonzero(np.bincount(corpus.author_codes[pairs.rows]) > 20)
    given = np.bincount(corpus.author_codes[calibration.rows], minlength=authors)[large]
    wanted = share * np.bincount(corpus.author_codes[pairs.rows], minlength=authors)[large]
    assert (np.abs(given - wanted) <= 4).all()


def test_authors_with_two_texts_go_whole_to_one_part():
    corpus = corpus_of([f"a{i // 2}" for i in range(40)])
    fit, calibration = held_out(make_pairs(corpus, np.arange(40), seed=0), share=0.25, seed=0)
    assert len(calibration.rows) <= 10 < 20 < len(fit.rows)
    assert not set(fit.first_author) & set(calibration.first_author)


@pytest.mark.parametrize("share", [0.0, 1.0, -0.2, 1.2])
def test_a_share_is_strictly_between_none_and_all(share):
    pairs = make_pairs(corpus_of(list("aaaabbbb")), np.arange(8), seed=0)
    with pytest.raises(SettingError, match="choose one between 0 and 1"):
        held_out(pairs, share=share, seed=0)


def test_rows_given_twice_count_once():
    corpus = corpus_of(list("aaabb"))
    once, twice = (make_pairs(corpus, rows, seed=1) for rows in (np.arange(5), np.array([0, 0, 1, 2, 3, 4, 4])))
    assert unordered(once) == unordered(twice)
    assert len(once) == 2 * len(once.first[once.same])
    assert once.rows.tolist() == sorted({*once.first.tolist(), *once.second.tolist()})
    assert once.notes == ()


def test_a_lead_comes_first_with_its_own_author_and_then_with_another():
    pairs = make_pairs(corpus_of(list("aaaabbbccdd")), np.arange(11), seed=5)
    assert pairs.same.tolist() == [True, False] * (len(pairs) // 2)
    assert (pairs.first[::2] == pairs.first[1::2]).all()


def test_tiny_sides_share_texts_and_say_so_or_are_refused():
    corpus = corpus_of(list("aaabbb"))
    pairs = make_pairs(corpus, np.arange(6), seed=0)
    fit, calibration = held_out(pairs, share=0.3, seed=0)
    assert sorted(map(sorted, unordered(fit) + unordered(calibration))) == sorted(map(sorted, unordered(pairs)))
    assert calibration.same.tolist().count(True) == 2
    assert "share texts" in calibration.notes[0]
    with pytest.raises(SettingError, match=r"1 same-author pair.*too few to hold any out"):
        held_out(make_pairs(corpus_of(list("aab")), np.arange(3), seed=0), share=0.3, seed=0)
    with pytest.raises(SettingError, match="share of 1 cannot be held out"):
        held_out(pairs, share=1.0, seed=0)


def test_records_cannot_be_changed_and_many_documents_are_quick():
    rng = np.random.default_rng(0)
    corpus = corpus_of([f"a{code}" for code in rng.zipf(1.3, 50_000) % 5_000])
    start = time.perf_counter()
    pairs = make_pairs(corpus, np.arange(50_000), seed=0)
    assert time.perf_counter() - start < 2  # a tenth of a second on an idle machine
    assert len(set(unordered(pairs))) == len(pairs)
    with pytest.raises(ValueError, match="read-only"):
        pairs.same[0] = False
