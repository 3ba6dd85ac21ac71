"""What Folds & accuracy says first, its charts, and one test topic in focus in all of them."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.corpora import Corpus
from core.evaluation import (
    ExposedTopic,
    adjusted_p,
    adjusted_slopes,
    chance_level,
    exposed_topics,
    exposure_matrix,
    fold_scores,
    relations,
    similarity_answer,
    similarity_cautions,
    summarise,
    topic_intervals,
    topic_scores,
)
from core.plots import accuracy as plots
from core.plots import accuracy_detail
from core.statistics import AdjustedSlope, Relation, WeightedSummary
from core.topics import cluster_order
from pages.shared import show
from pages.shared.controls import IN_URL
from pages.shared.public import of_runs
from pages.shared.run_controls import ChosenRun
from pages.shared.show import literal

NONE = "(none)"
MOST_ROWS = 40  # on a page of rows
FITTING = 26  # rows with which the chart is seen without scrolling; more are shown by their two ends at first
END_ROWS = FITTING // 2
LEAST_HEIGHT = 320
CONTROLS = 84  # pixels of the row of controls above the right chart

Measured = tuple[
    tuple[ExposedTopic, ...], dict[str, Relation], dict[str, AdjustedSlope], Mapping[str, WeightedSummary], float
]


def headline(run: ChosenRun, measured: Measured, *, meaningful: bool) -> None:
    """The page's answer in a sentence or two, with its cautions."""
    rows, found, slopes, summary, chance = measured
    nearest = [row.nearest_similarity for row in rows]
    answer = similarity_answer(
        run.models, found, slopes, adjusted_p(found), metric=run.metric_label, meaningful=meaningful
    )
    with st.container(border=True, gap="xsmall"):
        st.subheader(literal(answer), anchor=False)
        for caution in similarity_cautions(run.models, summary, nearest, chance=chance) if meaningful else ():
            st.markdown(f":orange[:material/priority_high:] {literal(caution)}")


def measured(run: ChosenRun) -> Measured:
    """Every test topic with its similarities and scores; per model how the two go together, and its weighted mean; and
    what one scores without reading."""
    corpus, evaluation, metric = run.setup.corpus, run.evaluation, run.metric

    def compute() -> Measured:
        intervals = topic_intervals(evaluation, corpus, metric=metric)
        scores = topic_scores(evaluation, corpus)
        rows = exposed_topics(corpus, run.leakage, scores, metric=metric, intervals=intervals)
        summary = summarise(fold_scores(evaluation, corpus), metric)
        chance = chance_level(evaluation, corpus, metric=metric)
        return rows, relations(rows), adjusted_slopes(evaluation, corpus, rows), summary, chance

    with st.spinner("Setting scores beside similarity …"):
        return of_runs(corpus, [evaluation], "accuracy", compute, metric, run.setup.space.kind)


def charts(run: ChosenRun, found: Measured) -> int | None:
    """Test topics by exposure with their scores, beside it the one against the other; the topic in focus in both."""
    rows, relation, _, _, chance = found
    left, right = st.columns([3, 2], gap="medium")
    with right:
        visible, topic = _choose_view(run, rows)
    with left:
        above = st.container()
        shown = in_view(visible, topic, start=_choose_part(visible))
    with above:
        height = _rows(run, shown, topic, chance=chance, left_out=_between(visible, shown))
    with right:
        _against(run, rows, relation, topic, height=height - CONTROLS)
    return topic


def _choose_view(run: ChosenRun, rows: Sequence[ExposedTopic]) -> tuple[list[ExposedTopic], int | None]:
    """The rows of the fold that is shown, and the topic in focus."""
    every = "all folds"
    names = [every, *(f"fold {number + 1}" for number in range(len(run.folds)))]
    asks = st.grid(2, min_column_width=140)
    focus_cell = asks.container()
    picked = asks.selectbox("Folds shown", names, key="fold", bind=IN_URL)
    visible = [row for row in rows if picked == every or names[row.fold + 1] == picked]
    return visible, _in_focus(focus_cell, run.setup.corpus, visible)


def _choose_part(rows: Sequence[ExposedTopic]) -> int | None:
    """From where on rows are shown; None for both ends of many."""
    count, placed = len(rows), _placed(rows)
    if count <= FITTING:
        return 0
    ends = f"the {END_ROWS} most and the {END_ROWS} least exposed"
    if placed <= FITTING:
        ends = f"the {placed} that can be placed"
    starts = {_page(start, count): start for start in range(0, count, MOST_ROWS)}
    part = st.selectbox(f"Of {count:,} test topics", [ends, *starts], key="rows", bind=IN_URL)
    return starts.get(part)


def _placed(rows: Sequence[ExposedTopic]) -> int:
    """How many rows have a nearest training topic: they come first. All of them, where none has."""
    return sum(bool(row.nearest) for row in rows) or len(rows)


def _between(rows: Sequence[ExposedTopic], shown: Sequence[ExposedTopic | None]) -> int:
    """How many rows are left out between those shown."""
    seen = {id(row) for row in shown}
    places = [place for place, row in enumerate(rows) if id(row) in seen]
    return places[-1] - places[0] + 1 - len(places) if places else 0


def _page(start: int, count: int) -> str:
    return f"{start + 1:,}–{min(start + MOST_ROWS, count):,}" if count > MOST_ROWS else f"all {count}"


def in_view(rows: Sequence[ExposedTopic], focus: int | None, *, start: int | None) -> list[ExposedTopic | None]:
    """Rows from `start`, or both ends of those that can be placed, with a gap (None) between; the topic in focus is always
    among them."""
    if start is None:
        placed = _placed(rows)
        places = [*range(min(END_ROWS, placed)), *range(max(placed - END_ROWS, 0), placed)]
    else:
        places = list(range(start, min(start + MOST_ROWS, len(rows))))
    places = sorted({*places, *(place for place, row in enumerate(rows) if row.topic == focus)})
    shown: list[ExposedTopic | None] = []
    for before, place in zip([places[0] - 1, *places] if places else [], places, strict=False):
        shown += [None, rows[place]] if place > before + 1 else [rows[place]]
    return shown


def _in_focus(where: DeltaGenerator, corpus: Corpus, rows: Sequence[ExposedTopic]) -> int | None:
    """The topic chosen here or in a chart."""
    names = [NONE, *sorted({corpus.topic_names[row.topic] for row in rows})]
    chosen = where.selectbox(
        "Topic in focus", names, key="focus", bind=IN_URL, help="Type to search, or click in the charts."
    )
    return None if chosen == NONE else corpus.topic_names.index(chosen)


def _clicked(chart: str, corpus: Corpus) -> Callable[[], None]:
    """A callback that brings the topic clicked in a chart into focus."""

    def take() -> None:
        points = st.session_state[chart].selection.points
        if points and points[0].get("customdata"):
            st.session_state["focus"] = corpus.topic_names[int(points[0]["customdata"][0])]

    return take


def _rows(
    run: ChosenRun, shown: Sequence[ExposedTopic | None], focus: int | None, *, chance: float, left_out: int
) -> int:
    """The chart of the rows; gives its height, which its neighbour keeps to."""
    drawn = plots.exposed_rows(
        run.setup.space,
        shown,
        models=run.models,
        metric=run.metric_label,
        chance=chance,
        left_out=left_out,
        focus=focus,
    )
    show.figure(drawn, key="rows_chart", on_select=_clicked("rows_chart", run.setup.corpus))
    st.caption(plots.rows_caption(shown, metric=run.metric_label, chance=chance))
    return int(drawn.layout.height)


def _against(
    run: ChosenRun, rows: Sequence[ExposedTopic], found: Mapping[str, Relation], focus: int | None, *, height: int
) -> None:
    """Each model's score against the similarity of the nearest training topic."""
    show.figure(
        plots.accuracy_against_similarity(
            run.setup.space,
            rows,
            found,
            models=run.models,
            metric=run.metric_label,
            focus=focus,
            height=max(height, LEAST_HEIGHT),
        ),
        key="against",
        on_select=_clicked("against", run.setup.corpus),
    )


def whole_matrix(run: ChosenRun, rows: Sequence[ExposedTopic]) -> None:
    """Every test topic against all training topics of its fold, when asked for."""
    if not st.toggle("All training topics of every test topic", key="all_training", bind=IN_URL):
        return
    space = run.setup.space
    matrix = exposure_matrix(space, run.folds, rows, cluster_order(space.similarity))
    show.figure(
        accuracy_detail.train_test_matrix(space, matrix),
        key="beside",
        on_select=_clicked("beside", run.setup.corpus),
        alt="Similarity of each test topic to every training topic of its fold",
    )
    together = max(map(len, (*matrix.rows, *matrix.columns)), default=1)
    st.caption(
        f"Mean similarity of training and test topics {run.leakage.average_mean:.3f}, maximum {run.leakage.average_max:.3f} "
        "(averages over folds). Blank: not in that topic's training set."
        + (f" A cell is the mean of up to {together} × {together} topics." if together > 1 else "")
    )
