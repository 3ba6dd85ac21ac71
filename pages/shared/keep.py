"""The visitor's own file: kept so that a reload finds it, named in the address, removed when idle or on demand."""

import os
import re
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.runtime.caching import clear_session_resource_cache
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.corpora import CleaningStep, Corpus, cache_vectors, cached_in, read_cached
from core.demo import bundled_corpus
from core.engine import Call
from core.files import cache_folder
from core.vectors import ENCODERS, USUAL_ENCODER
from pages.shared import clean_steps, result_cache, session, work
from pages.shared.limits import hosted, limit
from pages.shared.show import escaped, refuse

CORPUS = "corpus"
FILE, PRINT = "file", "print"  # in the address
MOST_REMOVED = 100  # folders in one sweep
TOUCHED_EVERY = 600  # seconds


def folder() -> Path:
    """Return where this visitor's corpus is kept."""
    return session.folder() / CORPUS


def begin() -> None:
    """Before any widget of a run: note what the link wants, and use what was made in the last run."""
    state = st.session_state
    if "wanted" not in state:
        state["wanted"] = _in_link()
    clean_steps.begin()
    if "taken" in state:
        corpus, steps = state.pop("taken")
        _take(corpus)
        clean_steps.choose(corpus, steps)


def take_in_hand(corpus: Corpus, steps: tuple[CleaningStep, ...] = ()) -> None:
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
    result_cache.hold("kept", corpus.fingerprint, corpus)
    if corpus.vectors is not None:
        state["encoder"] = next(name for name, kind in ENCODERS.items() if kind.brought)
    else:
        _leave_brought()


def _leave_brought() -> None:
    """Another encoder than one of vectors of a corpus that is no longer selected."""
    chosen = ENCODERS.get(st.session_state.get("encoder", ""))
    if chosen is not None and chosen.brought:
        st.session_state["encoder"] = USUAL_ENCODER


def add_vectors(corpus: Corpus) -> None:
    """Use the corpus that has got vectors from the next run on, cleaned as before, and keep the vectors too."""
    with suppress(OSError):
        cache_vectors(folder(), corpus)
    take_in_hand(corpus, clean_steps.steps_of(st.session_state["file_corpus"]))


def find() -> None:
    """After the choice of a corpus: load what is kept for this visitor where that is wanted, and name it in the address."""
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
        clean_steps.say(corpus)


def _load() -> None:
    kept = cached_in(folder())
    if kept is None:
        return
    problems: list[str] = []
    call = Call(read_cached, (folder(),))
    found = work.result("kept", kept.fingerprint, call, name=kept.name, here=True, complain=problems.append)
    if found is not None:
        st.session_state["file_corpus"] = found
    if problems:
        remove(folder())
        result_cache.drop("kept", kept.fingerprint)
        refuse(problems[0])


def forget() -> None:
    """Drop the visitor's file and everything that was computed from it in memory, and stop what is computing."""
    state = st.session_state
    remove(session.folder())
    for name in ("file_corpus", "taken", "taking", "wanted", "chosen_here", "cleaning", "project", "project_reopen"):
        state.pop(name, None)
    state["wanted"] = None
    state["corpus"] = "courier"
    _leave_brought()
    work.jobs().leave(session.token())
    work.forget_scope(session.scope())
    context = get_script_run_ctx()
    if context is not None:
        clear_session_resource_cache(context.session_id)


def remove(kept: Path) -> None:
    """Remove what is kept in a folder."""
    shutil.rmtree(kept, ignore_errors=True)


def _touch() -> None:
    """What is used is not idle."""
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
        "Your file goes only to the computer that runs Leakscope. It stays in its cache folder, so that a reload finds it, until "
        f"you press **Forget my file** or do not use it for {hours} hours. {who} Vectors and model answers are stored under "
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
    """A copied link names the file by which it was made; another's link keeps its own until a file is chosen here."""
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
