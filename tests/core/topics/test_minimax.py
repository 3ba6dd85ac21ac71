"""Minimax: never beaten, by brute force or by HITS; a proof or a bound; the worked values of docs/methods.md."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.demo import bundled_corpus, bundled_vectors
from core.errors import SettingError
from core.topics import SAMPLERS, hits_path, optima, optimum, optimum_curve, topic_space
from core.topics.minimax import independent_topics, minimax_topics, searched_sizes
from core.topics.view import thousandths
from core.vectors import make_encoder
from tests.core.topics.similarities import WORKED, families, similarities, similarity_of


def highest(similarity: np.ndarray, topics) -> float:
    return max(similarity[one, two] for one, two in combinations(topics, 2))


def mean(similarity: np.ndarray, topics) -> float:
    return float(np.mean([similarity[one, two] for one, two in combinations(topics, 2)]))


@given(similarities, st.integers(2, 6))
@settings(max_examples=15, deadline=None)
def test_no_choice_of_topics_has_a_lower_maximum(similarity, m):
    m = min(m, len(similarity))
    found = optimum(similarity, m)
    best = min(highest(similarity, topics) for topics in combinations(range(len(similarity)), m))
    assert found.max == highest(similarity, found.topics) == best
    assert found.proven and found.max_bound == found.max
    assert len(set(found.topics.tolist())) == m
    assert found.mean == pytest.approx(mean(similarity, found.topics))


@given(similarities)
@settings(max_examples=8, deadline=None)
def test_the_maximum_rises_with_m_and_hits_is_never_below(similarity):
    sizes = range(2, len(similarity) + 1)
    found = optima(similarity, sizes)
    values = [each.max for each in found]
    assert values == sorted(values)
    assert all(each.max <= value for each, value in zip(found, hits_path(similarity).max[1:], strict=True))
    half = len(sizes) // 2  # searched alone, without what other sizes have taught
    assert found[half].max == optimum(similarity, sizes[half]).max


def test_of_equal_maxima_the_lower_mean_is_taken():
    # Two samples of three have the lowest maximum, .5; one has a lower mean.
    similarity = np.full((5, 5), 0.9)
    for pair, value in {(0, 1): 0.5, (0, 2): 0.5, (1, 2): 0.5, (0, 3): 0.5, (1, 3): 0.1}.items():
        similarity[pair] = similarity[pair[::-1]] = value
    np.fill_diagonal(similarity, 1.0)
    found = optimum(similarity, 3)
    assert (sorted(found.topics.tolist()), found.max) == ([0, 1, 3], 0.5)
    assert found.mean == pytest.approx(1.1 / 3)


def test_the_worked_values():
    found = optimum(WORKED, 3)
    assert (sorted(found.topics.tolist()), found.max, found.proven) == ([0, 2, 4], 0.40, True)
    assert found.mean == pytest.approx(0.2333, abs=5e-5)
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    space = topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names, similarity="plain")
    path = hits_path(space.similarity)
    for m, by_hits, least in ((12, 0.5530, 0.5471), (16, 0.6847, 0.6232)):
        best = optimum(space.similarity, m)
        assert (path.max[m - 1], best.max, best.proven) == (
            pytest.approx(by_hits, abs=5e-5),
            pytest.approx(least, abs=5e-5),
            True,
        )


def test_where_it_is_not_proven_a_bound_is_given(monkeypatch):
    similarity = similarity_of(5, 40)
    exact = optimum(similarity, 12)
    monkeypatch.setattr("core.topics.minimax.MOST_WORK", 0)
    gaps = []
    for most in (1, 200, 2_000):
        monkeypatch.setattr("core.topics.minimax.MOST_COLOURED", most)
        loose = optimum(similarity, 12)
        assert loose.max_bound <= exact.max <= loose.max <= hits_path(similarity).max[11]
        assert loose.proven == (loose.max_bound == loose.max)
        gaps.append(loose.max - loose.max_bound)
    assert exact.proven and gaps[0] > 0 and gaps == sorted(gaps, reverse=True)


@given(st.integers(0, 10_000), st.sampled_from([0.1, 0.4, 0.8]))
@settings(max_examples=20, deadline=None)
def test_independent_topics_are_as_many_as_an_independent_library_finds(seed, share):
    rng = np.random.default_rng(seed)
    conflict = np.triu(rng.random((12, 12)) < share, k=1)
    conflict |= conflict.T
    found = independent_topics(conflict)
    assert not conflict[np.ix_(found.topics, found.topics)].any()
    free = nx.from_numpy_array(~conflict & ~np.eye(12, dtype=bool))
    assert len(found.topics) == found.at_most == max(map(len, nx.find_cliques(free)))


@given(st.integers(0, 10_000), st.sampled_from([0.05, 0.2, 0.5, 0.8]), st.integers(1, 150), st.booleans())
@settings(max_examples=40, deadline=None)
def test_a_search_that_is_cut_short_still_tells_the_truth(seed, share, most, program):
    rng = np.random.default_rng(seed)
    conflict = np.triu(rng.random((16, 16)) < share, k=1)
    conflict |= conflict.T
    largest = max(map(len, nx.find_cliques(nx.from_numpy_array(~conflict & ~np.eye(16, dtype=bool)))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.topics.minimax.MOST_COLOURED", most)
        patch.setattr("core.topics.minimax.MOST_WORK", 10**9 if program else 0)
        found = independent_topics(conflict)
    assert not conflict[np.ix_(found.topics, found.topics)].any()
    assert len(found.topics) <= largest <= found.at_most


def test_a_thousand_restarts_of_local_search_find_no_lower_maximum():
    rng = np.random.default_rng(1)
    similarity = similarity_of(11, 30, shift=0.4)
    found = optimum(similarity, 10)
    assert found.proven
    off = np.where(np.eye(30, dtype=bool), -np.inf, similarity)
    for _ in range(1_000):
        topics = rng.permutation(30)[:10]
        value = off[np.ix_(topics, topics)].max()
        while True:  # one of the closest pair changed for the topic that is least like the others
            one = np.unravel_index(off[np.ix_(topics, topics)].argmax(), (10, 10))[rng.integers(2)]
            rest = np.delete(topics, one)
            outside = np.setdiff1d(np.arange(30), topics)
            changed = np.append(rest, outside[off[np.ix_(outside, rest)].max(axis=1).argmin()])
            if (lower := off[np.ix_(changed, changed)].max()) >= value:
                break
            topics, value = changed, lower
        assert value >= found.max


def test_equal_similarities_everywhere_and_families_of_twins():
    same = np.full((6, 6), 0.3)
    np.fill_diagonal(same, 1.0)
    assert (optimum(same, 4).max, optimum(same, 4).proven) == (0.3, True)
    twins = families([3, 2, 4])
    assert [optimum(twins, m).max for m in (2, 3, 4)] == [0.2, 0.2, 0.9]


def test_topics_that_have_too_few_documents_take_no_part():
    similarity = np.array(WORKED)
    similarity[1], similarity[:, 1] = np.nan, np.nan
    assert sorted(optimum(similarity, 3).topics.tolist()) == [0, 2, 4]
    assert sorted(minimax_topics(similarity, 5).tolist()) == [0, 1, 2, 3, 4]
    assert minimax_topics(similarity, 5)[-1] == 1
    assert minimax_topics(np.full((3, 3), np.nan), 2).tolist() == [0, 1]
    with pytest.raises(SettingError, match="4 topics have enough documents"):
        optimum(similarity, 5)


def test_one_topic_has_no_pair():
    found = optimum(WORKED, 1)
    assert len(found.topics) == 1 and np.isnan(found.max) and np.isnan(found.mean) and found.proven


@given(similarities, st.randoms(use_true_random=False))
@settings(max_examples=8, deadline=None)
def test_the_order_of_topics_changes_nothing_but_their_numbers(similarity, random):
    order = list(range(len(similarity)))
    random.shuffle(order)
    shuffled = similarity[np.ix_(order, order)]
    m = max(2, len(similarity) // 2)
    assert optimum(shuffled, m).max == optimum(similarity, m).max


def test_it_is_a_sampler_that_gives_the_same_topics_every_time():
    similarity = similarity_of(3, 14)
    first, again = (SAMPLERS["minimax"].selected(similarity, 6, seed=seed).tolist() for seed in (0, 9))
    assert first == again and highest(similarity, first) == optimum(similarity, 6).max


@pytest.mark.parametrize("seed", [12, 18, 31])
def test_a_sample_is_the_same_beside_others_as_alone(seed):
    """The chart of all ways to split asks for every m at once, the file of one for its m."""
    similarity = similarity_of(seed, 30)
    sizes = range(2, 30)
    for m, beside in zip(sizes, optima(similarity, sizes), strict=True):
        assert beside.topics.tolist() == optimum(similarity, m).topics.tolist()


def test_every_m_is_the_optimum_of_that_m():
    similarity = similarity_of(3, 18, shift=0.4)
    found, path = optimum_curve(similarity), hits_path(similarity)
    each = optima(similarity, range(2, 19))
    assert np.isnan(found.max[0]) and np.isnan(found.bound[0]) and not found.proven[0]
    assert found.max[1:].tolist() == found.bound[1:].tolist() == [best.max for best in each]
    assert found.mean[1:] == pytest.approx([best.mean for best in each])
    assert found.proven[1:].all() and (found.max[1:] <= path.max[1:]).all()
    assert found.max[-1] == path.max[-1], "all topics are all topics"


def test_of_many_topics_some_m_are_searched_and_the_others_follow(monkeypatch):
    similarity = similarity_of(4, 30)
    exact = optimum_curve(similarity)
    monkeypatch.setattr("core.topics.minimax.EVERY_SIZE", 10)
    monkeypatch.setattr("core.topics.minimax.MOST_SIZES", 6)
    sizes = searched_sizes(30)
    assert len(sizes) == 6 and (sizes[0], sizes[-1]) == (2, 30)
    found = optimum_curve(similarity)
    at = np.array(sizes) - 1
    assert (found.max[at] == exact.max[at]).all() and (found.bound[at] == exact.max[at]).all()
    assert (found.bound[1:] <= exact.max[1:]).all() and (exact.max[1:] <= found.max[1:]).all()
    assert found.proven[at].all() and not found.proven.all()
    assert (found.proven <= (found.max == exact.max)).all(), "proven only where it is so"
    assert np.isnan(found.mean[np.setdiff1d(np.arange(30), at)]).all()


def test_topics_that_have_too_few_documents_take_no_part_and_one_topic_has_no_curve():
    similarity = np.array(similarity_of(5, 8))
    similarity[3], similarity[:, 3] = np.nan, np.nan
    assert len(optimum_curve(similarity).max) == 7
    alone = optimum_curve(np.ones((1, 1)))
    assert thousandths(alone.max).tolist() == [-(2**15)] and searched_sizes(1) == []


def test_of_thousands_of_topics_the_search_ends_early_with_the_best_found(monkeypatch):
    similarity = similarity_of(7, 60)
    exact, path = optimum(similarity, 20), hits_path(similarity)
    monkeypatch.setattr("core.topics.minimax.EVERY_SIZE", 2)  # as if 60 topics were as many
    monkeypatch.setattr("core.topics.minimax.MOST_STEPS", 20)
    monkeypatch.setattr("core.topics.minimax.MOST_LOOKED", 5_000)
    found = optimum(similarity, 20)
    assert not found.proven and found.max_bound <= exact.max <= found.max <= path.max[19]
    assert highest(similarity, found.topics) <= found.max


@given(similarities, st.integers(2, 8))
@settings(max_examples=20, deadline=None)
def test_always_one_of_the_most_similar_pair_leaves(similarity, m):
    from core.topics.minimax import _without_closest

    m, topics = min(m, len(similarity)), list(range(len(similarity)))
    found = _without_closest(similarity, np.arange(len(similarity)), m)
    off = np.where(np.eye(len(similarity), dtype=bool), 0.0, similarity)
    while len(topics) > m:
        one, two = max(combinations(topics, 2), key=lambda pair: similarity[pair])
        topics.remove(one if off[one, topics].sum() >= off[two, topics].sum() else two)
    assert highest(similarity, found) == pytest.approx(highest(similarity, topics))
