"""From a corpus to a benchmark: setups, folds and pairs exactly as models run in the app see them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints, unit_rows
from ...corpora import Corpus, make_corpus
from ...corpora.readers import MOST_UNPACKED, size_of
from ...errors import InputError, SettingError
from ...splits import Fold, make_pairs, topic_kfold
from ...topics import RANDOM_SEEDS, Setup, TopicSpace, make_setup, topic_space
from .benchmark import Benchmark, BenchmarkFold, BenchmarkSetup, Settings, Side, make_side

# A vector's last bits hang on the machine's arithmetic; its cosine is written without them.
DECIMALS = 6


def build_benchmark(
    corpus: Corpus,
    vectors: NDArray[np.float32],
    *,
    encoder_key: str,
    m: int,
    k: int,
    seed: int = 0,
    random_seeds: Sequence[int] = RANDOM_SEEDS,
    space: TopicSpace | None = None,
) -> Benchmark:
    """RAVEN: m topics by HITS and m at random for every random seed, each in k topic folds (Sawatphol et al. 2024, §8).

    `seed` deals topics into folds and draws pairs; fold i's pairs take seed + i, as in `evaluate`.
    """
    if corpus.author_names is None:
        raise SettingError("The corpus names no authors, and a benchmark of pairs needs them; choose an author column.")
    if not random_seeds or len(set(random_seeds)) < len(random_seeds):
        raise SettingError("The seeds of the random setups must be one or more, and all different.")
    if m < 2:
        raise SettingError(f"m = {m}; a benchmark needs 2 topics or more to have folds.")
    _check_texts(corpus)
    if space is None:
        space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    chosen: list[tuple[str, int | None]] = [("hits", None), *(("random", number) for number in random_seeds)]
    made = [
        (make_setup(corpus, vectors, space, sampler=group, m=m, seed=drawn or 0), group, drawn)
        for group, drawn in chosen
    ]
    used = {identity for setup, _, _ in made for identity in setup.corpus.ids}
    documents = _only(corpus, [row for row, identity in enumerate(corpus.ids) if identity in used])
    place = {identity: row for row, identity in enumerate(documents.ids)}
    setups = tuple(_setup(setup, group, drawn, place, k, seed) for setup, group, drawn in made)
    settings = Settings(m, k, seed, tuple(random_seeds), encoder_key)
    return Benchmark(corpus.name, corpus.fingerprint, len(corpus), settings, documents, setups)


def setup_key(name: str) -> str:
    """A setup's name as a folder and an id carry it: 'HITS' is hits, 'random 3' is random-3."""
    return name.lower().replace(",", "").replace(" ", "-")


def pair_similarity(vectors: NDArray[np.floating], first: Ints, second: Ints) -> Floats:
    """The cosine of the two texts' vectors, pair by pair; 0 where a text has no vector to speak of."""
    used, place = np.unique(np.concatenate([first, second]), return_inverse=True)
    units = unit_rows(vectors[used].astype(np.float64))
    # Row by row and not as one product: how a library splits a product over threads changes last digits.
    cosine = np.einsum("ij,ij->i", units[place[: len(first)]], units[place[len(first) :]])
    rounded: Floats = np.round(np.clip(cosine, -1.0, 1.0), DECIMALS) + 0.0  # no −0
    return rounded


def _setup(setup: Setup, group: str, drawn: int | None, place: dict[str, int], k: int, seed: int) -> BenchmarkSetup:
    rows = np.array([place[identity] for identity in setup.corpus.ids], dtype=np.int64)
    folds = []
    for number, fold in enumerate(topic_kfold(setup.corpus, k=k, seed=seed)):
        try:
            sides = [_side(setup, fold, name, rows, seed + number) for name in ("train", "test")]
        except SettingError as problem:
            raise SettingError(f"{setup.name}, fold {number} (of 0 to {k - 1}) cannot be paired: {problem}") from None
        folds.append(BenchmarkFold(*sides))
    return BenchmarkSetup(setup_key(setup.name), group, drawn, tuple(folds))


def _side(setup: Setup, fold: Fold, name: str, rows: Ints, seed: int) -> Side:
    here, codes = (fold.train, fold.train_topics) if name == "train" else (fold.test, fold.test_topics)
    pairs = make_pairs(setup.corpus, here, seed=seed)
    similarity = pair_similarity(setup.vectors, pairs.first, pairs.second)
    topics = tuple(setup.corpus.topic_names[code] for code in codes)
    return make_side(topics, rows[here], rows[pairs.first], rows[pairs.second], pairs.same, similarity)


def _only(corpus: Corpus, rows: list[int]) -> Corpus:
    """The documents at these rows without vectors or split labels, which a benchmark does not carry."""
    topics, authors = corpus.topics, corpus.authors
    assert authors is not None
    return make_corpus(
        [corpus.texts[row] for row in rows],
        [topics[row] for row in rows],
        authors=[authors[row] for row in rows],
        ids=[corpus.ids[row] for row in rows],
        name=corpus.name,
    )


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
