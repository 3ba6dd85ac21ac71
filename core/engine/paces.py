"""How long work takes on this machine: what was measured last, for an estimate before the next start."""

import json
import threading
from contextlib import suppress
from pathlib import Path

from ..files import cache_folder, written_whole

NAME = "paces.json"
MOST = 500  # names; far more than there are models and encoders
SHORTEST = 0.05  # seconds of work that tell anything
NEWEST = 0.5  # weight of the last measurement against all before it

_lock = threading.Lock()


def remember_pace(name: str, units: float, seconds: float) -> None:
    """Note that `units` of this work took so long; work too short to be told from noise is not noted."""
    if units <= 0 or seconds < SHORTEST:
        return
    with _lock, suppress(OSError):
        paces = _read(_file())
        pace = seconds / units
        paces[name] = pace if name not in paces else NEWEST * pace + (1 - NEWEST) * paces[name]
        _file().parent.mkdir(parents=True, exist_ok=True)
        with written_whole(_file()) as partial:
            partial.write_text(json.dumps(dict(list(paces.items())[-MOST:])), encoding="utf-8")


def seconds_for(name: str, units: float, *, otherwise: float | None = None) -> float | None:
    """Seconds for `units` of this work at the pace measured here; at `otherwise` seconds a unit where none was."""
    pace = _read(_file()).get(name, otherwise)
    return None if pace is None else pace * units


def _file() -> Path:
    return cache_folder() / NAME


def _read(file: Path) -> dict[str, float]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {str(name): float(pace) for name, pace in found.items() if isinstance(pace, int | float) and pace > 0}
