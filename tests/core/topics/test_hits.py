"""HITS against its definition, its laws, and the worked example of the methods sheet."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.arrays import unit_rows
from core.corpora import make_corpus
from core.errors import SettingError
from core.topics import (
    checked_m,
    hits_path,
    make_sample,
    pair_similarities,
    random_band,
    random_path,
    sampled_documents,
)

WORKED = np.array(
    [
        [1.00, 0.90, 0.20, 0.30, 0.10],
        [0.90, 1.00, 0.25, 0.35, 0.15],
        [0.20, 0.25, 1.00, 0.80, 0.40],
        [0.30, 0.35, 0.80, 1.00, 0.50],
        [0.10, 0.15, 0.40, 0.50, 1.00],
    ]
)


def similarity_of(seed: int, topics: int, *, shift: float = 0.0) -> np.ndarray:
    points = unit_rows(np.random.default_rng(seed).normal(size=(topics, 6)) + shift)
    similarity = points @ points.T
    np.fill_diagonal(similarity, 1.0)
    return similarity


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


similarities = st.builds(
    similarity_of, st.integers(0, 10_000), st.integers(2, 14), shift=st.sampled_from([0.0, 0.4, 1.5])
)


def test_worked_example_gives_the_published_path_and_scores():
    path = hits_path(WORKED)
    assert path.order.tolist() == [4, 0, 2, 1, 3]
    assert np.isnan(path.leakage[0])
    np.testing.assert_allclose(path.leakage[1:4], [0.0100, 0.1200, 0.3900], atol=1e-12)


@given(similarities)
def test_path_equals_the_definition_for_every_m(similarity):
    path = hits_path(similarity)
    for m in range(1, len(similarity) + 1):
        assert path.order[:m].tolist() == hits_as_the_paper_reads(similarity, m)


@given(similarities)
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
@settings(max_examples=50)
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


@given(similarities, st.integers(0, 100))
def test_random_paths_are_seeded_permutations(similarity, seed):
    path = random_path(similarity, seed=seed)
    assert sorted(path.order) == list(range(len(similarity)))
    assert path.order.tolist() == random_path(similarity, seed=seed).order.tolist()


def test_random_samples_have_the_mean_similarity_of_the_whole_corpus_on_average():
    similarity = similarity_of(3, 12, shift=0.5)
    means = np.stack([random_path(similarity, seed=seed).mean for seed in range(3_000)])
    expected = pair_similarities(similarity).mean()
    error = means[:, 1:].std(axis=0) / np.sqrt(len(means))
    assert (np.abs(means[:, 1:].mean(axis=0) - expected) <= 4 * error + 1e-12).all()


def test_random_band_holds_the_quantiles_of_its_paths():
    similarity = similarity_of(3, 12, shift=0.5)
    band = random_band(similarity, samples=20, seed=5)
    paths = [random_path(similarity, seed=5 + draw) for draw in range(20)]
    assert np.isnan(band.mean[:, 0]).all()
    assert np.isnan(band.max[:, 0]).all()
    np.testing.assert_allclose(band.max[1, 4], np.median([path.max[4] for path in paths]))
    np.testing.assert_allclose(band.mean[2, 4], np.quantile([path.mean[4] for path in paths], 0.95))
    assert (band.mean[0, 1:] <= band.mean[2, 1:]).all()
    # With every topic taken, chance has nothing left to choose.
    np.testing.assert_allclose(band.mean[:, -1], pair_similarities(similarity).mean())


def test_random_samples_take_every_topic_equally_often():
    similarity = similarity_of(3, 6)
    firsts = np.bincount([random_path(similarity, seed=seed).order[0] for seed in range(6_000)], minlength=6)
    assert (np.abs(firsts - 1_000) < 150).all()


@given(similarities, st.data())
def test_policies_keep_the_selected_and_send_the_rest_to_their_nearest(similarity, data):
    m = data.draw(st.integers(1, len(similarity)))
    threshold = data.draw(st.floats(-1, 1))
    selected = hits_path(similarity).order[:m]
    cut = make_sample(similarity, selected, policy="cutting")
    grouped = make_sample(similarity, selected, policy="grouping")
    hybrid = make_sample(similarity, selected, policy="hybrid", threshold=threshold)
    for sample in (cut, grouped, hybrid):
        assert (sample.home[selected] == selected).all()
        assert set(sample.home) <= {-1, *selected.tolist()}
    assert (np.flatnonzero(cut.home >= 0) == np.sort(selected)).all()
    assert (grouped.home >= 0).all()
    for topic in range(len(similarity)):
        best = similarity[topic, selected].max()
        if topic not in selected:
            assert similarity[topic, grouped.home[topic]] == best
            assert (hybrid.home[topic] >= 0) == (best >= threshold)


def test_sampled_documents_count_under_the_topic_they_were_merged_into():
    corpus = make_corpus(["a", "b", "c", "d"], ["w", "x", "y", "z"])
    similarity = np.array([[1, 0.1, 0.9, 0.2], [0.1, 1, 0.2, 0.7], [0.9, 0.2, 1, 0.1], [0.2, 0.7, 0.1, 1]])
    selected = np.array([0, 1])
    rows, topics = sampled_documents(corpus, make_sample(similarity, selected, policy="hybrid", threshold=0.8))
    assert rows.tolist() == [0, 1, 2]
    assert topics == ["w", "x", "w"]


def test_wrong_choices_are_named():
    with pytest.raises(SettingError, match="Did you mean 'grouping'"):
        make_sample(WORKED, np.array([0]), policy="groupin")
    with pytest.raises(SettingError, match="m = 9, but the corpus has 5 topics"):
        checked_m(9, 5)
