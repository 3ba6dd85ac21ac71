"""What every encoder offers, and how a page or the command line offers an encoder."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from ..arrays import Ints, Singles
from ..registry import Setting

EncodedBatch = tuple[Ints, Singles]


class Encoder(Protocol):
    """A frozen record of settings that turns texts into vectors, a row a text."""

    name: ClassVar[str]
    per_document: ClassVar[bool]  # True: a vector depends on its own text alone; False: on the whole corpus

    def key(self) -> str:
        """Everything that determines a vector besides the texts, as canonical JSON."""

    def batches(self, texts: Sequence[str]) -> Iterator[EncodedBatch]:
        """Rows of `texts` and their vectors, in any order, each row once; an empty batch is only a sign of life."""

    def describe(self, texts: Sequence[str]) -> tuple[str, ...]:
        """Facts the user should know about these texts under this encoder, a sentence each."""


@dataclass(frozen=True, slots=True)
class EncoderKind:
    """One choice of encoder, as a page, the command line and a report offer it.

    `reference` is the work that a report cites for it. `brought`: it serves only a corpus that brings its vectors along.
    `english_only`: other languages are warned about. `reads_start`: the settings with which it reads no more
    than the first 256 tokens of a text (`corpora.read_in_part`); None where there are none. `reads` says how much of a long
    text it reads, where that is no setting.
    """

    label: str
    about: str
    make: Callable[..., Encoder]
    settings: Mapping[str, Setting] = field(default_factory=dict)
    reference: str = ""
    brought: bool = False
    english_only: bool = False
    reads_start: Mapping[str, str] | None = None
    reads: str = "whole texts"

    @property
    def asks_for_model(self) -> bool:
        """Whether it is nothing without a model that the user names, which is its setting without choices."""
        return any(not setting.choices for setting in self.settings.values())

    def cuts(self, chosen: Mapping[str, str | None]) -> bool:
        """Whether it reads only the beginnings of long texts with these settings; what is not chosen is as it comes."""
        if self.reads_start is None:
            return False
        settings = {name: chosen.get(name) or setting.default for name, setting in self.settings.items()}
        return all(settings[name] == value for name, value in self.reads_start.items())
