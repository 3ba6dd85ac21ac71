"""The parts of the Shortcut test: what the control says, who leans on topic, and what topics tell of the pairs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from core.errors import LeakscopeError
from core.evaluation import Evaluation, mean_baselines
from core.models import METRICS
from core.plots import shortcut as plots
from core.splits import PAIRINGS
from core.studies import (
    PAIR_KINDS,
    Reliance,
    ShortcutTest,
    SystemAnswers,
    TestPairs,
    answer_sheet,
    read_system,
    shortcut_test,
    topical_reliance,
)
from core.studies.raven import Benchmark, benchmark_statistics, read_benchmark
from core.topics import Setup
from pages.shared import show
from pages.shared.controls import IN_URL
from pages.shared.show import escaped, refuse

BADGES = {
    "leans": ":orange-badge[:material/trending_down: leans on topic]",
    "does not": ":green-badge[:material/check: does not lean on topic]",
    "cannot tell": ":gray-badge[:material/question_mark: cannot tell here]",
}
NO_LABELS = (
    "The labels do not separate these texts, so that HITS has nothing to choose and the test nothing to compare: it cannot tell "
    "who leans on topic."
)
LEVEL_GAPS = 0.005  # gaps of the two setups that differ by less are one gap


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


def own_answers(metric: str, margin: float) -> None:
    """Read a benchmark and the answers of several systems, and show the test."""
    st.markdown(
        "Upload a benchmark built here, and a file of answers per system: PAN's jsonl (`id`, `value`) or CSV (`id`, `score`). "
        "Name one of them *TopicFit* and it is the control."
    )
    asks = st.grid(2, min_column_width=300)
    archive = asks.file_uploader("Benchmark (zip)", type=["zip"], key="benchmark_file")
    files = asks.file_uploader(
        "Answers, a file per system", type=["jsonl", "csv"], accept_multiple_files=True, key="answer_files"
    )
    if archive is None or not files:
        return
    try:
        with st.spinner("Checking the benchmark and reading answers …"):
            benchmark = read_benchmark(archive)
            sheet = answer_sheet(benchmark)
            systems = [read_system(sheet, [file], name=Path(file.name).stem) for file in files]
        told = pairs_of_benchmark(benchmark)
        show_test(sheet.pairs, systems, told, metric=metric, margin=margin, pairing=benchmark.settings.pairs)
    except LeakscopeError as problem:
        refuse(problem)


def _now(name: str, compute: Callable[[], Any], *choices: object) -> Any:
    return compute()


def show_test(
    pairs: Sequence[TestPairs],
    systems: Sequence[SystemAnswers],
    told: Sequence[SetupPairs],
    *,
    metric: str,
    margin: float,
    pairing: str,
    meaningful: bool = True,
    once: Callable[..., Any] = _now,
) -> None:
    """The control's word and every system's reading first; then the numbers, the pairs, and how much of a score is topic.

    Where labels mean nothing HITS is one more random sample, and there is no test. `once` computes what has not been
    computed before for others.
    """
    if meaningful:
        test = once("test", lambda: shortcut_test(pairs, systems, metric=metric, margin=margin), metric, margin)
        _tested(test, pairs, told, pairing)
    else:
        with st.container(border=True):
            st.subheader(NO_LABELS, anchor=False)
    _notes(systems)
    _what_topics_tell(told, pairing)
    if sum(map(len, pairs)):
        _show_reliance(once("reliance", lambda: topical_reliance(pairs, systems)))


def _tested(test: ShortcutTest, pairs: Sequence[TestPairs], told: Sequence[SetupPairs], pairing: str) -> None:
    _answer(test, told, pairing)
    label = METRICS[test.metric].label
    if not any(np.isfinite(result.gap) for result in test.results):
        return
    show.figure(plots.avg_against_diff(test, label), key="avg_diff", alt="Avg against Diff, a point a system")
    st.caption(
        "Avg: the mean of a system's scores under HITS and at random; Diff: how far apart the two are. Hollow marks: the 95 % "
        "interval of HITS − random holds 0, or is not known; filled ones: it does not hold 0. Bars are that interval (for Diff "
        "without its sign) and, for Avg, the bootstrap over folds."
    )
    _numbers(test, folds=len(pairs))


def _answer(test: ShortcutTest, told: Sequence[SetupPairs], pairing: str) -> None:
    with st.container(border=True):
        st.subheader(escaped(test.sentence), anchor=False)
        for result in test.results:
            st.markdown(f"{BADGES[result.reading]} {escaped(result.sentence)}")
        hits, random = _gaps(told)
        if hits - random > LEVEL_GAPS:
            st.markdown(
                f":orange[:material/priority_high:] These pairs are drawn {PAIRINGS[pairing].label.lower()}: topic tells them "
                f"apart better under HITS (gap {hits:.2f}) than at random ({random:.2f}), which lifts scores under HITS "
                "whatever leaks. Read the test at matched pairs."
            )


def _gaps(told: Sequence[SetupPairs]) -> tuple[float, float]:
    """The gap under HITS and its mean over the random setups; NaN where no setup has one."""
    gaps = [
        [each.gap for each in told if each.group == group and np.isfinite(each.gap)] for group in ("hits", "random")
    ]
    hits, random = (float(np.mean(each)) if each else float("nan") for each in gaps)
    return hits, random


def _numbers(test: ShortcutTest, *, folds: int) -> None:
    """Every system's numbers."""
    rows = [
        {
            "system": result.name,
            "leans on topic?": result.reading,
            "HITS": result.hits,
            "random": result.random,
            "HITS − random": result.gap,
            "95 % from": result.gap_interval[0],
            "to": result.gap_interval[1],
            "Avg": result.avg,
            "Diff": result.diff,
            "rank by Avg": result.rank_avg,
            "rank by Diff": result.rank_diff,
            "p (t-test, Holm)": result.adjusted_p,
            "folds": f"{folds - result.undefined_folds} of {folds}",
        }
        for result in test.results
    ]
    show.table(
        rows,
        precision=3,
        formats={"rank by Avg": "{:g}", "rank by Diff": "{:g}"},
        alt="The shortcut test for every system",
        csv=show.Csv("Test as CSV", "shortcut_test.csv", "shortcut_csv"),
    )
    errs = (
        "how often it does here, so few random samples do not show"
        if np.isnan(test.placebo)
        else f"each random sample set against the others, where it should in 5 % of cases, it does here in {test.placebo:.0%}"
    )
    st.caption(
        "p is the paper's unpaired t-test over folds. Folds share documents and samples differ by more than leakage, so it "
        f"may find what is not there: {errs}. The readings follow the interval, not p."
    )


def _what_topics_tell(told: Sequence[SetupPairs], pairing: str) -> None:
    """The pairs of both setups, their gap and the topic oracle's AUC."""
    st.markdown(f"**What topics alone tell about the test pairs** ({PAIRINGS[pairing].label.lower()})")
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
    show.table(rows, precision=3, alt="Pairs, gap and topic oracle of every setup")
    st.caption(
        "Gap: how much more often two texts by one author share a topic than two by different ones. Topic oracle: the AUC of a "
        "judge who knows nothing but the two topics, and the answers. Where topic tells nothing they are 0 and .5."
    )


def _notes(systems: Sequence[SystemAnswers]) -> None:
    """What could not be run or read, with the reason, once for all systems it concerns; it is in no mean."""
    found: dict[str, list[str]] = {}
    for system in systems:
        for note in system.notes:
            found.setdefault(note, []).append(system.name)
    if found:
        title = f"Not in the means, and other remarks on the answers ({len(found):,})"
        with st.expander(title, icon=":material/info:"):
            for note, names in found.items():
                whose = "all systems" if len(names) == len(systems) > 1 else ", ".join(names)
                st.markdown(f"- {escaped(whose)}: {escaped(note)}")


def _show_reliance(found: Sequence[Reliance]) -> None:
    st.markdown("**How much of a score is topic?** Scores against the similarity of the two texts")
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
    rows = [
        {"system": each.name} | {f"ρ, {PAIR_KINDS[name]}": each.rho.get(name, np.nan) for name in PAIR_KINDS}
        for each in found
    ]
    show.table(rows, precision=3, alt="Correlation of score and similarity")
    st.caption(
        "Within one kind of pair the right answer never changes, so ρ there is what scores take from the likeness of the two "
        "texts, mostly topic (1 for a system whose score is this very cosine); over all pairs it also rises where same-author "
        "pairs are more alike. A system that takes topic for style calls alike texts by two authors one author's: it falls to "
        "the right."
    )
