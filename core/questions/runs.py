"""The runs that questions share: which models on which folds, the baselines beside them, and HITS beside random samples."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import numpy as np
import pandas as pd

from ..arrays import record
from ..corpora import Corpus, with_prolific_authors
from ..errors import LeakscopeError, SettingError
from ..evaluation import (
    FEW_AUTHORS,
    TASKS,
    Estimate,
    Evaluation,
    author_labels,
    cheapest_models,
    estimate_runs,
    has_answers,
    label_counts,
    mean_baselines,
    missing_runs,
    need_authors,
    need_topics,
    not_learnable,
    skipped_folds,
    tasks_of,
)
from ..formats import number
from ..models.verification import CALIBRATIONS, OWN
from ..render import Caution, Fact, Rows
from ..splits import FOLD_SCHEMES, PAIRINGS, Constraints, Folds, Leakage, possible_balance
from ..study import SampleFolds, Study
from ..topics import GIVEN, RANDOM_SEEDS, RENAMED_SAMPLERS, SAMPLERS, Setup, part_of_space, topic_space
from .hits import merged_from, suggested_m, topics_left_out
from .settings import Settings, choice, groups, integer, seed, several, share
from .wording import lower_first, words_of

MOST_FOLDS, USUAL_FOLDS = 20, 6


def _schemes(study: Study, _: Mapping[str, Any]) -> dict[str, str]:
    """Return the fold schemes; the corpus's own split only where it has one."""
    own = study.corpus.splits is not None
    return {name: scheme.label for name, scheme in FOLD_SCHEMES.items() if own or not scheme.needs_split}


def _samples(_: Study, chosen: Mapping[str, Any]) -> bool:
    return SAMPLERS[chosen["sampler"]].takes_m


def _topics(study: Study, chosen: Mapping[str, Any]) -> int:
    """Return how many topics take part."""
    return chosen["m"] if _samples(study, chosen) else len(study.corpus.topic_names)


def _paired(_: Study, chosen: Mapping[str, Any]) -> bool:
    return TASKS[chosen["task"]].asks_pairs


def task_of_models(**more: Any) -> Any:
    """Declare what models are asked."""
    return choice(
        "Task",
        lambda study, _: tasks_of(study.corpus),
        default="attribution",
        aliases={"classification": "attribution"},
        help="What models are asked.",
        **more,
    )


def pairing_of_texts(**more: Any) -> Any:
    """Declare how verification pairs are made."""
    return choice(
        "Pairs",
        {name: pairing.label for name, pairing in PAIRINGS.items()},
        default="matched",
        help="How verification pairs are made.",
        **{"asked": _paired, "more": True} | more,
    )


def calibration_of_scores(**more: Any) -> Any:
    """Declare how verification scores become answers."""
    return choice(
        "Calibration",
        {name: way.label for name, way in CALIBRATIONS.items()},
        default=OWN,
        help="How scores become answers.",
        **{"asked": _paired, "more": True} | more,
    )


def _authors(study: Study, _: Mapping[str, Any]) -> int:
    """Return how many authors the corpus has."""
    return int(study.corpus.known_authors.sum())


def frequent_authors(asked: Callable[[Study, Mapping[str, Any]], bool] = lambda *_: True) -> Any:
    """Declare how many of the most frequent authors a run is limited to."""
    return integer(
        "Most frequent authors",
        low=0,
        high=_authors,
        default=0,
        asked=lambda study, chosen: _authors(study, chosen) > FEW_AUTHORS and asked(study, chosen),
        option="",
        more=True,
        help="This run uses only their texts; 0 uses all.",
    )


def largest_fold(default: Any, **more: Any) -> Any:
    """Declare how much larger than the mean the largest fold may be."""
    return share(
        "Largest fold above the mean",
        high=None,
        default=default,
        help="How much larger than the mean the largest fold may be: usually 20%, or what k folds need. Less even folds can "
        "leak less.",
        **more,
    )


def seen_authors(asked: Callable[[Study, Mapping[str, Any]], bool] = lambda *_: True) -> Any:
    """Declare how many test documents must have their author in training."""
    return share(
        "Minimum share of test documents with their author in training",
        asked=lambda study, chosen: study.corpus.author_names is not None and asked(study, chosen),
        option="--seen-authors",
        more=True,
    )


def topics_together(choices: Any, **more: Any) -> Any:
    """Declare which topics must share a fold."""
    return groups("Topics to keep together", choices, again="More topics to keep together", more=True, **more)


def topics_apart(choices: Any, **more: Any) -> Any:
    """Declare which two topics must not share a fold."""
    return groups("Two topics to keep apart", choices, again="Two more topics to keep apart", size=2, more=True, **more)


class Constrained:
    """Settings that least-leakage folds must keep to."""

    balance: float
    seen: float
    together: tuple[tuple[str, ...], ...]
    apart: tuple[tuple[str, str], ...]

    @property
    def constraints(self) -> Constraints:
        """Return what least-leakage folds must keep to."""
        return Constraints(self.balance, self.seen, self.together, self.apart)


def _leaks_least(_: Study, chosen: Mapping[str, Any]) -> bool:
    return FOLD_SCHEMES[chosen["scheme"]].needs_space


def _usual_balance(study: Study, chosen: Mapping[str, Any]) -> float:
    """Return how uneven the folds of this sample are by default."""
    if not _leaks_least(study, chosen):
        return Constraints().balance
    return possible_balance(_sample(study, chosen).corpus.topic_sizes, chosen["k"])


def _sampled_topics(study: Study, chosen: Mapping[str, Any]) -> dict[str, str]:
    return {name: name for name in _sample(study, chosen).corpus.topic_names}


def model_help(study: Study, task: str) -> str:
    """Return a line on every model of a task."""
    kinds, known, usual = TASKS[task].models, study.models(task, by_choice=True), study.models(task)
    lines = "\n".join(f"- **{label}**: {kinds[name].about}" for name, label in known.items())
    slow = " and ".join(label for name, label in known.items() if name not in usual)
    lines = words_of(lines, study.corpus)
    return lines + (f"\n\n{slow} train for minutes per fold, so they run only when chosen." if slow else "")


@dataclass(frozen=True)
class RunSettings(Constrained, Settings):
    """Which models run on which folds."""

    task: str = task_of_models()
    scheme: str = choice(
        "Folds", _schemes, known=FOLD_SCHEMES, default="topic-kfold", help="How documents are split into folds."
    )
    sampler: str = choice(
        "Topics",
        lambda *_: {name: sampler.label for name, sampler in SAMPLERS.items()},
        known=SAMPLERS,
        default="none",
        aliases=RENAMED_SAMPLERS,
        more=True,
        help="Which topics take part.",
    )
    m: int = integer(
        "Topics kept (m)",
        low=2,
        high=lambda study, _: max(2, len(study.corpus.topic_names)),
        default=lambda study, _: max(2, len(study.corpus.topic_names) // 2),
        asked=_samples,
        more=True,
        help="How many topics the sampler keeps; all of them by default on the command line.",
    )
    policy: str = topics_left_out(asked=_samples, more=True)
    threshold: float = merged_from(_samples, more=True)
    k: int = integer(
        "Number of folds (k)",
        low=2,
        high=lambda study, chosen: max(2, min(MOST_FOLDS, _topics(study, chosen))),
        default=USUAL_FOLDS,
        command_default=10,
        asked=lambda _, chosen: FOLD_SCHEMES[chosen["scheme"]].takes_k,
        help="Folds of nearly equal size.",
    )
    models: tuple[str, ...] = several(
        "Models",
        lambda study, chosen: study.models(chosen["task"], by_choice=True) | study.own_models(chosen["task"]),
        refusal=lambda study, chosen, name: study.why_no_model(chosen["task"], name),
        default=lambda study, chosen: (*study.models(chosen["task"]), *study.own_models(chosen["task"])),
        key="{question}_models_{task}",
        more=True,
        help="Which models run; all usual ones by default.",
    )
    pairs: str = pairing_of_texts()
    calibration: str = calibration_of_scores()
    authors: int = frequent_authors()
    seed: int = seed("Seed of the sample, the folds and the pairs.")
    metric: str = choice(
        "Metric",
        lambda study, chosen: TASKS[chosen["task"]].metrics(study.corpus),
        default=lambda _, chosen: TASKS[chosen["task"]].default_metric,
        key="{question}_metric_{task}",
        help="What scores are shown.",
    )
    balance: float = largest_fold(_usual_balance, asked=_leaks_least, more=True)
    seen: float = seen_authors(_leaks_least)
    together: tuple[tuple[str, ...], ...] = topics_together(_sampled_topics, asked=_leaks_least)
    apart: tuple[tuple[str, str], ...] = topics_apart(_sampled_topics, asked=_leaks_least)


@record
class ModelRun:
    """Models on folds with what the run was made of."""

    settings: RunSettings
    setup: Setup
    folds: Folds
    leakage: Leakage
    evaluation: Evaluation
    models: Mapping[str, str]  # those that were run, by name and label
    metric_label: str

    @property
    def metric(self) -> str:
        return self.settings.metric


def sample_and_folds(study: Study, settings: RunSettings) -> SampleFolds:
    """Return the sample of topics and its folds."""
    setup = _sample(study, vars(settings))
    constraints = settings.constraints if FOLD_SCHEMES[settings.scheme].needs_space else None
    folds = study.folds(setup, scheme=settings.scheme, k=settings.k, seed=settings.seed, constraints=constraints)
    return setup, folds


def _sample(study: Study, chosen: Mapping[str, Any]) -> Setup:
    """Return the sample of topics that settings name."""
    m = chosen["m"] if _samples(study, chosen) else None
    setup = study.setup(chosen["sampler"], m, chosen["seed"], policy=chosen["policy"], threshold=chosen["threshold"])
    return _limited(study, setup, chosen["authors"])


def _limited(study: Study, setup: Setup, authors: int) -> Setup:
    """Return the sample with the texts of this many of its most frequent authors; 0: all."""
    if not authors:
        return setup
    key = setup.corpus.fingerprint, authors
    return study.once("authors of a setup", *key, compute=lambda: _of_frequent_authors(setup, authors))


def _of_frequent_authors(setup: Setup, most: int) -> Setup:
    """Return the same sample with the texts of its most frequent authors."""
    corpus = with_prolific_authors(setup.corpus, at_most=most)
    row_of = {id: row for row, id in enumerate(setup.corpus.ids)}
    rows = np.array([row_of[id] for id in corpus.ids])
    space = (
        part_of_space(setup.space, np.array([setup.space.names.index(name) for name in corpus.topic_names]))
        if setup.space.kind == GIVEN
        else topic_space(setup.vectors[rows], corpus.topic_codes, corpus.topic_names, similarity=setup.space.kind)
    )
    return Setup(setup.name, setup.sampler, setup.seed, corpus, setup.vectors[rows], space)


def choices_of(settings: RunSettings) -> dict[str, Any]:
    """Return the settings as `evaluate` takes them."""
    return {
        "task": settings.task,
        "models": list(settings.models),
        "seed": settings.seed,
        "pairing": settings.pairs,
        "calibration": settings.calibration,
    }


def run(study: Study, settings: RunSettings) -> ModelRun:
    """Return the models on the folds; raise `Pending` where they have to run first."""
    need_authors(study.corpus)
    setup, folds = sample_and_folds(study, settings)
    evaluation = study.evaluation(setup, folds, **choices_of(settings))
    if all(each.problem is not None for each in evaluation.runs):
        raise SettingError(words_of(f"No fold could be run: {evaluation.runs[0].problem}", study.corpus))
    metrics = TASKS[settings.task].metrics(setup.corpus)
    metric = settings.metric if settings.metric in metrics else TASKS[settings.task].default_metric
    return ModelRun(
        settings.but(metric=metric),
        setup,
        folds,
        study.leakage(setup, folds),
        evaluation,
        {name: evaluation.label(name) for name in evaluation.models},
        metrics[metric],
    )


def label_cautions(corpus: Corpus) -> tuple[Caution, ...]:
    """Say where a label cannot be learned across topics: models then only recognise topics."""
    if corpus.author_names is None or corpus.has_authors:
        return ()
    reason = not_learnable(corpus, label_counts(corpus, author_labels(corpus)))
    return () if reason is None else (Caution("constant-label", reason),)


def skipped_cautions(evaluation: Evaluation, *, where: str = "") -> tuple[Caution, ...]:
    """Say which folds could not be run, for which models, and why."""
    folds = len(evaluation.folds)
    together: dict[tuple[tuple[str, ...], str], list[int]] = {}
    for each in skipped_folds(evaluation):
        together.setdefault((each.models, each.reason), []).append(each.fold + 1)
    found = []
    for (models, reason), numbers in together.items():
        which = f"{'Fold' if len(numbers) == 1 else 'Folds'} {', '.join(map(str, numbers))} of {folds}"
        whose = "" if len(models) == len(evaluation.models) else f" for {', '.join(map(evaluation.label, models))}"
        place = f"{where}: " if where else ""
        found.append(Caution("folds-skipped", f"{place}{which} could not be run{whose}. {reason}"))
    return tuple(found)


def references_of(evaluations: Sequence[Evaluation]) -> tuple[str, ...]:
    """Return the works behind the models that were run."""
    kinds = (TASKS[each.task].models.get(model) for each in evaluations for model in each.models)
    return tuple(dict.fromkeys(kind.reference for kind in kinds if kind is not None and kind.reference))


MAJORITY = "The accuracy of always giving the most common answer."
SEEN = "The share of test documents whose author is also in training."
GAP = "How much more often two texts by one author share a topic than two texts by different authors. 0: topics tell nothing."
ORACLE = "The AUC of a judge who knows only the two topics of each pair. 0.5: topics tell nothing."


def baseline_facts(evaluation: Evaluation, corpus: Corpus) -> tuple[Fact, ...]:
    """Return the baselines of one evaluation; those of pairs where the questions are pairs."""
    found, asks_pairs = mean_baselines(evaluation, corpus), TASKS[evaluation.task].asks_pairs
    facts = (
        Fact("Majority", number(found.majority), "always the most common answer", MAJORITY),
        Fact("Authors seen", f"{found.seen_authors:.0%}", "of test documents", SEEN),
        Fact("Pairs" if asks_pairs else "Questions", f"{found.questions:,}", folds_run(evaluation)),
    )
    if not asks_pairs:
        return facts
    pairing = PAIRINGS[evaluation.pairing]
    why = "no pair of two authors on the same topics" if pairing.by_topic else "no other author's text left"
    return (
        *facts,
        Fact("Pairs left out", f"{found.left_out:,}", why),
        Fact("Gap", number(found.gap), pairing.label.lower(), GAP),
        Fact("Topic oracle AUC", number(found.topic_oracle_auc), "knows only topics", ORACLE),
    )


def baseline_rows(evaluations: Mapping[str, tuple[Evaluation, Corpus]]) -> Rows:
    """Return the baselines of several evaluations of one task, a row each."""
    asks_pairs = any(TASKS[evaluation.task].asks_pairs for evaluation, _ in evaluations.values())

    def make() -> pd.DataFrame:
        rows = []
        for name, (evaluation, corpus) in evaluations.items():
            found = mean_baselines(evaluation, corpus)
            row: dict[str, str | float] = {"sample": name, "folds run": folds_run(evaluation)}
            row |= {"majority": found.majority, "authors seen": found.seen_authors}
            if asks_pairs:
                row |= {"pairs": found.questions, "left out": found.left_out}
                row |= {"gap": found.gap, "topic oracle AUC": found.topic_oracle_auc}
            else:
                row["questions"] = found.questions
            rows.append(row)
        return pd.DataFrame(rows)

    note = f"Majority: {lower_first(MAJORITY)} Authors seen: {lower_first(SEEN)}"
    return Rows(
        "baselines",
        "Baselines",
        make,
        f"{note} Gap: {lower_first(GAP)} Topic oracle: {lower_first(ORACLE)}" if asks_pairs else note,
        formats={"majority": ".1%", "authors seen": ".1%"},
    )


def skipped_rows(evaluations: Mapping[str, Evaluation]) -> tuple[Rows, ...]:
    """Return the folds that could not be run, with the reason; nothing where all were run."""
    rows = [
        {
            "sample": name,
            "fold": f"{each.fold + 1} of {len(evaluation.folds)}",
            "models": ", ".join(map(evaluation.label, each.models)),
            "reason": each.reason,
        }
        for name, evaluation in evaluations.items()
        for each in skipped_folds(evaluation)
    ]
    return (Rows("skipped_folds", "Folds that could not be run", lambda: pd.DataFrame(rows), most=20),) if rows else ()


def folds_run(evaluation: Evaluation) -> str:
    """Return on how many folds some model was run, such as "5 of 6 folds"."""
    ran = len({run.fold for run in evaluation.runs if run.problem is None})
    return f"{ran} of {len(evaluation.folds)} folds"


FEWEST_TOPICS = 3
FEWEST_SAMPLES, MOST_SAMPLES = 2, 20
QUICK_SECONDS = 60.0  # that a quick start may take
MEANINGLESS = Caution(
    "meaningless-labels",
    "The labels do not separate these texts, so HITS is just another random sample here.",
)


def topics_kept(default: Any = None, **more: Any) -> Any:
    """Declare how many topics HITS and the random samples keep; by default as many as HITS suggests."""
    return integer(
        "Topics kept (m)",
        low=FEWEST_TOPICS,
        high=lambda study, _: max(FEWEST_TOPICS, len(study.corpus.topic_names)),
        default=default or (lambda study, _: usual_topics(study)),
        more=True,
        help="Topics in the HITS sample and in each random sample. This page only.",
        **more,
    )


def usual_topics(study: Study) -> int:
    """Return how many topics HITS suggests; half of them where that is too few for a sample, or all."""
    topics = len(study.corpus.topic_names)
    suggested = suggested_m(study, "cutting", 1.0)
    return suggested if FEWEST_TOPICS <= suggested < topics else topics // 2


def number_of_folds(default: Any = USUAL_FOLDS, **more: Any) -> Any:
    """Declare how many folds of topics each sample is split into."""
    return integer(
        "Number of folds (k)",
        low=2,
        high=lambda _, chosen: min(chosen["m"], MOST_FOLDS),
        default=default,
        more=True,
        help="Folds of nearly equal size.",
        **more,
    )


def random_samples(**more: Any) -> Any:
    """Declare how many random samples HITS is compared with."""
    return integer(
        "Random samples",
        low=FEWEST_SAMPLES,
        high=MOST_SAMPLES,
        default=len(RANDOM_SEEDS),
        more=True,
        help="How many random samples HITS is compared with. More take longer and give a clearer result.",
        **more,
    )


@record
class SampledRuns:
    """The same models on the HITS sample, which comes first, and on random samples of the same size."""

    setups: tuple[Setup, ...]
    evaluations: tuple[Evaluation, ...]
    models: Mapping[str, str]  # by name and label

    @property
    def by_sample(self) -> dict[str, Evaluation]:
        """Return the evaluations by the samples' names."""
        return {setup.name: each for setup, each in zip(self.setups, self.evaluations, strict=True)}

    @property
    def with_corpora(self) -> dict[str, tuple[Evaluation, Corpus]]:
        """Return the evaluations with their documents, by the samples' names."""
        runs = zip(self.setups, self.evaluations, strict=True)
        return {setup.name: (each, setup.corpus) for setup, each in runs}

    def skipped(self) -> tuple[Caution, ...]:
        """Say how many folds could not be run."""
        run, folds = 0, 0
        for each in self.evaluations:
            folds += len(each.folds)
            run += len(each.folds) - len({found.fold for found in each.runs if found.problem is not None})
        if run == folds:
            return ()
        said = (
            f"{folds - run:,} of {folds:,} folds could not be run for every model. The table of these folds says why."
        )
        return (Caution("folds-skipped", said),)


def sampled_jobs(study: Study, *, m: int, k: int, samples: int, authors: int = 0) -> list[SampleFolds]:
    """Return the HITS sample and random ones, each with its folds of topics, limited to its most frequent authors if asked."""
    whole = [study.setup("hits", m, 0), *(study.setup("random", m, seed) for seed in range(samples))]
    setups = [_limited(study, setup, authors) for setup in whole]
    return [(setup, study.folds(setup, scheme="topic-kfold", k=k)) for setup in setups]


def sampled_runs(
    study: Study,
    *,
    task: str,
    m: int,
    k: int,
    samples: int,
    models: Sequence[str],
    pairs: str,
    calibration: str,
    authors: int = 0,
) -> SampledRuns:
    """Return the models on every sample; raise `Pending` where they have to run first."""
    need_authors(study.corpus)
    need_topics(study.corpus)
    jobs = sampled_jobs(study, m=m, k=k, samples=samples, authors=authors)
    choices: dict[str, Any] = {"task": task, "seed": 0, "pairing": pairs, "calibration": calibration}
    chosen = tuple(models) or default_models(study, jobs, **choices)
    found = study.evaluations(jobs, models=list(chosen), **choices)
    labels = {name: found[0].label(name) for name in found[0].models}
    return SampledRuns(tuple(setup for setup, _ in jobs), tuple(found), labels)


@record
class SamplesProposal:
    """Models and random samples to begin with, how many authors to keep (0: all), and the cost of each sample, HITS first."""

    models: tuple[str, ...]
    samples: int
    authors: int
    costs: tuple[Estimate, ...]


def quickest_samples(
    study: Study,
    *,
    task: str,
    m: int,
    k: int,
    pairs: str,
    calibration: str,
    most: int,
    allowed: float,
    control: str = "",
    author_limits: bool = False,
) -> SamplesProposal | None:
    """Return the cheapest usual models, with `control` among them, on as many of `most` samples as run quickly.

    What would take more than the allowed bytes is not proposed; None where nothing fits.
    """

    def cost(models: Sequence[str], job: SampleFolds) -> Estimate:
        choices: dict[str, Any] = {"task": task, "models": models, "pairing": pairs, "calibration": calibration}
        vectors_key = study.vectors.encoder_key
        return estimate_runs(job[0].corpus, job[1], vectors_key=vectors_key, results=study.results, **choices)

    for authors in _author_limits(study, task) if author_limits else (0,):
        try:
            jobs = sampled_jobs(study, m=m, k=k, samples=most, authors=authors)
        except LeakscopeError:  # these authors wrote on too few topics
            continue
        usual = {model: cost([model], jobs[0]) for model in study.models(task)}
        fitting = {model: each for model, each in usual.items() if each.memory <= allowed}
        cheapest = cheapest_models({model: each for model, each in fitting.items() if model != control}, task)
        chosen = tuple(model for model in fitting if model == control or model in cheapest)
        if len(chosen) < 2 or (control and control not in chosen):
            continue
        costs = [cost(chosen, job) for job in jobs]
        if max(each.memory for each in costs) <= allowed:
            samples = _quick_samples(costs)
            return SamplesProposal(chosen, samples, authors, tuple(costs[: samples + 1]))
    return None


def _author_limits(study: Study, task: str) -> tuple[int, ...]:
    """Return how many authors to try, fewest first; 0 is all of them."""
    authors = len(study.corpus.author_names or ())
    if TASKS[task].asks_pairs or authors <= FEW_AUTHORS:
        return (0,)
    return (*takewhile(lambda limit: limit < authors, (FEW_AUTHORS * 2**step for step in range(20))), 0)


def _quick_samples(costs: Sequence[Estimate]) -> int:
    """Return on how many random samples models run within a minute, with HITS before them; never fewer than the fewest."""
    needed = np.cumsum([each.most_seconds for each in costs])[1:]
    return max(FEWEST_SAMPLES, int((needed <= QUICK_SECONDS).sum()))


def slow_models(study: Study, task: str) -> dict[str, str]:
    """Return the models that run only when chosen, by name and label."""
    usual = study.models(task)
    return {name: label for name, label in study.models(task, by_choice=True).items() if name not in usual}


def default_models(study: Study, jobs: Sequence[SampleFolds], *, task: str, **choices: Any) -> tuple[str, ...]:
    """Return the usual models, and the slow ones whose answers are all kept already."""
    slow = [
        name
        for name in slow_models(study, task)
        if all(_kept(study, job, (name,), task=task, **choices) for job in jobs)
    ]
    own = [
        name
        for name in study.own_models(task)
        if all(has_answers(study.own[name], setup.corpus, folds) for setup, folds in jobs)
    ]
    return (*study.models(task), *slow, *own)


def samples_kept(study: Study, jobs: Sequence[SampleFolds], *, task: str, **choices: Any) -> int:
    """Return for how many of the first random samples, and HITS, all answers of the slow models are kept."""
    slow = tuple(slow_models(study, task))
    kept = sum(1 for _ in takewhile(lambda job: _kept(study, job, slow, task=task, **choices), jobs)) if slow else 0
    return max(0, kept - 1)  # HITS comes first


def _kept(study: Study, job: SampleFolds, models: tuple[str, ...], **choices: Any) -> bool:
    setup, folds = job
    if study.results is None:
        return False
    return study.once(
        "kept answers",
        setup.corpus.fingerprint,
        folds.fingerprint,
        models,
        *choices.values(),
        compute=lambda: (
            not missing_runs(
                setup.corpus,
                folds,
                models=list(models),
                results=study.results,
                vectors_key=study.vectors.encoder_key,
                **choices,
            )
        ),
    )
