"""Made corpora with two dials: how much vocabulary sister topics share, and how far authors keep to one family of topics."""

import numpy as np

from ..arrays import Floats, seeded
from ..errors import SettingError
from .corpus import Corpus, make_corpus

FAMILIES, SISTERS, AUTHORS = 8, 4, 16
EACH = 30  # documents a topic
_WORDS = 90  # of a document
_COMMON, _OWN = 80, 50  # words of everybody, and of a family or a topic
_COMMON_SHARE = 0.5  # of a document's words
_HABIT = 0.7  # how far authors' use of common words differs: the spread of its logarithm
_STARTS = (
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
)
_MIDDLES, _ENDS = ("a", "e", "i", "o", "u", "ai", "ea", "ou"), ("", "l", "m", "n", "nd", "r", "rk", "s", "st", "t")


def dial_corpus(*, shared: float, loyal: float, seed: int = 0) -> Corpus:
    """Invented texts by invented authors: 8 families of 4 topics, 16 authors, 30 documents a topic.

    `shared` (λ) is the share of a topic's own words that its sisters use as well; with probability `loyal` (ρ) a document
    is by one of the two authors who are at home in its family, else by anybody. Authors differ in how they use common
    words, the same on every topic.
    """
    for name, value in (("shared", shared), ("loyal", loyal)):
        if not 0 <= value <= 1:
            raise SettingError(f"{name} = {value:g}; choose a share between 0 and 1.")
    words = _words(seed)
    common, rest = words[:_COMMON], words[_COMMON:].reshape(-1, _OWN)
    rng = seeded(seed, "authors")
    habits = _shares(rng.normal(0, _HABIT, (AUTHORS, _COMMON)))
    usual = _shares(-np.log1p(np.arange(_OWN)))  # a few words of a topic are frequent, most are rare
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
            texts.append(_sentences(chosen, rng))
            topics.append(f"{rest[family][0]} {own[0]}")
            authors.append(f"author {author + 1:02d}")
    name = f"Dial, shared {shared:g}, loyal {loyal:g} (made)"
    return make_corpus(texts, topics, authors=authors, name=name)


def _author(family: int, loyal: float, rng: np.random.Generator) -> int:
    """One at home in the family, or anybody."""
    at_home = AUTHORS // FAMILIES
    return int(rng.integers(at_home) + at_home * family if rng.random() < loyal else rng.integers(AUTHORS))


def _words(seed: int) -> np.ndarray:
    """As many different words as are needed, which can be spoken."""
    rng, needed = seeded(seed, "words"), _COMMON + _OWN * FAMILIES * (SISTERS + 1)
    words: dict[str, None] = {}
    while len(words) < needed:
        parts = ((rng.choice(_STARTS), rng.choice(_MIDDLES), rng.choice(_ENDS)) for _ in range(2))
        words["".join(part for syllable in parts for part in syllable)] = None
    return np.array(list(words))


def _shares(logarithms: Floats) -> Floats:
    weights = np.exp(logarithms)
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def _sentences(words: np.ndarray, rng: np.random.Generator) -> str:
    """Words in sentences of six to fourteen."""
    sentences, start = [], 0
    while start < len(words):
        length = int(rng.integers(6, 15))
        sentences.append(" ".join(words[start : start + length]).capitalize() + ".")
        start += length
    return " ".join(sentences)
