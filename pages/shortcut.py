"""Shortcut test: which model leans on topic?"""

import streamlit as st

from core.errors import LeakscopeError
from core.models import METRICS
from core.studies import pairs_and_answers
from pages.parts import shortcut as parts
from pages.parts.ranking import setup_jobs, topics_or_stop
from pages.shared import state, work
from pages.shared.controls import IN_URL, encoder_notes, header, usable_models, whole_number
from pages.shared.show import refuse

header(
    "Which model leans on topic?",
    "A model that takes topic for style scores higher where topics leak. The test sets its score on the topics HITS keeps "
    "beside its score on random samples: Avg should be high, and Diff, their distance, low.",
    section="The topic shortcut test",
)
source = st.segmented_control(
    "Systems",
    ["models run here", "answers of your own"],
    default="models run here",
    required=True,
    key="systems",
    bind=IN_URL,
)
metric = st.selectbox(
    "Metric",
    list(METRICS),
    list(METRICS).index("overall"),
    format_func=lambda name: METRICS[name].label,
    key="metric",
    bind=IN_URL,
)
if source == "answers of your own":
    parts.own_answers(metric)
    st.stop()

corpus = state.corpus_or_stop()
state.authors_or_stop(corpus)
vectors = state.vectors_or_stop(corpus)
topics = topics_or_stop(corpus)
asks = st.grid(2, min_column_width=260, gap="medium")
m = whole_number(asks, "Topics kept (m)", 3, topics, max(3, topics // 2), key="m", help="As on the HITS page.")
k = whole_number(asks, "Number of folds (k)", 2, min(m, 20), 6, key="k", help="Folds over the kept topics.")
jobs = setup_jobs(corpus, vectors, m=m, k=k)
parts.raven_panel(corpus, vectors, state.space_of(corpus, vectors), m=m, k=k)
evaluations = work.evaluations_or_stop(
    jobs, task="verification", models=list(usable_models("verification")), seed=0, vectors_key=vectors.encoder_key
)

try:
    pairs, systems = pairs_and_answers(
        [(setup, evaluation) for (setup, _), evaluation in zip(jobs, evaluations, strict=True)]
    )
    parts.show_test(pairs, systems, metric)
except LeakscopeError as problem:
    refuse(problem)
encoder_notes(vectors.notes)
