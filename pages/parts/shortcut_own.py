"""Answers of one's own on the Shortcut test: a benchmark, and a file a system."""

from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import LeakscopeError
from core.studies import answer_sheet, read_system
from core.studies.raven import read_benchmark
from pages.parts.shortcut import show_test
from pages.parts.shortcut_pairs import pairs_of_benchmark
from pages.shared.show import refuse


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
