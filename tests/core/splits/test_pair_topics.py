"""What topics alone tell about pairs: worked values, bounds, and scikit-learn's AUC of the same judge."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from core.demo import bundled_corpus
from core.splits import Pairs, make_pairs, topic_gap, topic_kfold, topic_oracle_auc

#       document 0  1  2  3  4  5
TOPICS = np.array([0, 0, 1, 1, 2, 2])


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
