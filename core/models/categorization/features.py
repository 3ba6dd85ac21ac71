"""What every categorizer offers, and the words it looks at: counted, chosen by their association with categories, and
weighted, all from training documents."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from ...arrays import Bools, Floats, Ints, Singles, record
from ...corpora import has_terms
from ...errors import SettingError
from ..contract import Fitted

WORD = r"(?u)[^\W\d_]{2,}"
_BATCH = 1_000  # documents whose similarities to all training documents are held at once
_BLOCK = 64  # categories at a time: a table of all words by all categories need not fit in memory


class FittedCategorizer(Fitted, Protocol):
    """A categorizer that has seen its training documents."""

    def scores(self, counts: Any) -> Floats:
        """A row a document and a column a category; higher means more likely a member."""


class Categorizer(Protocol):
    """A frozen record of settings that learns which categories a document belongs to."""

    name: ClassVar[str]
    # The score from which a document is a member; None where only held-out documents can tell.
    cut: ClassVar[float | None]
    # Whether each document is given its highest category and no other, whatever the score.
    one_label: ClassVar[bool]

    def fit(self, counts: Any, labels: Bools, *, seed: int) -> FittedCategorizer:
        """Learn from word counts (sparse, a row a document) and a true/false table of documents by categories."""


@record
class Words:
    """The words a model looks at, as columns of the counts, and the rarity of each among the training documents."""

    columns: Ints
    rarity: Singles

    def counted(self, counts: Any) -> Any:
        """Plain counts of these words."""
        return counts[:, self.columns]

    def weighted(self, counts: Any) -> Any:
        """(1 + ln tf)·ln(N/df), scaled to length 1 (SMART's ltc; the paper says log(tf) and no more)."""
        from scipy.sparse import diags_array
        from sklearn.preprocessing import normalize

        chosen = self.counted(counts).astype(np.float32)
        chosen.data = 1 + np.log(chosen.data)
        return normalize(chosen @ diags_array(self.rarity)).tocsr()


def count_words(training: Sequence[str], test: Sequence[str]) -> tuple[Any, Any, int]:
    """Counts of the training documents' words in both parts, lower-cased, without English stop words; and their number."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

    vectorizer = CountVectorizer(token_pattern=WORD, stop_words=sorted(ENGLISH_STOP_WORDS), dtype=np.float32)
    if not has_terms(vectorizer, training):
        raise SettingError("The training documents hold no words; check which column is the text.")
    counts = vectorizer.fit_transform(training)
    return counts, vectorizer.transform(test), counts.shape[1]


def choose_words(counts: Any, labels: Bools, *, features: int) -> Words:
    """The words most associated with the categories; of equals the one that sorts first."""
    present = counts.astype(np.float64)
    present.data = np.ones_like(present.data)
    frequency = np.asarray(present.sum(axis=0)).ravel()
    order = np.argsort(-chi_square(present, labels), kind="stable")
    columns = order[frequency[order] > 0][:features]  # in a part of the training set some words never occur
    rarity = np.log(counts.shape[0] / frequency[columns]).astype(np.float32)
    return Words(columns.astype(np.int64), rarity)


def chi_square(present: Any, labels: Bools) -> Floats:
    """χ²_max(t) = max over c of N(AD − CB)²/((A+C)(B+D)(A+B)(C+D)), documents with and without word t and category c.

    Yang & Pedersen 1997.
    """
    n, words = present.shape
    best = np.zeros(words)
    with_word = np.asarray(present.sum(axis=0)).ravel()[:, None]
    for start in range(0, labels.shape[1], _BLOCK):
        block = labels[:, start : start + _BLOCK].astype(np.float64)
        both, members = np.asarray(present.T @ block), block.sum(axis=0)[None]
        expected = with_word * members
        below = expected * (n - with_word) * (n - members)
        # AD − CB = N·A − (A+B)(A+C)
        values = np.divide(n * (n * both - expected) ** 2, below, out=np.zeros_like(both), where=below > 0)
        best = np.maximum(best, values.max(axis=1))
    return best


@dataclass(frozen=True, slots=True)
class WordSettings:
    """What every model's record of settings has: how many words it looks at."""

    features: int = 2_415

    name: ClassVar[str]
    cut: ClassVar[float | None] = None
    one_label: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """All settings are numbers above 0."""
        for setting, value in asdict(self).items():
            if not value > 0:
                least = "1 or more" if isinstance(value, int) else "a number above 0"
                raise SettingError(f"{setting} = {value:g} for '{self.name}': choose {least}.")

    def words(self, counts: Any, labels: Bools) -> Words:
        """The words these settings choose."""
        return choose_words(counts, labels, features=self.features)


def products(given: Any, vectors: Any) -> Iterator[tuple[slice, Any]]:
    """Dot products of some documents at a time, and which these are, with all of `vectors`: never a matrix of all pairs."""
    for start in range(0, given.shape[0], _BATCH):
        rows = slice(start, start + _BATCH)
        yield rows, (given[rows] @ vectors.T).toarray()


def learnable_categories(labels: Bools) -> tuple[list[int], Floats]:
    """The categories that some training documents have and others have not, and an offset a category: 1 where all have it,
    −1 where none has, 0 where a machine will find it."""
    everyone, nobody = labels.all(axis=0), ~labels.any(axis=0)
    learnable: list[int] = np.flatnonzero(~(everyone | nobody)).tolist()
    return learnable, np.where(everyone, 1.0, np.where(nobody, -1.0, 0.0))
