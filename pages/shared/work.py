"""Work that takes a while: asked for first, shown with a bar, stopped without loss, and found again in the session.

Work is a set of steps by key. A finished step is cached at once: any click restarts the script at the bar's next move,
and what is done by then is not done again.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.demo import RESULTS
from core.errors import LeakscopeError
from core.evaluation import Evaluation, NamedVectors, ResultStore, evaluate, missing_runs
from core.progress import Progress
from core.splits import Folds
from core.topics import Setup
from pages.shared.show import refuse

# Results of each kind that a session holds; the oldest go first.
MOST_CACHED = {
    "vectors": 4,
    "runs": 16,
    "experiments": 32,
    "split audits": 1,
    "categorizations": 1,
    "benchmarks": 1,
    "newsgroups": 1,
    "simulations": 2_000,
    "networks": 500,
}

ASK_FROM_RUNS = 3  # fewer are done before a question would be read

Job = tuple[Setup, Folds]
Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")


def only_label(done: int, total: int, label: str, seconds_left: float | None) -> str:
    """The bar's words where the work names its own steps."""
    return label


@dataclass(frozen=True, slots=True)
class Step(Generic[Result]):
    """A part of the work that is cached by itself: what computes it, and what the bar says meanwhile."""

    compute: Callable[[Progress], Result]
    name: str = ""
    say: Callable[[int, int, str, float | None], str] = only_label


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked before long work starts.

    With a `flag` the answer stands until the work is done or stopped, so that clicks elsewhere only interrupt it;
    without one any other click ends it.
    """

    button: str
    flag: str | None = None
    sentences: tuple[str, ...] = ()  # before the button, in a box
    caption: str | None = None  # under the button
    where: DeltaGenerator | None = None
    key: str | None = None
    primary: bool = True
    icon: str = ":material/play_arrow:"


def results(
    kind: str,
    steps: Mapping[Key, Step[Result]],
    *,
    start: str,
    question: Question | None = None,
    complain: Callable[[str], None] = refuse,
    boxed: bool = False,
) -> dict[Key, Result]:
    """The result of every step that is cached or can be computed now; a step that fails says why and is left out."""
    cache = _cache(kind)
    missing = {key: step for key, step in steps.items() if key not in cache}
    if missing and (question is None or _agreed(question)):
        _compute(kind, missing, set(steps), start=start, question=question, complain=complain, boxed=boxed)
    return {key: cache[key] for key in steps if key in cache}


def result(
    kind: str,
    key: Hashable,
    step: Step[Result],
    *,
    start: str,
    question: Question | None = None,
    complain: Callable[[str], None] = refuse,
) -> Result | None:
    """The result of work in one step; None while it is not wanted, and where it fails."""
    return results(kind, {key: step}, start=start, question=question, complain=complain).get(key)


def cached(kind: str, key: Hashable) -> bool:
    """Whether the session has this result."""
    return key in _cache(kind)


def _cache(kind: str) -> dict[Any, Any]:
    everything: dict[str, dict[Any, Any]] = st.session_state.setdefault("results", {})
    return everything.setdefault(kind, {})


def _agreed(question: Question) -> bool:
    """Whether the user wants the work; asks where that is not known."""
    if question.flag is not None and st.session_state.get(question.flag):
        return True
    flag = question.flag
    with st.container(border=True) if question.sentences else nullcontext():
        for sentence in question.sentences:
            st.markdown(sentence)
        pressed = (question.where or st).button(
            question.button,
            type="primary" if question.primary else "secondary",
            icon=question.icon,
            key=question.key,
            on_click=None if flag is None else st.session_state.update,
            args=({flag: True},),
        )
    if pressed and flag is None:
        return True
    if question.caption:
        st.caption(question.caption)
    return False


def _compute(
    kind: str,
    missing: Mapping[Key, Step[Result]],
    wanted: set[Key],
    *,
    start: str,
    question: Question | None,
    complain: Callable[[str], None],
    boxed: bool,
) -> None:
    flag = None if question is None else question.flag
    frame = st.empty()
    problems: dict[str, None] = {}
    with frame.container(border=boxed):
        if flag is not None:
            st.button("Stop", icon=":material/stop:", on_click=st.session_state.pop, args=(flag, None))
        bar = st.progress(0.0, text=start)
        for number, (key, step) in enumerate(missing.items()):
            if step.name:
                bar.progress(number / len(missing), text=step.name)
            try:
                found = step.compute(_on(bar, step, number, len(missing)))
            except LeakscopeError as problem:
                problems[str(problem)] = None
            else:
                _store(kind, key, found, wanted)
    frame.empty()
    if flag is not None:
        st.session_state.pop(flag, None)
    for sentence in problems:
        complain(sentence)


def _on(bar: DeltaGenerator, step: Step[Any], number: int, steps: int) -> Progress:
    """A step's own progress as its share of the bar."""

    def show(done: int, total: int, label: str, seconds_left: float | None) -> None:
        share = (number + min(done / max(total, 1), 1.0)) / steps
        bar.progress(share, text=step.say(done, total, label, seconds_left))

    return show


def _store(kind: str, key: Hashable, found: object, wanted: set[Any]) -> None:
    cache = _cache(kind)
    for old in [old for old in cache if old not in wanted][: max(0, len(cache) + 1 - MOST_CACHED[kind])]:
        del cache[old]
    cache[key] = found


def evaluations_or_stop(
    jobs: Sequence[Job], *, task: str, models: Sequence[str], seed: int, vectors_key: str, pairing: str = "matched"
) -> list[Evaluation]:
    """Every job's evaluation, from the session, from disk, or computed now; the user is asked first."""
    if not models:
        st.info("Choose at least one model.", icon=":material/info:")
        st.stop()
    keys = [
        (setup.corpus.fingerprint, folds.scheme, _test_sides(folds), task, tuple(models), seed, vectors_key, pairing)
        for setup, folds in jobs
    ]
    choices: dict[str, Any] = {"task": task, "models": models, "seed": seed, "pairing": pairing}
    choices["results"] = ResultStore(shipped=RESULTS)
    new = [job for key, job in zip(keys, jobs, strict=True) if not cached("runs", key)]
    missing = sum(missing_runs(setup.corpus, folds, vectors_key=vectors_key, **choices) for setup, folds in new)
    question = Question(
        "Run them",
        flag=f"run:{hash(tuple(keys))}",
        sentences=(
            f"**{missing:,} runs of a model on a fold are still to be computed.** Each is kept on disk as it is done; "
            "you can stop at any time.",
        ),
    )
    found = results(
        "runs",
        {key: _evaluation(*job, vectors_key, choices) for key, job in zip(keys, jobs, strict=True)},
        start="Reading results …",
        question=question if missing >= ASK_FROM_RUNS else None,
    )
    if len(found) < len(set(keys)):
        st.stop()
    return [found[key] for key in keys]


def _test_sides(folds: Folds) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(fold.test.tolist()) for fold in folds)


def _evaluation(setup: Setup, folds: Folds, vectors_key: str, choices: dict[str, Any]) -> Step[Evaluation]:
    def compute(progress: Progress) -> Evaluation:
        vectors = NamedVectors(setup.vectors, vectors_key)
        return evaluate(setup.corpus, folds, vectors=vectors, progress=progress, **choices)

    def say(done: int, total: int, label: str, left: float | None) -> str:
        spoken = "" if left is None else f", about {spoken_time(left)} left for {setup.name}"
        return f"{setup.name}: {label}{spoken}"

    return Step(compute, say=say)


def spoken_time(seconds: float) -> str:
    """Seconds or minutes, as one says them."""
    return f"{max(seconds, 1):.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
