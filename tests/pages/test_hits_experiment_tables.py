"""The experiments' tables hold their records, under the headings that people know and download."""

from dataclasses import replace

import numpy as np
import pytest

from core.studies import (
    FoldPlan,
    PolicyComparison,
    StabilityAgainstM,
    closest_across,
    compare_encoders,
    compare_policies,
    similarity_against_m,
)
from pages.parts.hits_experiment_tables import experiment_table
from tests.core.experiment_cases import TOPICS, a_case, vector_records


@pytest.fixture(scope="module")
def case():
    return a_case()


def test_similarity(case):
    _, _, space = case
    record = similarity_against_m(space, m=[TOPICS, 4, 2], plan=FoldPlan(4))
    rows = experiment_table(record)
    assert [row["folds"] for row in rows] == [2, 4, 4]
    assert list(rows[0]) == [
        "m", "folds", "mean, HITS", "mean, random", "mean, random, lowest", "mean, random, highest",
        "max, HITS", "max, random", "max, random, lowest", "max, random, highest",
    ]  # fmt: skip
    for column, row in enumerate(rows):
        assert row["mean, HITS"] == record.mean.hits[column]
        assert row["max, random, lowest"] == record.max.random[:, column].min()
        assert row["max, random, lowest"] - 1e-12 <= row["max, random"] <= row["max, random, highest"] + 1e-12
    bare = experiment_table(similarity_against_m(space, m=[3], plan=FoldPlan(2, random_seeds=())))
    assert list(bare[0]) == ["m", "folds", "mean, HITS", "max, HITS"]


def test_closest_pairs(case):
    _, _, space = case
    record = closest_across(space, m=5, plan=FoldPlan(3, random_seeds=(2,)), most=2)
    assert [row["setup"] for row in experiment_table(record)] == ["HITS", "HITS", "random 2", "random 2"]
    row, pair = experiment_table(record)[0], record.pairs[0]
    assert row == {
        "setup": "HITS",
        "train topic": pair.train,
        "test topic": pair.test,
        "similarity": pair.similarity,
    }


def test_stability():
    labels = {"auc": "AUC", "overall": "Overall"}
    hits, random = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(2, 2, 3)
    rows = experiment_table(StabilityAgainstM((4, 6), 5, labels, hits, random, (), 0))
    assert rows[1] == {
        "m": 4, "folds": 4, "setup": "random, mean of 2", "AUC": 1.5, "Overall": 2.5, "average": 3.5,
    }  # fmt: skip
    assert rows[2] == {"m": 6, "folds": 5, "setup": "HITS", "AUC": 3.0, "Overall": 4.0, "average": 5.0}
    alone = experiment_table(StabilityAgainstM((4, 6), 5, labels, hits, random[:, :0], (), 0))
    assert [row["setup"] for row in alone] == ["HITS", "HITS"]


def test_policies(case):
    corpus, vectors, space = case
    record = compare_policies(corpus, vectors, space, m=4, plan=FoldPlan(3), thresholds=[0.95])
    rows = experiment_table(record)
    assert [row["policy"] for row in rows] == ["cutting", "hybrid, 0.95", "grouping"]
    assert list(rows[0]) == [
        "policy", "topics merged", "topics dropped", "documents", "share of documents", "mean similarity",
        "max similarity", "authors",
    ]  # fmt: skip
    assert rows[-1]["documents"] == len(corpus) and rows[-1]["topics merged"] == TOPICS - 4
    ranked = tuple(replace(each, authors=None, stability={"auc": 0.7, "average": 0.5}) for each in record.policies)
    row = experiment_table(PolicyComparison(4, 3, {"auc": "AUC"}, ranked, ()))[0]
    assert list(row)[-2:] == ["AUC", "average"] and (row["AUC"], row["average"]) == (0.7, 0.5)
    assert "authors" not in row


def test_encoders(case):
    corpus, _, _ = case
    record = compare_encoders(corpus, vector_records(corpus, 1, 2, 3), m=4, plan=FoldPlan(2), reference="e2")
    rows = experiment_table(record)
    assert [row["encoder"] for row in rows] == ["e1", "e2", "e3", "random, mean of 5"]
    for index, row in enumerate(rows[:3]):
        assert row["mean, own space"] == record.mean[index, index]
        assert row["max, e2 space"] == record.max[index, 1]
        others = [other for other in range(3) if other != index]
        assert row["topics shared with others"] == record.jaccard[index, others].mean()
        assert row["agreement with other paths"] == record.agreement[index, others].mean()
    assert rows[-1] == {
        "encoder": "random, mean of 5",
        "mean, e2 space": record.mean[-1, 1],
        "max, e2 space": record.max[-1, 1],
    }
    alone = compare_encoders(corpus, vector_records(corpus, 1, 2), m=4, plan=FoldPlan(2, random_seeds=()))
    assert len(experiment_table(alone)) == 2
