"""The interactive parts of the HITS page: the view that moves under the hand, its captions and its files."""

from typing import Any

import numpy as np
import streamlit as st

from core.arrays import digest
from core.corpora import Corpus
from core.formats import counted, first_few
from core.questions import hits
from core.study import Study
from core.topics import (
    MOST_CELLS,
    POLICIES,
    SIMILARITIES,
    OptimumCurve,
    Sample,
    sample_table,
    settings_file,
)
from core.topics import hits_view as core_view
from pages.parts import hits_view
from pages.shared import files, state
from pages.shared.show import escaped

MOST_NAMED = 8


def smallest_topic(corpus: Corpus) -> None:
    """Ask for the minimum documents per topic, as the sidebar does, and show what it excludes."""
    whole = state.whole_corpus()
    if whole is None:
        return
    ask, effect = st.columns([1, 2], vertical_alignment="bottom", gap="medium")
    st.session_state["least"] = st.session_state.get("min_docs", 1)
    ask.number_input(
        "Minimum documents per topic",
        1,
        100_000,
        key="least",
        on_change=lambda: st.session_state.update(min_docs=st.session_state["least"]),
        help="The same setting as in the sidebar; it applies to every page.",
    )
    out = whole.topic_sizes[~np.isin(whole.topic_names, corpus.topic_names)]
    counts = f"**{len(out):,} of {len(whole.topic_names):,} topics and {int(out.sum()):,} documents** are excluded"
    least = int(corpus.topic_sizes.min())
    fewest = counted(least, "document")
    effect.markdown(
        f"{counts}; the smallest topic left has {fewest}."
        if len(out)
        else f"No topic is excluded for its size; the smallest has {fewest}."
    )


def drawn(
    study: Study, settings: hits.Settings, best: OptimumCurve | None, similarity: dict[str, float | None]
) -> None:
    """Draw cards and charts, which the browser draws for every m."""
    policy, threshold, method = settings.policy, settings.threshold, study.ready_layout.method
    key = digest([*study.key, policy, threshold, method, best is not None])
    view = study.once(
        "view", policy, threshold, method, best is not None, compute=lambda: _view(study, policy, threshold, best)
    )
    hits_view.draw(view, key=key, m=settings.m, here=similarity)


def _view(study: Study, policy: str, threshold: float, best: OptimumCurve | None) -> dict[str, Any]:
    return core_view(
        study.space,
        study.path,
        study.every_m(policy, threshold),
        band=study.band,
        bootstrap=study.bootstrap,
        layout=study.ready_layout,
        verdict=study.judged(2),
        optimum=best,
    ).as_json()


def explained(study: Study) -> None:
    """Say what the charts mean that their keys do not."""
    band, space = study.band, study.space
    fewer = " (999 up to 200 topics)" if band.samples < 999 else ""
    blocks = f", in blocks above {MOST_CELLS} topics" if len(space) > MOST_CELLS else ""
    st.caption(
        f"Similarity: {SIMILARITIES[space.kind]}. Band: 5% to 95% of {band.samples} random samples{fewer}. Dots on the path: how often "
        f"a topic is among the first *m* in {len(study.bootstrap.steps)} bootstrap samples; around 50% the choice is a coin toss. The "
        f"matrix is in path order{blocks}, and the framed corner is what is kept. For comparison, the paper's fan fiction at m = 70 "
        "(plain cosine, pairs across folds): random 0.841 mean, 0.922 max; HITS 0.775 and 0.862."
    )


def file_stem(settings: hits.Settings) -> str:
    """Return what files of the sample are called: other samples of the same size have other names."""
    similar = f"_{settings.threshold:.2f}" if POLICIES[settings.policy].takes_threshold else ""
    return f"hits_m{settings.m}_{settings.policy}{similar}"


def downloads(study: Study, settings: hits.Settings, sample: Sample) -> None:
    """Offer the sample's documents in every format, and the settings that make it again."""
    st.markdown("**Export**")
    threshold = settings.threshold if POLICIES[settings.policy].takes_threshold else None
    chosen = {
        "policy": settings.policy,
        "threshold": threshold,
        "similarity": study.similarity,
    } | state.exported_choices()
    files.documents(
        lambda: sample_table(study.corpus, sample),
        stem=file_stem(settings),
        key="export",
        settings=lambda: settings_file(
            study.corpus, study.space, study.path, sample, encoder_key=study.vectors.encoder_key, settings=chosen
        ),
    )


def other_similarity(study: Study, m: int) -> None:
    """Name the topics by which the sample would differ under the other similarity."""
    kind = next(each for each in SIMILARITIES if each != study.similarity)
    names, order, other = study.space.names, study.path.order[:m], study.path_by(kind)
    theirs = other.order[: min(m, other.comparable)]
    instead = [names[topic] for topic in theirs if topic not in order]
    gone = [names[topic] for topic in order if topic not in theirs]
    name = f"With similarity *{SIMILARITIES[kind]}*"
    if not instead and not gone:
        st.caption(f":material/check: {name}, HITS keeps the same {m} topics.")
        return
    st.caption(
        f":material/compare_arrows: {name}, {len(gone)} of {m} topics differ: {_named(instead)} instead of {_named(gone)}."
    )


def _named(names: list[str]) -> str:
    return first_few([f"*{escaped(name)}*" for name in names], MOST_NAMED, between=" · ") or "nothing"
