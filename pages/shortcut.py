"""Shortcut test: which model leans on topic?"""

import streamlit as st

from core.errors import LeakscopeError
from core.models import METRICS
from core.studies import from_evaluations
from core.topics import RANDOM_SEEDS
from pages.shared import benchmarks, runs, state
from pages.shared.controls import IN_URL, encoder_notes, header, whole_number
from pages.shared.saying import refuse

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
    benchmarks.own_answers(metric)
    st.stop()

corpus = state.corpus_or_stop()
runs.authors_or_stop(corpus)
vectors = state.vectors_or_stop(corpus)
topics = len(corpus.topic_names)
if topics < 4:
    st.info("Sampling needs four topics or more; this corpus has fewer.", icon=":material/info:")
    st.stop()
asks = st.grid(2, min_column_width=260, gap="medium")
m = whole_number(asks, "Topics kept (m)", 3, topics, max(3, topics // 2), key="m", help="As on the HITS page.")
k = whole_number(asks, "Number of folds (k)", 2, min(m, 20), 6, key="k", help="Folds over the kept topics.")
setups = [runs.setup_of(corpus, vectors, "hits", m, 0)]
setups += [runs.setup_of(corpus, vectors, "random", m, seed) for seed in RANDOM_SEEDS]
jobs = [(setup, runs.folds_or_stop(setup, "topic-kfold", k, 0)[0]) for setup in setups]
benchmarks.raven_panel(corpus, vectors, state.space_of(corpus, vectors), m=m, k=k)
evaluations = runs.evaluations_or_stop(
    jobs, task="verification", models=list(runs.usable_models("verification")), seed=0, vectors_key=vectors.encoder_key
)

try:
    asked, systems = from_evaluations(list(zip(setups, evaluations, strict=True)))
    benchmarks.show_test(asked, systems, metric)
except LeakscopeError as problem:
    refuse(problem)
encoder_notes(vectors.notes)
