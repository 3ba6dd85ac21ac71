"""RAVEN on the Shortcut test: build the benchmark that the settings describe and download it."""

import streamlit as st

from core.arrays import digest
from core.engine import Call
from core.evaluation import NamedVectors
from core.papers.hits_2024 import packed_benchmark
from core.questions import shortcut
from core.splits import PAIRINGS
from core.study import Study
from core.topics import SAMPLERS, unlike_samplers
from pages.shared import files, render, work
from pages.shared.controls import IN_URL
from pages.shared.links import own_key
from pages.shared.public import is_public

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
        question = work.Question("Build it", key="build", primary=False, icon=":material/construction:")
        asked = st.session_state.get(BUILT) == digest(key)  # as when a project was saved: its texts are not in that
        built = work.result(
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
            files.offer(st.container(), f"Benchmark (zip, {len(archive) / 1e6:.1f} MB)", archive, name)
