"""Who is asking and what they may ask: limits, the token of a browser, what everybody may see, and stores on disk.

Every limit is a setting with a name, from the environment. A machine of one's own is bounded by itself alone; a host
(LEAKSCOPE_HOSTED=1) is shared, and its defaults are small.

The bundled corpus and 20 Newsgroups are public, and so is what the sidebar's filters and samplers take from them. What is
computed from them is computed once, for all users; everything else stays with its session. Caches are keyed on content
fingerprints, because Streamlit samples large arrays when it hashes them.

On a host every visitor has stores of their own: in a common one, what is found at once would tell that somebody else has
the same text. What everybody has is kept once for all.
"""

import hashlib
import os
import re
import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, wraps
from pathlib import Path
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

import psutil
import streamlit as st
from streamlit import config

from core.corpora import Corpus, Sizes
from core.demo import RESULTS, bundled_corpus
from core.engine import cores
from core.evaluation import ResultStore, missing_runs
from core.files import cache_folder
from core.splits import Folds
from core.topics import CORRECTED, Setup
from core.vectors import Vectors, VectorStore

HOSTED = "LEAKSCOPE_HOSTED"
PREFIX = "LEAKSCOPE_"
MODELS = "MODELS"
MOST = 10**9  # where one's own machine sets no limit
_UPLOAD = "server.maxUploadSize"


@dataclass(frozen=True, slots=True)
class Limit:
    """A setting: what it bounds, its defaults on one's own machine and on a host, and its unit."""

    about: str
    own: int
    hosted: int
    unit: str


def hosted() -> bool:
    """Return whether this server is shared by people who do not know each other."""
    return os.environ.get(HOSTED, "") not in ("", "0")


@cache
def _memory() -> int:
    """Return megabytes of this machine."""
    return int(psutil.virtual_memory().total / 1e6)


@cache
def _settings(memory: int, cores: int) -> dict[str, Limit]:
    return {
        "UPLOAD_SIZE": Limit("Size of an upload", 200, 50, "MB"),
        "UPLOADS_A_TAB": Limit("Uploads held in memory for a tab", MOST, 150, "MB"),
        "UPLOADS_AT_ONCE": Limit("Uploads held in memory for all tabs", MOST, 500, "MB"),
        "ROWS": Limit("Rows of a table", MOST, 100_000, "rows"),
        "DOCUMENTS": Limit("Documents of a corpus", MOST, 20_000, "documents"),
        "AUTHORS": Limit("Authors of a corpus", MOST, 10_000, "authors"),
        "READ_MEMORY": Limit("Memory for reading a file", 1_073, 1_073, "MB"),
        "JOBS_A_SESSION": Limit("Jobs per visitor, running or waiting", 100, 2, "jobs"),
        "JOB_MINUTES": Limit("Duration of a job", 24 * 60, 20, "minutes"),
        "JOB_MEMORY": Limit("Memory of a job and its processes", memory * 6 // 10, min(2_000, memory // 3), "MB"),
        "JOBS_AT_ONCE": Limit("Jobs running at once on this server", cores + 1, cores, "jobs"),
        "SESSIONS": Limit("Browser tabs open at once", MOST, 40, "tabs"),
        "IDLE_MINUTES": Limit("Idle time before a tab is closed", MOST, 60, "minutes"),
        "AWAY_SECONDS": Limit("Time jobs and results are kept after a visitor's last tab closes", MOST, 60, "seconds"),
        "KEEP_HOURS": Limit("Idle time before a file is removed", 24, 2, "hours"),
        "STORE_SIZE": Limit("Vectors and model answers stored per visitor", MOST, 500, "MB"),
    }


def settings() -> dict[str, Limit]:
    """Return every limit by the name of its environment variable without LEAKSCOPE_."""
    return _settings(_memory(), cores())


def limit(name: str) -> int:
    """Return the value of a limit: what the environment says, else its default."""
    found = settings()[name]
    return _given(name) or (found.hosted if hosted() else found.own)


def _given(name: str) -> int | None:
    """Return what the environment sets, where it is an integer above 0."""
    words = os.environ.get(PREFIX + name, "")
    return int(words) if words.isascii() and words.isdigit() and int(words) <= MOST and int(words) else None


def limit_problems() -> list[str]:
    """Return a sentence for every unusable setting in the environment."""
    return [
        f"{PREFIX}{name} is '{os.environ[PREFIX + name]}'; give an integer of {each.unit} above 0, or unset it."
        for name, each in settings().items()
        if os.environ.get(PREFIX + name) and _given(name) is None
    ]


def models() -> tuple[str, ...] | None:
    """Return the models of sentence-transformers that may be chosen, from LEAKSCOPE_MODELS; None on a machine of one's own: any."""
    named = tuple(name.strip() for name in os.environ.get(f"{PREFIX}{MODELS}", "").split(",") if name.strip())
    return named if hosted() else None


def teachers_word() -> str:
    """Return the word that opens a class's answers to its teacher, from LEAKSCOPE_CLASS; empty: nothing is counted."""
    return os.environ.get(f"{PREFIX}CLASS", "").strip()


def sizes() -> Sizes:
    """Return how large a corpus may be."""
    return Sizes(rows=limit("ROWS"), documents=limit("DOCUMENTS"), authors=limit("AUTHORS"))


def bound_uploads() -> None:
    """Let Streamlit refuse larger uploads as they arrive; its own setting holds on a machine of one's own."""
    if (hosted() or _given("UPLOAD_SIZE")) and config.get_option(_UPLOAD) != limit("UPLOAD_SIZE"):
        config.set_option(_UPLOAD, limit("UPLOAD_SIZE"), PREFIX + "UPLOAD_SIZE")


COOKIE = "leakscope"
SESSIONS = "sessions"  # the folder of what is kept for sessions, under the cache folder


def token() -> str:
    """Return what names this browser to the server: its cookie (see hosting.py), or a new token for this session."""
    if "token" not in st.session_state:
        st.session_state["token"] = checked(str(st.context.cookies.get(COOKIE, ""))) or new_token()
    return str(st.session_state["token"])


def checked(given: str) -> str | None:
    """Return a token that has the form of ours, else None."""
    return given if re.fullmatch("[0-9a-f]{32}", given) else None


def new_token() -> str:
    """Return a token that nobody can guess."""
    return secrets.token_hex(16)


def folder() -> Path:
    """Return where this visitor's own files are kept."""
    return folder_of(token())


def folder_of(token: str) -> Path:
    """Return where a visitor's own files are kept; the token, which would open them, is not in its name."""
    return cache_folder() / SESSIONS / hashlib.sha256(token.encode()).hexdigest()


def scope() -> str:
    """Return whose results this session sees: on a host only its own, elsewhere everyone's (there is one user)."""
    return token() if hosted() else "own"


def current_similarity() -> str:
    """Return the similarity of topics chosen in the sidebar."""
    return str(st.session_state.get("similarity", CORRECTED))


FINGERPRINTS: dict[str | type[Any], Callable[[Any], Any]] = {
    Corpus: lambda corpus: corpus.fingerprint,
    Vectors: lambda vectors: vectors.encoder_key,
    Setup: lambda setup: setup.corpus.fingerprint,
}
FOR_ALL = 4  # times as many results are held for everybody as for a session
MOST_NOTED = 4_096

Source = TypeVar("Source", bound=Corpus | Setup)
More = ParamSpec("More")
Found = TypeVar("Found")

_public: dict[str, None] = {}
_noting = threading.Lock()


def make_public(corpus: Corpus) -> Corpus:
    """Note that everybody has this corpus; the ones noted first are forgotten first, and computed session by session."""
    with _noting:
        _public.pop(corpus.fingerprint, None)
        _public[corpus.fingerprint] = None
        while len(_public) > MOST_NOTED:
            del _public[next(iter(_public))]
    return corpus


def is_public(corpus: Corpus) -> bool:
    """Return whether everybody has this corpus, name and all: what is computed of it may be seen by all."""
    return corpus.fingerprint == bundled_corpus().fingerprint or corpus.fingerprint in _public


def as_public_as(source: Corpus, drawn: Corpus) -> Corpus:
    """Return the corpus drawn from another: public where that is."""
    return make_public(drawn) if drawn is not source and is_public(source) else drawn


def computed_once(
    *, most: int, wait: str | Literal[False] = False
) -> Callable[[Callable[Concatenate[Source, More], Found]], Callable[Concatenate[Source, More], Found]]:
    """Keep what a function computes of a corpus or a setup: for all users where it is public, else in the session.

    `most` results are held a session; what is drawn while they are computed is named by `wait`.
    """

    def cached(compute: Callable[Concatenate[Source, More], Found]) -> Callable[Concatenate[Source, More], Found]:
        settings: dict[str, Any] = {"show_spinner": wait, "hash_funcs": FINGERPRINTS}
        own = st.cache_resource(scope="session", max_entries=most, **settings)(compute)
        shared = st.cache_resource(max_entries=FOR_ALL * most, **settings)(compute)

        @wraps(compute)
        def found(source: Source, *arguments: More.args, **keywords: More.kwargs) -> Found:
            corpus = source.corpus if isinstance(source, Setup) else source
            return (shared if is_public(corpus) else own)(source, *arguments, **keywords)

        return found  # type: ignore[return-value]  # wraps() names the first parameter, which nobody does

    return cached


PROJECT = "project"  # in the session's state, and a folder of its visitor; see pages/shared/project.py
Store = TypeVar("Store", VectorStore, ResultStore)


def vector_store(*, public: bool) -> VectorStore:
    """Return the vectors that this session may find."""
    return _bounded(VectorStore(_folder(public)), public)


def result_store(*, public: bool) -> ResultStore:
    """Return the models' answers that this session may find, and those that ship with the bundled corpus."""
    return _bounded(ResultStore(_folder(public), shipped=RESULTS, project=_project(public)), public)


def ship(job: tuple[Setup, Folds], models: Sequence[str], **choices: Any) -> bool:
    """Return whether the answers of these models to all of a job ship with the bundled corpus."""
    setup, folds = job
    sides = hashlib.sha256(b"|".join(fold.test.tobytes() for fold in folds)).hexdigest()
    return _ship(setup, sides, tuple(models), tuple(sorted(choices.items())), folds)


@computed_once(most=64)
def _ship(
    setup: Setup, sides: str, models: tuple[str, ...], choices: tuple[tuple[str, Any], ...], _folds: Folds
) -> bool:
    """Register shipped runs once: finding their keys reads all of their texts."""
    store = result_store(public=True)
    return not missing_runs(setup.corpus, _folds, models=list(models), results=store, **dict(choices))


def _project(public: bool) -> Path | None:
    """Return answers of an open project; on a host they never serve a corpus that everybody has."""
    held = st.session_state.get(PROJECT) is not None
    return folder() / PROJECT if held and not (hosted() and public) else None


def _folder(public: bool) -> Path | None:
    """Return the visitor's own folder on a host, or None for the common one."""
    return folder() if hosted() and not public else None


def _bounded(store: Store, public: bool) -> Store:
    """Limit a visitor's store to half of the size that vectors and answers share."""
    if not public:
        store.limit = min(store.limit, limit("STORE_SIZE") * 10**6 // 2)
    return store
