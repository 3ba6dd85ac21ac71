"""Is A really better than B? Asked of two models that were run on the corpus."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats
from ..errors import LeakscopeError, SettingError
from ..evaluation import ComparedModels, compared_models, error_rates, score_table, topic_scores
from ..formats import percent, said_p
from ..render import Answer, Caution
from ..statistics import TESTS, compare_all
from ..study import Pending, Study
from . import comparison
from .runs import ModelRun, RunSettings, references_of, run, skipped_cautions
from .settings import choice
from .wording import works

NAME, LABEL, QUESTION = "significance", "Significance", comparison.QUESTION
HELP = "Compare two models topic by topic, with every test and how often it errs."
METHODS = comparison.METHODS
BEST, NEXT = "By default, the model with the highest score.", "By default, the model with the next highest score."


def models_chosen(study: Study, chosen: Mapping[str, Any]) -> dict[str, str]:
    """Return the models of the run by name and label."""
    labels = study.models(chosen["task"], by_choice=True) | study.own_models(chosen["task"])
    return {name: labels[name] for name in chosen["models"] if name in labels}


def first_model(study: Study, chosen: Mapping[str, Any]) -> str:
    """Return the first model of the run."""
    return next(iter(models_chosen(study, chosen)), "")


def best_first(study: Study, chosen: Mapping[str, Any]) -> list[str]:
    """Return the models of the run by their mean score over topics, the best first; in their own order before they have run."""
    models = list(models_chosen(study, chosen))
    settings = RunSettings(**{name: chosen[name] for name in RunSettings.controls()})
    if len(models) < 2:
        return models
    try:
        made = run(study, settings)
    except (Pending, LeakscopeError):  # the answer reports what is missing
        return models
    table = score_table(topic_scores(made.evaluation, made.setup.corpus), made.metric)
    means = {name: _mean(row) for name, row in zip(made.models, table, strict=True)}
    return sorted(models, key=lambda name: -means[name])  # stable: models that score the same keep their order


def _mean(scores: Floats) -> float:
    known = scores[np.isfinite(scores)]
    return float(known.mean()) if len(known) else -math.inf


def best_model(study: Study, chosen: Mapping[str, Any]) -> str:
    """Return the model with the highest score: whether it is really better is what one asks."""
    return next(iter(best_first(study, chosen)), "")


def next_model(study: Study, chosen: Mapping[str, Any]) -> str:
    """Return the best model of the run that is not A; A itself where there is no other, which `two_models` refuses."""
    return next((name for name in best_first(study, chosen) if name != chosen["a"]), chosen["a"])


def two_models(settings: RunSettings, a: str, b: str) -> None:
    """Refuse fewer than two different models."""
    if len(settings.models) < 2:
        raise SettingError("Comparing takes two models. Choose at least two.")
    if a == b:
        raise SettingError("A and B are the same model. Choose two different ones.")


@dataclass(frozen=True)
class Settings(RunSettings):
    """Which two models of which run are compared."""

    a: str = choice("A", models_chosen, default=best_model, key="{question}_model_a", help=BEST)
    b: str = choice("B", models_chosen, default=next_model, key="{question}_model_b", help=NEXT)
    margin: float = comparison.margin_setting()
    test: str = comparison.test_setting(
        lambda *_: comparison.pair_tests("scores", weighted=True), asked=lambda _, chosen: len(chosen["models"]) > 2
    )
    target: float = comparison.target_setting()


def answer(study: Study, settings: Settings) -> Answer:
    """Answer whether one model is better than another, with topics as the units."""
    two_models(settings, settings.a, settings.b)
    made = run(study, settings)
    a, b, corpus, metric = settings.a, settings.b, made.setup.corpus, made.metric
    errors = study.once(
        "error rates", *run_key(settings), a, b, compute=lambda: error_rates(made.evaluation, corpus, a, b)
    )
    two = compared_models(made.evaluation, corpus, a, b, metric=metric, margin=settings.margin, errors=errors)
    names, outcome = two.names, two.outcome
    return Answer(
        NAME,
        QUESTION,
        comparison.LEVELS[outcome.outcome],
        comparison.headline(outcome, names, rows="topics"),
        comparison.reasons(outcome, names, rows="topics"),
        (*comparison.cautions(outcome, rows="topics"), decisions_caution(two), *skipped_cautions(made.evaluation)),
        comparison.facts(outcome, names, rows="topics"),
        (
            *comparison.differences(
                two.topics, two.difference, two.documents, names, metric=made.metric_label, per="topic"
            ),
            *comparison.pair_matrix(list(made.models.values()), _pairs(made, two, settings.margin), settings.test),
            *comparison.power_figure(two.difference, settings.target, per="topic"),
        ),
        (comparison.tests_table(two.tests, names, per="topic", margin=settings.margin, rates=errors.rates),),
        lambda: _data(two, settings),
        settings.rows(study),
        METHODS,
        (*works("tests", "corrected", "holm"), *references_of([made.evaluation])),
        numbers=two,
        hero=comparison.hero(comparison.facts(outcome, names, rows="topics")),
    )


def run_key(settings: RunSettings) -> tuple[Any, ...]:
    """Name what a run depends on; the metric only reads it."""
    return tuple(getattr(settings, name) for name in RunSettings.controls() if name != "metric")


def _pairs(made: ModelRun, two: ComparedModels, margin: float) -> Any:
    if len(made.models) < 3:
        return ()
    table = score_table(topic_scores(made.evaluation, made.setup.corpus), made.metric)
    labelled = dict(zip(made.models.values(), table, strict=True))
    return compare_all(labelled, kind="scores", margin=margin, weights=two.documents)


def decisions_caution(two: ComparedModels) -> Caution:
    """Say what the sign test over single decisions finds, and how often it errs on this run."""
    test, rate = two.tests["s"], two.errors.rates.get("s")
    found = "no decision differs" if test.p is None else said_p(test.two_sided.p or 0.0)
    said = [f"Over single decisions: {found}."]
    if rate is None:
        said.append("That test assumes independent decisions, and how often it errs here is unknown.")
    elif two.errors.clustered:
        promised = TESTS["s"].promised_rate
        said.append(
            f"Decisions about one topic are correlated, so that test gives a false alarm about {percent(rate)} of the time, not {percent(promised)}."
        )
    else:
        said.append(
            "That test assumes independent decisions; they are no more correlated within topics than by chance."
        )
    if two.share_texts:
        said.append("Pairs also share texts and authors, which no test here accounts for.")
    return Caution("single-decisions", " ".join(said))


def _data(two: ComparedModels, settings: Settings) -> dict[str, Any]:
    return {
        "a": settings.a,
        "b": settings.b,
        "topics": len(two.topics),
        "mean_difference": None if math.isnan(two.outcome.mean) else two.outcome.mean,
        "tests": {
            name: comparison.test_data(test, two.names, margin=settings.margin) for name, test in two.tests.items()
        },
        "error_rates": dict(two.errors.rates),
    }
