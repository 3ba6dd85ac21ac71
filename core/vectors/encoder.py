"""What every encoder offers, and how a page or the command line offers an encoder."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from ..arrays import Ints, Singles

Batch = tuple[Ints, Singles]


class Encoder(Protocol):
    """A frozen record of settings that turns texts into vectors, a row a text."""

    name: ClassVar[str]
    per_document: ClassVar[bool]  # True: a vector depends on its own text alone; False: on the whole corpus

    def key(self) -> str:
        """Everything that determines a vector besides the texts, as canonical JSON."""

    def batches(self, texts: Sequence[str]) -> Iterator[Batch]:
        """Rows of `texts` and their vectors, in any order, each row once; an empty batch is only a sign of life."""

    def describe(self, texts: Sequence[str]) -> tuple[str, ...]:
        """Facts the user should know about these texts under this encoder, a sentence each."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting that users choose: what it is about, a sentence of help, and its values with what each is called.

    Without choices it is a text of at most `longest` characters.
    """

    label: str
    about: str
    choices: Mapping[str, str] = field(default_factory=dict)
    longest: int = 100

    @property
    def default(self) -> str:
        """The first of the choices, or no text."""
        return next(iter(self.choices), "")


@dataclass(frozen=True, slots=True)
class EncoderKind:
    """One choice of encoder; `brought`: it serves only a corpus that brings its vectors along."""

    label: str
    about: str
    make: Callable[..., Encoder]
    settings: Mapping[str, Setting] = field(default_factory=dict)
    brought: bool = False
