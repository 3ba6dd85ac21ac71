"""The two most similar topics side by side, and the verdict beside that of another encoder, filter or corpus."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.arrays import Ints
from core.corpora import Corpus
from core.errors import LeakscopeError
from core.questions import views
from core.study import Study
from core.topics import closest_documents, most_similar_pairs
from core.vectors import ENCODERS
from pages.shared import render, show, state
from pages.shared.history import SOURCES, note_beside
from pages.shared.sidebar import FILTERS
from pages.shared.studies import study_of
from pages.shared.widgets import IN_URL

CLOSEST = 20  # pairs of documents: the closest may be of a line each, which shows nothing
EXCERPT = 200  # characters of a document
NOTHING = "nothing"
KINDS = {NOTHING: "nothing", "encoder": "another encoder", "filter": "another filter", "corpus": "another corpus"}


def closest_texts(study: Study) -> None:
    """Draw the beginnings of the closest documents of the two most similar topics side by side."""
    render.chart_title("Their closest documents")
    first, second, _ = most_similar_pairs(study.space, study.bootstrap, most=1)[0]
    near = study.once(  # a class opens this page together: the search reads every document of both topics
        "closest documents",
        first,
        second,
        compute=lambda: closest_documents(study.vectors.matrix, study.corpus.topic_codes, first, second, most=CLOSEST),
    )
    for column, row in zip(
        st.columns(2, gap="medium"), texts_to_show(study.corpus, near.first, near.second), strict=True
    ):
        topic, text = study.corpus.topic_codes[row], " ".join(study.corpus.texts[row].split())
        begins = text if len(text) <= EXCERPT else f"{text[:EXCERPT].rsplit(' ', 1)[0]} …"
        column.markdown(f"**{show.escaped(study.space.names[topic])}**")
        column.text(begins)  # as text: markdown would make links of the addresses in it


def texts_to_show(corpus: Corpus, first: Ints, second: Ints) -> tuple[int, int]:
    """Return the first pair of documents that both fill an excerpt; else the first pair."""
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    return next((pair for pair in pairs if min(len(corpus.texts[row]) for row in pair) >= EXCERPT), pairs[0])


def control(place: DeltaGenerator) -> str:
    """Return what to compare with; the choice is in the address."""
    with place.popover("Compare with …", icon=":material/compare_arrows:"):
        kind = st.selectbox("Compare with", list(KINDS), format_func=KINDS.__getitem__, key="compare_with", bind=IN_URL)
        {"encoder": _ask_encoder, "filter": _ask_filter, "corpus": _ask_corpus}.get(kind, lambda: None)()
    return kind


def _ask_encoder() -> None:
    current = state.current_encoder().name
    names = [name for name, kind in ENCODERS.items() if not kind.brought and name != current]
    st.selectbox("Encoder", names, format_func=lambda name: ENCODERS[name].label, key="compare_encoder", bind=IN_URL)


def _ask_filter() -> None:
    labels = {key: label for label, _, _, key, _ in FILTERS}
    st.selectbox("Filter", list(labels), format_func=labels.__getitem__, key="compare_filter", bind=IN_URL)
    st.number_input("set to", 1, 100_000, 5, key="compare_value", bind=IN_URL)


def _ask_corpus() -> None:
    others = [source for source in SOURCES if source != st.session_state.get("corpus", "courier")]
    st.selectbox("Corpus", others, format_func=SOURCES.__getitem__, key="compare_corpus", bind=IN_URL)
    st.caption("With the same encoder and filters; topics are the same where their names are.")


def beside(study: Study, *, kind: str, k: int) -> None:
    """Draw this view and the other one side by side, once the other is there."""
    with st.container(border=True):
        st.markdown("**Side by side**")
        try:
            found = _other(study.corpus, kind)
        except LeakscopeError as problem:
            show.refuse(problem, icon=":material/filter_alt_off:")
            return
        if found is None:
            return
        other, encoder, names = found
        theirs = state.vectors_by(other, encoder)
        if theirs is None:
            return
        note_beside(other, theirs)
        answer = views.answer(study, study_of(other, theirs), names=names, k=k)
        render.headline(answer, st.container())
        halves = st.grid(2, min_column_width=360, gap="medium")
        with halves.cell():
            render.table(answer.table("verdicts_compared"))
            st.markdown("  \n".join(show.escaped(step) for step in answer.next_steps))
        with halves.cell():
            for drawing in answer.figures:
                render.figure(drawing, title=False)
        for rows in answer.tables[1:]:
            with st.expander(f"{rows.title} ({len(rows.frame):,})", icon=":material/table_rows:"):
                render.table(rows)


def _other(corpus: Corpus, kind: str) -> tuple[Corpus, state.Encoder, tuple[str, str]] | None:
    """Return the other corpus and encoder, and what the two sides are called; None where it is not loaded."""
    encoder, chosen = state.current_encoder(), st.session_state
    if kind == "encoder":
        other = state.encoder_named(chosen["compare_encoder"])
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
