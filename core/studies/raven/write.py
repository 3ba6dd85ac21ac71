"""A benchmark to a folder or a zip archive: byte for byte the same every time, and whole or not at all."""

import hashlib
import io
import os
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ...corpora import Corpus
from ...errors import SettingError
from ...evaluation import NamedVectors
from ...files import written_whole
from ...progress import Progress
from .benchmark import Benchmark, SetupStatistics, benchmark_statistics
from .build import build_benchmark
from .contents import contents, left_out_texts, manifest

MANIFEST = "manifest.json"
_START_OF_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest a zip can say, and the same on every day
_LEVEL = 6
_TAKEN = "choose another place, or remove it first"


@dataclass(frozen=True, slots=True)
class WrittenBenchmark:
    """Where a benchmark is, how many files it has and how large they are, and whether training pairs have texts."""

    target: Path
    manifest: str
    files: int
    bytes: int
    train_texts: bool


@dataclass(frozen=True, slots=True)
class _Folder:
    path: Path

    def write(self, name: str, pieces: Iterable[bytes]) -> None:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("xb") as target:
            target.writelines(pieces)


@dataclass(frozen=True, slots=True)
class _Zip:
    archive: zipfile.ZipFile

    def write(self, name: str, pieces: Iterable[bytes]) -> None:
        entry = zipfile.ZipInfo(name, _START_OF_TIME)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.create_system, entry.external_attr = 3, 0o100644 << 16  # a plain file, whatever system packs it
        with self.archive.open(entry, "w") as target:
            for piece in pieces:
                target.write(piece)


def write_benchmark(
    benchmark: Benchmark,
    target: str | os.PathLike[str],
    *,
    train_texts: bool | None = None,
    progress: Progress | None = None,
) -> WrittenBenchmark:
    """Write to a folder, or to an archive where the name ends in .zip; `train_texts` None: as the room allows.

    Everything is written under another name beside the target and renamed when whole, so that an error, a full disk
    or a stop leaves nothing behind, and nothing that is there is ever overwritten. What a kill leaves goes with the next
    benchmark that is written there.
    """
    path = free_path(target)
    without = left_out_texts(benchmark, train_texts)
    try:
        with written_whole(path) as partial:
            if _zipped(path):
                with partial.open("xb") as stream:
                    count, size = _write_zip(benchmark, stream, without, progress)
            else:
                partial.mkdir()
                count, size = _write_all(benchmark, _Folder(partial), without, progress)
    except OSError as problem:
        raise SettingError(
            f"{path}: cannot be written ({problem.strerror or problem}); choose another place."
        ) from None
    return WrittenBenchmark(path, str(path / MANIFEST), count, size, not without)


def benchmark_zip(benchmark: Benchmark, *, progress: Progress | None = None) -> bytes:
    """The archive in memory, for a download."""
    stream = io.BytesIO()
    _write_zip(benchmark, stream, left_out_texts(benchmark, None), progress)
    return stream.getvalue()


def free_path(target: str | os.PathLike[str]) -> Path:
    """The absolute path, if a benchmark can be written there."""
    path = Path(os.path.abspath(target))
    if not path.parent.is_dir():
        raise SettingError(f"{path}: there is no folder {path.parent}; make it first, or choose another place.")
    if _zipped(path) or not path.is_dir():
        if os.path.lexists(path):
            raise SettingError(f"{path}: there is already something of this name; {_TAKEN}.")
        return path
    try:
        if any(path.iterdir()):
            raise SettingError(f"{path}: the folder is not empty, and nothing is overwritten; {_TAKEN}.")
    except OSError as problem:
        raise SettingError(f"{path}: cannot be read ({problem.strerror or problem}); {_TAKEN}.") from None
    return path


def _zipped(path: Path) -> bool:
    return path.suffix.lower() == ".zip"


def _write_zip(benchmark: Benchmark, stream: BinaryIO, without: bool, progress: Progress | None) -> tuple[int, int]:
    # The archive's own bytes hang on the machine's zlib too; the checksums in the manifest do not.
    with zipfile.ZipFile(stream, "w", compresslevel=_LEVEL) as archive:
        return _write_all(benchmark, _Zip(archive), without, progress)


def _write_all(
    benchmark: Benchmark, target: _Folder | _Zip, without: bool, progress: Progress | None
) -> tuple[int, int]:
    """Every file, each hashed as it is written, and the manifest last; how many files, and their bytes."""
    files: dict[str, dict[str, str | int]] = {}
    total = sum(1 for _ in benchmark.sides())
    done = 0
    for name, pieces in contents(benchmark, without_train_texts=without):
        digest, sizes = hashlib.sha256(), [0]
        target.write(name, _counted(pieces, digest.update, sizes))
        files[name] = {"sha256": digest.hexdigest(), "bytes": sizes[0]}
        if name.endswith("/truth.jsonl"):
            done += 1
            if progress is not None:
                progress(done, total, "sides of folds", None)
    closing = manifest(benchmark, files, without_train_texts=without)
    target.write(MANIFEST, [closing])
    return len(files) + 1, sum(int(file["bytes"]) for file in files.values()) + len(closing)


def _counted(pieces: Iterable[bytes], also: Callable[[bytes], None], sizes: list[int]) -> Iterator[bytes]:
    for piece in pieces:
        also(piece)
        sizes[0] += len(piece)
        yield piece


def packed_benchmark(
    corpus: Corpus, vectors: NamedVectors, *, progress: Progress | None = None, **settings: Any
) -> tuple[bytes, tuple[SetupStatistics, ...]]:
    """A benchmark with the settings of `build_benchmark` as a zip archive, and what each of its setups holds."""
    benchmark = build_benchmark(corpus, vectors, **settings)
    return benchmark_zip(benchmark, progress=progress), benchmark_statistics(benchmark)
