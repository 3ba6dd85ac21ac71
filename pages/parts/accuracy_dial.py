"""Folds & accuracy: where the corpus in hand lies among made ones, and what HITS changes there."""

import streamlit as st

from core.corpora import Corpus
from core.demo import DIAL_GRID
from core.evaluation import TASKS
from core.plots import accuracy_detail as plots
from core.studies import (
    DialGrid,
    DialPlace,
    DialRow,
    expectations,
    place_cautions,
    place_on_dial,
    place_sentence,
    read_dial_grid,
)
from pages.shared import show, work
from pages.shared.cards import only_label
from pages.shared.controls import IN_URL
from pages.shared.links import own_key
from pages.shared.public import is_public

PAGE = "accuracy"
FIRST = ("attribution", "", "topic_fit")  # what the sentence speaks of


def place_among_made(corpus: Corpus) -> None:
    """Both dials estimated, the place on the grid, and what made corpora there lead one to expect; when asked for."""
    with show.expander("Where does my corpus lie?", toggle=own_key(PAGE, "dial"), icon=":material/my_location:"):
        st.markdown(
            "Made corpora with two dials show when HITS changes scores: where sister topics share their words *and* authors keep "
            "to families of topics. Both can be estimated here, from the words (by LSA) and from who wrote on what."
        )
        if not st.toggle("Estimate it", key=own_key(PAGE, "dial"), bind=IN_URL):
            return
        public = is_public(corpus)
        place = work.result(
            "places",
            corpus.fingerprint,
            work.step(place_on_dial, corpus, say=only_label),
            name="Placing the corpus",
            public=public,
        )
        if place is not None:
            _answer(corpus, place, read_dial_grid(DIAL_GRID))


def _answer(corpus: Corpus, place: DialPlace, grid: DialGrid) -> None:
    if place.problem:
        show.warn(place.problem)
        return
    expected = expectations(grid, place)
    by_kind = {(row.task, row.pairs, row.model): row for row in expected}
    st.info(show.escaped(place_sentence(place, by_kind.get(FIRST))), icon=":material/my_location:")
    for caution in place_cautions(corpus, place, grid):
        st.caption(f":material/warning: {show.escaped(caution)}")
    chosen = st.selectbox(
        "Model",
        list(by_kind),
        list(by_kind).index(FIRST) if FIRST in by_kind else 0,
        format_func=lambda kind: kind_name(*kind),
        key=own_key(PAGE, "dial_model"),
        bind=IN_URL,
    )
    row = by_kind[chosen]
    st.markdown(f"**Points of {metric_name(row)}, HITS − random topics, on made corpora; the star is this corpus**")
    show.figure(
        plots.dial_map(
            grid,
            place,
            task=row.task,
            model=row.model,
            metric=row.metric,
            pairs=row.pairs,
            unit=metric_name(row),
        ),
        key="dial_map",
        alt="What HITS changes on made corpora over both dials, and where this corpus lies among them",
    )
    show.table(
        [
            {
                "model": kind_name(*kind),
                "metric": metric_name(each),
                "HITS − random, points": 100 * each.change,
                "spread over made corpora": 100 * each.change_sd,
            }
            for kind, each in by_kind.items()
        ],
        precision=1,
        csv=show.Csv("Expected changes as CSV", "dial_expectations.csv"),
        alt="What HITS changes against random topics on made corpora at this place, for every model",
    )


def kind_name(task: str, pairs: str, model: str) -> str:
    """Such as "TopicFit, verification, matched pairs"."""
    return f"{TASKS[task].models[model].label}, {task}" + (f", {pairs} pairs" if pairs else "")


def metric_name(row: DialRow) -> str:
    return {"auc": "AUC"}.get(row.metric, row.metric)
