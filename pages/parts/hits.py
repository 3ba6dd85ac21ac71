"""The parts of the HITS page: what is asked, what is said of a sample, its table, its files."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core.arrays import Floats, digest
from core.corpora import Corpus
from core.formats import counted, first_few, percent
from core.topics import (
    MOST_CELLS,
    POLICIES,
    SIMILARITIES,
    OptimumCurve,
    RandomBand,
    Resampled,
    Sample,
    TopicPath,
    TopicSpace,
    make_sample,
    pair_similarities,
    pair_summary,
    sample_table,
    settings_file,
)
from core.topics import hits_view as core_view
from core.vectors import Vectors
from pages.parts import hits_view
from pages.parts.hits_suggestion import samples_of
from pages.shared import files, state, topics
from pages.shared.controls import IN_URL
from pages.shared.public import computed_once
from pages.shared.show import escaped

MOST_NAMED = 8


@dataclass(frozen=True, eq=False, slots=True)
class SampleChoice:
    """The sample the user asks for, its similarity (mean and max), and the threshold of the policy where it takes one."""

    sample: Sample
    similarity: dict[str, float | None]
    threshold: float | None

    @property
    def m(self) -> int:
        return len(self.sample.selected)


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
    fewest = counted(least, "document")
    effect.markdown(
        f"{counts}; the smallest that does has {fewest}."
        if len(out)
        else f"No topic is left out for its size; the smallest has {fewest}."
    )


def choose_policy() -> tuple[str, float | None]:
    """What becomes of the topics left out, and how alike a topic must be to be merged, where that is asked."""
    row = st.container(horizontal=True, vertical_alignment="center", gap="medium")
    row.markdown(
        "Topics left out",
        help="**Cutting** drops them (the paper's choice); **grouping** merges each into its nearest kept topic; "
        "**hybrid** merges where the two are alike enough, and drops the rest.",
        width="content",
    )
    policy = row.segmented_control(
        "Topics left out",
        list(POLICIES),
        default="cutting",
        required=True,
        key="policy",
        bind=IN_URL,
        label_visibility="collapsed",
    )
    if not POLICIES[policy].takes_threshold:
        return policy, None
    return policy, row.slider("Alike enough from", 0.0, 1.0, 0.6, 0.01, key="threshold", bind=IN_URL, width=260)


def choose_sample(
    space: TopicSpace, path: TopicPath, policy: str, threshold: float | None, *, default: int
) -> SampleChoice:
    """The sample of as many topics as the slider says."""
    m = hits_view.m_in_hand(path.placed, default)
    sample = make_sample(space.similarity, path.order[:m], policy=policy, threshold=threshold or 0.0)
    return SampleChoice(sample, pair_summary(space, sample), threshold)


def drawn(corpus: Corpus, vectors: Vectors, choice: SampleChoice, best: OptimumCurve | None) -> None:
    """Cards and charts, which the browser draws for every m."""
    kind, method = topics.similarity_in_hand(), state.ready_layout(corpus, vectors).method
    settings = (kind, choice.sample.policy, choice.threshold, method)
    key = digest([corpus.fingerprint, vectors.encoder_key, *settings, best is not None])
    view = _view(corpus, vectors, *settings, best is not None, best)
    hits_view.draw(view, key=key, m=choice.m, here=choice.similarity)


@computed_once(most=8)
def _view(
    corpus: Corpus,
    vectors: Vectors,
    kind: str,
    policy: str,
    threshold: float | None,
    method: str,
    with_optimum: bool,
    _best: OptimumCurve | None,
) -> dict[str, Any]:
    space, path = topics.space_of(corpus, vectors, kind), topics.path_of(corpus, vectors, kind)
    return core_view(
        space,
        path,
        samples_of(corpus, vectors, kind, policy, threshold),
        band=topics.band_of(corpus, vectors, kind),
        resampled=topics.resampled_of(corpus, vectors, kind),
        layout=state.ready_layout(corpus, vectors),
        verdict=topics.verdict_of(corpus, vectors, k=2),
        optimum=_best,
    ).as_json()


def explained(band: RandomBand, resampled: Resampled, space: TopicSpace) -> None:
    """What the charts mean that their keys do not say."""
    fewer = " (999 up to 200 topics)" if band.samples < 999 else ""
    blocks = f", in blocks where there are more than {MOST_CELLS}" if len(space) > MOST_CELLS else ""
    st.caption(
        f"Similarity: {SIMILARITIES[space.kind]}. Band: 5 to 95 % of {band.samples} random samples{fewer}. Dots of the path: how "
        f"often a topic is among the first *m* in {len(resampled.steps)} draws of every topic's documents; near 100 % or 0 % the "
        f"choice is sure, around 50 % it is a coin toss. The matrix is in the order of the path{blocks}: what is kept is the "
        "framed corner. For orientation, the paper's fan fiction at m = 70 (plain cosine, pairs across folds): random 0.841 "
        "mean, 0.922 max; HITS 0.775 and 0.862."
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
            "kept in, of draws": [f"{percent(share)}" for share in shares],
            "merged into": [names[sample.assigned[topic]] if merged[topic] else "" for topic in topics],
        }
    )


def file_stem(choice: SampleChoice) -> str:
    """What files of the sample are called: other samples of as many topics have other names."""
    alike = "" if choice.threshold is None else f"_{choice.threshold:.2f}"
    return f"hits_m{choice.m}_{choice.sample.policy}{alike}"


def downloads(corpus: Corpus, vectors: Vectors, space: TopicSpace, path: TopicPath, choice: SampleChoice) -> None:
    """The sample's documents in every format, and the settings that make it again."""
    st.markdown("**Take it with you**")
    settings = {
        "policy": choice.sample.policy,
        "threshold": choice.threshold,
        "similarity": space.kind,
    } | state.exported_choices()
    files.documents(
        lambda: sample_table(corpus, choice.sample),
        stem=file_stem(choice),
        key="export",
        settings=lambda: settings_file(
            corpus, space, path, choice.sample, encoder_key=vectors.encoder_key, settings=settings
        ),
    )


def other_similarity(
    space: TopicSpace, path: TopicPath, other: tuple[TopicSpace, TopicPath], choice: SampleChoice
) -> None:
    """The topics by which the sample would differ under the other similarity."""
    (kind, order), m = (other[0].kind, other[1].order[: min(choice.m, other[1].placed)]), choice.m
    instead = [space.names[topic] for topic in order if topic not in path.order[:m]]
    gone = [space.names[topic] for topic in path.order[:m] if topic not in order]
    name = f"With similarity *{SIMILARITIES[kind]}*"
    if not instead and not gone:
        st.caption(f":material/check: {name} the same {m} topics would be kept.")
        return
    st.caption(
        f":material/compare_arrows: {name} the sample would differ by {len(gone)} of {m} topics: "
        f"{_named(instead)} instead of {_named(gone)}."
    )


def _named(names: list[str]) -> str:
    return first_few([f"*{escaped(name)}*" for name in names], MOST_NAMED, between=" · ") or "nothing"


def negative_similarities(space: TopicSpace) -> None:
    """Where similarities are negative, the product in HITS misleads: say so."""
    values = pair_similarities(space.similarity)
    if (values < 0).any():
        st.caption(
            f":material/exposure_neg_1: {(values < 0).sum():,} of {len(values):,} pairs of topics have negative similarity "
            f"(lowest {values.min():.2f}). The product of two negatives is positive, so there HITS can prefer the more "
            "similar topic."
        )
