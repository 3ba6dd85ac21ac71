"""Temperature and Platt: the likelihood's own optimum, never out of order, from held-out pairs alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError, SettingError
from core.models import Documents, verification_scores
from core.models.verification import CALIBRATIONS, OWN, VERIFIERS, calibrated, make_verifier
from core.models.verification.calibration import Uncalibrated, fitted_curve, log_odds
from core.splits import held_out, make_pairs
from tests.core.models.verification.test_contract import corpus_of, pairs_of

CURVES = pytest.mark.parametrize("calibration", [name for name, kind in CALIBRATIONS.items() if kind.fit])
OURS = ("char_ngram", "ppm", "sbert_cosine", "topic_fit")


def scored(
    count: int = 400, *, seed: int = 0, sharp: float = 6.0, middle: float = 0.6
) -> tuple[np.ndarray, np.ndarray]:
    """Scores from 0 to 1, and truths that follow a logistic curve of them."""
    rng = np.random.default_rng(seed)
    scores = rng.beta(3, 2, size=count)
    return scores, rng.random(count) < 1 / (1 + np.exp(-sharp * (scores - middle)))


@pytest.mark.parametrize("seed", range(5))
def test_temperature_is_the_likelihoods_optimum(seed):
    from scipy.optimize import minimize_scalar
    from sklearn.linear_model import LogisticRegression

    scores, same = scored(seed=seed)
    found = fitted_curve("temperature", scores, same)
    odds = log_odds(scores)
    signs = np.where(same, 1, -1)
    best = minimize_scalar(lambda t: np.logaddexp(0, -signs * odds / t).sum(), bounds=(0.05, 50), method="bounded")
    assert 1 / found.slope == pytest.approx(best.x, rel=1e-3)
    model = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-10).fit(odds[:, None], same)
    assert found.slope == pytest.approx(model.coef_[0, 0], rel=1e-4)
    np.testing.assert_allclose(found(scores), model.predict_proba(odds[:, None])[:, 1], atol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_platts_curve_is_that_of_scikit_learn_and_of_a_general_optimiser(seed):
    from scipy.optimize import minimize
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.frozen import FrozenEstimator

    class Score(ClassifierMixin, BaseEstimator):
        classes_ = np.array([False, True])

        def fit(self, X, y):
            return self

        def decision_function(self, X):
            return X[:, 0]

        def predict(self, X):
            return X[:, 0] > 0.5

        def __sklearn_is_fitted__(self):
            return True

    scores, same = scored(seed=seed, sharp=8.0)
    found = fitted_curve("platt", scores, same)
    theirs = CalibratedClassifierCV(FrozenEstimator(Score()), method="sigmoid").fit(scores[:, None], same)
    np.testing.assert_allclose(found(scores), theirs.predict_proba(scores[:, None])[:, 1], atol=1e-4)
    ones, zeros = same.sum(), (~same).sum()
    targets = np.where(same, (ones + 1) / (ones + 2), 1 / (zeros + 2))

    def loss(at):
        odds = at[0] * scores + at[1]
        return (np.logaddexp(0, odds) - targets * odds).sum()

    best = minimize(loss, [1.0, 0.0], method="BFGS", options={"gtol": 1e-8})
    assert [found.slope, found.intercept] == pytest.approx(best.x, abs=1e-4)


def test_four_pairs_worked_by_hand():
    # Two pairs a kind: targets 3/4 and 1/4; scores .2 .2 .8 .8 in order: the curve passes through them.
    found = fitted_curve("platt", [0.2, 0.2, 0.8, 0.8], [False, False, True, True])
    assert found([0.2, 0.5, 0.8]) == pytest.approx([0.25, 0.5, 0.75])
    assert found.slope == pytest.approx(2 * np.log(3) / 0.6)
    # Log odds ±l, and 3 of 4 right on either side: σ(l/T) = 3/4.
    found = fitted_curve("temperature", [0.7] * 4 + [0.3] * 4, [True] * 3 + [False] * 4 + [True])
    assert found([0.7, 0.3]) == pytest.approx([0.75, 0.25])
    assert 1 / found.slope == pytest.approx(log_odds(np.array([0.7]))[0] / np.log(3))


def test_exact_probabilities_have_temperature_one():
    rng = np.random.default_rng(3)
    scores = rng.uniform(0.02, 0.98, 40_000)
    found = fitted_curve("temperature", scores, rng.random(40_000) < scores)
    assert 1 / found.slope == pytest.approx(1, abs=0.03)
    np.testing.assert_allclose(found(scores), scores, atol=0.02)


@CURVES
@settings(max_examples=60, deadline=None)
@given(
    data=st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=2, max_size=60), more=st.lists(st.floats(0, 1))
)
def test_answers_are_probabilities_in_the_order_of_the_scores(calibration, data, more):
    scores, same = (np.array(column) for column in zip(*data, strict=True))
    found = fitted_curve(calibration, scores, same)
    asked = np.sort(np.array([0.0, 0.5, 1.0, *scores, *more]))
    answers = found(asked)
    assert np.isfinite(answers).all() and (answers >= 0).all() and (answers <= 1).all()
    assert (np.diff(answers) >= 0).all()


@CURVES
@pytest.mark.parametrize("middle", [0.2, 0.6, 0.95])
def test_auc_stays_as_it_was(calibration, middle):
    scores, same = scored(middle=middle)
    unseen, truth = scored(300, seed=9, middle=middle)
    answers = fitted_curve(calibration, scores, same)(unseen)
    assert len(np.unique(answers)) == len(np.unique(unseen))
    assert verification_scores(truth, answers).auc == verification_scores(truth, unseen).auc


@CURVES
@pytest.mark.parametrize("same", [[True] * 6, [False] * 6, []])
def test_pairs_of_one_kind_change_nothing_and_say_so(calibration, same):
    scores = np.linspace(0.1, 0.9, len(same))
    found = fitted_curve(calibration, scores, np.array(same, dtype=bool))
    assert found.note == (
        f"The pairs held out are all of one kind, so no curve ({CALIBRATIONS[calibration].label}) could be fitted; "
        "scores stay as they are."
    )
    assert found([0.0, 0.3, 1.0]).tolist() == [0.0, 0.3, 1.0]


@CURVES
def test_scores_the_wrong_way_round_keep_their_order_and_say_so(calibration):
    scores, same = scored(sharp=-8.0, middle=0.5)
    found = fitted_curve(calibration, scores, same)
    assert found.slope == 0.01 and "do not bear these scores out" in found.note
    assert (np.diff(found(np.linspace(0, 1, 50))) > 0).all()
    if calibration == "platt":  # with the slope given, what is left is the share of one author
        assert found(scores).mean() == pytest.approx(same.mean(), abs=0.01)


def test_a_temperature_moves_no_answer_across_one_half():
    scores, same = scored(middle=0.9)
    answers = fitted_curve("temperature", scores, same)(np.array([0.1, 0.499, 0.5, 0.501, 0.9]))
    assert np.sign(answers - 0.5).tolist() == [-1, -1, 0, 1, 1]
    assert fitted_curve("platt", scores, same)([0.7])[0] < 0.5  # where it should be, for few are by one author


def test_pairs_told_apart_without_error_stay_finite():
    scores, same = np.array([0.1, 0.2, 0.8, 0.9]), np.array([False, False, True, True])
    found = fitted_curve("temperature", scores, same)
    assert "the lowest there is" in found.note and 1 / found.slope == pytest.approx(0.05)
    assert np.isfinite(fitted_curve("platt", scores, same).slope)


@CURVES
def test_equal_scores_are_calibrated(calibration):
    found = fitted_curve(calibration, np.full(20, 0.3), np.arange(20) < 5)
    assert ((found(np.full(3, 0.3)) > 0) & (found(np.full(3, 0.3)) < 0.5)).all()


@CURVES
def test_bad_scores_are_refused(calibration):
    with pytest.raises(InputError, match="row 2: score 1.5 is outside"):
        fitted_curve(calibration, [0.1, 1.5], [True, False])


@pytest.fixture(scope="module")
def sides():
    corpus, documents = corpus_of(120)
    fit, held = held_out(make_pairs(corpus, np.arange(120), seed=0, kind="paper"), share=0.3, seed=0)
    other, unseen = corpus_of(60, seed=1)
    return documents, fit, held, unseen, make_pairs(other, np.arange(60), seed=1, kind="paper")


@CURVES
@pytest.mark.parametrize("name", OURS)
def test_every_verifier_answers_in_the_order_of_its_raw_scores(name, calibration, sides):
    documents, fit, held, unseen, pairs = sides
    plain = make_verifier(name).fit(documents, fit, held=held, seed=0)
    assert isinstance(plain, Uncalibrated)
    raw = plain.raw(unseen, pairs.first, pairs.second)
    model = calibrated(make_verifier(name), calibration).fit(documents, fit, held=held, seed=0)
    answers = model.score(unseen, pairs.first, pairs.second)
    assert (np.diff(answers[np.argsort(raw)]) >= 0).all()
    assert verification_scores(pairs.same, answers).auc == pytest.approx(
        verification_scores(pairs.same, raw).auc, abs=1e-3
    )
    assert model.notes[-1] == model.curve.note and not any("Thresholds" in note for note in model.notes)
    expected = fitted_curve(calibration, plain.raw(documents, held.first, held.second), held.same)
    assert model.curve == expected  # nothing but the held-out pairs


@CURVES
def test_nothing_is_learned_from_the_pairs_fitted_on(calibration, sides):
    documents, fit, held, _, _ = sides
    turned = pairs_of(fit.first, fit.second, ~fit.same)
    model = calibrated(make_verifier("char_ngram"), calibration)
    assert model.fit(documents, fit, held=held, seed=0).curve == model.fit(documents, turned, held=held, seed=0).curve


def test_another_calibration_is_another_key_and_the_own_one_none():
    for name in VERIFIERS:
        model = make_verifier(name)
        assert calibrated(model, OWN) is model
        made = [calibrated(model, calibration) for calibration in CALIBRATIONS]
        assert len({each.key() for each in made}) == len(CALIBRATIONS)
        assert {each.name for each in made} == {name}
    with pytest.raises(SettingError, match="Did you mean 'platt'"):
        calibrated(make_verifier("ppm"), "plat")


class Declining:
    """A verifier without raw scores that declines every third pair."""

    name = "declining"

    def key(self):
        return "declining"

    def fit(self, documents, pairs, *, held, seed):
        return self

    notes = ("Declines every third.",)

    def score(self, documents, first, second):
        scores = np.linspace(0.05, 0.95, len(first))
        scores[::3] = 0.5
        return scores


@CURVES
def test_what_a_verifier_without_raw_scores_declines_stays_declined(calibration):
    rows = np.arange(30)
    held = pairs_of(rows, rows + 1, rows > 15)
    model = calibrated(Declining(), calibration).fit(Documents(["x"] * 31), held, held=held, seed=0)
    answers = model.score(Documents(["x"] * 31), rows, rows + 1)
    assert (answers[::3] == 0.5).all() and (np.diff(np.delete(answers, np.s_[::3])) >= 0).all()
    assert "20 held-out pairs" in model.curve.note and model.notes[0] == "Declines every third."


def test_labels_and_sentences_for_the_pages():
    assert list(CALIBRATIONS) == [OWN, "temperature", "platt"] and CALIBRATIONS[OWN].fit is None
    assert len({kind.label for kind in CALIBRATIONS.values()}) == 3
    assert all(kind.about.endswith(".") for kind in CALIBRATIONS.values())
