"""CharNGram: cosine of TF-IDF vectors of character 4-grams (PAN's baseline; HITS §5.2)."""

from dataclasses import dataclass
from typing import ClassVar

from ...arrays import canonical
from ...errors import SettingError
from ...splits import Pairs
from ..contract import Documents
from .cosine import FittedCosine, fitted_cosine, tfidf_vectors


@dataclass(frozen=True, slots=True)
class CharNGram:
    """TF-IDF of the `features` most frequent n-grams of lower-cased characters, fitted on the training pairs' texts."""

    features: int = 3_000
    n: int = 4

    name: ClassVar[str] = "char_ngram"

    def __post_init__(self) -> None:
        if self.features < 1 or self.n < 1:
            raise SettingError("CharNGram needs 1 or more features, of 1 or more characters each.")

    def key(self) -> str:
        return canonical(self.name, 1, features=self.features, n=self.n)

    def fit(self, documents: Documents, pairs: Pairs, *, held: Pairs, seed: int) -> FittedCosine:
        """Vocabulary and weights from the texts in `pairs`, thresholds from `held`; nothing is random."""
        vectors = tfidf_vectors(documents.texts_of(pairs.rows), features=self.features, analyzer="char", n=self.n)
        note = f"{len(vectors.vectorizer.vocabulary_):,} character {self.n}-grams."
        return fitted_cosine(vectors, documents, held, (note,))
