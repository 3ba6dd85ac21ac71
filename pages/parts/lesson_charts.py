"""The lesson's charts: one control and one chart a step, and where the same is found on the page it belongs to."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import streamlit as st

from core.demo import DIAL_GRID, bundled_evidence, bundled_layout, bundled_vectors
from core.formats import percent
from core.lesson import (
    CONTROL_NAMES,
    FOLDS,
    POINT,
    SISTERS,
    DialGrid,
    Lesson,
    chances_of_wins,
    dealt,
    hits_change,
    label_of,
    leaking_counts,
    nearest_in_training,
    parted_chance,
    read_dial_grid,
    right_beside_twins,
    seen_authors,
    sign_p,
    signed,
)
from core.plots import lesson as plots
from core.plots import lesson_deals as deal_plots
from core.plots import lesson_models as model_plots
from core.topics import CORRECTED, judge, pair_histogram
from core.vectors import make_encoder
from pages.shared import show
from pages.shared.controls import IN_URL, whole_number
from pages.shared.links import own_key
from pages.shared.studies import study_of

PAGE = "lesson"
DrawStep = Callable[[Lesson, int | None], None]


@cache
def dial_grid() -> DialGrid:
    """Return the results on synthetic corpora."""
    return read_dial_grid(DIAL_GRID)


def _point(lesson: Lesson, guess: int | None) -> None:
    topic = st.selectbox(
        "Look at another topic", lesson.names, lesson.code(POINT), key=own_key(PAGE, "topic"), bind=IN_URL
    )
    vectors = bundled_vectors(lesson.corpus, make_encoder("sbert"))
    assert vectors is not None
    drawn = bundled_layout(lesson.corpus, vectors)
    assert drawn is not None
    near = lesson.by_similarity(topic)[0]
    show.figure(
        plots.topic_on_map(lesson, drawn, topic),
        key="lesson_figure_map",
        alt=f"Map of all texts; the topic most similar to {topic} is {near} ({lesson.alike(topic, near):.2f})",
    )
    st.caption(
        "Small dots are texts, large ones centroids. The map shows hundreds of dimensions in two, so it is for display only."
    )


def _pair(lesson: Lesson, guess: int | None) -> None:
    one, other = SISTERS
    others = lesson.by_similarity(one)
    chosen = st.selectbox(f"Compare {one} with", others, others.index(other), key=own_key(PAGE, "beside"), bind=IN_URL)
    edges, counts = pair_histogram(lesson.space.similarity, threshold=lesson.verdict.threshold)
    show.figure(
        plots.pair_among_all(lesson, edges, counts, one, chosen),
        key="lesson_figure_pairs",
        alt=f"Histogram of all pairs of topics; {one} and {chosen} have {lesson.alike(one, chosen):.2f}",
    )


def _deal(lesson: Lesson, guess: int | None) -> None:
    number = whole_number(
        st.container(), "Random split", 1, 30, 1, key=own_key(PAGE, "deal"), help="Each number is another random split."
    )
    deal = dealt(lesson, seed=number - 1)
    one, other = (int(deal.fold_of[lesson.code(name)]) for name in SISTERS)
    where = "are in one fold" if one == other else "are separated"
    st.markdown(f"In this split {SISTERS[0]} and {SISTERS[1]} **{where}**; **{int(deal.leaking.sum())}** topics leak.")
    show.figure(
        deal_plots.deal_of_topics(lesson, deal, SISTERS),
        key="lesson_figure_deal",
        alt="Topics by fold; those that leak are filled",
    )


def _leaks(lesson: Lesson, guess: int | None) -> None:
    k = whole_number(
        st.container(), "Folds (k)", 2, 12, FOLDS, key=own_key(PAGE, "k"), help="The number of folds of topics."
    )
    expected, counts = judge(lesson.space, lesson.path, k=k).leaking_topics, leaking_counts(lesson, k=k)
    st.markdown(
        f"With **{k}** folds, two given topics are separated with probability **{percent(parted_chance(len(lesson.names), k=k))}**, "
        f"and **{expected:.1f}** topics leak on average."
    )
    show.figure(
        deal_plots.leaks_of_deals(
            counts, topics=len(lesson.names), expected=expected, guess=guess if k == FOLDS else None
        ),
        key="lesson_figure_leaks",
        alt=f"Topics that leak in {len(counts)} random splits into {k} folds; {expected:.1f} are expected",
    )


def _kept(lesson: Lesson, guess: int | None) -> None:
    comparable = lesson.path.comparable
    m = whole_number(
        st.container(),
        "Topics to keep (m)",
        2,
        comparable,
        min(max(guess or lesson.verdict.keep, 2), comparable),
        key=own_key(PAGE, "m"),
        help="HITS keeps the first m of its path.",
    )
    added = lesson.names[lesson.path.order[m - 1]]
    value = float(lesson.path.max[m - 1])
    state = "some are near twins" if value >= lesson.verdict.threshold else "no two of them are near twins"
    st.markdown(f"Topic number {m} is *{added}*; the closest pair has similarity **{value:.2f}**, so {state}.")
    vectors = bundled_vectors(lesson.corpus, make_encoder("sbert"))
    assert vectors is not None
    show.figure(
        plots.closest_kept(lesson, study_of(lesson.corpus, vectors, CORRECTED).band, m),
        key="lesson_figure_kept",
        alt=f"Closest pair among the topics kept against m; {value:.2f} at {m}",
    )


def _model(label: str, models: list[str], name: str) -> str:
    return str(
        st.segmented_control(
            label,
            models,
            default=models[0],
            required=True,
            format_func=label_of,
            key=own_key(PAGE, name),
            bind=IN_URL,
        )
    )


def _right(lesson: Lesson, guess: int | None) -> None:
    models = list(bundled_evidence().held_out)
    model = _model("Model", models, "model")
    found = bundled_evidence().held_out[model]
    similarity = nearest_in_training(lesson)
    beside, alone = right_beside_twins(lesson, found)
    st.markdown(
        f"{label_of(model)} names **{percent(beside)}** of the authors on test topics with a near twin in training, "
        f"**{percent(alone)}** on the others."
    )
    show.figure(
        model_plots.right_by_similarity(lesson, found, similarity, label=label_of(model), colour=models.index(model)),
        key="lesson_figure_right",
        alt=f"Right answers of {label_of(model)} on every test topic against the similarity of the nearest training topic",
    )


def _curve(lesson: Lesson, guess: int | None) -> None:
    found = bundled_evidence().curve
    names = [name for name in CONTROL_NAMES if name in found.scores]
    chosen = str(
        st.segmented_control(
            "Model of",
            names,
            default=names[0],
            required=True,
            format_func=CONTROL_NAMES.__getitem__,
            key=own_key(PAGE, "control"),
            bind=IN_URL,
        )
    )
    first, last = (percent(float(found.scores[chosen][level])) for level in (0, -1))
    st.markdown(
        f"A model of {CONTROL_NAMES[chosen]} falls from **{first}** with every topic in training to **{last}** without the most "
        "similar half."
    )
    show.figure(
        model_plots.without_twins(
            found, labels=CONTROL_NAMES, threshold=lesson.verdict.threshold, chosen=chosen, guess=guess
        ),
        key="lesson_figure_curve",
        alt=f"Accuracy while similar topics leave training; a model of {CONTROL_NAMES[chosen]} falls from {first} to {last}",
    )
    st.caption(
        "Left to right, more similar topics are allowed in training. Training sets are equally large everywhere."
    )


def _dial(lesson: Lesson, guess: int | None) -> None:
    grid = dial_grid()
    loyalties = [float(each) for each in grid.loyal]
    loyal = st.segmented_control(
        "Share of texts in the author's own family",
        loyalties,
        default=loyalties[0],
        required=True,
        format_func=percent,
        key=own_key(PAGE, "loyal"),
        bind=IN_URL,
    )
    models = list(bundled_evidence().held_out)
    rows = {label_of(model): [hits_change(grid, loyal=each, model=model) for each in loyalties] for model in models}
    here = hits_change(grid, loyal=float(loyal))
    random, hits = (seen_authors(grid, loyal=float(loyal), sampler=sampler) for sampler in ("random", "hits"))
    st.markdown(
        f"HITS changes {label_of(models[0])} by **{signed(here.change)}** points. {percent(random)} of the test texts are by authors "
        f"in training with random topics, {percent(hits)} with HITS."
    )
    show.figure(
        model_plots.change_under_hits(rows, chosen=float(loyal)),
        key="lesson_figure_dial",
        alt="How HITS changes every model's accuracy, by how far authors keep to one family of topics",
    )


def _wins(lesson: Lesson, guess: int | None) -> None:
    topics = whole_number(
        st.container(), "Topics", 4, 48, 12, key=own_key(PAGE, "topics"), help="A is ahead on three quarters of them."
    )
    wins = round(0.75 * topics)
    st.markdown(f"A is ahead on {wins} of {topics} topics: **p = {sign_p(wins, topics):.3f}**.")
    show.figure(
        model_plots.chances_of_wins(chances_of_wins(topics), wins=wins),
        key="lesson_figure_wins",
        alt=f"How often two equally good models split by chance on {topics} topics; {wins} wins have p = {sign_p(wins, topics):.3f}",
    )


@dataclass(frozen=True, slots=True)
class Chart:
    """A step's chart, and the page where all of it is: its path, the link's words, and the state in which it opens."""

    draw: DrawStep
    page: str
    label: str
    state: dict[str, str]


def charts(lesson: Lesson) -> tuple[Chart, ...]:
    """Return one chart per step."""
    one, other = SISTERS
    near = {"a": POINT, "b": lesson.by_similarity(POINT)[0]}
    by_topic = {"run_task": "attribution", "accuracy_view": "topic by topic", "run_k": str(FOLDS)}
    return (
        Chart(_point, "pages/topic_map.py", "All topics on the map: Topic map", near),
        Chart(_pair, "pages/topic_map.py", "Why these two are similar: Topic map", {"a": one, "b": other}),
        Chart(
            _deal, "pages/design.py", "Splits that keep near twins together: Design a split", {"design_k": str(FOLDS)}
        ),
        Chart(_leaks, "pages/overview.py", "The verdict on a corpus: Overview", {"k": str(FOLDS)}),
        Chart(_kept, "pages/hits.py", "Everything by m: HITS", {"m": str(lesson.verdict.keep)}),
        Chart(_right, "pages/accuracy.py", "Every topic and its nearest: Folds & accuracy", by_topic),
        Chart(
            _curve, "pages/accuracy.py", "The curve of any corpus: Folds & accuracy", {"accuracy_view": "leakage curve"}
        ),
        Chart(_dial, "pages/accuracy.py", "Measure it on a corpus: Folds & accuracy", by_topic),
        Chart(
            _wins,
            "pages/significance.py",
            "Compare two systems: Significance",
            {"significance_compare": "models run here"},
        ),
    )
