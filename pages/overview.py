"""Overview: does my evaluation leak?"""

import streamlit as st

from core.questions import answered, verdict
from pages.parts import overview_compare as compare
from pages.shared import render, widgets
from pages.shared.controls import encoder_notes, header
from pages.shared.studies import answer_or_stop, settled, study_or_stop

header(
    verdict.QUESTION,
    "A topic held out for testing is *unseen* only if nothing like it is in training. This page shows how similar your topics are, and what that does to scores.",
    section="Near twins and the verdict",
)
study = study_or_stop(preliminary=True)
with st.container(border=True):
    words, control = st.columns([3, 1], vertical_alignment="center", gap="medium")
    settings = widgets.ask(verdict.Settings, study, question="overview", place=control, only=("k",))
    other = compare.control(control)
    place = words.empty()
    answer = answer_or_stop(study, verdict, settings.but(cost=False))
    render.headline(answer, place.container())
    if settings.cost:  # the page is useful before the cost is there
        with words:
            found = settled(lambda: answered(study, verdict, settings))
        if found is not None:
            answer = found
            render.headline(answer, place.container())
if other != compare.NOTHING:
    compare.beside(study, kind=other, k=settings.k)
render.facts(answer)
render.figures(answer)
render.next_steps(answer)
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
if study.corpus.splits is not None:
    links.page_link("pages/split.py", label="Check the corpus's own split", icon=":material/call_split:")
encoder_notes(study.vectors.notes)
