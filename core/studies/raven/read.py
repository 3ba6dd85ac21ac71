"""A benchmark from a folder or a zip archive, every file of it checked against the manifest."""

import hashlib
import json
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from ...arrays import Ints
from ...corpora import Corpus, make_corpus
from ...corpora.readers import MOST_BYTES_HERE, MOST_FILES, File, Source, read_parquet, size_of, unpacked
from ...errors import InputError
from .benchmark import (
    FORMAT,
    FORMAT_VERSION,
    GROUPS,
    SIDES,
    Benchmark,
    BenchmarkFold,
    BenchmarkSettings,
    BenchmarkSetup,
    BenchmarkSide,
)
from .contents import MOST_WRITTEN, side_folder, signed
from .write import MANIFEST

GivenBenchmark = str | os.PathLike[str] | bytes | BinaryIO
Read = Callable[[str], bytes]

_AGAIN = "get the benchmark again, or build it anew"
_MOST_MANIFEST = 50_000_000  # bytes


@dataclass(frozen=True, slots=True)
class _Found:
    """The files there are, by name, with their checksums, and a way to their bytes."""

    name: str
    checksums: Mapping[str, str]
    read: Read


def read_benchmark(given: GivenBenchmark, *, most_bytes: int = MOST_WRITTEN * 2) -> Benchmark:
    """The benchmark in a folder, or in a zip archive (a path, bytes or an upload); any changed file is named."""
    found = _found(given, most_bytes)
    if MANIFEST not in found.checksums:
        raise InputError(f"{found.name}: no {MANIFEST}; give the folder or the archive that `raven` wrote.")
    record = _manifest(found)
    _check_files(found, record["files"])
    try:
        return _benchmark(found, record)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as problem:
        # Checksums fit, so the file was made this way: by something else than Leakscope.
        raise InputError(
            f"{found.name}: the manifest and the tables do not fit together ({problem!r}); {_AGAIN}."
        ) from None


def _found(given: GivenBenchmark, most_bytes: int) -> _Found:
    if isinstance(given, str | os.PathLike):
        path = Path(given)
        if path.is_dir():
            return _in_folder(path)
        name, data = path.name, _bytes_of(path, most_bytes)
    elif isinstance(given, bytes):
        name, data = "the archive", given
    else:
        given.seek(0)  # a page may have read the upload before
        name, data = Path(str(getattr(given, "name", "the archive"))).name, given.read(MOST_BYTES_HERE + 1)
    if not data.startswith(b"PK"):
        raise InputError(f"{name}: neither a folder nor a zip archive; give what `raven` wrote.")
    files = {file.name: file.data for file in unpacked(File(name, data), most_bytes=most_bytes)}
    # Who packs the folder anew often packs the folder's name with it.
    tops = {entry.split("/")[0] for entry in files}
    if len(tops) == 1 and MANIFEST not in files:
        files = {entry.partition("/")[2]: data for entry, data in files.items()}
    return _Found(name, {entry: hashlib.sha256(data).hexdigest() for entry, data in files.items()}, files.__getitem__)


def _bytes_of(path: Path, most_bytes: int) -> bytes:
    try:
        if not path.is_file():
            raise InputError(f"{path}: there is no such folder or archive; check the path.")
        if path.stat().st_size > most_bytes:
            raise InputError(f"{path}: more than {size_of(most_bytes)}, the limit; give the folder unpacked.")
        return path.read_bytes()
    except OSError as problem:
        raise InputError(f"{path}: cannot be read ({problem.strerror or problem}); check its rights.") from None


def _in_folder(folder: Path) -> _Found:
    checksums: dict[str, str] = {}
    try:
        for root, folders, names in os.walk(folder):
            for name in sorted([*names, *(each for each in folders if os.path.islink(os.path.join(root, each)))]):
                file = Path(root, name)
                shown = os.fsencode(file.relative_to(folder).as_posix()).decode("utf-8", "backslashreplace")
                if name.startswith("."):  # .DS_Store and its like come of looking at a folder
                    continue
                if not stat.S_ISREG(file.lstat().st_mode):
                    raise InputError(f"{folder}: '{shown}' is a link or no regular file; {_AGAIN}.")
                if len(checksums) >= MOST_FILES:
                    raise InputError(f"{folder}: more than {MOST_FILES:,} files; give the folder that `raven` wrote.")
                with file.open("rb") as stream:
                    checksums[shown] = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as problem:
        raise InputError(f"{folder}: cannot be read ({problem.strerror or problem}); check its rights.") from None
    return _Found(str(folder), checksums, lambda name: (folder / name).read_bytes())


def _manifest(found: _Found) -> dict[str, Any]:
    data = found.read(MANIFEST)
    if len(data) > _MOST_MANIFEST:
        raise InputError(f"{found.name}: {MANIFEST} has more than {size_of(_MOST_MANIFEST)}; {_AGAIN}.")
    record: dict[str, Any] = {}
    try:
        record = json.loads(data)
        whole = isinstance(record, dict) and record.get("format") == FORMAT and isinstance(record["files"], dict)
    except (ValueError, RecursionError, KeyError):
        whole = False
    if not whole:
        raise InputError(f"{found.name}: {MANIFEST} is not the manifest of a benchmark; give what `raven` wrote.")
    if record.get("format_version") == 1:
        raise InputError(
            f"{found.name}: written in version 1 of the format, whose ids gave the truth away (even numbers were pairs by "
            "one author, odd ones by two), so that no score on it can be trusted; build it anew."
        )
    if record.get("format_version") != FORMAT_VERSION:
        raise InputError(
            f"{found.name}: written in version {record.get('format_version')!r} of the format, and this Leakscope reads "
            f"version {FORMAT_VERSION}; build it anew."
        )
    if data != signed(record):
        raise InputError(f"{found.name}: {MANIFEST} has been changed since it was written; {_AGAIN}.")
    return record


def _check_files(found: _Found, files: Mapping[str, Any]) -> None:
    there = {name: checksum for name, checksum in found.checksums.items() if name != MANIFEST}
    changed = {name for name in files if there.get(name) != files[name].get("sha256")}
    for fact, names, remedy in (
        ("missing", set(files) - set(there), _AGAIN),
        ("no part of the benchmark", set(there) - set(files), "move it elsewhere"),
        ("changed since it was written", changed, _AGAIN),
    ):
        if names:
            more = f" (and {len(names) - 1:,} more)" if len(names) > 1 else ""
            raise InputError(f"{found.name}: {min(names)[:200]}{more} is {fact}; {remedy}.")


def _benchmark(found: _Found, record: dict[str, Any]) -> Benchmark:
    chosen, origin = record["settings"], record["corpus"]
    seeds = tuple(chosen["random_seeds"])
    kinds = chosen["pairs"], chosen["similarity"]
    sampler = chosen.get("sampler", "hits")
    settings = BenchmarkSettings(chosen["m"], chosen["k"], chosen["seed"], seeds, record["encoder"], *kinds, sampler)
    table = _table(found, "documents.parquet")
    documents = make_corpus(
        table["text"].tolist(),
        table["topic"].tolist(),
        authors=table["author"].tolist(),
        ids=table["id"].tolist(),
        name=origin["name"],
    )
    rows = {identity: row for row, identity in enumerate(documents.ids)}
    setups = []
    for key, setup in record["setups"].items():
        tested = np.array([int(cell) if cell else -1 for cell in table[key]], dtype=np.int64)
        folds = []
        for fold in range(settings.k):
            here = {"train": np.flatnonzero((tested >= 0) & (tested != fold)), "test": np.flatnonzero(tested == fold)}
            told = setup["folds"][fold]
            sides = (
                _side(found, documents, here[name], side_folder(key, fold, name), rows, told[name]["left_out"])
                for name in SIDES
            )
            folds.append(BenchmarkFold(*sides))
        if setup["group"] not in GROUPS:
            raise ValueError(setup["group"])
        setups.append(BenchmarkSetup(key, setup["group"], setup["seed"], tuple(folds)))
    benchmark = Benchmark(
        origin["name"], origin["fingerprint"], origin["documents"], settings, documents, tuple(setups)
    )
    if benchmark.tag != record["tag"]:
        raise ValueError("tag")
    return benchmark


def _side(
    found: _Found, documents: Corpus, here: Ints, folder: str, rows: Mapping[str, int], left_out: int
) -> BenchmarkSide:
    table = _table(found, f"{folder}/pairs.parquet")
    first, second = (np.array([rows[each] for each in table[name]], dtype=np.int64) for name in ("first", "second"))
    if not (np.isin(first, here).all() and np.isin(second, here).all()):
        raise ValueError(f"{folder}: a pair of documents that are not on this side")
    topics = tuple(documents.topic_names[code] for code in np.unique(documents.topic_codes[here]))
    same = (table["same"] == "true").to_numpy(dtype=np.bool_)
    return BenchmarkSide(
        topics, here, first, second, same, table["similarity"].to_numpy(dtype=np.float64), int(left_out)
    )


def _table(found: _Found, name: str) -> pd.DataFrame:
    """A table's cells as text, through the reader that trusts no file."""
    return read_parquet(Source(name, (File(name, found.read(name)),), bundle=False)).frame
