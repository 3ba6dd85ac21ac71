"""Corpora whose documents have several topics each and a fixed split into training and test documents."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import Bools, record
from ..errors import InputError
from .labels import one_spelling
from .readers import read_source
from .readers.files import MOST_BYTES_HERE
from .readers.source import Given, open_source
from .readers.table import Table

COLUMNS = ("text", "topics", "split")
SEPARATORS = ("|", ";", ",")
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
    """Read CSV, TSV, JSON lines or Parquet; topics are a list, or words joined by | ; or ,."""
    source = open_source(given, most_bytes=MOST_BYTES_HERE)
    if source.files and source.files[0].data[:4] == b"PAR1":
        texts, topics, split = _parquet_columns(source.files[0].data, source.name)
    else:
        table = read_source(given, most_bytes=MOST_BYTES_HERE)
        if not isinstance(table, Table):
            raise InputError(f"{source.name}: this is no table; give one with the columns {', '.join(COLUMNS)}.")
        _check_columns(source.name, table.columns)
        texts, topics, split = (list(table.frame[column]) for column in COLUMNS)
    return make_labelled(texts, _separated(topics, source.name), split, name=source.name)


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
            f"{len(merged):,} topic(s) in two spellings that look the same, an accent being part of its letter or a mark "
            f"after it, are taken as one: {', '.join(merged[:5])}{', …' if len(merged) > 5 else ''}."
        )
    return LabelledCorpus(name, tuple(texts), tuple(known), labels, training, tuple(notes))


def _separated(cells: Sequence[Any], name: str) -> list[tuple[str, ...]]:
    """Each cell as a tuple of topics: a list as it is, JSON as JSON, other text cut at the first separator in use."""
    plain = [cell for cell in cells if isinstance(cell, str) and not cell.lstrip().startswith("[")]
    separator = next((mark for mark in SEPARATORS if any(mark in cell for cell in plain)), None)
    return [_topics(cell, separator, row, name) for row, cell in enumerate(cells, start=1)]


def _topics(cell: Any, separator: str | None, row: int, name: str) -> tuple[str, ...]:
    if cell is None:
        return ()
    if isinstance(cell, str) and cell.lstrip().startswith("["):
        try:
            cell = json.loads(cell)
        except (json.JSONDecodeError, RecursionError) as error:
            raise InputError(f'{name}: row {row}: topics are no JSON list; write ["a", "b"].') from error
    parts = cell if isinstance(cell, list | tuple) else str(cell).split(separator) if separator else [str(cell)]
    if not all(isinstance(part, str) for part in parts):
        raise InputError(f'{name}: row {row}: a topic is no text; write the topics as ["a", "b"].')
    return tuple(sorted({part.strip() for part in parts} - {""}))


def _parquet_columns(data: bytes, name: str) -> list[list[Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        opened = pq.ParquetFile(pa.BufferReader(data))
        _check_columns(name, opened.schema_arrow.names)
        table = opened.read(columns=list(COLUMNS), use_threads=False)
        table.validate(full=True)
        columns = [table.column(column).to_pylist() for column in COLUMNS]
    except (pa.ArrowException, OSError, ValueError, TypeError, MemoryError) as error:
        reason = str(error).strip().split("\n")[0][:150] or type(error).__name__
        raise InputError(f"{name}: the Parquet file is damaged ({reason}); write it again.") from error
    columns[0] = ["" if value is None else str(value) for value in columns[0]]
    return columns


def _check_columns(name: str, present: Sequence[str]) -> None:
    for column in COLUMNS:
        if column not in present:
            raise InputError(
                f"{name}: there is no column '{column}'; categorization needs {', '.join(COLUMNS)}, "
                f"and the file has {', '.join(present[:30])}."
            )
