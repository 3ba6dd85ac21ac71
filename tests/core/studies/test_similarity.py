"""Similarity against m and the closest pairs: the same numbers as the long way round, over the setups' own folds."""

from itertools import product

import numpy as np
import pytest

from core.errors import SettingError
from core.splits import fold_leakage, topic_kfold
from core.studies import FoldPlan, closest_across, similarity_against_m
from core.topics import RANDOM_SEEDS, make_setup
from tests.core.experiment_cases import TOPICS, a_case
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
