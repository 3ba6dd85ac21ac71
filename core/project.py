"""A project file: the corpus's identity, the settings of every page, vectors and model answers, as one zip; the texts only
where they are asked for.

A project may come from anywhere: every member is checked before any is used, and nothing in it is run.
"""

import hashlib
import io
import json
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from . import __version__
from .arrays import Ints, Singles, record, text_digest
from .corpora import (
    AUTHOR,
    MOST_DOCUMENTS,
    CleaningStep,
    Corpus,
    make_corpus,
    steps_from_json,
    steps_to_json,
    take,
    with_vectors,
)
from .corpora.readers import MOST_BYTES, File, opened_parquet, parquet_bytes, unpacked, unpacked_size
from .errors import InputError, LeakscopeError
from .evaluation import Answers, ResultStore, cached_runs, runs_from_json, runs_to_json, versions, write_runs
from .formats import first_few
from .splits import Folds
from .topics import hits_path, topic_space
from .vectors import ENCODERS, Encoder, Vectors, vectors_key

FORMAT = 2
ABOUT, DOCUMENTS, CHOSEN = "project.json", "documents.parquet", "chosen.json"
RESULTS = "results.json"  # of format 1, which saved results; they are computed again now
TEXTS = "corpus.jsonl"  # where the project was saved with its texts
VECTORS = "vectors-{:02}.parquet"
ANSWERS = "answers-{:02}.json"
NUMBERS = 500_000  # answers in one member; their JSON stays below what a store reads again
COLUMNS = ("ids", "texts", "topics", "authors", "splits", "vectors")
_IDENTITY = ("name", "content", "documents", "topics", "found", "predicts")
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
    predicts: str | None = None  # the column that models predict; None in a project saved before it was written down


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
    page as its address has them; `notes` say what could not be taken."""

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
    answers: int
    notes: tuple[str, ...]
    digest: str
    corpus: Corpus | None = None  # where it was saved with its texts

    @property
    def brings_results(self) -> bool:
        """Return whether it holds anything that was computed."""
        return bool(self.vectors or self.answers)


def identity_of(corpus: Corpus) -> Identity:
    """Return what tells this corpus from others, column by column."""
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
    return Identity(corpus.name, corpus.content_digest, columns, len(corpus), topics, corpus.found, corpus.predicts)


def _digest(cells: Sequence[str]) -> str:
    whole = hashlib.sha256()
    for cell in cells:
        data = cell.encode("utf-8", "surrogatepass")
        whole.update(len(data).to_bytes(8, "big") + data)
    return whole.hexdigest()


def text_hashes(corpus: Corpus) -> tuple[bytes, ...]:
    """Return the SHA-256 of every text, in document order."""
    return tuple(map(text_digest, corpus.texts))


def write_project(
    corpus: Corpus,
    choices: Choices,
    *,
    chosen: Mapping[str, Any] | None = None,
    vectors: Sequence[tuple[Corpus, Vectors]] = (),
    answers: Mapping[str, Answers] | None = None,
    with_texts: bool = False,
) -> bytes:
    """Return the project of a corpus as it was loaded, as a zip. `vectors` are those of the corpus as it was used, and of what it was
    set beside; `chosen` is what a reader without Leakscope may want: topics and folds by name."""
    members = {DOCUMENTS: _text_digests(corpus), CHOSEN: _json(chosen or {})}
    if with_texts:
        members[TEXTS] = _texts_of(corpus)
    for number, part in enumerate(_parts(answers or {}), start=1):
        members[ANSWERS.format(number)] = _json(runs_to_json(part))
    for number, each in enumerate(vectors, start=1):
        members[VECTORS.format(number)] = _vectors_table(*each)
    identity = identity_of(corpus)
    about = {
        "format": FORMAT,
        "leakscope": __version__,
        "made": f"{choices.when:%Y-%m-%d %H:%M} UTC",
        "source": choices.source,
        "corpus": {name: getattr(identity, name) for name in _IDENTITY} | {"columns": dict(identity.columns)},
        "settings": dict(choices.settings),
        "pages": {page: {name: list(values) for name, values in each.items()} for page, each in choices.pages.items()},
        "lesson": [[step, given] for step, given in sorted(choices.lesson.items())],
        "cleaning": steps_to_json(choices.cleaning),
        "vectors": [{"key": each.encoder_key, "encoder": each.name, "notes": each.notes} for _, each in vectors],
        "members": {name: hashlib.sha256(content).hexdigest() for name, content in members.items()},
    }
    return _zip_bytes({ABOUT: _json(about), **members})


def _json(content: Any) -> bytes:
    return json.dumps(content).encode()  # ASCII: half of a surrogate pair, which a label may hold, is no UTF-8


def _zip_bytes(members: Mapping[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), content, zipfile.ZIP_DEFLATED)
    return target.getvalue()


def _parts(answers: Mapping[str, Answers]) -> list[dict[str, Answers]]:
    """Return runs in groups whose JSON stays small."""
    parts: list[dict[str, Answers]] = []
    room = 0
    for key, run in sorted(answers.items()):
        if room < len(run.answers) or not parts:
            parts.append({})
            room = NUMBERS
        parts[-1][key] = run
        room -= len(run.answers)
    return parts


def _text_digests(corpus: Corpus) -> bytes:
    """Return every document's text as a SHA-256, and its topic."""
    import pyarrow as pa

    topics = [name.encode("utf-8", "surrogatepass") for name in corpus.topics]
    table = pa.table({"text": pa.array(text_hashes(corpus), pa.binary(32)), "topic": pa.array(topics, pa.binary())})
    return parquet_bytes(table, use_dictionary=False)


def _texts_of(corpus: Corpus) -> bytes:
    """Return every document with its labels, as JSON lines that any program reads."""
    columns = {"id": corpus.ids, "text": corpus.texts, "topic": corpus.topics}
    columns |= {} if corpus.authors is None else {"author": corpus.authors}
    columns |= {} if corpus.splits is None else {"split": corpus.splits}
    return b"\n".join(_json(dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True))


def _vectors_table(corpus: Corpus, vectors: Vectors) -> bytes:
    """Return a row a distinct text."""
    import pyarrow as pa

    rows = {each: row for row, each in enumerate(text_hashes(corpus))}
    matrix = np.ascontiguousarray(vectors.matrix[list(rows.values())], dtype=np.float32)
    cells = pa.FixedSizeListArray.from_arrays(pa.array(matrix.reshape(-1)), matrix.shape[1])
    return parquet_bytes(pa.table({"text": pa.array(list(rows), pa.binary(32)), "vector": cells}), use_dictionary=False)


@record
class Used:
    """A corpus as pages saw it: cleaned and filtered, with its vectors where it has any, the similarity of its topics, and
    how many of them HITS kept where that was looked at."""

    corpus: Corpus
    vectors: Vectors | None
    similarity: str
    m: int | None = None


def project_file(
    loaded: Corpus,
    used: Used,
    choices: Choices,
    *,
    runs: Sequence[tuple[Corpus, Folds, Mapping[str, Any]]],
    results: ResultStore,
    beside: Sequence[tuple[Corpus, Vectors]] = (),
    with_texts: bool = False,
) -> bytes:
    """Return the project of a corpus as it was loaded, with the vectors, the answers (from `results`) of the corpus as it was
    used, and the vectors of what it was set `beside`. Vectors that ship with the app stay there."""
    answers: dict[str, Any] = {}
    for corpus, folds, run in runs:
        answers |= cached_runs(corpus, folds, results=results, **run)
    own = [*([] if used.vectors is None else [(used.corpus, used.vectors)]), *beside]
    return write_project(
        loaded,
        choices,
        vectors=[each for each in own if not each[1].shipped],
        answers=answers,
        chosen=_chosen(used, runs),
        with_texts=with_texts,
    )


def _chosen(used: Used, runs: Sequence[tuple[Corpus, Folds, Mapping[str, Any]]]) -> dict[str, Any]:
    """Return topics and folds by name, for whoever reads the file without Leakscope."""
    chosen: dict[str, Any] = {
        "folds": [
            {
                "scheme": folds.scheme,
                "task": choices.get("task"),
                "seed": choices.get("seed"),
                "test_topics": [[folds.topic_names[topic] for topic in fold.test_topics] for fold in folds],
            }
            for _, folds, choices in runs
        ]
    }
    if used.vectors is not None:
        codes, names = used.corpus.topic_codes, used.corpus.topic_names
        try:
            space = topic_space(used.vectors.matrix, codes, names, similarity=used.similarity)
        except LeakscopeError:  # more topics than a matrix of all pairs holds
            return chosen
        path = hits_path(space.similarity)
        chosen["hits"] = {"path": [space.names[topic] for topic in path.order[: path.comparable]], "m": used.m}
    return chosen


# Opening

LONGEST = 1_000  # letters of a name, a note, a value
MOST_VECTORS = 8


def _not_ours(name: str, member: str) -> InputError:
    """Return the error for a damaged member."""
    return InputError(f"{name}: '{member}' is not in Leakscope's format. Save the project again.")


def _member_table(name: str, member: str, content: bytes, most: int) -> Any:
    """Return a Parquet member, bounded before its cells are read."""
    import pyarrow as pa

    try:
        opened = opened_parquet(content)
        metadata = opened.metadata
        if metadata.num_rows > MOST_DOCUMENTS or unpacked_size(content) > most or metadata.num_columns > 2:
            raise _not_ours(name, member)
        return opened.read(use_threads=False)
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, OverflowError) as problem:
        raise _not_ours(name, member) from problem


def _documents_of(
    name: str, members: Mapping[str, bytes], identity: Identity
) -> tuple[tuple[bytes, ...], tuple[str, ...]]:
    """Return every document's text, as a hash, and its topic."""
    table = _member_table(name, DOCUMENTS, members.get(DOCUMENTS, b""), 4 * MOST_BYTES)
    if table.column_names != ["text", "topic"] or table.num_rows != identity.documents:
        raise _not_ours(name, DOCUMENTS)
    hashes, topics = (table.column(column).to_pylist() for column in ("text", "topic"))
    if not all(isinstance(each, bytes) and len(each) == 32 for each in hashes):
        raise _not_ours(name, DOCUMENTS)
    if not all(isinstance(each, bytes) and len(each) <= 4 * LONGEST for each in topics):
        raise _not_ours(name, DOCUMENTS)
    try:
        return tuple(hashes), tuple(str(topic, "utf-8", "surrogatepass") for topic in topics)
    except UnicodeDecodeError as problem:
        raise _not_ours(name, DOCUMENTS) from problem


def _all_vectors(name: str, about: Any, members: Mapping[str, bytes]) -> tuple[SavedVectors, ...]:
    """Return every set of vectors that the project says it has."""
    if not isinstance(about, list) or len(about) > MOST_VECTORS:
        raise _not_ours(name, ABOUT)
    return tuple(
        _saved_vectors(name, VECTORS.format(number), each, members) for number, each in enumerate(about, start=1)
    )


def _saved_vectors(name: str, member: str, about: Any, members: Mapping[str, bytes]) -> SavedVectors:
    if not isinstance(about, dict) or not isinstance(about.get("key"), str) or about.get("encoder") not in ENCODERS:
        raise _not_ours(name, ABOUT)
    notes = about.get("notes")
    if not isinstance(notes, list) or not all(isinstance(note, str) and len(note) <= LONGEST for note in notes):
        raise _not_ours(name, ABOUT)
    table = _member_table(name, member, members.get(member, b""), 4 * MOST_BYTES)
    if table.column_names != ["text", "vector"] or not table.num_rows:
        raise _not_ours(name, member)
    hashes = table.column("text").to_pylist()
    cells = table.column("vector").combine_chunks()
    width = getattr(cells.type, "list_size", 0)
    flat = cells.values.to_numpy(zero_copy_only=False) if width else np.empty(0, dtype=np.float32)
    whole = width and flat.dtype == np.float32 and len(flat) == width * len(hashes) and not cells.null_count
    keyed = all(isinstance(each, bytes) and len(each) == 32 for each in hashes) and len({*hashes}) == len(hashes)
    if not whole or not keyed or not np.isfinite(flat).all():
        raise _not_ours(name, member)
    matrix: Singles = flat.reshape(len(hashes), width).astype(np.float32)
    return SavedVectors(about["key"], about["encoder"], tuple(notes), tuple(hashes), matrix)


MOST_MEMBERS = 60
_PAGE, _CONTROLS, _VALUES = 100, 100, 500  # letters of a page's name, controls, values


def open_project(file: File, *, keep: Path | None = None, most_bytes: int = MOST_BYTES) -> Project:
    """Return the project in a zip; answers of models are written to the folder `keep`, where a store finds them.

    An error says what is wrong with it, and then none of it is used.
    """
    try:
        members = _members(file, most_bytes)
        about = _read_about_project(file.name, members)
        return _read_members(file, about, members, keep)
    except MemoryError as problem:
        raise InputError(
            f"{file.name}: reading it takes more memory than is allowed here. Save it without vectors."
        ) from problem


def _members(file: File, most_bytes: int) -> dict[str, bytes]:
    if len(file.data) > most_bytes:
        raise InputError(
            f"{file.name}: {len(file.data):,} bytes; the limit is {most_bytes:,}. Save it without vectors."
        )
    if not file.data.startswith(b"PK"):
        raise InputError(f"{file.name}: this is not a project file. Choose a zip that Leakscope saved.")
    found = {each.name: each.data for each in unpacked(file, most_bytes=most_bytes)}
    if ABOUT not in found:
        raise InputError(
            f"{file.name}: it has no {ABOUT}, so it is not a project file. Choose a zip that Leakscope saved."
        )
    if len(found) > MOST_MEMBERS:
        raise InputError(f"{file.name}: {len(found)} members; the limit is {MOST_MEMBERS}. Save it again.")
    return found


def _read_about_project(name: str, members: Mapping[str, bytes]) -> dict[str, Any]:
    """Return what the project says of itself, its members compared with their checksums."""
    about = _parsed(name, ABOUT, members[ABOUT])
    if not isinstance(about, dict) or type(about.get("format")) is not int:
        raise _not_ours(name, ABOUT)
    if about["format"] > FORMAT:
        raise InputError(
            f"{name}: it was saved by Leakscope {str(about.get('leakscope'))[:20]}, whose format version {__version__} "
            "cannot read. Install the newer version."
        )
    sums = about.get("members")
    if about["format"] < 1 or not isinstance(sums, dict):
        raise _not_ours(name, ABOUT)
    for member in sorted({*sums, *members} - {ABOUT}):
        if member not in members or member not in sums:
            fact = "is missing" if member not in members else "was added"
            raise InputError(f"{name}: the member '{member[:100]}' {fact} after it was saved. Save the project again.")
        if hashlib.sha256(members[member]).hexdigest() != sums[member]:
            raise InputError(
                f"{name}: the member '{member[:100]}' was changed after it was saved. Save the project again."
            )
    return about


def _parsed(name: str, member: str, content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as problem:
        raise _not_ours(name, member) from problem


def _read_members(file: File, about: dict[str, Any], members: Mapping[str, bytes], keep: Path | None) -> Project:
    """Return the project from members that are whole; what they hold is looked at as well: a checksum can be made by anyone."""
    name = file.name
    texts = ("made", "leakscope", "source")
    if not all(isinstance(about.get(each), str) and len(about[each]) <= _PAGE for each in texts):
        raise _not_ours(name, ABOUT)
    identity = _parsed_identity(name, about.get("corpus"))
    rows = _documents_of(name, members, identity)
    try:
        cleaning = steps_from_json(about.get("cleaning"))
    except LeakscopeError as problem:
        raise InputError(f"{name}: {problem} Save the project again.") from problem
    chosen = _parsed(name, CHOSEN, members.get(CHOSEN, b"{}"))
    answers, notes = _answers_taken(name, members, keep)
    found = Project(
        about["made"],
        about["leakscope"],
        about["source"],
        identity,
        *rows,
        _checked_settings(name, about.get("settings")),
        _checked_pages(name, about.get("pages")),
        _lesson(name, about.get("lesson")),
        cleaning,
        chosen if isinstance(chosen, dict) else {},
        _all_vectors(name, about.get("vectors"), members),
        answers,
        (*_older(about, members), *notes),
        hashlib.sha256(file.data).hexdigest()[:16],
    )
    return replace(found, corpus=_corpus_in(name, found, members[TEXTS])) if TEXTS in members else found


def _corpus_in(name: str, project: Project, content: bytes) -> Corpus:
    """Return the corpus that a project was saved with; it must be the very one that the project describes."""
    rows = [_parsed(name, TEXTS, line) for line in content.split(b"\n")]
    known = {"id", "text", "topic", "author", "split"}
    for row in rows:
        if not isinstance(row, dict) or not {"id", "text", "topic"} <= row.keys() <= known:
            raise _not_ours(name, TEXTS)
        if row.keys() != rows[0].keys() or not all(isinstance(cell, str) for cell in row.values()):
            raise _not_ours(name, TEXTS)
    cells = {column: [row[column] for row in rows] for column in rows[0]}
    try:
        made = make_corpus(
            cells["text"],
            cells["topic"],
            authors=cells.get("author"),
            ids=cells["id"],
            splits=cells.get("split"),
            found=project.identity.found,
            predicts=project.identity.predicts or AUTHOR,
            name=project.identity.name,
        )
    except LeakscopeError as problem:
        raise _not_ours(name, TEXTS) from problem
    corpus = as_in(project, made)
    if corpus is None:
        raise _not_ours(name, TEXTS)
    return corpus


def _older(about: Mapping[str, Any], members: Mapping[str, bytes]) -> tuple[str, ...]:
    """Say what of an older format is not used."""
    if about["format"] >= FORMAT or members.get(RESULTS, b"[]") == b"[]":
        return ()
    return (
        "This project was saved by an older version. Its settings, vectors and model answers are used; other results are computed again.",
    )


def _parsed_identity(name: str, found: Any) -> Identity:
    kinds = {"name": str, "content": str, "documents": int, "topics": int, "found": bool, "columns": dict}
    if not isinstance(found, dict) or any(type(found.get(key)) is not kind for key, kind in kinds.items()):
        raise _not_ours(name, ABOUT)
    columns = {str(key): str(value) for key, value in found["columns"].items()}
    if not 0 < found["documents"] <= MOST_DOCUMENTS or len(found["name"]) > LONGEST:
        raise _not_ours(name, ABOUT)
    predicts = found.get("predicts")
    if predicts is not None and not (isinstance(predicts, str) and 0 < len(predicts) <= LONGEST):
        raise _not_ours(name, ABOUT)
    sizes = found["documents"], found["topics"]
    return Identity(found["name"], found["content"], columns, *sizes, found["found"], predicts)


def _checked_settings(name: str, found: Any) -> dict[str, str | int]:
    if not isinstance(found, dict) or len(found) > _CONTROLS:
        raise _not_ours(name, ABOUT)
    for key, value in found.items():
        if len(key) > _PAGE or type(value) not in (str, int) or len(str(value)) > LONGEST:
            raise _not_ours(name, ABOUT)
    return dict(found)


def _checked_pages(name: str, found: Any) -> dict[str, dict[str, tuple[str, ...]]]:
    if not isinstance(found, dict) or len(found) > _PAGE:
        raise _not_ours(name, ABOUT)
    pages: dict[str, dict[str, tuple[str, ...]]] = {}
    for page, controls in found.items():
        if len(page) > _PAGE or not isinstance(controls, dict) or len(controls) > _CONTROLS:
            raise _not_ours(name, ABOUT)
        for key, values in controls.items():
            sound = isinstance(values, list) and len(values) <= _VALUES and len(key) <= _PAGE
            if not sound or not all(isinstance(value, str) and len(value) <= LONGEST for value in values):
                raise _not_ours(name, ABOUT)
        pages[page] = {key: tuple(values) for key, values in controls.items()}
    return pages


def _lesson(name: str, found: Any) -> dict[int, str | int]:
    """Return answers by step; the lesson checks whether a step has such an answer."""
    if not isinstance(found, list) or len(found) > _CONTROLS:
        raise _not_ours(name, ABOUT)
    for each in found:
        sound = isinstance(each, list) and len(each) == 2 and type(each[0]) is int and type(each[1]) in (str, int)
        if not sound or len(str(each[1])) > LONGEST:
            raise _not_ours(name, ABOUT)
    return dict(found)


def _answers_taken(name: str, members: Mapping[str, bytes], keep: Path | None) -> tuple[int, tuple[str, ...]]:
    """Return how many runs were taken, each part written to a file of its own; and why none of a part was."""
    count, others = 0, dict[str, None]()
    for member in sorted(each for each in members if each.startswith("answers-")):
        content = _parsed(name, member, members[member])
        try:
            runs = runs_from_json(content)
        except (ValueError, OverflowError) as problem:
            raise _not_ours(name, member) from problem
        if not runs and content["runs"]:
            made = content["versions"] if isinstance(content["versions"], dict) else {}
            other = [
                f"{each} {str(made.get(each))[:20]} (here {here})"
                for each, here in versions().items()
                if made.get(each) != here
            ]
            others[
                f"Its model answers were made with other library versions ({', '.join(other)}). They are computed again here."
            ] = None
        if runs and keep is not None:
            keep.mkdir(mode=0o700, parents=True, exist_ok=True)
            with (keep / member.replace(".json", ".answers")).open("wb") as target:
                write_runs(target, runs)
        count += len(runs)
    return count, tuple(others)


# Beside a corpus

MOST_NAMED = 3
_COLUMNS = {"ids": "the ids", "topics": "the topics", "authors": "the authors", "splits": "the train and test labels"}


def as_in(project: Project, corpus: Corpus) -> Corpus | None:
    """Return the corpus as the project had it: under its name, with the topics that were found and the vectors that were added
    to it; None where it is another."""
    if project.identity.found and not corpus.found:
        corpus = _with_found_topics(project, corpus)
    here, there = identity_of(corpus).columns, dict(project.identity.columns)
    differ = {name for name in there if there[name] != here.get(name, "")}
    saved = next((each for each in project.vectors if ENCODERS[each.encoder].brought), None)
    if differ == {"vectors"} and corpus.vectors is None and saved is not None:
        rows = _saved_rows(saved, corpus)
        if rows is not None:
            corpus = with_vectors(corpus, saved.matrix[rows])
            differ = set()
    named = replace(corpus, name=project.identity.name, predicts=project.identity.predicts or corpus.predicts)
    return named if not differ and named.content_digest == project.identity.content else None


def _with_found_topics(project: Project, corpus: Corpus) -> Corpus:
    """Return the documents that have a topic in the project, under it; the corpus itself where they are not all there."""
    rows: list[int] = []
    for row, each in enumerate(text_hashes(corpus)):
        if len(rows) < len(project.texts) and each == project.texts[len(rows)]:
            rows.append(row)
    if len(rows) < len(project.texts):
        return corpus
    part = take(corpus, np.array(rows, dtype=np.int64))
    return make_corpus(
        part.texts,
        project.labels,
        authors=part.authors,
        ids=part.ids,
        splits=part.splits,
        vectors=part.vectors,
        found=True,
        predicts=part.predicts,
        name=part.name,
    )


def differences(project: Project, corpus: Corpus) -> tuple[str, ...]:
    """Return what tells the corpus from the project's, a sentence each; nothing where nothing does."""
    here, there = identity_of(corpus), project.identity
    found = []
    if here.columns["texts"] != there.columns.get("texts"):
        found.append(_why_other_texts(project, corpus))
    elif here.columns["topics"] != there.columns.get("topics") and not there.found:
        other = sum(one != two for one, two in zip(project.labels, corpus.topics, strict=True))
        found.append(f"{other:,} of {len(corpus):,} documents have another topic.")
    names, labels = set(corpus.topic_names), set(project.labels)
    if not there.found and names != labels:
        gone, new = sorted(labels - names), sorted(names - labels)
        found += [f"Topics of the project that are not here: {first_few(gone, MOST_NAMED)}."] if gone else []
        found += [f"Topics here that are not in the project: {first_few(new, MOST_NAMED)}."] if new else []
    predicts = there.predicts or here.predicts
    if predicts != here.predicts:
        found.append(f"The project predicts '{predicts}', and this corpus predicts '{here.predicts}'.")
    for column in ("ids", "authors", "splits"):
        if column == "authors" and predicts != here.predicts:
            continue
        one, two = there.columns.get(column, ""), here.columns[column]
        if one != two:
            what = _COLUMNS[column]
            said = (
                f"{what} are not in the project"
                if not one
                else f"{what} are missing here"
                if not two
                else f"{what} differ"
            )
            found.append(f"{said[0].upper()}{said[1:]}.")
    if here.columns["vectors"] != there.columns.get("vectors", ""):
        found.append("The corpus's own vectors differ or are missing.")
    return tuple(found)


def _why_other_texts(project: Project, corpus: Corpus) -> str:
    here, there = Counter(text_hashes(corpus)), Counter(project.texts)
    common = sum((here & there).values())
    if common == len(corpus) == len(project.texts):
        return "The same texts are in another order."
    return (
        f"{common:,} of the project's {len(project.texts):,} texts are in this corpus; {len(project.texts) - common:,} are not, "
        f"and {len(corpus) - common:,} here are not in the project."
    )


def vectors_in(project: Project, corpus: Corpus, encoder: Encoder) -> Vectors | None:
    """Return the vectors of this corpus by this encoder, where the project has them all."""
    named = [each for each in project.vectors if each.encoder == encoder.name]
    key = vectors_key(corpus, encoder) if named else ""
    for saved in named:
        rows = _saved_rows(saved, corpus) if saved.key == key else None
        if rows is not None:
            return Vectors(saved.matrix[rows], saved.key, saved.encoder, 0, len(corpus), saved.notes)
    return None


def _saved_rows(saved: SavedVectors, corpus: Corpus) -> Ints | None:
    row_of = {each: row for row, each in enumerate(saved.hashes)}
    rows = [row_of.get(each, -1) for each in text_hashes(corpus)]
    return None if min(rows) < 0 else np.array(rows, dtype=np.int64)
