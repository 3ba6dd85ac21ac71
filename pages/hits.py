"""HITS: which topics should I keep?"""

import pandas as pd
import streamlit as st

from core.plots import hits as plots
from core.topics import (
    FORMATS,
    POLICIES,
    judge,
    kept_and_lost,
    kept_file,
    make_sample,
    merged_space,
    pair_similarities,
    settings_file,
)
from pages.shared import state
from pages.shared.controls import IN_URL, encoder_notes, header, whole_number
from pages.shared.experimenting import experiments

QUIET = {"displayModeBar": False}

header(
    "Which topics should I keep?",
    "HITS keeps topics that are unlike each other, so that a topic held out for testing really is new. "
    "Move the slider: the path was computed once and holds the answer for every *m*.",
    section="HITS",
)
corpus = state.corpus_or_stop()
vectors = state.vectors_or_stop(corpus)
space, path, band = state.space_of(corpus, vectors), state.path_of(corpus, vectors), state.band_of(corpus, vectors)
layout = state.ready_layout(corpus, vectors)
suggested = judge(space.similarity, path, k=2).keep


@st.fragment
def explore() -> None:
    """The slider and all that follows from it; moving it reruns this part alone."""
    asks = st.grid(3, min_column_width=230, gap="medium", vertical_alignment="bottom")
    m = whole_number(
        asks,
        "Topics to keep (m)",
        1,
        len(space),
        max(2, suggested),
        key="m",
        help=f"Up to m = {suggested} no two kept topics are near twins.",
    )
    policy = asks.segmented_control(
        "Topics left out",
        POLICIES,
        default="cutting",
        required=True,
        key="policy",
        bind=IN_URL,
        help="**Cutting** drops them (the paper's choice); **grouping** merges each into its nearest kept topic; "
        "**hybrid** merges where the two are alike enough, and drops the rest.",
    )
    threshold = 0.0
    if policy == "hybrid":
        threshold = asks.slider("Alike enough from", 0.0, 1.0, 0.6, 0.01, key="threshold", bind=IN_URL)
    sample = make_sample(space.similarity, path.order[:m], policy=policy, threshold=threshold)
    counts = kept_and_lost(corpus, sample)
    pairs = pair_similarities(merged_space(space, sample.home).similarity)

    cards = st.grid(5, min_column_width=140)
    lost = {"delta_color": "off", "delta_arrow": "off", "border": True, "height": "stretch"}
    cards.metric("Topics kept", m, f"of {len(space)}", **lost)
    cards.metric("Documents kept", f"{counts.documents:,}", f"{counts.documents_lost:,} lost", **lost)
    if counts.authors is None:
        cards.metric("Authors kept", "–", "no authors known", **lost)
    else:
        cards.metric("Authors kept", f"{counts.authors:,}", f"{counts.authors_lost:,} lost", **lost)
    cards.metric(
        "Mean similarity", f"{pairs.mean():.3f}" if m > 1 else "–", f"random {band.mean[1, m - 1]:.3f}", **lost
    )
    cards.metric("Max similarity", f"{pairs.max():.3f}" if m > 1 else "–", f"random {band.max[1, m - 1]:.3f}", **lost)

    charts = st.grid(2, min_column_width=380, gap="medium")
    with charts.cell():
        st.markdown("**Similarity among the kept topics**")
        st.plotly_chart(
            plots.similarity_against_m(path, band, m),
            key="curve",
            config=QUIET,
            alt="Mean and max similarity against m for HITS and random samples",
        )
        st.caption(
            f"Band: {band.samples} random samples. For orientation, the paper's fan fiction at m = 70 (pairs across "
            "folds): random 0.841 mean, 0.922 max; HITS 0.775 and 0.862."
        )
        st.markdown("**Kept topics on the map**")
        st.plotly_chart(
            plots.kept_map(space.names, layout, space.sizes, sample),
            key="kept_map",
            config=QUIET,
            alt="Map of topics with the kept ones lit",
        )
    with charts.cell():
        st.markdown("**The path: topics in the order HITS takes them**")
        st.plotly_chart(
            plots.path_steps(space.names, path, m),
            key="path",
            config=QUIET,
            alt="Topics in path order with their leakage",
        )

    with st.expander("What is kept and what is lost, topic by topic", icon=":material/list:"):
        st.dataframe(pd.DataFrame(counts.per_topic), hide_index=True, alt="Every topic and what became of it")
    st.markdown("**Take it with you**")
    row = st.container(horizontal=True)
    for format in FORMATS:
        row.download_button(
            f"Documents ({format})",
            lambda format=format: kept_file(corpus, sample, format=format),
            f"hits_m{m}.{format}",
            icon=":material/download:",
            key=f"export_{format}",
            on_click="ignore",
        )
    settings = {"policy": policy, "threshold": threshold if policy == "hybrid" else None} | state.filters()
    row.download_button(
        "Settings (json)",
        lambda: settings_file(corpus, space, path, sample, encoder_key=vectors.encoder_key, settings=settings),
        f"hits_m{m}.settings.json",
        icon=":material/settings:",
        key="export_settings",
        on_click="ignore",
    )


explore()
experiments(corpus, vectors, space, path)
negative = pair_similarities(space.similarity)
if (negative < 0).any():
    st.caption(
        f":material/exposure_neg_1: {(negative < 0).sum():,} of {len(negative):,} pairs of topics have negative similarity "
        f"(lowest {negative.min():.2f}). The product of two negatives is positive, so there HITS can prefer the more "
        "similar topic."
    )
encoder_notes(vectors.notes)
