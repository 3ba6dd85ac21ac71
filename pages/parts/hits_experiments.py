"""The experiments of the HITS paper's §7 on the corpus in hand: asked for, with progress, each with its table."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.corpora import Corpus
from core.demo import RESULTS, bundled_vectors
from core.errors import LeakscopeError
from core.evaluation import TASKS, ResultStore
from core.plots import hits_experiments as plots
from core.progress import Progress
from core.studies import (
    ClosestAcross,
    EncoderComparison,
    FoldPlan,
    Panel,
    PolicyComparison,
    SimilarityAgainstM,
    StabilityAgainstM,
    closest_across,
    compare_encoders,
    compare_policies,
    similarity_against_m,
    stability_against_m,
)
from core.topics import Resampled, TopicPath, TopicSpace, suggest_m
from core.vectors import ENCODERS, Vectors, VectorStore, embed, estimate, make_encoder
from pages.parts.hits_experiment_tables import experiment_table
from pages.shared import show, work
from pages.shared.controls import IN_URL, usable_models, whole_number
from pages.shared.show import escaped

NONE = "none"
EVERY_M_TO = 60  # topics: past it similarity is measured at a few m only
COMPARED_ENCODERS = ("sbert", "lsa", "nmf", "lda")


@dataclass(frozen=True, eq=False, slots=True)
class Inputs:
    """What every experiment works on; `panel` are the models to run, where the corpus has authors."""

    corpus: Corpus
    vectors: Vectors
    space: TopicSpace
    path: TopicPath
    resampled: Resampled
    m: int
    plan: FoldPlan
    panel: Panel | None

    @property
    def sizes(self) -> list[int]:
        """A quarter, a half and three quarters of the topics."""
        return sorted({max(2, round(self.path.placed * share)) for share in (0.25, 0.5, 0.75)})


def _similarity(given: Inputs, progress: Progress) -> SimilarityAgainstM:
    count = given.path.placed
    sizes = range(2, count + 1) if count <= EVERY_M_TO else given.sizes
    return similarity_against_m(given.space, m=sizes, path=given.path, plan=given.plan, progress=progress)


def _stability(given: Inputs, progress: Progress) -> StabilityAgainstM:
    if given.panel is None:
        raise LeakscopeError("Ranking stability needs models, and models need two authors or more.")
    matrix = given.vectors.matrix
    return stability_against_m(
        given.corpus, matrix, given.space, panel=given.panel, m=given.sizes, plan=given.plan, progress=progress
    )


def _policies(given: Inputs, progress: Progress) -> PolicyComparison:
    return compare_policies(
        given.corpus,
        given.vectors.matrix,
        given.space,
        m=given.m,
        panel=given.panel,
        path=given.path,
        plan=given.plan,
        progress=progress,
    )


def _encoders(given: Inputs, progress: Progress) -> EncoderComparison:
    vectors = _all_vectors(given.corpus, given.vectors, progress)
    return compare_encoders(
        given.corpus,
        vectors,
        m=given.m,
        similarity=given.space.kind,
        panel=given.panel,
        plan=given.plan,
        progress=progress,
    )


def _all_vectors(corpus: Corpus, vectors: Vectors, progress: Progress) -> dict[str, Vectors]:
    """Every encoder's vectors that can be had without a long wait: SBERT only where it is stored or shipped."""
    found = {ENCODERS[vectors.name].label: vectors}
    store = VectorStore()
    for index, name in enumerate(COMPARED_ENCODERS):
        encoder, label = make_encoder(name), ENCODERS[name].label
        progress(index, len(COMPARED_ENCODERS), f"{label} …", None)
        if label in found:
            continue
        shipped = bundled_vectors(corpus, encoder)
        if shipped is not None or not encoder.per_document or estimate(corpus, encoder, store=store) == 0:
            found[label] = shipped or embed(corpus, encoder, store=store)
    return found


def _closest(given: Inputs, progress: Progress) -> ClosestAcross:
    return closest_across(given.space, m=given.m, plan=given.plan)


@dataclass(frozen=True, slots=True)
class Experiment:
    """What it is called, how it is run, what is drawn of its record; a quick one runs without being asked for."""

    label: str
    run: Callable[[Inputs, Progress], Any]
    figures: Callable[[Any, Inputs], list[go.Figure]]
    runs_models: bool = False
    quick: bool = False
    suggests_m: bool = False


EXPERIMENTS = {
    "similarity": Experiment(
        "similarity against m",
        _similarity,
        lambda record, given: [plots.similarity_curves(record, given.m, kind=given.space.kind)],
        quick=True,
        suggests_m=True,
    ),
    "stability": Experiment(
        "ranking stability against m",
        _stability,
        lambda record, given: [plots.stability_curves(record)],
        runs_models=True,
        suggests_m=True,
    ),
    "left out": Experiment(
        "cutting, hybrid, grouping",
        _policies,
        lambda record, given: [plots.policy_trade(record, kind=given.space.kind)],
        runs_models=True,
    ),
    "encoders": Experiment(
        "encoders",
        _encoders,
        lambda record, given: [
            plots.encoder_overlap(record),
            plots.encoder_similarity(record, kind=given.space.kind),
        ],
        runs_models=True,
    ),
    "closest": Experiment(
        "closest train/test pairs",
        _closest,
        lambda record, given: [plots.closest_pairs(record, kind=given.space.kind)],
        quick=True,
    ),
}


def experiments(corpus: Corpus, vectors: Vectors, space: TopicSpace, path: TopicPath, resampled: Resampled) -> None:
    """Choose one, run it, read its figure and its table."""
    st.subheader("Experiments", anchor=False)
    st.markdown("What the paper's §7 asks, asked of this corpus. Nothing here changes the selection above.")
    labels = {each.label: name for name, each in EXPERIMENTS.items()}
    chosen = st.segmented_control(
        "Experiment", [NONE, *labels], default=NONE, required=True, key="experiment", bind=IN_URL
    )
    if chosen == NONE or path.placed < 4:
        return
    name = labels[chosen]
    experiment = EXPERIMENTS[name]
    asks = st.grid(3, min_column_width=230, gap="medium", vertical_alignment="bottom")
    k = whole_number(asks, "Folds (k)", 2, min(path.placed, 20), 6, key="k", help="Folds over the kept topics.")
    m = min(st.session_state.get("m") or max(2, path.placed // 2), path.placed)
    panel = _panel(asks, corpus, vectors) if experiment.runs_models else None
    given = Inputs(corpus, vectors, space, path, resampled, max(m, 2), FoldPlan(k), panel)
    question = work.Question("Run it", where=asks, caption="Any other click stops it; finished runs are kept on disk.")
    record = work.result(
        "experiments",
        (corpus.fingerprint, vectors.encoder_key, space.kind, name, k, m, panel and (panel.task, panel.models)),
        work.Step(lambda progress: experiment.run(given, progress)),
        start="Starting …",
        question=None if experiment.quick else question,
    )
    if record is not None:
        _show(name, record, given)
        if experiment.suggests_m:
            averages = record.averages if isinstance(record, StabilityAgainstM) else None
            reason = suggest_m(path, space, corpus, k, averages, resampled).reason
            st.info(f"Suggested {escaped(reason)}", icon=":material/lightbulb:")


def _panel(asks: DeltaGenerator, corpus: Corpus, vectors: Vectors) -> Panel | None:
    if corpus.author_names is None or len(corpus.author_names) < 2:
        return None
    task = asks.segmented_control(
        "Models of", list(TASKS), default="attribution", required=True, key="task", bind=IN_URL
    )
    return Panel(task, tuple(usable_models(task)), ResultStore(shipped=RESULTS), vectors.encoder_key)


def _show(name: str, record: Any, given: Inputs) -> None:
    experiment = EXPERIMENTS[name]
    for index, drawn in enumerate(experiment.figures(record, given)):
        show.figure(drawn, key=f"experiment_{name}_{index}", alt=f"Experiment: {experiment.label}")
    show.table(
        [dict(row) for row in experiment_table(record)],
        precision=3,
        alt=f"Table of the experiment: {experiment.label}",
        csv=show.Csv("Table as CSV", f"{name}.csv", f"table_{name}"),
    )
    show.notes(getattr(record, "notes", ()))
