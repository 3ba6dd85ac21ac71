"""The test pairs of the Shortcut test: what topics alone tell about them, and how much of a score is their likeness."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from core.evaluation import Evaluation, mean_baselines
from core.formats import listed
from core.plots import shortcut as plots
from core.splits import PAIRINGS
from core.studies import PAIR_KINDS, Reliance
from core.studies.raven import Benchmark, benchmark_statistics
from core.topics import Setup
from pages.shared import show
from pages.shared.controls import IN_URL

CHANCE = 0.5


@dataclass(frozen=True, slots=True)
class SetupPairs:
    """The test pairs of one setup, and what topics alone tell about them."""

    setup: str
    group: str
    pairs: int
    left_out: int
    gap: float
    topic_oracle_auc: float


def pairs_of_runs(runs: Sequence[tuple[Setup, Evaluation]]) -> list[SetupPairs]:
    """The pairs that models were asked about here."""
    found = [(setup, mean_baselines(evaluation, setup.corpus)) for setup, evaluation in runs]
    return [
        SetupPairs(setup.key, setup.sampler, each.questions, each.left_out, each.gap, each.topic_oracle_auc)
        for setup, each in found
    ]


def pairs_of_benchmark(benchmark: Benchmark) -> list[SetupPairs]:
    """The test pairs of a benchmark."""
    return [
        SetupPairs(each.key, each.group, each.pairs["test"], each.left_out["test"], each.gap, each.topic_oracle_auc)
        for each in benchmark_statistics(benchmark)
    ]


def gaps(told: Sequence[SetupPairs]) -> tuple[float, float]:
    """The gap under HITS and its mean over the random setups; NaN where no setup has one."""
    found = [
        [each.gap for each in told if each.group == group and np.isfinite(each.gap)] for group in ("hits", "random")
    ]
    hits, random = (float(np.mean(each)) if each else float("nan") for each in found)
    return hits, random


def what_topics_tell(told: Sequence[SetupPairs], pairing: str) -> None:
    """The pairs of both setups, their gap and the topic oracle's AUC."""
    rows = [
        {
            "setup": each.setup,
            "test pairs": each.pairs,
            "left out": each.left_out,
            "gap": each.gap,
            "topic oracle AUC": each.topic_oracle_auc,
        }
        for each in told
    ]
    show.table(
        rows,
        precision=3,
        alt="Pairs, gap and topic oracle of every setup",
        csv=show.Csv("Pairs as CSV", "shortcut_pairs.csv", "pairs_csv"),
    )
    st.caption(
        f"Pairs: {PAIRINGS[pairing].label.lower()}. Gap: how much more often two texts by one author share a topic than two by different ones. Topic oracle: the AUC of a "
        "judge who knows nothing but the two topics, and the answers. Where topic tells nothing they are 0 and .5."
    )


def floor_cautions(found: Sequence[Reliance], kind: str) -> list[str]:
    """Systems that are right on fewer than half of the pairs of a kind: their lines tell of a threshold, not of topic."""
    low = []
    for each in found:
        right, answered = np.nan_to_num(each.accuracy[kind]), each.answered[kind]
        if answered.sum() and (right * answered).sum() / answered.sum() < CHANCE:
            low.append(each.name)
    if not low:
        return []
    always = {"different": "“same author”", "same": "“different authors”"}.get(kind, "one of the two")
    return [
        f"{listed(low)}: right on fewer than half of these pairs, which is below chance: the threshold answers {always} to most. "
        "A line near the floor, flat or falling, does not tell of topic."
    ]


def show_reliance(found: Sequence[Reliance]) -> None:
    """Scores against the similarity of the two texts."""
    kind = st.segmented_control(
        "Kind of pair",
        list(PAIR_KINDS),
        default="different",
        required=True,
        format_func=PAIR_KINDS.__getitem__,
        key="pair_kind",
        bind=IN_URL,
    )
    show.figure(
        plots.accuracy_by_similarity(found, kind), key="by_similarity", alt="Accuracy by similarity of the two texts"
    )
    show.notes(floor_cautions(found, kind))
    rows = [
        {"system": each.name} | {f"ρ, {PAIR_KINDS[name]}": each.rho.get(name, np.nan) for name in PAIR_KINDS}
        for each in found
    ]
    show.table(
        rows,
        precision=3,
        alt="Correlation of score and similarity",
        csv=show.Csv("Correlations as CSV", "shortcut_reliance.csv", "reliance_csv"),
    )
    st.caption(
        "Within one kind of pair the right answer never changes, so ρ there is what scores take from the likeness of the two "
        "texts, mostly topic (1 for a system whose score is this very cosine); over all pairs it also rises where same-author "
        "pairs are more alike. A system that takes topic for style calls alike texts by two authors one author's: it falls to "
        "the right."
    )
