"""Documents with several topics: cells that hold them, and one topic for each: the first, the rarest, each, or all together."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..arrays import Ints
from ..errors import SettingError, unknown
from .corpus import LONGEST_LABEL, MOST_DOCUMENTS, Corpus, with_labels
from .selection import take

JSON = "json"
SEPARATORS = (JSON, "|", ";", ",")
MOST_RARE = 0.5  # share of the parts that may stand in no other cell; a comma inside a name parts it into such
TOPICS_OF_A_LIST = {
    "first": "the first",
    "rarest": "the rarest",
    "each": "each (the text once for every topic)",
    "combination": "all of them together",
}


def separator_of(cells: Iterable[str]) -> str | None:
    """How these cells join several topics; None where they hold one each.

    A mark parts topics only where at least half of what it parts stands in other cells as well: 'crime; courts' and
    'courts' are two lists, and 'law, order and the like' is a name.
    """
    distinct = set(cells)
    for separator in SEPARATORS:
        lists = {cell: parts for cell in distinct if len(parts := topics_in(cell, separator)) > 1}
        if not lists:
            continue
        if separator == JSON:
            return separator
        seen = Counter(part for cell in distinct for part in topics_in(cell, separator))
        parted = {part for parts in lists.values() for part in parts}
        if sum(seen[part] == 1 for part in parted) <= MOST_RARE * len(parted):
            return separator
    return None


def topics_in(cell: str, separator: str) -> tuple[str, ...]:
    """The topics of a cell in its own order, each once; a cell that is no list is one topic, an empty one none."""
    parts = _json_list(cell) if separator == JSON else cell.split(separator)
    return tuple(dict.fromkeys(part.strip() for part in ([cell] if parts is None else parts) if part.strip()))


def _json_list(cell: str) -> list[str] | None:
    """The texts of a JSON list; None for anything else, a list of lists too."""
    if not cell.lstrip().startswith("["):
        return None
    try:
        found = json.loads(cell)
    except (ValueError, RecursionError):
        return None
    texts = isinstance(found, list) and all(
        isinstance(each, str) and not each.lstrip().startswith("[") for each in found
    )
    return found if texts else None


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
