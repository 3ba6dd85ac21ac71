"""The experiments: tables that hold their records, headlines, and how many topics are suggested."""

from dataclasses import replace

import numpy as np
import pytest

from core.papers.hits_2024 import (
    FoldPlan,
    PolicyComparison,
    StabilityAgainstM,
    closest_across,
    compare_encoders,
    compare_policies,
    similarity_against_m,
)
from core.questions.experiments import headline_of, rows_of, suggestion_lines
from core.topics import Suggestion
from tests.core.experiment_cases import TOPICS, a_case, vector_records


@pytest.fixture(scope="module")
def case():
    return a_case()


def test_similarity(case):
    _, _, space = case
    record = similarity_against_m(space, m=[TOPICS, 4, 2], plan=FoldPlan(4))
    rows = rows_of(record)
    assert [row["folds"] for row in rows] == [2, 4, 4]
    assert list(rows[0]) == [
        "m", "folds", "mean, HITS", "mean, random", "mean, random, lowest", "mean, random, highest",
        "max, HITS", "max, random", "max, random, lowest", "max, random, highest",
    ]  # fmt: skip
    for column, row in enumerate(rows):
        assert row["mean, HITS"] == record.mean.hits[column]
        assert row["max, random, lowest"] == record.max.random[:, column].min()
        assert row["max, random, lowest"] - 1e-12 <= row["max, random"] <= row["max, random, highest"] + 1e-12
    bare = rows_of(similarity_against_m(space, m=[3], plan=FoldPlan(2, random_seeds=())))
    assert list(bare[0]) == ["m", "folds", "mean, HITS", "max, HITS"]


def test_closest_pairs(case):
    _, _, space = case
    record = closest_across(space, m=5, plan=FoldPlan(3, random_seeds=(2,)), most=2)
    assert [row["setup"] for row in rows_of(record)] == ["HITS", "HITS", "random 2", "random 2"]
    row, pair = rows_of(record)[0], record.pairs[0]
    assert row == {
        "setup": "HITS",
        "train topic": pair.train,
        "test topic": pair.test,
        "similarity": pair.similarity,
    }


def test_stability():
    labels = {"auc": "AUC", "overall": "Overall"}
    hits, random = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(2, 2, 3)
    rows = rows_of(StabilityAgainstM((4, 6), 5, labels, hits, random, (), 0))
    assert rows[1] == {
        "m": 4, "folds": 4, "setup": "random, mean of 2", "AUC": 1.5, "Overall": 2.5, "average": 3.5,
    }  # fmt: skip
    assert rows[2] == {"m": 6, "folds": 5, "setup": "HITS", "AUC": 3.0, "Overall": 4.0, "average": 5.0}
    alone = rows_of(StabilityAgainstM((4, 6), 5, labels, hits, random[:, :0], (), 0))
    assert [row["setup"] for row in alone] == ["HITS", "HITS"]


def test_policies(case):
    corpus, vectors, space = case
    record = compare_policies(corpus, vectors, space, m=4, plan=FoldPlan(3), thresholds=[0.95])
    rows = rows_of(record)
    assert [row["policy"] for row in rows] == ["cutting", "hybrid, 0.95", "grouping"]
    assert list(rows[0]) == [
        "policy", "topics merged", "topics dropped", "documents", "share of documents", "mean similarity",
        "max similarity", "authors",
    ]  # fmt: skip
    assert rows[-1]["documents"] == len(corpus) and rows[-1]["topics merged"] == TOPICS - 4
    ranked = tuple(replace(each, authors=None, stability={"auc": 0.7, "average": 0.5}) for each in record.policies)
    row = rows_of(PolicyComparison(4, 3, {"auc": "AUC"}, ranked, ()))[0]
    assert list(row)[-2:] == ["AUC", "average"] and (row["AUC"], row["average"]) == (0.7, 0.5)
    assert "authors" not in row


def test_encoders(case):
    corpus, _, _ = case
    record = compare_encoders(corpus, vector_records(corpus, 1, 2, 3), m=4, plan=FoldPlan(2), reference="e2")
    rows = rows_of(record)
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
    assert len(rows_of(alone)) == 2


def test_headlines_name_hits_and_random_samples(case):
    corpus, vectors, space = case
    plan = FoldPlan(3)
    assert headline_of(similarity_against_m(space, m=[4, 5], plan=plan), 5).startswith("At m = 5,")
    assert "in random samples" in headline_of(closest_across(space, m=5, plan=plan), 5)
    policies = compare_policies(corpus, vectors, space, m=4, plan=plan, thresholds=[0.95])
    assert headline_of(policies, 4).startswith("Cutting keeps ") and "grouping keeps 100%" in headline_of(policies, 4)
    encoders = compare_encoders(corpus, vector_records(corpus, 1, 2, 3), m=4, plan=plan)
    assert headline_of(encoders, 4).startswith("The samples of two of 3 encoders overlap by ")
    hits, random = np.full((1, 2), 0.5), np.full((1, 2, 2), 0.25)
    assert "0.50 under HITS, 0.25 on random" in headline_of(StabilityAgainstM((4,), 5, {}, hits, random, (), 0), 9)
    unknown = StabilityAgainstM((4,), 5, {}, hits * np.nan, random, (), 0)
    assert "too few folds" in headline_of(unknown, 4)


@pytest.mark.parametrize(
    ("why", "said"),
    [
        ("no twins", "no two of these topics are near twins"),
        ("before twins", "One more topic raises it to 0.90"),
        ("elbow", "only 2 topics can be kept without near twins, too few for 3 folds. Beyond this m"),
        ("fewest", "too few for 3 folds. This is the smallest m that fills the folds"),
    ],
)
def test_a_suggestion_says_why(why, said):
    found = Suggestion(6, why, 0.6, 2, 0.2, 0.9, (1, 3), 30)
    lines = suggestion_lines(found, k=3, documents=40, stability={4: 0.91, 6: 0.75, 8: float("nan")})
    assert lines[0].startswith("Suggested m = 6: ") and said in lines[0]
    assert lines[1:] == (
        "The most topics without near twins: 2 (95% CI 1–3).",
        "30 of 40 documents stay (75%), about 10 per fold.",
        "The mean rank agreement between folds at m = 6 is 0.75 (best: 0.91 at m = 4).",
    )
