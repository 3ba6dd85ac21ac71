"""Work that takes a while: it is there, or it is asked for, runs as a job in another process, and is found again.

Work is a set of calls by key. A result is kept at once, under a key that names everything it depends on, so that a
reload, a second tab and whoever asks for the same find it. A job goes on while the user is elsewhere.
"""

import os
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.engine import Call, Job, Limits, Reached, Refusal
from core.errors import LeakscopeError
from pages.shared import result_cache, session
from pages.shared.cards import EVERY, Say, card, jobs, only_label, several
from pages.shared.limits import limit
from pages.shared.show import literal, refuse

PATIENCE = "LEAKSCOPE_PATIENCE"  # seconds a page waits for a job before it shows a card; most work is done by then

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked before long work starts."""

    button: str
    sentences: tuple[str, ...] = ()  # before the button, in a box
    caption: str | None = None  # under the button
    where: DeltaGenerator | None = None
    key: str | None = None
    primary: bool = True
    icon: str = ":material/play_arrow:"
    beside: Callable[[], None] | None = None  # draws what may be done instead


def results(
    kind: str,
    calls: Mapping[Key, Call[Result]],
    *,
    name: str,
    question: Question | None = None,
    complain: Callable[[str], None] = refuse,
    public: bool = False,
    spread: bool = False,
    here: bool = False,
    say: Say | None = None,
    limits: Limits | None = None,
    refresh: Callable[[Reached], bool] | None = None,
) -> dict[Key, Result]:
    """Return every result that is there; ask for the missing ones, or draw their job's card.

    A call that is refused says why and is left out. `public` results are of what everybody has: one computation serves
    everyone. `spread`: the calls go to all cores, each on one. `here`: what is missing takes no time and is computed in
    this process. `say` gives the bar's words, `limits` what the job may use where that is not what every job may.
    `refresh` tells from how far a job is whether the page has more to show.
    """
    scope = "" if public else session.scope()
    there = result_cache.held(scope, kind, calls)
    missing = {key: call for key, call in calls.items() if key not in there}
    job, job_key = None, (scope, kind, frozenset(calls))
    if missing and here:
        for key, call in missing.items():
            result_cache.store(scope, kind, key, _computed(call), room=len(calls))
    elif missing:
        job = _asked_for(job_key, missing, name, question, limits, spread=spread)
    if job is not None:
        if job.ended.wait(float(os.environ.get(PATIENCE, "1"))):
            _note_end(job, scope, kind, missing)
        else:
            words = say or (only_label if len(calls) == 1 else several)
            st.fragment(card, run_every=EVERY)(job, words, refresh or _more(job))
    there = result_cache.held(scope, kind, calls)
    refused = {key: each for key, each in there.items() if isinstance(each, Refusal)}
    found = {key: there[key] for key in calls if key in there and key not in refused}
    for sentence in dict.fromkeys(each.sentence for each in refused.values() if not each.stopped):
        complain(sentence)
    for sentence in dict.fromkeys(each.sentence for each in refused.values() if each.stopped):
        st.info(literal(sentence), icon=":material/stop_circle:")
    if refused and question is not None:  # asked for by hand: it may be asked for again
        _drop(kind, refused, public)
        if job is not None or not missing:  # else the question is on the page already
            _agreed(question, hash(job_key))
    elif early := [key for key, each in refused.items() if not each.final]:  # stopped, too large, too long
        again = f"again:{hash(job_key)}"
        st.button("Try again", icon=":material/refresh:", key=again, on_click=_drop, args=(kind, early, public))
    return found


def result(
    kind: str,
    key: Hashable,
    call: Call[Result],
    *,
    name: str,
    question: Question | None = None,
    complain: Callable[[str], None] = refuse,
    public: bool = False,
    here: bool = False,
    say: Say | None = None,
    limits: Limits | None = None,
    refresh: Callable[[Reached], bool] | None = None,
) -> Result | None:
    """Return the result of one call; None while it is not there, and where it fails."""
    return results(
        kind,
        {key: call},
        name=name,
        question=question,
        complain=complain,
        public=public,
        here=here,
        say=say,
        limits=limits,
        refresh=refresh,
    ).get(key)


def under_way(kind: str, key: Hashable, *, public: bool = False) -> bool:
    """Whether a job is computing this one result."""
    job = jobs().find(("" if public else session.scope(), kind, frozenset([key])))
    return job is not None and not job.over


def under_way_together(kind: str, keys: Sequence[Hashable], *, public: bool = False) -> bool:
    """Return whether a job is computing these results."""
    job = jobs().find(("" if public else session.scope(), kind, frozenset(keys)))
    return job is not None and not job.over


def _more(job: Job) -> Callable[[Reached], bool]:
    """Return whether results have come since now, looked at every few seconds."""
    kept, drawn = job.kept, time.monotonic()
    return lambda reached: job.kept > kept and time.monotonic() - drawn > 3


def forget_scope(scope: str) -> None:
    """Drop every result of a session that is over, and stop its jobs."""
    jobs().leave(scope)
    result_cache.forget_scope(scope)


def _computed(call: Call[Any]) -> Any:
    try:
        return call()
    except LeakscopeError as problem:
        return Refusal(str(problem))


def _drop(kind: str, keys: Iterable[Hashable], public: bool) -> None:
    for key in keys:
        result_cache.drop(kind, key, public=public)


def _asked_for(
    job_key: tuple[str, str, frozenset[Any]],
    missing: Mapping[Key, Call[Result]],
    name: str,
    question: Question | None,
    limits: Limits | None,
    *,
    spread: bool,
) -> Job | None:
    """Return the job that computes what is missing, started where the user wants it; None where there is none."""
    owner, job = session.token(), jobs().find(job_key)
    if job is not None and (not job.over or owner in job.owners):  # under way, or ended while nobody looked
        job.owners.add(owner)
        dropped = job.state == "done" and missing.keys() - result_cache.held(*job_key[:2], missing).keys()
        if not dropped:
            return job
        jobs().forget(job, owner)  # its results were taken and dropped before: it is asked for again
    if (question is not None and not _agreed(question, hash(job_key))) or _too_many(owner, hash(job_key)):
        return None
    scope, kind, wanted = job_key

    def keep(key: Key, result: Result | Refusal) -> None:
        result_cache.store(scope, kind, key, result, room=len(wanted))

    return jobs().ask(job_key, missing, name=name, owner=owner, limits=limits, keep=keep, spread=spread)


def _too_many(owner: str, asked: int) -> bool:
    """Whether a visitor has as many jobs as one may; report it."""
    under_way, most = sum(not job.over for job in jobs().of(owner)), limit("JOBS_A_SESSION")
    if under_way < most:
        return False
    st.warning(
        f"You have {under_way} jobs running or waiting; the limit of this server is {most}. Wait until one is done, "
        "or stop one in the sidebar.",
        icon=":material/hourglass_top:",
    )
    st.button("Try again", icon=":material/refresh:", key=f"later:{asked}")
    return True


def _note_end(job: Job, scope: str, kind: str, missing: Mapping[Key, Any]) -> None:
    """Keep why a job ended early, for every call that it did not come to."""
    jobs().forget(job, session.token())
    if job.state != "done":
        for key in missing.keys() - result_cache.held(scope, kind, missing).keys():
            stopped = job.state == "stopped"
            kept = " What was done is kept, and the next run goes on from there." if stopped else ""
            why = Refusal(f"{job.name}: {job.problem}{kept}", final=False, stopped=stopped)
            result_cache.store(scope, kind, key, why, room=len(missing))


def _agreed(question: Question, asked: int) -> bool:
    """Whether the user has just said that they want the work; asks where not."""
    if st.session_state.get("agreed") == asked:
        del st.session_state["agreed"]
        return True
    with st.container(border=True) if question.sentences else nullcontext():
        for sentence in question.sentences:
            st.markdown(sentence)
        with question.where or st.container(horizontal=True):
            st.button(
                question.button,
                type="primary" if question.primary else "secondary",
                icon=question.icon,
                key=question.key or f"ask:{asked}",
                on_click=st.session_state.update,
                args=({"agreed": asked},),
            )
            if question.beside is not None:
                question.beside()
    if question.caption:
        st.caption(question.caption)
    return False
