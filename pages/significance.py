"""Significance: is A better than B?"""

from functools import partial

import streamlit as st

from core.evaluation import right_answers, score_table, topic_scores
from core.statistics import compare_all
from pages.parts import significance as parts
from pages.parts import significance_categorization, significance_table
from pages.shared import encoding, state
from pages.shared.controls import IN_URL, encoder_notes, header
from pages.shared.run_controls import choose_run, two_models
from pages.shared.sharing import of_runs

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
    significance_table.own_table(answer)
    st.stop()
if source == "text categorization":
    significance_categorization.categorization(answer)
    st.stop()

corpus = state.corpus_or_stop()
state.authors_or_stop(corpus)
vectors = encoding.vectors_or_stop(corpus)
run = choose_run(corpus, vectors, page="significance", answer=answer)
a, b = two_models(run.models, page="significance")
once = partial(of_runs, corpus, [run.evaluation])
scores = once("topic scores", lambda: topic_scores(run.evaluation, run.setup.corpus))
per_topic = dict(zip(run.models, score_table(scores, run.metric), strict=True))
decisions = once(
    "decisions", lambda: {name: right_answers(run.evaluation, run.setup.corpus, name)[0] for name in run.models}
)
ours = [score for score in scores if score.model == a]
rows = [run.setup.corpus.topic_names[score.topics[0]] for score in ours]
sizes = [score.documents for score in ours]
labelled = {run.models[name]: values for name, values in per_topic.items()}
answered = {run.models[name]: values for name, values in decisions.items()}
names = run.models[a], run.models[b]
margin = parts.choose_margin()

macro = once(
    "macro",
    lambda: parts.tests_of(labelled, names, kind="scores", margin=margin, weights=sizes),
    *(a, b, run.metric, margin),
)
micro = once("micro", lambda: parts.tests_of(answered, names, kind="decisions", margin=margin), a, b, margin)
tests = {**micro, **macro, "corrected_t": once("corrected", lambda: parts.corrected(run, a, b), a, b, run.metric)}
errs = once("error rates", lambda: parts.error_rates(run, a, b), a, b)
difference = labelled[names[0]] - labelled[names[1]]
with answer:
    by_decisions = parts.by_decisions(tests["s"], errs, run.evaluation.task)
    parts.headline(labelled, names, margin=margin, sizes=sizes, cautions=(by_decisions,))
parts.show_differences(rows, difference, sizes, names, metric=run.metric_label)
all_tests, all_pairs, needed = st.tabs(["Every test", "All pairs", "How many topics would it take?"])
with all_tests:
    parts.show_tests(tests, metric=run.metric_label, rates=errs.rates)
with all_pairs:
    pairs = once(
        "pairs of models",
        lambda: compare_all(labelled, kind="scores", margin=margin, weights=sizes),
        *(run.metric, margin),
    )
    parts.show_pairs(pairs, list(labelled), what=f"Per-topic {run.metric_label}")
with needed:
    parts.show_power(difference)
encoder_notes(vectors.notes)
