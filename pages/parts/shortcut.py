"""The Shortcut test's interactive parts: the kind of pair that is drawn, answers of one's own, and RAVEN as a download."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.arrays import digest
from core.engine import Call
from core.evaluation import PAIR_KINDS, NamedVectors
from core.papers.hits_2024 import BenchmarkAnswers, packed_benchmark, read_benchmark_answers
from core.questions import shortcut
from core.render import Answer
from core.splits import PAIRINGS
from core.study import Study
from core.topics import SAMPLERS, unlike_samplers
from pages.shared import jobs, render, show, studies, widgets
from pages.shared.history import own_key
from pages.shared.session import is_public
from pages.shared.upload import content_key, read_strictly
from pages.shared.widgets import IN_URL


def drawn(answer: Answer) -> None:
    """Draw the change under HITS, accuracy by similarity for a kind of pair, the paper's chart and the tables."""
    if answer.figures:
        render.figure(answer.figure("changes"))
    render.facts_line([each for each in answer.facts if each != answer.hero])
    render.next_steps(answer)
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
    if answer.figures:
        paper = answer.figure("avg_diff")
        with st.expander(paper.title, icon=":material/scatter_plot:"):
            render.figure(paper, title=False)
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


BUILT = "raven_built"  # in the session's state: which benchmark was built last


def raven_panel(study: Study, settings: shortcut.Settings) -> None:
    """Build the benchmark these settings describe and offer it as a zip; nothing is kept on the server."""
    corpus, vectors, space = study.corpus, study.vectors, study.space
    m, k, pairs = settings.m, settings.k, settings.pairs
    with st.expander("Download the benchmark (RAVEN)", icon=":material/inventory_2:"):
        sampler = st.segmented_control(
            "Distinct topics by",
            unlike_samplers(),
            default="hits",
            required=True,
            format_func=lambda name: SAMPLERS[name].label,
            key=own_key("shortcut", "raven_sampler"),
            bind=IN_URL,
            help="\n".join(f"- **{SAMPLERS[name].label}**: {SAMPLERS[name].about}" for name in unlike_samplers()),
        )
        st.markdown(
            f"One sample of distinct topics ({SAMPLERS[sampler].label}) and five random ones: the documents and pairs of every fold, "
            "PAN-style, with a manifest of settings and checksums. Run your own systems on it and upload their answers here. "
            "Ids are opaque and the order is shuffled, so neither tells whether one author wrote both texts. "
            f"Pairs: {PAIRINGS[pairs].label.lower()}, as above."
        )
        key = (corpus.fingerprint, vectors.encoder_key, space.kind, m, k, pairs, sampler)
        question = jobs.Question("Build it", key="build", primary=False, icon=":material/construction:")
        asked = st.session_state.get(BUILT) == digest(key)  # as when a project was saved: its texts are not in that
        built = jobs.result(
            "benchmarks",
            key,
            Call(
                packed_benchmark,
                (corpus, NamedVectors(vectors.matrix, vectors.encoder_key)),
                {"m": m, "k": k, "pairs": pairs, "space": space, "sampler": sampler},
            ),
            name="Building the benchmark",
            public=is_public(corpus),
            question=None if asked else question,
        )
        if built is not None:
            st.session_state[BUILT] = digest(key)
            archive, setups = built
            render.table(shortcut.benchmark_table(setups))
            name = f"raven_m{m}_k{k}_{pairs}.zip"
            show.offer(st.container(), f"Benchmark (zip, {len(archive) / 1e6:.1f} MB)", archive, name)
