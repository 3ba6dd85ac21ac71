"""Similarity, closest pairs and ranking stability against m: the same numbers as the long way round, and nothing is fitted twice."""

from itertools import product

import numpy as np
import pytest

from core.corpora import make_corpus
from core.errors import SettingError
from core.evaluation import ResultStore
from core.papers.hits_2024 import FoldPlan, Panel, closest_across, similarity_against_m, stability_against_m
from core.splits import fold_leakage, topic_kfold
from core.topics import RANDOM_SEEDS, make_setup
from tests.core.experiment_cases import TOPICS, a_case, two_spies
from tests.core.stops import Enough, stop_when


@pytest.fixture
def case():
    return a_case()


@pytest.mark.parametrize(("m", "k", "seed"), [(2, 2, 0), (5, 3, 0), (6, 3, 7), (TOPICS, 4, 1)])
def test_similarity_against_m_is_what_the_setups_folds_leak(case, m, k, seed):
    corpus, vectors, space = case
    found = similarity_against_m(space, m=[m], plan=FoldPlan(k, seed))
    for sampler, draw in [("hits", 0), *product(["random"], RANDOM_SEEDS)]:
        setup = make_setup(corpus, vectors, space, sampler=sampler, m=m, seed=draw)
        leakage = fold_leakage(topic_kfold(setup.corpus, k=k, seed=seed), setup.space)
        ours = [each.hits if sampler == "hits" else each.random[draw] for each in (found.mean, found.max)]
        assert ours[0][0] == pytest.approx(leakage.average_mean, abs=1e-9)
        assert ours[1][0] == pytest.approx(leakage.average_max, abs=1e-9)


def test_sizes_are_tried_once_and_all_topics_are_one_sample(case):
    _, _, space = case
    found = similarity_against_m(space, m=[TOPICS, 4, 4, 2], plan=FoldPlan(4))
    assert found.m == (2, 4, TOPICS) and found.mean.hits.shape == (3,)
    assert found.max.random.shape == (len(RANDOM_SEEDS), 3)
    assert np.ptp(found.mean.random[:, -1]) == 0
    assert found.mean.hits[-1] == found.mean.random[0, -1]
    assert similarity_against_m(space, m=[3], plan=FoldPlan(2, random_seeds=())).mean.random.shape == (0, 1)


def test_closest_pairs_are_the_folds_worst(case):
    corpus, vectors, space = case
    found = closest_across(space, m=5, plan=FoldPlan(3, random_seeds=(2,)), most=4)
    assert [(pair.setup, pair.sampler) for pair in found.pairs] == [("HITS", "hits")] * 4 + [("random 2", "random")] * 4
    setup = make_setup(corpus, vectors, space, sampler="random", m=5, seed=2)
    worst = fold_leakage(topic_kfold(setup.corpus, k=3, seed=0), setup.space, worst=4).worst
    names = setup.corpus.topic_names
    assert [(pair.train, pair.test) for pair in found.pairs[4:]] == [
        (names[pair.train], names[pair.test]) for pair in worst
    ]
    assert [pair.similarity for pair in found.pairs[4:]] == pytest.approx([pair.similarity for pair in worst])


def test_similarity_can_be_stopped(case):
    _, _, space = case
    with pytest.raises(Enough):
        similarity_against_m(space, m=[3], plan=FoldPlan(2), progress=stop_when(lambda: True))


@pytest.mark.parametrize(("m", "words"), [([3, 1], "2 or more"), ([9], "choose m from 1 to 8"), ([], "at least one m")])
def test_sizes_that_cannot_be_folded_are_refused(case, m, words):
    _, _, space = case
    with pytest.raises(SettingError, match=words):
        similarity_against_m(space, m=m, plan=FoldPlan(2))


@pytest.fixture
def log(monkeypatch):
    return two_spies(monkeypatch)


@pytest.fixture
def panel(log, tmp_path):
    return Panel("attribution", ("spy", "other spy"), ResultStore(tmp_path))


def test_changing_m_by_one_fits_only_what_is_new(case, log, panel):
    corpus, vectors, space = case
    chosen = {"panel": panel, "plan": FoldPlan(3, random_seeds=(0, 1))}
    first = stability_against_m(corpus, vectors, space, m=[4, 5], **chosen)
    assert first.fresh == len(log.fitted) == 2 * 3 * 3 * 2  # sizes, setups, folds, models
    assert np.isfinite(first.hits).any() and np.isfinite(first.random).any()
    again = stability_against_m(corpus, vectors, space, m=[5, 4], **chosen)
    assert again.fresh == 0 and len(log.fitted) == 36
    np.testing.assert_array_equal(again.hits, first.hits)
    np.testing.assert_array_equal(again.random, first.random)
    np.testing.assert_array_equal(again.hits_interval, first.hits_interval)
    low, high = np.moveaxis(first.hits_interval, -1, 0)
    known = np.isfinite(low)
    assert low.shape == first.hits.shape and (low[known] <= first.hits[known]).all()
    assert (first.hits[known] <= high[known]).all() and (np.isfinite(high) == known).all()
    moved = stability_against_m(corpus, vectors, space, m=[5, 6], **chosen)
    assert moved.fresh == 18 and len(log.fitted) == 54
    np.testing.assert_array_equal(moved.hits[0], first.hits[1])
    np.testing.assert_array_equal(moved.random[0], first.random[1])


def test_samples_of_all_topics_are_run_once_even_without_a_store(case, log):
    corpus, vectors, space = case
    found = stability_against_m(
        corpus, vectors, space, panel=Panel("attribution", ("spy", "other spy")), m=[TOPICS], plan=FoldPlan(4)
    )
    assert found.fresh == len(log.fitted) == 4 * 2
    assert (found.random == found.hits[:, None]).all()
    np.testing.assert_array_equal(found.random_mean, found.hits)


def test_stability_counts_its_work_and_can_be_stopped(case, log, panel):
    corpus, vectors, space = case
    seen = []
    chosen = {"panel": panel, "m": [4], "plan": FoldPlan(3, random_seeds=(0,))}
    stability_against_m(corpus, vectors, space, progress=lambda *step: seen.append(step), **chosen)
    assert [step[0] for step in seen] == sorted(step[0] for step in seen)
    assert {step[1] for step in seen} == {12} and seen[-1][0] == 12
    before = len(log.fitted)
    stop = stop_when(lambda: len(log.fitted) > before)
    with pytest.raises(Enough):
        stability_against_m(corpus, vectors, space, progress=stop, **chosen | {"m": [5]})
    assert len(log.fitted) == before + 1
    assert stability_against_m(corpus, vectors, space, **chosen | {"m": [5]}).fresh == 11


def test_stability_is_known_for_every_metric(case, log, tmp_path):
    corpus, vectors, space = case
    panel = Panel("verification", ("spy", "other spy"), ResultStore(tmp_path))
    found = stability_against_m(corpus, vectors, space, panel=panel, m=[6], plan=FoldPlan(3, random_seeds=(0,)))
    assert list(found.labels)[:2] == ["auc", "c@1"]
    assert found.hits.shape == (1, len(found.labels) + 1)
    five = [found.hits[0, list(found.labels).index(key)] for key in ("auc", "c@1", "f_05_u", "F1", "overall")]
    np.testing.assert_allclose(found.averages[6], np.mean(five))


def test_models_need_authors_and_a_ranking_two_models(case):
    corpus, vectors, space = case
    nameless = make_corpus(corpus.texts, corpus.topics, ids=corpus.ids)
    panel = Panel("attribution", ("max_ent", "char_svm"))
    with pytest.raises(SettingError, match="no authors"):
        stability_against_m(nameless, vectors, space, panel=panel, m=[3], plan=FoldPlan(3))
    with pytest.raises(SettingError, match="at least two models"):
        Panel("attribution", ("max_ent", "max_ent"))
