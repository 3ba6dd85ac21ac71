"""Which run of which models: asked for once, on every page that needs one. Each page has controls of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.corpora import Corpus
from core.errors import LeakscopeError
from core.evaluation import TASKS, Evaluation, metric_labels
from core.models.verification import CALIBRATIONS, OWN
from core.splits import FOLD_SCHEMES, PAIRINGS, Folds, Leakage
from core.topics import SAMPLERS, Setup
from core.vectors import Vectors
from pages.shared import state
from pages.shared.baselines import say_skipped
from pages.shared.controls import IN_URL, just_assigned, whole_number
from pages.shared.corpus_vectors import encoder_in_hand
from pages.shared.links import own_key
from pages.shared.public import is_public
from pages.shared.runs import SampleFolds, evaluations_or_stop, offered
from pages.shared.show import refuse
from pages.shared.split_controls import choose_balance, choose_left_out, choose_wishes
from pages.shared.stores import ship


def usable_models(task: str, *, by_choice: bool = False) -> dict[str, str]:
    """The models of a task by name and label; those that compare vectors only while the encoder is one of theirs, and those
    that take so long that they must be named only with `by_choice`."""
    encoder, models = encoder_in_hand().name, TASKS[task].models
    return {
        name: kind.label
        for name, kind in models.items()
        if (not kind.encoders or encoder in kind.encoders) and (by_choice or not kind.by_choice)
    }


def choose_task(place: DeltaGenerator, page: str) -> str:
    """Verification or attribution: a name of TASKS."""
    return place.segmented_control(
        "Task", list(TASKS), default="attribution", required=True, key=own_key(page, "task"), bind=IN_URL
    )


def choose_models(place: DeltaGenerator, page: str, task: str) -> dict[str, str]:
    """The models to run by name and label; where none is chosen, all but those that must be named."""
    known, usual = usable_models(task, by_choice=True), usable_models(task)
    kinds = TASKS[task].models
    slow = " and ".join(label for name, label in known.items() if name not in usual)
    just_assigned(
        own_key(page, f"models_{task}")
    )  # it has no default; what a button chose is put back where it was lost
    chosen = place.multiselect(
        "Models",
        list(known),
        format_func=known.__getitem__,
        placeholder=f"All {len(usual)}" + (f" but {slow}" if slow else ""),
        key=own_key(page, f"models_{task}"),
        bind=IN_URL,
        help="\n".join(f"- **{label}**: {kinds[name].about}" for name, label in known.items())
        + (f"\n\n{slow} train for minutes a fold, so they run only where they are chosen." if slow else ""),
    )
    return {name: known[name] for name in known if name in chosen} or usual


def with_shipped(
    models: dict[str, str], jobs: Sequence[SampleFolds], *, page: str, task: str, **choices: Any
) -> dict[str, str]:
    """And, where the visitor has chosen none, the slow models whose answers to all of this ship with the bundled corpus."""
    if st.session_state.get(own_key(page, f"models_{task}")) or not all(is_public(setup.corpus) for setup, _ in jobs):
        return models
    slow = {name: label for name, label in usable_models(task, by_choice=True).items() if name not in models}
    return models | {
        name: label for name, label in slow.items() if all(ship(job, [name], task=task, **choices) for job in jobs)
    }


def choose_pairs(place: DeltaGenerator, page: str) -> str:
    """How verification pairs are drawn: a name of PAIRINGS."""
    return place.segmented_control(
        "Pairs",
        list(PAIRINGS),
        default="matched",
        required=True,
        format_func=lambda name: PAIRINGS[name].label,
        key=own_key(page, "pairs"),
        bind=IN_URL,
        help="\n".join(f"- **{each.label}**: {each.about}" for each in PAIRINGS.values()),
    )


def choose_calibration(place: DeltaGenerator, page: str) -> str:
    """How verifiers' scores become answers: a name of CALIBRATIONS."""
    return place.segmented_control(
        "Calibration",
        list(CALIBRATIONS),
        default=OWN,
        required=True,
        format_func=lambda name: CALIBRATIONS[name].label,
        key=own_key(page, "calibration"),
        bind=IN_URL,
        help="\n".join(f"- **{each.label}**: {each.about}" for each in CALIBRATIONS.values()),
    )


def choose_m(place: DeltaGenerator, page: str, least: int, topics: int, default: int | None = None) -> int:
    """How many topics a sampler keeps on this page; half of them where no default is named."""
    help = "Of this page alone: the HITS page has an *m* of its own."
    default = default or max(least, topics // 2)
    return whole_number(place, "Topics kept (m)", least, topics, default, key=own_key(page, "m"), help=help)


def choose_folds(place: DeltaGenerator, page: str, most: int, default: int = 6) -> int:
    """Into how many folds topics are dealt."""
    help = "Folds of nearly equal size."
    return whole_number(place, "Number of folds (k)", 2, most, default, key=own_key(page, "k"), help=help)


@dataclass(frozen=True, eq=False, slots=True)
class ChosenRun:
    """A run with its models' labels, the metric in hand, and all metrics by label."""

    setup: Setup
    folds: Folds
    leakage: Leakage
    evaluation: Evaluation
    seed: int
    models: dict[str, str]
    metric: str
    metrics: dict[str, str]

    @property
    def metric_label(self) -> str:
        return self.metrics[self.metric]


def choose_run(
    corpus: Corpus, vectors: Vectors, *, page: str, answer: DeltaGenerator | None = None, asks_metric: bool = True
) -> ChosenRun:
    """Ask which run, and give it: from the session, from disk, or computed now.

    What is said while there is no run, and which folds have none, goes to `answer`, or below the controls. Without
    `asks_metric`, where every answer counts as right or wrong, the metric is the task's usual one.
    """
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    task = choose_task(row, page)
    scheme = _choose_scheme(row, page, corpus)
    fold_cell, metric_cell = row.container(width=150), row.container(width=150) if asks_metric else None
    with row.popover("More", icon=":material/tune:", help="Models, topics, pairs, calibration and seed"):
        models = choose_models(st.container(), page, task)
        sampler, m = _choose_sampler(st.container(), page, len(corpus.topic_names))
        policy, threshold = choose_left_out(st.container(), page) if m is not None else ("cutting", 0.0)
        wish_cell = st.container()
        pairing = choose_pairs(st.container(), page) if TASKS[task].asks_pairs else "matched"
        calibration = choose_calibration(st.container(), page) if TASKS[task].asks_pairs else OWN
        seed = st.number_input(
            "Seed", 0, 10_000, key=own_key(page, "seed"), bind=IN_URL, help="Of the sample, the folds and the pairs."
        )
    most = min(m or len(corpus.topic_names), 20)
    k = choose_folds(fold_cell, page, most) if FOLD_SCHEMES[scheme].takes_k else 2
    setup = _setup_or_stop(corpus, vectors, sampler, m, seed, policy, threshold)
    wishes = None
    if FOLD_SCHEMES[scheme].needs_space:
        wishes = choose_wishes(wish_cell, page, setup.corpus, choose_balance(wish_cell, page, setup.corpus, k))
    folds, leakage = state.folds_or_stop(setup, scheme, k, seed, wishes)
    choices: dict[str, Any] = {"task": task, "seed": seed, "vectors_key": vectors.encoder_key}
    choices |= {"pairing": pairing, "calibration": calibration}
    models = with_shipped(models, [(setup, folds)], page=page, **choices)
    with answer or st.container():
        offer = offered(corpus, page=page, models=list(models), **choices)
        (evaluation,) = evaluations_or_stop([(setup, folds)], page=page, models=list(models), offer=offer, **choices)
        say_skipped(evaluation)
        if all(run.problem is not None for run in evaluation.runs):
            st.info("No fold could be run, so there is nothing to show.", icon=":material/info:")
            st.stop()
    labels = metric_labels(evaluation, setup.corpus)
    metric = TASKS[task].default_metric if metric_cell is None else _choose_metric(metric_cell, page, task, labels)
    chosen = {name: models[name] for name in evaluation.models}
    return ChosenRun(setup, folds, leakage, evaluation, seed, chosen, metric, labels)


def _choose_scheme(place: DeltaGenerator, page: str, corpus: Corpus) -> str:
    """How documents are dealt into folds: a name of FOLD_SCHEMES; by the file's own split only where it brings one."""
    return place.selectbox(
        "Folds",
        [name for name, scheme in FOLD_SCHEMES.items() if corpus.splits is not None or not scheme.needs_split],
        format_func=lambda name: FOLD_SCHEMES[name].label,
        key=own_key(page, "scheme"),
        bind=IN_URL,
        width=180,
    )


def _choose_metric(place: DeltaGenerator, page: str, task: str, labels: dict[str, str]) -> str:
    """The metric in hand: a key of `labels`."""
    return place.selectbox(
        "Metric",
        list(labels),
        list(labels).index(TASKS[task].default_metric),
        format_func=labels.__getitem__,
        key=own_key(page, f"metric_{task}"),
        bind=IN_URL,
    )


def _choose_sampler(place: DeltaGenerator, page: str, topics: int) -> tuple[str, int | None]:
    """The sampler, and how many topics it keeps where it samples."""
    sampler = place.segmented_control(
        "Topics",
        list(SAMPLERS),
        default="none",
        required=True,
        format_func=lambda name: SAMPLERS[name].label,
        key=own_key(page, "sampler"),
        bind=IN_URL,
    )
    if not SAMPLERS[sampler].takes_m:
        return sampler, None
    return sampler, topics if topics <= 2 else choose_m(place, page, 2, topics)


def _setup_or_stop(
    corpus: Corpus, vectors: Vectors, sampler: str, m: int | None, seed: int, policy: str, threshold: float
) -> Setup:
    try:
        return state.setup_of(corpus, vectors, sampler, m, seed, policy=policy, threshold=threshold)
    except LeakscopeError as problem:
        refuse(problem)
        st.stop()


def two_models(models: dict[str, str], *, page: str) -> tuple[str, str]:
    """Two different models to set against each other; says so and ends the page where there are not two."""
    if len(models) < 2:
        st.info("Choose at least two models to compare.", icon=":material/info:")
        st.stop()
    names = list(models)
    asks = st.grid(2, min_column_width=140)
    a = asks.selectbox("A", names, 0, format_func=models.__getitem__, key=own_key(page, "model_a"), bind=IN_URL)
    b = asks.selectbox("B", names, 1, format_func=models.__getitem__, key=own_key(page, "model_b"), bind=IN_URL)
    if a == b:
        st.info("Choose two different models.", icon=":material/info:")
        st.stop()
    return a, b
