"""Ranking: which model wins, and is that stable?"""

from pages.parts import ranking as parts
from pages.parts.ranking_answer import headline
from pages.shared import encoding, state
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
vectors = encoding.vectors_or_stop(corpus)
scores = parts.choose_scores(corpus, vectors)
headline(scores, meaningful=labels_of(corpus, vectors).meaningful)
parts.show_ranks(scores)
parts.show_baselines(scores)
parts.hits_against_random(scores)
encoder_notes(vectors.notes)
