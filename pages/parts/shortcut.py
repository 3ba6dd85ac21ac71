"""The Shortcut test's interactive parts: the kind of pair that is drawn, and answers of one's own."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.evaluation import PAIR_KINDS
from core.papers.hits_2024 import BenchmarkAnswers, read_benchmark_answers
from core.questions import shortcut
from core.render import Answer
from pages.shared import render, studies, widgets
from pages.shared.controls import IN_URL
from pages.shared.upload import content_key, read_strictly


def drawn(answer: Answer) -> None:
    """Draw the answer's figure and numbers, accuracy by similarity for a kind of pair, and the tables."""
    render.figures(answer)
    render.facts(answer)
    if answer.numbers.reliance:
        kind = st.segmented_control(
            "Kind of pair",
            list(PAIR_KINDS),
            default="different",
            required=True,
            format_func=PAIR_KINDS.__getitem__,
            key="pair_kind",
            bind=IN_URL,
        )
        render.figure(shortcut.by_similarity(answer.numbers.reliance, kind))
    render.tables(answer)


def answers_of_files(row: DeltaGenerator, place: DeltaGenerator) -> None:
    """Read a benchmark and the answers of several systems, and show the test."""
    controls = shortcut.Settings.controls()
    metric, margin = (
        widgets.draw(row.container(width=180), controls[name], key, None, {})
        for name, key in (("metric", "metric"), ("margin", "lean_margin"))
    )
    st.markdown(
        "Upload a benchmark built here, and a file of answers per system: PAN's jsonl (`id`, `value`) or CSV (`id`, `score`). "
        "A file named *TopicFit* is the control."
    )
    asks = st.grid(2, min_column_width=300)
    archive = asks.file_uploader("Benchmark (zip)", type=["zip"], key="benchmark_file")
    files = asks.file_uploader(
        "Answers, one file per system", type=["jsonl", "csv"], accept_multiple_files=True, key="answer_files"
    )
    if archive is None or not files:
        return
    found: BenchmarkAnswers | None = read_strictly(
        "benchmark answers", content_key(archive, *files), read_benchmark_answers, archive, files
    )
    if found is None:
        return
    answer = studies.settled(lambda: shortcut.answer_of_files(found, metric=metric, margin=margin))
    if answer is not None:
        with place:
            render.headline(answer)
        drawn(answer)
