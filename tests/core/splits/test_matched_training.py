"""Two sets of folds cut to train on equally much, and tests left alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.corpora import take
from core.errors import SettingError
from core.splits import folds_in_whole, match_training, topic_kfold
from tests.core.spies import corpus_of, rows_of


def uneven(seed: int, documents: int = 80):
    rng = np.random.default_rng(seed)
    rows = rows_of(topics=8, authors=4, each=4)
    corpus = corpus_of([rows[place] for place in np.sort(rng.choice(len(rows), documents, replace=False))])
    return corpus, topic_kfold(corpus, k=3, seed=seed), topic_kfold(corpus, k=3, seed=seed + 1)


@given(st.integers(0, 500), st.booleans())
@settings(max_examples=30, deadline=None)
def test_the_richer_side_is_cut_and_nothing_else_changes(seed, by_author):
    corpus, *before = uneven(seed)
    after = match_training(corpus, *before, by_author=by_author, seed=seed)
    for number in range(3):
        sides = [each.folds[number].train for each in after]
        assert len(sides[0]) == len(sides[1])
        counts = [
            [np.bincount(corpus.author_codes[each.folds[number].train], minlength=4) for each in one]
            for one in (before, after)
        ]
        if by_author:
            np.testing.assert_array_equal(counts[1][0], np.minimum(*counts[0]))
            np.testing.assert_array_equal(counts[1][0], counts[1][1])
        else:
            assert len(sides[0]) == min(len(each.folds[number].train) for each in before)
        for one, two in zip(before, after, strict=True):
            assert set(two.folds[number].train) <= set(one.folds[number].train)
            np.testing.assert_array_equal(two.folds[number].test, one.folds[number].test)
            assert set(two.folds[number].train_topics) == set(corpus.topic_codes[two.folds[number].train])


def test_a_poorer_side_stays_as_it_is():
    corpus, one, _ = uneven(1)
    same = match_training(corpus, one, one, by_author=True, seed=0)
    assert all((two.train == fold.train).all() for each in same for two, fold in zip(each, one, strict=True))


def test_folds_of_a_part_are_folds_of_the_whole_by_id():
    corpus, *_ = uneven(2)
    part = take(corpus, np.flatnonzero(corpus.topic_codes % 2 == 0))
    folds = topic_kfold(part, k=2, seed=0)
    for inside, outside in zip(folds, folds_in_whole(corpus, part, folds), strict=True):
        for one, two in ((inside.train, outside.train), (inside.test, outside.test)):
            assert {part.ids[row] for row in one} == {corpus.ids[row] for row in two}
        assert [part.topic_names[code] for code in inside.test_topics] == [
            corpus.topic_names[code] for code in outside.test_topics
        ]


def test_sets_of_other_sizes_cannot_be_matched():
    corpus, one, _ = uneven(3)
    with pytest.raises(SettingError, match="use the same k"):
        match_training(corpus, one, topic_kfold(corpus, k=4, seed=0), by_author=True, seed=0)
