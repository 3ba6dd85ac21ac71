"""What every verifier offers, what models are given, and how a page or the command line offers a model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints, record
from ..errors import InputError, SettingError
from ..splits import Pairs

Model = TypeVar("Model")


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

    def part(self, rows: Ints) -> "Documents":
        """The documents at these rows, renumbered."""
        return Documents(self.texts_of(rows), None if self.vectors is None else self.vectors[rows])

    def texts_of(self, rows: Ints) -> list[str]:
        """The texts at these rows."""
        return [self.texts[row] for row in rows]


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

    def fit(self, documents: Documents, pairs: Pairs, *, held: Pairs, seed: int) -> FittedVerifier:
        """Learn from the documents in `pairs` and calibrate on those in `held`; no other document is looked at."""
        ...


@dataclass(frozen=True, slots=True)
class ModelKind(Generic[Model]):
    """One choice of model, as a page or the command line offers it; `make` is its record of settings, and
    `needs_vectors` says whether it compares documents' vectors and not their texts."""

    label: str
    about: str
    make: Callable[..., Model]
    needs_vectors: bool = False


def fit_vocabulary(fit: Callable[[Sequence[str]], Any], texts: Sequence[str], *, empty: str) -> Any:
    """What a scikit-learn vectorizer's `fit` gives; where no text holds a feature, the sentence `empty` as an error."""
    try:
        return fit(texts)
    except ValueError as problem:
        if "empty vocabulary" not in str(problem):
            raise
        raise SettingError(empty) from None
