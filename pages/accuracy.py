"""Folds & accuracy: does similarity buy accuracy?"""

from core.evaluation import adjusted_slopes, exposed_topics, fold_scores, relations, summarise, topic_scores
from pages.parts import accuracy as parts
from pages.parts.accuracy_focus import focus_panel
from pages.shared import state
from pages.shared.baselines import baseline_cards
from pages.shared.controls import choose_run, encoder_notes, header

header(
    "Does similarity buy accuracy?",
    "Each test topic stands beside how alike its training topics are and how well each model does on it. "
    "A model that leans on topics scores where a near twin was in training, and falls where none was.",
    section="Folds, models and scores",
)
corpus = state.corpus_or_stop()
state.authors_or_stop(corpus)
vectors = state.vectors_or_stop(corpus)
run = choose_run(corpus, vectors)
sampled = run.setup.corpus
rows = exposed_topics(sampled, run.leakage, topic_scores(run.evaluation, sampled), metric=run.metric)
found = relations(rows)
slopes = adjusted_slopes(run.evaluation, sampled, rows)
summary = summarise(fold_scores(run.evaluation, sampled), run.metric)

parts.cards(run, summary, found)
baseline_cards(run.evaluation, sampled)
visible, topic = parts.choose_view(run, rows)
parts.beside(run, visible, topic)
parts.against(run, rows, found, topic)
parts.model_table(run, summary, found, slopes)
parts.topics_file(run, rows)
focus_panel(run, vectors, rows, topic)
parts.fit_notes(run)
parts.ordinary_beside_novel(run, vectors_key=vectors.encoder_key)
encoder_notes((*vectors.notes, *run.leakage.notes, *run.folds.notes))
