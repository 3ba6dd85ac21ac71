"""Models on folds: what they will cost, whether that fits, and their answers."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

import streamlit as st

from core.corpora import Corpus
from core.evaluation import (
    FEW_AUTHORS,
    TASKS,
    Estimate,
    Proposal,
    no_room,
)
from core.formats import listed
from core.study import Pending
from pages.shared import show, work
from pages.shared.cards import spoken_time
from pages.shared.controls import assign
from pages.shared.limits import limit
from pages.shared.links import RUN, own_key

ASK_FROM_SECONDS = 3.0  # shorter work is done before a question would be read
A_GUESS = 10.0  # times as long may take what has never run here
BEGIN = "begin"  # set by the button that starts what was proposed

Offer = Callable[[], bool] | None  # draws what could be run instead; returns whether there is anything
Found = TypeVar("Found")


def question_of(
    pending: Pending, keys: Sequence[Hashable], *, page: str, offer: Offer, public: bool
) -> tuple[bool, work.Question | None]:
    """Return whether pending runs fit into memory, and what to ask before they start; draw why not, or what to run instead."""
    costs, task = list(pending.costs), str(pending.task)
    begin = st.session_state.pop(own_key(page, BEGIN), False)
    asked = not begin and _takes_a_while(costs)
    under_way = work.under_way_together(pending.kind, keys, public=public)
    instead = asked and not under_way and offer is not None and offer()
    if sum(cost.runs for cost in costs) and not _fits(pending.study.corpus, costs, task=task, page=page):
        return False, None
    question = work.Question("Run them", sentences=(_asked(costs, task),), primary=not instead) if asked else None
    return True, question


def offer_run(found: Proposal, task: str, *, page: str) -> bool:
    """Draw a proposed run with its button."""
    labels = [TASKS[task].models[name].label for name in found.models]
    whose = f", with the {found.authors} most frequent authors" if found.authors else ""
    with st.container(border=True):
        st.markdown(
            f"**Quick start:** {listed(labels)} on {found.k} topic folds{whose}. {_cost([found.estimate], task)}"
        )
        st.button(
            "Run this",
            type="primary",
            icon=":material/play_arrow:",
            key=f"quick start of {page}",
            on_click=_begin,
            args=(page, task, found),
        )
    return True


def _begin(page: str, task: str, found: Proposal) -> None:
    """Set the controls to what was proposed, and start it."""
    values = {own_key(page, "k"): found.k, own_key(page, f"models_{task}"): list(found.models)}
    assign(values | ({own_key(page, "authors"): found.authors} if found.authors else {}))
    st.session_state[own_key(page, BEGIN)] = True


def _takes_a_while(costs: Sequence[Estimate]) -> bool:
    seconds = sum(cost.seconds * (A_GUESS if cost.unmeasured else 1) for cost in costs)
    return seconds > ASK_FROM_SECONDS


def _asked(costs: Sequence[Estimate], task: str) -> str:
    """Say how many runs are needed, what they cost, and that they can be left alone."""
    return (
        f"**{sum(cost.runs for cost in costs):,} model runs needed.** {_cost(costs, task)} They continue while you look at other "
        "pages. You can stop them at any time, and what is done is kept."
    )


def _cost(costs: Sequence[Estimate], task: str) -> str:
    """Return time and memory, such as "About 4 min, 1.2 GB."; say where the time is unknown."""
    memory = f"{max(cost.memory for cost in costs) / 1e9:.1f} GB"
    if new := dict.fromkeys(name for cost in costs for name in cost.unmeasured):
        labels = listed([TASKS[task].models[name].label for name in new])
        have = "has" if len(new) == 1 else "have"
        return (
            f"About {memory}. {labels} {have} not run on this machine yet; you'll see an estimate after the first fold."
        )
    return f"About {spoken_time(sum(cost.seconds for cost in costs))}, {memory}."


def _fits(corpus: Corpus, costs: Sequence[Estimate], *, task: str, page: str) -> bool:
    """Return whether there is room; refuse what would take more memory than a job may, with what would fit as buttons."""
    cost = max(costs, key=lambda cost: cost.memory)
    found = no_room(corpus, cost, task=task, allowed=limit("JOB_MEMORY") * 1e6)
    if found is None:
        return True
    kinds = TASKS[task].models
    show.refuse(f"{found.sentence}.", icon=":material/memory:")
    with st.container(horizontal=True):
        if found.fewer_authors:
            of_run = page == RUN and len(corpus.author_names or ()) > FEW_AUTHORS  # else a filter of the whole app
            authors = own_key(RUN, "authors") if of_run else "most_authors"
            _remedy(f"Only the {found.fewer_authors} authors with most texts", **{authors: found.fewer_authors})
        if found.two_texts and st.session_state.get("author_docs", 1) < 2:
            _remedy("Only authors with two texts or more", author_docs=2)
        if found.light:
            _remedy(
                f"Without {listed([kinds[name].label for name in found.heavy])}",
                **{own_key(page, f"models_{task}"): list(found.light)},
            )
    return False


def _remedy(label: str, **changed: Any) -> None:
    st.button(label, on_click=assign, args=(changed,), icon=":material/build:")
