"""The experiments of the HITS paper's §7, each one call on what is in hand."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..arrays import record
from ..corpora import Corpus
from ..errors import LeakscopeError
from ..progress import Progress
from ..topics import TopicPath, TopicSpace
from ..vectors import ENCODERS, Vectors, VectorStore, embed, estimate, make_encoder
from .alternatives import EncoderComparison, PolicyComparison, compare_encoders, compare_policies
from .similarity import ClosestAcross, FoldPlan, SimilarityAgainstM, closest_across, similarity_against_m
from .stability import Panel, StabilityAgainstM, stability_against_m

EVERY_M_TO = 60  # topics: past it similarity is measured at a few m only


@record
class Inputs:
    """What every experiment works on: `panel` are the models to run, where the corpus has authors, `shipped` the vectors
    that need not be computed, by encoder, and `store` where others are looked for and kept."""

    corpus: Corpus
    vectors: Vectors
    space: TopicSpace
    path: TopicPath
    m: int
    plan: FoldPlan
    panel: Panel | None
    shipped: Mapping[str, Vectors]
    store: VectorStore

    @property
    def sizes(self) -> list[int]:
        """A quarter, a half and three quarters of the topics."""
        return sorted({max(2, round(self.path.placed * share)) for share in (0.25, 0.5, 0.75)})


def _similarity(given: Inputs, progress: Progress | None) -> SimilarityAgainstM:
    count = given.path.placed
    sizes = range(2, count + 1) if count <= EVERY_M_TO else given.sizes
    return similarity_against_m(given.space, m=sizes, path=given.path, plan=given.plan, progress=progress)


def _stability(given: Inputs, progress: Progress | None) -> StabilityAgainstM:
    if given.panel is None:
        raise LeakscopeError("Ranking stability needs models, and models need two authors or more.")
    matrix = given.vectors.matrix
    return stability_against_m(
        given.corpus, matrix, given.space, panel=given.panel, m=given.sizes, plan=given.plan, progress=progress
    )


def _policies(given: Inputs, progress: Progress | None) -> PolicyComparison:
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


def _encoders(given: Inputs, progress: Progress | None) -> EncoderComparison:
    return compare_encoders(
        given.corpus,
        _all_vectors(given, progress),
        m=given.m,
        similarity=given.space.kind,
        panel=given.panel,
        plan=given.plan,
        progress=progress,
    )


def compared_encoders() -> tuple[str, ...]:
    """Those that need nothing of the user: neither vectors nor the name of a model."""
    return tuple(name for name, kind in ENCODERS.items() if not kind.brought and not kind.asks_for_model)


def _all_vectors(given: Inputs, progress: Progress | None) -> dict[str, Vectors]:
    """Every encoder's vectors that can be had without a long wait: SBERT only where it is stored or shipped."""
    found = {ENCODERS[given.vectors.name].label: given.vectors}
    compared = compared_encoders()
    for index, name in enumerate(compared):
        encoder, label = make_encoder(name), ENCODERS[name].label
        if progress is not None:
            progress(index, len(compared), f"{label} …", None)
        if label in found:
            continue
        shipped = given.shipped.get(name)
        if shipped is not None or not encoder.per_document or estimate(given.corpus, encoder, store=given.store) == 0:
            found[label] = shipped or embed(given.corpus, encoder, store=given.store)
    return found


def _closest(given: Inputs, progress: Progress | None) -> ClosestAcross:
    return closest_across(given.space, m=given.m, plan=given.plan)


@dataclass(frozen=True, slots=True)
class Experiment:
    """What it is called and how it is run; a quick one runs without being asked for."""

    label: str
    run: Callable[[Inputs, Progress | None], Any]
    runs_models: bool = False
    quick: bool = False
    suggests_m: bool = False


EXPERIMENTS = {
    "similarity": Experiment("similarity against m", _similarity, quick=True, suggests_m=True),
    "stability": Experiment("ranking stability against m", _stability, runs_models=True, suggests_m=True),
    "left out": Experiment("cutting, hybrid, grouping", _policies, runs_models=True),
    "encoders": Experiment("encoders", _encoders, runs_models=True),
    "closest": Experiment("closest train/test pairs", _closest, quick=True),
}


def run_experiment(name: str, given: Inputs, progress: Progress | None = None) -> Any:
    """The record of the experiment of that name."""
    return EXPERIMENTS[name].run(given, progress)
