"""Two at once: the verdict of this view beside that of another encoder, another filter or another corpus."""

import math

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.corpora import Corpus
from core.errors import LeakscopeError
from core.formats import first_few
from core.plots import overview as plots
from core.topics import TopicView, Verdict, ViewComparison, compare_views, topic_view
from core.vectors import ENCODERS, Vectors
from pages.parts.overview import kept_topics
from pages.shared import corpus_vectors, show, state, topics, work
from pages.shared.controls import IN_URL
from pages.shared.history import note_beside
from pages.shared.public import is_public
from pages.shared.show import escaped
from pages.shared.sidebar import FILTERS, SOURCES

NOTHING = "nothing"
KINDS = {NOTHING: "nothing", "encoder": "another encoder", "filter": "another filter", "corpus": "another corpus"}
MOST_NAMED = 40


def control(place: DeltaGenerator) -> str:
    """What to compare with; the choice is in the address."""
    with place.popover("Compare with …", icon=":material/compare_arrows:", width="stretch"):
        kind = st.selectbox("Compare with", list(KINDS), format_func=KINDS.__getitem__, key="compare_with", bind=IN_URL)
        {"encoder": _ask_encoder, "filter": _ask_filter, "corpus": _ask_corpus}.get(kind, lambda: None)()
    return kind


def _ask_encoder() -> None:
    in_hand = corpus_vectors.encoder_in_hand().name
    names = [name for name, kind in ENCODERS.items() if not kind.brought and name != in_hand]
    st.selectbox("Encoder", names, format_func=lambda name: ENCODERS[name].label, key="compare_encoder", bind=IN_URL)


def _ask_filter() -> None:
    labels = {key: label for label, _, _, key, _ in FILTERS}
    st.selectbox("Filter", list(labels), format_func=labels.__getitem__, key="compare_filter", bind=IN_URL)
    st.number_input("set to", 1, 100_000, 5, key="compare_value", bind=IN_URL)


def _ask_corpus() -> None:
    others = [source for source in SOURCES if source != st.session_state.get("corpus", "courier")]
    st.selectbox("Corpus", others, format_func=SOURCES.__getitem__, key="compare_corpus", bind=IN_URL)
    st.caption("With the same encoder and filters; topics are the same where their names are.")


def beside(corpus: Corpus, vectors: Vectors, *, kind: str, k: int) -> None:
    """This view and the other one, side by side, once the other is there."""
    with st.container(border=True):
        st.markdown("**Side by side**")
        try:
            found = _other(corpus, kind)
        except LeakscopeError as problem:
            show.refuse(problem, icon=":material/filter_alt_off:")
            return
        if found is None:
            return
        other, encoder, names = found
        theirs = corpus_vectors.vectors_by(other, encoder)
        view = None if theirs is None else _view(other, theirs, names[1])
        if theirs is None or view is None:
            return
        note_beside(other, theirs)
        here = TopicView(
            topics.space_of(corpus, vectors),
            topics.path_of(corpus, vectors),
            topics.labels_of(corpus, vectors),
            topics.resampled_of(corpus, vectors),
        )
        _drawn(compare_views(here, view, k=k), names, kinds=here.space.kind)


def _other(corpus: Corpus, kind: str) -> tuple[Corpus, corpus_vectors.Encoder, tuple[str, str]] | None:
    """The other corpus and encoder, and what the two sides are called; None where it is not loaded."""
    encoder, chosen = corpus_vectors.encoder_in_hand(), st.session_state
    if kind == "encoder":
        other = corpus_vectors.encoder_named(chosen["compare_encoder"])
        return corpus, other, (ENCODERS[encoder.name].label, ENCODERS[other.name].label)
    if kind == "filter":
        key, value = chosen["compare_filter"], int(chosen["compare_value"])
        (label,) = [label.lower() for label, _, _, name, _ in FILTERS if name == key]
        names = dict(zip((name for _, _, _, name, _ in FILTERS), state.filters(), strict=True))
        whole = state.whole_corpus()
        assert whole is not None, "the page has a corpus"
        part = state.with_filters(whole, state.filters() | {names[key]: value})
        return part, encoder, ("these filters", f"{label} {value}")
    whole = state.whole_corpus(chosen["compare_corpus"])
    if whole is None:
        st.info(f"{SOURCES[chosen['compare_corpus']]} is not loaded in this session.", icon=":material/upload:")
        st.page_link("pages/corpus.py", label="Go to Corpus to load it", icon=":material/arrow_forward:")
        return None
    return state.with_filters(whole, state.filters()), encoder, (corpus.name, whole.name)


def _view(corpus: Corpus, vectors: Vectors, name: str) -> TopicView | None:
    kind = topics.similarity_in_hand()
    return work.result(
        "views",
        (corpus.fingerprint, vectors.encoder_key, kind),
        work.step(topic_view, vectors.matrix, corpus.topic_codes, corpus.topic_names, similarity=kind),
        name=f"Topics of {name}",
        public=is_public(corpus),
    )


def _drawn(found: ViewComparison, names: tuple[str, str], *, kinds: str) -> None:
    st.markdown(show.literal(found.sentence(*names)))
    halves = st.grid(2, min_column_width=360, gap="medium")
    with halves.cell():
        sides = [_figures(verdict) for verdict in found.verdicts]
        show.table(
            pd.DataFrame({"": list(sides[0]), names[0]: sides[0].values(), _apart(names): sides[1].values()}),
            alt="Both verdicts in numbers",
            csv=show.Csv("Both verdicts as CSV", "verdicts_compared.csv"),
        )
        _samples(found, names)
    with halves.cell():
        if found.pairs.twins or len(found.pairs.others):
            show.figure(
                plots.two_views(found, names, kind=kinds),
                key="two_views",
                alt="Similarity of pairs of topics in both views, with either's near-twin line",
            )
    _twins(found, names)


def _apart(names: tuple[str, str]) -> str:
    return names[1] if names[1] != names[0] else f"{names[1]} "


def _figures(verdict: Verdict) -> dict[str, str]:
    comparable = math.isfinite(verdict.typical)
    told = {
        "answer": verdict.sentence.partition(":")[0],
        "topics": f"{verdict.topics:,}",
        "documents": f"{verdict.documents:,}",
        "typical similarity": f"{verdict.typical:.2f}" if comparable else "–",
    }
    if verdict.level == "meaningless":
        return told | dict.fromkeys(("near-twin line", "near-twin pairs", "beyond doubt", "twin-free with HITS"), "–")
    return told | {
        "near-twin line": f"{verdict.line:.2f}",
        "near-twin pairs": f"{verdict.twin_pairs:,}",
        "beyond doubt": f"{verdict.sure_pairs:,}",
        "twin-free with HITS": kept_topics(verdict),
    }


def _samples(found: ViewComparison, names: tuple[str, str]) -> None:
    """The topics that both samples hold, and those of one alone."""
    if any(verdict.level == "meaningless" for verdict in found.verdicts):
        return
    both = set(found.selected_by_both)
    one, two = ([name for name in sample if name not in both] for sample in found.samples)
    sides = {"both": list(found.selected_by_both), escaped(names[0]): one, escaped(names[1]): two}
    named = {
        side: first_few([escaped(name) for name in held], MOST_NAMED, between=" · ") for side, held in sides.items()
    }
    lines = [f"**{side}**: {names}" for side, names in named.items() if names]
    st.markdown(f"The first {found.m} topics of HITS, with  \n" + "  \n".join(lines))


def _twins(found: ViewComparison, names: tuple[str, str]) -> None:
    """Every near twin of either, with who sees it."""
    twins = found.pairs.twins
    if not twins:
        return
    said = {(True, True): "both", (True, False): names[0], (False, True): names[1]}
    rows = pd.DataFrame(
        {
            "topic": [pair.topics[0] for pair in twins],
            "and topic": [pair.topics[1] for pair in twins],
            "near twins with": [said[pair.seen] for pair in twins],
            "beyond doubt": ["yes" if pair.sure else "no" for pair in twins],
            names[0]: [pair.similarity[0] for pair in twins],
            _apart(names): [pair.similarity[1] for pair in twins],
        }
    )
    with st.expander(f"The near-twin pairs ({len(twins):,})", icon=":material/table_rows:"):
        show.table(
            rows,
            alt="Near-twin pairs of either view",
            precision=3,
            height=min(320, 38 + 35 * len(rows)),
            csv=show.Csv("Near twins as CSV", "near_twins_compared.csv"),
        )
        if any(found.elsewhere):
            of = " and ".join(
                f"{count:,} with {escaped(name)}" for count, name in zip(found.elsewhere, names, strict=True)
            )
            st.caption(f"Near-twin pairs with a topic that only one of the two has, or can place: {of}.")
