"""What every model offers, what models are given, and how a page or the command line offers a model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import ClassVar, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints, canonical, record
from ..errors import InputError
from ..extras import installed
from ..registry import Setting
from ..splits import Pairs
from .vocabulary import TermCounts, TermsOf

Model = TypeVar("Model")


@record
class Documents:
    """Texts and, where an encoder has made them, their vectors, a row a text; pairs point into both.

    `classes` are the names of the classes by code, for a user's estimator: our own models learn codes.
    """

    texts: Sequence[str]
    vectors: NDArray[np.floating] | None = None
    classes: Sequence[str] = ()
    _counted: dict[TermsOf, TermCounts] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.vectors is not None and len(self.vectors) != len(self.texts):
            raise InputError(f"{len(self.vectors):,} vectors for {len(self.texts):,} documents; one each is needed.")

    def __len__(self) -> int:
        return len(self.texts)

    def part(self, rows: Ints) -> "Documents":
        """Return the documents at these rows, renumbered."""
        vectors = None if self.vectors is None else self.vectors[rows]
        return Documents(self.texts_of(rows), vectors, self.classes, self._counted)

    def counted(self, terms_of: TermsOf) -> TermCounts:
        """Return counts of terms found this way, shared by all parts, so that a text is read once for all folds."""
        return self._counted.setdefault(terms_of, TermCounts(terms_of))

    def texts_of(self, rows: Ints) -> list[str]:
        """Return the texts at these rows."""
        return [self.texts[row] for row in rows]


class Fitted(Protocol):
    """A model that has seen its training documents; asking it changes nothing in it."""

    @property
    def notes(self) -> tuple[str, ...]:
        """List what fitting chose or met, a sentence each."""


class Keyed(Protocol):
    """A frozen record of settings."""

    name: ClassVar[str]

    def key(self) -> str:
        """Return as canonical JSON everything that determines an answer besides documents, their labels and the seed."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What our models' records share: all settings are in the key; a change of code that changes answers raises `version`."""

    name: ClassVar[str]
    version: ClassVar[int] = 1

    def key(self) -> str:
        return canonical(self.name, self.version, **asdict(self))


class FittedVerifier(Fitted, Protocol):
    """A verifier that has seen its training pairs."""

    def score(self, documents: Documents, first: Ints, second: Ints) -> Floats:
        """Return how surely one author wrote both texts of each pair, from 0 to 1; exactly 0.5 is no answer."""


class Verifier(Keyed, Protocol):
    """Learns from labelled pairs whether one author wrote two texts."""

    def fit(self, documents: Documents, pairs: Pairs, *, held: Pairs, seed: int) -> FittedVerifier:
        """Learn from the documents in `pairs` and calibrate on those in `held`; no other document is looked at."""


class FittedClassifier(Fitted, Protocol):
    """A classifier that has seen its training documents."""

    def predict(self, documents: Documents) -> Ints:
        """Return the code of each document's most likely author, always one of those seen in training."""


class Classifier(Keyed, Protocol):
    """Learns who wrote what."""

    def fit(self, documents: Documents, authors: Ints, *, seed: int) -> FittedClassifier:
        """Learn from the documents and the code of each one's author."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large a fold's training side is."""

    documents: int
    characters: int
    authors: int

    @property
    def words(self) -> float:
        """Estimate how many distinct words it has: they grow more slowly than the text (Heaps' law, English)."""
        return float(20 * (self.characters / 6) ** 0.6)


def setting_variable(model: str, setting: str) -> str:
    """Return the environment variable from which a model's record takes a setting, in every process of a run."""
    return f"LEAKSCOPE_{model}_{setting}".upper()


def _next_to_nothing(size: Size) -> float:
    return 40.0 * size.characters


@dataclass(frozen=True, slots=True)
class ModelKind(Generic[Model]):
    """One choice of model, as a page or the command line offers it.

    `settings` are handed on as environment variables (`setting_variable`).
    """

    label: str
    about: str
    make: Callable[..., Model]  # its record of settings
    encoders: tuple[str, ...] = ()  # those whose vectors it compares; without, it reads the texts
    any_vectors: bool = False  # it takes the vectors of any encoder
    memory: Callable[[Size], float] = _next_to_nothing  # about how many bytes fitting takes
    slow: bool = False  # it takes several times as long as others of its task
    by_choice: bool = False  # run only where it is named: it takes very long, or is a control
    pace: float | None = None  # seconds a unit took where we measured it, until it has run here
    settings: Mapping[str, Setting] = field(default_factory=dict)  # options of `evaluate`
    reference: str = ""  # the work that a report cites where the model was run
    extra: str = ""  # of the installation, without which it cannot run

    @property
    def needs_vectors(self) -> bool:
        """Return whether it compares documents' vectors and not their texts."""
        return self.any_vectors or bool(self.encoders)

    @property
    def installed(self) -> bool:
        """Return whether its libraries are here."""
        return not self.extra or installed(self.extra)
