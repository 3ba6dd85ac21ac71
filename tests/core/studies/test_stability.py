"""Ranking stability against m: nothing is fitted twice, every metric is there, and the work can be stopped."""

import numpy as np
import pytest

from core.corpora import make_corpus
from core.errors import SettingError
from core.evaluation import ResultStore
from core.studies import FoldPlan, Panel, stability_against_m
from tests.core.experiment_cases import TOPICS, a_case, two_spies
from tests.core.stops import Enough, stop_when


@pytest.fixture
def case():
    return a_case()


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
