"""The verdict's combinatorics against brute force, and its levels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.topics import hits_path, judge, twin_threshold
from core.topics.verdict import expected_leaking_topics


def families(sizes: list[int], *, inside: float = 0.9, outside: float = 0.2) -> np.ndarray:
    label = np.repeat(np.arange(len(sizes)), sizes)
    similarity = np.where(label[:, None] == label[None, :], inside, outside)
    np.fill_diagonal(similarity, 1.0)
    return similarity


@given(st.lists(st.integers(1, 3), min_size=2, max_size=5), st.integers(2, 5))
@settings(max_examples=20, deadline=None)
def test_expected_leaking_topics_agrees_with_dealing_topics_at_random(sizes, k):
    label = np.repeat(np.arange(len(sizes)), sizes)
    k = min(k, len(label))
    if k < 2:
        return
    twins = np.array([(label == mine).sum() - 1 for mine in label])
    rng = np.random.default_rng(0)
    counts = []
    for _ in range(3_000):
        fold = np.empty(len(label), dtype=int)
        for number, part in enumerate(np.array_split(rng.permutation(len(label)), k)):
            fold[part] = number
        apart = (label[:, None] == label[None, :]) & (fold[:, None] != fold[None, :])
        counts.append(apart.any(axis=1).sum())
    error = np.std(counts) / np.sqrt(len(counts))
    assert expected_leaking_topics(twins, k=k) == pytest.approx(np.mean(counts), abs=4 * error + 1e-9)


def test_a_corpus_of_families_leaks_and_hits_keeps_one_of_each():
    similarity = families([3, 3, 2, 1, 1])
    verdict = judge(similarity, hits_path(similarity), k=5)
    assert verdict.threshold == pytest.approx(0.6)
    assert verdict.level == "leaks"
    assert verdict.twins.tolist() == [2, 2, 2, 2, 2, 2, 1, 1, 0, 0]
    assert verdict.twin_pairs == 7
    assert verdict.keep == 5


def test_strangers_are_clear():
    similarity = families([1, 1, 1, 1, 1, 1])
    verdict = judge(similarity, hits_path(similarity), k=3)
    assert (verdict.level, verdict.twin_pairs, verdict.leaking_topics, verdict.keep) == ("clear", 0, 0.0, 6)


def test_one_pair_among_many_is_some():
    similarity = families([2] + [1] * 18)
    assert judge(similarity, hits_path(similarity), k=5).level == "some"


def test_threshold_is_half_way_between_a_typical_pair_and_one_topic():
    assert twin_threshold(families([1, 1, 1], outside=0.3)) == pytest.approx(0.65)
