"""Work that takes a while: it is there, or it is asked for, runs as a job in another process, and is found again.

Work is a set of calls by key. A result is kept at once, under a key that names everything it depends on, so that a
reload, a second tab and whoever asks for the same find it. A job goes on while the user is elsewhere: how far it is, with
its Stop, stands on the page that asked and in the sidebar of all.
"""

import os
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import streamlit as st
from cachetools import LRUCache
from streamlit.delta_generator import DeltaGenerator

from core.engine import Call, Job, Jobs, Limits, Reached, Refusal
from core.errors import LeakscopeError
from core.formats import counted
from core.topics import warm_layout
from pages.shared import session
from pages.shared.session import hosted, limit
from pages.shared.show import escaped, literal, refuse

Key = TypeVar("Key", bound=Hashable)
_lock = threading.RLock()  # jobs store from threads of their own

# Results of each kind that a scope holds; the least recently used go first.
MOST_CACHED = {
    "vectors": 4,
    "maps": 4,
    "views": 4,
    "runs": 16,
    "curves": 4,
    "curve answers": 2,
    "fold answers": 2,
    "forecasts": 4,
    "target files": 1,
    "targets": 2,
    "experiments": 32,
    "split audits": 1,
    "designs": 4,
    "optima": 4,
    "costs": 8,
    "fixed splits": 2,
    "categorizations": 1,
    "labelled corpora": 1,
    "benchmarks": 1,
    "benchmark answers": 1,
    "newsgroups": 1,
    "models": 4,
    "topics": 4,
    "files": 4,
    "uploads": 1,
    "fetched": 1,
    "given vectors": 1,
    "kept": 1,
    "near copies": 2,
    "reports": 1,
    "projects": 1,
    "opened": 1,
    "simulations": 2_000,
    "networks": 500,
    "own networks": 2,
    "network profiles": 100,
    "own network rates": 200,
    "splits": 4,
    "tables": 2,
}
FOR_ALL = 4  # times as many are held of what everybody may see


def cached(kind: str, key: Hashable, *, public: bool = False) -> bool:
    """Return whether this result is there."""
    return key in cache("" if public else session.scope(), kind)


def available_result(kind: str, key: Hashable, *, public: bool = False) -> Any:
    """Return this result if it is available, else None; nothing is asked for."""
    found = held("" if public else session.scope(), kind, [key]).get(key)
    return None if isinstance(found, Refusal) else found


def hold(kind: str, key: Hashable, found: object, *, public: bool = False) -> None:
    """Keep what was had in another way, for whoever of this scope asks next."""
    store("" if public else session.scope(), kind, key, found)


def drop(kind: str, key: Hashable, *, public: bool = False) -> None:
    """Let go of a result."""
    with _lock:
        cache("" if public else session.scope(), kind).pop(key, None)


@st.cache_resource(show_spinner=False)
def caches() -> dict[tuple[str, str], LRUCache[Any, Any]]:
    """Return the results by key, by scope and kind."""
    return {}


def cache(scope: str, kind: str, *, room: int = 1) -> LRUCache[Any, Any]:
    """Return what a scope holds of one kind, with room for this many at least; "" is the scope of what everybody may see."""
    with _lock:
        found = caches().get((scope, kind))
        if found is None or found.maxsize < room:
            larger = LRUCache[Any, Any](max(MOST_CACHED[kind] * (1 if scope else FOR_ALL), room))
            larger.update(found or {})
            found = caches()[scope, kind] = larger
        return found


def held(scope: str, kind: str, keys: Iterable[Key]) -> dict[Key, Any]:
    """Return those of these results that are there, or why they are refused; all of them count as used now."""
    with _lock:
        there = cache(scope, kind)
        return {key: there[key] for key in keys if key in there}


def store(scope: str, kind: str, key: Hashable, found: object, *, room: int = 1) -> None:
    """Keep a result; `room` is how many are wanted at once: none of them may push another out."""
    with _lock:
        cache(scope, kind, room=room)[key] = found


EVERY = 0.5  # seconds between two looks at a job
WARM = 600 * 10**6  # bytes that a worker holds once it has compiled UMAP
MEANS_SOMETHING = 5  # seconds after the first step before the time left is shown: until then a model may be loading
STEPS = (5, 10, 20, 40, 60, 120, 240, 480, 900, 1_800, 3_600)  # seconds: the bounds of a range

Say = Callable[[int, int, str, float | None], str]


@st.cache_resource(show_spinner=False)
def jobs() -> Jobs:
    """Return the one queue of this server.

    A host's first worker compiles UMAP at once, while nobody waits for a map; one's own machine does it with the first map.
    So does a host with one place for jobs, or with so little memory for a job that this worker would not be kept.
    """
    allowed = Limits(limit("JOB_MEMORY") * 10**6, limit("JOB_MINUTES") * 60)
    here = os.environ.get("LEAKSCOPE_ENGINE") == "here"
    queue = Jobs(at_once=limit("JOBS_AT_ONCE"), limits=allowed, here=here)
    if hosted() and not here and queue.at_once > 1 and queue.largest_idle > WARM:
        queue.ask("warm", {"warm": Call(warm_layout)}, name="Preparing maps")
    return queue


def spoken_time(seconds: float) -> str:
    """Return a time in seconds or minutes, as text."""
    return f"{max(seconds, 1):.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def time_left(seconds: float) -> str:
    """Return the time left as a range: coarse, so that it does not jump with every step."""
    if seconds < STEPS[0]:
        return f"less than {STEPS[0]} s left"
    if seconds >= STEPS[-1]:
        return "more than an hour left"
    high = next(each for each in STEPS if each > seconds)
    low = STEPS[STEPS.index(high) - 1]
    return f"{low}–{high} s left" if high <= 60 else f"{max(1, low // 60)}–{high // 60} min left"


def only_label(done: int, total: int, label: str, seconds_left: float | None) -> str:
    """Return the bar's words where the work names its own steps."""
    return label + ("" if seconds_left is None else f" · {time_left(seconds_left)}")


def several(done: int, total: int, label: str, seconds_left: float | None) -> str:
    """Return the bar's words for several calls: the share that is done."""
    left = "" if seconds_left is None else f", {time_left(seconds_left)}"
    return f"{done / total:.0%} done{left}"


def card(job: Job, say: Say, refresh: Callable[[Reached], bool]) -> None:
    """Show how far a job is, with a Stop button; redraw the page when there is more to see."""
    if job.over or refresh(job.reached):
        st.rerun()
    with st.container(border=True):
        words, stop = st.columns([6, 1], vertical_alignment="center")
        words.markdown(f"**{escaped(job.name)}**")
        alone = _may_stop(job)
        if alone:
            stop.button("Stop", icon=":material/stop:", key=f"stop:{job.number}", on_click=jobs().stop, args=(job,))
        _bar(job, say)
        shared = "" if alone else " Other users need this job, too, so you cannot stop it."
        st.caption(f"It continues while you look at other pages, and what is finished is kept.{shared}")


def _may_stop(job: Job) -> bool:
    """Return whether this user may stop a job: on a host nobody ends what others wait for."""
    return not hosted() or job.owners <= {session.token()}


def _bar(job: Job, say: Say, *, name: str = "") -> None:
    """Draw how far a job is; `name` comes before the text of one that has not begun, if nothing else names it."""
    named = f"{escaped(name)} · " if name else ""
    if job.state == "waiting":
        st.progress(0.0, text=f"{named}Waiting for {counted(jobs().ahead_of(job) + 1, 'other job')}.")
        return
    reached: Reached = job.reached
    if not reached.total:
        st.progress(0.0, text=f"{named}Starting …")
        return
    early = job.moving is None or time.monotonic() - job.moving < MEANS_SOMETHING
    words = say(reached.done, reached.total, reached.label, None if early else reached.seconds_left)
    st.progress(min(reached.done / reached.total, 1.0), text=words)


def sidebar_jobs(where: DeltaGenerator) -> None:
    """List the jobs of this session, from every page."""
    mine = [job for job in jobs().of(session.token()) if not job.over]
    if mine:
        with where:
            st.fragment(_listed, run_every=1.0)({job.number for job in mine})


def _listed(known: set[int]) -> None:
    mine = [job for job in jobs().of(session.token()) if job.number in known]
    st.markdown("**Running**" if any(not job.over for job in mine) else "**Done**")
    for job in mine:
        if job.over:
            words = "done" if job.state == "done" else job.state
            st.caption(f":material/check: {escaped(job.name)}: {words}")
        else:
            _bar(job, partial(_short, job.name), name=job.name)
            if _may_stop(job):
                st.button("Stop", key=f"side:{job.number}", type="tertiary", on_click=jobs().stop, args=(job,))


def _short(name: str, done: int, total: int, label: str, seconds_left: float | None) -> str:
    return escaped(name) + ("" if seconds_left is None else f" · {time_left(seconds_left)}")


PATIENCE = "LEAKSCOPE_PATIENCE"  # seconds a page waits for a job before it shows a card; most work is done by then

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
    there = held(scope, kind, calls)
    missing = {key: call for key, call in calls.items() if key not in there}
    job, job_key = None, (scope, kind, frozenset(calls))
    if missing and here:
        for key, call in missing.items():
            store(scope, kind, key, _computed(call), room=len(calls))
    elif missing:
        job = _asked_for(job_key, missing, name, question, limits, spread=spread)
    if job is not None:
        if job.ended.wait(float(os.environ.get(PATIENCE, "1"))):
            _note_end(job, scope, kind, missing)
        else:
            words = say or (only_label if len(calls) == 1 else several)
            st.fragment(card, run_every=EVERY)(job, words, refresh or _more(job))
    there = held(scope, kind, calls)
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
    """Return whether a job is computing this one result."""
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
    with _lock:
        for key in [key for key in caches() if key[0] == scope]:
            del caches()[key]


def _computed(call: Call[Any]) -> Any:
    try:
        return call()
    except LeakscopeError as problem:
        return Refusal(str(problem))


def _drop(kind: str, keys: Iterable[Hashable], public: bool) -> None:
    for key in keys:
        drop(kind, key, public=public)


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
        dropped = job.state == "done" and missing.keys() - held(*job_key[:2], missing).keys()
        if not dropped:
            return job
        jobs().forget(job, owner)  # its results were taken and dropped before: it is asked for again
    if (question is not None and not _agreed(question, hash(job_key))) or _too_many(owner, hash(job_key)):
        return None
    scope, kind, wanted = job_key

    def keep(key: Key, result: Result | Refusal) -> None:
        store(scope, kind, key, result, room=len(wanted))

    return jobs().ask(job_key, missing, name=name, owner=owner, limits=limits, keep=keep, spread=spread)


def _too_many(owner: str, asked: int) -> bool:
    """Return whether a visitor has the maximum number of jobs, and report it."""
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
        for key in missing.keys() - held(scope, kind, missing).keys():
            stopped = job.state == "stopped"
            kept = " What was finished by then is kept and not computed again." if stopped else ""
            why = Refusal(f"{job.name}: {job.problem}{kept}", final=False, stopped=stopped)
            store(scope, kind, key, why, room=len(missing))


def _agreed(question: Question, asked: int) -> bool:
    """Return whether the user has just agreed to the work, and ask if not."""
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
