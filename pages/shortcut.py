"""Shortcut test: which model relies on topic?"""

import streamlit as st

from core.questions import shortcut
from pages.parts.shortcut import answers_of_files, drawn, raven_panel
from pages.shared import render, show, state, widgets
from pages.shared.runs import offer_slow_models, offered_samples
from pages.shared.studies import answer_or_stop, study_or_stop
from pages.shared.widgets import IN_URL, encoder_notes, header

header(
    shortcut.QUESTION,
    "A model that relies on topic scores lower on the topics HITS keeps than on random ones. A control shows whether the test works "
    "here.",
    section="The topic shortcut test",
)
place = st.container()
row = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
source = row.segmented_control(
    "Systems",
    ["models run here", "answers of your own"],
    default="models run here",
    required=True,
    key="systems",
    bind=IN_URL,
)
if source == "answers of your own":
    answers_of_files(row, place)
    st.stop()

state.authors_or_stop(state.corpus_or_stop())
study = study_or_stop()
cell = {"metric": row.container(width=150)}
settings = widgets.ask(shortcut.Settings, study, question="shortcut", place=row, places=cell, said=("m", "k"))
detail = st.container()
show.incomparable_topics(study.space)
raven_panel(study, settings)
encoder_notes(study.vectors.notes)
with place:
    offer = offered_samples(
        study,
        settings,
        page="shortcut",
        samples_key="shortcut_samples",
        task="verification",
        control=shortcut.CONTROL,
    )
    answer = answer_or_stop(study, shortcut, settings, page="shortcut", offer=offer)
    render.headline(answer)
with detail:
    offer_slow_models(study, answer.numbers.runs, settings, samples_key="shortcut_samples")
    drawn(answer)
