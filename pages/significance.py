"""Significance: is A better than B?"""

import numpy as np
import streamlit as st

from core.evaluation import topic_scores
from core.statistics import compare_all
from pages.shared import categorizing, comparing, runs, state
from pages.shared.choosing import choose_run, right_answers, two_models
from pages.shared.controls import IN_URL, header

header(
    "Is A better than B?",
    "Every test side by side, with what each takes for granted and what it supports in plain words. "
    "Micro tests are ruled by large topics, macro tests count every topic alike: where they disagree, both can be right.",
    section="Comparing two systems",
)
SOURCES = ["models run here", "a table of your own", "text categorization"]
source = st.segmented_control("Compare", SOURCES, default=SOURCES[0], required=True, key="compare", bind=IN_URL)
if source == "a table of your own":
    comparing.own_table()
    st.stop()
if source == "text categorization":
    categorizing.categorization()
    st.stop()

corpus = state.corpus_or_stop()
runs.authors_or_stop(corpus)
vectors = state.vectors_or_stop(corpus)
run = choose_run(corpus, vectors)
a, b = two_models(run.models)
scores = topic_scores(run.evaluation, run.setup.corpus)
per_topic = {
    name: np.array([score.values[run.metric] for score in scores if score.model == name]) for name in run.models
}
decisions = {name: right_answers(run, name)[0] for name in run.models}
ours = [score for score in scores if score.model == a]
rows = [run.setup.corpus.topic_names[score.topics[0]] for score in ours]
sizes = [score.documents for score in ours]
labelled = {run.models[name]: values for name, values in per_topic.items()}
answered = {run.models[name]: values for name, values in decisions.items()}
names = run.models[a], run.models[b]

macro = comparing.tests_of(labelled, names, kind="scores")
micro = comparing.tests_of(answered, names, kind="decisions")
corrected = comparing.corrected(run, a, b)
comparing.headline(names, macro, micro)
comparing.show_tests({**micro, **macro, "corrected_t": corrected}, metric=run.metric_label)
comparing.show_differences(rows, labelled[names[0]] - labelled[names[1]], sizes, names, metric=run.metric_label)
comparing.show_pairs(compare_all(labelled, kind="scores"), list(labelled), what=f"per-topic {run.metric_label}")
comparing.show_power(labelled[names[0]] - labelled[names[1]])
