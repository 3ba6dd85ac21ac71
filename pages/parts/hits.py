"""The parts of the HITS page: what is asked, the sample's charts, its table, its files."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from core.arrays import Floats
from core.corpora import Corpus
from core.plots import hits as plots
from core.topics import (
    FORMATS,
    POLICIES,
    Layout,
    RandomBand,
    Sample,
    TopicPath,
    TopicSpace,
    make_sample,
    pair_summary,
    sample_file,
    sample_table,
    settings_file,
)
from core.vectors import Vectors
from pages.shared import show, state
from pages.shared.controls import IN_URL, whole_number


@dataclass(frozen=True, eq=False, slots=True)
class Choice:
    """The sample the user asks for, its similarity (mean and max) as cards and charts show it, and the threshold of the
    policy where it takes one."""

    sample: Sample
    similarity: dict[str, float | None]
    threshold: float | None

    @property
    def m(self) -> int:
        return len(self.sample.selected)

    @property
    def merges(self) -> bool:
        """Whether topics left out join kept ones."""
        return bool((self.sample.assigned >= 0).sum() > self.m)


def smallest_topic(corpus: Corpus) -> None:
    """The smallest topic that takes part: the sidebar's setting, asked for here too, and what it costs."""
    whole = state.whole_corpus()
    if whole is None:
        return
    ask, effect = st.columns([1, 2], vertical_alignment="bottom", gap="medium")
    st.session_state["least"] = st.session_state.get("min_docs", 1)
    ask.number_input(
        "Smallest topic that takes part (documents)",
        1,
        100_000,
        key="least",
        on_change=lambda: st.session_state.update(min_docs=st.session_state["least"]),
        help="The same setting as *Least documents per topic* in the sidebar: it holds on every page.",
    )
    out = whole.topic_sizes[~np.isin(whole.topic_names, corpus.topic_names)]
    counts = f"**{len(out):,} of {len(whole.topic_names):,} topics and {int(out.sum()):,} documents** take no part"
    least = int(corpus.topic_sizes.min())
    fewest = f"{least:,} document{'s' if least > 1 else ''}"
    effect.markdown(
        f"{counts}; the smallest that does has {fewest}."
        if len(out)
        else f"No topic is left out for its size; the smallest has {fewest}."
    )


def choose_sample(space: TopicSpace, path: TopicPath, *, suggested: int | None) -> Choice:
    """How many topics, and what becomes of the others; half of them where nothing can be suggested."""
    asks = st.grid(3, min_column_width=230, gap="medium", vertical_alignment="bottom")
    m = whole_number(
        asks,
        "Topics to keep (m)",
        1,
        path.placed,
        max(2, suggested or path.placed // 2),
        key="m",
        help="No m is better than another here."
        if suggested is None
        else f"Up to m = {suggested} no two kept topics are near twins.",
    )
    policy = asks.segmented_control(
        "Topics left out",
        list(POLICIES),
        default="cutting",
        required=True,
        key="policy",
        bind=IN_URL,
        help="**Cutting** drops them (the paper's choice); **grouping** merges each into its nearest kept topic; "
        "**hybrid** merges where the two are alike enough, and drops the rest.",
    )
    threshold = None
    if POLICIES[policy].takes_threshold:
        threshold = asks.slider("Alike enough from", 0.0, 1.0, 0.6, 0.01, key="threshold", bind=IN_URL)
    sample = make_sample(space.similarity, path.order[:m], policy=policy, threshold=threshold or 0.0)
    return Choice(sample, pair_summary(space, sample), threshold)


def charts(
    space: TopicSpace, path: TopicPath, band: RandomBand, layout: Layout, choice: Choice, shares: Floats
) -> None:
    """Similarity against m and the map on the left, the path on the right."""
    halves = st.grid(2, min_column_width=380, gap="medium")
    with halves.cell():
        st.markdown("**Similarity among the kept topics**")
        show.figure(
            plots.similarity_against_m(path, band, choice.m, choice.similarity, kind=space.kind),
            key="curve",
            alt="Mean and max similarity against m for HITS and random samples",
        )
        beside = " The mark counts merged topics in, as the cards do; the line is of the kept topics alone."
        fewer = " (999 up to 200 topics)" if band.samples < 999 else ""
        st.caption(
            f"Band: 5 to 95 % of {band.samples} random samples{fewer}.{beside if choice.merges else ''} For orientation, the "
            "paper's fan fiction at m = 70 (plain cosine, pairs across folds): random 0.841 mean, 0.922 max; HITS 0.775 and "
            "0.862."
        )
        st.markdown("**Kept topics on the map**")
        show.figure(
            plots.kept_map(space.names, layout, space.sizes, choice.sample),
            key="kept_map",
            alt="Map of topics with the kept ones lit",
        )
    with halves.cell():
        st.markdown("**The path: topics in the order HITS takes them**")
        show.figure(
            plots.path_steps(space.names, path, choice.m, shares),
            key="path",
            alt="Topics in path order with their leakage and how often each is kept",
        )
        where = "Dots" if len(path) <= plots.MOST_BARS else "On pointing at the line, and in the table below"
        st.caption(
            f"{where}: how often a topic is among the first {choice.m} when the documents of every topic are drawn anew. Near "
            "100 % or 0 % the choice is sure; around 50 % it is a coin toss."
        )


def fates(corpus: Corpus, space: TopicSpace, sample: Sample, shares: Floats) -> pd.DataFrame:
    """A row a topic: its documents, what becomes of them under the sample, and how sure that is."""
    names, topics = corpus.topic_names, range(len(corpus.topic_names))
    merged = [sample.assigned[topic] not in (topic, -1) for topic in topics]
    return pd.DataFrame(
        {
            "topic": names,
            "documents": corpus.topic_sizes,
            "fate": [
                f"kept, step {step}" if step else "merged" if joins else "dropped" if placed else "cannot be placed"
                for step, joins, placed in zip(sample.steps, merged, space.placed, strict=True)
            ],
            "kept in, of draws": [f"{share:.0%}" for share in shares],
            "merged into": [names[sample.assigned[topic]] if merged[topic] else "" for topic in topics],
        }
    )


def downloads(corpus: Corpus, vectors: Vectors, space: TopicSpace, path: TopicPath, choice: Choice) -> None:
    """The sample's documents in every format, and the settings that make it again."""
    st.markdown("**Take it with you**")
    row = st.container(horizontal=True, vertical_alignment="center")
    safe = st.session_state.get("safe_documents", False)  # asked for at the end of the row

    def documents(format: str) -> Callable[[], bytes]:
        if format == "csv" and safe:
            return lambda: show.csv_file(sample_table(corpus, choice.sample), safe=True)
        return lambda: sample_file(corpus, choice.sample, format=format)

    for format in FORMATS:
        row.download_button(
            f"Documents ({format})",
            documents(format),
            f"hits_m{choice.m}.{format}",
            icon=":material/download:",
            key=f"export_{format}",
            on_click="ignore",
        )
    settings = {
        "policy": choice.sample.policy,
        "threshold": choice.threshold,
        "similarity": space.kind,
    } | state.filters()
    row.download_button(
        "Settings (json)",
        lambda: settings_file(corpus, space, path, choice.sample, encoder_key=vectors.encoder_key, settings=settings),
        f"hits_m{choice.m}.settings.json",
        icon=":material/settings:",
        key="export_settings",
        on_click="ignore",
    )
    show.safe_for_spreadsheets(row, key="safe_documents", default=False)
