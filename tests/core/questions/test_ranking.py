"""Ranking: which reading is chosen on planted scores, and that a best model is named only where one leads alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from core.errors import SettingError
from core.questions import ask
from core.questions.ranking import best_on_random, headline, level_of, reading_of, reasons
from core.statistics import lead
from tests.core.questions.studies import bundled

MODELS = ("one", "two", "three")
NAN = float("nan")


def table(*rows: list[float]) -> np.ndarray:
    return np.array(rows, dtype=np.float64)


def test_an_interval_without_width_is_not_shown():
    turned = table([0.9, 0.5, 0.7], [0.7, 0.9, 0.5], [0.5, 0.7, 0.9])  # every two folds have ρ = −0.5
    assert reasons([turned], MODELS) == (
        "The mean rank agreement between two folds is −0.50 (Spearman's ρ, too few folds for a confidence interval).",
    )
    wide = table([0.9, 0.5, 0.9, 0.9], [0.7, 0.9, 0.7, 0.5], [0.5, 0.7, 0.5, 0.7])
    assert "95% CI" in reasons([wide], MODELS)[0]


def test_an_interval_without_width_is_in_neither_the_table_nor_the_json(monkeypatch):
    monkeypatch.setattr("core.questions.ranking.stability_interval", lambda _: (-0.5, -0.5, -0.5))
    answer = ask(bundled(), "ranking", task="verification")
    found = answer.table("stability").frame
    assert (found["HITS"] == -0.5).all() and found[["95% CI from", "to"]].isna().all(axis=None)
    assert {str(each["interval"]) for each in answer.data["stability"].values()} == {"[None, None]"}


@pytest.mark.parametrize(
    ("scores", "reading", "said"),
    [
        (table([0.9] * 6, [0.8] * 6), "winner", "one has the highest F1 in all 6 HITS folds."),
        (table([0.9] * 8 + [0.79], [0.8] * 9), "winner", "one has the highest F1 in 8 of 9 HITS folds and"),
        (table([0.9] * 8 + [0.1], [0.8] * 9), "close", "Too close to call. two is not significantly"),
        (table([0.9, 0.8] * 4, [0.8, 0.9] * 4, [0.1] * 8), "close", "Too close to call. two is not significantly"),
        (table([0.9, 0.5, 0.7] * 3, [0.9, 0.5, 0.7] * 3), "same", "Too close to call. All 2 models have the same F1"),
        (table([0.9, 0.8, NAN], [0.9, NAN, 0.7]), "same", "Too close to call. All 2 models"),
        (table([0.9] * 2, [0.8] * 2), "close", "Too close to call."),
        (table([0.9, 0.8]), "nothing", "No ranking. Only one could be run"),
        (table([NAN, NAN], [0.7, 0.8]), "nothing", "No ranking. Only two could be run"),
        (table([NAN, NAN], [NAN, NAN]), "nothing", "No ranking. No model could be run"),
    ],
)
def test_readings_on_planted_scores(scores, reading, said):
    assert reading_of(scores) == reading
    assert headline(scores, MODELS[: len(scores)], metric="F1").startswith(said)


def test_random_samples_confirm_the_best_model_or_do_not():
    hits, other = table([0.9] * 6, [0.8] * 6), table([0.5] * 6, [0.8] * 6)
    nothing = np.full((2, 6), np.nan)
    assert best_on_random([hits, hits, hits, other]) == (2, 3) and level_of([hits, hits, hits, other]) == "good"
    assert best_on_random([hits, other, nothing]) == (0, 1) and level_of([hits, other]) == "warning"
    assert reasons([hits, nothing], MODELS)[-1] == "No random sample could be ranked."
    assert "but on none of 1" in reasons([hits, other], MODELS)[-1]


def test_noise_seldom_names_a_best_model():
    rng = np.random.default_rng(0)
    assert sum(reading_of(rng.random((3, 6))) == "winner" for _ in range(200)) <= 20


@given(st.integers(0, 10_000))
@limits(max_examples=40, deadline=None)
def test_a_best_model_is_named_exactly_where_one_leads_alone(seed):
    rng = np.random.default_rng(seed)
    scores = rng.random((3, 8)) + table([rng.random()], [0], [0])
    assert (reading_of(scores) == "winner") == (lead(scores).winner is not None)


def test_one_model_is_no_ranking():
    with pytest.raises(SettingError, match="at least two models"):
        ask(bundled(), "ranking", models=["topic_fit"])


def test_every_sample_has_its_baselines_and_hits_its_rank():
    answer = ask(bundled(), "ranking", task="verification")
    found = answer.table("baselines").frame
    assert len(found) == 6 and (found["gap"] == 0).all() and (found["topic oracle AUC"] == 0.5).all()
    assert (found["pairs"] > 500).all() and (found["folds run"] == "6 of 6 folds").all()
    against = answer.table("hits_against_random").frame
    assert against["HITS among the samples"].str.fullmatch(r"(above|below) \d of 5").all()
    assert against["random samples called different"].between(0, 5).all() and (against["of"] == 5).all()
    stable = answer.table("stability").frame
    assert (stable["95% CI from"].isna() | (stable["95% CI from"] < stable["to"])).all()
    ranks = answer.table("mean_ranks").frame.drop(columns="model")
    assert all(ranks[column].dtype.kind == "f" for column in ranks)
