"""How much a benchmark holds, setup by setup, and what topics alone tell of its pairs."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...arrays import Ints
from ...splits import topic_gap, topic_oracle_auc
from .benchmark import DECIMALS, SIDES, Benchmark, BenchmarkSetup, BenchmarkSide

COUNTED = ("pairs", "authors", "documents", "topics")


@dataclass(frozen=True, slots=True)
class SetupStatistics:
    """One setup: how much it holds in all, the mean of each count over folds, by side, and of its test pairs the mean
    over folds of the gap and of the topic oracle's AUC; `left_out` pairs could not be made."""

    key: str
    group: str
    topics: int
    documents: int
    authors: int
    pairs: Mapping[str, int]
    left_out: Mapping[str, int]
    means: Mapping[str, Mapping[str, float]]
    gap: float
    topic_oracle_auc: float


def benchmark_statistics(benchmark: Benchmark) -> tuple[SetupStatistics, ...]:
    """Counts of every setup; pairs are summed over folds, an author counts where a document of theirs is."""
    return tuple(_statistics(benchmark, setup) for setup in benchmark.setups)


def _statistics(benchmark: Benchmark, setup: BenchmarkSetup) -> SetupStatistics:
    whole = np.concatenate([fold.test.documents for fold in setup.folds])
    counts = {name: [side_counts(benchmark, fold.side(name)) for fold in setup.folds] for name in SIDES}
    told = [told_by_topics(benchmark, fold.test) for fold in setup.folds]
    return SetupStatistics(
        setup.key,
        setup.group,
        topics=len(setup.topics),
        documents=len(whole),
        authors=_authors(benchmark, whole),
        pairs={name: sum(count["pairs"] for count in each) for name, each in counts.items()},
        left_out={name: sum(fold.side(name).left_out for fold in setup.folds) for name in SIDES},
        means={
            name: {what: float(np.mean([count[what] for count in each])) for what in COUNTED}
            for name, each in counts.items()
        },
        gap=float(np.mean([each["gap"] for each in told])),
        topic_oracle_auc=float(np.mean([each["topic_oracle_auc"] for each in told])),
    )


def side_counts(benchmark: Benchmark, side: BenchmarkSide) -> dict[str, int]:
    """Pairs, authors, documents and topics of one side."""
    authors = _authors(benchmark, side.documents)
    return dict(zip(COUNTED, (len(side), authors, len(side.documents), len(side.topics)), strict=True))


def told_by_topics(benchmark: Benchmark, side: BenchmarkSide) -> dict[str, float]:
    """The gap of a side's pairs and the topic oracle's AUC, as they are written."""
    topics = benchmark.documents.topic_codes
    return {
        "gap": round(topic_gap(side, topics), DECIMALS),
        "topic_oracle_auc": round(topic_oracle_auc(side, topics), DECIMALS),
    }


def _authors(benchmark: Benchmark, rows: Ints) -> int:
    codes = benchmark.documents.author_codes
    assert codes is not None
    return int(benchmark.documents.known_authors[np.unique(codes[rows])].sum())
