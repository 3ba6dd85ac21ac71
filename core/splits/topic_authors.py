"""Who writes on what, and whose documents are on both sides of folds."""

from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Ints
from ..corpora import Corpus

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def topic_authors(corpus: Corpus) -> "csr_array | None":
    """Documents of each topic (rows) by each known author (columns); None where the corpus names no authors."""
    if corpus.author_codes is None or corpus.author_names is None:
        return None
    from scipy.sparse import csr_array

    known = corpus.known_authors[corpus.author_codes]
    where = corpus.topic_codes[known], corpus.author_codes[known]
    shape = (len(corpus.topic_names), len(corpus.author_names))
    table = csr_array((np.ones(int(known.sum())), where), shape=shape)
    table.sum_duplicates()
    return table


def seen_share(authors: "csr_array", fold_of: Ints, k: int) -> float:
    """The share of documents whose author writes in another fold too, from documents of each group (rows) by each author
    and the fold of each group; NaN where nobody's author is known."""
    counts = authors.tocoo()
    if counts.nnz == 0:
        return float("nan")
    from scipy.sparse import csr_array

    row, column = counts.coords
    totals = np.bincount(column, weights=counts.data, minlength=authors.shape[1])
    in_fold = csr_array((counts.data, (column, fold_of[row])), shape=(authors.shape[1], k))
    highest = in_fold.max(axis=1).toarray().ravel()
    return float(1.0 - totals[highest >= totals].sum() / totals.sum())
