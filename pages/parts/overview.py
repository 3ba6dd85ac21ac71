"""The parts of the overview: the verdict and its cautions, its numbers, its charts, and what to do."""

import math

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.corpora import Corpus
from core.formats import first_few
from core.plots import overview as plots
from core.topics import Resampled, TopicPath, TopicSpace, Verdict, closest_pairs, pair_histogram, sure_twins
from pages.shared import show
from pages.shared.show import escaped

LOOKS = {
    "leaks": ("red", ":material/warning:"),
    "some": ("orange", ":material/error:"),
    "clear": ("green", ":material/check_circle:"),
    "meaningless": ("blue", ":material/shuffle:"),
}
MOST_NAMED = 20


def headline(words: DeltaGenerator, verdict: Verdict, *, reading: str | None = None) -> None:
    """The verdict's sentence, its first words in the colour of its level, and what must be said with it."""
    colour, icon = LOOKS[verdict.level]
    lead, _, rest = verdict.sentence.partition(":")
    words.subheader(f":{colour}[{icon} {lead}:]{rest}", anchor=False)
    cautions = (*verdict.cautions, *((reading,) if reading else ()))
    if cautions:
        words.markdown("  \n".join(f":orange[:material/priority_high:] {caution}" for caution in cautions))


def cards(verdict: Verdict, *, draws: int) -> None:
    """The verdict in numbers; no near twins where the labels mean nothing."""
    meaningless, comparable = verdict.level == "meaningless", math.isfinite(verdict.typical)
    row = st.grid(2 if meaningless else 3, min_column_width=150)
    show.card(
        row,
        "Typical similarity",
        f"{verdict.typical:.2f}" if comparable else "–",
        "median over all pairs of topics",
    )
    if meaningless:
        if verdict.labels is not None and comparable:
            shuffled = verdict.labels.shuffled
            fewer = f" of {verdict.labels.compared} topics" if verdict.labels.compared < verdict.topics else ""
            times = f"the same{fewer}, {len(shuffled)} times"
            show.card(row, "With labels shuffled", f"{shuffled.min():.2f} to {shuffled.max():.2f}", times)
        return
    alike = (
        "Nearer to being one topic than to being a typical pair. Beyond doubt: both topics have documents enough, and all of "
        "the pair's 95 % interval lies there."
    )
    doubt = f", {verdict.sure_pairs:,} beyond doubt" if verdict.sure_pairs < verdict.twin_pairs else ""
    show.card(row, "Near-twin pairs", f"{verdict.twin_pairs:,}", f"{verdict.line:.2f} or more alike{doubt}", help=alike)
    show.card(
        row,
        "Twin-free with HITS",
        kept_topics(verdict),
        f"keeps {verdict.keep_documents:,} of {verdict.documents:,} documents",
        help="The most topics HITS can keep before two of them are near twins. In brackets where that number lies in 95 % "
        f"of {draws} draws of other documents of the same topics.",
    )


def kept_topics(verdict: Verdict) -> str:
    """The largest m without near twins and, where it is known, its interval."""
    if verdict.keep_interval is None:
        return f"{verdict.keep:,}"
    low, high = verdict.keep_interval
    return f"{verdict.keep:,} ({low:,}–{high:,})"


def charts(space: TopicSpace, verdict: Verdict, resampled: Resampled) -> None:
    """The worst pairs and all pairs; all pairs alone where the labels mean nothing."""
    pairs = closest_pairs(space.similarity, most=8)
    if not pairs:
        return
    if verdict.level == "meaningless":
        all_pairs(space, verdict)
        return
    sure = sure_twins(space, verdict.line, resampled)
    halves = st.grid(2, min_column_width=360, gap="medium")
    with halves.cell():
        st.markdown("**The most similar topics**")
        show.figure(
            plots.worst_pairs(space.names, pairs, verdict, kind=space.kind, sure=sure, resampled=resampled),
            key="worst",
        )
        if caption := plots.worst_caption(pairs, verdict, resampled, sure=sure):
            st.caption(caption)
    with halves.cell():
        all_pairs(space, verdict)


def all_pairs(space: TopicSpace, verdict: Verdict) -> None:
    """The histogram of all pairs."""
    st.markdown("**How alike all topics are**")
    show.figure(
        plots.similarity_histogram(
            *pair_histogram(space.similarity, line=min(verdict.line, 1.0)), verdict, kind=space.kind
        ),
        key="histogram",
    )


def what_to_do(space: TopicSpace, path: TopicPath, verdict: Verdict) -> None:
    """The topics HITS would keep; where the labels mean nothing, what to look at instead."""
    if verdict.level == "meaningless":
        st.markdown(
            "**What to do**: check on the *Corpus* page which column is the topic, and whether its labels are those of "
            "these texts. If they are, the encoder sees nothing of what they stand for: try another one in the sidebar, or "
            "topics with more documents."
        )
        return
    selected = [escaped(space.names[topic]) for topic in path.order[: verdict.keep]]
    st.markdown(f"**HITS would keep**, most distinct first: {first_few(selected, MOST_NAMED, between=' · ')}.")


def links(corpus: Corpus, verdict: Verdict) -> None:
    """Where to go from here."""
    row = st.grid(3, min_column_width=240)
    look = "Check the topic column" if verdict.level == "meaningless" else "Look at the corpus, or load yours"
    row.page_link("pages/corpus.py", label=look, icon=":material/library_books:")
    row.page_link("pages/topic_map.py", label="See why two topics are alike", icon=":material/bubble_chart:")
    if verdict.level != "meaningless":
        row.page_link("pages/hits.py", label="Choose how many topics to keep", icon=":material/filter_alt:")
    if corpus.splits is not None:
        row.page_link("pages/split.py", label="Judge the split that it brings", icon=":material/call_split:")
