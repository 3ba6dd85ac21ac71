"""Overview: does my evaluation leak, and what does it cost?"""

from functools import partial

import streamlit as st

from core.questions import answered, verdict
from core.render import Answer
from pages.parts import overview as parts
from pages.shared import render, widgets
from pages.shared.studies import answer_or_stop, is_preliminary, settled, study_or_stop
from pages.shared.widgets import encoder_notes, header

controls = header(
    verdict.QUESTION,
    "A topic held out for testing is *unseen* only if nothing like it is in training.",
    section="Near twins and the verdict",
)
study = study_or_stop(preliminary=True)
with st.container(border=True):
    said, waiting = st.empty(), st.container()
folds = controls.popover("Folds", icon=":material/tune:")
settings = widgets.ask(verdict.Settings, study, question="overview", place=folds, only=("k",))
other = parts.control(controls)
if other != parts.NOTHING:
    parts.beside(study, kind=other, k=settings.k)
answer = answer_or_stop(study, verdict, settings.but(cost=False, forecast=False))
numbers = st.empty()
two = len(answer.figures) > 1  # one figure: the labels mean nothing
left, right = st.columns([5, 4], gap="medium") if two else (st.container(), st.container())
steps, pairs = right.empty(), right.container()


def show(answer: Answer) -> None:
    """Draw what depends on the cost: the words, the numbers and what to do."""
    render.headline(answer, said.container())
    with numbers.container():
        render.facts(answer, most=render.MOST_CARDS)  # the words above say the others
    with steps.container():
        render.next_steps(answer)


show(answer)
if two:
    with left:
        render.figure(answer.figure("twins"))
    with pairs:
        render.figure(answer.figure("worst"))
else:
    render.figures(answer)
measured = settings.cost and not is_preliminary(
    study
)  # of a few documents it would tell nothing, and slow down the rest
for stage in ({"forecast": False}, {}) if measured else ():  # the page is useful before each of these is there
    with waiting:
        found = settled(partial(answered, study, verdict, settings.but(**stage)))
    if found is None:
        break
    answer = found
    show(answer)
if two:
    texts, all_pairs = st.columns([5, 4], gap="medium")
    with texts:
        parts.closest_texts(study)
    with all_pairs:
        render.figure(answer.figure("histogram"))
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
