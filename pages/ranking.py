"""Ranking: which model is best, and is that stable?"""

import streamlit as st

from core.questions import ranking
from pages.shared import render, state, widgets
from pages.shared.controls import encoder_notes, header
from pages.shared.slow_models import offer_slow_models
from pages.shared.studies import answer_or_stop, study_or_stop

header(
    ranking.QUESTION,
    "The same models on the topics HITS keeps and on random samples of the same size. If the ranking changes from fold to fold, "
    "the best model on one split may not be the best.",
    section="Ranking and its stability",
)
state.authors_or_stop(state.corpus_or_stop())
study = study_or_stop()
place = st.container()
settings = widgets.ask(ranking.Settings, study, question="ranking")
with place:
    answer = answer_or_stop(study, ranking, settings, page="ranking")
    render.headline(answer)
offer_slow_models(study, answer.numbers.runs, settings, samples_key="samples")
render.figures(answer)
render.facts(answer)
render.tables(answer)
encoder_notes(study.vectors.notes)
