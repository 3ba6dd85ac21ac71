"""Samples: random paths, and what becomes of topics left out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.corpora import make_corpus
from core.errors import SettingError
from core.topics import (
    POLICIES,
    RANDOM_SEEDS,
    SAMPLERS,
    checked_m,
    hits_path,
    make_sample,
    pair_similarities,
    random_band,
    random_path,
    sample_counts,
    sampled_documents,
    sampling,
    unlike_samplers,
)
from tests.core.topics.similarities import WORKED, similarities, similarity_of


@given(similarities, st.integers(0, 100))
@settings(deadline=None)
def test_random_paths_are_seeded_permutations(similarity, seed):
    path = random_path(similarity, seed=seed)
    assert sorted(path.order) == list(range(len(similarity)))
    assert path.order.tolist() == random_path(similarity, seed=seed).order.tolist()


@given(similarities, st.integers(0, 100))
@settings(deadline=None, max_examples=30)
def test_a_random_path_carries_the_similarities_of_its_prefixes(similarity, seed):
    path = random_path(similarity, seed=seed)
    assert np.isnan([path.leakage[0], path.mean[0], path.max[0]]).all()
    for m in range(2, len(similarity) + 1):
        chosen = path.order[:m]
        pairs = pair_similarities(similarity[np.ix_(chosen, chosen)])
        assert (path.mean[m - 1], path.max[m - 1]) == pytest.approx((pairs.mean(), pairs.max()), abs=1e-12)
        before = similarity[chosen[-1], chosen[:-1]]
        assert path.leakage[m - 1] == pytest.approx(before.mean() * before.max(), abs=1e-12)


def test_random_samples_have_the_mean_similarity_of_the_whole_corpus_on_average():
    similarity = similarity_of(3, 12, shift=0.5)
    means = np.stack([random_path(similarity, seed=seed).mean for seed in range(3_000)])
    expected = pair_similarities(similarity).mean()
    error = means[:, 1:].std(axis=0) / np.sqrt(len(means))
    assert (np.abs(means[:, 1:].mean(axis=0) - expected) <= 4 * error + 1e-12).all()


def test_random_band_holds_the_quantiles_of_its_paths():
    similarity = similarity_of(3, 12, shift=0.5)
    path = hits_path(similarity)
    band = random_band(similarity, path, samples=20, seed=5)
    paths = [random_path(similarity, seed=5 + draw) for draw in range(20)]
    assert np.isnan(band.mean[:, 0]).all()
    assert np.isnan(band.max[:, 0]).all()
    np.testing.assert_allclose(band.max[1, 4], np.median([path.max[4] for path in paths]))
    np.testing.assert_allclose(band.mean[2, 4], np.quantile([path.mean[4] for path in paths], 0.95))
    assert (band.mean[0, 1:] <= band.mean[2, 1:]).all()
    assert band.mean_rank[4] == sum(each.mean[4] <= path.mean[4] for each in paths)
    assert band.max_rank[4] == sum(each.max[4] <= path.max[4] for each in paths)
    assert band.mean_rank[-1] == band.max_rank[-1] == 20  # all topics: all samples are one
    # With every topic taken, chance has nothing left to choose.
    np.testing.assert_allclose(band.mean[:, -1], pair_similarities(similarity).mean())


def test_random_samples_take_every_topic_equally_often():
    similarity = similarity_of(3, 6)
    firsts = np.bincount([random_path(similarity, seed=seed).order[0] for seed in range(6_000)], minlength=6)
    assert (np.abs(firsts - 1_000) < 150).all()


@given(similarities, st.data())
@settings(deadline=None)
def test_policies_keep_the_selected_and_send_the_rest_to_their_nearest(similarity, data):
    m = data.draw(st.integers(1, len(similarity)))
    threshold = data.draw(st.floats(-1, 1))
    selected = hits_path(similarity).order[:m]
    cut = make_sample(similarity, selected, policy="cutting")
    grouped = make_sample(similarity, selected, policy="grouping")
    hybrid = make_sample(similarity, selected, policy="hybrid", threshold=threshold)
    for sample in (cut, grouped, hybrid):
        assert (sample.assigned[selected] == selected).all()
        assert set(sample.assigned) <= {-1, *selected.tolist()}
    assert (np.flatnonzero(cut.assigned >= 0) == np.sort(selected)).all()
    assert (grouped.assigned >= 0).all()
    for topic in range(len(similarity)):
        best = similarity[topic, selected].max()
        if topic not in selected:
            assert similarity[topic, grouped.assigned[topic]] == best
            assert (hybrid.assigned[topic] >= 0) == (best >= threshold)


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


def test_a_topic_exactly_as_alike_as_the_threshold_is_merged_and_ties_go_to_the_first_name():
    similarity = np.array([[1, 0.2, 0.5, 0.5], [0.2, 1, 0.5, 0.3], [0.5, 0.5, 1, 0.1], [0.5, 0.3, 0.1, 1]])
    sample = make_sample(similarity, np.array([1, 0]), policy="hybrid", threshold=0.5)
    assert sample.assigned.tolist() == [0, 1, 0, 0]
    assert make_sample(similarity, np.array([1, 0]), policy="hybrid", threshold=0.51).assigned.tolist() == [
        0,
        1,
        -1,
        -1,
    ]
    assert sample.selected.tolist() == [1, 0]
    assert sample.steps.tolist() == [2, 1, 0, 0]


def test_documents_and_authors_that_stay_are_counted():
    corpus = make_corpus(list("uvwxyz"), list("abcabc"), authors=["x", "y", "z", "x", "y", "x"])
    path = hits_path(np.eye(3))
    for m in (1, 2, 3):
        for policy in POLICIES:
            counts = sample_counts(corpus, make_sample(np.eye(3), path.order[:m], policy=policy))
            rows, _ = sampled_documents(corpus, make_sample(np.eye(3), path.order[:m], policy=policy))
            assert counts.documents == len(rows) and counts.authors == len({corpus.authors[row] for row in rows})
    alone = sample_counts(corpus, make_sample(np.eye(3), np.array([1])))
    assert (alone.documents, alone.authors) == (2, 1)


def test_without_authors_none_are_counted():
    corpus = make_corpus(["one", "two"], ["a", "b"])
    counts = sample_counts(corpus, make_sample(np.eye(2), np.array([0])))
    assert (counts.documents, counts.authors) == (1, None)


def test_m_from_one_to_all_topics_is_taken():
    assert [checked_m(1, 5), checked_m(5, 5)] == [1, 5]
    for m in (0, 6):
        with pytest.raises(SettingError, match=f"m = {m}, but the corpus has 5 topics; choose m from 1 to 5"):
            checked_m(m, 5)


def with_unplaced() -> np.ndarray:
    similarity = similarity_of(3, 6, shift=0.5).copy()
    similarity[2], similarity[:, 2] = np.nan, np.nan
    similarity[4], similarity[:, 4] = np.nan, np.nan
    return similarity


def test_topics_that_cannot_be_placed_are_taken_last_and_join_nothing():
    similarity = with_unplaced()
    known = np.array([0, 1, 3, 5])
    for path, alone in (
        (hits_path(similarity), hits_path(similarity[np.ix_(known, known)])),
        (random_path(similarity, seed=1), random_path(similarity[np.ix_(known, known)], seed=1)),
    ):
        assert path.order.tolist() == [*known[alone.order].tolist(), 2, 4] and path.placed == 4
        np.testing.assert_array_equal(path.max[:4], alone.max)
        np.testing.assert_array_equal(path.mean[:4], alone.mean)
        assert path.max[4] == path.max[5] == alone.max[-1] and path.mean[5] == alone.mean[-1]
        assert np.isnan(path.leakage[4:]).all()
    sample = make_sample(similarity, hits_path(similarity).order[:2], policy="grouping")
    assert sample.assigned[[2, 4]].tolist() == [-1, -1] and (sample.assigned[known] >= 0).all()
    nothing = hits_path(np.full((3, 3), np.nan))
    assert nothing.order.tolist() == [0, 1, 2] and nothing.placed == 0


def test_the_band_spans_nine_tenths_of_chance_and_starts_at_seed_0():
    similarity = similarity_of(3, 12, shift=0.5)
    path = hits_path(similarity)
    band = random_band(similarity, path, samples=40)
    paths = [random_path(similarity, seed=seed) for seed in range(40)]
    for m in (2, 5, 9):
        shares = [0.05, 0.5, 0.95]
        np.testing.assert_allclose(band.mean[:, m - 1], np.quantile([each.mean[m - 1] for each in paths], shares))
        np.testing.assert_allclose(band.max[:, m - 1], np.quantile([each.max[m - 1] for each in paths], shares))
    assert band.samples == 40 and len(RANDOM_SEEDS) == 5 and tuple(range(5)) == RANDOM_SEEDS


def test_a_topic_joins_the_nearest_that_is_known_even_beside_one_that_is_not():
    similarity = with_unplaced()
    sample = make_sample(similarity, np.array([0, 2]), policy="grouping")
    assert sample.assigned.tolist() == [0, 0, 2, 0, -1, 0]


@given(similarities, st.integers(0, 100))
@settings(deadline=None, max_examples=20)
def test_a_random_path_of_many_topics_read_row_by_row_is_the_same(similarity, seed):
    whole = random_path(similarity, seed=seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampling, "MOST_AT_ONCE", 1)
        by_row = random_path(similarity, seed=seed)
    for field in ("order", "leakage", "mean", "max"):
        np.testing.assert_allclose(getattr(by_row, field), getattr(whole, field), atol=1e-12)


def test_unlike_topics_are_chosen_by_those_that_leave_some_out_and_draw_nothing():
    assert unlike_samplers() == ["hits", "least-maximum"]


def test_a_sample_is_drawn_with_seed_0_unless_told():
    chosen = SAMPLERS["random"].selected(np.eye(30), 30)
    assert chosen.tolist() == random_path(np.eye(30), seed=0).order.tolist()
    assert chosen.tolist() != random_path(np.eye(30), seed=1).order.tolist()


@pytest.mark.parametrize("name", SAMPLERS)
def test_several_sizes_at_once_are_the_samples_of_each(name):
    similarity = similarity_of(4, 9, shift=0.5)
    similarity[3, :] = similarity[:, 3] = np.nan  # a topic that cannot be placed
    sampler, sizes = SAMPLERS[name], [2, 5, 8]
    told: list[str] = []
    together = sampler.at_each(similarity, sizes, progress=lambda done, total, label, left: told.append(label))
    assert [each.tolist() for each in together] == [sampler.selected(similarity, m).tolist() for m in sizes]
    assert bool(told) == (sampler.choose_each is not None)
