"""What do the HITS paper's experiments show on this corpus?"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import singledispatch
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

from ..demo import bundled_vectors
from ..engine import Call
from ..errors import SettingError
from ..formats import counted, number, told_apart
from ..papers.hits_2024 import (
    AVERAGE,
    EXPERIMENTS,
    ClosestAcross,
    EncoderComparison,
    FoldPlan,
    Inputs,
    Panel,
    PolicyComparison,
    SimilarityAgainstM,
    StabilityAgainstM,
    compared_encoders,
    run_experiment,
)
from ..plots import hits as plots
from ..render import Answer, Caution, Drawing, Rows
from ..study import Study
from ..topics import Suggestion, suggest_m
from ..vectors import Vectors, VectorStore, make_encoder
from .runs import MEANINGLESS, task_of_models
from .settings import Settings as Base
from .settings import choice, integer
from .wording import works

NAME, LABEL = "experiments", "HITS, experiments"
QUESTION = "What do the HITS paper's experiments show on this corpus?"
HELP = "Repeat an experiment of the HITS paper (§7) on this corpus."
METHODS = (
    "The experiments of Sawatphol et al. (2024, §7) were repeated on this corpus. Folds of the topics HITS keeps are compared with "
    "folds of random samples of the same size."
)
FEWEST, MOST_FOLDS = 4, 20

TableRow = dict[str, str | int | float]


def _runs_models(study: Study, chosen: Mapping[str, Any]) -> bool:
    names = study.corpus.author_names
    return EXPERIMENTS[chosen["experiment"]].runs_models and names is not None and len(names) > 1


@dataclass(frozen=True)
class Settings(Base):
    """Which experiment."""

    experiment: str = choice(
        "Experiment",
        {name: each.label for name, each in EXPERIMENTS.items()},
        default="similarity",
        key="experiment",
        help="The experiment of the paper's §7.",
    )
    m: int = integer(
        "Topics to keep (m)",
        low=2,
        high=lambda study, _: max(2, study.path.comparable),
        default=lambda study, _: study.path.comparable // 2,
        key="m",
        help="Topics HITS keeps.",
    )
    k: int = integer(
        "Number of folds (k)",
        low=2,
        high=lambda study, _: max(2, min(study.path.comparable, MOST_FOLDS)),
        default=6,
        key="hits_k",
        help="Folds of the kept topics.",
    )
    task: str = task_of_models(key="hits_task", asked=_runs_models)


def answer(study: Study, settings: Settings) -> Answer:
    """Answer with the experiment's figures and table."""
    if study.path.comparable < FEWEST:
        raise SettingError(f"The experiments need {FEWEST} topics or more that can be compared.")
    experiment, given = EXPERIMENTS[settings.experiment], inputs(study, settings)
    panel = given.panel and (given.panel.task, given.panel.models)
    found = study.long(
        "experiments",
        (settings.experiment, settings.k, given.m, panel),
        Call(run_experiment, (settings.experiment, given)),
        name=f"Experiment: {experiment.label}",
    )
    notes, title = tuple(found.notes), f"{experiment.label[0].upper()}{experiment.label[1:]}"
    tables = [Rows(settings.experiment.replace(" ", "_"), title, lambda: pd.DataFrame(rows_of(found)), lead=True)]
    if notes:
        tables.append(Rows("experiment_notes", "Notes", lambda: pd.DataFrame({"note": list(notes)})))
    return Answer(
        NAME,
        QUESTION,
        "neutral",
        headline_of(found, given.m),
        cautions=_cautions(study, notes),
        figures=tuple(
            Drawing(f"experiment_{settings.experiment}_{index}", title, draw)
            for index, draw in enumerate(_drawings(found, given))
        ),
        tables=tuple(tables),
        make_data=lambda: {"experiment": settings.experiment, "rows": _plain(rows_of(found)), "notes": list(notes)},
        settings=settings.rows(study),
        methods=METHODS,
        references=works("hits"),
        next_steps=_suggested(study, settings, found) if experiment.suggests_m and study.labels.meaningful else (),
        numbers=found,
    )


def inputs(study: Study, settings: Settings) -> Inputs:
    """Return what every experiment works on."""
    panel = None
    if _runs_models(study, {"experiment": settings.experiment}):
        panel = Panel(settings.task, tuple(study.models(settings.task)), study.results, study.vectors.encoder_key)
    found = {name: bundled_vectors(study.corpus, make_encoder(name)) for name in compared_encoders()}
    shipped: dict[str, Vectors] = {name: vectors for name, vectors in found.items() if vectors is not None}
    return Inputs(
        study.corpus,
        study.vectors,
        study.space,
        study.path,
        max(2, min(settings.m, study.path.comparable)),
        FoldPlan(settings.k),
        panel,
        shipped,
        study.store or VectorStore(),
    )


def _cautions(study: Study, notes: tuple[str, ...]) -> tuple[Caution, ...]:
    said = []
    if not study.labels.meaningful:
        said.append(MEANINGLESS)
    if notes:
        said.append(
            Caution("notes", f"{counted(len(notes), 'note')} on folds that could not be run: see the table of notes.")
        )
    return tuple(said)


@singledispatch
def headline_of(found: object, m: int) -> str:
    """Say what an experiment shows, whichever it is."""
    raise TypeError(f"no headline is known for {type(found).__name__}")


@headline_of.register
def _(found: SimilarityAgainstM, m: int) -> str:
    at = min(range(len(found.m)), key=lambda index: (abs(found.m[index] - m), index))
    hits, random = number(float(found.max.hits[at]), ".2f"), found.max.random
    beside = f" and {number(float(random[:, at].mean()), '.2f')} in random samples" if len(random) else ""
    return f"At m = {found.m[at]}, the highest train–test similarity of a fold averages {hits} under HITS{beside}."


@headline_of.register
def _(found: StabilityAgainstM, m: int) -> str:
    at = min(range(len(found.m)), key=lambda index: (abs(found.m[index] - m), index))
    hits, random = (
        float(found.hits[at][-1]),
        float(found.random_mean[at][-1]) if found.random.shape[1] else float("nan"),
    )
    if not isfinite(hits):
        return f"At m = {found.m[at]}, too few folds rank the models to measure how well they agree."
    beside = f", {number(random, '.2f')} on random samples" if isfinite(random) else ""
    return f"At m = {found.m[at]}, the mean rank agreement between folds is {number(hits, '.2f')} under HITS{beside}."


@headline_of.register
def _(found: PolicyComparison, m: int) -> str:
    first, last = found.policies[0], found.policies[-1]
    return (
        f"{first.name.capitalize()} keeps {first.share:.0%} of the documents (highest similarity {number(first.max, '.2f')}); {last.name} "
        f"keeps {last.share:.0%} ({number(last.max, '.2f')})."
    )


@headline_of.register
def _(found: EncoderComparison, m: int) -> str:
    apart = found.jaccard[~np.eye(len(found.names), dtype=bool)]
    return (
        f"The samples of two of {len(found.names)} encoders overlap by {apart.mean():.0%} on average; by chance it would be "
        f"{found.chance:.0%}."
    )


@headline_of.register
def _(found: ClosestAcross, m: int) -> str:
    closest: dict[str, list[float]] = {"hits": [], "random": []}
    for setup in dict.fromkeys(pair.setup for pair in found.pairs):
        own = [pair for pair in found.pairs if pair.setup == setup]
        closest[own[0].sampler].append(max(pair.similarity for pair in own))
    hits = f"The closest train–test pair has similarity {number(max(closest['hits'], default=float('nan')), '.2f')} under HITS"
    if not closest["random"]:
        return f"{hits}."
    return f"{hits} and {min(closest['random']):.2f} to {max(closest['random']):.2f} in random samples."


def _drawings(found: Any, given: Inputs) -> list[Callable[[], Any]]:
    kind = given.space.kind
    if isinstance(found, SimilarityAgainstM):
        return [lambda: plots.similarity_curves(found, given.m, kind=kind)]
    if isinstance(found, StabilityAgainstM):
        return [lambda: plots.stability_curves(found)]
    if isinstance(found, PolicyComparison):
        return [lambda: plots.policy_trade(found, kind=kind)]
    if isinstance(found, EncoderComparison):
        return [
            lambda: plots.encoder_overlap(found),
            lambda: plots.encoder_similarity(found, kind=kind),
        ]
    return [lambda: plots.closest_pairs(found, kind=kind)]


def _suggested(study: Study, settings: Settings, found: Any) -> tuple[str, ...]:
    averages = found.averages if isinstance(found, StabilityAgainstM) else {}
    suggestion = suggest_m(study.path, study.space, study.corpus, settings.k, study.bootstrap)
    return suggestion_lines(suggestion, k=settings.k, documents=len(study.corpus), stability=averages)


def suggestion_lines(
    found: Suggestion, *, k: int, documents: int, stability: Mapping[int, float] | None = None
) -> tuple[str, ...]:
    """Say how many topics to keep, why, and what stays."""
    if found.why == "no twins":
        why = "no two of these topics are near twins."
    elif found.why == "before twins":
        beyond, threshold = told_apart(found.beyond, found.threshold)
        why = (
            f"the closest pair has similarity {found.closest:.2f}. One more topic raises it to {beyond}, above the near-twin "
            f"threshold ({threshold})."
        )
    else:
        few = f"only {counted(found.free, 'topic')} can be kept without near twins, too few for {k} folds."
        elbow = f"Beyond this m, the closest pair's similarity ({found.closest:.2f}) rises faster."
        fewest = f"This is the smallest m that fills the folds (closest pair {found.closest:.2f})."
        why = f"{few} {elbow if found.why == 'elbow' else fewest}"
    lines = [f"Suggested m = {found.m}: {why}"]
    if found.interval is not None:
        low, high = found.interval
        lines.append(f"The most topics without near twins: {found.free} (95% CI {low}–{high}).")
    share, per_fold = found.documents / documents, found.documents / k
    lines.append(f"{found.documents:,} of {documents:,} documents stay ({share:.0%}), about {per_fold:,.0f} per fold.")
    known = {size: value for size, value in (stability or {}).items() if isfinite(value)}
    if known:
        near = min(known, key=lambda size: (abs(size - found.m), size))
        best = max(known, key=lambda size: (known[size], size))
        also = "" if best == near else f" (best: {known[best]:.2f} at m = {best})"
        lines.append(f"The mean rank agreement between folds at m = {near} is {known[near]:.2f}{also}.")
    return tuple(lines)


def _plain(rows: list[TableRow]) -> list[dict[str, Any]]:
    """Return rows as JSON takes them: nothing undefined."""
    return [
        {key: None if isinstance(value, float) and not isfinite(value) else value for key, value in row.items()}
        for row in rows
    ]


# The experiments' tables: a row per m, policy, encoder or pair


@singledispatch
def rows_of(record: object) -> list[TableRow]:
    """Return the rows of an experiment's table, whichever experiment it is."""
    raise TypeError(f"no table is known for {type(record).__name__}")


@rows_of.register
def _similarity(record: SimilarityAgainstM) -> list[TableRow]:
    rows: list[TableRow] = []
    for column, m in enumerate(record.m):
        row: TableRow = {"m": m, "folds": min(record.k, m)}
        for what, curve in (("mean", record.mean), ("max", record.max)):
            row[f"{what}, HITS"] = float(curve.hits[column])
            if len(curve.random):
                drawn = curve.random[:, column]
                row[f"{what}, random"] = float(drawn.mean())
                row[f"{what}, random, lowest"] = float(drawn.min())
                row[f"{what}, random, highest"] = float(drawn.max())
        rows.append(row)
    return rows


@rows_of.register
def _closest(record: ClosestAcross) -> list[TableRow]:
    return [
        {"setup": pair.setup, "train topic": pair.train, "test topic": pair.test, "similarity": pair.similarity}
        for pair in record.pairs
    ]


@rows_of.register
def _stability(record: StabilityAgainstM) -> list[TableRow]:
    rows: list[TableRow] = []
    seeds, means = record.random.shape[1], record.random_mean
    for index, m in enumerate(record.m):
        setups = {"HITS": record.hits[index]} | ({f"random, mean of {seeds}": means[index]} if seeds else {})
        for name, values in setups.items():
            cells = zip([*record.labels.values(), AVERAGE], values.tolist(), strict=True)
            rows.append({"m": m, "folds": min(record.k, m), "setup": name, **dict(cells)})
    return rows


@rows_of.register
def _policies(record: PolicyComparison) -> list[TableRow]:
    rows: list[TableRow] = []
    for outcome in record.policies:
        row: TableRow = {
            "policy": outcome.name,
            "topics merged": outcome.merged,
            "topics dropped": outcome.dropped,
            "documents": outcome.documents,
            "share of documents": outcome.share,
            "mean similarity": outcome.mean,
            "max similarity": outcome.max,
        }
        if outcome.authors is not None:
            row["authors"] = outcome.authors
        rows.append(row | _labelled(outcome.stability, record.labels))
    return rows


@rows_of.register
def _encoders(record: EncoderComparison) -> list[TableRow]:
    common = record.names.index(record.reference)
    mean_there, max_there = f"mean, {record.reference} space", f"max, {record.reference} space"
    rows: list[TableRow] = []
    for index, name in enumerate(record.names):
        row: TableRow = {
            "encoder": name,
            "mean, own space": float(record.mean[index, index]),
            "max, own space": float(record.max[index, index]),
            mean_there: float(record.mean[index, common]),
            max_there: float(record.max[index, common]),
            "topics shared with others": float(np.delete(record.jaccard[index], index).mean()),
            "agreement with other paths": float(np.delete(record.agreement[index], index).mean()),
        }
        rows.append(row | (_labelled(record.stability[index], record.labels) if record.stability else {}))
    if record.random_samples:
        rows.append(
            {
                "encoder": f"random, mean of {record.random_samples}",
                mean_there: float(record.mean[-1, common]),
                max_there: float(record.max[-1, common]),
            }
        )
    return rows


def _labelled(values: Mapping[str, float], labels: Mapping[str, str]) -> TableRow:
    """Return ranking stability under the metrics' labels, the average last; nothing where no model was run."""
    row: TableRow = {label: values[key] for key, label in labels.items()}
    return row | ({AVERAGE: values[AVERAGE]} if values else {})
