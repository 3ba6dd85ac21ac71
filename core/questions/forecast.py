"""What should I expect on really new topics?"""

from dataclasses import dataclass, replace
from functools import partial
from math import isnan
from typing import Any

import numpy as np
import pandas as pd

from ..corpora import Corpus, make_corpus
from ..corpora.readers import Given, read_corpus
from ..errors import InputError
from ..evaluation import (
    CONFIDENCE,
    FEWEST_FAMILIES,
    FOLDS,
    TASKS,
    Forecast,
    ForecastRun,
    ForecastSummary,
    target_similarity,
)
from ..evaluation import forecast as read_off
from ..formats import counted, defined, percent
from ..plots import curve as plots
from ..progress import Progress
from ..render import Answer, Caution, Drawing, Fact, Level, Rows
from ..statistics import MeanEffect
from ..study import Study
from ..topics import find_topics, topic_space, with_found_topics
from ..vectors import Encoder, VectorStore, embed, languages_of
from .cost import LEAKS, SMALL, ci_in_points
from .settings import Settings as Base
from .settings import integer, seed, several

NAME, LABEL, QUESTION = "forecast", "Forecast", "What should I expect on really new topics?"
HELP = (
    "Forecast the accuracy on topics unlike those of the corpus, beside what a random split and topic k-fold promise."
)
EXPECTED = "Expect on new topics"
MEANINGLESS = "The labels do not separate these texts, so no topic is new and there is nothing to forecast."
METHODS = (
    "Every topic was tested twice: under topic k-fold, where similar topics are on both sides, and with its whole family of similar "
    "topics held out. Accuracy was regressed on the similarity of the nearest training topic (weights: square root of documents). "
    "The forecast is the value of the line at the similarity of the target. The interval is a t prediction interval for one new "
    "family of topics. It is computed from the forecast's errors on families that the line had not seen, as differences of "
    "arcsin √accuracy. Each family's accuracy under topic k-fold was compared with that when it is held out, by a t-test over families."
)
USUAL = ("word_svm", "function_words")
FEWEST_TO_CLUSTER = 40  # new texts; fewer without topics are one topic
FEW_FAMILIES = 5  # below, the interval rests on very few errors
NARROW = 0.2  # accuracy: from an interval of the mean that is wider, nothing is shown
HONEST = 0.03  # accuracy: topic k-fold promises at most this much more than the forecast


@dataclass(frozen=True)
class Settings(Base):
    """Which models are forecast."""

    models: tuple[str, ...] = several(
        "Models",
        lambda study, _: study.models("attribution", by_choice=True),
        refusal=lambda study, _, name: study.why_no_model("attribution", name),
        default=USUAL,
        help="Models to run on the three splits.",
        show=lambda chosen: ", ".join(TASKS["attribution"].models[name].label for name in chosen),
    )
    k: int = integer(
        "Folds (k)",
        low=2,
        high=lambda study, _: max(2, min(20, len(study.corpus.topic_names))),
        default=FOLDS,
        help="Folds of the random split and of topic k-fold.",
        more=True,
    )
    seed: int = seed("Seed of the folds.")


@dataclass(frozen=True, eq=False)
class Forecasts:
    """What the answer is about."""

    summary: ForecastSummary
    labels: dict[str, str]  # of every model by name
    run: ForecastRun
    own_target: bool  # the target's similarity was measured, on texts of the user's

    @property
    def by_label(self) -> dict[str, Forecast]:
        """Return the forecasts that could be made, by the models' labels."""
        known = {self.labels[name]: each for name, each in self.summary.models.items()}
        return {label: each for label, each in known.items() if not isnan(each.expected)}


def answer(study: Study, settings: Settings, target: float | None = None) -> Answer:
    """Answer which accuracy to expect on new topics; `target` is their similarity to the nearest topic of the corpus."""
    run = study.forecast_run(settings.models, settings.k, settings.seed)
    labels = {name: TASKS["attribution"].models[name].label for name in settings.models}
    found = Forecasts(read_off(study.corpus, run, target=target), labels, run, target is not None)
    if not study.labels.meaningful:
        facts = tuple(each for each in _facts(found) if each.label != EXPECTED)
        data, rows = partial(_data, study, found), settings.rows(study)
        return Answer(
            NAME,
            QUESTION,
            "unknown",
            MEANINGLESS,
            (),
            _cautions(found),
            facts,
            (),
            (),
            data,
            rows,
            METHODS,
            numbers=found,
        )
    return Answer(
        NAME,
        QUESTION,
        level_of(found),
        headline(found),
        reasons(found),
        _cautions(found),
        _facts(found),
        (
            Drawing(
                "promises", "What splits promise, and what to expect", lambda: plots.promises(found.by_label), lead=True
            ),
            Drawing(
                "line",
                "How the forecast is made",
                lambda: plots.regression(found.summary, found.by_label, kind=study.similarity),
                "Each topic appears twice: under topic k-fold and with its family held out.",
            ),
        ),
        (_models_table(found),),
        lambda: _data(study, found),
        settings.rows(study),
        METHODS,
        (),
        _next_steps(found),
        found,
        hero=next((each for each in _facts(found) if each.label == EXPECTED), None),
    )


def read_new_texts(given: Given, *, text: str = "text", topic: str | None = "topic") -> Corpus:
    """Read new texts, with their topics where the file has two or more."""
    try:
        return read_corpus(given, text=text, topic=topic, author=None, id=None, needed=())
    except InputError:  # topics are optional here; what is wrong with the texts is wrong again without them
        return read_corpus(given, text=text, topic=None, author=None, id=None, needed=())


def measured_target(study: Study, target: Corpus, encoder: Encoder, *, progress: Progress | None = None) -> float:
    """Return how similar the topics of new texts are to the nearest topics of the study, on average over documents.

    The encoder is the study's. Where it is fitted on a corpus, both are encoded together. Texts without topics get found ones,
    or are one topic where none can be found.
    """
    count, space = len(study.corpus), study.space
    ours, theirs = (languages_of(texts).main for texts in (study.corpus.texts, target.texts))
    if ours is not None and theirs is not None and ours != theirs:
        raise InputError(
            f"The new texts are mostly {theirs} and the corpus is mostly {ours}, so no forecast is possible. "
            "Give new texts in the language of the corpus."
        )
    if encoder.per_document:
        matrix = embed(target, encoder, store=VectorStore(), progress=progress).matrix
    else:
        both = embed(make_corpus([*study.corpus.texts, *target.texts], None), encoder, progress=progress).matrix
        own = study.corpus
        space = topic_space(both[:count], own.topic_codes, own.topic_names, similarity=study.similarity)
        matrix = both[count:]
    if not target.has_topics and len(target) >= FEWEST_TO_CLUSTER:
        found = find_topics(target, matrix)
        if found.level != "none":
            target, matrix = with_found_topics(target, found), matrix[found.codes >= 0]
    new = topic_space(matrix, target.topic_codes, target.topic_names, similarity=study.similarity)
    nearest = target_similarity(space, new)
    known = ~np.isnan(nearest)
    if not known.any():
        raise InputError(
            "The new texts have too few documents per topic to compare. Add documents, or merge their topics."
        )
    return float(np.average(nearest[known], weights=new.sizes[known]))


def _first(found: Forecasts) -> tuple[str, Forecast] | None:
    """Return the first model that could be forecast."""
    return next(iter(found.by_label.items()), None)


def _at_chance(found: Forecasts) -> bool:
    """Return whether the first model learns nothing that guessing does not reach on other topics."""
    first = _first(found)
    return first is not None and first[1].topic_kfold <= found.summary.guessing_high


def headline(found: Forecasts) -> str:
    """Say what topic k-fold promises and what to expect, of the first model."""
    first = _first(found)
    if first is None:
        return "No forecast: no model could be run on all three splits."
    label, model = first
    if _at_chance(found):
        guess = percent(found.summary.guessing)
        return f"Nothing to forecast: on other topics, {label} is no better than guessing ({percent(model.topic_kfold)}; guessing {guess})."
    where = "On your new texts" if found.own_target else "On topics unlike yours"
    level = f"{CONFIDENCE:.0%} interval "
    return (
        f"Topic k-fold promises {percent(model.topic_kfold)} accuracy. {where}, expect about {_expected(model, level)}."
    )


def _expected(model: Forecast, level: str = "") -> str:
    """Return the forecast with its interval: 55% (46 to 64)."""
    if isnan(model.low):
        return percent(model.expected)
    return f"{percent(model.expected)} ({level}{100 * model.low:.0f} to {100 * model.high:.0f})"


def _excess(found: Forecasts) -> MeanEffect | None:
    """Return how much more topic k-fold promises the first model than it keeps without relatives; None where that is not known.

    It says nothing about new texts whose similarity was measured.
    """
    first = _first(found)
    if first is None or found.own_target or _at_chance(found):
        return None
    excess = first[1].excess
    return None if excess is None or isnan(excess.low) else excess


def _too_high(excess: MeanEffect) -> bool:
    """Return whether topic k-fold is shown to promise too much, and by two points or more."""
    return excess.low > 0 and excess.mean >= LEAKS


def level_of(found: Forecasts) -> Level:
    """Return how far topic k-fold is too high for the first model: bad where that is shown, good where it is shown to be little.

    Without a comparison by family, a promise above the interval of the mean is bad.
    """
    first = _first(found)
    if first is None or isnan(first[1].mean_high) or _at_chance(found):
        return "unknown"
    model, excess = first[1], _excess(found)
    if excess is None:
        too_high = round(100 * model.topic_kfold) > round(100 * model.mean_high)  # as they are shown
        small = model.mean_high - model.mean_low <= NARROW
    else:
        too_high, small = _too_high(excess), excess.high < SMALL
    if too_high:
        return "bad"
    if model.topic_kfold - model.expected > HONEST and (excess is None or not small):
        return "warning"
    return "good" if small else "neutral"


def reasons(found: Forecasts) -> tuple[str, ...]:
    """Say which model the headline is about, what the others do, and why the forecast differs."""
    first = _first(found)
    if first is None:
        return ()
    label, model = first
    summary = found.summary
    said = [f"This is the accuracy of {label}. A random split promises {percent(model.random)}."]
    one, excess = "The interval is for one new family of topics.", _excess(found)
    if excess is not None:
        said.append(f"{_compared(excess)} {one}")
    elif not isnan(model.mean_low):
        mean = f"The mean over many lies between {percent(model.mean_low)} and {percent(model.mean_high)}"
        honest = model.mean_low <= model.topic_kfold and level_of(found) not in ("bad", "unknown")
        said.append(f"{one} {mean}{', so topic k-fold may be right' if honest else ''}.")
    if others := [(name, each) for name, each in found.by_label.items() if name != label][:3]:
        named = "; ".join(f"{name} {_expected(each)}" for name, each in others)
        said.append(f"Expected on new topics: {named}.")
    else:
        nearest = f"{summary.topic_kfold:.2f} under topic k-fold and {summary.target:.2f} for new topics"
        said.append(f"The most similar training topic has similarity {nearest}, on average.")
    return tuple(said)


def _compared(excess: MeanEffect) -> str:
    """Say how much lower accuracy is without relatives, and what that means for topic k-fold."""
    without, points = "With a topic's family held out, accuracy is", round(100 * excess.mean)
    if _too_high(excess):
        lower = f"{counted(points, 'point')} lower ({ci_in_points(excess)})"
        return f"{without} {lower}, so topic k-fold promises too much."
    if excess.high < SMALL:
        most = counted(max(0, round(100 * excess.high)), "point")
        return f"{without} at most {most} lower, so topic k-fold is honest."
    change = f"{counted(points, 'point')} lower"
    if points < 0:
        change, excess = f"{counted(-points, 'point')} higher", replace(excess, low=-excess.high, high=-excess.low)
    return f"{without} {change} ({ci_in_points(excess)}), which is not significant."


def _cautions(found: Forecasts) -> tuple[Caution, ...]:
    summary, said = found.summary, list[Caution]()
    if summary.clipped:
        low, high = summary.observed
        said.append(
            Caution(
                "clipped",
                f"The target's similarity is {summary.wanted:.2f}, outside the observed {low:.2f} to {high:.2f}. "
                f"The forecast is for {summary.target:.2f}.",
            )
        )
    if summary.families < FEW_FAMILIES:
        rough = "there is no interval" if summary.families < FEWEST_FAMILIES else "the interval is a rough guess"
        said.append(Caution("few-families", f"Only {summary.families} families of similar topics, so {rough}."))
    said += [
        Caution("model-failed", f"{found.labels[name]} could not be run everywhere. {problem}")
        for name, problem in found.run.problems.items()
    ]
    return tuple(said)


def _facts(found: Forecasts) -> tuple[Fact, ...]:
    first = _first(found)
    if first is None:
        return ()
    label, model = first
    around = (
        "no interval" if isnan(model.low) else f"{CONFIDENCE:.0%} interval {100 * model.low:.0f}–{100 * model.high:.0f}"
    )
    return (
        Fact("Random split promises", percent(model.random), label),
        Fact("Topic k-fold promises", percent(model.topic_kfold), label),
        Fact(
            EXPECTED,
            percent(model.expected),
            around,
            "The interval is for one new family of topics.",
        ),
        Fact("Families of topics", f"{found.summary.families:,}", "groups of similar topics"),
    )


def _models_table(found: Forecasts) -> Rows:
    def make() -> pd.DataFrame:
        return pd.DataFrame(
            [
                {"model": found.labels[name]}
                | {
                    "random split": each.random,
                    "topic k-fold": each.topic_kfold,
                    "families held out": each.held_out,
                    "expected": each.expected,
                    "low": each.low,
                    "high": each.high,
                    "mean low": each.mean_low,
                    "mean high": each.mean_high,
                }
                for name, each in found.summary.models.items()
            ]
        )

    return Rows(
        "forecast",
        "Promised and expected accuracy",
        make,
        f"low, high: {CONFIDENCE:.0%} interval of one new family; mean low, mean high: of the mean over many.",
        lead=True,
    )


def _next_steps(found: Forecasts) -> tuple[str, ...]:
    if level_of(found) in ("bad", "warning"):
        return ("Report least-leakage folds beside topic k-fold (Design a split).",)
    return ()


def _data(study: Study, found: Forecasts) -> dict[str, Any]:
    summary = found.summary
    fields = ("random", "topic_kfold", "held_out", "expected", "low", "high", "mean_low", "mean_high")
    return {
        "models": {
            name: {field: defined(getattr(each, field)) for field in fields} | {"excess": _excess_data(each.excess)}
            for name, each in summary.models.items()
        },
        "similarity": {
            "kfold": defined(summary.topic_kfold),
            "least_leakage": defined(summary.held_out),
            "target": defined(summary.target),
        },
        "clipped": summary.clipped,
        "families": summary.families,
        "confidence": CONFIDENCE,
        "notes": [*study.vectors.notes, *found.run.problems.values()],
    }


def _excess_data(excess: MeanEffect | None) -> dict[str, Any] | None:
    if excess is None:
        return None
    return {name: defined(getattr(excess, name)) for name in ("mean", "low", "high", "p")} | {"families": excess.units}
