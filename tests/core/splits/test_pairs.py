"""Pairs: their invariants, those of held-out documents, and what topics give away."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score

from core.corpora import make_corpus, take
from core.demo import bundled_corpus
from core.errors import SettingError
from core.splits import PAIRINGS, Pairs, held_out, make_pairs, topic_gap, topic_kfold, topic_oracle_auc
from core.splits.pairs import _calibration_texts, _repeated, _unrepeated, most_texts
from tests.core.splits.pair_cases import by_id, can_pair, check_laws, corpus_of, same_author_pairs, unordered, written

EVERY_KIND = pytest.mark.parametrize("kind", PAIRINGS)

#       document 0  1  2  3  4  5
TOPICS = np.array([0, 0, 1, 1, 2, 2])


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
def test_matched_pairs_tell_nothing_by_topic_or_by_counting(texts, seed):
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
    # Both classes hold the same texts, first and second: no count of a text is more often that of one class.
    for side in (pairs.first, pairs.second):
        assert sorted(side[pairs.same]) == sorted(side[~pairs.same])
        assert set(Counter(side.tolist()).values()) == {2}
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
    #                    01234567890123
    corpus = corpus_of("aabbbcccaabbcc", "stttttttssssss")
    seen = Counter()
    for seed in range(2_000):
        pairs = make_pairs(corpus, np.arange(14), seed=seed)
        for lead, mate, other in zip(pairs.first[::2], pairs.second[::2], pairs.second[1::2], strict=True):
            if lead == 0 and mate == 1:
                seen[int(other)] += 1
    assert set(seen) == {2, 3, 4, 5, 6, 7}, "everybody else on topic t"
    counts = np.array(list(seen.values())) / seen.total()
    assert np.abs(counts - 1 / 6).max() < 0.1


def counting_clues(pairs) -> np.ndarray:
    """How often each of a pair's texts comes first, second and at all."""
    firsts, seconds = (np.bincount(side, minlength=pairs.rows.max() + 1) for side in (pairs.first, pairs.second))
    return np.stack([count[side] for side in (pairs.first, pairs.second) for count in (firsts, seconds)], axis=1)


@pytest.mark.parametrize(("kind", "low", "high"), [("matched", 0.49, 0.51), ("paper", 0.8, 1.0)])
def test_counting_texts_solves_the_papers_pairs_and_not_the_matched_ones(kind, low, high):
    corpus, clues, truth, kept = bundled_corpus(), [], [], []
    for seed in (0, 1):
        for number, fold in enumerate(topic_kfold(corpus, k=6, seed=seed)):
            pairs = make_pairs(corpus, fold.test, seed=number, kind=kind)
            clues.append(counting_clues(pairs))
            truth.append(pairs.same)
            kept.append(pairs.same.sum() / (pairs.same.sum() + pairs.left_out))
    forest = RandomForestClassifier(50, min_samples_leaf=20, random_state=0, n_jobs=1)
    forest.fit(np.vstack(clues[::2]), np.concatenate(truth[::2]))
    guessed = forest.predict_proba(np.vstack(clues[1::2]))[:, 1]
    assert low <= roc_auc_score(np.concatenate(truth[1::2]), guessed) <= high
    assert np.mean(kept) >= 0.88


@pytest.mark.parametrize(("shuffled", "low", "high"), [(True, 0.48, 0.52), (False, 0.6, 0.9)])
def test_lengths_tell_of_authors_who_keep_to_one_and_of_nothing_else(shuffled, low, high):
    rng = np.random.default_rng(0)
    codes = np.tile(np.arange(20), 120)
    lengths = np.exp(3 + 0.1 * codes + 0.5 * rng.normal(size=len(codes)))
    names = [f"author {code}" for code in (rng.permutation(codes) if shuffled else codes)]
    topics = [f"topic {number}" for number in rng.integers(0, 6, len(codes))]
    corpus = make_corpus([f"text {number}" for number in range(len(codes))], topics, authors=names)
    pairs = make_pairs(corpus, np.arange(len(codes)), seed=1)
    one, two = lengths[pairs.first], lengths[pairs.second]
    assert roc_auc_score(pairs.same, one) == roc_auc_score(pairs.same, two) == 0.5
    assert low <= roc_auc_score(pairs.same, -np.abs(np.log(one / two))) <= high


def test_a_text_that_comes_second_once_is_no_sign_of_one_author():
    # In an earlier draw, 97% of the seconds that came once were in same-author pairs.
    corpus = bundled_corpus()
    for number, fold in enumerate(topic_kfold(corpus, k=6, seed=0)):
        pairs = make_pairs(corpus, fold.test, seed=number)
        assert set(np.bincount(pairs.second)) == {0, 2} and set(np.bincount(pairs.first)) == {0, 2}


def test_authors_of_two_texts_change_places_among_themselves():
    # Of two texts one only leads and one only follows; beside authors of more texts, that alone would tell.
    names = [f"a{number // 2}" for number in range(60)] + [f"b{number // 5}" for number in range(60)]
    corpus = corpus_of(names, ["s", "t", "t", "s", "t"] * 24)
    for seed in range(5):
        pairs = make_pairs(corpus, np.arange(120), seed=seed)
        few = np.array([name.startswith("a") for name in names])
        assert (few[pairs.first] == few[pairs.second]).all() and few[pairs.first].any() and (~few)[pairs.first].any()


def test_what_stays_where_swaps_leave_a_pair_twice():
    # Places 0 and 1 exchange their seconds with each other, and so do 2 and 3; pairs 0 and 1 are the same two texts.
    leads, mates, authors = np.array([0, 1, 4, 5]), np.array([0, 1, 6, 7]), np.array([0, 1, 0, 1, 0, 1, 0, 1])
    places, groups = np.array([1, 0, 3, 2]), np.zeros(4, dtype=np.int64)
    assert _unrepeated(leads, mates, groups, authors, places).tolist() == [False, False, True, True]
    # Where nothing would stay, one exchange that is no repeat does: 0 leads with 3, and 1 with 2.
    leads, mates, places = np.array([0, 1, 2, 3]), np.array([2, 3, 0, 1]), np.array([3, 2, 1, 0])
    stay = _unrepeated(leads, mates, groups, authors, places)
    left = sorted(map(sorted, np.stack([leads[stay], mates[places][stay]], axis=1).tolist()))
    assert len(left) == 2 and left[0] != left[1] and sorted(mates[stay]) == sorted(mates[places][stay])


@EVERY_KIND
def test_the_seed_decides(kind):
    corpus = corpus_of("aaaabbbccabcabc")
    one, again, other = (unordered(make_pairs(corpus, np.arange(15), seed=seed, kind=kind)) for seed in (3, 3, 4))
    assert one == again != other


def test_texts_alone_lead_only_with_others_and_texts_of_nobody_are_in_no_pair():
    corpus = corpus_of(["a", "a", "a", "d", "d", "d", "b", "c", "", ""], "stststssst")
    for seed in range(30):
        pairs = make_pairs(corpus, np.arange(10), seed=seed, kind="paper")
        assert set(pairs.first[pairs.same]) == {0, 1, 2, 3, 4, 5}
        assert set(pairs.first[~pairs.same]) == {*range(8)} == set(pairs.rows)
        matched = make_pairs(corpus, np.arange(10), seed=seed)
        assert set(matched.rows) <= {0, 1, 2, 3, 4, 5}, "matched seconds are second in a same-author pair too"
    for notes in (pairs.notes, matched.notes):
        assert notes[0] == "2 texts without an author are in no pair."
        assert "2 of 8 texts have no other text by their author" in notes[1]


def test_what_cannot_be_matched_is_left_out_counted_and_said():
    # On topic u only a wrote, and of topic s b wrote one text more: those three texts are in no pair.
    corpus = corpus_of("aaaaabbbb", "uusssssss")
    for seed in range(40):
        pairs = make_pairs(corpus, np.arange(9), seed=seed)
        assert (pairs.left_out, pairs.same.sum()) == (3, 6)
        assert not set(pairs.rows) & {0, 1} and Counter(pairs.first_author[pairs.same]) == {0: 3, 1: 3}
        assert pairs.notes[-1].startswith("3 of 9 same-author pairs are left out")


@EVERY_KIND
@pytest.mark.parametrize(
    ("authors", "message"),
    [
        (None, "names no authors"),
        (["a", "a", "a"], "by 1 author.*need two authors"),
        (["a", "a", ""], "by 1 author"),
        (["", "", ""], "by 0 author"),
        (["a", "b", "c"], "3 texts has its own author"),
    ],
)
def test_sides_without_pairs_are_refused_with_a_way_out(authors, message, kind):
    corpus = make_corpus(["x"] * 3, ["s", "t", "t"], authors=authors)
    with pytest.raises(SettingError, match=message):
        make_pairs(corpus, np.arange(3), seed=0, kind=kind)


def test_a_side_that_cannot_be_matched_names_the_papers_pairs():
    corpus = corpus_of("aaabbb", "ssstts")
    with pytest.raises(SettingError, match=r"None of 4 same-author pairs .*Use fewer folds, or the paper's pairs"):
        make_pairs(corpus, np.array([0, 1, 2, 3, 4]), seed=0)
    assert len(make_pairs(corpus, np.array([0, 1, 2, 3, 4]), seed=0, kind="paper")) == 4 + 5


def test_a_side_of_one_author_is_refused_whoever_it_is():
    corpus = corpus_of("aabbcc", "ststst")
    for author in range(3):
        with pytest.raises(SettingError, match=r"2 texts by 1 author: different-author pairs need two"):
            make_pairs(corpus, np.array([2 * author, 2 * author + 1]), seed=0)


def test_what_a_pairing_depends_on():
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
    most = 0.5 if authors == 2 else 0.1  # of two authors, the one with more texts leads no more than the other has
    assert pairs.left_out <= most * len(pairs)
    with pytest.raises(ValueError, match="read-only"):
        pairs.same[0] = False


def pairs_of(first, second, same) -> Pairs:
    first, second = np.array(first), np.array(second)
    nobody = np.zeros(len(first), dtype=np.int64)
    return Pairs(first, second, np.array(same), nobody, nobody, TOPICS[first], TOPICS[second], "paper")


def test_worked_values():
    # One author: topics 0-0, 1-1, 0-1; two authors: 0-1, 0-1, 2-2.
    pairs = pairs_of([0, 2, 0, 1, 2, 4], [1, 3, 2, 2, 0, 5], [True, True, True, False, False, False])
    assert topic_gap(pairs, TOPICS) == pytest.approx(2 / 3 - 1 / 3)
    # Shares: 0-0 and 1-1 are 1, 0-1 is 1/3, 2-2 is 0; so (3 + 3 + 1 + 2/2)/9.
    assert topic_oracle_auc(pairs, TOPICS) == pytest.approx(8 / 9)


def test_topics_that_tell_all_and_topics_that_tell_nothing():
    telling = pairs_of([0, 2, 0, 1], [1, 3, 2, 3], [True, True, False, False])
    assert (topic_gap(telling, TOPICS), topic_oracle_auc(telling, TOPICS)) == (1, 1)
    silent = pairs_of([0, 0], [1, 1], [True, False])
    assert (topic_gap(silent, TOPICS), topic_oracle_auc(silent, TOPICS)) == (0, 0.5)


@pytest.mark.parametrize("same", [[True, True], [False, False], []])
def test_one_kind_of_pair_leaves_both_undefined(same):
    pairs = pairs_of(np.zeros(len(same), dtype=int), np.ones(len(same), dtype=int), np.array(same, dtype=bool))
    assert np.isnan(topic_gap(pairs, TOPICS)) and np.isnan(topic_oracle_auc(pairs, TOPICS))


documents = st.integers(0, len(TOPICS) - 1)


@given(st.lists(st.tuples(documents, documents, st.booleans()), min_size=2, max_size=30))
def test_the_judge_is_scored_as_scikit_learn_scores_him_and_order_means_nothing(rows):
    first, second, same = zip(*rows, strict=True)
    if len(set(same)) < 2:
        return
    shares: dict[frozenset, list[bool]] = {}
    topics = [frozenset((TOPICS[one], TOPICS[two])) for one, two in zip(first, second, strict=True)]
    for where, one_author in zip(topics, same, strict=True):
        shares.setdefault(where, []).append(one_author)
    scores = [np.mean(shares[where]) for where in topics]
    found = topic_oracle_auc(pairs_of(first, second, same), TOPICS)
    assert found == pytest.approx(roc_auc_score(same, scores))
    assert found >= 0.5 - 1e-12
    turned = pairs_of(second, first, same)
    assert topic_oracle_auc(turned, TOPICS) == found
    assert topic_gap(turned, TOPICS) == topic_gap(pairs_of(first, second, same), TOPICS)


def test_the_papers_pairs_of_the_bundled_corpus_have_a_gap_and_matched_ones_none():
    corpus = bundled_corpus()
    gaps, judged = [], []
    for number, fold in enumerate(topic_kfold(corpus, k=6, seed=0)):
        paper = make_pairs(corpus, fold.test, seed=number, kind="paper")
        gaps.append(topic_gap(paper, corpus.topic_codes))
        judged.append(topic_oracle_auc(paper, corpus.topic_codes))
        matched = make_pairs(corpus, fold.test, seed=number)
        assert topic_gap(matched, corpus.topic_codes) == 0 and topic_oracle_auc(matched, corpus.topic_codes) == 0.5
    assert 0.28 < np.mean(gaps) < 0.42 and min(judged) > 0.6


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
    if kind == "matched":  # a part leaves out texts that nobody else's can take the place of, so sizes are not exact
        return
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


def split(authors: str, share: float, seed: int):
    """The papers' pairs of these texts in two parts: every text is in some pair, so that each part shows what it was split."""
    corpus = corpus_of(authors)
    parts = held_out(make_pairs(corpus, np.arange(len(authors)), seed=seed, kind="paper"), share=share, seed=seed)
    return corpus, *parts


def given_by(corpus, part) -> Counter:
    """How many texts each author has in a part."""
    return Counter(corpus.author_names[code] for code in corpus.author_codes[part.rows])


def test_authors_are_split_in_twos_and_a_last_odd_text_makes_three():
    authors = "a" + "bb" + "ccc" + "dddd" + "eeeee" + "fffffff" + "gg" + "hh"
    possible = {"a": {0, 1}, "b": {0, 2}, "c": {0, 3}, "d": {0, 2, 4}, "e": {0, 2, 3, 5}, "f": {0, 2, 3, 4, 5, 7}}
    for seed in range(30):
        corpus, fit, calibration = split(authors, 0.3, seed)
        assert sorted([*fit.rows, *calibration.rows]) == list(range(len(authors)))
        found = given_by(corpus, calibration)
        assert all(found[author] in counts for author, counts in possible.items())
        assert sum(max(count // 2, 1) for count in found.values()) in (3, 4), "of 12 units"
        assert not any(found[one] and found[two] for one, two in pairwise("abc")), "less than half: no two in a row"


def test_a_text_alone_is_a_unit_of_its_own():
    # Authors of two texts and of one by turns: less than half is held out, so no two units in a row.
    names = "abcdefghijklmnopqrst"
    for seed in range(10):
        corpus, _, calibration = split("".join(name * (2 - place % 2) for place, name in enumerate(names)), 0.3, seed)
        found = given_by(corpus, calibration)
        assert len(found) == 6 and not any(found[one] and found[two] for one, two in pairwise(names))


def test_everybody_is_held_out_as_often_as_anybody_over_seeds():
    # With an offset smaller than a step the same authors would be held out whatever the seed.
    counts = Counter()
    for seed in range(200):
        corpus, _, calibration = split("".join(2 * chr(97 + author) for author in range(20)), 0.2, seed)
        counts.update(given_by(corpus, calibration).keys())
    assert set(counts) == set(corpus.author_names)
    assert chisquare(list(counts.values())).pvalue > 0.001


def test_every_other_unit_is_half_of_everybody():
    # Units are split evenly, author by author: of two units in a row one is held out.
    for seed in range(20):
        corpus, fit, calibration = split("aaaabbbbccccdddddddd", 0.5, seed)
        assert given_by(corpus, fit) == given_by(corpus, calibration) == {"a": 2, "b": 2, "c": 2, "d": 4}


@pytest.mark.parametrize(("authors", "share", "texts"), [(4, 0.1, 4), (10, 0.1, 4), (20, 0.25, 10), (20, 0.5, 20)])
def test_as_many_units_are_held_out_as_the_share_says_but_two_at_least(authors, share, texts):
    for seed in range(20):
        _, fit, calibration = split("".join(2 * chr(97 + author) for author in range(authors)), share, seed)
        assert (len(calibration.rows), len(fit.rows)) == (texts, 2 * authors - texts)
        assert calibration.same.sum() == texts // 2


@pytest.mark.parametrize("authors", ["aabbcc", "aabbcdef", "aabbccdefg"])
def test_a_part_with_one_author_or_one_same_author_pair_will_not_do(authors):
    # Two in one part and one in the other, or one in each: no split leaves two same-author pairs on both sides.
    for seed in range(4):
        _, fit, calibration = split(authors, 0.4, seed)
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
        assert _calibration_texts(authors, 0.01, np.random.default_rng(seed)).sum() == 4


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=30))
@settings(deadline=None)
def test_pairs_that_come_twice_are_found_either_way_round(pairs):
    one, two = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    times = Counter(frozenset(pair) for pair in pairs)
    assert _repeated(one, two).tolist() == [times[frozenset(pair)] > 1 for pair in pairs]


def test_the_most_frequent_author_has_the_most_texts_and_nobody_none():
    assert most_texts(corpus_of("aabbbc")) == 3
    assert most_texts(corpus_of("ab")) == 1
    assert most_texts(make_corpus(["x"] * 4, list("stst"))) == 0
