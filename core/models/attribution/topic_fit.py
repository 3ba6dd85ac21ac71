"""TopicFit as a control for attribution: whoever does well on it is known by topics, not by style."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from ...arrays import Ints, canonical
from ..contract import Documents
from ..masking import checked_k, fit_masking, unmasked_words
from .linear import FittedLinear, checked_authors, fitted_linear


@dataclass(frozen=True, slots=True)
class TopicFit:
    """A linear support vector machine on TF-IDF of the words outside the k most frequent, which are masked.

    Without k, 3·√V of the V distinct words of the training documents are masked.
    """

    k: int | None = None

    name: ClassVar[str] = "topic_fit"

    def __post_init__(self) -> None:
        checked_k(self.k)

    def key(self) -> str:
        return canonical(self.name, 1, k=self.k)

    def fit(self, documents: Documents, authors: Ints, *, seed: int) -> FittedLinear:
        """The seed sets the order in which the solver visits documents."""
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.svm import LinearSVC

        checked_authors(documents, authors)
        masking = fit_masking(documents.texts, k=self.k)
        return fitted_linear(
            documents,
            authors,
            vectorizer=TfidfVectorizer(analyzer=partial(unmasked_words, masking=masking)),
            model=LinearSVC(random_state=seed),
            feature="distinct words left",
            notes=(masking.note,),
        )
