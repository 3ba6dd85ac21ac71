"""Policies from dropping all to merging all, encoders compared in one space, and every experiment as one call."""

import pickle
from dataclasses import asdict, replace

import numpy as np
import pytest

from core.corpora import make_corpus
from core.errors import LeakscopeError, SettingError
from core.evaluation import ResultStore
from core.models.verification import VERIFIERS
from core.papers.hits_2024 import (
    EXPERIMENTS,
    FoldPlan,
    Inputs,
    Panel,
    compare_encoders,
    compare_policies,
    run_experiment,
    similarity_against_m,
)
from core.papers.hits_2024.experiments import chance_jaccard
from core.splits import fold_leakage, topic_kfold
from core.topics import hits_path, make_setup
from core.vectors import Vectors, VectorStore
from tests.core.experiment_cases import TOPICS, a_case, space_of, two_spies, vector_records
from tests.core.spies import spy_kinds


@pytest.fixture
def case():
    return a_case()


@pytest.fixture
def log(monkeypatch):
    return two_spies(monkeypatch)


@pytest.fixture
def panel(log, tmp_path):
    return Panel("attribution", ("spy", "other spy"), ResultStore(tmp_path))


def test_policies_run_from_dropping_all_to_merging_all(case, log, panel):
    corpus, vectors, space = case
    found = compare_policies(corpus, vectors, space, m=4, plan=FoldPlan(3), thresholds=[0.0, 2.0, 0.95], panel=panel)
    assert [each.name for each in found.policies] == ["cutting", "hybrid, 2", "hybrid, 0.95", "hybrid, 0", "grouping"]
    documents = [each.documents for each in found.policies]
    assert documents == sorted(documents) and documents[-1] == len(corpus)
    assert all(each.merged + each.dropped == TOPICS - 4 for each in found.policies)
    # A threshold nothing reaches is cutting, one that everything reaches is grouping: neither is fitted again.
    for same in ((0, 1), (3, 4)):
        one, two = (replace(found.policies[i], policy="", threshold=None) for i in same)
        np.testing.assert_equal(asdict(one), asdict(two))
    assert len(log.fitted) == 6 * len({*documents})
    assert [each.share for each in found.policies] == [count / len(corpus) for count in documents]
    assert all(set(each.stability) == {*found.labels, "average"} for each in found.policies)
    for row, policy, threshold in ((0, "cutting", 0.0), (2, "hybrid", 0.95), (4, "grouping", 0.0)):
        setup = make_setup(corpus, vectors, space, sampler="hits", m=4, policy=policy, threshold=threshold)
        leakage = fold_leakage(topic_kfold(setup.corpus, k=3, seed=0), setup.space)
        assert found.policies[row].max == pytest.approx(leakage.average_max, abs=1e-6)


def test_encoders_are_measured_in_their_own_and_one_common_space(case, log, panel):
    corpus, _, _ = case
    records = vector_records(corpus, 1, 2, 3)
    found = compare_encoders(corpus, records, m=4, plan=FoldPlan(2), reference="e2", panel=panel)
    spaces = {name: space_of(corpus, each.matrix) for name, each in records.items()}
    for i, name in enumerate(found.names):
        path = hits_path(spaces[name].similarity)
        assert found.selected[name] == tuple(corpus.topic_names[topic] for topic in path.order[:4])
        own = similarity_against_m(spaces[name], m=[4], plan=FoldPlan(2))
        assert found.mean[i, i] == own.mean.hits[0]
        for j, other in enumerate(found.names):
            there = similarity_against_m(spaces[other], m=[4], plan=FoldPlan(2), path=path)
            assert found.max[i, j] == there.max.hits[0]
            both = set(found.selected[name]) & set(found.selected[other])
            assert found.jaccard[i, j] == pytest.approx(len(both) / (8 - len(both)))
        assert set(found.stability[i]) == {*found.labels, "average"} and "accuracy" in found.labels
    assert found.random_samples == 5
    by_chance = similarity_against_m(spaces["e2"], m=[4], plan=FoldPlan(2))
    assert found.mean[-1, 1] == pytest.approx(by_chance.mean.random.mean())
    assert found.max[-1, 1] == pytest.approx(by_chance.max.random.mean())
    assert (found.agreement == pytest.approx(found.agreement.T)) and np.diag(found.agreement) == pytest.approx(1)


def test_one_encoder_under_two_names_agrees_with_itself_and_is_run_once(case, log, panel):
    corpus, _, _ = case
    (record,) = vector_records(corpus, 1).values()
    found = compare_encoders(corpus, {"a": record, "b": record}, m=3, plan=FoldPlan(3), panel=panel)
    assert (found.jaccard == 1).all() and found.agreement == pytest.approx(1)
    assert found.reference == "a" and len(log.fitted) == 6


def test_sbert_is_the_common_space_where_it_is_available(case, monkeypatch, log):
    corpus, vectors, _ = case
    records = vector_records(corpus, 2) | {"sentences": Vectors(vectors, "key", "sbert", 0, len(corpus), ())}
    assert compare_encoders(corpus, records, m=3, plan=FoldPlan(2)).reference == "sentences"
    verifier, _ = spy_kinds(log, vectors=True)
    monkeypatch.setitem(VERIFIERS, "spy", verifier)
    panel = Panel("verification", ("spy", "other spy"))
    assert compare_encoders(corpus, records, m=4, plan=FoldPlan(2), panel=panel).stability
    with pytest.raises(SettingError, match="SBERT vectors"):
        compare_encoders(corpus, vector_records(corpus, 1, 2), m=4, plan=FoldPlan(2), panel=panel)


def test_chance_overlap_is_that_of_random_selections():
    rng = np.random.default_rng(0)
    drawn = [len(set(rng.permutation(9)[:4]) & set(rng.permutation(9)[:4])) for _ in range(4_000)]
    assert chance_jaccard(4, 9) == pytest.approx(np.mean([both / (8 - both) for both in drawn]), abs=0.01)
    assert chance_jaccard(9, 9) == 1


def test_topics_alone_need_no_authors(case):
    corpus, vectors, space = case
    nameless = make_corpus(corpus.texts, corpus.topics, ids=corpus.ids)
    found = compare_policies(nameless, vectors, space, m=3, plan=FoldPlan(3))
    assert found.labels == {} and {each.authors for each in found.policies} == {None}
    assert all(each.stability == {} for each in found.policies)
    assert compare_encoders(nameless, vector_records(nameless, 1, 2), m=3, plan=FoldPlan(3)).stability == ()


def test_refusals(case):
    corpus, vectors, space = case
    with pytest.raises(SettingError, match="at least 2 folds"):
        compare_policies(corpus, vectors, space, m=3, plan=FoldPlan(1))
    with pytest.raises(SettingError, match="at least two"):
        compare_encoders(corpus, vector_records(corpus, 1), m=3, plan=FoldPlan(2))
    with pytest.raises(SettingError, match="Did you mean 'e2'"):
        compare_encoders(corpus, vector_records(corpus, 1, 2), m=3, plan=FoldPlan(2), reference="e22")


@pytest.fixture
def given(tmp_path, monkeypatch) -> Inputs:
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    corpus, matrix, space = a_case()
    vectors = Vectors(matrix, "made", "lsa", len(corpus), 0, ())
    panel = Panel("attribution", ("char_svm", "topic_fit"), vectors_key="made")
    return Inputs(corpus, vectors, space, hits_path(space.similarity), 4, FoldPlan(2), panel, {}, VectorStore(tmp_path))


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name != "encoders"])
def test_a_process_that_gets_what_is_given_finds_the_same(given: Inputs, name: str):
    here, there = run_experiment(name, given), run_experiment(name, pickle.loads(pickle.dumps(given)))  # noqa: S301
    assert type(here) is type(there) and here.notes == there.notes
    assert pickle.dumps(here) == pickle.dumps(there)


def test_progress_reaches_the_end(given: Inputs):
    seen: list[tuple[int, int]] = []
    run_experiment("stability", given, lambda done, total, label, left: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1]
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_other_encoders_are_those_that_need_no_long_wait(given: Inputs):
    found = run_experiment("encoders", given)
    assert set(found.names) == {"LSA", "NMF", "LDA"}  # SBERT is neither shipped nor stored
    shipped = Vectors(np.ascontiguousarray(given.vectors.matrix[:, :4]), "shipped", "sbert", 0, 0, ())
    with_sbert = Inputs(
        given.corpus, given.vectors, given.space, given.path, 4, FoldPlan(2), None, {"sbert": shipped}, given.store
    )
    assert set(run_experiment("encoders", with_sbert).names) == {"SBERT", "LSA", "NMF", "LDA"}


def test_stability_without_authors_is_refused(given: Inputs):
    without = Inputs(given.corpus, given.vectors, given.space, given.path, 4, FoldPlan(2), None, {}, given.store)
    with pytest.raises(LeakscopeError, match="two authors or more"):
        run_experiment("stability", without)
