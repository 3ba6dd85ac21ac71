"""Jobs as one sees them: how far each is, with its Stop, on the page that asked and in the sidebar of all."""

import os
import time
from collections.abc import Callable
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.engine import Call, Job, Jobs, Limits, Reached
from core.formats import counted
from core.topics import warm_layout
from pages.shared import session
from pages.shared.limits import hosted, limit
from pages.shared.show import escaped

EVERY = 0.5  # seconds between two looks at a job
MEANS_SOMETHING = 5  # seconds of work before the time left is shown: the first steps are no measure
STEPS = (5, 10, 20, 40, 60, 120, 240, 480, 900, 1_800, 3_600)  # seconds: the bounds of a range

Say = Callable[[int, int, str, float | None], str]


@st.cache_resource(show_spinner=False)
def jobs() -> Jobs:
    """The one queue of this server.

    A host's first worker compiles UMAP at once, while nobody waits for a map; one's own machine does it with the first map.
    """
    allowed = Limits(limit("JOB_MEMORY") * 10**6, limit("JOB_MINUTES") * 60)
    here = os.environ.get("LEAKSCOPE_ENGINE") == "here"
    queue = Jobs(at_once=limit("JOBS_AT_ONCE"), limits=allowed, here=here)
    if hosted() and not here:
        queue.ask("warm", {"warm": Call(warm_layout)}, name="Preparing maps")
    return queue


def spoken_time(seconds: float) -> str:
    """Seconds or minutes, as one says them."""
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
    """The bar's words where the work names its own steps."""
    return label + ("" if seconds_left is None else f" · {time_left(seconds_left)}")


def several(done: int, total: int, label: str, seconds_left: float | None) -> str:
    """Return the bar's words for several calls: the share that is done."""
    left = "" if seconds_left is None else f", {time_left(seconds_left)}"
    return f"{done / total:.0%} done{left}"


def card(job: Job, say: Say, refresh: Callable[[Reached], bool]) -> None:
    """How far a job is, with a Stop; draws the page again when there is more to see."""
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
        st.caption(f"It continues while you look at other pages, and what is done is kept.{shared}")


def _may_stop(job: Job) -> bool:
    """On a host nobody ends what others wait for."""
    return not hosted() or job.owners <= {session.token()}


def _bar(job: Job, say: Say, *, name: str = "") -> None:
    """How far a job is; `name` stands before the text for one that has not begun, where nothing else names it."""
    named = f"{escaped(name)} · " if name else ""
    if job.state == "waiting":
        st.progress(0.0, text=f"{named}Waiting for {counted(jobs().ahead_of(job) + 1, 'other job')}.")
        return
    reached: Reached = job.reached
    if not reached.total:
        st.progress(0.0, text=f"{named}Starting …")
        return
    early = job.started is None or time.monotonic() - job.started < MEANS_SOMETHING
    words = say(reached.done, reached.total, reached.label, None if early else reached.seconds_left)
    st.progress(min(reached.done / reached.total, 1.0), text=words)


def sidebar_jobs(where: DeltaGenerator) -> None:
    """What this session has running, from every page."""
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
