"""Models on folds: what they will cost, whether that fits, and their answers."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

import streamlit as st

from core.corpora import Corpus
from core.evaluation import (
    TASKS,
    Estimate,
    Evaluation,
    NamedVectors,
    Proposal,
    estimate_runs,
    evaluate,
    no_room,
    quickest_run,
)
from core.formats import listed
from core.models.verification import OWN
from core.splits import Folds
from core.topics import Setup
from pages.shared import result_cache, show, work
from pages.shared.cards import only_label, spoken_time
from pages.shared.controls import assign
from pages.shared.history import note_runs
from pages.shared.limits import limit
from pages.shared.links import ONCE_SHARED, own_key
from pages.shared.public import is_public
from pages.shared.stores import result_store

ASK_FROM_SECONDS = 3.0  # shorter work is done before a question would be read
A_GUESS = 10.0  # times as long may take what has never run here
BEGIN = "begin"  # set by the button that starts what was proposed

SampleFolds = tuple[Setup, Folds]
Found = TypeVar("Found")


def evaluations_or_stop(
    jobs: Sequence[SampleFolds],
    *,
    page: str,
    task: str,
    models: Sequence[str],
    seed: int,
    vectors_key: str,
    pairing: str = "matched",
    calibration: str = OWN,
    offer: Callable[[], bool] | None = None,
) -> list[Evaluation]:
    """Every job's evaluation: at hand, on disk, or computed as a job; the user is asked first, and told what it costs.

    `offer` draws before the question what could be run instead, and says whether there is anything.
    """
    if not models:
        st.info("Choose at least one model.", icon=":material/info:")
        st.stop()
    named = (task, tuple(models), seed, vectors_key, pairing, calibration)
    keys = [(setup.corpus.fingerprint, folds.scheme, _test_sides(folds), *named) for setup, folds in jobs]
    choices: dict[str, Any] = {"task": task, "models": models, "seed": seed, "pairing": pairing}
    choices["calibration"] = calibration
    public = all(is_public(setup.corpus) for setup, _ in jobs)
    choices["results"] = result_store(public=public)
    new = [job for key, job in zip(keys, jobs, strict=True) if not result_cache.cached("runs", key, public=public)]
    costs = [estimate_runs(setup.corpus, folds, vectors_key=vectors_key, **choices) for setup, folds in new]
    runs = sum(cost.runs for cost in costs)
    begin = st.session_state.pop(own_key(page, BEGIN), False)
    asked = not begin and _takes_a_while(costs)
    under_way = any(work.under_way("runs", key, public=public) for key in keys)
    instead = asked and not under_way and offer is not None and offer()
    if runs and not _fits(new[0][0].corpus, costs, task=task, page=page):
        st.stop()
    question = work.Question("Run them", sentences=(_asked(costs, task),), primary=not instead) if asked else None
    found = work.results(
        "runs",
        {key: _step(*job, vectors_key, choices) for key, job in zip(keys, jobs, strict=True)},
        name=f"{task.capitalize()}: {runs:,} runs",
        question=question,
        public=public,
        here=not runs,
    )
    if len(found) < len(set(keys)):
        st.stop()
    note_runs(page, jobs, choices | {"vectors_key": vectors_key}, key=tuple(keys), whole=True)
    return [found[key] for key in keys]


def measured(
    kind: str,
    key: Hashable,
    measure: Callable[..., Found],
    setup: Setup,
    sides: Sequence[Folds],
    arguments: Sequence[Any],
    *,
    page: str,
    vectors_key: str,
    **choices: Any,
) -> Found | None:
    """What a function of core makes of models on many sets of folds (`sides`, for the estimate): asked for as evaluations
    are, computed as one job, and only its result is held. None while there is none: the rest of the page stands."""
    public = is_public(setup.corpus)
    choices["results"] = result_store(public=public)
    costs: list[Estimate] = []
    under_way = work.under_way(kind, key, public=public)
    if not result_cache.cached(kind, key, public=public) and not under_way:
        costs = [estimate_runs(setup.corpus, folds, vectors_key=vectors_key, **choices) for folds in sides]
    runs = sum(cost.runs for cost in costs)
    if runs and not _fits(setup.corpus, costs, task=choices["task"], page=page):
        return None
    question = None
    if _takes_a_while(costs):
        question = work.Question("Run them", sentences=(_asked(costs, choices["task"]),))
    vectors = NamedVectors(setup.vectors, vectors_key)
    found = work.result(
        kind,
        key,
        work.step(measure, setup.corpus, *arguments, vectors=vectors, say=only_label, **choices),
        name=f"{choices['task'].capitalize()}: {runs:,} runs",
        question=question,
        public=public,
        here=not runs and not under_way,
    )
    if found is None:
        return None
    noted = choices | {"vectors_key": vectors_key}
    note_runs(page, [(setup, folds) for folds in sides], noted, key=(kind, key), whole=False)
    return found


def _test_sides(folds: Folds) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(fold.test.tolist()) for fold in folds)


def _step(setup: Setup, folds: Folds, vectors_key: str, choices: dict[str, Any]) -> work.Step[Evaluation]:
    def say(done: int, total: int, label: str, left: float | None) -> str:
        return f"{setup.name}: {only_label(done, total, label, left)}"

    vectors = NamedVectors(setup.vectors, vectors_key)
    return work.step(evaluate, setup.corpus, folds, vectors=vectors, say=say, **choices)


def offered(corpus: Corpus, *, page: str, task: str, **choices: Any) -> Callable[[], bool] | None:
    """What draws the quickest sensible run with its button; None where the visitor has chosen a run here."""
    if any(own_key(page, name) in st.query_params for name in ONCE_SHARED[page]):
        return None

    def draw() -> bool:
        found = quickest_run(corpus, task=task, results=result_store(public=is_public(corpus)), **choices)
        if found is None:
            return False
        labels = [TASKS[task].models[name].label for name in found.models]
        whose = f", with the {found.authors} authors who wrote most" if found.authors else ""
        with st.container(border=True):
            st.markdown(
                f"**The quickest run to begin with:** {listed(labels)} on {found.k} folds of topics{whose}. "
                f"{_cost([found.estimate], task)}"
            )
            st.button(
                "Run this", type="primary", icon=":material/play_arrow:", on_click=_begin, args=(page, task, found)
            )
        return True

    return draw


def _begin(page: str, task: str, found: Proposal) -> None:
    """Set the controls to what was proposed, and start it."""
    values = {own_key(page, "k"): found.k, own_key(page, f"models_{task}"): list(found.models)}
    assign(values | ({"most_authors": found.authors} if found.authors else {}))
    st.session_state[own_key(page, BEGIN)] = True


def _takes_a_while(costs: Sequence[Estimate]) -> bool:
    seconds = sum(cost.seconds * (A_GUESS if cost.unmeasured else 1) for cost in costs)
    return seconds > ASK_FROM_SECONDS


def _asked(costs: Sequence[Estimate], task: str) -> str:
    """What is to come, and that it can be left alone."""
    return (
        f"**As the controls stand, {sum(cost.runs for cost in costs):,} runs of a model on a fold are to be computed.** "
        f"{_cost(costs, task)} Each is kept on disk as it is done; they go on while you look at other pages, and you can stop "
        "them at any time."
    )


def _cost(costs: Sequence[Estimate], task: str) -> str:
    """Such as "About 4 min, 1.2 GB."; where a model has never run here, that nobody knows."""
    memory = f"{max(cost.memory for cost in costs) / 1e9:.1f} GB"
    if new := dict.fromkeys(name for cost in costs for name in cost.unmeasured):
        labels = listed([TASKS[task].models[name].label for name in new])
        have = "has" if len(new) == 1 else "have"
        return (
            f"About {memory}. How long is not known yet: {labels} {have} not run on this machine. After the first fold the "
            "time left is said."
        )
    return f"About {spoken_time(sum(cost.seconds for cost in costs))}, {memory}."


def _fits(corpus: Corpus, costs: Sequence[Estimate], *, task: str, page: str) -> bool:
    """Whether there is room; refuses what would take more memory than a job may, with what would fit as buttons."""
    cost = max(costs, key=lambda cost: cost.memory)
    found = no_room(corpus, cost, task=task, allowed=limit("JOB_MEMORY") * 1e6)
    if found is None:
        return True
    kinds = TASKS[task].models
    show.refuse(f"{found.sentence}.", icon=":material/memory:")
    with st.container(horizontal=True):
        if found.fewer_authors:
            _remedy(f"Only the {found.fewer_authors} authors with most texts", most_authors=found.fewer_authors)
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
