"""Topic map: which topics are alike, and why?"""

import streamlit as st

from pages.parts import topic_map as parts
from pages.parts import topic_map_pairs as pairs
from pages.shared import corpus_vectors, show, state, topics
from pages.shared.controls import encoder_notes, header
from pages.shared.show import escaped

header(
    "Which topics are alike, and why?",
    "Every point is a document, every grey dot a topic's centroid. Below: every pair of topics, and what two of them share.",
    section="Topics in a vector space",
)
corpus, vectors = corpus_vectors.so_far_or_stop(state.corpus_or_stop())
space, resampled = topics.space_of(corpus, vectors), topics.resampled_of(corpus, vectors)
parts.answer(space, topics.verdict_of(corpus, vectors, k=2), resampled)
parts.document_map(corpus, vectors, space)

st.subheader("Similarity of every pair", anchor=False)
pair = pairs.choose_pair(space)
halves = st.grid(2, min_column_width=380, gap="medium")
with halves.cell():
    every, ranked = st.tabs(["Every pair", "Topics by leakage"])
    with every:
        pairs.matrix(corpus, vectors, space, topics.order_of(corpus, vectors), pair, resampled)
    with ranked:
        pairs.leakage_ranking(space)
with halves.cell():
    first, second = (space.names[topic] for topic in pair)
    st.subheader(f"What {escaped(first)} and {escaped(second)} share", anchor=False)
    if pair[0] == pair[1]:
        st.info("Choose two different topics.", icon=":material/info:")
    else:
        pairs.why_alike(corpus, vectors, space, pair, resampled)
show.unplaced_topics(space)
encoder_notes(vectors.notes)
