"""Pairs held out for calibration: no text in both parts, authors in proportion, and paired as the whole was."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import SettingError
from core.splits import PAIRINGS, held_out, make_pairs, topic_gap
from tests.core.splits.pair_cases import check_laws, corpus_of, unordered

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
    with pytest.raises(SettingError, match=r"1 text\(s\) in training lead .*too few to hold any out"):
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
