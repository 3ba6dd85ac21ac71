"""Overview: does my split leak?"""

import streamlit as st

from pages.parts import overview as parts
from pages.parts import overview_compare as compare
from pages.shared import corpus_vectors, show, state, topics
from pages.shared.controls import encoder_notes, header, whole_number

header(
    "Does my split leak?",
    "Topics held out for testing are *unseen* only if nothing like them is in training. Here is how alike yours are.",
    section="Near twins and the verdict",
)
corpus, vectors = corpus_vectors.so_far_or_stop(state.corpus_or_stop())
space, path = topics.space_of(corpus, vectors), topics.path_of(corpus, vectors)
resampled = topics.resampled_of(corpus, vectors)

with st.container(border=True):
    words, control = st.columns([3, 1], vertical_alignment="center", gap="medium")
    k = max(2, min(6, len(space)))  # where the labels mean nothing, folds change nothing, and are not asked for
    if topics.verdict_of(corpus, vectors, k=k).level != "meaningless":
        most = min(20, len(space))
        k = whole_number(
            control, "Folds of topics (k)", 2, most, 6, key="k", help="As in k-fold cross-validation by topic."
        )
    with_what = compare.control(control)
    verdict = topics.verdict_of(corpus, vectors, k=k)
    parts.headline(words, verdict, reading=corpus_vectors.reading_caution(corpus))

if with_what != compare.NOTHING:
    compare.beside(corpus, vectors, kind=with_what, k=k)
parts.cards(verdict, draws=len(resampled.steps))
parts.charts(space, verdict, resampled)
parts.what_to_do(space, path, verdict)
show.unplaced_topics(space)
parts.links(corpus, verdict)
encoder_notes(vectors.notes)
