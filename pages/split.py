"""Check a split: does the split I was given leak?"""

import streamlit as st

from core.questions import split
from pages.parts import split as parts
from pages.shared import render, widgets
from pages.shared.studies import answer_or_stop, study_or_stop
from pages.shared.widgets import encoder_notes, header

header(
    split.QUESTION,
    "Check your file's own split or any other. See which test topics and documents have near twins or near duplicates in training, "
    "and how much similarity crosses the split.",
    section="A split of your own",
)
place, numbers = st.container(), st.container()
study = parts.chosen_split(study_or_stop())
settings = widgets.ask(split.Settings, study, question="split", only=("fix",))
with place:
    answer = answer_or_stop(study, split, settings.but(fix=False))
    render.headline(answer)
with numbers:
    render.facts(answer)
if settings.fix:
    answer = answer_or_stop(study, split, settings)
render.next_steps(answer)
if answer.numbers.fixed is not None:
    parts.fixed_files(answer.numbers.fixed)
render.figures(answer, *(each.name for each in answer.figures if each.lead))
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
