"""What every encoder offers."""

from collections.abc import Iterator, Sequence
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

Batch = tuple[NDArray[np.int64], NDArray[np.float32]]


class Encoder(Protocol):
    """A frozen record of settings that turns texts into vectors, a row a text."""

    name: ClassVar[str]
    per_document: ClassVar[bool]  # True: a vector depends on its own text alone; False: on the whole corpus

    def key(self) -> str:
        """Everything that determines a vector besides the texts, as canonical JSON."""
        ...

    def batches(self, texts: Sequence[str]) -> Iterator[Batch]:
        """Rows of `texts` and their vectors, in any order, each row once; an empty batch is only a sign of life."""
        ...

    def describe(self, texts: Sequence[str]) -> tuple[str, ...]:
        """Facts the user should know about these texts under this encoder, a sentence each."""
        ...
