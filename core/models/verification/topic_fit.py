"""TopicFit, the topic-only control: frequent words are masked, and what is left is compared (HITS §5.2)."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from ...arrays import canonical
from ...errors import SettingError
from ...splits import Pairs
from ..contract import Documents
from ..masking import checked_k, fit_masking, unmasked_words
from .cosine import FittedCosine, fitted_cosine, tfidf_vectors


@dataclass(frozen=True, slots=True)
class TopicFit:
    """TF-IDF of the `features` most frequent words outside the k most frequent of all, which are masked on both sides.

    Without k, 3·√V of the V distinct words of the training texts are masked.
    """

    k: int | None = None
    features: int = 3_000

    name: ClassVar[str] = "topic_fit"

    def __post_init__(self) -> None:
        checked_k(self.k)
        if self.features < 1:
            raise SettingError(f"TopicFit on {self.features} features: choose 1 or more.")

    def key(self) -> str:
        return canonical(self.name, 1, k=self.k, features=self.features)

    def fit(self, documents: Documents, pairs: Pairs, *, held: Pairs, seed: int) -> FittedCosine:
        """Masked words, vocabulary and weights from the texts in `pairs`, thresholds from `held`; nothing is random."""
        texts = documents.texts_of(pairs.rows)
        masking = fit_masking(texts, k=self.k)
        analyzer = partial(unmasked_words, masking=masking)
        vectors = tfidf_vectors(texts, features=self.features, analyzer=analyzer)
        note = f"{len(vectors.vectorizer.vocabulary_):,} of the words left are compared."
        return fitted_cosine(vectors, documents, held, (masking.note, note))
