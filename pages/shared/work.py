"""Work that takes a while: it is there, or it is asked for, runs as a job in another process, and is found again.

Work is a set of steps by key. A finished step is kept at once, under a key that names everything it depends on, so
that a reload, a second tab and whoever asks for the same find it. A job goes on while the user is elsewhere.
"""

import os
import time
from collections.abc import Callable, Hashable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.engine import Call, Job, Limits, Reached, Refusal, carry_out
from core.report import SAVED
from pages.shared import result_cache, session
from pages.shared.cards import EVERY, Say, card, jobs, only_label, several
from pages.shared.history import note_results
from pages.shared.limits import limit
from pages.shared.show import refuse

PATIENCE = "LEAKSCOPE_PATIENCE"  # seconds a page waits for a job before it shows a card; most work is done by then

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Step(Generic[Result]):
    """A part of the work that is kept by itself: the call that computes it, what the bar says meanwhile, its limits."""

    call: Call
    say: Say = only_label
    limits: Limits | None = None  # where they are not those of every job


def step(function: Callable[..., Result], *arguments: Any, **keywords: Any) -> Step[Result]:
    """A step that calls a function of core; `say` names what the bar says, `limits` what it may use."""
    say, limits = keywords.pop("say", only_label), keywords.pop("limits", None)
    return Step(Call(function, arguments, keywords), say, limits)


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


def results(
    kind: str,
    steps: Mapping[Key, Step[Result]],
    *,
    name: str,
    question: Question | None = None,
    complain: Callable[[str], None] = refuse,
    public: bool = False,
    spread: bool = False,
    here: bool = False,
    refresh: Callable[[Reached], bool] | None = None,
) -> dict[Key, Result]:
    """The result of every step that is there; the missing ones are asked for, or their job's card is drawn.

    A step that was refused says why and is left out. `public` results are of what everybody has: one computation serves
    everyone. `spread`: the steps themselves go to all cores, each on one. `here`: what is missing takes no time
    and is computed in this process. `refresh` says of how far a job is whether the page has more to show by then.
    """
    scope = "" if public else session.scope()
    cache = result_cache.cache(scope, kind)
    missing = {key: each for key, each in steps.items() if key not in cache}
    for key in [key for key in missing if (kind, key) in st.session_state.get(result_cache.BROUGHT, ())]:
        if (brought := result_cache.take_brought(kind, key, missing[key].call, public=public)) is not None:
            result_cache.store(cache, result_cache.most_of(scope, kind), key, brought, set(steps))
            del missing[key]
    if missing and here:
        for index, result in carry_out([each.call for each in missing.values()]):
            result_cache.store(cache, result_cache.most_of(scope, kind), list(missing)[index], result, set(steps))
    elif missing:
        _ask(scope, kind, missing, set(steps), name=name, question=question, spread=spread, refresh=refresh)
    found: dict[Key, Any] = {}
    problems: dict[str, None] = {}
    for key in steps:
        result = cache.get(key)
        if isinstance(result, Refusal):
            problems[result.sentence] = None
        elif key in cache:
            found[key] = result
    for sentence in problems:
        complain(sentence)
    if kind in SAVED:
        note_results(kind, found, public=public)
    refused = {key for key in steps if isinstance(cache.get(key), Refusal)}
    if refused and question is not None:  # asked for by hand: it may be asked for again
        for key in refused:
            cache.pop(key, None)
        _agreed(question, hash((scope, kind, frozenset(steps))))
    elif refused:
        _offer_again(cache, kind, {key for key in refused if not cache[key].final})
    return found


def result(
    kind: str,
    key: Hashable,
    step: Step[Result],
    *,
    name: str,
    question: Question | None = None,
    complain: Callable[[str], None] = refuse,
    public: bool = False,
    here: bool = False,
    refresh: Callable[[Reached], bool] | None = None,
) -> Result | None:
    """The result of work in one step; None while it is not there, and where it fails."""
    return results(
        kind,
        {key: step},
        name=name,
        question=question,
        complain=complain,
        public=public,
        here=here,
        refresh=refresh,
    ).get(key)


def under_way(kind: str, key: Hashable, *, public: bool = False) -> bool:
    """Whether a job is computing this one result."""
    job = jobs().find(("" if public else session.scope(), kind, frozenset([key])))
    return job is not None and not job.over


def _more(job: Job) -> Callable[[Reached], bool]:
    """Whether parts have come since now, looked at every few seconds."""
    kept, drawn = job.kept, time.monotonic()
    return lambda reached: job.kept > kept and time.monotonic() - drawn > 3


def forget_scope(scope: str) -> None:
    """Drop every result of a session that is over, and stop its jobs."""
    jobs().leave(scope)
    for key in [key for key in result_cache.caches() if key[0] == scope]:
        result_cache.caches().pop(key, None)


def _ask(
    scope: str,
    kind: str,
    missing: Mapping[Key, Step[Result]],
    wanted: set[Key],
    *,
    name: str,
    question: Question | None,
    spread: bool,
    refresh: Callable[[Reached], bool] | None,
) -> None:
    """Find the job that computes what is missing, or start it where the user wants it; draw its card."""
    owner, cache = session.token(), result_cache.cache(scope, kind)
    job_key = (scope, kind, frozenset(wanted))
    job = jobs().find(job_key)
    if job is not None and job.over and owner in job.owners:  # it ended while nobody looked
        _note_end(job, cache, missing)
        return
    if job is None or job.over:
        if question is not None and not _agreed(question, hash(job_key)):
            return
        if _too_many(owner):
            return
        keys = list(missing)

        def keep(part: tuple[int, Any]) -> None:
            result_cache.store(cache, result_cache.most_of(scope, kind), keys[part[0]], part[1], wanted)

        call = Call(carry_out, ([each.call for each in missing.values()],), {"spread": spread})
        limits = next((each.limits for each in missing.values() if each.limits is not None), None)
        job = jobs().ask(job_key, call, name=name, owner=owner, limits=limits, keep=keep)
    else:
        job.owners.add(owner)
    if not job.ended.wait(float(os.environ.get(PATIENCE, "1"))):
        say = next(iter(missing.values())).say if len(wanted) == 1 else several
        st.fragment(card, run_every=EVERY)(job, say, refresh or _more(job))
    else:
        _note_end(job, cache, missing)


def _too_many(owner: str) -> bool:
    """Whether a visitor has as many jobs as one may; says so."""
    under_way, most = sum(not job.over for job in jobs().of(owner)), limit("JOBS_A_SESSION")
    if under_way < most:
        return False
    st.warning(
        f"{under_way} of your jobs are running or waiting, and this server allows {most} at a time. Wait until one is done, "
        "or stop one in the sidebar.",
        icon=":material/hourglass_top:",
    )
    st.button("Try again", icon=":material/refresh:", key="again:jobs")
    return True


def _note_end(job: Job, cache: dict[Any, Any], missing: Mapping[Key, Any]) -> None:
    """What a job that ended early leaves: why, for every step that it did not come to."""
    jobs().forget(job, session.token())
    if job.state != "done":
        for key in missing:
            cache.setdefault(key, Refusal(f"{job.name}: {job.problem}", final=False))


def _agreed(question: Question, asked: int) -> bool:
    """Whether the user has just said that they want the work; asks where not."""
    if st.session_state.get("agreed") == asked:
        del st.session_state["agreed"]
        return True
    with st.container(border=True) if question.sentences else nullcontext():
        for sentence in question.sentences:
            st.markdown(sentence)
        (question.where or st).button(
            question.button,
            type="primary" if question.primary else "secondary",
            icon=question.icon,
            key=question.key,
            on_click=st.session_state.update,
            args=({"agreed": asked},),
        )
    if question.caption:
        st.caption(question.caption)
    return False


def _offer_again(cache: dict[Any, Any], kind: str, early: set[Any]) -> None:
    """A button where work ended early: stopped, too large, too long."""

    def again() -> None:
        for key in early:
            cache.pop(key, None)

    if early:
        st.button("Try again", icon=":material/refresh:", key=f"again:{kind}:{hash(frozenset(early))}", on_click=again)
