"""A benchmark of one's own: build it, download it, bring answers back, and read the shortcut test."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st

from core.corpora import Corpus
from core.errors import LeakscopeError
from core.models import METRICS
from core.plots import shortcut as plots
from core.studies import KINDS, Asked, System, answer_sheet, read_system, shortcut_test, topical_reliance
from core.studies.raven import benchmark_statistics, benchmark_zip, build_benchmark, read_benchmark
from core.topics import TopicSpace
from core.vectors import Vectors
from pages.shared.controls import IN_URL, escaped
from pages.shared.saying import refuse

QUIET = {"displayModeBar": False}


def raven_panel(corpus: Corpus, vectors: Vectors, space: TopicSpace, *, m: int, k: int) -> None:
    """Build the benchmark these settings describe and offer it as a zip; nothing is kept on the server."""
    with st.expander("Take the benchmark with you (RAVEN)", icon=":material/inventory_2:"):
        st.markdown(
            "The HITS setup and five random ones, every fold's documents and pairs, PAN-style, with a manifest of settings "
            "and checksums. Run your own systems on it and bring their answers back here."
        )
        wanted = f"raven:{corpus.fingerprint}:{vectors.encoder_key}:{m}:{k}"
        if st.button("Build it", key="build", icon=":material/construction:"):
            try:
                with st.spinner("Building the benchmark …"):
                    benchmark = build_benchmark(
                        corpus, vectors.matrix, encoder_key=vectors.encoder_key, m=m, k=k, space=space
                    )
                    rows = [
                        {"setup": each.key, "topics": each.topics, "documents": each.documents, "authors": each.authors}
                        | {f"{side} pairs": number for side, number in each.pairs.items()}
                        for each in benchmark_statistics(benchmark)
                    ]
                    st.session_state["raven"] = (wanted, benchmark_zip(benchmark), rows)
            except LeakscopeError as problem:
                refuse(problem)
        built = st.session_state.get("raven")
        if built is not None and built[0] == wanted:
            st.dataframe(pd.DataFrame(built[2]), hide_index=True, alt="What each setup of the benchmark holds")
            st.download_button(
                f"Benchmark (zip, {len(built[1]) / 1e6:.1f} MB)",
                built[1],
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
        show_test(sheet.asked, systems, metric)
    except LeakscopeError as problem:
        refuse(problem)


def show_test(asked: Sequence[Asked], systems: Sequence[System], metric: str) -> None:
    """Avg, Diff and ranks, with what folds vary by; and how much of a score is topic."""
    test = shortcut_test(asked, systems, metric=metric)
    label = METRICS[metric].label
    st.plotly_chart(
        plots.avg_against_diff(test, label), key="avg_diff", config=QUIET, alt="Avg against Diff, a point a system"
    )
    st.caption(
        "Hollow marks: Diff is within what folds vary by and says nothing about the system. Bars: 95 % bootstrap over folds."
    )
    frame = pd.DataFrame(
        [
            {
                "system": reading.name,
                "HITS": reading.hits,
                "random": reading.random,
                "Avg": reading.avg,
                "Diff": reading.diff,
                "rank by Avg": reading.rank_avg,
                "rank by Diff": reading.rank_diff,
                "Diff from": reading.diff_interval[0],
                "to": reading.diff_interval[1],
                "p": reading.p,
                "": "within noise" if reading.within_noise else "clear",
            }
            for reading in test.readings
        ]
    )
    st.dataframe(frame.style.format(precision=3, na_rep="–"), hide_index=True, alt="The shortcut test for every system")
    st.download_button(
        "Test as CSV",
        lambda: frame.to_csv(index=False),
        "shortcut_test.csv",
        "text/csv",
        icon=":material/download:",
        key="shortcut_csv",
    )
    for reading in test.readings:
        st.markdown(f"- {escaped(reading.sentence)}")
    _show_reliance(asked, systems)
    notes = [f"{system.name}: {note}" for system in systems for note in system.notes]
    if notes:
        with st.expander("Notes on the answers", icon=":material/info:"):
            for note in notes:
                st.markdown(f"- {escaped(note)}")


def _show_reliance(asked: Sequence[Asked], systems: Sequence[System]) -> None:
    found = topical_reliance(asked, systems)
    st.markdown("**How much of a score is topic?** Scores against the similarity of the two texts")
    kind = st.segmented_control(
        "Pairs", list(KINDS), default="different", required=True, format_func=KINDS.get, key="pair_kind", bind=IN_URL
    )
    st.plotly_chart(
        plots.accuracy_by_similarity(found, kind),
        key="by_similarity",
        config=QUIET,
        alt="Accuracy by similarity of the two texts",
    )
    frame = pd.DataFrame(
        [
            {"system": each.name} | {f"ρ, {KINDS[name]}": each.rho.get(name, np.nan) for name in KINDS}
            for each in found.systems
        ]
    )
    st.dataframe(
        frame.style.format(precision=3, na_rep="–"), hide_index=True, alt="Correlation of score and similarity"
    )
    st.caption(
        "ρ within one kind of pair is topic and chance alone; over all pairs it also rises because same-author pairs are more "
        "alike. A system that scores pairs by topic calls alike texts by two authors one author's: it falls to the right."
    )
