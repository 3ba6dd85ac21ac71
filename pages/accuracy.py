"""Folds & accuracy: how much does topic similarity inflate accuracy?"""

import streamlit as st

from core.evaluation import TASKS
from core.questions import RunSettings, accuracy, answered, calibration, curve, novel, sample_and_folds, sentences_of
from core.study import Study
from pages.parts import accuracy as parts
from pages.parts.accuracy import leakage_curve, new_topics
from pages.shared import render, show, state, widgets
from pages.shared.runs import RUN, ask_run, offered
from pages.shared.studies import answer_or_stop, settled, study_or_stop
from pages.shared.widgets import IN_URL, encoder_notes, header

header(
    curve.QUESTION,
    "Models that rely on topic do better when a topic similar to the test topic was in training.",
    section="The leakage curve",
    more=("The forecast", "Folds, models and scores"),
)


def topic_by_topic() -> None:
    """Compare similarity and score on every test topic of a run."""
    place = st.container()
    study = study_or_stop()
    state.authors_or_stop(study.corpus)
    settings = ask_run(study)
    detail = st.container()
    if not TASKS[settings.task].asks_pairs:
        setup, folds = sample_and_folds(study, settings)
        parts.own_models(study, {setup.name: (setup.corpus, folds)}, key="own_models")
    with place:
        answer = answer_or_stop(study, accuracy, settings, page=RUN, offer=offered(study, settings))
        render.headline(answer)
    found: accuracy.TopicByTopic = answer.numbers
    with detail:
        topic = parts.charts(found)
        parts.focus_panel(found, study.vectors, topic)
        parts.whole_matrix(found)
        render.facts(answer)
        for name in ("model_scores", "topic_scores", "fits"):
            render.closed_table(answer.table(name))
        calibrated(study, settings)
        unseen(study, settings)
    encoder_notes((*study.vectors.notes, *sentences_of(found.run.leakage.notes), *sentences_of(found.run.folds.notes)))


def calibrated(study: Study, settings: RunSettings) -> None:
    """Show whether answers are calibrated, for runs that ask about pairs."""
    if not TASKS[settings.task].asks_pairs:
        return
    with st.expander(calibration.QUESTION, icon=":material/balance:"):
        given = {name: getattr(settings, name) for name in settings.controls()}
        chosen = widgets.ask(calibration.Settings, study, question=calibration.NAME, given=given)
        found = settled(lambda: answered(study, calibration, chosen), page=RUN)
        if found is not None:
            render.headline(found)
            render.figure(found.figure("reliability"))
            render.table(found.table("calibration"))


def unseen(study: Study, settings: RunSettings) -> None:
    """Show scores in ordinary folds beside those on unseen topics, when asked for."""
    if settings.scheme == novel.ORDINARY:
        return
    with show.expander(novel.QUESTION, toggle="ordinary", icon=":material/compare:"):
        if not st.toggle("Compare with ordinary folds", key="ordinary", bind=IN_URL):
            return
        found = settled(lambda: answered(study, novel, settings), page=RUN)
        if found is None:
            return
        render.headline(found)
        for rows in found.tables:
            st.markdown(f"**{rows.title}**")
            if rows.name == "topics_by_authors":
                shown = novel.topics_by_authors(found.numbers, most=novel.MOST_AUTHORS)
                show.table(shown, precision=3, absent="–", alt=rows.title, csv=None)
                show.download(
                    rows.frame, show.Csv("Topics by authors as CSV", "topics_by_authors.csv", "novel_topics_csv")
                )
            else:
                render.table(rows)


VIEWS = {"leakage curve": leakage_curve, "topic by topic": topic_by_topic, "forecast": new_topics}
view = st.segmented_control(
    "View",
    list(VIEWS),
    default="leakage curve",
    required=True,
    key="accuracy_view",
    bind=IN_URL,
    label_visibility="collapsed",
)
VIEWS[view]()
