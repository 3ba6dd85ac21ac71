"""One topic for documents that have several: the first, the rarest, each, or all of them together."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..arrays import Ints
from ..errors import SettingError, unknown
from .corpus import LONGEST_LABEL, MOST_DOCUMENTS, Corpus, with_labels
from .selection import take
from .topic_lists import SEPARATORS, topics_in

TOPICS_OF_A_LIST = {
    "first": "the first",
    "rarest": "the rarest",
    "each": "each (the text once for every topic)",
    "combination": "all of them together",
}


@dataclass(frozen=True, slots=True)
class OneTopic:
    """One topic for every document whose cell holds several; without any, a document is dropped."""

    choice: str = "first"
    separator: str = ";"

    code: ClassVar[str] = "one-topic"

    @property
    def label(self) -> str:
        return f"Of several topics take {TOPICS_OF_A_LIST.get(self.choice, self.choice)}"

    def apply(self, corpus: Corpus) -> Corpus:
        if self.choice not in TOPICS_OF_A_LIST:
            raise unknown("choice among several topics", self.choice, TOPICS_OF_A_LIST)
        if self.separator not in SEPARATORS:
            raise unknown("separator of topics", self.separator, SEPARATORS)
        cells = [topics_in(name, self.separator) for name in corpus.topic_names]
        sizes: Counter[str] = Counter()
        for cell, documents in zip(cells, corpus.topic_sizes, strict=True):
            sizes.update(dict.fromkeys(cell, int(documents)))
        chosen = [self._chosen(cell, sizes) for cell in cells]
        lists = [chosen[code] for code in corpus.topic_codes]
        rows = np.repeat(np.arange(len(corpus)), [len(topics) for topics in lists])
        if len(rows) > MOST_DOCUMENTS:
            raise SettingError(f"{self.label}: {len(rows):,} documents; at most {MOST_DOCUMENTS:,} are handled.")
        if len(rows) == 0:
            return take(corpus, rows)
        topics = [topic for found in lists for topic in found]
        return with_labels(_copied(corpus, rows, topics), topics=topics)

    def _chosen(self, cell: tuple[str, ...], sizes: Mapping[str, int]) -> tuple[str, ...]:
        if not cell or self.choice == "each":
            return cell
        if self.choice == "combination":
            return (" + ".join(sorted(cell))[:LONGEST_LABEL],)
        return (cell[0] if self.choice == "first" else min(cell, key=lambda topic: (sizes[topic], topic)),)


def _copied(corpus: Corpus, rows: Ints, topics: Sequence[str]) -> Corpus:
    """The documents at `rows`; one that comes more than once has its topic in its id."""
    if len(rows) == len(corpus) == len(np.unique(rows)):
        return corpus
    times = np.bincount(rows, minlength=len(corpus))
    taken = {corpus.ids[row] for row in np.flatnonzero(times == 1)}
    ids = []
    for row, topic in zip(rows, topics, strict=True):
        identity = corpus.ids[row]
        if times[row] > 1:
            identity = f"{identity} ({topic})"
            while identity in taken:
                identity += "'"
            taken.add(identity)
        ids.append(identity)
    return replace(take(corpus, rows), ids=tuple(ids))
