"""Which model is best, and is that stable?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..arrays import Floats, Interval, record
from ..errors import SettingError
from ..evaluation import TASKS, fold_scores, score_table
from ..formats import ABSENT, counted, defined, listed, number
from ..plots import ranking as plots
from ..render import Answer, Caution, Drawing, Fact, Level, Rows
from ..statistics import (
    FEWEST_SIGNS,
    Lead,
    common_folds,
    compare_setups,
    lead,
    placebo_counts,
    rank_among,
    rank_models,
    stability_interval,
)
from ..study import Study
from .runs import (
    MEANINGLESS,
    SampledRuns,
    baseline_rows,
    calibration_of_scores,
    frequent_authors,
    number_of_folds,
    pairing_of_texts,
    random_samples,
    references_of,
    sampled_runs,
    skipped_rows,
    task_of_models,
    topics_kept,
)
from .settings import Settings as Base
from .settings import choice, several
from .wording import works

NAME, LABEL, QUESTION = "ranking", "Ranking", "Which model is best, and is that stable?"
HELP = "Rank models on the topics HITS keeps and on random samples of the same size."
METHODS = (
    "The same models were run on the topics HITS keeps and on random samples of the same size. Stability is the mean Spearman ρ "
    "between the rankings of two folds (Sawatphol et al. 2024), with a jackknife interval over folds. Models are ranked on the "
    "folds that all of them have. A model is best if a Wilcoxon signed-rank test over folds puts every other model behind it (each "
    "p ≤ .05). Models that are not behind the first after Holm's correction are too close to call."
)
MOST_NAMED = 3
LEVEL = 0.05
NO_WIDTH = 1e-9
STABILITY_NOTE = (
    "Mean Spearman ρ between the rankings of two folds. No interval: too few folds for one, or all agree equally."
)

RankReading = Literal["winner", "close", "same", "nothing"]


def _usual_metric(study: Study, chosen: Mapping[str, Any]) -> str:
    task = TASKS[chosen["task"]]
    return "overall" if "overall" in task.metrics(study.corpus) else task.default_metric


@dataclass(frozen=True)
class Settings(Base):
    """What is ranked."""

    task: str = task_of_models()
    m: int = topics_kept()
    k: int = number_of_folds()
    metric: str = choice(
        "Rank by",
        lambda study, chosen: TASKS[chosen["task"]].metrics(study.corpus),
        default=_usual_metric,
        key="rank_{task}",
        help="The score that ranks the models.",
    )
    models: tuple[str, ...] = several(
        "Models",
        lambda study, chosen: study.models(chosen["task"], by_choice=True) | study.own_models(chosen["task"]),
        refusal=lambda study, chosen, name: study.why_no_model(chosen["task"], name),
        key="{question}_models_{task}",
        more=True,
        help="At least two; all usual ones by default.",
    )
    samples: int = random_samples(key="samples")
    pairs: str = pairing_of_texts()
    calibration: str = calibration_of_scores()
    authors: int = frequent_authors(lambda _, chosen: not TASKS[chosen["task"]].asks_pairs)


@record
class Ranked:
    """The scores that are ranked, and what follows from them."""

    runs: SampledRuns
    models: tuple[str, ...]  # labels
    metrics: Mapping[str, str]  # by name and label
    metric: str
    values: Mapping[str, tuple[Floats, ...]]  # by metric, a table (models × folds) a sample, HITS first
    lead: Lead  # under HITS
    stability: tuple[tuple[float, float, float], ...]  # mean and 95% interval of every sample

    @property
    def tables(self) -> tuple[Floats, ...]:
        """Return the scores that are ranked, HITS first."""
        return self.values[self.metric]

    @property
    def samples(self) -> list[str]:
        """Return the samples' names."""
        return [setup.name for setup in self.runs.setups]


def answer(study: Study, settings: Settings) -> Answer:
    """Answer which model is best under HITS, and whether folds and random samples agree."""
    if len(settings.models) == 1:
        raise SettingError("Choose at least two models to rank.")
    found = _ranked(study, settings)
    label, cautions = found.metrics[found.metric], [] if study.labels.meaningful else [MEANINGLESS]
    cautions += [*_few_folds(found.tables[0]), *_missing_folds(found.tables[0], found.models)]
    seeds = f"0 for HITS, folds and pairs; 0 to {settings.samples - 1} for random samples"
    return Answer(
        NAME,
        QUESTION,
        level_of(found.tables),
        headline(found.tables[0], found.models, metric=label),
        reasons(found.tables, found.models),
        (*cautions, *found.runs.skipped()),
        _facts(found),
        (_drawing(found),),
        (
            _ranks(found),
            _stability(found),
            _against_random(found),
            baseline_rows(found.runs.with_corpora),
            *skipped_rows(found.runs.by_sample),
        ),
        lambda: _data(found, settings),
        (*settings.but(models=tuple(found.runs.models)).rows(study), ("Seeds", seeds)),
        METHODS,
        (*works("hits"), *references_of(found.runs.evaluations)),
        numbers=found,
        hero=_facts(found)[0],
    )


def _ranked(study: Study, settings: Settings) -> Ranked:
    runs = sampled_runs(
        study,
        task=settings.task,
        m=settings.m,
        k=settings.k,
        samples=settings.samples,
        models=settings.models,
        pairs=settings.pairs,
        calibration=settings.calibration,
        authors=settings.authors,
    )
    metrics = TASKS[settings.task].metrics(study.corpus)
    scores = [fold_scores(each, setup.corpus) for setup, each in zip(runs.setups, runs.evaluations, strict=True)]
    values = {name: tuple(score_table(one, name) for one in scores) for name in metrics}
    tables = values[settings.metric]
    stability = tuple(stability_interval(table) for table in tables)
    labels = tuple(runs.models.values())
    return Ranked(runs, labels, metrics, settings.metric, values, lead(tables[0]), stability)


def reading_of(scores: Floats) -> RankReading:
    """Return what the scores under HITS (models × folds) allow one to say."""
    known = np.isfinite(scores)
    if known.any(axis=1).sum() < 2:
        return "nothing"
    if lead(scores).winner is not None:
        return "winner"
    both = scores[:, known.all(axis=0)]
    return "same" if both.size and bool((both == both[0]).all()) else "close"


def level_of(tables: Sequence[Floats]) -> Level:
    """Return "good" for a winner that is also best on most random samples."""
    reading = reading_of(tables[0])
    if reading != "winner":
        return "unknown" if reading == "nothing" else "neutral"
    same, ranked = best_on_random(tables)
    return "good" if 2 * same > ranked else "warning"


def headline(scores: Floats, models: Sequence[str], *, metric: str) -> str:
    """Name the best model by its scores under HITS (models × folds), if there is one."""
    reading, ahead = reading_of(scores), [models[index] for index in lead(scores).models]
    if reading == "nothing":
        return f"No ranking. {f'Only {ahead[0]}' if ahead else 'No model'} could be run on the HITS folds."
    if reading == "same":
        return f"Too close to call. All {len(models)} models have the same {metric} in every HITS fold."
    if reading == "winner":
        return f"{ahead[0]} has the highest {metric} in {_first_in(scores, models.index(ahead[0]))}."
    others = ahead[1:]
    who = listed(others) if len(others) <= MOST_NAMED else f"{len(others)} other models"
    verb = "is" if len(others) == 1 else "are"
    return f"Too close to call. {who} {verb} not significantly behind {ahead[0]} by {metric} under HITS."


def _first_in(scores: Floats, model: int) -> str:
    ranked = common_folds(scores)
    first = int((scores[model] == np.nanmax(np.where(ranked, scores, -np.inf), axis=0))[ranked].sum())
    folds = int(ranked.sum())
    return f"all {folds} HITS folds" if first == folds else f"{first} of {folds} HITS folds and is significantly ahead"


def reasons(tables: Sequence[Floats], models: Sequence[str]) -> tuple[str, ...]:
    """Say how well the folds agree, and whether random samples have the same best model."""
    if reading_of(tables[0]) == "nothing":
        return ()
    best = models[lead(tables[0]).models[0]]
    same, ranked = best_on_random(tables)
    if not len(tables[1:]):
        return (_agreement(tables[0]),)
    if not ranked:
        return _agreement(tables[0]), "No random sample could be ranked."
    also = f", but on none of {ranked}" if not same else f" and on {'all' if same == ranked else f'{same} of'} {ranked}"
    return _agreement(tables[0]), f"{best} has the best mean rank under HITS{also} random samples."


def _agreement(scores: Floats) -> str:
    mean, low, high = stability_interval(scores)
    if isnan(mean):
        return "Too few folds rank the models to measure how well they agree."
    if low == high == 1:
        return f"All {scores.shape[1]} folds rank the models in the same order."
    interval = "too few folds for a confidence interval" if _no_interval(low, high) else f"95% CI {_ends((low, high))}"
    return f"The mean rank agreement between two folds is {number(mean, '.2f')} (Spearman's ρ, {interval})."


def _no_interval(low: float, high: float) -> bool:
    """Return whether the folds are too few for an interval: one without width says nothing of other folds."""
    return isnan(low) or high - low < NO_WIDTH


def _shown_ends(ends: Interval) -> Interval:
    """Return the ends of an interval, or nothing where the folds are too few for one."""
    return (float("nan"), float("nan")) if _no_interval(*ends) else ends


def _ends(ends: Interval) -> str:
    return f"{number(ends[0], '.2f')} to {number(ends[1], '.2f')}"


def best_on_random(tables: Sequence[Floats]) -> tuple[int, int]:
    """Return on how many random samples the best model under HITS has the best mean rank too, and how many are ranked."""
    ahead = lead(tables[0]).models
    means = [mean for mean in (rank_models(table).mean for table in tables[1:]) if np.isfinite(mean).any()]
    return sum(bool(mean[ahead[0]] == np.nanmin(mean)) for mean in means) if ahead else 0, len(means)


def _few_folds(scores: Floats) -> list[Caution]:
    folds = int(common_folds(scores).sum())
    if reading_of(scores) == "nothing" or folds >= FEWEST_SIGNS:
        return []
    few = counted(folds, "fold", "is", "are")
    return [Caution("few-folds", f"{few} too few to name a best model. It takes at least {FEWEST_SIGNS}.")]


def _missing_folds(scores: Floats, models: Sequence[str]) -> list[Caution]:
    """Say that models are ranked on the folds that all of them have, where some have fewer."""
    common, folds = common_folds(scores), np.isfinite(scores).any(axis=0)
    if common.sum() == folds.sum():
        return []
    known = np.isfinite(scores)
    fewer = [model for model, here in zip(models, known, strict=True) if here.any() and here.sum() < folds.sum()]
    said = f"{listed(fewer)} {'has' if len(fewer) == 1 else 'have'} no score in some folds."
    which = "No fold has a score of every model, so none is ranked."
    if common.any():
        which = f"Models are ranked on the {common.sum()} of {folds.sum()} folds that all of them have."
    return [Caution("folds-missing", f"{said} {which}")]


def _facts(found: Ranked) -> tuple[Fact, ...]:
    (mean, low, high), *random = found.stability
    known = [each[0] for each in random if isfinite(each[0])]
    spread = f"{_ends((min(known), max(known)))} over {len(known)} samples" if known else "no sample can be ranked"
    if known and f"{min(known):.2f}" == f"{max(known):.2f}":
        spread = f"the same in all {len(known)} samples"
    interval = "too few folds for an interval" if _no_interval(low, high) else f"95% CI {_ends((low, high))}"
    names = [found.models[index] for index in found.lead.models]
    close = f"{len(names)} of {len(found.models)} models" if names else "no model was run"
    return (
        Fact(
            "Stability under HITS",
            number(mean, ".2f"),
            "the same in every fold" if low == high == 1 else interval,
            "Mean Spearman ρ between the rankings of two folds. Folds share training documents, so the interval may be too narrow.",
        ),
        Fact("Stability on random samples", number(_mean(known), ".2f"), spread, "The mean over the random samples."),
        Fact(
            "Best mean rank under HITS",
            names[0] if len(names) == 1 else "Too close to call" if names else ABSENT,
            "ahead of every other model" if len(names) == 1 else close,
            "One model is named where a Wilcoxon test over folds puts every other model behind it (each p ≤ .05).",
        ),
    )


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else float("nan")


def _drawing(found: Ranked) -> Drawing:
    rankings = {name: rank_models(table) for name, table in zip(found.samples, found.tables, strict=True)}
    blank = any((np.isnan(each.ranks) & ~np.isnan(each.ranks).all(axis=0)).any() for each in rankings.values())
    label = found.metrics[found.metric]
    return Drawing(
        "ranks",
        "Rank of each model in each fold (1 is best)",
        lambda: plots.ranks(rankings, list(found.models)),
        f"Blank: {label} is undefined for that model there. Its mean rank leaves the fold out." if blank else "",
        lead=True,
    )


def _ranks(found: Ranked) -> Rows:
    def make() -> pd.DataFrame:
        hits, pooled = rank_models(found.tables[0]), rank_models(np.concatenate(found.tables[1:], axis=1))
        return pd.DataFrame(
            {
                "model": list(found.models),
                "mean rank, HITS": hits.mean,
                "SD, HITS": hits.sd,
                "95% CI from": found.lead.low,
                "to": found.lead.high,
                "mean rank, random samples": pooled.mean,
                "SD, random samples": pooled.sd,
            }
        )

    return Rows("mean_ranks", "Mean ranks", make, precision=1, lead=True)


def _stability(found: Ranked) -> Rows:
    def make() -> pd.DataFrame:
        rows = []
        for name, label in found.metrics.items():
            (mean, *ends), *random = (stability_interval(table) for table in found.values[name])
            low, high = _shown_ends((ends[0], ends[1]))
            known = [each[0] for each in random if isfinite(each[0])]
            rows.append(
                {"metric": label, "HITS": mean, "95% CI from": low, "to": high, "random, mean": _mean(known)}
                | {sample: each[0] for sample, each in zip(found.samples[1:], random, strict=True)}
            )
        return pd.DataFrame(rows)

    return Rows("stability", "Stability by metric", make, STABILITY_NOTE)


def _against_random(found: Ranked) -> Rows:
    def make() -> pd.DataFrame:
        keys = [(index, name) for index in range(len(found.models)) for name in found.metrics]
        samples = {key: [table[key[0]] for table in found.values[key[1]]] for key in keys}
        compared = compare_setups(
            {key: hits for key, (hits, *_) in samples.items()},
            {key: np.concatenate(random) for key, (_, *random) in samples.items()},
        )
        rows = []
        for (index, name), result in compared.items():
            hits, *random = (_mean(each[np.isfinite(each)].tolist()) for each in samples[index, name])
            called, judged = placebo_counts(samples[index, name][1:])
            rows.append(
                {
                    "model": found.models[index],
                    "metric": found.metrics[name],
                    "HITS": result.mean_a,
                    "random": result.mean_b,
                    "difference": result.difference,
                    "HITS among the samples": rank_among(hits, random).sentence,
                    "t": result.statistic,
                    "p (Holm)": result.adjusted,
                    "random samples called different": called if judged else None,
                    "of": judged,
                }
            )
        return pd.DataFrame(rows)

    called, judged = placebo_counts(found.tables[1:], alpha=LEVEL)
    label, samples = found.metrics[found.metric], len(found.samples)
    known = (
        f" By {label}, without the correction, it calls a random sample different from the others in {called} of {judged} "
        f"comparisons ({called / judged:.0%}). 5% would be right."
        if judged
        else ""
    )
    note = (
        "Every fold counts equally, as in the paper. The page Folds & accuracy weights them by documents. The paper's unpaired "
        "t-test over folds gives t and p, with Holm's correction over the rows of this table. Folds share documents, so the test "
        f"may give too many false alarms.{known} The rank of HITS among the samples assumes nothing, but by chance alone HITS is "
        f"lowest {1 / samples:.0%} of the time."
    )
    return Rows(
        "hits_against_random",
        "HITS against random",
        make,
        note,
        formats={"p (Holm)": ".2g", "random samples called different": ".0f"},
    )


def _data(found: Ranked, settings: Settings) -> dict[str, Any]:
    ranks = {name: rank_models(table) for name, table in zip(found.samples, found.tables, strict=True)}
    return {
        "reading": reading_of(found.tables[0]),
        "best": [found.models[index] for index in found.lead.models],
        "settings": settings.as_json(),
        "mean_ranks": {
            name: {model: defined(each) for model, each in zip(found.models, ranking.mean, strict=True)}
            for name, ranking in ranks.items()
        },
        "stability": {
            name: {"mean": defined(mean), "interval": [defined(end) for end in _shown_ends((low, high))]}
            for name, (mean, low, high) in zip(found.samples, found.stability, strict=True)
        },
    }
