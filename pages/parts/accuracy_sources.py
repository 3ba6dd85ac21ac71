"""Folds & accuracy: which models were asked for, where a loss under HITS comes from, and all topics together."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.corpora import Corpus
from core.errors import LeakscopeError
from core.evaluation import (
    NO_TWINS,
    TASKS,
    Sources,
    SwapEffect,
    difference_sources,
    dose_effects,
    source_folds,
    sources_sentence,
    swap_effects,
)
from core.plots import accuracy_swap as plots
from core.splits import Folds, Swaps, folds_in_whole, make_folds
from core.statistics import AdjustedSlope, slope_sentence
from core.topics import Setup
from core.vectors import Vectors
from pages.shared import show, state
from pages.shared.controls import IN_URL
from pages.shared.links import own_key
from pages.shared.runs import measured

PAGE = "accuracy"


@dataclass(frozen=True, eq=False, slots=True)
class SwapRun:
    """Which models on which task, and how stand-ins are drawn."""

    setup: Setup
    vectors_key: str
    task: str
    models: dict[str, str]
    pairing: str
    calibration: str
    draws: int
    seed: int

    def measured(self, kind: str, measure: Callable[..., Any], sides: Sequence[Folds], *arguments: Any) -> Any:
        """What `measure` makes of the models, by their labels: at hand, on disk, or computed as a job; None until then."""
        key = (self.setup.corpus.fingerprint, self.vectors_key, self.setup.space.kind, self.task, tuple(self.models))
        found = measured(
            kind,
            (*key, self.pairing, self.calibration, self.seed, _trained_on(sides)),
            measure,
            self.setup,
            sides,
            arguments,
            page=PAGE,
            vectors_key=self.vectors_key,
            task=self.task,
            models=list(self.models),
            seed=self.seed,
            pairing=self.pairing,
            calibration=self.calibration,
        )
        return None if found is None else {self.models[name]: each for name, each in found.items()}

    def effects(self, swaps: Swaps) -> dict[str, SwapEffect] | None:
        """What the twins buy each model."""
        found: dict[str, SwapEffect] | None = self.measured(
            "swaps", swap_effects, (swaps.without, *swaps.with_twin), swaps
        )
        return found

    def doses(self, doses: Mapping[int, Swaps]) -> dict[str, dict[int, SwapEffect]] | None:
        """What one, two, four … of the nearest topics buy each model: one question and one job for all."""
        sides = [folds for swaps in doses.values() for folds in (swaps.without, *swaps.with_twin)]
        found: dict[str, dict[int, SwapEffect]] | None = self.measured("swaps", dose_effects, sides, doses)
        return found

    @property
    def metric(self) -> str:
        return TASKS[self.task].metrics(self.setup.corpus)[TASKS[self.task].default_metric]


def _trained_on(sides: Sequence[Folds]) -> str:
    """What tells sets of folds apart that test the same."""
    whole = hashlib.sha256()
    for fold in (fold for folds in sides for fold in folds):
        whole.update(fold.train.tobytes())
    return whole.hexdigest()


def sources(corpus: Corpus, vectors: Vectors, run: SwapRun) -> None:
    """Of the points lost under HITS, how many are documents, authors and topic, when asked for."""
    title = "Where a loss under HITS comes from"
    with show.expander(title, toggle=own_key(PAGE, "sources"), icon=":material/waterfall_chart:"):
        st.markdown(
            "HITS keeps other topics than chance does, and with them other authors and other amounts of training text. Cut to "
            "equal size, then to equally many documents of every author, the difference shows what each was worth."
        )
        if not st.toggle("Compute it", key=own_key(PAGE, "sources"), bind=IN_URL):
            return
        samples = st.number_input("Random samples", 2, 50, 10, key=own_key(PAGE, "samples"), bind=IN_URL)
        topics = len(corpus.topic_names)
        folds = _sampled_folds(corpus, vectors, run, min(6, max(2, topics // 2)), samples)
        if folds is None:
            return
        hits, *random = folds
        sides = source_folds(run.setup.corpus, hits, random, seed=run.seed)
        by_label: dict[str, Sources] | None = run.measured("sources", difference_sources, sides, hits, random)
        if by_label is None:
            return
        for label, each in by_label.items():
            st.markdown(show.escaped(sources_sentence(label, each, metric=run.metric)))
        show.figure(
            plots.waterfall(by_label, metric=run.metric),
            key="swap_sources",
            alt="Points each model loses under HITS, by documents, authors and topic",
        )


def _sampled_folds(corpus: Corpus, vectors: Vectors, run: SwapRun, k: int, samples: int) -> list[Folds] | None:
    """HITS folds of half the topics, and random ones, as folds of the whole corpus."""
    m, whole = max(k, len(corpus.topic_names) // 2), run.setup.corpus
    try:
        folds = []
        for sampler, seed in [("hits", 0), *(("random", seed) for seed in range(samples))]:
            part = state.setup_of(corpus, vectors, sampler, m, seed).corpus
            folds.append(folds_in_whole(whole, part, make_folds(part, scheme="topic-kfold", k=k, seed=0)))
        return folds
    except LeakscopeError as problem:
        show.refuse(problem)
        return None


def all_together(slopes: Mapping[str, AdjustedSlope], answer: DeltaGenerator, *, kind: str, meaningful: bool) -> None:
    """Every test topic of a run with authors taken out: a sentence a model (keys are labels) and the regression it quotes."""
    answer.info(
        "\n".join(f"- {show.escaped(slope_sentence(label, found))}" for label, found in slopes.items()),
        icon=":material/functions:",
    )
    if not meaningful:
        with answer:
            show.warn(NO_TWINS)
    show.figure(plots.all_together(slopes, kind=kind), key="together")
    st.caption(
        "A point is a test topic, larger with more answers: its mean after an effect of every author and the number of the "
        "author's training documents are taken out. Lines: least squares weighted by √answers; intervals by t over topics. "
        "Where authors keep to few topics the lines are too flat."
    )
