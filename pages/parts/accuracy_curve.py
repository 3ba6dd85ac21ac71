"""Folds & accuracy, the leakage curve and the forecast: their settings, answers, and what is interactive around them."""

import numpy as np
import streamlit as st

from core.arrays import Floats
from core.corpora import Corpus
from core.engine import Call
from core.evaluation import plan_lines, read_answer_files
from core.questions import answered, curve, forecast, verdict
from core.render import Answer
from core.study import Study
from core.vectors import ENCODERS
from pages.shared import files, render, show, state, widgets
from pages.shared.controls import IN_URL, encoder_notes
from pages.shared.corpus_vectors import encoder_in_hand
from pages.shared.studies import answer_or_stop, settled, study_or_stop
from pages.shared.upload import content_key, read_strictly

MODEL, TOPIC = "curve_model", "curve_topic"
BEGINS = 160  # characters of a text


def leakage_curve() -> None:
    """Draw the leakage curve, what every topic gains, and the plan as a file."""
    study = study_or_stop()
    state.authors_or_stop(study.corpus)
    settings = widgets.ask(curve.Settings, study, question="curve")
    place = st.container()
    answer = answer_or_stop(study, curve, settings, page="accuracy")
    with st.expander("Your own models: plan and answers", icon=":material/upload_file:"):
        own = _own_answers(study, answer.numbers)
    if own:
        answer = settled(lambda: curve.answer(study, settings, own)) or answer
    with place:
        if not study.labels.meaningful:  # said first: a curve over labels that mean nothing shows nothing
            render.headline(answered(study, verdict, verdict.Settings.resolve(study, {})))
        render.headline(answer)
        render.figure(answer.figure("curve"))
        render.facts(answer)
        render.next_steps(answer)
        _topic_by_topic(study, answer)
        render.tables(answer)
    encoder_notes(study.vectors.notes)


def new_topics() -> None:
    """Draw the forecast: what splits promise, and what to expect on topics unlike these or on new texts."""
    study = study_or_stop()
    state.authors_or_stop(study.corpus)
    settings = widgets.ask(forecast.Settings, study, question="forecast")
    place = st.container()
    answer = answer_or_stop(study, forecast, settings, page="accuracy")
    with st.expander("Forecast for your own new texts", icon=":material/upload_file:"):
        similarity = _new_texts(study)
    if similarity is not None:
        answer = settled(lambda: forecast.answer(study, settings, similarity)) or answer
    with place:
        render.headline(answer)
        render.facts(answer)
        render.figures(answer)
        render.next_steps(answer)
        render.tables(answer)
    encoder_notes(study.vectors.notes)


def _new_texts(study: Study) -> float | None:
    """Return how similar uploaded texts are to the corpus; None where there are none yet."""
    file = st.file_uploader(
        "New texts, with a column text and, if you have them, topic",
        type=["csv", "tsv", "jsonl", "parquet"],
        key="forecast_target",
    )
    if file is None:
        return None
    encoder = encoder_in_hand()
    if ENCODERS[encoder.name].brought:
        show.refuse("New texts need an encoder, and your vectors come from a file. Choose another encoder.")
        return None
    key = content_key(file)
    target: Corpus | None = read_strictly("target files", key, forecast.read_new_texts, file)
    if target is None:
        return None
    call = Call(forecast.measured_target, (study, target, encoder))
    return settled(lambda: study.long("targets", (*key, target.fingerprint), call, name="Encoding new texts"))


def _own_answers(study: Study, found: curve.LeakageCurve) -> dict[str, Floats]:
    """Offer the plan as a file, and return the accuracies of the answers to it that were uploaded."""
    st.markdown(
        "Download the plan, train your model on each training set, and upload its answers: JSON lines with `topic`, `level`, "
        "`draw` and `answers` in the order of the test ids."
    )
    corpus, plan = study.corpus, found.plan
    files.offer(
        st.container(),
        "Download plan",
        lambda: "".join(f"{line}\n" for line in plan_lines(corpus, plan)),
        "curve_plan.jsonl",
        key="curve_plan",
    )
    given = st.file_uploader(
        "Answers, one file per model", type=["jsonl", "csv"], accept_multiple_files=True, key="curve_answers"
    )
    if not given:
        return {}
    key = (*content_key(*given), study.key, plan.digest)
    names = corpus.author_names or ()
    return read_strictly("curve answers", key, read_answer_files, given, corpus, plan, names) or {}


def _topic_by_topic(study: Study, answer: Answer) -> None:
    """Draw the differences of one model; a click on a topic shows its documents."""
    found: curve.LeakageCurve = answer.numbers
    names = list(found.summary.models)
    model = st.selectbox(
        "Model",
        names,
        names.index(found.summary.judged_by) if found.summary.judged_by in names else 0,
        format_func=lambda name: found.labels[name],
        key=MODEL,
        bind=IN_URL,
        width=240,
    )
    drawing = curve.difference_drawing(found, model)
    topics = {found.topic_names[topic]: int(topic) for topic in found.plan.topics}

    def take() -> None:
        points = st.session_state["differences"].selection.points
        if points and points[0].get("customdata"):
            st.session_state[TOPIC] = found.topic_names[int(points[0]["customdata"][0])]

    st.markdown(f"**{show.escaped(drawing.title)}**")
    show.figure(drawing.figure, key="differences", on_select=take)
    if st.session_state.get(TOPIC) not in topics:
        st.session_state[TOPIC] = None
    placeholder = "Choose a topic, or click one in the chart"
    chosen = st.selectbox("Documents of a topic", list(topics), None, key=TOPIC, placeholder=placeholder, bind=IN_URL)
    if chosen is not None:
        _documents(study, topics[chosen])


def _documents(study: Study, topic: int) -> None:
    """List a topic's documents; a chosen row shows the text."""
    corpus, rows = study.corpus, np.flatnonzero(study.corpus.topic_codes == topic)
    authors = corpus.authors or ("",) * len(corpus)
    listed = [
        {
            "document": corpus.ids[row],
            "author": authors[row],
            "begins": " ".join(corpus.texts[row][:BEGINS].split()),
        }
        for row in rows
    ]
    shown = show.table(
        listed,
        height=240,
        csv=None,
        key="curve_documents",
        on_select="rerun",
        selection_mode="single-row",
        alt=f"Documents of {corpus.topic_names[topic]}",
    )
    for index in shown.selection.rows[:1]:
        with st.container(border=True):
            show.one_document(corpus, int(rows[index]))
