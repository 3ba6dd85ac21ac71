"""What a benchmark holds: pairs, authors, documents and topics per setup, means over folds (the paper's Table 1)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from core.audit import UNKNOWN
from core.raven.records import SIDES, Benchmark, Ints, Side

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
