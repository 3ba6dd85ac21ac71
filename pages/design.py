"""Design a split: which split should I use?"""

import streamlit as st

from core.topics import MOST_IN_MATRIX
from pages.parts import design as parts
from pages.shared import corpus_vectors, show, state
from pages.shared.controls import encoder_notes, header
from pages.shared.topics import labels_of, resampled_of, space_of, verdict_of

header(
    "Which split should I use?",
    "HITS throws topics away; folds dealt at random part near twins. Between them lie splits that keep every document and "
    "set alike topics on the same side. Each point is one split: choose what it costs, and take it with you.",
    section="The best split possible",
)
corpus = state.corpus_or_stop()
vectors = corpus_vectors.vectors_or_stop(corpus)
if len(corpus.topic_names) > MOST_IN_MATRIX:
    show.refuse(
        f"{len(corpus.topic_names):,} topics are too many to try every split of them; raise the least documents per topic in "
        f"the sidebar until at most {MOST_IN_MATRIX:,} are left."
    )
    st.stop()
space = space_of(corpus, vectors)
answer = st.container()
k, wishes = parts.ask(corpus, space)
meaningful = labels_of(corpus, vectors).meaningful
with answer:
    design = parts.design_or_stop(corpus, vectors, space, resampled_of(corpus, vectors), k=k, wishes=wishes)
    parts.headline(design, meaningful=meaningful, sure_pairs=verdict_of(corpus, vectors, k=2).sure_pairs)
chosen = parts.choose(design, meaningful=meaningful)
left, right = st.columns([5, 3], gap="medium")
with left:
    parts.chart(design, chosen, kind=space.kind, meaningful=meaningful)
with right:
    parts.costs(design, chosen, meaningful=meaningful)
if meaningful:
    show.notes(design.notes)
fold_of = parts.folds_of(corpus, vectors, space, chosen, k=k, wishes=wishes)
parts.go_on(design, chosen, wishes=wishes)
parts.files(corpus, vectors, space, chosen, fold_of, k=k, wishes=wishes)
parts.all_options(design)
show.unplaced_topics(space)
encoder_notes(vectors.notes)
