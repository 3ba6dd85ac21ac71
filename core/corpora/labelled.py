"""Corpora whose documents have several topics each and a fixed split into training and test documents."""

from collections.abc import Sequence

import numpy as np

from ..arrays import Bools, record
from ..errors import InputError
from ..formats import counted
from .corpus import one_spelling
from .readers import read_source
from .readers.files import MOST_BYTES_HERE
from .readers.source import Given
from .readers.table import Table
from .topic_lists import JSON, separator_of, topics_in

COLUMNS = ("text", "topics", "split")
SIDES = {"train": True, "training": True, "test": False, "testing": False}


@record
class LabelledCorpus:
    """Texts, a true/false table of documents by categories, and which documents are for training.

    The categories are those of the training documents, by name: no other can be learned.
    """

    name: str
    texts: tuple[str, ...]
    categories: tuple[str, ...]
    labels: Bools
    training: Bools
    notes: tuple[str, ...]


def read_labelled(given: Given) -> LabelledCorpus:
    """Read CSV, TSV, JSON lines or Parquet; topics are a list, or names joined by | ; or , (topic_lists)."""
    table = read_source(given, most_bytes=MOST_BYTES_HERE)
    if not isinstance(table, Table):
        raise InputError(f"{table.name}: this is no table; give one with the columns {', '.join(COLUMNS)}.")
    texts, topics, split = (_cells(table, column) for column in COLUMNS)
    return make_labelled(texts, _separated(topics, table.name), split, name=table.name)


def make_labelled(
    texts: Sequence[str], topics: Sequence[Sequence[str]], split: Sequence[str], *, name: str = "corpus"
) -> LabelledCorpus:
    """The corpus of these columns; rows in messages count from 1."""
    if not len(texts) == len(topics) == len(split):
        raise InputError(f"{name}: {len(texts):,} texts, {len(topics):,} lists of topics, {len(split):,} splits.")
    for row, value in enumerate(split, start=1):
        if str(value).strip().lower() not in SIDES:
            raise InputError(f"{name}: row {row}: split '{str(value)[:50]}'; write train or test.")
    training = np.array([SIDES[str(value).strip().lower()] for value in split], dtype=np.bool_)
    if not training.any() or training.all():
        side = "training" if not training.any() else "test"
        raise InputError(f"{name}: no {side} documents; write train or test in the split column of every row.")
    spelt, merged = one_spelling(topic for names in topics for topic in names)
    following = iter(spelt)
    topics = [[next(following) for _ in names] for names in topics]
    known = sorted({topic for names, train in zip(topics, training, strict=True) if train for topic in names})
    if not known:
        raise InputError(f"{name}: no training document has a topic; check which column holds the topics.")
    columns = {topic: column for column, topic in enumerate(known)}
    labels = np.zeros((len(texts), len(known)), dtype=np.bool_)
    unlearned: dict[str, int] = {}
    for row, names in enumerate(topics):
        for topic in names:
            if topic in columns:
                labels[row, columns[topic]] = True
            else:
                unlearned[topic] = unlearned.get(topic, 0) + 1
    notes = []
    if unlearned:
        notes.append(
            f"{len(unlearned):,} topics with {sum(unlearned.values()):,} test labels have no training document and are "
            f"left out: {', '.join(sorted(unlearned)[:5])}{', …' if len(unlearned) > 5 else ''}."
        )
    if merged:
        notes.append(
            f"{counted(len(merged), 'topic')} in two spellings that look the same, an accent being part of its letter or a mark "
            f"after it, are taken as one: {', '.join(merged[:5])}{', …' if len(merged) > 5 else ''}."
        )
    return LabelledCorpus(name, tuple(texts), tuple(known), labels, training, tuple(notes))


def _separated(cells: Sequence[str], name: str) -> list[tuple[str, ...]]:
    """The topics of each cell, parted as everywhere else; a cell without any has none."""
    separator = separator_of(cells) or JSON  # a list of one topic is a list too
    found = [topics_in(cell, separator) for cell in cells]
    for row, (cell, topics) in enumerate(zip(cells, found, strict=True), start=1):
        if separator == JSON and cell.lstrip().startswith("[") and topics == (cell.strip(),):
            raise InputError(f'{name}: row {row}: topics are no JSON list of texts; write ["a", "b"].')
    return found


def _cells(table: Table, column: str) -> list[str]:
    if column in table.frame.columns:
        return list(table.frame[column])
    holds = "numbers" if column in table.vectors else table.left_out.get(column)
    if holds is not None:
        raise InputError(
            f"{table.name}: column '{column}' holds {holds}; write text there, and topics as lists of names."
        )
    raise InputError(
        f"{table.name}: there is no column '{column}'; categorization needs {', '.join(COLUMNS)}, "
        f"and the file has {', '.join(table.columns[:30])}."
    )
