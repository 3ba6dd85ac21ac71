"""The files of a benchmark on disk, byte for byte the same everywhere: tables, lines, manifest and README."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files as package_files
from itertools import islice
from string import Template
from typing import Any

import numpy as np

from ... import __version__
from ...corpora import UNKNOWN_AUTHOR
from ...corpora.readers import MOST_BYTES_HERE, size_of
from ...errors import SettingError
from ...parquet import parquet_bytes
from ...splits import PAIRINGS
from ...topics import SAMPLERS
from .benchmark import (
    COUNTED,
    FORMAT,
    FORMAT_VERSION,
    SIDES,
    Benchmark,
    BenchmarkSetup,
    BenchmarkSide,
    SetupStatistics,
    benchmark_statistics,
    pair_id,
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


def left_out_texts(benchmark: Benchmark, train_texts: bool | None) -> bool:
    """Whether training pairs are told by id only: as asked, or (None) as the room allows; refuses what is too large."""
    sizes = np.array([len(piece) for piece in _as_json(benchmark.documents.texts)], dtype=np.int64)
    total = dict.fromkeys(SIDES, 0)
    for *_, name, side in benchmark.sides():
        total[name] += int(sizes[side.first].sum() + sizes[side.second].sum())
    without = sum(total.values()) > ROOM if train_texts is None else not train_texts
    written = total["test"] + (0 if without else total["train"])
    if written > MOST_WRITTEN:
        remedy = "choose fewer topics, folds or documents per topic" + (
            "" if without else ", or leave training texts out"
        )
        raise SettingError(
            f"The pairs' texts take {size_of(written)}; at most {size_of(MOST_WRITTEN)} are written. {remedy.capitalize()}."
        )
    return without


def contents(benchmark: Benchmark, *, without_train_texts: bool) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Each file's name and its bytes in pieces, all but the manifest, which needs their checksums."""
    yield "README.md", iter([readme(benchmark, without_train_texts=without_train_texts).encode()])
    yield "documents.parquet", iter([documents_parquet(benchmark)])
    texts = _as_json(benchmark.documents.texts)
    for setup, fold, name, side in benchmark.sides():
        folder, ids = side_folder(setup.key, fold, name), _ids(benchmark, setup.key, fold, name, side)
        yield f"{folder}/pairs.parquet", iter([_pairs_parquet(benchmark, ids, side)])
        if name == "test" or not without_train_texts:
            yield f"{folder}/pairs.jsonl", _joined(_pair_lines(benchmark, ids, side, texts))
        yield f"{folder}/truth.jsonl", _joined(_truth_lines(benchmark, ids, side))


def side_folder(setup: str, fold: int, side: str) -> str:
    """Where the files of a side are."""
    return f"{setup}/fold-{fold}/{side}"


def manifest(benchmark: Benchmark, files: Mapping[str, Mapping[str, Any]], *, without_train_texts: bool) -> bytes:
    """Every setting, seed and version, the topics of every fold, and every file's size and checksum."""
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
    """A manifest's one spelling, closed by a checksum of the rest, so that a change in it shows too."""
    rest = {key: value for key, value in record.items() if key != "checksum"}
    plain = json.dumps(rest, sort_keys=True).encode()
    whole = rest | {"checksum": hashlib.sha256(plain).hexdigest()}
    return (json.dumps(whole, indent=1) + "\n").encode()


def documents_parquet(benchmark: Benchmark) -> bytes:
    """Every document once: id, text, author, topic, and for each setup the fold in whose test side it is."""
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
    return _parquet(arrays)


def _pairs_parquet(benchmark: Benchmark, ids: Sequence[str], side: BenchmarkSide) -> bytes:
    import pyarrow as pa

    names = pa.array(benchmark.documents.ids, pa.string())
    return _parquet(
        {
            "id": pa.array(ids, pa.string()),
            "first": names.take(pa.array(side.first)),
            "second": names.take(pa.array(side.second)),
            "same": pa.array(side.same),
            "similarity": pa.array(side.similarity),
        }
    )


def _parquet(arrays: Mapping[str, Any]) -> bytes:
    import pyarrow as pa

    # Neither pandas' nor Arrow's own schema goes in: the columns say all, and the bytes hang on nothing else.
    return parquet_bytes(pa.table(dict(arrays)), store_schema=False)


def _ids(benchmark: Benchmark, setup: str, fold: int, name: str, side: BenchmarkSide) -> list[str]:
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
    """Each text as JSON, once for all pairs it is in; in ASCII, for some readers also end a line at U+2028 or U+0085."""
    return [json.dumps(value) for value in values]


def _joined(lines: Iterator[str]) -> Iterator[bytes]:
    while some := "".join(islice(lines, _LINES)):
        yield some.encode()


def readme(benchmark: Benchmark, *, without_train_texts: bool) -> str:
    """What a person who is handed the folder needs to know."""
    settings = benchmark.settings
    return Template(_text("README.template.md")).substitute(
        corpus=_plain_name(benchmark.name),
        documents=f"{benchmark.documents_given:,}",
        sampler=SAMPLERS[settings.sampler].label,
        m=settings.m,
        k=settings.k,
        seeds=", ".join(map(str, settings.random_seeds)),
        kind=settings.pairs,
        pairs=PAIRINGS[settings.pairs].about,
        statistics=_statistics_table(benchmark),
        training_texts=_text("README.fill_in.md") + "\n" if without_train_texts else "",
    )


def _text(name: str) -> str:
    """A text that lies beside this file."""
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
    cells = (_rounded(means[side][what], what) for side in SIDES for what in COUNTED)
    return f"| {name} | " + " | ".join(cells) + " |"


def _rounded(value: float, what: str) -> str:
    # m topics in k folds are a handful: where k does not divide m, a whole number would misstate them.
    return f"{value:,.1f}".removesuffix(".0") if what == "topics" else f"{value:,.0f}"


def _plain_name(name: str) -> str:
    """A corpus's name as one line of text in which nothing is mark-up."""
    return "`" + " ".join(name.replace("`", "'").split()) + "`"
