"""The forecast: its sentence and level on planted numbers, and the command with new texts as the target."""

from dataclasses import replace
from math import nan
from types import SimpleNamespace

import numpy as np
import pytest

from core.__main__ import main
from core.evaluation import Forecast, ForecastRun, ForecastSummary
from core.questions import forecast
from core.questions.forecast import Forecasts, headline, level_of, reasons
from core.statistics import mean_effect
from tests.core.command_runs import answered
from tests.core.questions.test_curve import file  # noqa: F401

EMPTY = np.empty(0)
USUAL = Forecast(0.81, 0.71, 0.54, 0.55, 0.36, 0.74, 0.2, 0.7, EMPTY, EMPTY, EMPTY, 0.49, 0.61)


def planted(*models: Forecast, own_target: bool = False) -> Forecasts:
    named = {f"model_{place}": each for place, each in enumerate(models)}
    summary = ForecastSummary(named, 0.37, 0.37, 0.7, 0.37, 8, (0.1, 0.9))
    return Forecasts(summary, {name: name for name in named}, ForecastRun(None, {}, {}, 0), own_target)


@pytest.mark.parametrize(
    ("model", "level", "said"),
    [
        (USUAL, "bad", "promises 71% accuracy. On topics unlike yours, expect about 55% (90% interval 36 to 74)."),
        (replace(USUAL, mean_high=0.75), "warning", "expect about 55% (90% interval 36 to 74)."),
        (replace(USUAL, topic_kfold=0.6142, mean_high=0.6138), "warning", "promises 61%"),  # no more, as it is shown
        (replace(USUAL, topic_kfold=0.56), "good", "promises 56% accuracy. On topics unlike yours, expect about 55%"),
        (replace(USUAL, topic_kfold=0.56, mean_low=0.3), "neutral", "promises 56% accuracy."),
        (replace(USUAL, low=nan, high=nan, mean_low=nan, mean_high=nan), "unknown", "expect about 55%."),
        (replace(USUAL, expected=nan), "unknown", "No forecast: no model could be run on all three splits."),
    ],
)
def test_promise_and_forecast_on_planted_numbers(model, level, said):
    found = planted(model)
    assert level_of(found) == level and said in headline(found) and len(headline(found).split()) <= 25


@pytest.mark.parametrize(
    ("by_family", "level", "said"),
    [
        ((0.1, 0.2, 0.3), "unknown", None),  # guessing, planted below
        (
            (0.15, 0.2, 0.17, 0.16),
            "bad",
            "accuracy is 17 points lower (95% CI 14–20), so topic k-fold promises too much.",
        ),
        ((0.0, 0.02, 0.01, 0.01), "good", "at most 2 points lower, so topic k-fold is honest."),
        ((-0.02, -0.03, -0.04), "good", "at most 0 points lower"),
        (
            (-0.12, 0.1, 0.0, -0.02),
            "warning",
            "accuracy is 1 point higher (95% CI −13 to 15), which is not significant.",
        ),
        ((0.1, 0.1, 0.1), "bad", "The mean over many lies between"),  # no spread, so no test: the promise is above 61%
    ],
)
def test_families_in_pairs_say_whether_the_promise_is_too_high(by_family, level, said):
    model = replace(USUAL, excess=mean_effect(np.array(by_family)))
    found = planted(model)
    if said is None:
        found = replace(found, summary=replace(found.summary, guessing_high=0.9))
    assert level_of(found) == level and (said or "The mean over many") in reasons(found)[1]
    assert (
        level_of(planted(model, own_target=True)) == "bad"
    )  # of texts with a similarity of their own, they say nothing


def test_a_model_that_only_guesses_gets_no_forecast():
    poor = replace(USUAL, random=0.04, topic_kfold=0.03, expected=0.03, mean_low=0.0, mean_high=0.06)
    found = planted(poor)
    found = replace(found, summary=replace(found.summary, guessing=0.03, guessing_high=0.05))
    assert level_of(found) == "unknown" and "no better than guessing (3%; guessing 3%)" in headline(found)
    assert not any("may be right" in said for said in reasons(found))
    better = replace(found, summary=replace(found.summary, guessing=0.01, guessing_high=0.02))
    assert level_of(better) == "good"


def test_a_model_that_failed_is_passed_over_and_new_texts_are_named():
    found = planted(replace(USUAL, expected=nan), USUAL, own_target=True)
    assert headline(found).endswith("On your new texts, expect about 55% (90% interval 36 to 74).")
    assert reasons(found)[0] == "This is the accuracy of model_1. A random split promises 81%."
    assert reasons(found)[1].endswith("The mean over many lies between 49% and 61%.")
    honest = planted(replace(USUAL, topic_kfold=0.6))
    assert reasons(honest)[1].endswith("The mean over many lies between 49% and 61%, so topic k-fold may be right.")


def test_the_command_gives_the_contract_keys_and_measures_a_target(capsys, tmp_path, file):  # noqa: F811
    options = (file, "--encoder", "lsa", "--models", "word_svm", "--k", "4")
    usual, _ = answered(capsys, "forecast", *options)
    assert usual["models"]["word_svm"].keys() >= {"random", "topic_kfold", "expected", "low", "high"}
    assert usual["similarity"].keys() == {"kfold", "least_leakage", "target"} and usual["clipped"] is False
    assert usual["similarity"]["target"] == usual["similarity"]["least_leakage"]
    same, _ = answered(capsys, "forecast", *options, "--target", file)  # its own topics: as similar as can be
    assert same["similarity"]["target"] > usual["similarity"]["target"]
    one = tmp_path / "one.csv"  # a topic, and then none: one topic of far fewer shared words
    one.write_text(
        "text,topic\n" + "".join(f"rain fell on hill {n} worda wordb,x\n" for n in range(12)), encoding="utf-8"
    )
    other, _ = answered(capsys, "forecast", *options, "--target", str(one))
    assert other["similarity"]["target"] < same["similarity"]["target"]
    assert main(["forecast", *options, "--vectors", "v.npy", "--target", file]) == 2
    assert "Leave out --vectors" in capsys.readouterr().err


def test_labels_that_mean_nothing_get_no_number_to_expect(monkeypatch):
    found = planted(USUAL)
    summary = replace(found.summary, models={"word_svm": USUAL})
    monkeypatch.setattr(forecast, "read_off", lambda *_, **__: summary)
    study = SimpleNamespace(
        forecast_run=lambda *_: found.run, corpus=None, labels=SimpleNamespace(meaningful=False), vectors=None
    )
    settings = SimpleNamespace(models=("word_svm",), k=6, seed=0, rows=lambda _: ())
    answer = forecast.answer(study, settings)
    assert answer.headline == forecast.MEANINGLESS and answer.level == "unknown" and answer.hero is None
    assert not answer.figures and not answer.tables and not answer.next_steps
    assert forecast.EXPECTED not in {fact.label for fact in answer.facts}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["text,topic", *(f"der Zug und die Bahn sind nicht auf dem Weg {n},x" for n in range(12))], "mostly German"),
        (["body,subject", "rain fell,x", "snow fell,x"], "no column 'text'"),
    ],
)
def test_new_texts_that_cannot_be_compared_are_refused(capsys, tmp_path, rows, said):
    corpus = "".join(
        f"the {topic} is on the way and it was in the {topic} with {n % 3} of them,{topic},{n % 3}\n"
        for topic in ("bread", "stars", "trams", "rain", "coal", "wine")
        for n in range(12)
    )
    ours, theirs = tmp_path / "ours.csv", tmp_path / "theirs.csv"
    ours.write_text("text,topic,author\n" + corpus, encoding="utf-8")
    theirs.write_text("\n".join(rows), encoding="utf-8")
    assert main(["forecast", str(ours), "--encoder", "lsa", "--k", "3", "--target", str(theirs)]) == 2
    assert said in capsys.readouterr().err.strip().splitlines()[-1]
