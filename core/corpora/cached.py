"""A corpus kept in a folder of our own and read back: Parquet, JSON and an array, never a pickle."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import Ints, Singles, record
from ..errors import InputError
from ..files import written_whole
from ..parquet import opened_parquet, unpacked_size
from .corpus import MOST_DOCUMENTS, Corpus

FORMAT = 1
ABOUT, DOCUMENTS = "about.json", "documents.parquet"
_VECTORS = re.compile(r"vectors-[0-9a-f]{8}\.npy")
MOST_BYTES = 4 * 1024**3  # of the documents; twice what any reader lets through
_MOST_ABOUT = 200_000_000
_ROWS = 5_000  # written and read at a time


@record
class CachedCorpus:
    """What a folder says of its corpus."""

    name: str
    fingerprint: str
    content_digest: str
    documents: int


def write_cached(folder: Path, corpus: Corpus) -> None:
    """Put the corpus into `folder`, in place of what is there; whole, or not at all."""
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with written_whole(folder) as partial:
        partial.mkdir(mode=0o700)
        _write_documents(partial / DOCUMENTS, corpus)
        _write_about(partial, corpus)
        shutil.rmtree(folder, ignore_errors=True)  # a folder takes no other's place by renaming


def cache_vectors(folder: Path, corpus: Corpus) -> None:
    """Put the vectors that this corpus has got since into the folder that holds its documents."""
    before = cached_in(folder)
    if before is None or before.documents != len(corpus):
        write_cached(folder, corpus)
    else:
        _write_about(folder, corpus)


def cached_in(folder: Path) -> CachedCorpus | None:
    """What is kept in a folder; None where that is nothing, or not ours."""
    try:
        about = _about(folder)
        return CachedCorpus(about["name"], about["fingerprint"], about["content_digest"], int(about["documents"]))
    except (OSError, InputError):
        return None


def read_cached(folder: Path) -> Corpus:
    """The corpus in a folder, as it was written: it has the fingerprint that it had."""
    try:
        about = _about(folder)
        corpus = _corpus(folder, about)
    except (OSError, ValueError, KeyError, TypeError, IndexError, OverflowError) as problem:
        raise _damaged(folder) from problem
    if corpus.fingerprint != about["fingerprint"]:
        raise _damaged(folder)
    return corpus


def _damaged(folder: Path) -> InputError:
    return InputError(f"The file that was kept for you cannot be read any more ({folder.name}); load it again.")


def _about(folder: Path) -> dict[str, Any]:
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
        and all(_names(about.get(key)) for key in ("topic_names", "merged_topics", "merged_authors"))
        and isinstance(about.get("found", False), bool)
        and (about.get("author_names") is None or _names(about["author_names"]))
        and (about.get("vectors") is None or bool(_VECTORS.fullmatch(str(about["vectors"]))))
    )
    if not sound:
        raise _damaged(folder)
    return dict(about)


def _names(found: object) -> bool:
    return isinstance(found, list) and all(isinstance(name, str) for name in found)


def _write_about(folder: Path, corpus: Corpus) -> None:
    """The vectors under a name of their own, then what names them: until then the corpus is the one before."""
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
    # Bytes rather than strings: half of a surrogate pair, which a label may hold, is no UTF-8.
    schema = pa.schema([(name, pa.large_binary()) for name in cells] + [(name, pa.int64()) for name in codes])
    with pq.ParquetWriter(file, schema, compression="zstd", compression_level=1, use_dictionary=False) as writer:
        for start in range(0, len(corpus), _ROWS):
            rows = slice(start, start + _ROWS)
            columns = {name: [cell.encode("utf-8", "surrogatepass") for cell in cells[name][rows]] for name in cells}
            writer.write_table(pa.table(columns | {name: codes[name][rows] for name in codes}, schema=schema))


def _corpus(folder: Path, about: dict[str, Any]) -> Corpus:
    """The record itself, not made anew: what was checked when it came needs no second check than its fingerprint."""
    with opened_parquet(folder / DOCUMENTS) as opened:
        rows = opened.metadata.num_rows
        if rows != about["documents"] or rows > MOST_DOCUMENTS or unpacked_size(opened) > MOST_BYTES:
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
        topic_codes=_codes(found["topic"], len(about["topic_names"])),
        author_names=None if authors is None else tuple(authors),
        author_codes=None if authors is None else _codes(found["author"], len(authors)),
        splits=tuple(found["split"]) if "split" in found else None,
        vectors=None if about["vectors"] is None else _vectors(folder / about["vectors"], len(found["id"])),
        merged_topics=tuple(about["merged_topics"]),
        merged_authors=tuple(about["merged_authors"]),
        found=about.get("found", False),
    )


def _vectors(file: Path, documents: int) -> Singles:
    found = np.load(file, mmap_mode="r", allow_pickle=False)  # mapped: a header may promise what the file does not hold
    if not isinstance(found, np.ndarray) or found.dtype != np.float32 or found.ndim != 2 or len(found) != documents:
        raise ValueError("no vector a document")
    return np.array(found)


def _codes(found: list[int], names: int) -> Ints:
    codes = np.array(found, dtype=np.int64)
    if len(codes) and not 0 <= codes.min() <= codes.max() < names:
        raise ValueError("a code without a name")
    return codes
