"""What one may ask of this server: every limit a setting with a name, from the environment.

A machine of one's own is bounded by itself alone; a host (LEAKSCOPE_HOSTED=1) is shared, and its defaults are small.
"""

import os
from dataclasses import dataclass
from functools import cache

import psutil
from streamlit import config

from core.corpora import Sizes
from core.engine import cores

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
    """Megabytes of this machine."""
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


def problems() -> list[str]:
    """Settings in the environment that say nothing usable, a sentence each: none of them is passed over in silence."""
    return [
        f"{PREFIX}{name} is '{os.environ[PREFIX + name]}'; give an integer of {each.unit} above 0, or unset it."
        for name, each in settings().items()
        if os.environ.get(PREFIX + name) and _given(name) is None
    ]


def models() -> tuple[str, ...] | None:
    """Return the models of sentence-transformers that may be chosen, from LEAKSCOPE_MODELS; None on a machine of one's own: any."""
    named = tuple(name.strip() for name in os.environ.get(f"{PREFIX}{MODELS}", "").split(",") if name.strip())
    return named if hosted() else None


def sizes() -> Sizes:
    """Return how large a corpus may be."""
    return Sizes(rows=limit("ROWS"), documents=limit("DOCUMENTS"), authors=limit("AUTHORS"))


def bound_uploads() -> None:
    """Let Streamlit refuse larger uploads as they arrive; its own setting holds on a machine of one's own."""
    if (hosted() or _given("UPLOAD_SIZE")) and config.get_option(_UPLOAD) != limit("UPLOAD_SIZE"):
        config.set_option(_UPLOAD, limit("UPLOAD_SIZE"), PREFIX + "UPLOAD_SIZE")
