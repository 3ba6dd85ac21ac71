"""The interactive parts of Folds & accuracy: topic by topic with one test topic in focus, the leakage curve, the forecast."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.corpora import Corpus
from core.engine import Call
from core.evaluation import (
    Asked,
    Evaluation,
    ExposedTopic,
    OwnCurve,
    folds_file,
    plan_file,
    read_answer_files,
    read_fold_answers,
    wrong_answers,
)
from core.formats import percent
from core.plots import accuracy as plots
from core.questions import accuracy, answered, curve, forecast, in_words_of, topic_map, verdict
from core.render import Answer
from core.study import Study
from core.vectors import ENCODERS, Vectors
from pages.parts.topic_map import shared
from pages.shared import render, show, state, widgets
from pages.shared.history import RUN, forget_drawn, note_drawn, own_key
from pages.shared.runs import offered_curve
from pages.shared.show import escaped
from pages.shared.state import current_encoder
from pages.shared.studies import answer_or_stop, chosen_study, hold_answers, settled, study_of, study_or_stop
from pages.shared.upload import content_key, read_strictly
from pages.shared.widgets import IN_URL, encoder_notes

NONE = "(none)"
LEAST_HEIGHT = 320
CONTROLS = 84  # pixels of the row of controls above the right chart
ONE_AUTHOR = 0.9  # share of a topic from which its scores mix author and topic


def charts(found: accuracy.TopicByTopic) -> int | None:
    """Draw the test topics beside score against similarity; return the topic in focus."""
    made, rows = found.run, found.rows
    corpus, space = made.setup.corpus, made.setup.space
    left, right = st.columns([3, 2], gap="medium")
    with right:
        visible, topic = _choose_view(corpus, len(made.folds), rows)
    with left:
        above = st.container()
        shown = accuracy.rows_shown(visible, topic, start=_choose_part(visible))
    drawn = plots.exposed_rows(
        space,
        shown,
        models=made.models,
        metric=made.metric_label,
        chance=found.chance,
        left_out=_between(visible, shown),
        focus=topic,
        whose=accuracy.whose(corpus),
    )
    with above:
        about = accuracy.rows_caption(shown, metric=made.metric_label, chance=found.chance)
        render.chart_title("Test topics, the most exposed first", about)
        show.figure(drawn, key="rows_chart", on_select=_clicked("rows_chart", corpus))
    with right:
        show.figure(
            plots.accuracy_against_similarity(
                space,
                rows,
                found.relations,
                models=made.models,
                metric=made.metric_label,
                focus=topic,
                height=max(int(drawn.layout.height) - CONTROLS, LEAST_HEIGHT),
            ),
            key="against",
            on_select=_clicked("against", corpus),
        )
    return topic


def _choose_view(corpus: Corpus, folds: int, rows: Sequence[ExposedTopic]) -> tuple[list[ExposedTopic], int | None]:
    """Return the rows of the chosen fold and the topic in focus."""
    every = "all folds"
    names = [every, *(f"fold {number + 1}" for number in range(folds))]
    asks = st.grid(2, min_column_width=140)
    focus_cell: DeltaGenerator = asks.container()
    picked = asks.selectbox("Folds shown", names, key="fold", bind=IN_URL)
    visible = [row for row in rows if picked == every or names[row.fold + 1] == picked]
    topics = [NONE, *sorted({corpus.topic_names[row.topic] for row in visible})]
    chosen = focus_cell.selectbox(
        "Topic in focus", topics, key="focus", bind=IN_URL, help="Type to search, or click in the charts."
    )
    return visible, None if chosen == NONE else corpus.topic_names.index(chosen)


def _choose_part(rows: Sequence[ExposedTopic]) -> int | None:
    """Return the first row shown; None for both ends of many."""
    count, compared, half = len(rows), accuracy.compared_rows(rows), accuracy.FITTING // 2
    if count <= accuracy.FITTING:
        return 0
    ends = f"the {half} most and the {half} least exposed"
    if compared <= accuracy.FITTING:
        ends = f"the {compared} that can be compared"
    starts = {
        (f"{start + 1:,}–{min(start + accuracy.PAGE, count):,}" if count > accuracy.PAGE else f"all {count}"): start
        for start in range(0, count, accuracy.PAGE)
    }
    return starts.get(st.selectbox(f"Of {count:,} test topics", [ends, *starts], key="rows", bind=IN_URL))


def _between(rows: Sequence[ExposedTopic], shown: Sequence[ExposedTopic | None]) -> int:
    """Return how many rows are left out between those shown."""
    seen = {id(row) for row in shown}
    places = [place for place, row in enumerate(rows) if id(row) in seen]
    return places[-1] - places[0] + 1 - len(places) if places else 0


def _clicked(chart: str, corpus: Corpus) -> Callable[[], None]:
    """Return a callback that puts the topic clicked in a chart into focus."""

    def take() -> None:
        points = st.session_state[chart].selection.points
        if points and points[0].get("customdata"):
            st.session_state["focus"] = corpus.topic_names[int(points[0]["customdata"][0])]

    return take


def whole_matrix(found: accuracy.TopicByTopic) -> None:
    """Draw every test topic against all training topics of its fold, when asked for."""
    if not st.toggle("All training topics of every test topic", key="all_training", bind=IN_URL):
        return
    matrix = accuracy.topic_matrix(found)
    show.figure(
        plots.train_test_matrix(found.run.setup.space, matrix),
        key="beside",
        on_select=_clicked("beside", found.run.setup.corpus),
        alt="Similarity of each test topic to every training topic of its fold",
    )
    together = max(map(len, (*matrix.rows, *matrix.columns)), default=1)
    merged = f" A cell is the mean of up to {together} × {together} topics." if together > 1 else ""
    st.caption(accuracy.matrix_caption(found.run) + merged)


def focus_panel(found: accuracy.TopicByTopic, vectors: Vectors, topic: int | None) -> None:
    """Draw the topic in focus: its nearest training topics, what they share, and what each model got wrong."""
    if topic is None:
        return
    setup = found.run.setup
    names = setup.corpus.topic_names
    row = next(row for row in found.rows if row.topic == topic)
    nearest = ", ".join(
        f"{escaped(names[other])} ({value:.2f})" for other, value in zip(row.nearest, row.similarity, strict=True)
    )
    st.subheader(f"In focus: {escaped(names[topic])}", anchor=False)
    st.markdown(
        f"Tested in fold {row.fold + 1} with {row.documents} documents, {percent(row.largest_author_share)} of them of one "
        f"{setup.corpus.class_word}. Nearest training topics: {nearest or 'unknown, because the topic has too few documents to compare'}."
    )
    if row.largest_author_share >= ONE_AUTHOR:
        st.warning(
            f"Nearly all of this topic is of one {setup.corpus.class_word}. Its scores mix {setup.corpus.class_word} and topic.",
            icon=":material/warning:",
        )
    _answers(setup.corpus, found.run.evaluation, topic, found.run.models)
    other = next((near for near in row.nearest if near != topic), None)
    if other is not None:
        st.markdown(f"**What {escaped(names[topic])} and {escaped(names[other])} share**")
        sampled = Vectors(setup.vectors, vectors.encoder_key, vectors.name, 0, len(setup.vectors), ())
        study = study_of(setup.corpus, sampled)
        shared(study, topic_map.pair_of(study, names[topic], names[other]))


def _answers(corpus: Corpus, evaluation: Evaluation, topic: int, labels: Mapping[str, str]) -> None:
    """Draw the questions about this topic with every model's answer, those most often wrong first."""
    asked = [
        question
        for fold in range(len(evaluation.questions))
        for question in _questions(corpus, evaluation, fold, topic, labels)
    ]
    if not asked:
        return
    asked.sort(key=lambda question: -question.wrong)
    st.markdown("**What the models answered** (most often wrong first; choose a row to read the text)")
    chosen = show.table(
        [question.cells | {"wrong": question.wrong} for question in asked],
        height=260,
        key="mistakes",
        on_select="rerun",
        selection_mode="single-row",
        alt="Answers of every model on this topic",
        csv=show.Csv("Answers as CSV", "answers_on_topic.csv"),
    )
    for index in chosen.selection.rows[:1]:
        with st.container(border=True):
            show.one_document(corpus, asked[index].row)


@dataclass(frozen=True, slots=True)
class _Question:
    """A question of the table: the row of its document, how many models are wrong, and what is shown of it."""

    row: int
    wrong: int
    cells: dict[str, object]


def _questions(
    corpus: Corpus, evaluation: Evaluation, fold: int, topic: int, labels: Mapping[str, str]
) -> list[_Question]:
    """Return a row per question of one fold about the topic: the truth, every model's answer and how many are wrong."""
    authors = corpus.author_names or ()
    questions = evaluation.questions[fold]
    runs = [run for run in evaluation.runs if run.fold == fold and run.problem is None]
    wrong = [wrong_answers(evaluation, run) for run in runs]
    found = []
    for index in np.flatnonzero(corpus.topic_codes[questions.lead] == topic):
        truth = questions.truth[index]
        record: dict[str, object] = {"document": corpus.ids[questions.lead[index]]}
        if questions.other is not None:
            record["and"] = corpus.ids[questions.other[index]]
            record["truth"] = "same author" if truth else "two authors"
            record |= {labels[run.model]: round(float(run.answers[index]), 3) for run in runs}
        else:
            record["truth"] = authors[truth]
            record |= {labels[run.model]: authors[int(run.answers[index])] for run in runs}
        wrongs = sum(int(each[index]) for each in wrong)
        found.append(_Question(int(questions.lead[index]), wrongs, record))
    return found


MODEL, TOPIC = "curve_model", "curve_topic"
BEGINS = 160  # characters of a text


def leakage_curve() -> None:
    """Draw the leakage curve, what every topic gains, and the plan as a file."""
    study = study_or_stop()
    state.authors_or_stop(study.corpus)
    settings = widgets.ask(curve.Settings, study, question="curve")
    place = st.container()
    answer = answer_or_stop(study, curve, settings, page=curve.NAME, offer=offered_curve(study, settings))
    with st.expander("Your own models: plan and answers", icon=":material/upload_file:"):
        own = _own_answers(study, answer.numbers)
    forget_drawn(curve.NAME)
    if own:
        answer = settled(lambda: in_words_of(curve.answer(study, settings, own), study.corpus)) or answer
        note_drawn(answer, chosen_study(study.corpus))
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
        answer = settled(lambda: in_words_of(forecast.answer(study, settings, similarity), study.corpus)) or answer
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
    encoder = current_encoder()
    if ENCODERS[encoder.name].brought:
        show.refuse("New texts need an encoder, and your vectors come from a file. Choose another encoder.")
        return None
    key = content_key(file)
    target: Corpus | None = read_strictly("target files", key, forecast.read_new_texts, file)
    if target is None:
        return None
    call = Call(forecast.measured_target, (study, target, encoder))
    return settled(lambda: study.long("targets", (*key, target.fingerprint), call, name="Encoding new texts"))


def own_models(study: Study, asked: Asked, *, key: str) -> None:
    """Offer folds as files, and take the answers of the visitor's own models to them; each has a button to leave it out."""
    with st.expander("Your own models: folds and answers", icon=":material/upload_file:"):
        st.markdown(
            "Download the folds, train your model on each training side, and upload its answers. Each file is a model, with `id`, "
            "`fold` and `prediction`, or a column of numbers per class."
        )
        row = st.container(horizontal=True)
        for format, label in (("csv", "CSV"), ("jsonl", "JSON lines")):
            make = partial(folds_file, asked, format)
            show.offer(row, f"Download folds ({label})", make, f"folds.{format}", key=f"{key}_folds_{format}")
        number = st.session_state.get(f"{key}_taken", 0)  # a new key clears the uploader
        given = st.file_uploader(
            "Answers, one file per model",
            type=["csv", "tsv", "jsonl"],
            accept_multiple_files=True,
            key=f"{key}_answers_{number}",
        )
        if given:
            _take_answers(study.corpus, given, asked, key=key)
        for name in study.own:
            line = st.container(horizontal=True, vertical_alignment="center")
            line.markdown(
                f":material/model_training: **{escaped(name)}** joins the models of this corpus.", width="content"
            )
            line.button(
                "Remove",
                key=f"{key}_remove_{name}",
                on_click=hold_answers,
                args=(study.corpus, ()),
                kwargs={"without": name},
            )


def _take_answers(corpus: Corpus, given: list[Any], asked: Asked, *, key: str) -> None:
    """Read uploaded answers in the strict worker, which needs ids and classes but no texts, and draw the page again."""
    without_texts = {
        name: (replace(part, texts=("",) * len(part), vectors=None), folds) for name, (part, folds) in asked.items()
    }
    sides = tuple(folds.fingerprint for _, folds in asked.values())
    found = read_strictly(
        "fold answers", (*content_key(*given), corpus.fingerprint, *sides), read_fold_answers, given, without_texts
    )
    if found is None:
        return
    hold_answers(corpus, found)
    chosen = own_key(RUN, "models_attribution")
    if st.session_state.get(chosen):  # models chosen by hand: these join them
        widgets.assign({chosen: [*st.session_state[chosen], *(each.name for each in found)]})
    st.session_state[f"{key}_taken"] = st.session_state.get(f"{key}_taken", 0) + 1
    st.rerun()


def _own_answers(study: Study, found: curve.LeakageCurve) -> dict[str, OwnCurve]:
    """Offer the plan as a file, and return the accuracies of the answers to it that were uploaded."""
    st.markdown(
        "Download the plan, train your model on each training set, and upload its answers. Give a table with `topic`, `level`, `draw`, "
        "`id` and `prediction`. Or give JSON lines with `topic`, `level`, `draw` and `answers` in the order of the test ids. "
        "Without the levels named *least similar*, the p-value is that of the gain alone."
    )
    corpus, plan = study.corpus, found.plan
    row = st.container(horizontal=True)
    for format, label in (("csv", "CSV"), ("jsonl", "JSON lines")):
        make = partial(plan_file, corpus, plan, format)
        show.offer(row, f"Download plan ({label})", make, f"curve_plan.{format}", key=f"curve_plan_{format}")
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

    render.chart_title(drawing.title, drawing.caption)
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
            corpus.class_word: authors[row],
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
