"""The HITS page where there are more topics than a matrix of all pairs can hold: the path, and the sample as files."""

from typing import Any

import streamlit as st

from core.arrays import digest
from core.corpora import Corpus
from core.topics import (
    MOST_IN_MATRIX,
    TopicPath,
    TopicPoints,
    hits_path_to,
    make_sample,
    sample_at_every_m,
    sample_table,
    topic_points,
)
from core.topics import hits_view as core_view
from core.vectors import Vectors
from pages.parts import hits_view
from pages.shared import files, show, topics, visits

MOST_STEPS = 1_000  # of the path: each costs as much as there are topics


@topics.of_topics(wait="Walking the path of HITS …")
def path_of(corpus: Corpus, vectors: Vectors, kind: str) -> tuple[TopicPoints, TopicPath]:
    """The topics as points, and the first steps of HITS among them."""
    found = topic_points(vectors.matrix, corpus.topic_codes, corpus.topic_names, similarity=kind)
    return found, hits_path_to(found, m=MOST_STEPS)


def many_topics(corpus: Corpus, vectors: Vectors) -> None:
    """What is given where there are so many topics, and what is not."""
    found, path = path_of(corpus, vectors)
    st.info(
        f"{len(found):,} topics. Past {MOST_IN_MATRIX:,} the similarity of all pairs is not computed: HITS is given up to "
        f"{MOST_STEPS:,} topics, without verdict, random samples or map.",
        icon=":material/grid_off:",
    )
    show.unplaced_topics(found)
    if path.placed > 1:
        _explore(corpus, vectors)


@st.fragment
def _explore(corpus: Corpus, vectors: Vectors) -> None:
    """The slider and what follows from it."""
    visits.note_use()
    found, path = path_of(corpus, vectors)
    m = hits_view.m_in_hand(path.placed, min(100, path.placed))
    hits_view.draw(_view(corpus, vectors), key=digest([corpus.fingerprint, vectors.encoder_key, found.kind]), m=m)
    sample = make_sample(found.points, path.order[:m])  # those left out are dropped: no pair of them is looked at
    files.documents(lambda: sample_table(corpus, sample), stem=f"hits_m{m}", key="export")


@topics.of_topics()
def _view(corpus: Corpus, vectors: Vectors, kind: str) -> dict[str, Any]:
    found, path = path_of(corpus, vectors, kind)
    return core_view(found, path, sample_at_every_m(corpus, found, path)).as_json()
