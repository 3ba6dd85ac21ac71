"""Uploads: files from a browser read within limits, and the corpus kept in a folder of ours. Never a pickle."""

import csv
import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import Ints, Singles, record
from ..errors import InputError
from ..files import written_whole
from ..formats import counted
from .corpus import AUTHOR, MOST_DOCUMENTS, Corpus
from .readers import MOST_BYTES, File, Table, opened_parquet, read_source, table_corpus, unpacked_size

FORMAT = 1
ABOUT, DOCUMENTS = "about.json", "documents.parquet"
_VECTORS = re.compile(r"vectors-[0-9a-f]{8}\.npy")
_MOST_KEPT = 4 * 1024**3  # bytes of the documents; twice what any reader accepts
_MOST_ABOUT = 200_000_000
_ROWS = 5_000  # rows written and read at a time


@dataclass(frozen=True, slots=True)
class Ready:
    """Files that need no choice of columns, and the corpus they make."""

    documents: int
    topics: int


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large a corpus from a file may be; None for no limit but memory."""

    rows: int | None = None
    documents: int | None = None
    authors: int | None = None

    def check(self, found: Table | Corpus, name: str) -> None:
        """Refuse a larger table or corpus."""
        if isinstance(found, Table):
            counted = {"rows": (found.rows, self.rows)}
        else:
            authors = len(found.author_names or ())
            counted = {"documents": (len(found), self.documents), "authors": (authors, self.authors)}
        for what, (number, most) in counted.items():
            if most is not None and number > most:
                raise InputError(
                    f"{name}: {number:,} {what}; the limit of this server is {most:,}. Load a sample, or run Leakscope on "
                    "your own machine."
                )


ANY_SIZE = Sizes()


def look_into(files: Sequence[File], *, most: Sizes = ANY_SIZE, most_bytes: int = MOST_BYTES) -> Table | Ready:
    """Return a table without its cells for the user to choose columns, or what the files make if none is needed."""
    with _memory_in_words(files):
        found = _read_upload(files, most_bytes)
        most.check(found, _joined_file_names(files))
        if isinstance(found, Corpus):
            return Ready(len(found), len(found.topic_names))
        outline = {name: matrix[:0].copy() for name, matrix in found.vectors.items()}
        return replace(found, frame=found.frame.head(0), vectors=outline)


def make_of(
    files: Sequence[File],
    roles: Mapping[str, str | None],
    *,
    keep: Path | None = None,
    most: Sizes = ANY_SIZE,
    most_bytes: int = MOST_BYTES,
) -> Corpus:
    """Return the corpus of these files, `roles` naming the columns of a table, and write it to the folder `keep`."""
    with _memory_in_words(files):
        found = _read_upload(files, most_bytes, tuple(roles.values()))
        most.check(found, _joined_file_names(files))
        if isinstance(found, Table):
            found = table_corpus(found, **roles)  # type: ignore[arg-type]
            most.check(found, _joined_file_names(files))
        if keep is not None:
            with suppress(OSError):  # on a full disk a reload finds nothing, but the corpus is there
                write_cached(keep, found)
        return found


def read_sides(file: File, ids: Sequence[str]) -> tuple[str, ...]:
    """Return the side of every document, from a list of test ids (a line each) or a table with the columns id and split."""
    try:
        lines = file.data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as problem:
        raise InputError(f"{file.name}: this is no text in UTF-8. Give a list of ids, or a CSV.") from problem
    delimiter = "\t" if lines and "\t" in lines[0] else ","
    try:
        rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter)]
    except csv.Error as problem:
        raise InputError(f"{file.name}: this is no list of ids ({problem}). Write one id a line.") from problem
    rows = [row for row in rows if any(row)]
    head = [cell.lower() for cell in rows[0]] if rows else []
    given: dict[str, str] = {}
    if {"id", "split"} <= set(head):
        id_of, side_of = head.index("id"), head.index("split")
        for number, row in enumerate(rows[1:], start=1):
            side = row[side_of].lower() if len(row) == len(head) else ""
            if side not in ("train", "test"):
                raise InputError(
                    f"{file.name}: row {number} has neither train nor test as its split. Write one of them."
                )
            given[row[id_of]] = side
    else:
        given = {row[0]: "test" for row in rows if row[0].lower() != "id"}
    if unknown := [id for id in given if id not in set(ids)]:
        raise InputError(
            f"{file.name}: no document has the id '{unknown[0][:40]}' ({counted(len(unknown), 'id')} unknown). Use the corpus's ids."
        )
    sides = tuple(given.get(id, "train") for id in ids)
    if len(set(sides)) < 2:
        raise InputError(
            f"{file.name}: every document is on one side. Name test documents, and leave others for training."
        )
    return sides


def _read_upload(
    files: Sequence[File], most_bytes: int, wanted: tuple[str | None, ...] | None = None
) -> Table | Corpus:
    return read_source(files[0] if len(files) == 1 else list(files), most_bytes=most_bytes, wanted=wanted)


def _joined_file_names(files: Sequence[File]) -> str:
    return " + ".join(Path(file.name).name for file in files)


@contextmanager
def _memory_in_words(files: Sequence[File]) -> Iterator[None]:
    try:
        yield
    except MemoryError as problem:
        raise InputError(
            f"{_joined_file_names(files)}: reading it takes more memory than is allowed here. Take a sample, or keep only the columns "
            "you need."
        ) from problem


@record
class CachedCorpus:
    """What a folder says about its corpus."""

    name: str
    fingerprint: str
    content_digest: str
    documents: int


def write_cached(folder: Path, corpus: Corpus) -> None:
    """Write the corpus to `folder`, replacing what is there; completely or not at all."""
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with written_whole(folder) as partial:
        partial.mkdir(mode=0o700)
        _write_documents(partial / DOCUMENTS, corpus)
        _write_about(partial, corpus)
        shutil.rmtree(folder, ignore_errors=True)  # renaming does not replace a folder


def cache_vectors(folder: Path, corpus: Corpus) -> None:
    """Add the vectors that this corpus has now to the folder that holds its documents."""
    before = cached_in(folder)
    if before is None or before.documents != len(corpus):
        write_cached(folder, corpus)
    else:
        _write_about(folder, corpus)


def cached_in(folder: Path) -> CachedCorpus | None:
    """Return what a folder says about its corpus, or None if it holds none of ours."""
    try:
        about = _read_about(folder)
        return CachedCorpus(about["name"], about["fingerprint"], about["content_digest"], int(about["documents"]))
    except (OSError, InputError):
        return None


def read_cached(folder: Path) -> Corpus:
    """Return the corpus in a folder, checked against the fingerprint it had."""
    try:
        about = _read_about(folder)
        corpus = _corpus(folder, about)
    except (OSError, ValueError, KeyError, TypeError, IndexError, OverflowError) as problem:
        raise _damaged(folder) from problem
    if corpus.fingerprint != about["fingerprint"]:
        raise _damaged(folder)
    return corpus


def _damaged(folder: Path) -> InputError:
    return InputError(f"Your saved file cannot be read any more ({folder.name}). Load it again.")


def _read_about(folder: Path) -> dict[str, Any]:
    file = folder / ABOUT
    if file.stat().st_size > _MOST_ABOUT:
        raise _damaged(folder)
    try:
        about = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as problem:
        raise _damaged(folder) from problem
    texts = ("name", "fingerprint", "content_digest")
    sound = (
        isinstance(about, dict)
        and about.get("format") == FORMAT
        and all(isinstance(about.get(key), str) for key in texts)
        and isinstance(about.get("documents"), int)
        and all(_is_name_list(about.get(key)) for key in ("topic_names", "merged_topics", "merged_authors"))
        and isinstance(about.get("found", False), bool)
        and isinstance(about.get("predicts", AUTHOR), str)
        and (about.get("author_names") is None or _is_name_list(about["author_names"]))
        and (about.get("vectors") is None or bool(_VECTORS.fullmatch(str(about["vectors"]))))
    )
    if not sound:
        raise _damaged(folder)
    return dict(about)


def _is_name_list(found: object) -> bool:
    return isinstance(found, list) and all(isinstance(name, str) for name in found)


def _write_about(folder: Path, corpus: Corpus) -> None:
    """Write the vectors under a new name, then the file that names them: until then the folder holds the old corpus."""
    vectors = None
    if corpus.vectors is not None:
        vectors = f"vectors-{corpus.content_digest[:8]}.npy"
        np.save(folder / vectors, corpus.vectors, allow_pickle=False)
    about = {
        "format": FORMAT,
        "name": corpus.name,
        "fingerprint": corpus.fingerprint,
        "content_digest": corpus.content_digest,
        "documents": len(corpus),
        "topic_names": corpus.topic_names,
        "author_names": corpus.author_names,
        "merged_topics": corpus.merged_topics,
        "merged_authors": corpus.merged_authors,
        "found": corpus.found,
        "predicts": corpus.predicts,
        "vectors": vectors,
    }
    with written_whole(folder / ABOUT) as partial:
        partial.write_text(json.dumps(about), encoding="utf-8")


def _write_documents(file: Path, corpus: Corpus) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    cells: dict[str, Any] = {"id": corpus.ids, "text": corpus.texts, "split": corpus.splits}
    codes: dict[str, Any] = {"topic": corpus.topic_codes, "author": corpus.author_codes}
    cells, codes = ({name: column for name, column in each.items() if column is not None} for each in (cells, codes))
    # Bytes rather than strings: a label may hold half of a surrogate pair, which is not UTF-8.
    schema = pa.schema([(name, pa.large_binary()) for name in cells] + [(name, pa.int64()) for name in codes])
    with pq.ParquetWriter(file, schema, compression="zstd", compression_level=1, use_dictionary=False) as writer:
        for start in range(0, len(corpus), _ROWS):
            rows = slice(start, start + _ROWS)
            columns = {name: [cell.encode("utf-8", "surrogatepass") for cell in cells[name][rows]] for name in cells}
            writer.write_table(pa.table(columns | {name: codes[name][rows] for name in codes}, schema=schema))


def _corpus(folder: Path, about: dict[str, Any]) -> Corpus:
    """Build the record directly: it was checked when it was loaded, and its fingerprint proves it unchanged."""
    if unpacked_size(folder / DOCUMENTS) > _MOST_KEPT:
        raise _damaged(folder)
    with opened_parquet(folder / DOCUMENTS) as opened:
        rows = opened.metadata.num_rows
        if rows != about["documents"] or rows > MOST_DOCUMENTS:
            raise _damaged(folder)
        found: dict[str, list[Any]] = {name: [] for name in opened.schema_arrow.names}
        for batch in opened.iter_batches(batch_size=_ROWS, use_threads=False):
            for name in found:
                cells = batch.column(name).to_pylist()
                whole = name in ("topic", "author")
                found[name] += cells if whole else [str(cell, "utf-8", "surrogatepass") for cell in cells]
    authors = about["author_names"]
    return Corpus(
        name=about["name"],
        ids=tuple(found["id"]),
        texts=tuple(found["text"]),
        topic_names=tuple(about["topic_names"]),
        topic_codes=_checked_codes(found["topic"], len(about["topic_names"])),
        author_names=None if authors is None else tuple(authors),
        author_codes=None if authors is None else _checked_codes(found["author"], len(authors)),
        splits=tuple(found["split"]) if "split" in found else None,
        vectors=None if about["vectors"] is None else _vectors_of_file(folder / about["vectors"], len(found["id"])),
        merged_topics=tuple(about["merged_topics"]),
        merged_authors=tuple(about["merged_authors"]),
        found=about.get("found", False),
        predicts=about.get("predicts", AUTHOR),
    )


def _vectors_of_file(file: Path, documents: int) -> Singles:
    found = np.load(file, mmap_mode="r", allow_pickle=False)  # mapped: a header may promise more than the file holds
    if not isinstance(found, np.ndarray) or found.dtype != np.float32 or found.ndim != 2 or len(found) != documents:
        raise ValueError("not one vector per document")
    return np.array(found)


def _checked_codes(found: list[int], names: int) -> Ints:
    codes = np.array(found, dtype=np.int64)
    if len(codes) and not 0 <= codes.min() <= codes.max() < names:
        raise ValueError("a code without a name")
    return codes
