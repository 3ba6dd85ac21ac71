"""Answers of models on disk, a small file a run, so that nothing is computed twice and a stopped run resumes."""

import contextlib
import hashlib
import json
import os
import zlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ..arrays import Floats, record
from ..files import cache_folder, written_whole

LIMIT = 1024**3  # bytes: 100,000 runs of a thousand answers
ENDING = ".answers"
CHECKSUM = 32  # bytes of sha256 in front of the content


@record
class Answers:
    """A model's answers to one fold's questions and what fitting it chose, or the sentence that says why it could not be run."""

    answers: Floats
    notes: tuple[str, ...]
    problem: str | None = None


class ResultStore:
    """A folder of answers by run key, and optionally a file of them that ships with the app and is only read.

    A file is written under another name and renamed, so a kill leaves no half of one; a damaged file counts as absent.
    Where the folder cannot be written, runs are simply not kept.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None, *, shipped: Path | None = None) -> None:
        self.folder = (Path(folder) if folder is not None else cache_folder()) / "results-1"
        self.shipped = shipped

    def get(self, key: str) -> Answers | None:
        """The answers kept under this key."""
        found = read_runs(self._file(key)).get(key)
        return found if found is not None or self.shipped is None else _shipped(self.shipped).get(key)

    def put(self, key: str, run: Answers) -> bool:
        """Keep answers under this key; False where they could not be written."""
        file = self._file(key)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with written_whole(file) as partial, partial.open("xb") as target:
                write_runs(target, {key: run})
        except OSError:
            return False
        return True

    def prune(self, limit_bytes: int = LIMIT) -> int:
        """Past `limit_bytes`, drop the files written first until a tenth is free again; the number dropped."""
        files = []
        for file in self.folder.glob("*/*"):
            with contextlib.suppress(OSError):  # another process may be pruning too
                status = file.stat()
                files.append((status.st_mtime_ns, status.st_size, file))
        used, dropped = sum(size for _, size, _ in files), 0
        if used <= limit_bytes:
            return 0
        for _, size, file in sorted(files):
            if used <= 0.9 * limit_bytes:
                break
            with contextlib.suppress(OSError):
                file.unlink(missing_ok=True)
                used, dropped = used - size, dropped + 1
        return dropped

    def _file(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}{ENDING}"


def write_runs(target: BinaryIO, runs: Mapping[str, Answers]) -> None:
    """Many runs in one file, each under its key: a checksum, then compressed JSON, which keeps every digit."""
    content = {key: [run.answers.tolist(), run.notes, run.problem] for key, run in runs.items()}
    packed = zlib.compress(json.dumps(content, sort_keys=True).encode())
    target.write(hashlib.sha256(packed).digest() + packed)


def read_runs(file: Path) -> dict[str, Answers]:
    """The runs of a file; none of an absent or damaged one."""
    try:
        content = file.read_bytes()
    except OSError:
        return {}
    packed = content[CHECKSUM:]
    if hashlib.sha256(packed).digest() != content[:CHECKSUM]:
        return {}
    return {
        key: Answers(np.array(answers, dtype=np.float64), tuple(notes), problem)
        for key, (answers, notes, problem) in json.loads(zlib.decompress(packed)).items()
    }


def _shipped(file: Path) -> dict[str, Answers]:
    try:
        status = file.stat()
    except OSError:
        return {}
    return _read_once(file, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=2)
def _read_once(file: Path, changed: int, size: int) -> dict[str, Answers]:
    return read_runs(file)
