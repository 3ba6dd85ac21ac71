"""A benchmark in memory: setups of topic folds, and each side's documents and verification pairs."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from core.corpus import Corpus

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

FORMAT, FORMAT_VERSION = "leakscope-raven", 1
SIDES = ("train", "test")
GROUPS = ("hits", "random")


@dataclass(frozen=True, slots=True)
class Settings:
    """What, beside the corpus, determines a benchmark; `seed` draws folds and pairs, `random_seeds` the samples."""

    m: int
    k: int
    seed: int
    random_seeds: tuple[int, ...]
    encoder: str


@dataclass(frozen=True, eq=False, slots=True)
class Side:
    """One side of a fold: topics by name, document rows, and pairs of rows with the cosine of their vectors."""

    topics: tuple[str, ...]
    documents: Ints
    first: Ints
    second: Ints
    same: Bools
    similarity: Floats

    def __len__(self) -> int:
        return len(self.same)


@dataclass(frozen=True, eq=False, slots=True)
class BenchmarkFold:
    """Training and test side, with no topic, and so no document and no pair, on both."""

    train: Side
    test: Side

    def side(self, name: str) -> Side:
        """The side called 'train' or 'test'."""
        return self.train if name == "train" else self.test


@dataclass(frozen=True, eq=False, slots=True)
class BenchmarkSetup:
    """One sample of topics in folds; `key` names its folder, `group` says whether HITS or chance drew it."""

    key: str
    group: str
    seed: int | None
    folds: tuple[BenchmarkFold, ...]

    @property
    def topics(self) -> tuple[str, ...]:
        """Every topic of the setup, sorted."""
        return tuple(sorted(self.folds[0].train.topics + self.folds[0].test.topics))


@dataclass(frozen=True, eq=False, slots=True)
class Benchmark:
    """All setups over one set of documents; rows of every side are places in `documents`.

    `name`, `fingerprint` and `documents_given` are of the corpus it was drawn from.
    """

    name: str
    fingerprint: str
    documents_given: int
    settings: Settings
    documents: Corpus
    setups: tuple[BenchmarkSetup, ...]

    @property
    def tag(self) -> str:
        """Eight characters before every pair's id, so that answers to another benchmark are known for what they are."""
        content = json.dumps([FORMAT, FORMAT_VERSION, self.fingerprint, asdict(self.settings)], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:8]

    def sides(self) -> Iterator[tuple[BenchmarkSetup, int, str, Side]]:
        """Every side of every fold of every setup, in the order of the files."""
        for setup in self.setups:
            for number, fold in enumerate(setup.folds):
                for name in SIDES:
                    yield setup, number, name, fold.side(name)


def pair_id(tag: str, setup: str, fold: int, side: str, number: int) -> str:
    """An id no other pair of this or another benchmark has, and whose place can be read off it."""
    return f"{tag}-{setup}-f{fold}-{side}-{number}"


def make_side(
    topics: tuple[str, ...], documents: Ints, first: Ints, second: Ints, same: Bools, similarity: Floats
) -> Side:
    """A side whose arrays nobody can change."""
    for array in (documents, first, second, same, similarity):
        array.setflags(write=False)
    return Side(topics, documents, first, second, same, similarity)
