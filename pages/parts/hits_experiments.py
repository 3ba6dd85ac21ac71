"""The experiments of the HITS paper on the HITS page: one is chosen, run and drawn."""

import streamlit as st

from core.papers.hits_2024 import EXPERIMENTS
from core.questions import answered
from core.questions import experiments as question
from core.study import Study
from pages.shared import render, widgets, work
from pages.shared.controls import IN_URL
from pages.shared.show import escaped
from pages.shared.studies import settled

NONE = "none"


def experiments(study: Study) -> None:
    """Choose an experiment, run it, and show its figure and its table."""
    st.subheader("Experiments", anchor=False)
    st.markdown("The paper's §7 experiments on your corpus. Nothing here changes the selection above.")
    labels = {NONE: NONE} | {name: each.label for name, each in EXPERIMENTS.items()}
    chosen = st.segmented_control(
        "Experiment",
        list(labels),
        default=NONE,
        required=True,
        format_func=labels.__getitem__,
        key="experiment",
        bind=IN_URL,
    )
    comparable = study.path.comparable
    if chosen == NONE or comparable < question.FEWEST:
        return
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    m = min(st.session_state.get("m") or max(2, comparable // 2), comparable)
    given = {"experiment": chosen, "m": max(2, m)}
    settings = widgets.ask(question.Settings, study, question="hits", place=row, given=given)
    asked = work.Question("Run it", where=row, caption="It continues while you look at other pages.")
    answer = settled(lambda: answered(study, question, settings), question=None if EXPERIMENTS[chosen].quick else asked)
    if answer is None:
        return
    st.markdown(f"**{escaped(answer.headline)}**")
    for each in answer.cautions:
        st.markdown(f":orange[:material/priority_high:] {escaped(each.text)}")
    for drawing in answer.figures:
        render.figure(drawing, title=False)
    for rows in answer.tables:
        render.table(rows)
    if answer.next_steps:
        st.info("  \n".join(escaped(line) for line in answer.next_steps), icon=":material/lightbulb:")
