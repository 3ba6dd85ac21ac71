"""Ranking: which model wins, and is that stable?"""

import streamlit as st

from pages.parts import ranking as parts
from pages.parts.ranking_scores import choose_scores
from pages.shared import corpus_vectors, state
from pages.shared.controls import encoder_notes, header
from pages.shared.topics import labels_of

header(
    "Which model wins, and is that stable?",
    "The same models on the topics HITS keeps and on random samples of as many. If rankings change from fold to fold, "
    "a winner on one split is no winner.",
    section="Ranking and its stability",
)
corpus = state.corpus_or_stop()
state.authors_or_stop(corpus)
vectors = corpus_vectors.vectors_or_stop(corpus)
answer = st.container()
scores = choose_scores(corpus, vectors, answer)
with answer:
    parts.headline(scores, meaningful=labels_of(corpus, vectors).meaningful)
parts.show_ranks(scores)
by_metric, against, beside = st.tabs(["Stability by metric", "HITS against random", "What the scores stand beside"])
with by_metric:
    parts.show_stability(scores)
with against:
    parts.hits_against_random(scores)
with beside:
    parts.show_baselines(scores)
encoder_notes(vectors.notes)
