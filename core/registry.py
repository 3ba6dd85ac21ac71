"""Registries: a name for every choice, and what is made of it with the settings a caller names."""

import inspect
from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

from .errors import SettingError, unknown

Made = TypeVar("Made", covariant=True)


class Choice(Protocol[Made]):
    """A line of a registry; `make` takes the choice's settings by name."""

    @property
    def make(self) -> Callable[..., Made]: ...


def make_from(registry: Mapping[str, Choice[Made]], kind: str, name: str, settings: Mapping[str, object]) -> Made:
    """What `name` stands for, with these settings; an error says which names and settings there are."""
    if name not in registry:
        raise unknown(kind, name, registry)
    make = registry[name].make
    known = inspect.signature(make).parameters
    for setting in settings:
        if setting not in known:
            has = f"it has: {', '.join(known)}" if known else "it has none"
            raise SettingError(f"'{name}' has no setting '{setting}'; {has}.")
    try:
        return make(**settings)
    except TypeError as problem:
        given = ", ".join(f"{setting}={str(value)[:50]!r}" for setting, value in settings.items())
        raise SettingError(f"'{name}' cannot use {given} ({problem}); give numbers where numbers are meant.") from None
