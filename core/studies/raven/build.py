"""A benchmark from a corpus: which one it allows, and its setups, folds and pairs exactly as models run in the app see them."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...arrays import Floats, Ints, Singles, seeded, unit_rows
from ...corpora import Corpus, take
from ...corpora.readers import MOST_UNPACKED, size_of
from ...errors import InputError, SettingError, unknown
from ...evaluation import NamedVectors
from ...formats import choose, counted
from ...splits import PAIRINGS, Fold, make_pairs, topic_kfold
from ...topics import RANDOM_SEEDS, SAMPLERS, Setup, TopicSpace, make_setup, random_path, topic_space, unlike_samplers
from .benchmark import DECIMALS, SIDES, Benchmark, BenchmarkFold, BenchmarkSettings, BenchmarkSetup, BenchmarkSide

FOLDS = 6
FEWEST_TOPICS = 3


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


def check_setups(m: int | None, topics: int) -> None:
    """Of all topics there is one sample only: HITS and every random setup would be the same, and their difference nothing."""
    if m is not None and m < 2:
        raise SettingError(f"m = {m}; a benchmark needs 2 topics or more to have folds.")
    same = "so that HITS and the random setups would be the same topics"
    if topics < FEWEST_TOPICS:
        needed = f"a benchmark needs a corpus of {FEWEST_TOPICS} topics or more"
        raise SettingError(f"The corpus has {counted(topics, 'topic')}, {same}; {needed}.")
    if m == topics:
        raise SettingError(f"m = {m} keeps all {topics:,} topics, {same}; {choose('m', 2, topics - 1)}.")


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
    """m and k with which a benchmark can be built: half of the topics that have a place, in up to `most_folds` folds;
    in fewer folds, and then of more topics, where some side could not be paired; None where none was found.

    An m or k that is given stays as it is.
    """
    placed = int(space.placed.sum())
    orders = [random_path(space.similarity, seed=drawn).order for drawn in random_seeds]
    for topics in _kept(placed, len(space) - 1) if m is None else [m]:
        chosen = [SAMPLERS[sampler].selected(space.similarity, topics), *(order[:topics] for order in orders)]
        samples = [take(corpus, np.flatnonzero(np.isin(corpus.topic_codes, each))) for each in chosen]
        for folds in range(most_folds, 1, -1) if k is None else [k]:
            if folds <= topics and all(_pairable(sample, folds, seed, pairs) for sample in samples):
                return topics, folds
    return None


def _kept(placed: int, most: int) -> list[int]:
    """Half of the topics that have a place, and a few larger parts up to all of them, or to `most`."""
    half, highest = max(FEWEST_TOPICS, placed // 2), min(placed, most)
    return [half + (highest - half) * part // 3 for part in range(4)] if half <= highest else [highest]


def _pairable(sample: Corpus, k: int, seed: int, pairs: str) -> bool:
    folds = topic_kfold(sample, k=k, seed=seed)
    return all(can_pair(sample, side, kind=pairs) for fold in folds for side in (fold.test, fold.train))


def can_pair(corpus: Corpus, rows: Ints, *, kind: str) -> bool:
    """Whether `make_pairs` finds a pair among these texts whatever it draws: two authors, and one of them with two texts.

    Where pairs are matched by topic, somebody else must have written on the topic of any one of an author's three texts
    or more, or of both where there are two: in a ring of two, chance decides which is the second.
    """
    assert corpus.author_codes is not None
    rows = rows[corpus.known_authors[corpus.author_codes[rows]]]
    authors, topics = corpus.author_codes[rows], corpus.topic_codes[rows]
    texts = np.bincount(authors, minlength=1)
    if (texts > 0).sum() < 2 or texts.max() < 2:
        return False
    if not PAIRINGS[kind].by_topic:
        return True
    wrote = np.unique(np.stack([topics, authors]), axis=1)  # who wrote on what, once each
    shared = (np.bincount(wrote[0]) > 1)[topics]  # whether a text's topic has another author
    matched = np.bincount(authors, weights=shared)
    return bool(((texts > 2) & (matched > 0) | (texts == 2) & (matched == 2)).any())
