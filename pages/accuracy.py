"""Folds & accuracy: does similarity buy accuracy?"""

import streamlit as st

from pages.parts import accuracy as parts
from pages.parts import accuracy_detail as detail
from pages.parts.accuracy_focus import focus_panel
from pages.parts.accuracy_sources import all_together
from pages.parts.accuracy_swap import twin_swapped_out
from pages.shared import corpus_vectors, state
from pages.shared.baselines import baseline_cards
from pages.shared.controls import IN_URL, encoder_notes, header
from pages.shared.run_controls import choose_run
from pages.shared.topics import labels_of

header(
    "Does similarity buy accuracy?",
    "A model that leans on topics scores where a near twin of the test topic was in training, and falls where none was.",
    section="Folds, models and scores",
)
corpus = state.corpus_or_stop()
state.authors_or_stop(corpus)
vectors = corpus_vectors.vectors_or_stop(corpus)


def by_run(view: str) -> None:
    """Similarity beside the scores of a run, topic by topic or all together."""
    answer = st.container()
    together = view == "all together"
    run = choose_run(corpus, vectors, page="accuracy", answer=answer, asks_metric=not together)
    found = parts.measured(run)
    rows, relations, slopes, summary, _ = found
    notes = (*vectors.notes, *run.leakage.notes, *run.folds.notes)
    meaningful = labels_of(corpus, vectors).meaningful
    if together:
        by_label = {run.models[name]: slope for name, slope in slopes.items()}
        all_together(by_label, answer, kind=run.setup.space.kind, meaningful=meaningful)
        encoder_notes(notes)
        return
    with answer:
        parts.headline(run, found, meaningful=meaningful)
    topic = parts.charts(run, found)
    focus_panel(run, vectors, rows, topic)
    parts.whole_matrix(run, rows)
    detail.cards(run, summary, relations)
    baseline_cards(run.evaluation, run.setup.corpus)
    detail.model_table(run, summary, relations, slopes)
    detail.topics_file(run, rows)
    detail.calibration(run)
    detail.fit_notes(run)
    detail.ordinary_beside_novel(run, vectors_key=vectors.encoder_key)
    encoder_notes(notes)


VIEWS = {
    "topic by topic": "",  # what the page's question asks for: its charts stand where a word more would be
    "twin swapped out": "The same test topics with their nearest topic in training and without it.",
    "all together": "What similarity is worth over all test topics once authors are taken out.",
}
view = st.segmented_control(
    "View",
    list(VIEWS),
    default="topic by topic",
    required=True,
    key="accuracy_view",
    bind=IN_URL,
    label_visibility="collapsed",
)
if VIEWS[view]:
    st.caption(VIEWS[view])
if view == "twin swapped out":
    twin_swapped_out(corpus, vectors, meaningful=labels_of(corpus, vectors).meaningful)
    encoder_notes(vectors.notes)
else:
    by_run(view)
