"""What every verifier offers, what it is given, and how a registry makes one."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints, record
from ..errors import InputError, SettingError, unknown


@record
class Documents:
    """Texts and, where an encoder has made them, their vectors, a row a text; pairs point into both."""

    texts: Sequence[str]
    vectors: NDArray[np.floating] | None = None

    def __post_init__(self) -> None:
        if self.vectors is not None and len(self.vectors) != len(self.texts):
            raise InputError(f"{len(self.vectors):,} vectors for {len(self.texts):,} documents; one each is needed.")

    def __len__(self) -> int:
        return len(self.texts)

    def texts_of(self, rows: Ints) -> list[str]:
        """The texts at these rows."""
        return [self.texts[row] for row in rows]


class LabelledPairs(Protocol):
    """Pairs of rows and whether one author wrote both texts, as `core.pairing` makes them; `rows` has each row once."""

    @property
    def first(self) -> Ints: ...
    @property
    def second(self) -> Ints: ...
    @property
    def same(self) -> NDArray[np.bool_]: ...
    @property
    def rows(self) -> Ints: ...


class FittedVerifier(Protocol):
    """A verifier that has seen its training pairs; scoring changes nothing in it."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What fitting chose, a sentence each."""
        ...

    def score(self, documents: Documents, first: Ints, second: Ints) -> Floats:
        """How surely one author wrote both texts of each pair, from 0 to 1; exactly 0.5 is no answer."""
        ...


class Verifier(Protocol):
    """A frozen record of settings that learns from labelled pairs."""

    name: ClassVar[str]

    def key(self) -> str:
        """Everything that determines a score besides documents, pairs and seed, as canonical JSON."""
        ...

    def fit(self, documents: Documents, pairs: LabelledPairs, *, held: LabelledPairs, seed: int) -> FittedVerifier:
        """Learn from the documents in `pairs` and calibrate on those in `held`; no other document is looked at."""
        ...


class Kind(Protocol):
    """A line of a registry."""

    @property
    def make(self) -> Callable[..., Any]:
        """The record of settings."""
        ...


def made(what: str, name: str, registry: Mapping[str, Kind], settings: Mapping[str, object]) -> Any:
    """The model of that name with these settings, or an error that names what there is."""
    if name not in registry:
        raise unknown(what, name, registry)
    make = registry[name].make
    known = inspect.signature(make).parameters
    for setting in settings:
        if setting not in known:
            has = f"it has: {', '.join(known)}" if known else "it has none"
            raise SettingError(f"'{name}' has no setting '{setting}'; {has}.")
    return make(**settings)
