"""Encoders compared in one space, and the suggested number of topics."""

import math

import numpy as np
import pytest

from core.corpora import make_corpus
from core.errors import SettingError
from core.evaluation import ResultStore
from core.models.verification import VERIFIERS
from core.studies import Panel, compare_encoders, similarity_against_m
from core.studies.alternatives import chance_jaccard
from core.topics import TopicSpace, hits_path, judge, suggest_m
from core.vectors import Vectors
from tests.core.experiment_cases import a_case, space_of, two_spies, vector_records
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


def test_encoders_are_measured_in_their_own_and_one_common_space(case, log, panel):
    corpus, _, _ = case
    records = vector_records(corpus, 1, 2, 3)
    found = compare_encoders(corpus, records, m=4, k=2, reference="e2", panel=panel)
    spaces = {name: space_of(corpus, each.matrix) for name, each in records.items()}
    for i, name in enumerate(found.names):
        path = hits_path(spaces[name].similarity)
        assert found.selected[name] == tuple(corpus.topic_names[topic] for topic in path.order[:4])
        own = similarity_against_m(spaces[name], m=[4], k=2)
        assert found.mean[i, i] == own.hits_mean[0] == found.table[i]["mean, own space"]
        for j, other in enumerate(found.names):
            there = similarity_against_m(spaces[other], m=[4], k=2, path=path)
            assert found.max[i, j] == there.hits_max[0]
            both = set(found.selected[name]) & set(found.selected[other])
            assert found.jaccard[i, j] == pytest.approx(len(both) / (8 - len(both)))
        assert found.table[i]["max, e2 space"] == found.max[i, 1]
        assert "accuracy" in found.table[i]
    assert found.table[-1]["encoder"] == "random, mean of 5"
    assert found.table[-1]["mean, e2 space"] == pytest.approx(
        similarity_against_m(spaces["e2"], m=[4], k=2).random_mean.mean()
    )
    assert (found.agreement == pytest.approx(found.agreement.T)) and np.diag(found.agreement) == pytest.approx(1)


def test_one_encoder_under_two_names_agrees_with_itself_and_is_run_once(case, log, panel):
    corpus, _, _ = case
    (record,) = vector_records(corpus, 1).values()
    found = compare_encoders(corpus, {"a": record, "b": record}, m=3, k=3, panel=panel)
    assert (found.jaccard == 1).all() and found.agreement == pytest.approx(1)
    assert found.reference == "a" and len(log.fitted) == 6


def test_sbert_is_the_common_space_where_it_is_at_hand(case, monkeypatch, log):
    corpus, vectors, _ = case
    records = vector_records(corpus, 2) | {"sentences": Vectors(vectors, "key", "sbert", 0, len(corpus), ())}
    assert compare_encoders(corpus, records, m=3, k=2).reference == "sentences"
    verifier, _ = spy_kinds(log, vectors=True)
    monkeypatch.setitem(VERIFIERS, "spy", verifier)
    panel = Panel("verification", ("spy", "other spy"))
    assert compare_encoders(corpus, records, m=4, k=2, panel=panel).fresh > 0
    with pytest.raises(SettingError, match="SBERT vectors"):
        compare_encoders(corpus, vector_records(corpus, 1, 2), m=4, k=2, panel=panel)


def test_chance_overlap_is_that_of_random_selections():
    rng = np.random.default_rng(0)
    drawn = [len(set(rng.permutation(9)[:4]) & set(rng.permutation(9)[:4])) for _ in range(4_000)]
    assert chance_jaccard(4, 9) == pytest.approx(np.mean([both / (8 - both) for both in drawn]), abs=0.01)
    assert chance_jaccard(9, 9) == 1


def a_space(similarity):
    names = tuple(f"t{topic:02}" for topic in range(len(similarity)))
    return TopicSpace(names, np.ones(len(names), dtype=np.int64), np.zeros((len(names), 1)), np.array(similarity))


def one_each(topics):
    return make_corpus([f"text {topic}" for topic in range(topics)], [f"t{topic:02}" for topic in range(topics)])


def test_suggestion_stops_before_the_first_near_twin():
    similarity = np.full((8, 8), 0.2)
    for one, two in ((0, 1), (2, 3)):
        similarity[one, two] = similarity[two, one] = 0.9
    np.fill_diagonal(similarity, 1.0)
    path, space = hits_path(similarity), a_space(similarity)
    found = suggest_m(path, space, one_each(8), 3)
    assert (found.m, found.basis) == (6, "near-twin line")
    assert found.m == judge(similarity, path, k=3).keep
    for said in ("m = 6", "0.20", "0.90", "6 of 8 documents", "2 topic(s)", "not known yet"):
        assert said in found.reason
    known = suggest_m(path, space, one_each(8), 3, {4: 0.91, 6: 0.75, 8: math.nan})
    assert known.m == 6
    assert "here agree" in known.reason and "0.75" in known.reason and "0.91 at m = 4" in known.reason


def test_suggestion_keeps_all_where_nothing_is_alike():
    found = suggest_m(hits_path(np.eye(5)), a_space(np.eye(5)), one_each(5), 5)
    assert (found.m, found.basis) == (5, "no near twins")


def test_suggestion_takes_the_elbow_where_twins_cannot_be_avoided():
    families = np.repeat([0, 1], 6)
    similarity = np.where(families[:, None] == families, 0.7, 0.05)
    similarity[-1, 6:] = similarity[6:, -1] = 0.99
    np.fill_diagonal(similarity, 1.0)
    path = hits_path(similarity)
    found = suggest_m(path, a_space(similarity), one_each(12), 4)
    assert (found.m, found.basis) == (int((path.max[1:] < 0.9).sum()) + 1, "elbow")
    flat = np.where(families[:, None] == families, 0.8, 0.05) + 0.2 * np.eye(12)
    assert suggest_m(hits_path(flat), a_space(flat), one_each(12), 4).basis == "fewest for the folds"
    assert suggest_m(hits_path(flat), a_space(flat), one_each(12), 4).m == 4
