"""A benchmark in memory: setups, folds and pairs exactly as models run in the app see them, and how much it holds."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ...arrays import Bools, Floats, Ints, Singles, record, seeded, unit_rows
from ...corpora import Corpus, take
from ...corpora.readers import MOST_UNPACKED, size_of
from ...errors import InputError, SettingError, unknown
from ...splits import PAIRINGS, Fold, make_pairs, topic_gap, topic_kfold, topic_oracle_auc
from ...topics import RANDOM_SEEDS, Setup, TopicSpace, make_setup, topic_space, unlike_samplers
from .workable import workable_size

FORMAT, FORMAT_VERSION = "leakscope-raven", 2
SIDES = ("train", "test")
GROUPS = ("hits", "random")  # topics unlike each other, by HITS or another sampler, and topics at random
COUNTED = ("pairs", "authors", "documents", "topics")
# A vector's last bits hang on the machine's arithmetic; its cosine is written without them.
DECIMALS = 6


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


def build_benchmark(
    corpus: Corpus,
    vectors: Singles,
    *,
    encoder_key: str,
    m: int,
    k: int,
    seed: int = 0,
    random_seeds: Sequence[int] = RANDOM_SEEDS,
    pairs: str = "matched",
    space: TopicSpace | None = None,
    sampler: str = "hits",
) -> Benchmark:
    """RAVEN: m topics by HITS and m at random for every random seed, each in k topic folds (Sawatphol et al. 2024, §8);
    `sampler` names another way to choose topics that are unlike each other.

    `seed` deals topics into folds and draws pairs as `pairs` names it; fold i's take seed + i, as in `evaluate`.
    """
    if pairs not in PAIRINGS:
        raise unknown("kind of pairs", pairs, PAIRINGS)
    if sampler not in unlike_samplers():
        raise unknown("sampler of unlike topics", sampler, unlike_samplers())
    if corpus.author_names is None:
        raise SettingError("The corpus names no authors, and a benchmark of pairs needs them; choose an author column.")
    if not random_seeds or len(set(random_seeds)) < len(random_seeds):
        raise SettingError("The seeds of the random setups must be one or more, and all different.")
    if m < 2:
        raise SettingError(f"m = {m}; a benchmark needs 2 topics or more to have folds.")
    _check_texts(corpus)
    if space is None:
        space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    samples = [(sampler, 0), *(("random", drawn) for drawn in random_seeds)]
    made = [make_setup(corpus, vectors, space, sampler=group, m=m, seed=drawn) for group, drawn in samples]
    used = {identity for setup in made for identity in setup.corpus.ids}
    # Without vectors and split labels, which a benchmark does not carry.
    rows = np.array([row for row, identity in enumerate(corpus.ids) if identity in used])
    documents = replace(take(corpus, rows), splits=None, vectors=None, merged_topics=(), merged_authors=())
    row_of = {identity: row for row, identity in enumerate(documents.ids)}
    settings = BenchmarkSettings(m, k, seed, tuple(random_seeds), encoder_key, pairs, space.kind, sampler)
    try:
        setups = tuple(_setup(setup, row_of, settings) for setup in made)
    except SettingError as problem:
        choices: dict[str, Any] = {"pairs": pairs, "seed": seed, "random_seeds": random_seeds, "sampler": sampler}
        size = partial(workable_size, corpus, space, most_folds=k, **choices)
        able = size(m=m) or size()
        remedy = "" if able is None else f" With m = {able[0]} and k = {able[1]} it can be built."
        raise SettingError(f"{problem}{remedy}") from None
    return Benchmark(corpus.name, corpus.content_digest, len(corpus), settings, documents, setups)


def pair_similarity(vectors: Singles, first: Ints, second: Ints) -> Floats:
    """The cosine of the two texts' vectors, pair by pair; 0 where a text has no vector to speak of."""
    used, index = np.unique(np.concatenate([first, second]), return_inverse=True)
    units = unit_rows(vectors[used].astype(np.float64))
    # Row by row and not as one product: how a library splits a product over threads changes last digits.
    cosine = np.einsum("ij,ij->i", units[index[: len(first)]], units[index[len(first) :]])
    rounded: Floats = np.round(np.clip(cosine, -1.0, 1.0), DECIMALS) + 0.0  # no −0
    return rounded


def _setup(setup: Setup, row_of: dict[str, int], settings: BenchmarkSettings) -> BenchmarkSetup:
    rows = np.array([row_of[identity] for identity in setup.corpus.ids], dtype=np.int64)
    folds = []
    for number, fold in enumerate(topic_kfold(setup.corpus, k=settings.k, seed=settings.seed)):
        where, sides = f"{setup.name}, fold {number} (of 0 to {settings.k - 1})", []
        for name in SIDES:
            try:
                sides.append(_side(setup, fold, name, rows, settings.seed + number, settings.pairs))
            except SettingError as problem:
                raise SettingError(f"{where}, {name} side cannot be paired: {problem}") from None
        folds.append(BenchmarkFold(*sides))
    group = "random" if setup.sampler == "random" else "hits"
    return BenchmarkSetup(setup.key, group, setup.seed, tuple(folds))


def _side(setup: Setup, fold: Fold, name: str, rows: Ints, seed: int, kind: str) -> BenchmarkSide:
    here, codes = (fold.train, fold.train_topics) if name == "train" else (fold.test, fold.test_topics)
    pairs = make_pairs(setup.corpus, here, seed=seed, kind=kind)
    # Pairs come lead by lead, the one by a single author first: in that order their numbers would tell the truth.
    order = seeded(seed, f"{setup.key}/{name}").permutation(len(pairs))
    first, second = pairs.first[order], pairs.second[order]
    similarity = pair_similarity(setup.vectors, first, second)
    topics = tuple(setup.corpus.topic_names[code] for code in codes)
    return BenchmarkSide(topics, rows[here], rows[first], rows[second], pairs.same[order], similarity, pairs.left_out)


def _check_texts(corpus: Corpus) -> None:
    """What is written must be readable everywhere, so what no file of texts can hold is refused now."""
    total = 0
    for number, parts in enumerate(zip(corpus.ids, corpus.texts, corpus.topics, corpus.authors or (), strict=True)):
        try:
            total += sum(len(part.encode()) for part in parts)
        except UnicodeEncodeError:
            raise InputError(
                f"document {number + 1}: half of a surrogate pair, which no file can hold; mend it."
            ) from None
        if any("\0" in part for part in parts):
            raise InputError(f"document {number + 1}: a NUL character, which no text holds; remove it.")
    if total > MOST_UNPACKED:
        raise SettingError(
            f"{corpus.name}: {size_of(total)} of text; a benchmark is made of at most {size_of(MOST_UNPACKED)}. "
            "Draw fewer documents per topic first."
        )


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
