"""Overview: does my split leak?"""

import streamlit as st

from core.plots import overview as plots
from core.topics import closest_pairs, judge, pair_histogram
from pages.shared import show, state
from pages.shared.controls import encoder_notes, header, whole_number
from pages.shared.show import escaped

HEADLINES = {
    "leaks": ":red[:material/warning: Yes: a split by topic would leak.]",
    "some": ":orange[:material/error: In places: a few topics have a near twin.]",
    "clear": ":green[:material/check_circle: Hardly: topics are clearly apart.]",
}

header(
    "Does my split leak?",
    "Topics held out for testing are only *unseen* if nothing like them is in training. "
    "Here is how alike your topics are, and how often a split by topic would part near twins.",
    section="Near twins and the verdict",
)
corpus = state.corpus_or_stop()
vectors = state.vectors_or_stop(corpus)
space, path = state.space_of(corpus, vectors), state.path_of(corpus, vectors)

with st.container(border=True):
    words, control = st.columns([3, 1], vertical_alignment="center", gap="medium")
    k = whole_number(
        control,
        "Folds of topics (k)",
        2,
        min(20, len(space)),
        6,
        key="k",
        help="As in k-fold cross-validation by topic.",
    )
    verdict = judge(space.similarity, path, k=k)
    words.subheader(HEADLINES[verdict.level], anchor=False)
    words.markdown(
        f"Deal the **{len(space)} topics** of *{escaped(corpus.name)}* into **{k} folds** at random, and "
        f"**{verdict.leaking_topics:.1f}** of them will, on average, be tested while a near twin is in training."
    )

cards = st.grid(4, min_column_width=170)
cards.metric("Topics", f"{len(space):,}", help=f"in {len(corpus):,} documents", border=True)
cards.metric(
    "Typical similarity", f"{verdict.typical:.2f}", border=True, help="Median cosine over all pairs of topics."
)
cards.metric(
    "Near-twin pairs",
    f"{verdict.twin_pairs:,}",
    border=True,
    help=f"Pairs at least {verdict.threshold:.2f} alike: nearer to being one topic than to being a typical pair.",
)
cards.metric(
    "Twin-free with HITS",
    f"{verdict.keep} of {len(space)}",
    border=True,
    help="The most topics HITS can keep before two of them are near twins.",
)

charts = st.grid(2, min_column_width=360, gap="medium")
with charts.cell():
    st.markdown("**The most similar topics**")
    pairs = closest_pairs(space.similarity, most=8)
    show.figure(
        plots.worst_pairs(space.names, pairs, verdict),
        key="worst",
        alt="Bars of the eight most similar pairs of topics",
    )
with charts.cell():
    st.markdown("**How alike all topics are**")
    show.figure(
        plots.similarity_histogram(*pair_histogram(space.similarity), verdict),
        key="histogram",
        alt="Histogram of the similarity of all pairs of topics with the near-twin line",
    )

selected = ", ".join(escaped(space.names[topic]) for topic in path.order[: min(verdict.keep, 40)])
more = f" and {verdict.keep - 40} more" if verdict.keep > 40 else ""
st.markdown(f"**HITS would keep**, most distinct first: {selected}{more}.")
links = st.grid(3, min_column_width=240)
links.page_link("pages/corpus.py", label="Look at the corpus, or load yours", icon=":material/library_books:")
links.page_link("pages/topic_map.py", label="See why two topics are alike", icon=":material/bubble_chart:")
links.page_link("pages/hits.py", label="Choose how many topics to keep", icon=":material/filter_alt:")
if corpus.splits is not None:
    st.page_link(
        "pages/split.py", label="This corpus brings a split of its own: judge it", icon=":material/call_split:"
    )
encoder_notes(vectors.notes)
