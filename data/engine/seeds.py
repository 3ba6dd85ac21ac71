"""Random draws that are the same on every machine and in every Python version."""

from collections.abc import Sequence
from hashlib import sha256
from random import Random
from typing import TypeVar

T = TypeVar("T")


def rng(*names: object) -> Random:
    """A generator seeded by names, never by hash(), which changes between runs."""
    key = "|".join(str(name) for name in names)
    return Random(int.from_bytes(sha256(key.encode("utf-8")).digest()[:8], "big"))


# Python promises the same stream for random() alone; choice, sample and shuffle may change between versions.
def pick(random: Random, items: Sequence[T]) -> T:
    return items[int(random.random() * len(items))]


def shuffled(random: Random, items: Sequence[T]) -> list[T]:
    keys = [random.random() for _ in items]
    return [items[i] for i in sorted(range(len(items)), key=lambda i: (keys[i], i))]


def whole(random: Random, low: int, high: int) -> int:
    return low + int(random.random() * (high - low + 1))


def chance(random: Random, rate: float) -> bool:
    return random.random() < rate
