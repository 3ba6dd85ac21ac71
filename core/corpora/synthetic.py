"""Synthetic corpora with two dials: how much vocabulary sister topics share, and how far authors keep to one family."""

import numpy as np

from ..arrays import Floats, seeded
from ..errors import SettingError
from .corpus import Corpus, make_corpus

FAMILIES, SISTERS, AUTHORS = 8, 4, 16
EACH = 30  # documents per topic
_WORDS = 90  # of a document
_COMMON, _OWN = 80, 50  # words that everybody uses, and words of a family or topic
_COMMON_SHARE = 0.5  # of a document's words
_HABIT = 0.7  # standard deviation of the log rate at which authors use common words
_STARTS = [
    "b",
    "br",
    "d",
    "dr",
    "f",
    "fl",
    "g",
    "gr",
    "h",
    "k",
    "kl",
    "l",
    "m",
    "n",
    "p",
    "pl",
    "r",
    "s",
    "st",
    "t",
    "tr",
    "v",
]
_MIDDLES, _ENDS = ("a", "e", "i", "o", "u", "ai", "ea", "ou"), ("", "l", "m", "n", "nd", "r", "rk", "s", "st", "t")


def dial_corpus(*, shared: float, loyal: float, seed: int = 0) -> Corpus:
    """Generate texts by fictional authors: 8 families of 4 topics, 16 authors, 30 documents per topic.

    `shared` (λ) is the share of a topic's own words that its sister topics use as well. With probability `loyal` (ρ) a
    document is by one of the two authors of its family, otherwise by any author. Authors differ in how they use common
    words, in the same way on every topic.
    """
    for name, value in (("shared", shared), ("loyal", loyal)):
        if not 0 <= value <= 1:
            raise SettingError(f"{name} is {value:g}. Choose a share between 0 and 1.")
    words = _words(seed)
    common, rest = words[:_COMMON], words[_COMMON:].reshape(-1, _OWN)
    rng = seeded(seed, "authors")
    habits = _softmax(rng.normal(0, _HABIT, (AUTHORS, _COMMON)))
    usual = _softmax(-np.log1p(np.arange(_OWN)))  # a few words of a topic are frequent, most are rare
    texts, topics, authors = [], [], []
    for topic in range(FAMILIES * SISTERS):
        family, rng = topic // SISTERS, seeded(seed, f"topic {topic}")
        own, of_family = rest[FAMILIES + topic], rest[family]
        for _ in range(EACH):
            author = _author(family, loyal, rng)
            kinds = rng.random(_WORDS)
            content = np.where(
                rng.random(_WORDS) < shared, *(rng.choice(each, _WORDS, p=usual) for each in (of_family, own))
            )
            chosen = np.where(kinds < _COMMON_SHARE, rng.choice(common, _WORDS, p=habits[author]), content)
            texts.append(_drawn_sentences(chosen, rng))
            topics.append(f"{rest[family][0]} {own[0]}")
            authors.append(f"author {author + 1:02d}")
    name = f"Dial, shared {shared:g}, loyal {loyal:g} (made)"
    return make_corpus(texts, topics, authors=authors, name=name)


def _author(family: int, loyal: float, rng: np.random.Generator) -> int:
    """Return one of the family's authors, or any author."""
    at_home = AUTHORS // FAMILIES
    return int(rng.integers(at_home) + at_home * family if rng.random() < loyal else rng.integers(AUTHORS))


def _words(seed: int) -> np.ndarray:
    """Return as many different pronounceable words as needed."""
    rng, needed = seeded(seed, "words"), _COMMON + _OWN * FAMILIES * (SISTERS + 1)
    words: dict[str, None] = {}
    while len(words) < needed:
        parts = ((rng.choice(_STARTS), rng.choice(_MIDDLES), rng.choice(_ENDS)) for _ in range(2))
        words["".join(part for syllable in parts for part in syllable)] = None
    return np.array(list(words))


def _softmax(logarithms: Floats) -> Floats:
    weights = np.exp(logarithms)
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def _drawn_sentences(words: np.ndarray, rng: np.random.Generator) -> str:
    """Join words into sentences of six to fourteen."""
    sentences, start = [], 0
    while start < len(words):
        length = int(rng.integers(6, 15))
        sentences.append(" ".join(words[start : start + length]).capitalize() + ".")
        start += length
    return " ".join(sentences)
