"""Overview: does my evaluation leak, and what does it cost?"""

from dataclasses import replace
from functools import partial

import streamlit as st

from core.questions import answered, verdict
from core.render import Answer
from pages.parts import overview_compare as compare
from pages.shared import render, widgets
from pages.shared.controls import encoder_notes, header
from pages.shared.studies import answer_or_stop, settled, study_or_stop

CARDS = 3  # facts that stand first; the rest is a line under the chart

header(
    verdict.QUESTION,
    "A topic held out for testing is *unseen* only if nothing like it is in training.",
    section="Near twins and the verdict",
)
study = study_or_stop(preliminary=True)
with st.container(border=True):
    words, control = st.columns([3, 1], vertical_alignment="center", gap="medium")
    settings = widgets.ask(verdict.Settings, study, question="overview", place=control, only=("k",))
    other = compare.control(control)
    said, waiting = words.empty(), words.container()
if other != compare.NOTHING:
    compare.beside(study, kind=other, k=settings.k)
answer = answer_or_stop(study, verdict, settings.but(cost=False, forecast=False))
numbers = st.empty()
left, right = st.columns([5, 4], gap="medium") if answer.figures else (st.container(), st.container())
steps = right.empty()
with left:
    chart, under = st.container(), st.empty()


def show(answer: Answer) -> None:
    """Draw what depends on the cost: the words, the numbers and what to do."""
    render.headline(answer, said.container())
    with numbers.container():
        render.facts(replace(answer, facts=answer.facts[:CARDS]))
    with under.container():
        render.facts_line(answer.facts[CARDS:])
    with steps.container():
        render.next_steps(answer)


show(answer)
with chart:
    for drawing in answer.figures[:1]:
        render.figure(drawing)
for stage in ({"forecast": False}, {}) if settings.cost else ():  # the page is useful before each of these is there
    with waiting:
        found = settled(partial(answered, study, verdict, settings.but(**stage)))
    if found is None:
        break
    answer = found
    show(answer)
for drawing in answer.figures[1:]:
    render.figure(drawing)
render.tables(answer)
links = st.grid(3, min_column_width=240)
meaningless = answer.numbers.level == "meaningless"
links.page_link(
    "pages/corpus.py",
    label="Check the topic column" if meaningless else "Look at the corpus, or load yours",
    icon=":material/library_books:",
)
links.page_link("pages/topic_map.py", label="See why two topics are similar", icon=":material/bubble_chart:")
if not meaningless:
    links.page_link("pages/hits.py", label="Choose how many topics to keep", icon=":material/filter_alt:")
    links.page_link("pages/design.py", label="Compare all splits", icon=":material/design_services:")
    links.page_link("pages/accuracy.py", label="See what leakage costs", icon=":material/stacked_line_chart:")
if study.corpus.splits is not None:
    links.page_link("pages/split.py", label="Check the corpus's own split", icon=":material/call_split:")
encoder_notes(study.vectors.notes)
