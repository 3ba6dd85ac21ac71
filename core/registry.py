"""Registries: a name for every choice, the settings it offers, and what is made of it with those a caller names."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from .errors import SettingError, unknown

Made = TypeVar("Made", covariant=True)


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a model that users choose."""

    label: str  # what it is about
    about: str  # a sentence of help
    choices: Mapping[str, str] = field(default_factory=dict)  # value → what it is called; without choices it is a text
    longest: int = 100  # characters of a text

    @property
    def default(self) -> str:
        """Return the first of the choices, or no text."""
        return next(iter(self.choices), "")


class Choice(Protocol[Made]):
    """A line of a registry; `make` takes the choice's settings by name."""

    @property
    def make(self) -> Callable[..., Made]: ...


def make_from(registry: Mapping[str, Choice[Made]], kind: str, name: str, settings: Mapping[str, object]) -> Made:
    """Return what `name` stands for, with these settings; an error says which names and settings there are."""
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
