"""Design a split: which split should I use?"""

import streamlit as st

from core.errors import LeakscopeError
from core.questions import design
from pages.parts import design as parts
from pages.shared import render, show, widgets
from pages.shared.studies import answer_or_stop, study_or_stop
from pages.shared.widgets import encoder_notes, header

header(
    design.QUESTION,
    "HITS drops topics, and random folds separate near twins. Choose between them, and export the split.",
    section="The best split possible",
)
study = study_or_stop()
place = st.container()
try:
    design.check(study)
except LeakscopeError as problem:
    show.refuse(problem)
    st.stop()
row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
places = {name: row.container(width=220) for name in ("k", "balance")}
asked = (*places, "seen", "together", "apart")
settings = widgets.ask(design.Settings, study, question="design", place=row, places=places, only=asked)
with place:
    answer = answer_or_stop(study, design, settings)
answer = answer_or_stop(study, design, settings.but(choice=parts.choose(answer.numbers, row)))
with place:
    render.headline(answer)  # with the cautions of the choice
left, right = st.columns([5, 3], gap="medium")
with left:
    parts.chart(answer)
with right:
    render.facts(answer, columns=1)
parts.go_on(answer.numbers)
parts.files(study, answer.numbers)
render.tables(answer)
encoder_notes(study.vectors.notes)
