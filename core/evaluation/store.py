"""Answers of models on disk, a small file a run, so that nothing is computed twice and a stopped run resumes."""

import hashlib
import json
import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..arrays import Floats, digest, record
from ..files import cache_folder, remove_leftovers, written_whole

LIMIT = 1024**3  # bytes: 100,000 runs of a thousand answers
MOST = 32 * 1024**2  # bytes of one file unpacked: more than a million answers, and no more memory than a page may take
ENDING = ".answers"
CHECKSUM = 32  # bytes of sha256 in front of the content
LIBRARIES = ("numba", "numpy", "scikit-learn", "scipy")  # torch makes vectors, and the key of a run names those

_room: dict[Path, int] = {}  # bytes that may still be written to a folder before its size is looked at again


@record
class Answers:
    """A model's answers to one fold's questions and what fitting it chose, or the sentence that says why it could not be run."""

    answers: Floats
    notes: tuple[str, ...]
    problem: str | None = None


@cache
def versions() -> dict[str, str]:
    """Return major and minor version of the libraries that make answers; another may answer differently."""
    found = {}
    for name in LIBRARIES:
        with suppress(PackageNotFoundError):  # of an extra: what is not here makes no answers here
            found[name] = ".".join(version(name).split(".")[:2])
    return found


class ResultStore:
    """A folder of answers by run key, and optionally others that are only read: a file that ships with the app, and a folder of
    files that came with a project.

    Answers made with other versions of the libraries are other answers: they lie beside these and are not found. Those that ship
    with the app are found whatever is installed, or the first page would wait for models.
    A file is written under another name and renamed, so a kill leaves no half of one; a damaged file counts as absent.
    Where the folder cannot be written, runs are simply not kept; past `limit` bytes the oldest go.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str] | None = None,
        *,
        shipped: Path | None = None,
        project: Path | None = None,
        limit: int = LIMIT,
    ) -> None:
        self.folder = (Path(folder) if folder is not None else cache_folder()) / "results-1"
        self.shipped = shipped
        self.project = project
        self.limit = limit

    def get(self, key: str) -> Answers | None:
        """Return the stored answers of this key."""
        found = read_runs(self._file(key)).get(key)
        if found is None and self.shipped is not None:
            found = _answers_of(self.shipped, any_versions=True).get(key)
        if found is None and self.project is not None:
            parts = (_answers_of(file).get(key) for file in sorted(self.project.glob(f"*{ENDING}")))
            found = next((part for part in parts if part is not None), None)
        return found

    def put(self, key: str, run: Answers) -> bool:
        """Keep answers under this key; False where they could not be written."""
        file = self._file(key)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with written_whole(file) as partial, partial.open("xb") as target:
                write_runs(target, {key: run})
                size = target.tell()
        except (OSError, OverflowError):
            return False
        # Here and not only at the end of a run, which may be stopped or killed before.
        _room[self.folder] = _room.get(self.folder, 0) - size
        if _room[self.folder] < 0:
            self.prune()
        return True

    def runs(self) -> dict[str, Answers]:
        """Return every run in the folder by key, without those made with other versions."""
        files = self.folder.glob(f"*/*{ENDING}")
        return {key: run for file in sorted(files) for key, run in read_runs(file).items()}

    def prune(self, limit_bytes: int | None = None) -> int:
        """Drop the oldest files above `limit_bytes` until a tenth is free again, and return the number dropped."""
        limit = self.limit if limit_bytes is None else limit_bytes
        files = []
        for folder in self.folder.glob("*"):
            remove_leftovers(folder)
            for file in folder.glob(f"*{ENDING}"):
                with suppress(OSError):  # another process may be pruning too
                    status = file.stat()
                    files.append((status.st_mtime_ns, status.st_size, file))
        used, dropped = sum(size for _, size, _ in files), 0
        if used > limit:
            for _, size, file in sorted(files):
                if used <= 0.9 * limit:
                    break
                with suppress(OSError):
                    file.unlink(missing_ok=True)
                    used, dropped = used - size, dropped + 1
        _room[self.folder] = max(limit - used, limit // 20)
        return dropped

    def _file(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.{digest(versions())[:8]}{ENDING}"


def write_runs(target: BinaryIO, runs: Mapping[str, Answers]) -> None:
    """Write many runs to one file, each under its key: a checksum, then compressed JSON, which keeps every digit."""
    content = json.dumps(runs_to_json(runs), sort_keys=True).encode()
    if len(content) > MOST:
        raise OverflowError(f"{len(content):,} bytes of answers in one file, of {MOST:,} that are read again")
    packed = zlib.compress(content)
    target.write(hashlib.sha256(packed).digest() + packed)


def runs_to_json(runs: Mapping[str, Answers]) -> dict[str, Any]:
    """Return runs by key, and the versions of the libraries that made them."""
    kept = {key: [run.answers.tolist(), run.notes, run.problem] for key, run in runs.items()}
    return {"runs": kept, "versions": versions()}


def read_runs(file: Path, *, any_versions: bool = False) -> dict[str, Answers]:
    """Return the runs of a file; none if it is absent, damaged, in another format or made with other libraries."""
    try:
        with file.open("rb") as source:
            checksum, packed = source.read(CHECKSUM), source.read(MOST + 1)
    except OSError:
        return {}
    if len(packed) > MOST or hashlib.sha256(packed).digest() != checksum:
        return {}
    try:
        return runs_from_json(_unpacked(packed), any_versions=any_versions)
    except (ValueError, OverflowError, RecursionError, zlib.error):
        return {}


def _unpacked(packed: bytes) -> Any:
    """Return at most `MOST` bytes of JSON, however far the compressed ones would expand."""
    stream = zlib.decompressobj()
    content = stream.decompress(packed, MOST)
    if not stream.eof or stream.unused_data:
        raise ValueError("larger than anything we write, or cut off, or followed by something else")
    return json.loads(content)


def runs_from_json(content: Any, *, any_versions: bool = False) -> dict[str, Answers]:
    """Return what `runs_to_json` wrote, or raise ValueError; nothing if other library versions made it, unless any may have.

    A checksum says that a file is whole, not that it is ours: its structure is looked at too.
    """
    if not isinstance(content, dict) or content.keys() != {"runs", "versions"}:
        raise ValueError("not a file of runs")
    made_with = content["versions"]
    if not isinstance(made_with, dict):
        return {}
    if not any_versions and any(made_with.get(name) != here for name, here in versions().items()):
        return {}
    if not isinstance(content["runs"], dict):
        raise ValueError("runs are kept by key")
    return {key: _parsed_answers(run) for key, run in content["runs"].items()}


def _parsed_answers(run: Any) -> Answers:
    if not (isinstance(run, list) and len(run) == 3 and isinstance(run[0], list) and isinstance(run[1], list)):
        raise ValueError("a run is a list of answers, a list of notes, and a problem")
    values, notes, problem = run
    if not {type(value) for value in values} <= {int, float} or not all(isinstance(note, str) for note in notes):
        raise ValueError("answers are numbers, and notes are sentences")
    if not (problem is None or isinstance(problem, str)):
        raise ValueError("a problem is a sentence")
    answers = np.array(values, dtype=np.float64)
    if np.isnan(answers).any():
        raise ValueError("an answer that is no number")
    return Answers(answers, tuple(notes), problem)


def _answers_of(file: Path, *, any_versions: bool = False) -> dict[str, Answers]:
    """Return the runs of a file that does not change, read once."""
    try:
        status = file.stat()
    except OSError:
        return {}
    return _read_once(file, status.st_mtime_ns, status.st_size, any_versions)


@lru_cache(maxsize=8)
def _read_once(file: Path, changed: int, size: int, any_versions: bool) -> dict[str, Answers]:
    return read_runs(file, any_versions=any_versions)
