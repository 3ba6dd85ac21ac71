"""Do models score higher where training is more similar? Asked of one run, topic by topic."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache, partial
from math import isfinite, isnan, nan
from typing import Any

import numpy as np
import pandas as pd

from ..arrays import Floats, record
from ..corpora import Corpus
from ..evaluation import (
    TASKS,
    Baselines,
    Evaluation,
    ExposedTopic,
    ExposureMatrix,
    Reliability,
    Score,
    adjusted_p,
    chance_level,
    exposed_topics,
    exposure_matrix,
    fold_baselines,
    fold_scores,
    mean_baselines,
    metric_labels,
    relations,
    reliability,
    score_table,
    skipped_folds,
    summarise,
    topic_intervals,
    topic_scores,
)
from ..formats import counted, defined, listed, number, said_p
from ..plots import accuracy as plots
from ..render import Answer, Caution, Drawing, Fact, Level, Rows
from ..statistics import FEWEST_SIGNS, Relation, WeightedSummary, common_folds, detectable_rho, lead
from ..study import Study
from ..topics import cluster_order
from .notes import sentences_of
from .runs import (
    ModelRun,
    RunSettings,
    baseline_facts,
    label_cautions,
    references_of,
    run,
    skipped_cautions,
    skipped_rows,
)
from .wording import works

NAME, LABEL = "accuracy", "Folds & accuracy"
QUESTION = "Do models score higher where training is more similar?"
HELP = "Run models on folds and compare each topic's score with the similarity of its nearest training topic."
METHODS = (
    "Every model was fitted on the training side of every fold and asked about the test side. Scores are means over folds weighted by "
    "documents, with the standard error of a weighted mean (Schein et al. 2010). Score and similarity are related by Spearman's ρ over "
    "test topics, with p after Holm's correction (1979) for the number of models."
)
Settings = RunSettings

LEVEL = 0.05
FEW_TOPICS = 10  # below this only a very strong link can be significant
NARROW = 0.1  # nearest similarities that span less cannot show a link
FEW_NAMES = 2  # models named in the headline
FITTING, PAGE = 26, 40  # rows of a chart that fits a screen, and of one page of rows
RHO = "Spearman's ρ over test topics: how the score rises with the similarity of the nearest training topic; p is corrected for the number of models."


@record
class TopicByTopic:
    """A run with every test topic's similarity and scores."""

    run: ModelRun
    rows: tuple[ExposedTopic, ...]  # the most exposed first
    relations: Mapping[str, Relation]  # score and similarity, by model
    p: Mapping[str, float]  # of the relations, after Holm's correction
    summary: Mapping[str, WeightedSummary]  # over folds, by model
    chance: float  # the score without reading a text; NaN where there is none
    meaningful: bool  # the labels separate the texts

    @property
    def nearest(self) -> list[float]:
        """Return the known similarities of the nearest training topics."""
        return [row.nearest_similarity for row in self.rows if not isnan(row.nearest_similarity)]


def measure(study: Study, settings: RunSettings) -> TopicByTopic:
    """Compare every test topic's score with the similarity of its nearest training topic."""
    made = run(study, settings)
    corpus, evaluation, metric = made.setup.corpus, made.evaluation, made.metric
    intervals = topic_intervals(evaluation, corpus, metric=metric)
    rows = exposed_topics(corpus, made.leakage, topic_scores(evaluation, corpus), metric=metric, intervals=intervals)
    found = relations(rows)
    return TopicByTopic(
        made,
        rows,
        found,
        adjusted_p(found),
        summarise(fold_scores(evaluation, corpus), metric),
        chance_level(evaluation, corpus, metric=metric),
        study.labels.meaningful,
    )


def answer(study: Study, settings: RunSettings) -> Answer:
    """Answer whether scores rise with the similarity of the nearest training topic."""
    found = measure(study, settings)
    evaluation, corpus = found.run.evaluation, found.run.setup.corpus
    level, headline, reasons = reading(found)
    return Answer(
        NAME,
        QUESTION,
        level,
        headline,
        reasons,
        (*label_cautions(corpus), *cautions(found), *skipped_cautions(evaluation)),
        (*_facts(found), *baseline_facts(evaluation, corpus)),
        _figures(found),
        (_models(found), _topics(study, found), _fits(found.run), *skipped_rows({found.run.setup.name: evaluation})),
        lambda: _data(study, found),
        found.run.settings.rows(study),
        METHODS,
        (*works("novel", "holm"), *references_of([evaluation])),
        numbers=found,
        hero=_hero(found),
    )


# Sentences


def reading(found: TopicByTopic) -> tuple[Level, str, tuple[str, ...]]:
    """Return the level, the headline and the reasons."""
    models, metric = found.run.models, found.run.metric_label
    known = [name for name in models if not isnan(found.relations[name].rho)]
    if not found.meaningful:
        return "unknown", "The labels do not separate these texts, so similarity between topics means nothing here.", ()
    if not known:
        return (
            "unknown",
            "Inconclusive. Too few test topics have both a score and a similarity, or these do not vary.",
            (),
        )
    told = [name for name in known if found.p[name] <= LEVEL]
    rising = [name for name in told if found.relations[name].rho > 0]
    falling = [name for name in told if name not in rising]
    if not told:
        return _nothing_shown(found, known)
    said = []
    if falling and rising:
        said.append(f"For {_named(falling, found)} it falls, which leakage does not explain.")
    if rest := [models[name] for name in known if name not in told]:
        said.append(f"{listed(rest)} {'shows' if len(rest) == 1 else 'show'} no significant link.")
    if rising:
        said.append("Topics also differ in their authors, so a rise suggests leakage but does not prove it.")
        return "warning", f"Yes. {_of(metric, rising, found)} rises with similarity to training.", tuple(said)
    return (
        "neutral",
        f"No. {_of(metric, falling, found)} falls with similarity to training, which leakage does not explain.",
        tuple(said),
    )


def _nothing_shown(found: TopicByTopic, known: Sequence[str]) -> tuple[Level, str, tuple[str, ...]]:
    """Return the reading where no model's score goes with similarity."""
    topics = max(found.relations[name].n for name in known)
    least = f"smallest {said_p(min(found.p[name] for name in known))}"
    span = max(found.nearest) - min(found.nearest)
    if span < NARROW:
        return (
            "unknown",
            f"Inconclusive. Nearest similarities span only {span:.2g}, too little for this chart to show a link.",
            (f"No link between similarity and {found.run.metric_label} is significant ({least}).",),
        )
    missed = detectable_rho(topics)
    reasons = (
        ()
        if isnan(missed)
        else (f"With {topics:,} topics, a correlation below about ρ = {missed:.2g} could be missed (80% power).",)
    )
    return (
        "neutral",
        f"No significant link between similarity and {found.run.metric_label} across {topics:,} topics ({least}).",
        reasons,
    )


def _of(metric: str, names: Sequence[str], found: TopicByTopic) -> str:
    """Name the models whose score is meant, such as "Accuracy of TopicFit (ρ = +0.60)"."""
    metric = metric if metric in ("c@1",) else f"{metric[0].upper()}{metric[1:]}"
    if len(names) <= FEW_NAMES:
        return f"{metric} of {_named(names, found)}"
    values = sorted(found.relations[name].rho for name in names)
    return f"{metric} of {len(names)} of {len(found.run.models)} models (ρ {values[0]:+.2f} to {values[-1]:+.2f})"


def _named(names: Sequence[str], found: TopicByTopic) -> str:
    return listed([f"{found.run.models[name]} (ρ = {found.relations[name].rho:+.2f})" for name in names])


def cautions(found: TopicByTopic) -> tuple[Caution, ...]:
    """Say what weakens the answer."""
    nearest = found.nearest
    if not found.meaningful or not nearest:
        return ()
    said = []
    values, counts = np.unique(np.round(nearest, 6), return_counts=True)
    tied = int(counts.max())
    if 3 <= len(nearest) < FEW_TOPICS:
        said.append(
            ("few-topics", f"With {counted(len(nearest), 'test topic')}, only a very strong link can be significant.")
        )
    span = max(nearest) - min(nearest)
    if span < NARROW and any(each <= LEVEL for each in found.p.values()):  # else the headline says it
        said.append(
            (
                "narrow-similarities",
                f"Nearest similarities span only {span:.2g}, so the link may have another cause.",
            )
        )
    if len(nearest) >= 3 and tied > len(nearest) / 2:
        rest = len(nearest) - tied
        most = (
            f"{tied:,} of {len(nearest):,} test topics have the same nearest similarity ({values[counts.argmax()]:.2f})"
        )
        said.append(("tied-similarities", f"{most}, so the other {rest:,} decide." if rest else f"{most}."))
    weak = [found.run.models[name] for name, each in found.summary.items() if each.mean <= found.chance]
    if weak:
        does = "scores" if len(weak) == 1 else "score"
        said.append(("no-better-than-chance", f"{listed(weak)} {does} no better than guessing ({found.chance:.2f})."))
    return tuple(Caution(code, text) for code, text in said)


# Facts, figures and tables


def _facts(found: TopicByTopic) -> tuple[Fact, ...]:
    """Return each model's mean and how it goes with similarity."""
    folds = len(found.run.folds)
    return tuple(
        Fact(
            f"{label}: {found.run.metric_label}",
            number(found.summary[name].mean),
            f"{found.summary[name].n} of {folds} folds · {_link(found, name)}",
            f"Mean over folds, weighted by documents. {RHO}",
        )
        for name, label in found.run.models.items()
    )


def _link(found: TopicByTopic, name: str) -> str:
    """Return how a model's score goes with similarity, such as "ρ = +0.48, p = .06"."""
    rho = found.relations[name].rho
    return "ρ unknown" if isnan(rho) else f"ρ = {number(rho, '+.2f')}, {said_p(found.p[name])}"


def _hero(found: TopicByTopic) -> Fact | None:
    """Return the strongest link between score and similarity."""
    known = [name for name in found.run.models if not isnan(found.relations[name].rho)]
    if not found.meaningful or not known:
        return None
    name = min(known, key=lambda name: found.p[name])
    rho = number(found.relations[name].rho, "+.2f")
    return Fact("Strongest link (ρ)", rho, f"{found.run.models[name]}, {said_p(found.p[name])}", RHO)


def _figures(found: TopicByTopic) -> tuple[Drawing, ...]:
    made, space = found.run, found.run.setup.space
    shown = rows_shown(found.rows)
    drawn: dict[str, Any] = {"models": made.models, "metric": made.metric_label, "focus": None}
    left_out = len(found.rows) - len([row for row in shown if row is not None])
    return (
        Drawing(
            "topics",
            "Test topics, the most exposed first",
            partial(
                plots.exposed_rows,
                space,
                shown,
                chance=found.chance,
                left_out=left_out,
                whose=whose(made.setup.corpus),
                **drawn,
            ),
            rows_caption(shown, metric=made.metric_label, chance=found.chance),
            lead=True,
        ),
        Drawing(
            "scatter",
            "Score by similarity",
            partial(plots.accuracy_against_similarity, space, found.rows, found.relations, **drawn),
            "A point is one model on one test topic. Dotted lines are fitted to ranks.",
        ),
        Drawing(
            "matrix",
            "Test topics and their training topics",
            lambda: plots.train_test_matrix(space, topic_matrix(found)),
            matrix_caption(made),
        ),
    )


def whose(corpus: Corpus) -> str:
    """Return what the largest share of a topic's documents has in common."""
    return "by one author" if corpus.class_word == "author" else f"of one {corpus.class_word}"


def rows_caption(rows: Sequence[ExposedTopic | None], *, metric: str, chance: float) -> str:
    """Say what bars, lines and dashes of the chart of topics are."""
    known = [row for row in rows if row is not None]
    said = ["Bars: similarity of the nearest training topic."]
    if any(row.intervals for row in known):
        said.append("Lines through marks: 95% intervals, assuming a topic's questions are independent.")
    else:
        said.append(f"{metric} of one topic has no interval.")
    if isfinite(chance):
        said.append(f"Dashed: always guessing the most common answer ({chance:.2f}).")
    if not all(row.nearest for row in known):
        said.append("Topics without a bar have too few documents to compare.")
    return " ".join(said)


def topic_matrix(found: TopicByTopic) -> ExposureMatrix:
    """Return the similarity of every test topic to the training topics of its fold."""
    space = found.run.setup.space
    return exposure_matrix(space, found.run.folds, found.rows, cluster_order(space.similarity))


def matrix_caption(made: ModelRun) -> str:
    """Say how similar training and test topics are."""
    leakage = made.leakage
    return (
        f"Mean similarity of training and test topics {leakage.average_mean:.3f}, highest {leakage.average_max:.3f} (averages over "
        "folds). Blank: not in that topic's training set."
    )


def rows_shown(
    rows: Sequence[ExposedTopic], focus: int | None = None, *, start: int | None = None
) -> list[ExposedTopic | None]:
    """Return a page of rows from `start`, or by default all that fit, else both ends of those that have a similarity.

    A gap is None. The topic in focus is always among them.
    """
    if start is not None:
        places = list(range(start, min(start + PAGE, len(rows))))
    elif len(rows) <= FITTING:
        places = list(range(len(rows)))
    else:
        compared, half = compared_rows(rows), FITTING // 2
        places = [*range(min(half, compared)), *range(max(compared - half, 0), compared)]
    places = sorted({*places, *(place for place, row in enumerate(rows) if row.topic == focus)})
    shown: list[ExposedTopic | None] = []
    for before, place in zip([places[0] - 1, *places] if places else [], places, strict=False):
        shown += [None, rows[place]] if place > before + 1 else [rows[place]]
    return shown


def compared_rows(rows: Sequence[ExposedTopic]) -> int:
    """Return how many rows have a nearest training topic, which come first; all of them where none has."""
    return sum(bool(row.nearest) for row in rows) or len(rows)


def _models(found: TopicByTopic) -> Rows:
    made = found.run

    def make() -> pd.DataFrame:
        return pd.DataFrame(
            [
                {"model": label, made.metric_label: found.summary[name].mean}
                | fold_columns(found.summary[name], len(made.folds))
                | {
                    "ρ": found.relations[name].rho,
                    "ρ low": found.relations[name].low,
                    "ρ high": found.relations[name].high,
                    "p (Holm)": found.p[name],
                    "topics": found.relations[name].n,
                }
                for name, label in made.models.items()
            ]
        )

    return Rows(
        "model_scores",
        "Models",
        make,
        "se: σ√V2 over folds; beside it the σ/√n of Schein et al. Effective folds: how many equal folds would be as precise. "
        "ρ: rank correlation of score and similarity, with a 95% interval for each model by itself.",
        formats={"effective folds": ".1f", "ρ": "+.2f", "ρ low": "+.2f", "ρ high": "+.2f"},
        lead=True,
    )


def fold_columns(summary: WeightedSummary, folds: int, side: str = "") -> dict[str, object]:
    """Return the spread and errors of a mean over folds, as columns."""
    return {
        f"{side}folds": f"{summary.n} of {folds}",
        f"{side}effective folds": summary.effective,
        f"{side}sd": summary.sd,
        f"{side}se": summary.se,
        f"{side}se, Schein": summary.paper_se,
    }


def _topics(study: Study, found: TopicByTopic) -> Rows:
    names, space = found.run.setup.corpus.topic_names, found.run.setup.space

    def interval(row: ExposedTopic) -> dict[str, float]:
        nearest = row.nearest[0] if row.nearest else row.topic
        return dict(zip(("95% CI from", "to"), study.similarity_interval(space, row.topic, nearest), strict=True))

    def make() -> pd.DataFrame:
        return pd.DataFrame(
            [
                {
                    "fold": row.fold + 1,
                    "topic": names[row.topic],
                    "documents": row.documents,
                    "largest author's share": row.largest_author_share,
                    "nearest training topic": names[row.nearest[0]] if row.nearest else "",
                    "similarity": row.nearest_similarity,
                }
                | interval(row)
                | {label: row.values[name] for name, label in found.run.models.items()}
                for row in found.rows
            ]
        )

    return Rows("topic_scores", "Test topics", make)


def _fits(made: ModelRun) -> Rows:
    def make() -> pd.DataFrame:
        return pd.DataFrame(
            [
                {"model": made.models[each.model], "fold": each.fold + 1, "notes": " ".join(each.notes)}
                for each in made.evaluation.runs
            ]
        )

    return Rows("fits", "What each fit chose", make, most=20)


# Data


def _data(study: Study, found: TopicByTopic) -> dict[str, Any]:
    """Return what `evaluate --json` prints, and how scores go with similarity."""
    made, corpus = found.run, found.run.setup.corpus
    notes = (
        *study.vectors.notes,
        *sentences_of(made.folds.notes),
        *(each.text for each in skipped_cautions(made.evaluation)),
    )
    similarity = {
        name: {"rho": defined(each.rho), "low": defined(each.low), "high": defined(each.high)}
        | {"p": defined(found.p[name]), "topics": each.n}
        for name, each in found.relations.items()
    }
    return evaluation_data(made.evaluation, corpus) | {"similarity": similarity, "notes": list(dict.fromkeys(notes))}


def evaluation_data(evaluation: Evaluation, corpus: Corpus) -> dict[str, Any]:
    """Return scores, their means, baselines and skipped folds; for pairs also how well answers are calibrated."""
    scores = fold_scores(evaluation, corpus)
    summaries = {metric: summarise(scores, metric) for metric in metric_labels(evaluation, corpus)}
    data: dict[str, Any] = {
        "scores": [_score_data(score, corpus) for score in scores],
        "summary": {
            model: {metric: _summary_data(by_model[model]) for metric, by_model in summaries.items()}
            for model in evaluation.models
        },
        "baselines": _baseline_data(mean_baselines(evaluation, corpus))
        | {"folds": [_baseline_data(each) for each in fold_baselines(evaluation, corpus)]},
        "skipped": [
            {"fold": each.fold, "models": list(each.models), "reason": each.reason}
            for each in skipped_folds(evaluation)
        ],
    }
    if TASKS[evaluation.task].asks_pairs:
        data |= {"pairs": evaluation.pairing, "calibration": evaluation.calibration}
        data["reliability"] = {model: reliability_data(reliability(evaluation, model)) for model in evaluation.models}
    return data


def evaluation_answer(evaluation: Evaluation, corpus: Corpus, notes: Sequence[str]) -> Answer:
    """Answer what models score on folds made elsewhere: means first, then every fold."""
    metrics = metric_labels(evaluation, corpus)
    scores = fold_scores(evaluation, corpus)

    def means() -> pd.DataFrame:
        found = {metric: summarise(scores, metric) for metric in metrics}
        rows = [
            {"model": evaluation.label(name)} | {label: found[metric][name].mean for metric, label in metrics.items()}
            for name in evaluation.models
        ]
        return pd.DataFrame(rows)

    def every_fold() -> pd.DataFrame:
        rows = data()["scores"]
        return pd.DataFrame(
            [{"model": evaluation.label(row["model"])} | _flat(row) | {"fold": row["fold"] + 1} for row in rows]
        )

    @cache
    def data() -> dict[str, Any]:
        return evaluation_data(evaluation, corpus) | {"notes": list(notes)}

    return Answer(
        "evaluate",
        "How well do the models do?",
        "neutral",
        standing(evaluation, corpus),
        cautions=(*label_cautions(corpus), *(Caution("run-note", note) for note in notes)),
        tables=(
            Rows("scores_mean", "Mean over folds", means, lead=True),
            Rows("scores_by_fold", "Every fold", every_fold),
        ),
        make_data=data,
    )


def _flat(score: dict[str, Any]) -> dict[str, Any]:
    """Return a score without what is no single value."""
    return {key: value for key, value in score.items() if key != "model" and not isinstance(value, dict | list)}


def standing(evaluation: Evaluation, corpus: Corpus) -> str:
    """Say who has the highest score by the task's first metric, on the folds that all models have.

    Accuracy is compared with the most common answer.
    """
    metric, label = next(iter(metric_labels(evaluation, corpus).items()))
    scores = fold_scores(evaluation, corpus)
    table = score_table(scores, metric)
    common = common_folds(table)
    compared = [score for score in scores if common[score.fold]] or scores
    labels = [evaluation.label(model) for model in evaluation.models]
    means = [summary.mean for summary in summarise(compared, metric).values()]
    majority = mean_baselines(evaluation, corpus).majority if metric == "accuracy" else nan
    return standing_sentence(table, means, labels, metric=label, majority=majority)


def standing_sentence(
    scores: Floats, means: Sequence[float], models: Sequence[str], *, metric: str, majority: float = nan
) -> str:
    """Say which model leads.

    scores: [model, fold]
    means: of each model over the folds that all have, weighted by their documents
    majority: the accuracy of the most common answer, where the metric is a share of right answers
    """
    folds, every = int(common_folds(scores).sum()), scores.shape[1]
    over = counted(folds, "fold") if folds == every else f"{folds} of {every} folds"
    beside = f" The most common answer has {majority:.3f}." if isfinite(majority) else ""
    if len(models) == 1:
        return f"{models[0]} has a mean {metric} of {means[0]:.3f} over {over}.{beside}"
    ahead = lead(scores).models
    if len(ahead) == 1 and np.isfinite(scores).any(axis=1).sum() > 1:
        (best,) = ahead
        more = "That is more than chance: by a Wilcoxon test over folds, every other model is behind (p ≤ .05)."
        return f"{models[best]} has the highest {metric}, {means[best]:.3f} on average over {over}. {more}{beside}"
    leading = ", ".join(f"{models[model]} {means[model]:.3f}" for model in ahead)
    why = f"A winner needs at least {FEWEST_SIGNS} folds." if folds < FEWEST_SIGNS else "The order may be chance."
    return f"Too close to call by {metric} over {over}: {leading}. {why}{beside}"


def _score_data(score: Score, corpus: Corpus) -> dict[str, Any]:
    topics = [corpus.topic_names[topic] for topic in score.topics]
    counts = {"documents": score.documents, "questions": score.questions}
    values = {metric: defined(value) for metric, value in score.values.items()}
    return {"model": score.model, "fold": score.fold, "topics": topics, **counts, **values}


def _summary_data(found: WeightedSummary) -> dict[str, float | None]:
    return {"mean": defined(found.mean), "sd": defined(found.sd), "se": defined(found.se)}


def _baseline_data(found: Baselines) -> dict[str, Any]:
    shares = ("majority", "seen_authors", "gap", "topic_oracle_auc")
    counts = {"questions": found.questions, "left_out": found.left_out}
    return {name: defined(getattr(found, name)) for name in shares} | counts


def reliability_data(found: Reliability) -> dict[str, Any]:
    """Return how well one model's answers are calibrated."""
    return {
        "ece": defined(found.ece),
        "ece_if_exact": defined(found.chance),
        "answered": found.answered,
        "unanswered": found.unanswered,
        "bins": [asdict(each) for each in found.bins],
    }
