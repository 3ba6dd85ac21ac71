"""The parts of the HITS page: what is asked, what the sample holds, its charts, its files."""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
import streamlit as st

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
    merged_space,
    pair_similarities,
    sample_counts,
    sample_file,
    settings_file,
)
from core.vectors import Vectors
from pages.shared import show, state
from pages.shared.controls import IN_URL, whole_number


@dataclass(frozen=True, eq=False, slots=True)
class Choice:
    """The sample the user asks for, and the threshold of the policy where it takes one."""

    sample: Sample
    threshold: float | None

    @property
    def m(self) -> int:
        return len(self.sample.selected)


def choose_sample(space: TopicSpace, path: TopicPath, *, suggested: int) -> Choice:
    """How many topics, and what becomes of the others."""
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
    return Choice(make_sample(space.similarity, path.order[:m], policy=policy, threshold=threshold or 0.0), threshold)


def counts(corpus: Corpus, space: TopicSpace, band: RandomBand, choice: Choice) -> None:
    """What is kept and lost, and how alike the kept topics are beside random ones."""
    m, found = choice.m, sample_counts(corpus, choice.sample)
    pairs = pair_similarities(merged_space(space, choice.sample.assigned).similarity)
    cards = st.grid(5, min_column_width=140)
    show.card(cards, "Topics kept", f"{m}", f"of {len(space)}")
    show.card(cards, "Documents kept", f"{found.documents:,}", f"{found.documents_lost:,} lost")
    if found.authors is None:
        show.card(cards, "Authors kept", "–", "no authors known")
    else:
        show.card(cards, "Authors kept", f"{found.authors:,}", f"{found.authors_lost:,} lost")
    mean, max = (f"{pairs.mean():.3f}", f"{pairs.max():.3f}") if m > 1 else ("–", "–")
    show.card(cards, "Mean similarity", mean, f"random {band.mean[1, m - 1]:.3f}")
    show.card(cards, "Max similarity", max, f"random {band.max[1, m - 1]:.3f}")


def charts(space: TopicSpace, path: TopicPath, band: RandomBand, layout: Layout, choice: Choice) -> None:
    """Similarity against m and the map on the left, the path on the right."""
    halves = st.grid(2, min_column_width=380, gap="medium")
    with halves.cell():
        st.markdown("**Similarity among the kept topics**")
        show.figure(
            plots.similarity_against_m(path, band, choice.m),
            key="curve",
            alt="Mean and max similarity against m for HITS and random samples",
        )
        st.caption(
            f"Band: {band.samples} random samples. For orientation, the paper's fan fiction at m = 70 (pairs across "
            "folds): random 0.841 mean, 0.922 max; HITS 0.775 and 0.862."
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
            plots.path_steps(space.names, path, choice.m), key="path", alt="Topics in path order with their leakage"
        )


def fates(corpus: Corpus, sample: Sample) -> pd.DataFrame:
    """A row a topic: its documents, and what becomes of them under the sample."""
    names, topics = corpus.topic_names, range(len(corpus.topic_names))
    merged = [sample.assigned[topic] not in (topic, -1) for topic in topics]
    return pd.DataFrame(
        {
            "topic": names,
            "documents": corpus.topic_sizes,
            "fate": [
                f"kept, step {step}" if step else "merged" if joins else "dropped"
                for step, joins in zip(sample.steps, merged, strict=True)
            ],
            "merged into": [names[sample.assigned[topic]] if merged[topic] else "" for topic in topics],
        }
    )


def downloads(corpus: Corpus, vectors: Vectors, space: TopicSpace, path: TopicPath, choice: Choice) -> None:
    """The sample's documents in every format, and the settings that make it again."""
    st.markdown("**Take it with you**")
    row = st.container(horizontal=True)

    def documents(format: str) -> Callable[[], bytes]:
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
    settings = {"policy": choice.sample.policy, "threshold": choice.threshold} | state.filters()
    row.download_button(
        "Settings (json)",
        lambda: settings_file(corpus, space, path, choice.sample, encoder_key=vectors.encoder_key, settings=settings),
        f"hits_m{choice.m}.settings.json",
        icon=":material/settings:",
        key="export_settings",
        on_click="ignore",
    )


def negative_similarities(space: TopicSpace) -> None:
    """Where similarities are negative, the product in HITS misleads: say so."""
    values = pair_similarities(space.similarity)
    if (values < 0).any():
        st.caption(
            f":material/exposure_neg_1: {(values < 0).sum():,} of {len(values):,} pairs of topics have negative similarity "
            f"(lowest {values.min():.2f}). The product of two negatives is positive, so there HITS can prefer the more "
            "similar topic."
        )
