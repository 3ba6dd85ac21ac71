"""RAVEN: a HITS setup and random ones, in folds with their pairs, exactly as models run in the app see them; and other people's
answers to its pairs."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import Bools, Floats, Ints, Singles, record, seeded
from ...corpora import Corpus, take
from ...corpora.readers import MOST_UNPACKED, size_of
from ...errors import InputError, SettingError, unknown
from ...evaluation import (
    SIMILARITY_DECIMALS,
    AnswerLine,
    AnswersFile,
    KnownIds,
    NamedVectors,
    SystemAnswers,
    SystemScores,
    TestPairs,
    first_ids,
    pair_similarity,
    read_system_answers,
    system_names,
)
from ...formats import choose, counted, first_few
from ...splits import PAIRINGS, Fold, make_pairs, topic_gap, topic_kfold, topic_oracle_auc
from ...topics import RANDOM_SEEDS, SAMPLERS, Setup, TopicSpace, make_setup, random_path, topic_space, unlike_samplers

FORMAT, FORMAT_VERSION = "leakscope-raven", 3
SIDES = ("train", "test")
COUNTED = ("pairs", "authors", "documents", "topics")
FOLDS = 6
FEWEST_TOPICS = 3
_ENDINGS = (".jsonl", ".ndjson", ".csv", ".tsv")  # a folder may hold settings and logs beside its answers
_FOLDS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class BenchmarkSettings:
    """What, beside the corpus, determines a benchmark."""

    m: int
    k: int
    seed: int  # draws folds and pairs
    random_seeds: tuple[int, ...]  # draw the random samples
    encoder: str
    pairs: str  # the pairing
    similarity: str  # of topics
    sampler: str = "hits"  # chose the unlike topics

    def as_record(self) -> dict[str, Any]:
        """Return the settings by name; the sampler only where it is not the paper's, so that a benchmark keeps the tag it had."""
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
        """Return the side called 'train' or 'test'."""
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
        """Return every topic of the setup, sorted."""
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
        """Return eight characters that begin every pair's id, so that answers to another benchmark are recognised."""
        content = json.dumps([FORMAT, FORMAT_VERSION, self.fingerprint, self.settings.as_record()], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:8]

    def sides(self) -> Iterator[tuple[BenchmarkSetup, int, str, BenchmarkSide]]:
        """Yield every side of every fold of every setup, in the order of the files."""
        for setup in self.setups:
            for number, fold in enumerate(setup.folds):
                for name in SIDES:
                    yield setup, number, name, fold.side(name)


def pair_id(tag: str, setup: str, fold: int, side: str, number: int) -> str:
    """Return the benchmark's tag and a keyed hash of where the pair is: no other pair has this id, and it tells nothing else."""
    where = f"{setup}/{fold}/{side}/{number}".encode()
    return f"{tag}-{hashlib.blake2b(where, key=tag.encode(), digest_size=10).hexdigest()}"


@dataclass(frozen=True, slots=True)
class SetupStatistics:
    """What one setup holds."""

    key: str
    group: str
    topics: int
    documents: int
    authors: int
    pairs: Mapping[str, int]  # by side, in all folds
    left_out: Mapping[str, int]  # pairs that could not be made, by side
    means: Mapping[str, Mapping[str, float]]  # of each count over folds, by side
    gap: float  # mean over folds, of the test pairs
    topic_oracle_auc: float  # mean over folds, of the test pairs


def benchmark_statistics(benchmark: Benchmark) -> tuple[SetupStatistics, ...]:
    """Count what every setup holds; pairs are summed over folds, an author counts where a document of theirs is."""
    return tuple(_statistics_of_setup(benchmark, setup) for setup in benchmark.setups)


def _statistics_of_setup(benchmark: Benchmark, setup: BenchmarkSetup) -> SetupStatistics:
    whole = np.concatenate([fold.test.documents for fold in setup.folds])
    counts = {name: [side_counts(benchmark, fold.side(name)) for fold in setup.folds] for name in SIDES}
    told = [told_by_topics(benchmark, fold.test) for fold in setup.folds]
    return SetupStatistics(
        setup.key,
        setup.group,
        topics=len(setup.topics),
        documents=len(whole),
        authors=_author_count(benchmark, whole),
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
    """Count pairs, authors, documents and topics of one side."""
    authors = _author_count(benchmark, side.documents)
    return dict(zip(COUNTED, (len(side), authors, len(side.documents), len(side.topics)), strict=True))


def told_by_topics(benchmark: Benchmark, side: BenchmarkSide) -> dict[str, float]:
    """Return the gap of a side's pairs and the topic oracle's AUC, as they are written."""
    topics = benchmark.documents.topic_codes
    return {
        "gap": round(topic_gap(side, topics), SIMILARITY_DECIMALS),
        "topic_oracle_auc": round(topic_oracle_auc(side, topics), SIMILARITY_DECIMALS),
    }


def _author_count(benchmark: Benchmark, rows: Ints) -> int:
    codes = benchmark.documents.author_codes
    assert codes is not None
    return int(benchmark.documents.known_authors[np.unique(codes[rows])].sum())


def build_benchmark(
    corpus: Corpus,
    vectors: NamedVectors,
    *,
    m: int,
    k: int,
    seed: int = 0,
    random_seeds: Sequence[int] = RANDOM_SEEDS,
    pairs: str = "matched",
    space: TopicSpace | None = None,
    sampler: str = "hits",
) -> Benchmark:
    """Build RAVEN: m topics by HITS and m at random for every random seed, each in k topic folds (Sawatphol et al. 2024, §8);
    `sampler` names another way to choose topics that are unlike each other.

    `seed` splits topics into folds and draws pairs as `pairs` names it; fold i's take seed + i, as in `evaluate`.
    """
    if pairs not in PAIRINGS:
        raise unknown("kind of pairs", pairs, PAIRINGS)
    if sampler not in unlike_samplers():
        raise unknown("sampler of unlike topics", sampler, unlike_samplers())
    if corpus.author_names is None:
        raise SettingError("The corpus names no authors, and a benchmark of pairs needs them; choose an author column.")
    if not random_seeds or len(set(random_seeds)) < len(random_seeds):
        raise SettingError("The seeds of the random setups must be one or more, and all different.")
    check_setups(m, len(corpus.topic_names))
    _check_texts(corpus)
    matrix: Singles = vectors.matrix.astype(np.float32, copy=False)
    if space is None:
        space = topic_space(matrix, corpus.topic_codes, corpus.topic_names)
    samples = [(sampler, 0), *(("random", drawn) for drawn in random_seeds)]
    made = [make_setup(corpus, matrix, space, sampler=group, m=m, seed=drawn) for group, drawn in samples]
    used = {identity for setup in made for identity in setup.corpus.ids}
    # Without vectors and split labels, which a benchmark does not carry.
    rows = np.array([row for row, identity in enumerate(corpus.ids) if identity in used])
    documents = replace(take(corpus, rows), splits=None, vectors=None, merged_topics=(), merged_authors=())
    row_of = {identity: row for row, identity in enumerate(documents.ids)}
    settings = BenchmarkSettings(m, k, seed, tuple(random_seeds), vectors.key, pairs, space.kind, sampler)
    try:
        setups = tuple(_benchmark_setup(setup, row_of, settings) for setup in made)
    except SettingError as problem:
        choices: dict[str, Any] = {"pairs": pairs, "seed": seed, "random_seeds": random_seeds, "sampler": sampler}
        size = partial(workable_size, corpus, space, most_folds=k, **choices)
        able = size(m=m) or size()
        fix = "" if able is None else f" With m = {able[0]} and k = {able[1]} it can be built."
        raise SettingError(f"{problem}{fix}") from None
    return Benchmark(corpus.name, corpus.content_digest, len(corpus), settings, documents, setups)


def _benchmark_setup(setup: Setup, row_of: dict[str, int], settings: BenchmarkSettings) -> BenchmarkSetup:
    rows = np.array([row_of[identity] for identity in setup.corpus.ids], dtype=np.int64)
    folds = []
    for number, fold in enumerate(topic_kfold(setup.corpus, k=settings.k, seed=settings.seed)):
        where, sides = f"{setup.name}, fold {number} (of 0 to {settings.k - 1})", []
        for name in SIDES:
            try:
                sides.append(_made_side(setup, fold, name, rows, settings.seed + number, settings.pairs))
            except SettingError as problem:
                raise SettingError(f"{where}, {name} side cannot be paired: {problem}") from None
        folds.append(BenchmarkFold(*sides))
    group = "random" if setup.sampler == "random" else "hits"
    return BenchmarkSetup(setup.key, group, setup.seed, tuple(folds))


def _made_side(setup: Setup, fold: Fold, name: str, rows: Ints, seed: int, kind: str) -> BenchmarkSide:
    here, codes = (fold.train, fold.train_topics) if name == "train" else (fold.test, fold.test_topics)
    pairs = make_pairs(setup.corpus, here, seed=seed, kind=kind)
    # Pairs come lead by lead, the one by a single author first: in that order their numbers would tell the truth.
    order = seeded(seed, f"{setup.key}/{name}").permutation(len(pairs))
    first, second = pairs.first[order], pairs.second[order]
    similarity = pair_similarity(setup.vectors, first, second)
    topics = tuple(setup.corpus.topic_names[code] for code in codes)
    return BenchmarkSide(topics, rows[here], rows[first], rows[second], pairs.same[order], similarity, pairs.left_out)


def check_setups(m: int | None, topics: int) -> None:
    """Refuse m where HITS and every random setup would be the same topics."""
    if m is not None and m < 2:
        raise SettingError(f"m = {m}; a benchmark needs 2 topics or more to have folds.")
    same = "so that HITS and the random setups would be the same topics"
    if topics < FEWEST_TOPICS:
        needed = f"a benchmark needs a corpus of {FEWEST_TOPICS} topics or more"
        raise SettingError(f"The corpus has {counted(topics, 'topic')}, {same}; {needed}.")
    if m == topics:
        raise SettingError(f"m = {m} keeps all {topics:,} topics, {same}; {choose('m', 2, topics - 1)}.")


def _check_texts(corpus: Corpus) -> None:
    """Refuse texts that no file can hold, so that what is written can be read everywhere."""
    total = 0
    for number, parts in enumerate(zip(corpus.ids, corpus.texts, corpus.topics, corpus.authors or (), strict=True)):
        try:
            total += sum(len(part.encode()) for part in parts)
        except UnicodeEncodeError:
            raise InputError(
                f"document {number + 1}: half of a surrogate pair, which no file can hold; fix it."
            ) from None
        if any("\0" in part for part in parts):
            raise InputError(f"document {number + 1}: a NUL character, which no text holds; remove it.")
    if total > MOST_UNPACKED:
        raise SettingError(
            f"{corpus.name}: {size_of(total)} of text; a benchmark is made of at most {size_of(MOST_UNPACKED)}. "
            "Draw fewer documents per topic first."
        )


def workable_size(
    corpus: Corpus,
    space: TopicSpace,
    *,
    pairs: str = "matched",
    m: int | None = None,
    k: int | None = None,
    most_folds: int = FOLDS,
    seed: int = 0,
    random_seeds: Sequence[int] = RANDOM_SEEDS,
    sampler: str = "hits",
) -> tuple[int, int] | None:
    """Return m and k with which a benchmark can be built: half of the comparable topics, in up to `most_folds` folds;
    in fewer folds, and then of more topics, where some side could not be paired; None where none was found.

    An m or k that is given stays as it is.
    """
    comparable = int(space.comparable.sum())
    orders = [random_path(space.similarity, seed=drawn).order for drawn in random_seeds]
    for topics in _sizes_to_try(comparable, len(space) - 1) if m is None else [m]:
        chosen = [SAMPLERS[sampler].selected(space.similarity, topics), *(order[:topics] for order in orders)]
        samples = [take(corpus, np.flatnonzero(np.isin(corpus.topic_codes, each))) for each in chosen]
        for folds in range(most_folds, 1, -1) if k is None else [k]:
            if folds <= topics and all(_pairable(sample, folds, seed, pairs) for sample in samples):
                return topics, folds
    return None


def _sizes_to_try(comparable: int, most: int) -> list[int]:
    """Return half of the topics that can be compared, and a few larger parts up to all of them, or to `most`."""
    half, highest = max(FEWEST_TOPICS, comparable // 2), min(comparable, most)
    return [half + (highest - half) * part // 3 for part in range(4)] if half <= highest else [highest]


def _pairable(sample: Corpus, k: int, seed: int, pairs: str) -> bool:
    try:
        for number, fold in enumerate(topic_kfold(sample, k=k, seed=seed)):
            for side in (fold.test, fold.train):
                make_pairs(sample, side, seed=seed + number, kind=pairs)
    except SettingError:
        return False
    return True


@record
class AnswerSheet:
    """Every fold's test pairs, the ids of all of them in one long list, and where each fold starts in it.

    `training` has setup, fold and number of training pairs, whose ids are known too and not asked.
    """

    tag: str
    pairs: tuple[TestPairs, ...]
    ids: KnownIds
    starts: tuple[int, ...]
    training: tuple[tuple[str, int, int], ...]


def benchmark_pairs(benchmark: Benchmark) -> tuple[TestPairs, ...]:
    """Return the test pairs of every fold of every setup of a benchmark."""
    return tuple(
        TestPairs(setup.key, setup.group, number, fold.test.same, fold.test.similarity)
        for setup in benchmark.setups
        for number, fold in enumerate(setup.folds)
    )


def answer_sheet(benchmark: Benchmark) -> AnswerSheet:
    """Prepare what is asked, once for all systems."""
    pairs, tag = benchmark_pairs(benchmark), benchmark.tag
    named = (pair_id(tag, fold.setup, fold.fold, "test", number) for fold in pairs for number in range(len(fold)))
    index = {identity: index for index, identity in enumerate(named)}
    ends = np.cumsum([len(fold) for fold in pairs])
    known, starts = KnownIds(index, "pair", "pairs that are not asked here"), (0, *map(int, ends))
    training = ((setup.key, fold, len(side)) for setup, fold, name, side in benchmark.sides() if name == "train")
    return AnswerSheet(tag, pairs, known, starts, tuple(training))


def read_systems(sheet: AnswerSheet, paths: Sequence[str]) -> Iterator[SystemAnswers]:
    """Yield one system per path, a file or a folder of files, named as in `score`."""
    for name, path in zip(system_names(paths), paths, strict=True):
        yield read_system(sheet, _files(Path(path)), name=name)


def read_system(sheet: AnswerSheet, files: Sequence[AnswersFile], *, name: str) -> SystemAnswers:
    """Read one system's answers from its files together; a pair without an answer counts as 0.5, a fold without any is refused."""

    def check(line: AnswerLine, index: int, where: str) -> None:
        if line.setup or line.fold:
            _check_fold(sheet, line, index, where)

    found = read_system_answers(files, sheet.ids, check=check)
    if not found.given.any():
        raise _foreign(sheet, name, found)
    _refuse_missing_folds(sheet, name, np.split(found.given, sheet.starts[1:-1]))
    return SystemAnswers(name, tuple(np.split(found.scores, sheet.starts[1:-1])), found.notes)


def _files(path: Path) -> list[Path]:
    """Return the file itself, or every file of answers in a folder and the folders below it."""
    if not path.is_dir():
        return [path]
    files = (file for file in path.rglob("*") if not file.name.startswith("."))
    found = sorted(file for file in files if file.suffix.lower() in _ENDINGS)
    if not found:
        raise InputError(f"{path}: no answers in this folder; put .jsonl or .csv files there.")
    return found


def _check_fold(sheet: AnswerSheet, line: AnswerLine, index: int, where: str) -> None:
    pairs = sheet.pairs[int(np.searchsorted(sheet.starts, index, side="right")) - 1]
    # As a page, a folder or a table of floats spells them: 'random 3' and 'fold-2' or '2.0'.
    setup = line.setup.lower().replace(",", "").replace(" ", "-") or pairs.setup
    fold = line.fold.lower().removeprefix("fold").strip("- ").removesuffix(".0") or str(pairs.fold)
    if (setup, fold) != (pairs.setup, str(pairs.fold)):
        raise InputError(
            f"{where}: pair '{line.identity}' is of {pairs.setup}, fold {pairs.fold}, but the line says {setup}, fold "
            f"{fold}; folds are numbered from 0."
        )


def _foreign(sheet: AnswerSheet, name: str, found: SystemScores) -> InputError:
    first, count = found.unknown[0], len(found.unknown)
    shown = first_ids(found.unknown, count)
    training = (
        pair_id(sheet.tag, setup, fold, "train", number)
        for setup, fold, pairs in sheet.training
        for number in range(pairs)
    )
    if first.startswith(f"{sheet.tag}-") and first in training:
        return InputError(f"{name}: these are answers to training pairs ({shown}); answer the test pairs.")
    return InputError(
        f"{name}: these are answers to another benchmark: none of {count:,} ids is known ({shown}), and "
        f"here they begin with {sheet.tag}-. Give this benchmark's answers."
    )


def _refuse_missing_folds(sheet: AnswerSheet, name: str, given: Sequence[Bools]) -> None:
    """Refuse a system that left a fold out: it would count as all wrong there, and so would the comparison of setups."""
    folds = zip(sheet.pairs, given, strict=True)
    absent = [f"{pairs.setup}, fold {pairs.fold}" for pairs, here in folds if not here.any()]
    if absent:
        raise InputError(
            f"{name}: no answer at all for {first_few(absent, _FOLDS_SHOWN, between='; ')}. Run the system there too, or write "
            "0.5 for its pairs if it has nothing to say."
        )
