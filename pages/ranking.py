"""Ranking: which model wins, and is that stable?"""

from pages.parts import ranking as parts
from pages.shared import state
from pages.shared.controls import encoder_notes, header

header(
    "Which model wins, and is that stable?",
    "The same models on the topics HITS keeps and on random samples of as many. If rankings change from fold to fold, "
    "a winner on one split is no winner.",
    section="Ranking and its stability",
)
corpus = state.corpus_or_stop()
state.authors_or_stop(corpus)
vectors = state.vectors_or_stop(corpus)
scores = parts.choose_scores(corpus, vectors)
parts.show_ranks(scores)
parts.show_baselines(scores)
parts.hits_against_random(scores)
encoder_notes(vectors.notes)
