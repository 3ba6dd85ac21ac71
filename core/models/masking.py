"""Text distortion (Stamatatos 2017) turned round: the frequent words, which carry style, are hidden as in HITS §5.2, and what is left
is mostly topic. Masks hold no letter, so that words are compared by leaving the hidden ones out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from ..arrays import largest
from ..errors import SettingError
from .vocabulary import TermCounts

# Letters, also round an apostrophe: "don't" is one word, and neither digits nor masks are words.
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")

# Words masked by default: 3·√V of V distinct words. A share would not do: function words are a closed class while the
# vocabulary grows with the corpus. In 3,333 newsgroup texts (V = 44,246) the cosine of what is left tells pairs of one
# topic from others with AUC 0.61 here and 0.52 when a tenth is masked. The factor 3 is a compromise, not an optimum:
# masking less keeps more topic there (0.64 at 221 words) and, in the bundled corpus, more of the authors too.
PER_ROOT = 3.0


@dataclass(frozen=True, slots=True)
class Masking:
    """The words to hide, lower-cased, out of `distinct` in the texts they were counted in."""

    words: frozenset[str]
    distinct: int

    @property
    def note(self) -> str:
        return f"The {len(self.words):,} most frequent of {self.distinct:,} distinct training words are masked."


def fit_masking(texts: Sequence[str], *, k: int | None = None, counted: TermCounts | None = None) -> Masking:
    """The k most frequent words of the texts, or by default 3·√V of all V; of equally frequent ones the first by name.

    `counted` are counts of `words` that others use too.
    """
    counts, found = (counted or TermCounts(words)).of(texts)
    distinct = len(found)
    if not distinct:
        raise SettingError("The training documents hold no words to mask; check which column is the text.")
    chosen = min(int(PER_ROOT * sqrt(distinct)), distinct // 2) if k is None else k
    if chosen >= distinct:
        raise SettingError(f"k = {chosen:,} masks all {distinct:,} distinct words of the training texts; lower k.")
    frequent = largest(np.asarray(counts.sum(axis=0)).ravel(), chosen)
    return Masking(frozenset(found[column] for column in frequent), distinct)


def words(text: str) -> list[str]:
    """The words of a text, lower-cased."""
    return [word.lower() for word in WORD.findall(text)]


def checked_k(k: int | None) -> None:
    """Refuse a number of words that cannot be masked."""
    if k is not None and k < 0:
        raise SettingError(f"k = {k} words to mask: choose 0 or more, or leave it open for what fits the vocabulary.")
