"""Folds & accuracy, the twin swapped out: what a near twin in training buys, and where a loss under HITS comes from."""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
import streamlit as st

from core.corpora import Corpus
from core.errors import LeakscopeError
from core.evaluation import (
    NO_TWINS,
    TASKS,
    SwapEffect,
    dose_sentence,
    sign_tests,
    swap_sentences,
    twins_note,
)
from core.models.verification import OWN
from core.plots import accuracy_swap as plots
from core.splits import Swaps, make_swaps
from core.topics import Setup
from core.vectors import Vectors
from pages.parts.accuracy_dial import place_among_made
from pages.parts.accuracy_focus import READ, read_beside_twin
from pages.parts.accuracy_sources import PAGE, SwapRun, sources
from pages.shared import show, state
from pages.shared.controls import IN_URL
from pages.shared.links import own_key
from pages.shared.public import computed_once
from pages.shared.run_controls import choose_calibration, choose_models, choose_pairs, choose_task

DOSES = (1, 2, 4, 8)
MOST_TOPICS = 40  # tested at first: every topic more is so many runs more


def twin_swapped_out(corpus: Corpus, vectors: Vectors, *, meaningful: bool) -> None:
    """Ask which models, run them with and without the twins, and answer."""
    answer = st.container()
    run, nearest, most = _ask(corpus, vectors)
    below = st.container()
    place_among_made(corpus)
    with answer:
        swaps = _swaps_or_stop(run, nearest, most)
        found = run.effects(swaps)
        if found is None:
            st.stop()
        _headline(found, run, swaps, meaningful=meaningful)
    with below:
        _charts(found, run, swaps)
        _table(found, run.setup, swaps)
        read_beside_twin(run.setup, swaps)
        _dose(run, most)
        sources(corpus, vectors, run)


def _ask(corpus: Corpus, vectors: Vectors) -> tuple[SwapRun, int, int]:
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    task = choose_task(row, PAGE)
    nearest = row.segmented_control(
        "Topics swapped",
        DOSES,
        default=1,
        required=True,
        format_func=lambda count: "the nearest" if count == 1 else f"nearest {count}",
        key=own_key(PAGE, "nearest"),
        bind=IN_URL,
    )
    with row.popover("More", icon=":material/tune:", help="Models, topics, draws, pairs, calibration and seed"):
        models = choose_models(st.container(), PAGE, task)
        pairing = choose_pairs(st.container(), PAGE) if TASKS[task].asks_pairs else "matched"
        calibration = choose_calibration(st.container(), PAGE) if TASKS[task].asks_pairs else OWN
        topics = len(corpus.topic_names)
        most = st.number_input(
            "Topics tested",
            1,
            topics,
            min(topics, MOST_TOPICS),
            key=own_key(PAGE, "tested"),
            bind=IN_URL,
            help="Of those that can be matched, so many by lot.",
        )
        draws = st.number_input("Draws of stand-ins", 1, 20, 3, key=own_key(PAGE, "draws"), bind=IN_URL)
        seed = st.number_input("Seed", 0, 10_000, key=own_key(PAGE, "seed"), bind=IN_URL)
    setup = state.setup_of(corpus, vectors, "none", None, seed)
    return SwapRun(setup, vectors.encoder_key, task, models, pairing, calibration, draws, seed), nearest, most


@computed_once(most=8)
def _swaps(setup: Setup, nearest: int, draws: int, seed: int, most: int) -> Swaps:
    return make_swaps(setup.corpus, setup.space, nearest=nearest, draws=draws, seed=seed, most=most)


def _swaps_or_stop(run: SwapRun, nearest: int, most: int) -> Swaps:
    try:
        return _swaps(run.setup, nearest, run.draws, run.seed, most)
    except LeakscopeError as problem:
        show.refuse(problem)
        st.stop()


def _headline(found: Mapping[str, SwapEffect], run: SwapRun, swaps: Swaps, *, meaningful: bool) -> None:
    """A sentence a model, and what could not be matched."""
    names, twins = run.setup.space.names, len(swaps.twins[0])
    sentences = "\n".join(
        f"- {show.escaped(sentence)}" for sentence in swap_sentences(found, metric=run.metric, twins=twins)
    )
    st.info(sentences, icon=":material/swap_horiz:")
    if not meaningful:
        show.warn(NO_TWINS)
    swapped = f"Per topic {swaps.swapped.mean():.0f} documents change places, each with one by the same author."
    matched = len(names) - len(swaps.unmatched)
    lot = f", {len(swaps.topics)} of them by lot were" if len(swaps.topics) < matched else ""
    tested = f"{matched:,} of {len(names):,} topics could be tested so{lot}."
    if unscored := len(swaps.topics) - max((each.topics for each in found.values()), default=0):
        tested += f" On {unscored:,} nothing could be scored."
    st.caption(
        f"{twins_note(swaps, run.setup.space)} {tested} {swapped} The same test questions, equally many training documents, equally many of every author."
    )
    if swaps.unmatched:
        with st.expander(f"{len(swaps.unmatched)} topics could not be matched", icon=":material/link_off:"):
            show.table(
                [{"topic": names[topic], "why": reason} for topic, reason in swaps.unmatched],
                alt="Topics that could not be tested with and without their twin",
                csv=show.Csv("These topics as CSV", "topics_not_swapped.csv"),
            )


def _sign_tests(found: Mapping[str, SwapEffect]) -> str:
    """Every model's p, corrected where there are several."""
    known = sign_tests(found)
    said = ", ".join(f"{show.escaped(label)} {p:.3f}" for label, p in known.items())
    return f" (Holm): {said}" if len(known) > 1 else f": {said}"


def _charts(found: Mapping[str, SwapEffect], run: SwapRun, swaps: Swaps) -> None:
    space, metric = run.setup.space, run.metric
    halves = st.grid(2, min_column_width=380, gap="medium")
    with halves.cell():
        st.markdown("**In the mean over topics**")
        show.figure(plots.mean_effects(found, metric=metric), key="swap_means")
        st.caption(f"Bars: 95 %, by resampling topics. Sign test over topics, p{_sign_tests(found)}.")
    with halves.cell():
        st.markdown("**Topic by topic**")
        show.figure(
            plots.effects_by_topic(space.names, swaps, found, metric=metric, kind=space.kind, focus=_read(swaps)),
            key="swap_topics",
            on_select=_clicked(space.names),
        )
        st.caption("A click on a point shows the documents of the topic and its twin below.")


def _clicked(names: tuple[str, ...]) -> Callable[[], None]:
    """A callback that shows the documents of the topic clicked."""

    def take() -> None:
        points = st.session_state["swap_topics"].selection.points
        if points and points[0].get("customdata"):
            st.session_state[READ] = names[int(points[0]["customdata"][0])]

    return take


def _read(swaps: Swaps) -> int | None:
    """The topic whose documents are shown, if it was tested."""
    names, chosen = swaps.without.topic_names, st.session_state.get(READ, st.query_params.get(READ))
    return next((int(topic) for topic in swaps.topics if names[topic] == chosen), None)


def _table(found: Mapping[str, SwapEffect], setup: Setup, swaps: Swaps) -> None:
    """The topics, those that gain most first."""
    names = setup.space.names
    gains = np.array([effect.by_topic for effect in found.values()])
    order = np.argsort(-np.where(np.isnan(gains), -np.inf, gains).max(axis=0), kind="stable")
    rows = pd.DataFrame(
        {
            "topic": [names[swaps.topics[each]] for each in order],
            # before the twins, whose names may be long
            **{f"{label}, points": 100 * effect.by_topic[order] for label, effect in found.items()},
            "twin": [", ".join(names[twin] for twin in swaps.twins[each]) for each in order],
            "similarity": swaps.similarity[order],
            "documents swapped": swaps.swapped.mean(axis=1)[order],
        }
    )
    show.table(
        rows,
        precision=1,
        formats={"similarity": "{:.3f}", "documents swapped": "{:.0f}"},
        height=320,
        csv=show.Csv("Effects as CSV", "swap_effects.csv"),
        alt="Every test topic with its twin and what it buys each model",
    )


def _dose(run: SwapRun, most: int) -> None:
    """The effect against how many of the nearest topics are swapped together, when asked for."""
    title = "Dose: the nearest 1, 2, 4, 8 swapped together"
    with show.expander(title, toggle=own_key(PAGE, "dose"), icon=":material/stairs:"):
        st.markdown(
            "One twin may buy little while its sisters stay in training. Swapping more of the nearest shows what they buy."
        )
        if not st.toggle("Compute it", key=own_key(PAGE, "dose"), bind=IN_URL):
            return
        doses: dict[int, Swaps] = {}
        for count in DOSES:
            try:
                doses[count] = _swaps(run.setup, count, run.draws, run.seed, most)
            except LeakscopeError:
                st.caption(f"With the nearest {count} too few topics are left for stand-ins.")
                break
        found = run.doses(doses) if doses else None
        if found is not None:
            show.notes(dose_sentence(label, list(each.values()), doses) for label, each in found.items())
            effects = {count: {label: each[count] for label, each in found.items()} for count in doses}
            show.figure(
                plots.dose(effects, metric=run.metric),
                key="swap_dose",
                alt="What the nearest topics buy each model, against how many are swapped",
            )
