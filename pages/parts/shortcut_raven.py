"""RAVEN on the Shortcut test: the benchmark that the settings in hand describe, built and offered as a file."""

from typing import Any

import streamlit as st

from core.corpora import Corpus
from core.progress import Progress
from core.splits import PAIRINGS
from core.studies.raven import benchmark_statistics, benchmark_zip, build_benchmark
from core.topics import TopicSpace
from core.vectors import Vectors
from pages.shared import show, work


def raven_panel(corpus: Corpus, vectors: Vectors, space: TopicSpace, *, m: int, k: int, pairing: str) -> None:
    """Build the benchmark these settings describe and offer it as a zip; nothing is kept on the server."""

    def build(progress: Progress) -> tuple[bytes, list[dict[str, Any]]]:
        benchmark = build_benchmark(
            corpus, vectors.matrix, encoder_key=vectors.encoder_key, m=m, k=k, pairs=pairing, space=space
        )
        rows = [
            {"setup": each.key, "topics": each.topics, "documents": each.documents, "authors": each.authors}
            | {f"{side} pairs": number for side, number in each.pairs.items()}
            | {"left out": sum(each.left_out.values()), "gap": each.gap, "topic oracle AUC": each.topic_oracle_auc}
            for each in benchmark_statistics(benchmark)
        ]
        return benchmark_zip(benchmark), rows

    with st.expander("Take the benchmark with you (RAVEN)", icon=":material/inventory_2:"):
        st.markdown(
            "The HITS setup and five random ones, every fold's documents and pairs, PAN-style, with a manifest of settings "
            "and checksums. Run your own systems on it and bring their answers back here. Ids are opaque and the order is "
            "shuffled: neither says whether one author wrote both texts. Pairs: "
            f"{PAIRINGS[pairing].label.lower()}, as above."
        )
        built = work.result(
            "benchmarks",
            (corpus.fingerprint, vectors.encoder_key, space.kind, m, k, pairing),
            work.Step(build),
            start="Building the benchmark …",
            question=work.Question("Build it", key="build", primary=False, icon=":material/construction:"),
        )
        if built is None:
            return
        archive, rows = built
        show.table(rows, precision=3, alt="What each setup of the benchmark holds")
        st.download_button(
            f"Benchmark (zip, {len(archive) / 1e6:.1f} MB)",
            archive,
            f"raven_m{m}_k{k}_{pairing}.zip",
            "application/zip",
            icon=":material/download:",
            on_click="ignore",
        )
