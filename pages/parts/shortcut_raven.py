"""RAVEN on the Shortcut test: the benchmark that the settings in hand describe, built and offered as a file."""

from collections.abc import Sequence

import streamlit as st

from core.arrays import digest
from core.corpora import Corpus
from core.evaluation import NamedVectors
from core.splits import PAIRINGS
from core.studies.raven import FOLDS, SetupStatistics, packed_benchmark, workable_size
from core.topics import SAMPLERS, TopicSpace, unlike_samplers
from core.vectors import Vectors
from pages.shared import files, show, work
from pages.shared.controls import IN_URL
from pages.shared.links import own_key
from pages.shared.public import computed_once, is_public
from pages.shared.topics import space_of

BUILT = "raven_built"  # in the session's state: which benchmark was built last


@computed_once(most=16)
def buildable(corpus: Corpus, vectors: Vectors, kind: str, pairing: str) -> tuple[int | None, int]:
    """How many topics in how many folds make a benchmark of this corpus: what the page opens with."""
    return workable_size(corpus, space_of(corpus, vectors, kind), pairs=pairing) or (None, FOLDS)


def raven_panel(corpus: Corpus, vectors: Vectors, space: TopicSpace, *, m: int, k: int, pairing: str) -> None:
    """Build the benchmark these settings describe and offer it as a zip; nothing is kept on the server."""
    with st.expander("Take the benchmark with you (RAVEN)", icon=":material/inventory_2:"):
        sampler = _choose_unlike()
        st.markdown(
            f"One setup of topics unlike each other ({SAMPLERS[sampler].label}) and five random ones, every fold's documents and "
            "pairs, PAN-style, with a manifest of settings and checksums. Run your own systems on it and bring their answers back here. Ids are opaque and the order is "
            "shuffled: neither says whether one author wrote both texts. Pairs: "
            f"{PAIRINGS[pairing].label.lower()}, as above."
        )
        key = (corpus.fingerprint, vectors.encoder_key, space.kind, m, k, pairing, sampler)
        question = work.Question("Build it", key="build", primary=False, icon=":material/construction:")
        asked = st.session_state.get(BUILT) == digest(key)  # as when a project was saved: its texts are not in that
        named = NamedVectors(vectors.matrix, vectors.encoder_key)
        built = work.result(
            "benchmarks",
            key,
            work.step(packed_benchmark, corpus, named, m=m, k=k, pairs=pairing, space=space, sampler=sampler),
            name="Building the benchmark",
            public=is_public(corpus),
            question=None if asked else question,
        )
        if built is not None:
            st.session_state[BUILT] = digest(key)
            _offer(*built, f"raven_m{m}_k{k}_{pairing}.zip")


def _choose_unlike() -> str:
    """Who chooses the topics that are unlike each other: a name of SAMPLERS."""
    return st.segmented_control(
        "Unlike topics by",
        unlike_samplers(),
        default="hits",
        required=True,
        format_func=lambda name: SAMPLERS[name].label,
        key=own_key("shortcut", "raven_sampler"),
        bind=IN_URL,
        help="\n".join(f"- **{SAMPLERS[name].label}**: {SAMPLERS[name].about}" for name in unlike_samplers()),
    )


def _offer(archive: bytes, setups: Sequence[SetupStatistics], name: str) -> None:
    """What each setup holds, and the archive to take away."""
    rows = [
        {"setup": each.key, "topics": each.topics, "documents": each.documents, "authors": each.authors}
        | {f"{side} pairs": number for side, number in each.pairs.items()}
        | {"left out": sum(each.left_out.values()), "gap": each.gap, "topic oracle AUC": each.topic_oracle_auc}
        for each in setups
    ]
    show.table(
        rows,
        precision=3,
        alt="What each setup of the benchmark holds",
        csv=show.Csv("Setups as CSV", "raven_setups.csv", "raven_csv"),
    )
    files.offer(st.container(), f"Benchmark (zip, {len(archive) / 1e6:.1f} MB)", archive, name)
