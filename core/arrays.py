"""What every package shares: array types, records whose arrays nobody can change, seeds and fingerprints."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias, TypeVar, dataclass_transform

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Tensor: TypeAlias = Any  # torch.Tensor; torch is imported only when used
Interval = tuple[float, float]  # from and to

BLOCK = 1 << 20  # numbers

Record = TypeVar("Record")


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def record(cls: type[Record]) -> type[Record]:
    """Return a frozen dataclass with slots, compared by identity, whose arrays become read-only as it is made."""
    own: Callable[[Any], None] | None = cls.__dict__.get("__post_init__")

    def freeze(self: Any) -> None:
        if own is not None:
            own(self)
        lock(self)

    def lock(self: Any) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def from_another_process(self: Any, state: list[Any]) -> None:
        for each, value in zip(fields(self), state, strict=True):
            object.__setattr__(self, each.name, value)
        lock(self)

    cls.__post_init__ = freeze  # type: ignore[attr-defined]
    made = dataclass(frozen=True, eq=False, slots=True)(cls)
    made.__setstate__ = from_another_process  # type: ignore[attr-defined]
    return made


def seeded(seed: int, name: str) -> np.random.Generator:
    """Return a generator for one named thing, a topic say: its draws depend on no other thing and on no order."""
    return np.random.default_rng(int.from_bytes(text_digest(f"{seed}\0{name}")[:8], "big"))


def text_digest(text: str) -> bytes:
    """Return the SHA-256 of a text, also of one with half of a surrogate pair, which has no UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def digest(content: object) -> str:
    """Return the SHA-256 of content written as JSON."""
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def canonical(name: str, version: int, **settings: object) -> str:
    """Return one spelling of what determines a vector or an answer: a name, the version of our code for it, and its settings."""
    return json.dumps({"name": name, "version": version, **settings}, sort_keys=True, separators=(",", ":"))


def unit_rows(matrix: Floats) -> Floats:
    """Return each row divided by its length; rows of zeros (documents without a known word) stay zero."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / np.where(lengths > 0, lengths, 1.0)


def largest(values: NDArray[Any], most: int) -> Ints:
    """Return where the `most` largest values stand, in rising order of place; of equal ones the first, on any processor."""
    return np.sort(np.argsort(-values, kind="stable")[:most])


def blocks(rows: int, columns: int) -> Iterator[slice]:
    """Yield neighbouring rows of a matrix in parts of about a million numbers, so that work on them is never a second copy."""
    step = max(1, BLOCK // max(columns, 1))
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def known_mean(values: Floats, axis: int | None = None) -> Floats:
    """Return the mean of what is known, along an axis or of all; NaN where nothing is."""
    known = ~np.isnan(values)
    count = known.sum(axis=axis)
    total = np.where(known, values, 0.0).sum(axis=axis)
    return np.asarray(np.divide(total, count, out=np.full(np.shape(total), np.nan), where=count > 0))


def known_max(values: Floats) -> float:
    """Return the highest of what is known; NaN where nothing is."""
    highest = float(np.where(np.isnan(values), -np.inf, values).max(initial=-np.inf))
    return float("nan") if highest == -np.inf else highest
