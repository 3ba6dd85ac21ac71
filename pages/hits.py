"""HITS: which topics should I keep?"""

import streamlit as st

from core.topics import judge
from pages.parts import hits as parts
from pages.parts.hits_experiments import experiments
from pages.shared import show, state
from pages.shared.controls import encoder_notes, header

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
    choice = parts.choose_sample(space, path, suggested=suggested)
    parts.counts(corpus, space, band, choice)
    parts.charts(space, path, band, layout, choice)
    with st.expander("What is kept and what is lost, topic by topic", icon=":material/list:"):
        show.table(parts.fates(corpus, choice.sample), alt="Every topic and what became of it")
    parts.downloads(corpus, vectors, space, path, choice)


explore()
experiments(corpus, vectors, space, path)
parts.negative_similarities(space)
encoder_notes(vectors.notes)
