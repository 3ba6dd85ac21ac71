"""A benchmark in memory: setups of topic folds, and each side's documents and verification pairs."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints, record
from ...corpora import UNKNOWN, Corpus

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


@record
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


@record
class BenchmarkFold:
    """Training and test side, with no topic, and so no document and no pair, on both."""

    train: Side
    test: Side

    def side(self, name: str) -> Side:
        """The side called 'train' or 'test'."""
        return self.train if name == "train" else self.test


@record
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


@record
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


COUNTED = ("pairs", "authors", "documents", "topics")


@dataclass(frozen=True, slots=True)
class SetupStatistics:
    """One setup: how much it holds in all, and the mean of each count over folds, by side."""

    key: str
    group: str
    topics: int
    documents: int
    authors: int
    pairs: Mapping[str, int]
    means: Mapping[str, Mapping[str, float]]


def benchmark_statistics(benchmark: Benchmark) -> tuple[SetupStatistics, ...]:
    """Counts of every setup; pairs are summed over folds, an author counts where a document of theirs is."""
    authors_of = _author_counter(benchmark)
    found = []
    for setup in benchmark.setups:
        whole = np.concatenate([fold.test.documents for fold in setup.folds])
        sides = {name: [fold.side(name) for fold in setup.folds] for name in SIDES}
        means = {
            name: {what: float(np.mean([side_counts(side, authors_of)[what] for side in each])) for what in COUNTED}
            for name, each in sides.items()
        }
        pairs = {name: sum(map(len, each)) for name, each in sides.items()}
        found.append(
            SetupStatistics(setup.key, setup.group, len(setup.topics), len(whole), authors_of(whole), pairs, means)
        )
    return tuple(found)


def fold_counts(benchmark: Benchmark) -> list[dict[str, int]]:
    """The counts of every side, in the order of `Benchmark.sides`."""
    authors_of = _author_counter(benchmark)
    return [side_counts(side, authors_of) for *_, side in benchmark.sides()]


def side_counts(side: Side, authors_of: Callable[[Ints], int]) -> dict[str, int]:
    """Pairs, authors, documents and topics of one side."""
    return dict(
        zip(COUNTED, (len(side), authors_of(side.documents), len(side.documents), len(side.topics)), strict=True)
    )


def _author_counter(benchmark: Benchmark) -> Callable[[Ints], int]:
    codes, names = benchmark.documents.author_codes, benchmark.documents.author_names
    assert codes is not None and names is not None
    unknown = names.index(UNKNOWN) if UNKNOWN in names else -1

    def authors_of(rows: Ints) -> int:
        return int((np.unique(codes[rows]) != unknown).sum())

    return authors_of
