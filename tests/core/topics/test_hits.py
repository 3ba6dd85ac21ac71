"""HITS: its path against brute force, worked values and ties."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.errors import SettingError
from core.topics import hits_path, pair_similarities, topic_space
from tests.core.topics.similarities import WORKED, similarities


def hits_as_the_paper_reads(similarity: np.ndarray, m: int) -> list[int]:
    """HITS §4 step by step: every score from scratch at every step."""
    topics = range(len(similarity))
    mean_to_others = [np.mean([similarity[i, j] for j in topics if j != i]) for i in topics]
    selected = [int(np.argmin(mean_to_others))]
    while len(selected) < m:
        scores = {
            i: np.mean(similarity[i, selected]) * np.max(similarity[i, selected]) for i in topics if i not in selected
        }
        selected.append(min(scores, key=lambda i: (scores[i], i)))
    return selected


def test_worked_example_gives_the_published_path_and_scores():
    path = hits_path(WORKED)
    assert path.order.tolist() == [4, 0, 2, 1, 3]
    assert np.isnan(path.leakage[0])
    np.testing.assert_allclose(path.leakage[1:4], [0.0100, 0.1200, 0.3900], atol=1e-12)


@given(similarities)
@settings(deadline=None)
def test_path_equals_the_definition_for_every_m(similarity):
    path = hits_path(similarity)
    for m in range(1, len(similarity) + 1):
        assert path.order[:m].tolist() == hits_as_the_paper_reads(similarity, m)


@given(similarities)
@settings(deadline=None)
def test_path_is_a_permutation_with_the_similarities_of_its_prefixes(similarity):
    path = hits_path(similarity)
    assert sorted(path.order) == list(range(len(similarity)))
    for m in range(2, len(similarity) + 1):
        chosen = path.order[:m]
        pairs = pair_similarities(similarity[np.ix_(chosen, chosen)])
        assert path.mean[m - 1] == pytest.approx(pairs.mean(), abs=1e-12)
        assert path.max[m - 1] == pytest.approx(pairs.max(), abs=1e-12)
    assert (np.diff(path.max[1:]) >= 0).all()


@given(similarities, st.integers(0, 1_000))
@settings(max_examples=50, deadline=None)
def test_path_does_not_depend_on_the_order_of_distinct_topics(similarity, seed):
    assume(len(similarity) > 2)  # two topics always tie
    shuffle = np.random.default_rng(seed).permutation(len(similarity))
    shuffled = hits_path(similarity[np.ix_(shuffle, shuffle)])
    assert shuffle[shuffled.order].tolist() == hits_path(similarity).order.tolist()


def test_ties_go_to_the_name_that_sorts_first_despite_rounding():
    similarity = np.full((6, 6), 0.3)
    np.fill_diagonal(similarity, 1.0)
    similarity[2:, 2:] += np.random.default_rng(0).normal(scale=1e-16, size=(4, 4))
    assert hits_path(similarity).order.tolist() == [0, 1, 2, 3, 4, 5]


def test_two_topics_and_negative_similarities_are_handled_as_the_formula_says():
    assert hits_path(np.array([[1.0, -0.5], [-0.5, 1.0]])).order.tolist() == [0, 1]
    # Topic 2 has mean −.5, max −.5 → .25; topic 1 has .2 · .2 = .04: the product prefers the *more* similar topic 1.
    similarity = np.array([[1.0, 0.2, -0.5], [0.2, 1.0, 0.9], [-0.5, 0.9, 1.0]])
    assert hits_path(similarity).order.tolist() == [0, 1, 2]


def contenders(gap: float) -> np.ndarray:
    """Four topics that are taken first, and two, before them in order of name, that are nearly similar in their leakage:
    with four topics taken the second one's sum · max is lower than the first one's by `gap`."""
    similarity = np.full((6, 6), 0.1)
    similarity[:2] = similarity[:, :2] = 0.5
    similarity[1, 2] = similarity[2, 1] = 0.5 - 2 * gap
    np.fill_diagonal(similarity, 1.0)
    return similarity


@pytest.mark.parametrize(("gap", "fifth"), [(0.5e-12, 0), (3e-12, 0), (6e-12, 1), (1e-9, 1)])
def test_what_counts_as_a_tie_grows_with_the_sums(gap, fifth):
    order = hits_path(contenders(gap)).order.tolist()
    assert sorted(order[:4]) == [2, 3, 4, 5]
    assert order[4] == fifth


@pytest.mark.parametrize(("gap", "first"), [(0.5e-12, 0), (0.9e-12, 0), (1.2e-12, 2), (4e-12, 2)])
def test_the_first_topic_is_a_tie_only_up_to_rounding(gap, first):
    similarity = np.full((3, 3), 0.4)
    similarity[0, 1] = similarity[1, 0] = 0.4 + 2 * gap  # means: 0.4 + gap twice, then 0.4
    np.fill_diagonal(similarity, 1.0)
    assert hits_path(similarity).order[0] == first


def test_a_score_exactly_a_rounding_above_the_lowest_is_a_tie():
    similarity = np.zeros((3, 3))
    similarity[0, 1] = similarity[1, 0] = 2e-12  # means of 1e-12, 1e-12 and 0
    assert hits_path(similarity).order[0] == 0


def test_one_topic_is_a_path_without_similarities():
    path = hits_path(np.ones((1, 1)))
    assert path.order.tolist() == [0] and len(path) == 1
    assert np.isnan([path.leakage[0], path.mean[0], path.max[0]]).all()


def test_paths_cannot_be_changed():
    path = hits_path(WORKED)
    for array in (path.order, path.leakage, path.mean, path.max):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@given(similarities, st.integers(0, 100))
@settings(deadline=None)
def test_what_a_topic_shares_with_itself_plays_no_part(similarity, seed):
    odd = similarity.copy()
    np.fill_diagonal(odd, np.random.default_rng(seed).uniform(-3, 3, len(odd)))
    assert hits_path(odd).order.tolist() == hits_path(similarity).order.tolist()


def test_topics_that_have_too_few_documents_come_last_in_order_of_name():
    four, comparable = WORKED[np.ix_([0, 1, 2, 4], [0, 1, 2, 4])], [0, 2, 3, 5]
    similarity = np.full((6, 6), np.nan)
    similarity[np.ix_(comparable, comparable)] = four
    path, worked = hits_path(similarity), hits_path(four)
    assert path.order.tolist() == [5, 0, 3, 2, 1, 4]  # the worked path without topic 3: 4, 0, 2, 1
    assert (path.comparable, worked.comparable, len(path)) == (4, 4, 6)
    assert worked.max.tolist()[1:] == [0.1, 0.4, 0.9]
    np.testing.assert_array_equal(path.leakage, [*worked.leakage, np.nan, np.nan])
    # They add no pair, so that mean and maximum stay what they were.
    np.testing.assert_array_equal(path.mean, [*worked.mean, *worked.mean[[-1, -1]]])
    np.testing.assert_array_equal(path.max, [*worked.max, *worked.max[[-1, -1]]])


def test_where_no_topic_can_be_placed_all_stand_in_order_of_name():
    path = hits_path(np.full((3, 3), np.nan))
    assert (path.order.tolist(), path.comparable) == ([0, 1, 2], 0)
    assert np.isnan([path.leakage, path.mean, path.max]).all()


def test_a_matrix_too_large_is_refused_with_the_number(monkeypatch):
    monkeypatch.setattr("core.topics.space.MOST_IN_MATRIX", 2)
    with pytest.raises(SettingError, match="3 topics; the similarities of all pairs are computed for at most 2"):
        topic_space(np.eye(3, dtype=np.float32), np.arange(3), ("a", "b", "c"))
