"""A corpus of eight topics with vectors, and two models that write down what they fit and never tie for long."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from core.corpora import Corpus
from core.models import ModelKind
from core.models.attribution import CLASSIFIERS
from core.models.verification import VERIFIERS
from core.topics import TopicSpace, topic_space
from core.vectors import Vectors
from tests.core.spies import Log, Spy, corpus_of, rows_of

TOPICS = 8


def a_case() -> tuple[Corpus, np.ndarray, TopicSpace]:
    rows = rows_of(topics=TOPICS)
    corpus = corpus_of([rows[row] for row in np.random.default_rng(0).permutation(len(rows))])
    vectors = vectors_of(corpus)
    return corpus, vectors, space_of(corpus, vectors)


def vectors_of(corpus, seed=1):
    rng = np.random.default_rng(seed)
    centres = rng.random((TOPICS, 6))
    return (centres[corpus.topic_codes] + 0.2 * rng.random((len(corpus), 6))).astype(np.float32)


def space_of(corpus, vectors):
    return topic_space(vectors, corpus.topic_codes, corpus.topic_names)


def vector_records(corpus, *seeds):
    return {f"e{seed}": Vectors(vectors_of(corpus, seed), f"key {seed}", "lsa", len(corpus), 0, ()) for seed in seeds}


@dataclass(frozen=True)
class OtherSpy(Spy):
    """A spy that answers differently: two that always tie would rank nothing."""

    name: ClassVar[str] = "other spy"

    def fit(self, documents, what, *, seed, held=None):
        return Spy.fit(self, documents, what, seed=seed + 1_000, held=held)


def two_spies(patch: pytest.MonkeyPatch) -> Log:
    """Two spies that answer differently, among the classifiers and verifiers."""
    log = Log()
    for name, make in (("spy", lambda: Spy(log)), ("other spy", lambda: OtherSpy(log))):
        patch.setitem(VERIFIERS, name, ModelKind(name, "Writes down.", make))
        patch.setitem(CLASSIFIERS, name, ModelKind(name, "Writes down.", make))
    return log
