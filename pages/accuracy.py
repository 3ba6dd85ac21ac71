"""Folds & accuracy: does similarity buy accuracy?"""

from pages.parts import accuracy as parts
from pages.parts.accuracy_answer import headline
from pages.parts.accuracy_focus import focus_panel
from pages.shared import encoding, state
from pages.shared.baselines import baseline_cards
from pages.shared.controls import encoder_notes, header
from pages.shared.run_controls import choose_run
from pages.shared.topics import labels_of

header(
    "Does similarity buy accuracy?",
    "Each test topic stands beside how alike its training topics are and how well each model does on it. "
    "A model that leans on topics scores where a near twin was in training, and falls where none was.",
    section="Folds, models and scores",
)
corpus = state.corpus_or_stop()
state.authors_or_stop(corpus)
vectors = encoding.vectors_or_stop(corpus)
run = choose_run(corpus, vectors)
sampled = run.setup.corpus
rows, found, slopes, summary = parts.measured(run)

headline(
    run.models,
    found,
    slopes,
    parts.adjusted_p(found),
    metric=run.metric_label,
    nearest=[row.nearest_similarity for row in rows],
    meaningful=labels_of(corpus, vectors).meaningful,
)
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
