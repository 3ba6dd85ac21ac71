"""A RAVEN benchmark as a folder or an archive: written whole or not at all, byte for byte the same everywhere, checked and read again."""

import hashlib
import io
import json
import os
import stat
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files as package_files
from itertools import islice
from pathlib import Path
from string import Template
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from ... import __version__
from ...arrays import Ints, record
from ...corpora import UNKNOWN_AUTHOR, Corpus, make_corpus
from ...corpora.readers import MOST_BYTES_HERE, MOST_FILES, File, Source, parquet_bytes, read_parquet, size_of, unpacked
from ...errors import InputError, SettingError
from ...evaluation import SETUP_GROUPS, NamedVectors, SystemAnswers, TestPairs
from ...files import written_whole
from ...progress import Progress
from ...splits import PAIRINGS
from ...topics import RENAMED_SAMPLERS, SAMPLERS
from .raven import (
    COUNTED,
    FORMAT,
    FORMAT_VERSION,
    SIDES,
    Benchmark,
    BenchmarkFold,
    BenchmarkSettings,
    BenchmarkSetup,
    BenchmarkSide,
    SetupStatistics,
    answer_sheet,
    benchmark_statistics,
    build_benchmark,
    pair_id,
    read_system,
    side_counts,
    told_by_topics,
)

# A text stands in about four pairs of every fold that trains on it: 20 Newsgroups (m 10, k 5, six setups) has 12 MB of
# text a setup, 0.2 GB in test pairs and 0.8 GB more in training pairs. Test pairs always carry their texts, since that
# is what a finished system is run on; training pairs do while all fits into this much, else they are told by document
# id and README.md has the few lines that fill them in.
ROOM = 300_000_000
MOST_WRITTEN = MOST_BYTES_HERE  # a benchmark larger than we would read again is not written
_LINES = 500  # JSON lines joined into one piece
MANIFEST = "manifest.json"
_START_OF_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest a zip can say, and the same on every day
_LEVEL = 6
_TAKEN = "choose another place, or remove it first"
GivenBenchmark = str | os.PathLike[str] | bytes | BinaryIO
Read = Callable[[str], bytes]

_AGAIN = "get the benchmark again, or build it again"
_MOST_MANIFEST = 50_000_000  # bytes


def left_out_texts(benchmark: Benchmark, train_texts: bool | None) -> bool:
    """Return whether training pairs are given by id only: as asked, or (None) as the room allows; refuse what is too large."""
    sizes = np.array([len(piece) for piece in _as_json(benchmark.documents.texts)], dtype=np.int64)
    total = dict.fromkeys(SIDES, 0)
    for *_, name, side in benchmark.sides():
        total[name] += int(sizes[side.first].sum() + sizes[side.second].sum())
    without = sum(total.values()) > ROOM if train_texts is None else not train_texts
    written = total["test"] + (0 if without else total["train"])
    if written > MOST_WRITTEN:
        fix = "choose fewer topics, folds or documents per topic" + ("" if without else ", or leave training texts out")
        raise SettingError(
            f"The pairs' texts take {size_of(written)}; at most {size_of(MOST_WRITTEN)} are written. {fix.capitalize()}."
        )
    return without


def contents(benchmark: Benchmark, *, without_train_texts: bool) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Yield each file's name and its bytes in pieces, all but the manifest, which needs their checksums."""
    yield "README.md", iter([readme(benchmark, without_train_texts=without_train_texts).encode()])
    yield "documents.parquet", iter([documents_parquet(benchmark)])
    texts = _as_json(benchmark.documents.texts)
    for setup, fold, name, side in benchmark.sides():
        folder, ids = side_folder(setup.key, fold, name), _pair_ids(benchmark, setup.key, fold, name, side)
        yield f"{folder}/pairs.parquet", iter([_pairs_parquet(benchmark, ids, side)])
        if name == "test" or not without_train_texts:
            yield f"{folder}/pairs.jsonl", _joined_lines(_pair_lines(benchmark, ids, side, texts))
        yield f"{folder}/truth.jsonl", _joined_lines(_truth_lines(benchmark, ids, side))


def side_folder(setup: str, fold: int, side: str) -> str:
    """Return the folder of a side."""
    return f"{setup}/fold-{fold}/{side}"


def manifest(benchmark: Benchmark, files: Mapping[str, Mapping[str, Any]], *, without_train_texts: bool) -> bytes:
    """Return every setting, seed and version, the topics of every fold, and every file's size and checksum."""
    import pyarrow

    settings = benchmark.settings.as_record()
    record: dict[str, Any] = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "tag": benchmark.tag,
        "versions": {"leakscope": __version__, "numpy": np.__version__, "pyarrow": pyarrow.__version__},
        "corpus": {
            "name": benchmark.name,
            "fingerprint": benchmark.fingerprint,
            "documents": benchmark.documents_given,
        },
        "encoder": settings.pop("encoder"),
        "settings": settings | {"train_texts": not without_train_texts},
        "pairing": PAIRINGS[benchmark.settings.pairs].about,
        "setups": {
            setup.key: _setup_record(benchmark, setup, found)
            for setup, found in zip(benchmark.setups, benchmark_statistics(benchmark), strict=True)
        },
        "files": dict(files),
    }
    return signed(record)


def _setup_record(benchmark: Benchmark, setup: BenchmarkSetup, found: SetupStatistics) -> dict[str, Any]:
    def side_record(side: BenchmarkSide) -> dict[str, Any]:
        counts = {"counts": side_counts(benchmark, side), "left_out": side.left_out}
        return {"topics": side.topics} | counts | told_by_topics(benchmark, side)

    return {
        "group": setup.group,
        "seed": setup.seed,
        "topics": setup.topics,
        "gap": found.gap,
        "topic_oracle_auc": found.topic_oracle_auc,
        "folds": [{name: side_record(fold.side(name)) for name in SIDES} for fold in setup.folds],
    }


def signed(record: Mapping[str, Any]) -> bytes:
    """Return the manifest in one spelling with a checksum of the rest, so that a change in it shows too."""
    rest = {key: value for key, value in record.items() if key != "checksum"}
    plain = json.dumps(rest, sort_keys=True).encode()
    whole = rest | {"checksum": hashlib.sha256(plain).hexdigest()}
    return (json.dumps(whole, indent=1) + "\n").encode()


def documents_parquet(benchmark: Benchmark) -> bytes:
    """Return every document once: id, text, author, topic, and for each setup the fold in whose test side it is."""
    import pyarrow as pa

    corpus = benchmark.documents
    authors = [None if author == UNKNOWN_AUTHOR else author for author in corpus.authors or ()]
    columns = {"id": corpus.ids, "text": corpus.texts, "author": authors, "topic": corpus.topics}
    arrays = {name: pa.array(values, pa.string()) for name, values in columns.items()}
    for setup in benchmark.setups:
        tested = np.full(len(corpus), -1, dtype=np.int32)
        for number, fold in enumerate(setup.folds):
            tested[fold.test.documents] = number
        arrays[setup.key] = pa.array(tested, pa.int32(), mask=tested < 0)
    return _columns_as_parquet(arrays)


def _pairs_parquet(benchmark: Benchmark, ids: Sequence[str], side: BenchmarkSide) -> bytes:
    import pyarrow as pa

    names = pa.array(benchmark.documents.ids, pa.string())
    return _columns_as_parquet(
        {
            "id": pa.array(ids, pa.string()),
            "first": names.take(pa.array(side.first)),
            "second": names.take(pa.array(side.second)),
            "same": pa.array(side.same),
            "similarity": pa.array(side.similarity),
        }
    )


def _columns_as_parquet(arrays: Mapping[str, Any]) -> bytes:
    import pyarrow as pa

    # Neither pandas' nor Arrow's own schema goes in: the columns say all, and the bytes depend on nothing else.
    return parquet_bytes(pa.table(dict(arrays)), store_schema=False)


def _pair_ids(benchmark: Benchmark, setup: str, fold: int, name: str, side: BenchmarkSide) -> list[str]:
    tag = benchmark.tag
    return [pair_id(tag, setup, fold, name, number) for number in range(len(side))]


def _pair_lines(benchmark: Benchmark, ids: Sequence[str], side: BenchmarkSide, texts: Sequence[str]) -> Iterator[str]:
    names = _as_json(benchmark.documents.topic_names)
    topics = benchmark.documents.topic_codes.tolist()
    for identity, one, two in zip(ids, side.first.tolist(), side.second.tolist(), strict=True):
        fandoms = f"[{names[topics[one]]}, {names[topics[two]]}]"
        yield f'{{"id": "{identity}", "fandoms": {fandoms}, "pair": [{texts[one]}, {texts[two]}]}}\n'


def _truth_lines(benchmark: Benchmark, ids: Sequence[str], side: BenchmarkSide) -> Iterator[str]:
    corpus = benchmark.documents
    assert corpus.author_names is not None and corpus.author_codes is not None
    names, authors = _as_json(corpus.author_names), corpus.author_codes.tolist()
    rows = zip(ids, side.same.tolist(), side.first.tolist(), side.second.tolist(), strict=True)
    for identity, same, one, two in rows:
        known = f"[{names[authors[one]]}, {names[authors[two]]}]"
        yield f'{{"id": "{identity}", "same": {"true" if same else "false"}, "authors": {known}}}\n'


def _as_json(values: Sequence[str]) -> list[str]:
    """Return each text as JSON, once for all its pairs; in ASCII, because some readers also end a line at U+2028 or U+0085."""
    return [json.dumps(value) for value in values]


def _joined_lines(lines: Iterator[str]) -> Iterator[bytes]:
    while some := "".join(islice(lines, _LINES)):
        yield some.encode()


def readme(benchmark: Benchmark, *, without_train_texts: bool) -> str:
    """Return what a person who is handed the folder needs to know."""
    settings = benchmark.settings
    return Template(_packaged_text("README.template.md")).substitute(
        corpus=_plain_name(benchmark.name),
        documents=f"{benchmark.documents_given:,}",
        sampler=SAMPLERS[RENAMED_SAMPLERS.get(settings.sampler, settings.sampler)].label,
        m=settings.m,
        k=settings.k,
        seeds=", ".join(map(str, settings.random_seeds)),
        kind=settings.pairs,
        pairs=PAIRINGS[settings.pairs].about,
        statistics=_statistics_table(benchmark),
        training_texts=_packaged_text("README.fill_in.md") + "\n" if without_train_texts else "",
    )


def _packaged_text(name: str) -> str:
    """Read a text that lies beside this file."""
    return package_files(__package__ or "").joinpath(name).read_text("utf-8")


def _statistics_table(benchmark: Benchmark) -> str:
    head = "| setup | " + " | ".join(f"{what}, {name}" for name in SIDES for what in COUNTED) + " |"
    lines = [head, "|---" * (1 + len(SIDES) * len(COUNTED)) + "|"]
    found = benchmark_statistics(benchmark)
    lines += [_statistics_row(each.key, each.means) for each in found]
    chance = [each.means for each in found if each.group == "random"]
    mean = {name: {what: float(np.mean([each[name][what] for each in chance])) for what in COUNTED} for name in SIDES}
    return "\n".join([*lines, _statistics_row("random, mean", mean)])


def _statistics_row(name: str, means: Mapping[str, Mapping[str, float]]) -> str:
    cells = (_rounded_count(means[side][what], what) for side in SIDES for what in COUNTED)
    return f"| {name} | " + " | ".join(cells) + " |"


def _rounded_count(value: float, what: str) -> str:
    # m topics in k folds are a handful: where k does not divide m, an integer would misstate them.
    return f"{value:,.1f}".removesuffix(".0") if what == "topics" else f"{value:,.0f}"


def _plain_name(name: str) -> str:
    """Return a corpus's name as one line of text in which nothing is mark-up."""
    return "`" + " ".join(name.replace("`", "'").split()) + "`"


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
            if _is_zip(path):
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
    """Return the archive in memory, for a download."""
    stream = io.BytesIO()
    _write_zip(benchmark, stream, left_out_texts(benchmark, None), progress)
    return stream.getvalue()


def free_path(target: str | os.PathLike[str]) -> Path:
    """Return the absolute path, if a benchmark can be written there."""
    path = Path(os.path.abspath(target))
    if not path.parent.is_dir():
        raise SettingError(f"{path}: there is no folder {path.parent}; make it first, or choose another place.")
    if _is_zip(path) or not path.is_dir():
        if os.path.lexists(path):
            raise SettingError(f"{path}: there is already something of this name; {_TAKEN}.")
        return path
    try:
        if any(path.iterdir()):
            raise SettingError(f"{path}: the folder is not empty, and nothing is overwritten; {_TAKEN}.")
    except OSError as problem:
        raise SettingError(f"{path}: cannot be read ({problem.strerror or problem}); {_TAKEN}.") from None
    return path


def _is_zip(path: Path) -> bool:
    return path.suffix.lower() == ".zip"


def _write_zip(benchmark: Benchmark, stream: BinaryIO, without: bool, progress: Progress | None) -> tuple[int, int]:
    # The archive's own bytes depend on the machine's zlib too; the checksums in the manifest do not.
    with zipfile.ZipFile(stream, "w", compresslevel=_LEVEL) as archive:
        return _write_all(benchmark, _Zip(archive), without, progress)


def _write_all(
    benchmark: Benchmark, target: _Folder | _Zip, without: bool, progress: Progress | None
) -> tuple[int, int]:
    """Write every file, hashed as it is written, and the manifest last; return the number of files and bytes."""
    files: dict[str, dict[str, str | int]] = {}
    total = sum(1 for _ in benchmark.sides())
    done = 0
    for name, pieces in contents(benchmark, without_train_texts=without):
        digest, sizes = hashlib.sha256(), [0]
        target.write(name, _counting_bytes(pieces, digest.update, sizes))
        files[name] = {"sha256": digest.hexdigest(), "bytes": sizes[0]}
        if name.endswith("/truth.jsonl"):
            done += 1
            if progress is not None:
                progress(done, total, "sides of folds", None)
    closing = manifest(benchmark, files, without_train_texts=without)
    target.write(MANIFEST, [closing])
    return len(files) + 1, sum(int(file["bytes"]) for file in files.values()) + len(closing)


def _counting_bytes(pieces: Iterable[bytes], also: Callable[[bytes], None], sizes: list[int]) -> Iterator[bytes]:
    for piece in pieces:
        also(piece)
        sizes[0] += len(piece)
        yield piece


def packed_benchmark(
    corpus: Corpus, vectors: NamedVectors, *, progress: Progress | None = None, **settings: Any
) -> tuple[bytes, tuple[SetupStatistics, ...]]:
    """Return a benchmark with the settings of `build_benchmark` as a zip archive, and what each of its setups holds."""
    benchmark = build_benchmark(corpus, vectors, **settings)
    return benchmark_zip(benchmark, progress=progress), benchmark_statistics(benchmark)


@dataclass(frozen=True, slots=True)
class _Found:
    """The files there are, by name, with their checksums, and a way to their bytes."""

    name: str
    checksums: Mapping[str, str]
    read: Read


def read_benchmark(given: GivenBenchmark, *, most_bytes: int = MOST_WRITTEN * 2) -> Benchmark:
    """Read the benchmark in a folder or a zip archive (a path, bytes or an upload); any changed file is named."""
    found = _benchmark_files(given, most_bytes)
    if MANIFEST not in found.checksums:
        raise InputError(f"{found.name}: no {MANIFEST}; give the folder or the archive that `raven` wrote.")
    record = _manifest(found)
    _check_files(found, record["files"])
    try:
        return _benchmark(found, record)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as problem:
        # Checksums fit, so the file was made this way: by something else than Leakscope.
        raise InputError(
            f"{found.name}: the manifest and the tables do not fit together ({repr(problem)[:200]}); {_AGAIN}."
        ) from None


def _benchmark_files(given: GivenBenchmark, most_bytes: int) -> _Found:
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
    # Who packs the folder again often packs the folder's name with it.
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
            f"{found.name}: version 1 of the format, whose ids give the truth away (even numbers are pairs by one author, odd "
            "ones by two). No score on it can be trusted. Build it again."
        )
    if record.get("format_version") == 2:
        raise InputError(
            f"{found.name}: version 2 of the format, in which how often a text occurs gives the truth away. No score on it can be "
            "trusted. Build it again."
        )
    if record.get("format_version") != FORMAT_VERSION:
        raise InputError(
            f"{found.name}: written in version {record.get('format_version')!r} of the format, and this Leakscope reads "
            f"version {FORMAT_VERSION}; build it again."
        )
    if data != signed(record):
        raise InputError(f"{found.name}: {MANIFEST} has been changed since it was written; {_AGAIN}.")
    return record


def _check_files(found: _Found, files: Mapping[str, Any]) -> None:
    there = {name: checksum for name, checksum in found.checksums.items() if name != MANIFEST}
    changed = {name for name in files if there.get(name) != files[name].get("sha256")}
    for fact, names, fix in (
        ("missing", set(files) - set(there), _AGAIN),
        ("no part of the benchmark", set(there) - set(files), "move it elsewhere"),
        ("changed since it was written", changed, _AGAIN),
    ):
        if names:
            more = f" (and {len(names) - 1:,} more)" if len(names) > 1 else ""
            raise InputError(f"{found.name}: {min(names)[:200]}{more} is {fact}; {fix}.")


def _benchmark(found: _Found, record: dict[str, Any]) -> Benchmark:
    chosen, origin = record["settings"], record["corpus"]
    seeds = tuple(chosen["random_seeds"])
    kinds = chosen["pairs"], chosen["similarity"]
    sampler = chosen.get("sampler", "hits")
    settings = BenchmarkSettings(chosen["m"], chosen["k"], chosen["seed"], seeds, record["encoder"], *kinds, sampler)
    table = _parquet_table(found, "documents.parquet")
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
                _read_side(found, documents, here[name], side_folder(key, fold, name), rows, told[name]["left_out"])
                for name in SIDES
            )
            folds.append(BenchmarkFold(*sides))
        if setup["group"] not in SETUP_GROUPS:
            raise ValueError(setup["group"])
        setups.append(BenchmarkSetup(key, setup["group"], setup["seed"], tuple(folds)))
    benchmark = Benchmark(
        origin["name"], origin["fingerprint"], origin["documents"], settings, documents, tuple(setups)
    )
    if benchmark.tag != record["tag"]:
        raise ValueError("tag")
    return benchmark


def _read_side(
    found: _Found, documents: Corpus, here: Ints, folder: str, rows: Mapping[str, int], left_out: int
) -> BenchmarkSide:
    table = _parquet_table(found, f"{folder}/pairs.parquet")
    first, second = (np.array([rows[each] for each in table[name]], dtype=np.int64) for name in ("first", "second"))
    if not (np.isin(first, here).all() and np.isin(second, here).all()):
        raise ValueError(f"{folder}: a pair of documents that are not on this side")
    topics = tuple(documents.topic_names[code] for code in np.unique(documents.topic_codes[here]))
    same = (table["same"] == "true").to_numpy(dtype=np.bool_)
    return BenchmarkSide(
        topics, here, first, second, same, table["similarity"].to_numpy(dtype=np.float64), int(left_out)
    )


def _parquet_table(found: _Found, name: str) -> pd.DataFrame:
    """Read a table's cells as text, through the reader that trusts no file."""
    return read_parquet(Source(name, (File(name, found.read(name)),), bundle=False)).frame


@record
class BenchmarkAnswers:
    """A benchmark's test pairs with the answers of several systems, and what each of its setups holds."""

    pairs: tuple[TestPairs, ...]
    systems: tuple[SystemAnswers, ...]
    statistics: tuple[SetupStatistics, ...]
    pairing: str


def read_benchmark_answers(archive: File, answers: Sequence[File]) -> BenchmarkAnswers:
    """Read a benchmark's archive and a file of answers per system, each named by its file."""
    benchmark = read_benchmark(archive.stream())
    sheet = answer_sheet(benchmark)
    systems = tuple(read_system(sheet, [each.stream()], name=Path(each.name).stem) for each in answers)
    return BenchmarkAnswers(sheet.pairs, systems, benchmark_statistics(benchmark), benchmark.settings.pairs)
