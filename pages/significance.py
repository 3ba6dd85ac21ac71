"""Significance: is A better than B?"""

from functools import partial

import streamlit as st

from core.evaluation import compared_models, error_rates, score_table, topic_scores
from core.statistics import compare_all
from pages.parts import significance as parts
from pages.parts import significance_categorization
from pages.shared import corpus_vectors, state
from pages.shared.controls import IN_URL, encoder_notes, header
from pages.shared.public import of_runs
from pages.shared.run_controls import choose_run, two_models
from pages.shared.show import conclude

header(
    "Is A better than B?",
    "Every test side by side, with what each takes for granted, how often it errs on this run, and what it supports in plain "
    "words. Micro tests are ruled by large topics, macro tests count every topic alike.",
    section="Comparing two systems",
)
answer = st.container()
SOURCES = ["models run here", "a table of your own", "text categorization"]
source = st.segmented_control(
    "Compare", SOURCES, default=SOURCES[0], required=True, key="significance_compare", bind=IN_URL
)
if source == "a table of your own":
    parts.own_table(answer)
    st.stop()
if source == "text categorization":
    significance_categorization.categorization(answer)
    st.stop()

corpus = state.corpus_or_stop()
state.authors_or_stop(corpus)
vectors = corpus_vectors.vectors_or_stop(corpus)
run = choose_run(corpus, vectors, page="significance", answer=answer)
a, b = two_models(run.models, page="significance")
once = partial(of_runs, corpus, [run.evaluation])
scores = once("topic scores", lambda: topic_scores(run.evaluation, run.setup.corpus))
per_topic = dict(zip(run.models, score_table(scores, run.metric), strict=True))
labelled = {run.models[name]: values for name, values in per_topic.items()}
margin = parts.choose_margin()
errors = once("error rates", lambda: error_rates(run.evaluation, run.setup.corpus, a, b), a, b)
two = once(
    "two models",
    lambda: compared_models(run.evaluation, run.setup.corpus, a, b, metric=run.metric, margin=margin, errors=errors),
    *(a, b, run.metric, margin),
)
with answer:
    conclude(two.said)
parts.show_differences(two.topics, two.difference, two.documents, two.names, metric=run.metric_label)
all_tests, all_pairs, needed = st.tabs(["Every test", "All pairs", "How many topics would it take?"])
with all_tests:
    parts.show_tests(two.tests, metric=run.metric_label, rates=two.rates)
with all_pairs:
    pairs = once(
        "pairs of models",
        lambda: compare_all(labelled, kind="scores", margin=margin, weights=two.documents),
        *(run.metric, margin),
    )
    parts.show_pairs(pairs, list(labelled), what=f"Per-topic {run.metric_label}")
with needed:
    parts.show_power(two.difference)
encoder_notes(vectors.notes)
