"""The visitor's own file: kept so that a reload finds it, named in the address, removed when idle or on demand.

Steps of cleaning are bound to the file they were chosen for, undone one by one, and found again by a reload.
"""

import json
import os
import re
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.runtime.caching import clear_session_resource_cache
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.arrays import digest
from core.corpora import (
    CleaningStep,
    Corpus,
    StepEffect,
    cache_vectors,
    cached_in,
    clean,
    read_cached,
    steps_from_json,
    steps_to_json,
)
from core.demo import bundled_corpus
from core.engine import Call
from core.errors import LeakscopeError
from core.files import cache_folder, written_whole
from core.vectors import ENCODERS, USUAL_ENCODER
from pages.shared import jobs, session
from pages.shared.session import as_public_as, computed_once, hosted, limit
from pages.shared.show import escaped, refuse

STEPS_FILE = "cleaning.json"
ADDRESS = "cleaned"  # in the address: the beginning of the steps' fingerprint
MOST_CORPORA = 8  # whose steps are kept; those of the one cleaned last go last
MOST_BYTES = 10_000_000


def steps_of(corpus: Corpus) -> tuple[CleaningStep, ...]:
    """Return what was chosen to be done to this corpus, as it was loaded."""
    return _known().get(corpus.fingerprint, ())


def cleaned(corpus: Corpus) -> tuple[Corpus, tuple[StepEffect, ...]]:
    """Return the corpus after its steps, and what each did; steps that no longer fit are reported and dropped."""
    steps = steps_of(corpus)
    if not steps:
        return corpus, ()
    try:
        return _cleaned(corpus, _written(steps))
    except LeakscopeError as problem:
        st.session_state["cleaning"].pop(corpus.fingerprint)
        refuse(problem)
        return corpus, ()


def choose_steps(corpus: Corpus, steps: tuple[CleaningStep, ...]) -> None:
    """Do these steps and no others to the corpus; where one of them is refused, what was done before stays."""
    known = dict(_known())
    try:
        clean(corpus, steps)
    except LeakscopeError as problem:
        st.session_state["refused"] = str(problem)
        return
    known.pop(corpus.fingerprint, None)
    st.session_state["cleaning"] = known | {corpus.fingerprint: steps}
    st.session_state["cleaned_here"] = True
    _keep(st.session_state["cleaning"])


def add_step(corpus: Corpus, *steps: CleaningStep) -> None:
    """Do these steps as well."""
    choose_steps(corpus, (*steps_of(corpus), *steps))


def undo_step(corpus: Corpus, index: int) -> None:
    """Take back one step; the others stay, in their order."""
    steps = steps_of(corpus)
    choose_steps(corpus, steps[:index] + steps[index + 1 :])


def begin_cleaning() -> None:
    """Note how a link's corpus was cleaned, before any widget of a run."""
    if "wanted_cleaning" not in st.session_state:
        st.session_state["wanted_cleaning"] = st.query_params.get(ADDRESS, "")


def say_cleaned(corpus: Corpus) -> None:
    """Report that the corpus was cleaned, here or where the link comes from, and put it into the address."""
    steps, wanted = steps_of(corpus), st.session_state.get("wanted_cleaning", "")
    here = digest(steps_to_json(steps))[:8] if steps else ""
    if steps:
        many = f"{len(steps)} steps" if len(steps) > 1 else "one step"
        st.caption(f":material/cleaning_services: Cleaned in {many}; see Corpus.")
    if wanted and wanted != here and not st.session_state.get("cleaned_here"):
        st.warning(
            "This link was made after cleaning the corpus, and the steps are not known here. Numbers will differ. Repeat the "
            "steps on the Corpus page.",
            icon=":material/difference:",
        )
    elif here and st.query_params.get(ADDRESS) != here:
        st.query_params[ADDRESS] = here
    elif not here and ADDRESS in st.query_params:
        del st.query_params[ADDRESS]


@computed_once(most=4)
def _cleaned(corpus: Corpus, steps: str) -> tuple[Corpus, tuple[StepEffect, ...]]:
    found, effects = clean(corpus, steps_from_json(json.loads(steps)))
    return as_public_as(corpus, found), effects


def _written(steps: tuple[CleaningStep, ...]) -> str:
    return json.dumps(steps_to_json(steps))


def _file() -> Path:
    return session.folder() / STEPS_FILE


def _known() -> dict[str, tuple[CleaningStep, ...]]:
    """Return the steps of every corpus in this session, loaded from disk first: writing others would lose them."""
    if "cleaning" not in st.session_state:
        st.session_state["cleaning"] = _kept()
    known: dict[str, tuple[CleaningStep, ...]] = st.session_state["cleaning"]
    return known


def _kept() -> dict[str, tuple[CleaningStep, ...]]:
    """Return the steps that are on disk, by the fingerprint of their corpus; none where the file is not ours any more."""
    with suppress(OSError, ValueError, RecursionError, LeakscopeError):
        if _file().stat().st_size <= MOST_BYTES:
            found: Any = json.loads(_file().read_text(encoding="utf-8"))
            if isinstance(found, dict):
                return {str(name): steps_from_json(steps) for name, steps in found.items()}
    return {}


def _keep(known: dict[str, tuple[CleaningStep, ...]]) -> None:
    latest = list(known.items())[-MOST_CORPORA:]
    with suppress(OSError):  # a full disk loses what a reload would find, not the cleaning
        _file().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with written_whole(_file()) as partial:
            partial.write_text(json.dumps({name: steps_to_json(steps) for name, steps in latest}), encoding="utf-8")


CORPUS = "corpus"
FILE, PRINT = "file", "print"  # in the address
MOST_REMOVED = 100  # folders in one sweep
TOUCHED_EVERY = 600  # seconds


def folder() -> Path:
    """Return where this visitor's corpus is kept."""
    return session.folder() / CORPUS


def begin() -> None:
    """Note what the link wants, and use what the last run made, before any widget of a run."""
    state = st.session_state
    if "wanted" not in state:
        state["wanted"] = _in_link()
    begin_cleaning()
    if "taken" in state:
        corpus, steps = state.pop("taken")
        _take(corpus)
        choose_steps(corpus, steps)


def use_current(corpus: Corpus, steps: tuple[CleaningStep, ...] = ()) -> None:
    """Make this the corpus of the session, cleaned so, from the next run on: the sidebar of this one is drawn already."""
    st.session_state["taken"] = corpus, steps
    st.rerun()


def as_loaded(source: str | None = None) -> Corpus | None:
    """Return the corpus of a source (default: the selected one) before cleaning and filters, or None if it is not loaded."""
    source = source or st.session_state.get("corpus", "courier")
    return bundled_corpus() if source == "courier" else st.session_state.get(f"{source}_corpus")


def _take(corpus: Corpus) -> None:
    state = st.session_state
    state["file_corpus"], state["corpus"], state["chosen_here"] = corpus, "file", True
    jobs.hold("kept", corpus.fingerprint, corpus)
    if corpus.vectors is not None:
        state["encoder"] = next(name for name, kind in ENCODERS.items() if kind.brought)
    else:
        _leave_own_vectors()


def _leave_own_vectors() -> None:
    """Switch to another encoder if the vectors belong to a corpus that is no longer selected."""
    chosen = ENCODERS.get(st.session_state.get("encoder", ""))
    if chosen is not None and chosen.brought:
        st.session_state["encoder"] = USUAL_ENCODER


def add_vectors(corpus: Corpus) -> None:
    """Use the corpus that has got vectors from the next run on, cleaned as before, and keep the vectors too."""
    with suppress(OSError):
        cache_vectors(folder(), corpus)
    use_current(corpus, steps_of(st.session_state["file_corpus"]))


def find() -> None:
    """Load what this visitor has saved, after the choice of a corpus, and name it in the address."""
    _sweep()
    state = st.session_state
    if state["corpus"] == "file":
        if "file_corpus" not in state:
            _load()
        _touch()
        _say_difference()
    _name_in_address()
    corpus = as_loaded()
    if corpus is not None:
        say_cleaned(corpus)


def _load() -> None:
    kept = cached_in(folder())
    if kept is None:
        return
    problems: list[str] = []
    call = Call(read_cached, (folder(),))
    found = jobs.result("kept", kept.fingerprint, call, name=kept.name, here=True, complain=problems.append)
    if found is not None:
        st.session_state["file_corpus"] = found
    if problems:
        remove(folder())
        jobs.drop("kept", kept.fingerprint)
        refuse(problems[0])


def forget() -> None:
    """Drop the visitor's file and everything that was computed from it in memory, and stop what is computing."""
    state = st.session_state
    remove(session.folder())
    for name in (
        "file_corpus",
        "taken",
        "taking",
        "wanted",
        "chosen_here",
        "cleaning",
        "project",
        "project_reopen",
        "own_answers",
        "own_study",
    ):
        state.pop(name, None)
    state["wanted"] = None
    state["corpus"] = "courier"
    _leave_own_vectors()
    jobs.jobs().leave(session.token())
    jobs.forget_scope(session.scope())
    context = get_script_run_ctx()
    if context is not None:
        clear_session_resource_cache(context.session_id)


def remove(kept: Path) -> None:
    """Remove what is kept in a folder."""
    shutil.rmtree(kept, ignore_errors=True)


def _touch() -> None:
    """Mark a file as used, so that it is not idle."""
    state, now = st.session_state, time.time()
    if now - state.get("touched", 0.0) > TOUCHED_EVERY:
        state["touched"] = now
        with suppress(OSError):
            os.utime(session.folder())


@st.cache_resource(ttl=TOUCHED_EVERY, show_spinner=False)
def _sweep() -> int:
    """Clean up, at most every ten minutes."""
    return sweep()


def sweep() -> int:
    """Remove the folders of sessions that have not been used for this many hours; how many were removed."""
    oldest, removed = time.time() - limit("KEEP_HOURS") * 3600, 0
    with suppress(OSError), os.scandir(cache_folder() / session.SESSIONS) as entries:
        for entry in entries:
            if removed < MOST_REMOVED and _is_idle(entry, oldest):
                remove(Path(entry.path))
                removed += 1
    return removed


def _is_idle(entry: os.DirEntry[str], oldest: float) -> bool:
    with suppress(OSError):
        ours = entry.is_dir(follow_symlinks=False) and re.fullmatch("[0-9a-f]{64}", entry.name)
        return bool(ours) and entry.stat(follow_symlinks=False).st_mtime < oldest
    return False


def privacy() -> str:
    """Return where a file goes that is loaded here, how long it stays, and who can see it."""
    hours = limit("KEEP_HOURS")
    who = (
        "Only this browser can open it: a cookie holds the key."
        if hosted()
        else "Anyone who uses this browser or can read that folder can open it."
    )
    apart = ", separate from other users', and are removed with the file" if hosted() else ""
    return (
        "Your file goes only to the computer that runs Leakscope. It stays in the cache folder there, so that a reload finds it. It "
        f"is deleted when you press **Forget my file**, or after {hours} hours without use. {who} Vectors and model answers are stored under "
        f"hashes of the texts, without the texts{apart}."
    )


@dataclass(frozen=True, slots=True)
class Wanted:
    """The file that a link was made with: its name, and the beginning of its content's fingerprint."""

    name: str
    print: str


def wanted() -> Wanted | None:
    """Return the file that the link to this session names."""
    found: Wanted | None = st.session_state.get("wanted")
    return found


def _in_link() -> Wanted | None:
    name, print = st.query_params.get(FILE, ""), st.query_params.get(PRINT, "")
    return Wanted(name[:200], print) if name and re.fullmatch("[0-9a-f]{8}", print) else None


def missing() -> str:
    """Return what to say while no file is loaded."""
    link = wanted()
    if link is None:
        return "No file is loaded in this session. Upload one, or choose the bundled corpus."
    return (
        f"This link was made with the file {escaped(link.name)} (fingerprint {link.print}). Load that file to see it."
    )


def _say_difference() -> None:
    corpus, link = st.session_state.get("file_corpus"), wanted()
    if corpus is not None and link is not None and corpus.content_digest[:8] != link.print:
        st.warning(
            f"This link was made with {escaped(link.name)} (fingerprint {link.print}). The current file, "
            f"{escaped(corpus.name)} ({corpus.content_digest[:8]}), is another file or has other columns.",
            icon=":material/difference:",
        )


def _name_in_address() -> None:
    """Name the file in the address; somebody else's link keeps its own until a file is chosen here."""
    state, address, link = st.session_state, st.query_params, wanted()
    if state["corpus"] != "file":
        for name in (FILE, PRINT):
            if name in address:
                del address[name]
        return
    corpus = state.get("file_corpus")
    if corpus is None or not (link is None or state.get("chosen_here") or link.print == corpus.content_digest[:8]):
        return
    for name, value in ((FILE, corpus.name), (PRINT, corpus.content_digest[:8])):
        if address.get(name) != value:
            address[name] = value
