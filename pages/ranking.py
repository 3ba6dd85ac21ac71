"""Ranking: which model is best, and is that stable?"""

import streamlit as st

from core.evaluation import TASKS
from core.questions import ranking, sampled_jobs
from pages.parts.accuracy import own_models
from pages.shared import render, state, widgets
from pages.shared.runs import offer_slow_models, offered_samples
from pages.shared.studies import answer_or_stop, study_or_stop
from pages.shared.widgets import encoder_notes, header

header(
    ranking.QUESTION,
    "If the ranking changes from fold to fold, the best model on one split may not be the best.",
    section="Ranking and its stability",
)
state.authors_or_stop(state.corpus_or_stop())
study = study_or_stop()
place = st.container()
row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
cells = {name: row.container(width="content") for name in ("task", "metric")}
settings = widgets.ask(ranking.Settings, study, question="ranking", place=row, places=cells, said=("m", "k"))
with place:
    offer = offered_samples(study, settings, page="ranking", samples_key="samples", task=settings.task)
    answer = answer_or_stop(study, ranking, settings, page="ranking", offer=offer)
    render.headline(answer)
offer_slow_models(study, answer.numbers.runs, settings, samples_key="samples")
render.figures(answer)
render.facts(answer)
render.tables(answer)
if not TASKS[settings.task].asks_pairs:
    jobs = sampled_jobs(study, m=settings.m, k=settings.k, samples=settings.samples, authors=settings.authors)
    own_models(study, {setup.name: (setup.corpus, folds) for setup, folds in jobs}, key="ranked_models")
encoder_notes(study.vectors.notes)
