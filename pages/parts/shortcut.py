"""A benchmark of one's own: build it, download it, bring answers back, and read the shortcut test."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from core.corpora import Corpus
from core.errors import LeakscopeError
from core.models import METRICS
from core.plots import shortcut as plots
from core.progress import Progress
from core.studies import (
    PAIR_KINDS,
    SystemAnswers,
    TestPairs,
    answer_sheet,
    read_system,
    shortcut_test,
    topical_reliance,
)
from core.studies.raven import benchmark_statistics, benchmark_zip, build_benchmark, read_benchmark
from core.topics import TopicSpace
from core.vectors import Vectors
from pages.shared import show, work
from pages.shared.controls import IN_URL
from pages.shared.show import escaped, refuse


def raven_panel(corpus: Corpus, vectors: Vectors, space: TopicSpace, *, m: int, k: int) -> None:
    """Build the benchmark these settings describe and offer it as a zip; nothing is kept on the server."""

    def build(progress: Progress) -> tuple[bytes, list[dict[str, Any]]]:
        benchmark = build_benchmark(corpus, vectors.matrix, encoder_key=vectors.encoder_key, m=m, k=k, space=space)
        rows = [
            {"setup": each.key, "topics": each.topics, "documents": each.documents, "authors": each.authors}
            | {f"{side} pairs": number for side, number in each.pairs.items()}
            for each in benchmark_statistics(benchmark)
        ]
        return benchmark_zip(benchmark), rows

    with st.expander("Take the benchmark with you (RAVEN)", icon=":material/inventory_2:"):
        st.markdown(
            "The HITS setup and five random ones, every fold's documents and pairs, PAN-style, with a manifest of settings "
            "and checksums. Run your own systems on it and bring their answers back here."
        )
        built = work.result(
            "benchmarks",
            (corpus.fingerprint, vectors.encoder_key, m, k),
            work.Step(build),
            start="Building the benchmark …",
            question=work.Question("Build it", key="build", primary=False, icon=":material/construction:"),
        )
        if built is None:
            return
        archive, rows = built
        show.table(rows, alt="What each setup of the benchmark holds")
        st.download_button(
            f"Benchmark (zip, {len(archive) / 1e6:.1f} MB)",
            archive,
            f"raven_m{m}_k{k}.zip",
            "application/zip",
            icon=":material/download:",
            on_click="ignore",
        )


def own_answers(metric: str) -> None:
    """Read a benchmark and the answers of several systems, and show the test."""
    st.markdown(
        "Upload a benchmark built here, and a file of answers per system: PAN's jsonl (`id`, `value`) or CSV (`id`, `score`)."
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
            sheet = answer_sheet(read_benchmark(archive))
            systems = [read_system(sheet, [file], name=Path(file.name).stem) for file in files]
        show_test(sheet.pairs, systems, metric)
    except LeakscopeError as problem:
        refuse(problem)


def show_test(pairs: Sequence[TestPairs], systems: Sequence[SystemAnswers], metric: str) -> None:
    """Avg, Diff and ranks, with what folds vary by; and how much of a score is topic."""
    test = shortcut_test(pairs, systems, metric=metric)
    label = METRICS[metric].label
    show.figure(plots.avg_against_diff(test, label), key="avg_diff", alt="Avg against Diff, a point a system")
    st.caption(
        "Hollow marks: Diff is within what folds vary by and says nothing about the system. Bars: 95 % bootstrap over folds."
    )
    rows = [
        {
            "system": result.name,
            "HITS": result.hits,
            "random": result.random,
            "Avg": result.avg,
            "Diff": result.diff,
            "rank by Avg": result.rank_avg,
            "rank by Diff": result.rank_diff,
            "Diff from": result.diff_interval[0],
            "to": result.diff_interval[1],
            "p": result.p,
            "": "within noise" if result.within_noise else "clear",
        }
        for result in test.results
    ]
    show.table(
        rows,
        precision=3,
        alt="The shortcut test for every system",
        csv=show.Csv("Test as CSV", "shortcut_test.csv", "shortcut_csv"),
    )
    for result in test.results:
        st.markdown(f"- {escaped(result.sentence)}")
    _show_reliance(pairs, systems)
    notes = [f"{system.name}: {note}" for system in systems for note in system.notes]
    if notes:
        with st.expander("Notes on the answers", icon=":material/info:"):
            for note in notes:
                st.markdown(f"- {escaped(note)}")


def _show_reliance(pairs: Sequence[TestPairs], systems: Sequence[SystemAnswers]) -> None:
    found = topical_reliance(pairs, systems)
    st.markdown("**How much of a score is topic?** Scores against the similarity of the two texts")
    kind = st.segmented_control(
        "Pairs",
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
        "ρ within one kind of pair is topic and chance alone; over all pairs it also rises because same-author pairs are more "
        "alike. A system that scores pairs by topic calls alike texts by two authors one author's: it falls to the right."
    )
