"""A benchmark in memory: its settings, setups, folds and sides, the ids of its pairs, and how much it holds."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ...arrays import Bools, Floats, Ints, record
from ...corpora import Corpus
from ...splits import topic_gap, topic_oracle_auc

FORMAT, FORMAT_VERSION = "leakscope-raven", 2
SIDES = ("train", "test")
GROUPS = ("hits", "random")  # topics unlike each other, by HITS or another sampler, and topics at random
# A vector's last bits hang on the machine's arithmetic; its cosine is written without them.
DECIMALS = 6
COUNTED = ("pairs", "authors", "documents", "topics")


@dataclass(frozen=True, slots=True)
class BenchmarkSettings:
    """What, beside the corpus, determines a benchmark; `seed` draws folds and pairs, `random_seeds` the samples, and
    `pairs`, `similarity` and `sampler` name the pairing, the similarity of topics and who chose the unlike ones."""

    m: int
    k: int
    seed: int
    random_seeds: tuple[int, ...]
    encoder: str
    pairs: str
    similarity: str
    sampler: str = "hits"

    def as_record(self) -> dict[str, Any]:
        """The settings by name; the sampler only where it is not the paper's, so that a benchmark keeps the tag it had."""
        return {name: value for name, value in asdict(self).items() if name != "sampler" or value != "hits"}


@record
class BenchmarkSide:
    """One side of a fold: topics by name, document rows, and pairs of rows with the cosine of their vectors, in an order
    that says nothing; `left_out` pairs could not be made."""

    topics: tuple[str, ...]
    documents: Ints
    first: Ints
    second: Ints
    same: Bools
    similarity: Floats
    left_out: int

    def __len__(self) -> int:
        return len(self.same)


@record
class BenchmarkFold:
    """Training and test side, with no topic, and so no document and no pair, on both."""

    train: BenchmarkSide
    test: BenchmarkSide

    def side(self, name: str) -> BenchmarkSide:
        """The side called 'train' or 'test'."""
        return self.train if name == "train" else self.test


@record
class BenchmarkSetup:
    """One sample of topics in folds; `key` names its folder, `group` says whether its topics are unlike each other ("hits",
    by whichever sampler) or drawn by chance."""

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
    """All setups over one set of documents; rows of every side are indices of `documents`.

    `name`, `fingerprint` and `documents_given` are of the corpus it was drawn from.
    """

    name: str
    fingerprint: str
    documents_given: int
    settings: BenchmarkSettings
    documents: Corpus
    setups: tuple[BenchmarkSetup, ...]

    @property
    def tag(self) -> str:
        """Eight characters before every pair's id, so that answers to another benchmark are known for what they are."""
        content = json.dumps([FORMAT, FORMAT_VERSION, self.fingerprint, self.settings.as_record()], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:8]

    def sides(self) -> Iterator[tuple[BenchmarkSetup, int, str, BenchmarkSide]]:
        """Every side of every fold of every setup, in the order of the files."""
        for setup in self.setups:
            for number, fold in enumerate(setup.folds):
                for name in SIDES:
                    yield setup, number, name, fold.side(name)


def pair_id(tag: str, setup: str, fold: int, side: str, number: int) -> str:
    """The benchmark's tag and a keyed hash of where the pair is: no other pair has this id, and it tells nothing else."""
    where = f"{setup}/{fold}/{side}/{number}".encode()
    return f"{tag}-{hashlib.blake2b(where, key=tag.encode(), digest_size=10).hexdigest()}"


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
