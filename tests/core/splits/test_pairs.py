"""Verification pairs: what every draw must satisfy, what matching and the paper promise, and refusals."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.corpora import make_corpus, take
from core.errors import SettingError
from core.splits import PAIRINGS, Pairs, make_pairs, topic_gap, topic_oracle_auc
from tests.core.splits.pair_cases import by_id, can_pair, check_laws, corpus_of, same_author_pairs, unordered, written

EVERY_KIND = pytest.mark.parametrize("kind", PAIRINGS)


def columns(texts) -> tuple[list[str], list[str]]:
    return [author for author, _ in texts], [topic for _, topic in texts]


def drawn(corpus, rows, **choices):
    """The pairs, or None where nothing can be matched."""
    try:
        return make_pairs(corpus, rows, **choices)
    except SettingError as problem:
        assert "can be matched" in str(problem)
        return None


def topic_pairs(corpus, pairs, kind) -> Counter:
    topics = corpus.topic_codes
    return Counter(zip(topics[pairs.first[kind]].tolist(), topics[pairs.second[kind]].tolist(), strict=True))


@given(written, st.integers(0, 1_000))
@settings(max_examples=200, deadline=None)
def test_matched_pairs_tell_nothing_by_topic(texts, seed):
    authors, topics = columns(texts)
    corpus = corpus_of(authors, topics, seed)
    pairs = drawn(corpus, np.arange(len(authors)), seed=seed)
    assume(pairs is not None)
    check_laws(corpus, pairs, range(len(authors)))
    assert pairs.kind == "matched"
    assert topic_pairs(corpus, pairs, pairs.same) == topic_pairs(corpus, pairs, ~pairs.same)
    assert topic_gap(pairs, corpus.topic_codes) == 0
    assert topic_oracle_auc(pairs, corpus.topic_codes) == 0.5
    assert pairs.same.tolist() == [True, False] * (len(pairs) // 2)
    assert (pairs.first[::2] == pairs.first[1::2]).all()
    assert (pairs.second_topic[::2] == pairs.second_topic[1::2]).all()
    # Every same-author pair is there or counted.
    assert pairs.same.sum() + pairs.left_out == same_author_pairs(authors)
    assert any("left out" in note for note in pairs.notes) == (pairs.left_out > 0)


@given(written, st.integers(0, 1_000))
@settings(max_examples=150, deadline=None)
def test_in_the_papers_pairs_every_text_leads_one_with_another_author(texts, seed):
    authors, topics = columns(texts)
    corpus = corpus_of(authors, topics, seed)
    pairs = make_pairs(corpus, np.arange(len(authors)), seed=seed, kind="paper")
    check_laws(corpus, pairs, range(len(authors)))
    assert pairs.kind == "paper"
    assert pairs.same.sum() == same_author_pairs(authors)
    # Only a star, one text against all of one other author, has fewer pairs than texts to lead them.
    star = len(set(authors)) == 2 and min(map(authors.count, set(authors))) == 1
    assert (~pairs.same).sum() + pairs.left_out == len(authors)
    assert pairs.left_out == int(star)
    assert any("lead no different-author pair" in note for note in pairs.notes) == star
    several = {row for row, author in enumerate(authors) if authors.count(author) > 1}
    assert several == set(pairs.first[pairs.same]) | set(pairs.second[pairs.same])


@EVERY_KIND
@given(written, st.integers(0, 1_000))
@settings(max_examples=60, deadline=None)
def test_pairs_never_leave_their_side(kind, texts, seed):
    authors, topics = columns(texts)
    corpus = corpus_of(authors, topics, seed)
    rows = np.flatnonzero(np.random.default_rng(seed).random(len(authors)) < 0.6)
    assume(len(rows) and can_pair([authors[row] for row in rows]))
    pairs = drawn(corpus, rows, seed=seed, kind=kind)
    assume(pairs is not None)
    check_laws(corpus, pairs, rows)


@EVERY_KIND
@given(written, st.integers(0, 1_000))
@settings(max_examples=60, deadline=None)
def test_pairs_do_not_depend_on_the_order_of_documents_or_rows(kind, texts, seed):
    corpus = corpus_of(*columns(texts), seed)
    rng = np.random.default_rng(seed)
    shuffled = take(corpus, rng.permutation(len(corpus)))
    first = drawn(corpus, np.arange(len(corpus)), seed=seed, kind=kind)
    assume(first is not None)
    second = make_pairs(shuffled, rng.permutation(len(corpus)), seed=seed, kind=kind)

    assert by_id(corpus, first) == by_id(shuffled, second)


@EVERY_KIND
def test_the_tightest_sides_still_find_a_different_pair_for_every_text(kind):
    # Three texts each by two authors on one topic: six leads on nine pairs, where a careless draw gets stuck.
    corpus = corpus_of("aaabbbc", "sssssst")
    for seed in range(300):
        pairs = make_pairs(corpus, np.arange(6), seed=seed, kind=kind)
        check_laws(corpus, pairs, np.arange(6))
        assert (len(pairs), pairs.left_out) == (12, 0)


def test_a_different_partner_is_drawn_by_author_first_and_then_by_text():
    corpus = corpus_of("aaaabbbbbbcc")
    mates, others = np.zeros((12, 12)), np.zeros((12, 12))
    for seed in range(1_500):
        pairs = make_pairs(corpus, np.arange(12), seed=seed, kind="paper")
        np.add.at(mates, (pairs.first[pairs.same], pairs.second[pairs.same]), 1)
        np.add.at(others, (pairs.first[~pairs.same], pairs.second[~pairs.same]), 1)
    assert np.abs(mates[0, 1:4] / 1_500 - 1 / 3).max() < 0.05
    # Authors b and c evenly, although b wrote three times as much. Not quite: a repeated pair is redrawn, which moves
    # texts off the partners that lead pairs with them, and those of c have the most to lead.
    assert others[0, 4:10].sum() / 1_500 == pytest.approx(1 / 2, abs=0.08)
    assert np.abs(others[0, 4:10] / others[0, 4:10].sum() - 1 / 6).max() < 0.04
    assert np.abs(others[0, 10:] / others[0, 10:].sum() - 1 / 2).max() < 0.05


def test_a_matched_partner_is_any_text_of_another_author_on_the_mates_topic():
    #                    0123456789
    corpus = corpus_of("aabbbcaabc", "stttttssss")
    seen: dict[int, Counter] = {}
    for seed in range(2_000):
        pairs = make_pairs(corpus, np.arange(10), seed=seed)
        for lead, mate, other in zip(pairs.first[::2], pairs.second[::2], pairs.second[1::2], strict=True):
            if lead == 0 and mate == 1:
                seen.setdefault(int(mate), Counter())[int(other)] += 1
    assert set(seen[1]) == {2, 3, 4, 5}, "everybody else on topic t"
    counts = np.array(list(seen[1].values())) / seen[1].total()
    assert np.abs(counts - 1 / 4).max() < 0.1


@EVERY_KIND
def test_the_seed_decides(kind):
    corpus = corpus_of("aaaabbbccabcabc")
    one, again, other = (unordered(make_pairs(corpus, np.arange(15), seed=seed, kind=kind)) for seed in (3, 3, 4))
    assert one == again != other


def test_texts_alone_lead_only_with_others_and_texts_of_nobody_are_in_no_pair():
    corpus = corpus_of(["a", "a", "a", "b", "c", "", ""], "stststs")
    seen = set()
    for seed in range(30):
        pairs = make_pairs(corpus, np.arange(7), seed=seed, kind="paper")
        assert set(pairs.first[pairs.same]) == {0, 1, 2}
        assert set(pairs.first[~pairs.same]) == {0, 1, 2, 3, 4}
        assert set(pairs.rows) == {0, 1, 2, 3, 4}
        matched = make_pairs(corpus, np.arange(7), seed=seed)
        assert set(matched.first) <= {0, 1, 2}
        seen |= set(matched.second[~matched.same])
    assert seen == {3, 4}
    for notes in (pairs.notes, matched.notes):
        assert notes[0] == "2 texts without an author are in no pair."
        assert "2 of 5 texts have no other text by their author" in notes[1]


def test_what_cannot_be_matched_is_left_out_counted_and_said():
    # On topic u only a wrote: whichever pair has its second text there goes.
    corpus = corpus_of("aaaabbbb", "uussssss")
    for seed in range(40):
        pairs = make_pairs(corpus, np.arange(8), seed=seed)
        assert pairs.left_out == 2, "each text of u is second in one same-author pair"
        assert not set(pairs.second) & {0, 1}
        assert pairs.notes[-1].startswith("2 of 8 same-author pairs are left out")


def test_a_text_that_could_only_repeat_a_pair_leads_none():
    # Four texts lead, and of the pairs they could lead with somebody else's text two may be the same two texts.
    corpus, left_out = corpus_of("bbbaa", "uussu"), set()
    for seed in range(20):
        pairs = make_pairs(corpus, np.arange(5), seed=seed)
        assert len(pairs.first) == len(pairs.second) == 2 * pairs.same.sum() == 2 * (4 - pairs.left_out)
        mates, others = pairs.second[pairs.same], pairs.second[~pairs.same]
        assert (corpus.topic_codes[mates] == corpus.topic_codes[others]).all() and (others >= 0).all()
        assert (pairs.first_author == pairs.second_author).tolist() == pairs.same.tolist()
        left_out.add(pairs.left_out)
    assert max(left_out) > 0


@EVERY_KIND
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
def test_sides_without_pairs_are_refused_with_a_way_out(authors, message, kind):
    corpus = make_corpus(["x"] * 3, ["s", "t", "t"], authors=authors)
    with pytest.raises(SettingError, match=message):
        make_pairs(corpus, np.arange(3), seed=0, kind=kind)


def test_a_side_that_cannot_be_matched_names_the_papers_pairs():
    corpus = corpus_of("aaabbb", "ssstts")
    with pytest.raises(SettingError, match=r"None of 4 same-author pairs .*use fewer folds, or the paper's pairs"):
        make_pairs(corpus, np.array([0, 1, 2, 3, 4]), seed=0)
    assert len(make_pairs(corpus, np.array([0, 1, 2, 3, 4]), seed=0, kind="paper")) == 4 + 5


def test_a_side_of_one_author_is_refused_whoever_it_is():
    corpus = corpus_of("aabbcc", "ststst")
    for author in range(3):
        with pytest.raises(SettingError, match=r"2 texts by 1 author: different-author pairs need two"):
            make_pairs(corpus, np.array([2 * author, 2 * author + 1]), seed=0)


def test_what_a_pairing_hangs_on():
    assert {name: pairing.by_topic for name, pairing in PAIRINGS.items()} == {"matched": True, "paper": False}
    none = np.empty(0, dtype=np.int64)
    assert Pairs(none, none, none.astype(bool), none, none, none, none, "paper").left_out == 0  # unless told


def test_an_unknown_kind_is_refused_with_the_nearest():
    with pytest.raises(SettingError, match="Did you mean 'matched'"):
        make_pairs(corpus_of("aabb"), np.arange(4), seed=0, kind="mached")


@EVERY_KIND
def test_rows_given_twice_count_once(kind):
    corpus = corpus_of("aaabbb", "stssts")
    rows = np.arange(6), np.array([0, 0, 1, 2, 3, 4, 4, 5])
    once, twice = (make_pairs(corpus, each, seed=1, kind=kind) for each in rows)
    assert unordered(once) == unordered(twice)
    assert once.rows.tolist() == sorted({*once.first.tolist(), *once.second.tolist()})
    assert once.notes == ()


@EVERY_KIND
@pytest.mark.parametrize(("authors", "topics"), [(5_000, 300), (8_000, 12_000), (2, 5_000)])
def test_records_cannot_be_changed_and_many_documents_leave_few_pairs_out(kind, authors, topics):
    rng = np.random.default_rng(0)
    names = [f"a{code}" for code in rng.zipf(1.3, 50_000) % authors]
    corpus = corpus_of(names, [f"t{code}" for code in rng.zipf(1.3, 50_000) % topics])
    pairs = make_pairs(corpus, np.arange(50_000), seed=0, kind=kind)
    assert len(set(unordered(pairs))) == len(pairs)
    assert pairs.left_out <= 0.1 * len(pairs)
    with pytest.raises(ValueError, match="read-only"):
        pairs.same[0] = False
