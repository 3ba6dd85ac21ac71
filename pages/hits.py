"""HITS: which topics should I keep?"""

import streamlit as st

from core.questions import hits
from core.topics import MOST_IN_MATRIX
from pages.parts import hits as parts
from pages.shared import hosting, render, state, widgets
from pages.shared.studies import answer_or_stop, study_or_stop
from pages.shared.widgets import encoder_notes, header

header(
    hits.QUESTION,
    "HITS keeps topics that are unlike each other, so that a topic held out for testing really is new.",
    section="HITS",
)
study = study_or_stop(preliminary=True)
if len(study.corpus.topic_names) > MOST_IN_MATRIX:
    parts.many_topics(study)
    parts.smallest_topic(state.corpus_or_stop())
    st.stop()
meaningless = study.judged(2).level == "meaningless"
if study.path.comparable < 2:
    render.headline(answer_or_stop(study, hits, hits.Settings.resolve(study, {"m": 1}, clamp=True)))
    parts.smallest_topic(state.corpus_or_stop())
    st.stop()
best = None if meaningless else parts.optimum_so_far(study)


@st.fragment
def explore() -> None:
    """Draw the slider and all that follows from it; the browser draws every m, and letting go reruns this part alone."""
    hosting.note_use()
    place = st.container()
    policy = widgets.ask(hits.Settings, study, question="hits", only=("policy", "threshold"))
    default = min(study.path.comparable, hits.suggested_m(study, policy.policy, policy.threshold))
    settings = policy.but(m=parts.current_m(study.path.comparable, default))
    answer = answer_or_stop(study, hits, settings)
    with place:
        render.headline(answer)
    parts.drawn(study, settings, best, answer.numbers)
    parts.explained(study)
    parts.other_similarity(study, answer.numbers.m)
    render.tables(answer)
    parts.downloads(study, settings, answer.numbers.sample)


explore()
if best is None and not meaningless:
    parts.optimum_or_wait(study)
parts.smallest_topic(state.corpus_or_stop())
parts.experiments(study)
encoder_notes(study.vectors.notes)
