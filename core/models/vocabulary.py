"""The most frequent terms of training texts, the same on every machine, and TF-IDF over them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import largest


class FrequentTfidf:
    """TF-IDF rows of length one over the `most` frequent terms of the texts it is fitted on.

    scikit-learn's `max_features` leaves it to the processor which of equally frequent terms it keeps (its sort is unstable, and
    faster ones are used where there are wider registers). Here the one that sorts first stays. `options` say what a term is,
    as those of CountVectorizer do.
    """

    def __init__(self, most: int, *, sublinear: bool = False, **options: Any) -> None:
        from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

        self._most, self._options = most, options | {"dtype": np.float64}
        self._counter = CountVectorizer(**self._options)
        self._weights = TfidfTransformer(sublinear_tf=sublinear)

    @property
    def terms(self) -> list[str]:
        """The terms kept, sorted."""
        return list(self._counter.get_feature_names_out())

    @property
    def vocabulary_(self) -> dict[str, int]:
        """The column of every term, under scikit-learn's name for it."""
        return {term: column for column, term in enumerate(self.terms)}

    def fit_transform(self, texts: Sequence[str]) -> Any:
        """Choose and weigh terms by these texts, and give their rows."""
        from sklearn.feature_extraction.text import CountVectorizer

        all_terms = CountVectorizer(**self._options)
        counts = all_terms.fit_transform(texts)
        kept = largest(np.asarray(counts.sum(axis=0)).ravel(), self._most)
        self._counter = CountVectorizer(**self._options, vocabulary=all_terms.get_feature_names_out()[kept])
        return self._weights.fit_transform(counts[:, kept])

    def fit(self, texts: Sequence[str]) -> "FrequentTfidf":
        """Choose and weigh terms by these texts."""
        self.fit_transform(texts)
        return self

    def transform(self, texts: Sequence[str]) -> Any:
        """Rows of other texts over the same terms."""
        return self._weights.transform(self._counter.transform(texts))
