"""The section of Folds & accuracy with the twin swapped out: what a near twin in training buys."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..evaluation import (
    NO_TWINS,
    SIGNIFICANT,
    TASKS,
    NamedVectors,
    SwapEffect,
    missing_runs,
    need_authors,
    sign_tests,
    swap_effects,
    swap_sentences,
    twins_note,
)
from ..formats import listed, numbers
from ..models.verification import CALIBRATIONS, OWN
from ..plots import accuracy_swap as plots
from ..splits import PAIRINGS, Swaps, make_swaps
from ..statistics import signed_points
from .runs import models_of
from .subject import Drawing, MissingRuns, ReportTable, Section, Subject, table

MOST_SWAPPED = 40  # test topics, as on the page


def swap(
    subject: Subject,
    *,
    task: str = "attribution",
    models: Sequence[str] = (),
    pairs: str = "matched",
    nearest: int = 1,
    tested: int = MOST_SWAPPED,
    draws: int = 3,
    seed: int = 0,
    calibration: str = OWN,
) -> Section:
    """What a near twin in training buys: the same test topic with it and without."""
    need_authors(subject.corpus)
    labels, corpus = models_of(subject, task, models), subject.corpus
    swaps = make_swaps(corpus, subject.space, nearest=nearest, draws=draws, seed=seed, most=tested)
    asked = {"pairing": pairs, "calibration": calibration} if TASKS[task].asks_pairs else {}
    choices = {"task": task, "models": list(labels), "seed": seed, "pairing": "matched"} | asked
    found = {labels[name]: each for name, each in _effects(subject, swaps, **choices).items()}
    metric = TASKS[task].metrics(corpus)[TASKS[task].default_metric]
    sentences = swap_sentences(found, metric=metric, twins=nearest)
    return Section(
        "swap",
        "What does a near twin in training buy?",
        _bought(found, metric=metric, nearest=nearest),
        (*sentences, twins_note(swaps, subject.space), *(() if subject.labels.meaningful else (NO_TWINS,))),
        (
            (
                "Topics tested",
                f"{len(swaps.topics)} of {len(subject.space)}, {len(swaps.unmatched)} could not be matched",
            ),
            ("Documents that change places, a topic", f"{swaps.swapped.mean():.0f}"),
        ),
        _drawings(subject, swaps, found, metric),
        (_table(subject, swaps, found),),
        (
            ("Task", task),
            ("Models", ", ".join(found)),
            ("Nearest topics swapped", str(nearest)),
            ("Draws of stand-ins", str(draws)),
            *([("Pairs", PAIRINGS[pairs].label), ("Calibration", CALIBRATIONS[calibration].label)] if asked else []),
            ("Seed", str(seed)),
        ),
    )


def _effects(subject: Subject, swaps: Swaps, **choices: Any) -> dict[str, SwapEffect]:
    """From kept answers, or computed where that was asked for."""
    key, results = subject.vectors.encoder_key, subject.results
    if not subject.compute:
        for folds in (swaps.without, *swaps.with_twin):
            if missing_runs(subject.corpus, folds, vectors_key=key, results=results, **choices):
                raise MissingRuns("Its models have not been run yet with these settings")
    vectors = NamedVectors(subject.vectors.matrix, key)
    subject.cite(choices["task"], choices["models"])
    return swap_effects(subject.corpus, swaps, vectors=vectors, results=results, progress=subject.progress, **choices)


def _bought(found: Mapping[str, SwapEffect], *, metric: str, nearest: int) -> str:
    what = "The nearest topic" if nearest == 1 else f"The nearest {nearest} topics"
    buys = "buys" if nearest == 1 else "buy"
    signs = sign_tests(found) if len(found) > 1 else {}
    doubted = {label for label, p in signs.items() if p > SIGNIFICANT}
    sure = [
        f"{label} ({signed_points(each.effect)}{', which the sign test does not bear out' * (label in doubted)})"
        for label, each in found.items()
        if each.low > 0
    ]
    if not sure:
        return f"{what} in training: nothing that any model gains by it can be told from chance."
    others = f"; for the other {len(found) - len(sure)} nothing can be told" if len(sure) < len(found) else ""
    return f"{what} in training {buys} points of {metric} for {listed(sure)}{others}."


def _drawings(subject: Subject, swaps: Swaps, found: Mapping[str, SwapEffect], metric: str) -> tuple[Drawing, ...]:
    space = subject.space
    said = ", ".join(f"{label} {p:.3f}" for label, p in sign_tests(found).items())
    return (
        Drawing(
            "In the mean over topics",
            plots.mean_effects(found, metric=metric),
            f"Bars: 95 %, by resampling topics. Sign test over topics, p (Holm): {said}.",
        ),
        Drawing(
            "Topic by topic",
            plots.effects_by_topic(space.names, swaps, found, metric=metric, kind=space.kind, focus=None),
        ),
    )


def _table(subject: Subject, swaps: Swaps, found: Mapping[str, SwapEffect]) -> ReportTable:
    names = subject.space.names
    columns = {
        "topic": [names[topic] for topic in swaps.topics],
        "twin": [", ".join(names[twin] for twin in twins) for twins in swaps.twins],
        "similarity": numbers(swaps.similarity),
    }
    columns |= {label: numbers(100 * each.by_topic, "+.1f") for label, each in found.items()}
    return table("What the twin buys on every topic, in points", columns)
