"""Models on folds: what they will cost, whether that fits, and their answers."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.corpora import Corpus
from core.evaluation import TASKS, Estimate, Evaluation, NamedVectors, estimate_runs, evaluate
from core.splits import Folds
from core.topics import Setup
from pages.shared import work
from pages.shared.cards import only_label, spoken_time
from pages.shared.limits import limit
from pages.shared.sharing import is_public
from pages.shared.stores import result_store

ASK_FROM_SECONDS = 3.0  # shorter work is done before a question would be read
FEWER_AUTHORS = 200

Job = tuple[Setup, Folds]


def evaluations_or_stop(
    jobs: Sequence[Job], *, task: str, models: Sequence[str], seed: int, vectors_key: str, pairing: str = "matched"
) -> list[Evaluation]:
    """Every job's evaluation: at hand, on disk, or computed as a job; the user is asked first, and told what it costs."""
    if not models:
        st.info("Choose at least one model.", icon=":material/info:")
        st.stop()
    keys = [
        (setup.corpus.fingerprint, folds.scheme, _test_sides(folds), task, tuple(models), seed, vectors_key, pairing)
        for setup, folds in jobs
    ]
    choices: dict[str, Any] = {"task": task, "models": models, "seed": seed, "pairing": pairing}
    public = all(is_public(setup.corpus) for setup, _ in jobs)
    choices["results"] = result_store(public=public)
    new = [job for key, job in zip(keys, jobs, strict=True) if not work.cached("runs", key, public=public)]
    costs = [estimate_runs(setup.corpus, folds, vectors_key=vectors_key, **choices) for setup, folds in new]
    runs, seconds = sum(cost.runs for cost in costs), sum(cost.seconds for cost in costs)
    if runs:
        _fits_or_stop(new[0][0].corpus, costs, task=task)
    question = work.Question("Run them", sentences=(_asked(costs),)) if seconds > ASK_FROM_SECONDS else None
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
    return [found[key] for key in keys]


def _test_sides(folds: Folds) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(fold.test.tolist()) for fold in folds)


def _step(setup: Setup, folds: Folds, vectors_key: str, choices: dict[str, Any]) -> work.Step[Evaluation]:
    def say(done: int, total: int, label: str, left: float | None) -> str:
        return f"{setup.name}: {only_label(done, total, label, left)}"

    vectors = NamedVectors(setup.vectors, vectors_key)
    return work.step(evaluate, setup.corpus, folds, vectors=vectors, say=say, **choices)


def _asked(costs: Sequence[Estimate]) -> str:
    """ "30 runs, about 4 minutes, 1.2 GB": what is to come."""
    runs, seconds = sum(cost.runs for cost in costs), sum(cost.seconds for cost in costs)
    memory = max(cost.memory for cost in costs)
    return (
        f"**{runs:,} runs of a model on a fold are still to be computed: about {spoken_time(seconds)}, "
        f"{memory / 1e9:.1f} GB.** Each is kept on disk as it is done; they go on while you look at other pages, and you "
        "can stop them at any time."
    )


def _fits_or_stop(corpus: Corpus, costs: Sequence[Estimate], *, task: str) -> None:
    """Refuse what would take more memory than a job may, with what would fit as buttons."""
    allowed = limit("JOB_MEMORY") * 1e6
    cost = max(costs, key=lambda cost: cost.memory)
    if cost.memory <= allowed:
        return
    kinds = TASKS[task].models
    heavy = [name for name, needed in cost.by_model.items() if needed > 0.4 * allowed]
    authors = len(corpus.author_names or ())
    st.error(
        f"This would take about {cost.memory / 1e9:,.0f} GB, and a job may use {allowed / 1e9:.1f} GB here: "
        f"{' and '.join(kinds[name].label for name in heavy) or 'these models'} "
        f"keep{'s' if len(heavy) == 1 else ''} weights for every word and each of {authors:,} authors.",
        icon=":material/memory:",
    )
    with st.container(horizontal=True):
        if authors > FEWER_AUTHORS:
            _remedy(f"Only the {FEWER_AUTHORS} authors with most texts", most_authors=FEWER_AUTHORS)
        if task == "attribution" and st.session_state.get("author_docs", 1) < 2:
            _remedy("Only authors with two texts or more", author_docs=2)
        light = [name for name in cost.by_model if name not in heavy]
        if heavy and light:
            _remedy(f"Without {' and '.join(kinds[name].label for name in heavy)}", **{f"models_{task}": light})
    st.stop()


def _remedy(label: str, **changed: Any) -> None:
    st.button(label, on_click=st.session_state.update, args=(changed,), icon=":material/build:")
