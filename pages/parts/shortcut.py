"""The Shortcut test: what the control says, who leans on topic, the numbers behind it, and answers of one's own."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import LeakscopeError
from core.formats import p_value, rank, share
from core.models import METRICS
from core.plots import shortcut as plots
from core.splits import PAIRINGS
from core.statistics import Conclusion
from core.studies import (
    NO_LABELS,
    ShortcutTest,
    SystemAnswers,
    TestPairs,
    answer_sheet,
    pairs_caution,
    read_system,
    shortcut_test,
    topical_reliance,
)
from core.studies.raven import read_benchmark
from pages.parts.shortcut_pairs import SetupPairs, gaps, pairs_of_benchmark, show_reliance, what_topics_tell
from pages.shared import show
from pages.shared.show import conclude, escaped, refuse

BADGES = {
    "leans": ":orange-badge[:material/trending_down: leans on topic]",
    "does not": ":green-badge[:material/check: does not lean on topic]",
    "cannot tell": ":gray-badge[:material/question_mark: cannot tell here]",
}


def _now(name: str, compute: Callable[[], Any], *choices: object) -> Any:
    return compute()


def show_test(
    pairs: Sequence[TestPairs],
    systems: Sequence[SystemAnswers],
    told: Sequence[SetupPairs],
    answer: DeltaGenerator,
    *,
    metric: str,
    margin: float,
    pairing: str,
    meaningful: bool = True,
    once: Callable[..., Any] = _now,
) -> None:
    """The control's word and every system's reading in `answer`; then the numbers, the pairs, and how much of a score is topic.

    Where labels mean nothing HITS is one more random sample, and there is no test. `once` computes what has not been
    computed before for others.
    """
    test = None
    if meaningful:
        test = once("test", lambda: shortcut_test(pairs, systems, metric=metric, margin=margin), metric, margin)
    with answer:
        if test is None:
            conclude(Conclusion(NO_LABELS))
        else:
            _answer(test, told, pairing)
    _notes(systems)
    scored = test is not None and any(np.isfinite(result.gap) for result in test.results)
    if test is not None and scored:
        show.figure(plots.avg_against_diff(test, METRICS[metric].label), key="avg_diff")
    numbers, beside, alike = st.tabs(["The numbers", "What topics tell of the pairs", "How much of a score is topic?"])
    with numbers:
        if test is not None and scored:
            _numbers(test, folds=len(pairs))
        else:
            st.info("There is nothing to compare.", icon=":material/info:")
    with beside:
        what_topics_tell(told, pairing)
    with alike:
        if sum(map(len, pairs)):
            show_reliance(once("reliance", lambda: topical_reliance(pairs, systems)))


def _answer(test: ShortcutTest, told: Sequence[SetupPairs], pairing: str) -> None:
    with st.container(border=True):
        st.subheader(escaped(test.sentence), anchor=False)
        for reading, badge in BADGES.items():
            if names := [escaped(result.name) for result in test.results if result.reading == reading]:
                st.markdown(f"{badge} {' · '.join(names)}")
        if caution := pairs_caution(*gaps(told), pairing=PAIRINGS[pairing].label):
            st.markdown(f":orange[:material/priority_high:] {escaped(caution)}")


def _numbers(test: ShortcutTest, *, folds: int) -> None:
    """Every system in a sentence, and its numbers."""
    for result in test.results:
        st.markdown(f"{BADGES[result.reading]} {escaped(result.sentence)}")
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
        formats={"rank by Avg": rank, "rank by Diff": rank, "p (t-test, Holm)": p_value},
        alt="The shortcut test for every system",
        csv=show.Csv("Test as CSV", "shortcut_test.csv", "shortcut_csv"),
    )
    st.caption(
        "Avg: the mean of a system's scores under HITS and at random; Diff: how far apart the two are. In the chart hollow marks "
        "are systems whose 95 % interval of HITS − random holds 0, or is not known; bars are that interval (for Diff without "
        "its sign) and, for Avg, the bootstrap over folds. p is the paper's unpaired t-test over folds, which share documents. "
        f"{_placebo(test.placebo)} The readings follow the interval, not p."
    )


def _placebo(rate: float) -> str:
    """How often the paper's t-test calls a random sample different from the others."""
    if np.isnan(rate):
        return "How often it finds what is not there, so few random samples do not show."
    found = f"set each random sample against the others and it calls {share(rate)} of them different, where 5 % would be right."
    return f"It finds what is not there: {found}" if rate > 0.05 else f"It finds no more than it should here: {found}"


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


def own_answers(metric: str, margin: float, answer: DeltaGenerator) -> None:
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
        told, pairing = pairs_of_benchmark(benchmark), benchmark.settings.pairs
        show_test(sheet.pairs, systems, told, answer, metric=metric, margin=margin, pairing=pairing)
    except LeakscopeError as problem:
        refuse(problem)
