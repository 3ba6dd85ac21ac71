"""A small corpus to evaluate on, and models that write down what they are shown."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from core.arrays import canonical
from core.corpora import Corpus, make_corpus
from core.models import Documents, ModelKind


def rows_of(topics: int = 6, authors: int = 3, each: int = 2) -> list[dict[str, str]]:
    """Every author writes `each` texts on every topic; all texts differ."""
    return [
        {
            "id": f"{topic}-{author}-{number}",
            "topic": f"topic {topic}",
            "author": f"author {author}",
            "text": f"t{topic}word a{author}habit common number{number} " + "of the and a to " * (author + 1),
        }
        for topic in range(topics)
        for author in range(authors)
        for number in range(each)
    ]


def corpus_of(rows: Sequence[dict[str, str]]) -> Corpus:
    columns = {name: [row[name] for row in rows] for name in ("id", "topic", "author", "text")}
    return make_corpus(columns["text"], columns["topic"], authors=columns["author"], ids=columns["id"])


@dataclass
class Log:
    """What spies were shown: texts fitted on (with those held out) and asked about, a set each call."""

    fitted: list[frozenset[str]] = field(default_factory=list)
    held: list[frozenset[str]] = field(default_factory=list)
    asked: list[frozenset[str]] = field(default_factory=list)
    version: int = 1


@dataclass(frozen=True)
class Spy:
    """A verifier and a classifier whose answers depend on texts and seed alone."""

    log: Log
    setting: int = 1

    name: ClassVar[str] = "spy"

    def key(self) -> str:
        return canonical(self.name, self.log.version, setting=self.setting)

    def fit(self, documents, what, *, seed, held=None):
        if held is None:
            self.log.fitted.append(frozenset(documents.texts))
            return FittedSpy(self.log, seed, np.unique(what))
        self.log.fitted.append(frozenset(documents.texts_of(what.rows)))
        self.log.held.append(frozenset(documents.texts_of(held.rows)))
        return FittedSpy(self.log, seed, np.empty(0))


@dataclass(frozen=True)
class FittedSpy:
    log: Log
    seed: int
    authors: np.ndarray
    notes: tuple[str, ...] = ("Spied.",)

    def score(self, documents: Documents, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        self.log.asked.append(frozenset(documents.texts_of(np.concatenate([first, second]))))
        return np.array(
            [_chance(documents.texts[a], documents.texts[b], self.seed) for a, b in zip(first, second, strict=True)]
        )

    def predict(self, documents: Documents) -> np.ndarray:
        self.log.asked.append(frozenset(documents.texts))
        indices = [int(_chance(text, "", self.seed) * len(self.authors)) for text in documents.texts]
        return self.authors[indices].astype(np.int64)


def spy_kinds(log: Log, *, setting: int = 1, vectors: bool = False) -> tuple[ModelKind, ModelKind]:
    def make() -> Spy:
        return Spy(log, setting)

    return ModelKind("Spy", "Writes down.", make, ("sbert",) if vectors else ()), ModelKind("Spy", "Writes down.", make)


def _chance(one: str, two: str, seed: int) -> float:
    digest = hashlib.sha256(f"{seed}\0{one}\0{two}".encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48
