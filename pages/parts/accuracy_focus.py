"""One test topic in focus: its nearest training topics, why they are alike, what models answered, its documents beside its twin's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from core.arrays import Ints
from core.corpora import Corpus
from core.evaluation import Evaluation, ExposedTopic, wrong_answers
from core.formats import percent
from core.splits import Swaps
from core.topics import Setup
from core.vectors import Vectors
from pages.parts.topic_map_pairs import why_alike
from pages.shared import show
from pages.shared.controls import IN_URL
from pages.shared.run_controls import ChosenRun
from pages.shared.show import escaped

ONE_AUTHOR = 0.9  # share of a topic from which scores on it say little about style
BEGINS = 160  # characters of a text
READ = "swap_read"  # the topic whose documents are shown


def focus_panel(run: ChosenRun, vectors: Vectors, rows: Sequence[ExposedTopic], topic: int | None) -> None:
    """The topic in focus: its nearest training topics, why they are alike, and what each model got wrong."""
    if topic is None:
        return
    setup = run.setup
    names = setup.corpus.topic_names
    row = next(row for row in rows if row.topic == topic)
    nearest = ", ".join(
        f"{escaped(names[other])} ({value:.2f})" for other, value in zip(row.nearest, row.similarity, strict=True)
    )
    st.subheader(f"In focus: {escaped(names[topic])}", anchor=False)
    st.markdown(
        f"Tested in fold {row.fold + 1} with {row.documents} documents, {percent(row.largest_author_share)} of them by one "
        f"author. Nearest training topics: {nearest or 'unknown, for the topic cannot be placed'}."
    )
    if row.largest_author_share >= ONE_AUTHOR:
        st.warning(
            "One author wrote nearly all of this topic: scores on it say little about style.", icon=":material/warning:"
        )
    _answers(setup.corpus, run.evaluation, topic, run.models)
    other = next((near for near in row.nearest if near != topic), None)
    if other is not None:
        st.markdown(f"**What {escaped(names[topic])} and {escaped(names[other])} share**")
        sampled = Vectors(setup.vectors, vectors.encoder_key, vectors.name, 0, len(setup.vectors), ())
        why_alike(setup.corpus, sampled, setup.space, (topic, other))


def _answers(corpus: Corpus, evaluation: Evaluation, topic: int, labels: Mapping[str, str]) -> None:
    """Questions about this topic with every model's answer; those that models got wrong come first."""
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
    """A row a question of one fold about the topic, with the truth, every model's answer and how many are wrong."""
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


def read_beside_twin(setup: Setup, swaps: Swaps) -> None:
    """The texts of one test topic and of its twin, side by side."""
    names = setup.space.names
    gained = [names[topic] for topic in swaps.topics]
    if READ in st.session_state and st.session_state[READ] not in gained:
        st.session_state[READ] = None
    placeholder = "Choose a topic, or click one above"
    chosen = st.selectbox("Read a topic beside its twin", gained, None, key=READ, placeholder=placeholder, bind=IN_URL)
    if chosen is None:
        return
    index = gained.index(chosen)
    pair = int(swaps.topics[index]), int(swaps.twins[index][0])
    halves = st.grid(2, min_column_width=380, gap="medium")
    for topic, said in zip(pair, ("The test topic", "Its twin"), strict=True):
        with halves.cell():
            st.markdown(f"**{said}: {show.escaped(names[topic])}**")
            rows = np.flatnonzero(setup.corpus.topic_codes == topic)
            shown = show.table(
                texts_of(setup.corpus, rows),
                height=240,
                csv=None,
                key=f"swap_texts_{said}",
                on_select="rerun",
                selection_mode="single-row",
                alt=f"Documents of {names[topic]}",
            )
            for index in shown.selection.rows[:1]:
                with st.container(border=True):
                    show.one_document(setup.corpus, int(rows[index]))


def texts_of(corpus: Corpus, rows: Ints) -> pd.DataFrame:
    """A row a document: its id, its author and how it begins."""
    authors = corpus.authors or ("",) * len(corpus)
    begins = (" ".join(corpus.texts[row][:BEGINS].split()) for row in rows)
    return pd.DataFrame(
        {
            "document": [corpus.ids[row] for row in rows],
            "author": [authors[row] for row in rows],
            "begins": list(begins),
        }
    )
