"""Check a split: does the split I was given leak?"""

import streamlit as st

from core.questions import split
from pages.parts import split as parts
from pages.shared import render, widgets
from pages.shared.studies import answer_or_stop, study_or_stop
from pages.shared.widgets import encoder_notes, header

header(
    split.QUESTION,
    "See which test topics and documents have near twins or near duplicates in training.",
    section="A split of your own",
)
study = study_or_stop()
row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
study = parts.chosen_split(study, row.container())  # of its own: in the row its choices would not wrap on a phone
settings = widgets.ask(split.Settings, study, question="split", place=row, only=("fix",))
answer = answer_or_stop(study, split, settings.but(fix=False))
render.headline(answer)
render.facts(answer)
if settings.fix:
    answer = answer_or_stop(study, split, settings)
    render.next_steps(answer)
    if answer.numbers.fixed is not None:
        parts.fixed_files(answer.numbers.fixed)
render.figures(answer, *(each.name for each in answer.figures if each.lead))
if not settings.fix:
    render.next_steps(answer)
topics, copies, nearest = st.tabs(
    ["Test topics", f"Near duplicates ({len(answer.numbers.audit.duplicates):,})", "Nearest documents"]
)
with topics:
    render.table(answer.table("split_audit"))
with copies:
    parts.copied_documents(study.corpus, answer)
with nearest:
    render.figure(answer.figure("nearest"), title=False)
for rows in answer.tables[1:]:
    if rows.name != "near_duplicates":
        with st.expander(f"{rows.title} ({len(rows.frame):,})", icon=":material/table_rows:"):
            render.table(rows)
encoder_notes(study.vectors.notes)
