"""What is run, the most telling first: models on folds of samples of topics."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from bench.findings.corpora import Choice, Study
from core.evaluation import (
    Evaluation,
    ResultStore,
    Score,
    evaluate,
    fold_scores,
    missing_runs,
    summarise,
)
from core.splits import Folds, Leakage, fold_leakage, topic_kfold
from core.topics import Setup

RANDOM = {"attribution": 20, "verification": 5}  # samples
KINDS = (("attribution", "matched"), ("verification", "matched"), ("verification", "paper"))


@dataclass(frozen=True, eq=False, slots=True)
class Outcome:
    """One sample with its folds, what they leak, and the models' answers."""

    setup: Setup
    leakage: Leakage
    evaluation: Evaluation

    @property
    def scores(self) -> list[Score]:
        return fold_scores(self.evaluation, self.setup.corpus)

    @property
    def seen(self) -> float:
        """Share of test documents whose author is in training: attribution cannot be right about the others."""
        codes = self.setup.corpus.author_codes
        assert codes is not None
        counts = (np.isin(codes[fold.test], codes[fold.train]).sum() for fold in self.evaluation.folds)
        return float(sum(counts)) / len(self.setup.corpus)

    def by_fold(self, metric: str) -> np.ndarray:
        """Scores with a row a model and a column a fold."""
        values = [score.values[metric] for score in self.scores]
        return np.array(values).reshape(len(self.evaluation.models), -1)

    def mean(self, model: str, metric: str) -> float:
        """The mean over folds, weighted by documents."""
        return summarise(self.scores, metric)[model].mean


@dataclass(frozen=True, eq=False, slots=True)
class Bench:
    """Where answers are kept, and whether what is missing is computed now or left out."""

    results: ResultStore
    only_kept: bool
    _outcomes: dict[tuple[str, Choice, str, str, str], Outcome] = field(default_factory=dict)

    def evaluated(self, study: Study, setup: Setup, folds: Folds, **choices: Any) -> Evaluation | None:
        """The answers of models on folds; None where some are missing and nothing is computed now."""
        compares = "sbert_cosine" in choices["models"]
        vectors = study.compared(setup.corpus) if compares else None  # encoding takes long: not before it is needed
        if compares and vectors is None:
            return None
        key = "" if vectors is None else vectors.key
        if self.only_kept and missing_runs(setup.corpus, folds, vectors_key=key, results=self.results, **choices):
            return None

        def progress(done: int, total: int, label: str, left: float | None) -> None:
            print(
                f"{study.title}, {setup.name}, {choices['task']}: {label} ({done}/{total})", file=sys.stderr, flush=True
            )

        return evaluate(setup.corpus, folds, vectors=vectors, results=self.results, progress=progress, **choices)

    def outcome(self, study: Study, choice: Choice, *, task: str, pairing: str, model: str) -> Outcome | None:
        """One model on the topic folds of one sample."""
        key = study.title, choice, task, pairing, model
        setup = study.setup(choice)
        if key not in self._outcomes and setup is not None:
            folds = topic_kfold(setup.corpus, k=study.k, seed=0)
            found = self.evaluated(study, setup, folds, task=task, pairing=pairing, models=[model])
            if found is not None:
                self._outcomes[key] = Outcome(setup, fold_leakage(folds, setup.space), found)
        return self._outcomes.get(key)


def random_samples(count: int) -> list[Choice]:
    return [Choice("random", seed) for seed in range(count)]


def chosen(encoder: str, *kinds: str, samplers: Sequence[str] = ("hits", "minimax")) -> list[Choice]:
    """The samples that look at similarity."""
    return [Choice(sampler, 0, encoder, kind) for kind in kinds for sampler in samplers]


def ways(name: str, study: Study, task: str, model: str) -> list[Choice]:
    """The samples a model is run on beside random ones. The slowest models on SCOTUS are run on fewer: the character SVM takes
    20 seconds a fold there, maximum entropy and CharNGram 12."""
    first, second = study.encoders[0], study.encoders[-1]
    every = [choice for encoder in dict.fromkeys((first, second)) for choice in chosen(encoder, "corrected", "plain")]
    if name == "courier":
        return [choice for choice in every if choice.encoder == first or choice.kind == "corrected"]
    if name != "scotus":
        return every
    if model == "char_svm":
        return chosen(first, "corrected")
    if model == "max_ent":
        return [choice for choice in every if choice.sampler == "hits" and choice.kind == "corrected"]
    if model == "char_ngram":
        return [choice for choice in every if choice.kind == "corrected"]
    return [
        choice for choice in every if task == "attribution" or choice.kind == "corrected" or choice.sampler == "hits"
    ]


Task = partial[object]


def plan(bench: Bench, found: dict[str, Study]) -> Iterator[Task]:
    """Every piece of work, the most telling first; each is kept as it is done."""

    def models_on(
        name: str, models: Sequence[str], kinds: Sequence[tuple[str, str]], encoders: Sequence[str]
    ) -> Iterator[Task]:
        study = found[name]
        for task, pairing in kinds:
            for model in models:
                sought = [choice for choice in ways(name, study, task, model) if choice.encoder in encoders]
                for choice in (*sought[:1], *random_samples(RANDOM[task]), *sought[1:]):
                    yield partial(bench.outcome, study, choice, task=task, pairing=pairing, model=model)

    attribution, verification = KINDS[:1], KINDS[1:]
    if "scotus" in found:
        yield from models_on("scotus", ["topic_fit", "max_ent"], attribution, ["LSA"])
        yield from models_on("scotus", ["topic_fit", "ppm"], verification, ["LSA"])
    both = found["courier"].encoders
    yield from models_on("courier", ["topic_fit", "max_ent", "char_svm"], attribution, both)
    yield from models_on("courier", ["topic_fit", "sbert_cosine", "char_ngram", "ppm"], verification, both)
    if "scotus" in found:
        both = found["scotus"].encoders
        yield from models_on("scotus", ["topic_fit", "max_ent"], attribution, both)
        yield from models_on("scotus", ["topic_fit", "sbert_cosine", "ppm", "char_ngram"], verification, both)
    if "newsgroups" in found:
        yield from models_on("newsgroups", ["topic_fit", "char_svm"], attribution, ["LSA"])
        yield from models_on("newsgroups", ["topic_fit", "ppm", "char_ngram"], verification, ["LSA"])
    if "scotus" in found:
        yield from models_on("scotus", ["char_svm"], attribution, ["LSA"])
