"""The paper's experiments: the same numbers as the long way round, nothing fitted twice, and no authors needed for
what is about topics alone."""

from itertools import product

import numpy as np
import pytest

from core.corpora import make_corpus
from core.errors import SettingError
from core.evaluation import ResultStore
from core.splits import fold_leakage, topic_kfold
from core.studies import (
    Panel,
    closest_across,
    compare_encoders,
    compare_policies,
    similarity_against_m,
    stability_against_m,
)
from core.topics import RANDOM_SEEDS, hits_path, make_setup, suggest_m
from tests.core.experiment_cases import TOPICS, a_case, two_spies, vector_records
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


@pytest.mark.parametrize(("m", "k", "seed"), [(2, 2, 0), (5, 3, 0), (6, 3, 7), (TOPICS, 4, 1)])
def test_similarity_against_m_is_what_the_setups_folds_leak(case, m, k, seed):
    corpus, vectors, space = case
    found = similarity_against_m(space, m=[m], k=k, seed=seed)
    for sampler, draw in [("hits", 0), *product(["random"], RANDOM_SEEDS)]:
        setup = make_setup(corpus, vectors, space, sampler=sampler, m=m, seed=draw)
        leakage = fold_leakage(topic_kfold(setup.corpus, k=k, seed=seed), setup.space)
        ours = (
            (found.hits_mean, found.hits_max)
            if sampler == "hits"
            else (found.random_mean[draw], found.random_max[draw])
        )
        assert ours[0][0] == pytest.approx(leakage.average_mean, abs=1e-9)
        assert ours[1][0] == pytest.approx(leakage.average_max, abs=1e-9)


def test_similarity_table_holds_the_record_and_all_topics_are_one_sample(case):
    _, _, space = case
    found = similarity_against_m(space, m=[TOPICS, 4, 4, 2], k=4)
    assert found.m == (2, 4, TOPICS)
    assert [row["folds"] for row in found.table] == [2, 4, 4]
    for place, row in enumerate(found.table):
        assert row["mean, HITS"] == found.hits_mean[place]
        assert row["max, random, lowest"] == found.random_max[:, place].min()
        assert row["max, random, lowest"] - 1e-12 <= row["max, random"] <= row["max, random, highest"] + 1e-12
    assert np.ptp(found.random_mean[:, -1]) == 0
    assert found.hits_mean[-1] == found.random_mean[0, -1]
    assert similarity_against_m(space, m=[3], k=2, random_seeds=()).random_mean.shape == (0, 1)


def test_closest_pairs_are_the_folds_worst(case):
    corpus, vectors, space = case
    found = closest_across(space, m=5, k=3, most=4, random_seeds=(2,))
    assert [row["setup"] for row in found.table] == ["HITS"] * 4 + ["random 2"] * 4
    setup = make_setup(corpus, vectors, space, sampler="random", m=5, seed=2)
    worst = fold_leakage(topic_kfold(setup.corpus, k=3, seed=0), setup.space, worst=4).worst
    names = setup.corpus.topic_names
    assert [(row["train topic"], row["test topic"]) for row in found.table[4:]] == [
        (names[pair.train], names[pair.test]) for pair in worst
    ]


def test_changing_m_by_one_fits_only_what_is_new(case, log, panel):
    corpus, vectors, space = case
    chosen = {"panel": panel, "k": 3, "random_seeds": (0, 1)}
    first = stability_against_m(corpus, vectors, space, m=[4, 5], **chosen)
    assert first.fresh == len(log.fitted) == 2 * 3 * 3 * 2  # sizes, setups, folds, models
    assert np.isfinite(first.hits).any() and np.isfinite(first.random).any()
    again = stability_against_m(corpus, vectors, space, m=[5, 4], **chosen)
    assert again.fresh == 0 and len(log.fitted) == 36
    assert again.table == first.table
    moved = stability_against_m(corpus, vectors, space, m=[5, 6], **chosen)
    assert moved.fresh == 18 and len(log.fitted) == 54
    assert [row for row in moved.table if row["m"] == 5] == [row for row in first.table if row["m"] == 5]


def test_samples_of_all_topics_are_run_once_even_without_a_store(case, log):
    corpus, vectors, space = case
    found = stability_against_m(
        corpus, vectors, space, panel=Panel("attribution", ("spy", "other spy")), m=[TOPICS], k=4
    )
    assert found.fresh == len(log.fitted) == 4 * 2
    assert (found.random == found.hits[:, None]).all()
    assert found.table[0]["average"] == found.table[1]["average"]


def test_stability_counts_its_work_and_can_be_stopped(case, log, panel):
    corpus, vectors, space = case
    seen = []
    chosen = {"panel": panel, "m": [4], "k": 3, "random_seeds": (0,)}
    stability_against_m(corpus, vectors, space, progress=lambda *step: seen.append(step), **chosen)
    assert [step[0] for step in seen] == sorted(step[0] for step in seen)
    assert {step[1] for step in seen} == {12} and seen[-1][0] == 12
    before = len(log.fitted)
    stop = stop_when(lambda: len(log.fitted) > before)
    with pytest.raises(Enough):
        stability_against_m(corpus, vectors, space, progress=stop, **chosen | {"m": [5]})
    assert len(log.fitted) == before + 1
    assert stability_against_m(corpus, vectors, space, **chosen | {"m": [5]}).fresh == 11
    with pytest.raises(Enough):
        similarity_against_m(space, m=[3], k=2, progress=stop_when(lambda: True))


def test_stability_tables_carry_every_metric(case, log, tmp_path):
    corpus, vectors, space = case
    panel = Panel("verification", ("spy", "other spy"), ResultStore(tmp_path))
    found = stability_against_m(corpus, vectors, space, panel=panel, m=[6], k=3, random_seeds=(0,))
    assert list(found.labels)[:2] == ["auc", "c@1"]
    place = list(found.labels).index("overall")
    assert found.hits.shape == (1, len(found.labels) + 1)
    np.testing.assert_equal(found.table[0]["Overall"], found.hits[0, place])
    five = [found.hits[0, list(found.labels).index(key)] for key in ("auc", "c@1", "f_05_u", "F1", "overall")]
    np.testing.assert_allclose(found.averages[6], np.mean(five))


def test_policies_run_from_dropping_all_to_merging_all(case, log, panel):
    corpus, vectors, space = case
    found = compare_policies(corpus, vectors, space, m=4, k=3, thresholds=[0.0, 2.0, 0.95], panel=panel)
    assert [row["policy"] for row in found.table] == ["cutting", "hybrid, 2", "hybrid, 0.95", "hybrid, 0", "grouping"]
    documents = [row["documents"] for row in found.table]
    assert documents == sorted(documents) and documents[-1] == len(corpus)
    assert all(row["topics merged"] + row["topics dropped"] == TOPICS - 4 for row in found.table)
    # A threshold nothing reaches is cutting, one that everything reaches is grouping: neither is fitted again.
    for same in ((0, 1), (3, 4)):
        one, two = ({key: value for key, value in found.table[i].items() if key != "policy"} for i in same)
        np.testing.assert_equal(one, two)
    assert len(log.fitted) == 6 * len({*documents})
    for row, policy, threshold in ((0, "cutting", 0.0), (2, "hybrid", 0.95), (4, "grouping", 0.0)):
        setup = make_setup(corpus, vectors, space, sampler="hits", m=4, policy=policy, threshold=threshold)
        leakage = fold_leakage(topic_kfold(setup.corpus, k=3, seed=0), setup.space)
        assert found.table[row]["max similarity"] == pytest.approx(leakage.average_max, abs=1e-6)


def test_topics_alone_need_no_authors(case):
    corpus, vectors, space = case
    nameless = make_corpus(corpus.texts, corpus.topics, ids=corpus.ids)
    found = compare_policies(nameless, vectors, space, m=3, k=3)
    assert found.labels == {} and "authors" not in found.table[0]
    assert compare_encoders(nameless, vector_records(nameless, 1, 2), m=3, k=3).fresh == 0
    assert suggest_m(hits_path(space.similarity), space, nameless, 2).m >= 2
    with pytest.raises(SettingError, match="no authors"):
        stability_against_m(nameless, vectors, space, panel=Panel("attribution", ("max_ent", "char_svm")), m=[3], k=3)


def test_refusals(case):
    corpus, vectors, space = case
    with pytest.raises(SettingError, match="2 or more"):
        similarity_against_m(space, m=[3, 1], k=2)
    with pytest.raises(SettingError, match="choose m from 1 to 8"):
        similarity_against_m(space, m=[9], k=2)
    with pytest.raises(SettingError, match="at least one m"):
        similarity_against_m(space, m=[], k=2)
    with pytest.raises(SettingError, match="at least 2 folds"):
        compare_policies(corpus, vectors, space, m=3, k=1)
    with pytest.raises(SettingError, match="at least two models"):
        Panel("attribution", ("max_ent", "max_ent"))
    with pytest.raises(SettingError, match="at least two"):
        compare_encoders(corpus, vector_records(corpus, 1), m=3, k=2)
    with pytest.raises(SettingError, match="Did you mean 'e2'"):
        compare_encoders(corpus, vector_records(corpus, 1, 2), m=3, k=2, reference="e22")
    for k in (1, 9):
        with pytest.raises(SettingError, match="choose k from 2 to 8"):
            suggest_m(hits_path(space.similarity), space, corpus, k)
