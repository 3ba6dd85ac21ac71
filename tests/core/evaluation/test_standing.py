"""Who is ahead: named only where folds agree, and never among equals."""

import numpy as np
import pytest

from core.evaluation import standing_sentence

MODELS = ("Alpha", "Beta", "Gamma")


def said(scores: np.ndarray, **more) -> str:
    rows = np.asarray(scores, dtype=float)
    return standing_sentence(rows, np.nanmean(rows, axis=1).tolist(), MODELS[: len(rows)], metric="accuracy", **more)


def test_one_that_leads_in_every_fold_is_named():
    rng = np.random.default_rng(0)
    scores = np.array([[0.8], [0.6], [0.5]]) + rng.normal(0, 0.01, size=(3, 10))
    assert said(scores).startswith(f"Alpha is ahead by accuracy, {scores[0].mean():.3f} on average over 10 folds")


def test_the_order_of_models_changes_no_winner():
    scores = np.array([[0.5] * 8, [0.9] * 8])
    assert said(scores).startswith("Beta is ahead") and said(scores[::-1]).startswith("Alpha is ahead")


@pytest.mark.parametrize("folds", [1, 2, 5])
def test_few_folds_name_no_winner(folds):
    sentence = said(np.array([[0.9] * folds, [0.1] * folds]))
    assert sentence.startswith(
        f"Too close to call by accuracy over {folds} fold(s) (fewer than six name no winner): Alpha"
    )


def test_equals_are_too_close_to_call():
    wins = sum("is ahead" in said(np.random.default_rng(seed).normal(0.5, 0.1, size=(2, 10))) for seed in range(100))
    assert wins <= 10, "five in a hundred, and chance"


def test_one_model_has_its_mean_and_the_majoritys_beside_it():
    sentence = said(np.array([[0.5, np.nan, 0.7]]), majority=0.25)
    assert (
        sentence == "Alpha has a mean accuracy of 0.600 over 2 fold(s); always giving the commonest answer has 0.250."
    )
