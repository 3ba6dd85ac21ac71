"""A project: everything that was chosen and computed on a corpus but its texts, as one zip of JSON and Parquet."""

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import Any

import numpy as np

from .. import __version__
from ..arrays import Singles, record, text_digest
from ..corpora import CleaningStep, Corpus, steps_to_json
from ..evaluation import Answers, runs_to_json
from ..formats import counted
from ..parquet import parquet_bytes
from ..vectors import Vectors
from .kinds import MOST_NUMBERS, SAVED
from .records import size_of, to_json

FORMAT = 1
ABOUT, DOCUMENTS, RESULTS, CHOSEN = "project.json", "documents.parquet", "results.json", "chosen.json"
VECTORS = "vectors-{:02}.parquet"
ANSWERS = "answers-{:02}.json"
NUMBERS = 500_000  # answers in one member; their JSON stays below what a store reads again
COLUMNS = ("ids", "texts", "topics", "authors", "splits", "vectors")
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same content gives the same bytes


@record
class Identity:
    """Which corpus: its name, fingerprints of all of it and of every column ('' where it has none), and its size."""

    name: str
    content: str
    columns: Mapping[str, str]
    documents: int
    topics: int
    found: bool


@record
class SavedVectors:
    """Vectors by the SHA-256 of their texts, with the key of what made them."""

    key: str
    encoder: str
    notes: tuple[str, ...]
    hashes: tuple[bytes, ...]
    matrix: Singles


@record
class Choices:
    """What a visitor had chosen when a project was saved: `source` is where the corpus is from, `settings` are the sidebar's,
    `pages` the controls of every page as its address has them, `lesson` the answers given there, by step."""

    source: str
    when: datetime
    settings: Mapping[str, str | int]
    pages: Mapping[str, Mapping[str, Sequence[str]]]
    cleaning: tuple[CleaningStep, ...] = ()
    lesson: Mapping[int, str | int] = field(default_factory=dict)


@record
class Project:
    """A project that was opened. `labels` are each document's topic, `settings` the sidebar's, `pages` the controls of every
    page as its address has them, `results` what was computed, by kind and key; `notes` say what could not be taken."""

    made: str
    version: str
    source: str
    identity: Identity
    texts: tuple[bytes, ...]
    labels: tuple[str, ...]
    settings: Mapping[str, Any]
    pages: Mapping[str, Mapping[str, tuple[str, ...]]]
    lesson: Mapping[int, str | int]
    cleaning: tuple[CleaningStep, ...]
    chosen: Mapping[str, Any]
    vectors: tuple[SavedVectors, ...]
    results: tuple[tuple[str, Any, Any], ...]
    answers: int
    notes: tuple[str, ...]
    digest: str

    @property
    def brings_results(self) -> bool:
        """Whether it holds anything that was computed."""
        return bool(self.vectors or self.answers or self.results)

    @property
    def sentence(self) -> str:
        """What it is of, and what it brings."""
        brings = [f"the settings of {counted(len(self.pages), 'page')}"]
        brings += [f"{counted(len(self.cleaning), 'step')} of cleaning"] if self.cleaning else []
        brings += (
            [f"vectors of {counted(max(len(each.hashes) for each in self.vectors), 'text')}"] if self.vectors else []
        )
        brings += [f"{counted(self.answers, 'run')} of models"] if self.answers else []
        brings += [counted(len(self.results), "other result")] if self.results else []
        of = f"{self.identity.name} ({self.identity.documents:,} documents, {self.identity.topics:,} topics)"
        return f"A project on {of}, made {self.made} with Leakscope {self.version}: {', '.join(brings)}."


def identity_of(corpus: Corpus) -> Identity:
    """What tells this corpus from others, column by column."""
    parts = {
        "ids": corpus.ids,
        "texts": [each.hex() for each in text_hashes(corpus)],
        "topics": corpus.topics if corpus.has_topics else None,
        "authors": corpus.authors,
        "splits": corpus.splits,
    }
    columns = {name: "" if cells is None else _digest(cells) for name, cells in parts.items()}
    columns["vectors"] = "" if corpus.vectors is None else hashlib.sha256(corpus.vectors.tobytes()).hexdigest()
    topics = len(corpus.topic_names) if corpus.has_topics else 0
    return Identity(corpus.name, corpus.content_digest, columns, len(corpus), topics, corpus.found)


def _digest(cells: Sequence[str]) -> str:
    whole = hashlib.sha256()
    for cell in cells:
        data = cell.encode("utf-8", "surrogatepass")
        whole.update(len(data).to_bytes(8, "big") + data)
    return whole.hexdigest()


def text_hashes(corpus: Corpus) -> tuple[bytes, ...]:
    """The SHA-256 of every text, in document order."""
    return tuple(map(text_digest, corpus.texts))


def write_project(
    corpus: Corpus,
    choices: Choices,
    *,
    chosen: Mapping[str, Any] | None = None,
    vectors: Sequence[tuple[Corpus, Vectors]] = (),
    results: Sequence[tuple[str, Any, Any]] = (),
    answers: Mapping[str, Answers] | None = None,
) -> bytes:
    """The project of a corpus as it was loaded, as a zip. `vectors` are those of the corpus as it was used, and of what it was
    set beside; `chosen` is what a reader without Leakscope may want: topics and folds by name."""
    members = {DOCUMENTS: _documents(corpus), CHOSEN: _json(chosen or {})}
    packed = [(kind, key, SAVED[kind].pack(value)) for kind, key, value in results]
    kept = [(kind, to_json(key), to_json(value)) for kind, key, value in packed if size_of(value) <= MOST_NUMBERS]
    members[RESULTS] = _json(kept)
    for number, part in enumerate(_parts(answers or {}), start=1):
        members[ANSWERS.format(number)] = _json(runs_to_json(part))
    for number, each in enumerate(vectors, start=1):
        members[VECTORS.format(number)] = _vectors(*each)
    identity = identity_of(corpus)
    about = {
        "format": FORMAT,
        "leakscope": __version__,
        "made": f"{choices.when:%Y-%m-%d %H:%M} UTC",
        "source": choices.source,
        "corpus": {name: getattr(identity, name) for name in ("name", "content", "documents", "topics", "found")}
        | {"columns": dict(identity.columns)},
        "settings": dict(choices.settings),
        "pages": {page: {name: list(values) for name, values in each.items()} for page, each in choices.pages.items()},
        "lesson": [[step, given] for step, given in sorted(choices.lesson.items())],
        "cleaning": steps_to_json(choices.cleaning),
        "vectors": [{"key": each.encoder_key, "encoder": each.name, "notes": each.notes} for _, each in vectors],
        "members": {name: hashlib.sha256(content).hexdigest() for name, content in members.items()},
    }
    return _zipped({ABOUT: _json(about), **members})


def _json(content: Any) -> bytes:
    return json.dumps(content).encode()  # ASCII: half of a surrogate pair, which a label may hold, is no UTF-8


def _zipped(members: Mapping[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), content, zipfile.ZIP_DEFLATED)
    return target.getvalue()


def _parts(answers: Mapping[str, Answers]) -> list[dict[str, Answers]]:
    """Runs in groups whose JSON stays small."""
    parts: list[dict[str, Answers]] = []
    room = 0
    for key, run in sorted(answers.items()):
        if room < len(run.answers) or not parts:
            parts.append({})
            room = NUMBERS
        parts[-1][key] = run
        room -= len(run.answers)
    return parts


def _documents(corpus: Corpus) -> bytes:
    """Every document's text as a SHA-256, and its topic."""
    import pyarrow as pa

    topics = [name.encode("utf-8", "surrogatepass") for name in corpus.topics]
    table = pa.table({"text": pa.array(text_hashes(corpus), pa.binary(32)), "topic": pa.array(topics, pa.binary())})
    return parquet_bytes(table, use_dictionary=False)


def _vectors(corpus: Corpus, vectors: Vectors) -> bytes:
    """A row a distinct text."""
    import pyarrow as pa

    rows = {each: row for row, each in enumerate(text_hashes(corpus))}
    matrix = np.ascontiguousarray(vectors.matrix[list(rows.values())], dtype=np.float32)
    cells = pa.FixedSizeListArray.from_arrays(pa.array(matrix.reshape(-1)), matrix.shape[1])
    return parquet_bytes(pa.table({"text": pa.array(list(rows), pa.binary(32)), "vector": cells}), use_dictionary=False)
