"""Topic by topic on Folds & accuracy: charts that can be clicked, and one test topic in focus."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.corpora import Corpus
from core.evaluation import Evaluation, ExposedTopic, wrong_answers
from core.formats import percent
from core.plots import accuracy as plots
from core.plots import accuracy_detail
from core.questions import accuracy, topic_map
from core.vectors import Vectors
from pages.parts.topic_map import shared
from pages.shared import show
from pages.shared.controls import IN_URL
from pages.shared.show import escaped
from pages.shared.studies import study_of

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
    )
    with above:
        show.figure(drawn, key="rows_chart", on_select=_clicked("rows_chart", corpus))
        st.caption(accuracy.rows_caption(shown, metric=made.metric_label, chance=found.chance))
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
        accuracy_detail.train_test_matrix(found.run.setup.space, matrix),
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
        f"Tested in fold {row.fold + 1} with {row.documents} documents, {percent(row.largest_author_share)} of them by one "
        f"author. Nearest training topics: {nearest or 'unknown, because the topic has too few documents to compare'}."
    )
    if row.largest_author_share >= ONE_AUTHOR:
        st.warning(
            "One author wrote nearly all of this topic. Its scores mix author and topic.", icon=":material/warning:"
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
