"""Labels of documents: one spelling each, sorted names, and an index into them."""

import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np

from ..arrays import Ints

UNKNOWN_AUTHOR = "(unknown)"  # stands where the author's cell is empty, and is no author


def one_spelling(labels: Iterable[str]) -> tuple[list[str], tuple[str, ...]]:
    """The labels without outer white space in Unicode's composed form (NFC), and those that this merges.

    An accented letter can be one character or a letter and a mark; both look the same, so they are the same label.
    """
    stripped = [label.strip() for label in labels]
    composed = {label: unicodedata.normalize("NFC", label) for label in set(stripped)}
    once: set[str] = set()
    twice: set[str] = set()
    for label in composed.values():
        (twice if label in once else once).add(label)
    return [composed[label] for label in stripped], tuple(sorted(twice))


def coded(labels: Sequence[str]) -> tuple[tuple[str, ...], Ints, tuple[str, ...]]:
    """The sorted names, the index of each label in them, and the names that two spellings share."""
    spelt, merged = one_spelling(labels)
    spelt = [label or UNKNOWN_AUTHOR for label in spelt]  # only authors may be empty
    names = tuple(sorted(set(spelt)))
    codes = {label: code for code, label in enumerate(names)}
    return names, np.array([codes[label] for label in spelt], dtype=np.int64), merged


def present(names: tuple[str, ...], codes: Ints) -> tuple[tuple[str, ...], Ints]:
    """The names that occur in `codes`, and the codes among these alone."""
    found, recoded = np.unique(codes, return_inverse=True)
    return tuple(names[code] for code in found), recoded.astype(np.int64)
