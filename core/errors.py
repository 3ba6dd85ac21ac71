"""The error tree: each message states the fact, the place and the fix.

LeakscopeError
├── InputError      a file, a row or a column cannot be used as it is
├── SettingError    a choice does not fit the data, or names nothing we have
└── EncoderError    an encoder cannot run (weights missing or altered, vectors of the wrong shape)
"""

from collections.abc import Iterable
from difflib import get_close_matches


class LeakscopeError(Exception):
    """Anything the user can put right; pages show its message as it is."""


class InputError(LeakscopeError):
    """A file, row or column that cannot be used as it is."""


class SettingError(LeakscopeError):
    """A choice that does not fit the data or names nothing we have."""


class EncoderError(LeakscopeError):
    """An encoder that cannot run here."""


def in_short(problem: BaseException) -> str:
    """Return a library's words for an error on one line, cut where they quote half a file."""
    return " ".join(str(problem).split())[:200] or type(problem).__name__


def unknown(kind: str, name: str, known: Iterable[str]) -> SettingError:
    """Return the error for a name that is in no registry, with the nearest one that is."""
    names = sorted(known)
    near = get_close_matches(name, names, n=1)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    return SettingError(f"No {kind} is called '{name}'.{hint} Choose one of: {', '.join(names)}.")
