"""Shortcut test: which model leans on topic?"""

from functools import partial
from typing import Any

import streamlit as st

from core.errors import LeakscopeError
from core.models import METRICS
from core.studies import pairs_and_answers
from pages.parts.ranking_scores import choose_samples, say_fewer, setup_jobs, topics_or_stop
from pages.parts.shortcut import own_answers, show_test
from pages.parts.shortcut_pairs import pairs_of_runs
from pages.parts.shortcut_raven import buildable, raven_panel
from pages.shared import corpus_vectors, show, state
from pages.shared.controls import IN_URL, encoder_notes, header
from pages.shared.links import own_key
from pages.shared.public import of_runs
from pages.shared.run_controls import (
    choose_calibration,
    choose_folds,
    choose_m,
    choose_models,
    choose_pairs,
    with_shipped,
)
from pages.shared.runs import evaluations_or_stop
from pages.shared.show import refuse
from pages.shared.topics import labels_of, space_of

header(
    "Which model leans on topic?",
    "A model that takes topic for style scores lower where topics do not leak. The test sets its score on the topics HITS "
    "keeps beside its score on random samples; the control, made to lean on topic, shows whether the test can see that here.",
    section="The topic shortcut test",
)
answer = st.container()
row = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
source = row.segmented_control(
    "Systems",
    ["models run here", "answers of your own"],
    default="models run here",
    required=True,
    key="systems",
    bind=IN_URL,
)
metric = row.selectbox(
    "Metric",
    list(METRICS),
    list(METRICS).index("overall"),
    format_func=lambda name: METRICS[name].label,
    key="metric",
    bind=IN_URL,
    width=150,
)
run_here = source == "models run here"
cells = [row.container(width=140) for _ in range(2)] if run_here else []
more = row.popover(
    "More",
    icon=":material/tune:",
    help="What difference does not matter, models, random samples, pairs and calibration",
)
margin = more.number_input(
    "A difference that does not matter",
    0.005,
    0.2,
    0.02,
    0.005,
    format="%.3f",
    key="lean_margin",
    bind=IN_URL,
    help="A system does not lean on topic where all of its interval lies within this margin. Choose it before you look.",
)
if not run_here:
    own_answers(metric, margin, answer)
    st.stop()

corpus = state.corpus_or_stop()
state.authors_or_stop(corpus)
vectors = corpus_vectors.vectors_or_stop(corpus)
topics = topics_or_stop(corpus)
space = space_of(corpus, vectors)
known = choose_models(more.container(), "shortcut", "verification")
samples = choose_samples(more.container(), own_key("shortcut", "samples"))
pairing = choose_pairs(more, "shortcut")
calibration = choose_calibration(more, "shortcut")
kept_cell, fold_cell = cells
kept, dealt = buildable(corpus, vectors, space.kind, pairing)
m = choose_m(kept_cell, "shortcut", 3, topics, kept)
k = choose_folds(fold_cell, "shortcut", min(m, 20), dealt)
jobs = setup_jobs(corpus, vectors, m=m, k=k, samples=samples)
detail = st.container()
with st.container():
    show.unplaced_topics(space)
    raven_panel(corpus, vectors, space, m=m, k=k, pairing=pairing)
    encoder_notes(vectors.notes)
with answer:
    choices: dict[str, Any] = {
        "task": "verification",
        "seed": 0,
        "vectors_key": vectors.encoder_key,
        "pairing": pairing,
        "calibration": calibration,
    }
    models = with_shipped(known, jobs, page="shortcut", **choices)
    say_fewer(corpus, models, jobs, choices, page="shortcut", samples_key=own_key("shortcut", "samples"))
    evaluations = evaluations_or_stop(jobs, page="shortcut", models=list(models), **choices)
with detail:
    runs = [(setup, evaluation) for (setup, _), evaluation in zip(jobs, evaluations, strict=True)]
    try:
        once = partial(of_runs, corpus, evaluations)
        pairs, systems = once("pairs", lambda: pairs_and_answers(runs))
        told = once("told", lambda: pairs_of_runs(runs))
        meaningful = labels_of(corpus, vectors).meaningful
        show_test(
            pairs,
            systems,
            told,
            answer,
            metric=metric,
            margin=margin,
            pairing=pairing,
            meaningful=meaningful,
            once=once,
        )
    except LeakscopeError as problem:
        refuse(problem)
