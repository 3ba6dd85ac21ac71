"""HITS beside random samples: the runs that the ranking and the shortcut test share."""

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from ..arrays import record
from ..corpora import Corpus
from ..evaluation import Evaluation, missing_runs, need_authors, need_topics
from ..render import Caution
from ..study import SampleFolds, Study
from ..topics import RANDOM_SEEDS, Setup
from .hits import suggested_m
from .settings import integer

FEWEST_TOPICS, MOST_FOLDS, USUAL_FOLDS = 3, 20, 6
FEWEST_SAMPLES, MOST_SAMPLES = 2, 20
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
        help="Topics in the HITS sample and in each random sample. This page only.",
        **more,
    )


def usual_topics(study: Study) -> int:
    """Return how many topics HITS suggests; half of them where that is too few for a sample, or all."""
    topics = len(study.corpus.topic_names)
    suggested = suggested_m(study, "cutting", 1.0)
    return suggested if FEWEST_TOPICS <= suggested < topics else topics // 2


def folds_of_topics(default: Any = USUAL_FOLDS, **more: Any) -> Any:
    """Declare how many folds of topics each sample is split into."""
    return integer(
        "Number of folds (k)",
        low=2,
        high=lambda _, chosen: min(chosen["m"], MOST_FOLDS),
        default=default,
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


def sampled_jobs(study: Study, *, m: int, k: int, samples: int) -> list[SampleFolds]:
    """Return the HITS sample and random ones, each with its folds of topics."""
    setups = [study.setup("hits", m, 0), *(study.setup("random", m, seed) for seed in range(samples))]
    return [(setup, study.folds(setup, scheme="topic-kfold", k=k)) for setup in setups]


def sampled_runs(
    study: Study, *, task: str, m: int, k: int, samples: int, models: Sequence[str], pairs: str, calibration: str
) -> SampledRuns:
    """Return the models on every sample; raise `Pending` where they have to run first."""
    need_authors(study.corpus)
    need_topics(study.corpus)
    jobs = sampled_jobs(study, m=m, k=k, samples=samples)
    choices: dict[str, Any] = {"task": task, "seed": 0, "pairing": pairs, "calibration": calibration}
    chosen = tuple(models) or default_models(study, jobs, **choices)
    found = study.evaluations(jobs, models=list(chosen), **choices)
    labels = study.models(task, by_choice=True)
    return SampledRuns(
        tuple(setup for setup, _ in jobs), tuple(found), {name: labels[name] for name in found[0].models}
    )


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
    return (*study.models(task), *slow)


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
