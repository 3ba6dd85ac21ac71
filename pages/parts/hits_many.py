"""The HITS page where there are more topics than a matrix of all pairs can hold: the path, and the sample as files."""

import math
from functools import partial

import streamlit as st

from core.corpora import Corpus
from core.topics import (
    FORMATS,
    MOST_IN_MATRIX,
    TopicPath,
    TopicPoints,
    hits_path_to,
    make_sample,
    sample_counts,
    sample_file,
    topic_points,
)
from core.vectors import Vectors
from pages.shared import show, topics
from pages.shared.controls import whole_number

MOST_STEPS = 1_000  # of the path: each costs as much as there are topics


@topics.of_topics(wait="Walking the path of HITS …")
def path_of(corpus: Corpus, vectors: Vectors, kind: str) -> tuple[TopicPoints, TopicPath]:
    """The topics as points, and the first steps of HITS among them."""
    found = topic_points(vectors.matrix, corpus.topic_codes, corpus.topic_names, similarity=kind)
    return found, hits_path_to(found, m=MOST_STEPS)


def many_topics(corpus: Corpus, vectors: Vectors) -> None:
    """How many topics, what they keep, how alike they are, and the documents to take away."""
    found, path = path_of(corpus, vectors)
    st.info(
        f"{len(found):,} topics. Past {MOST_IN_MATRIX:,} the similarity of all pairs is not computed: HITS is given up to "
        f"{MOST_STEPS:,} topics, without verdict, random samples or map.",
        icon=":material/grid_off:",
    )
    show.unplaced_topics(found)
    if path.placed < 2:
        return
    m = whole_number(
        st.container(),
        "Topics to keep (m)",
        1,
        path.placed,
        min(100, path.placed),
        key="m",
        help="The first m topics of the path.",
    )
    sample = make_sample(found.points, path.order[:m])  # those left out are dropped: no pair of them is looked at
    counts = sample_counts(corpus, sample)
    cards = st.grid(4, min_column_width=140)
    show.card(cards, "Topics kept", f"{m:,}", f"of {len(found):,}")
    show.card(cards, "Documents kept", f"{counts.documents:,}", f"{counts.documents_lost:,} of {len(corpus):,} go")
    show.card(cards, "Mean similarity", _shown(path.mean[m - 1]), "of pairs kept")
    show.card(cards, "Max similarity", _shown(path.max[m - 1]), "of pairs kept")
    row = st.container(horizontal=True)
    for format in FORMATS:
        row.download_button(
            f"Documents ({format})",
            partial(sample_file, corpus, sample, format=format),
            f"hits_m{m}.{format}",
            icon=":material/download:",
            key=f"export_{format}",
            on_click="ignore",
        )


def _shown(similarity: float) -> str:
    return "–" if math.isnan(similarity) else f"{similarity:.3f}"
