"""Broken files at every reader: a Table, a Corpus or one of our own errors comes back, soon, and nothing else."""

import io
import json
import random
import time
import tracemalloc
import zipfile

import pytest

from core.corpora import Corpus
from core.corpora.readers import READERS, File, Source, Table, read_source, table_corpus
from core.errors import InputError, LeakscopeError
from tests.core.reader_files import PAIRS, ROWS, TRUTH, WRITERS, lines, write_parquet, write_zip

LONGER = [(f"A text with é, number {n}. " * 5, f"topic {n % 4}", f"author {n % 3}", f"d{n}") for n in range(40)]
FOLDERS = {f"topic {n % 3}/{n}.txt": f"From: a{n % 2}@x.org\n\nText {n}. " * 3 for n in range(12)}
MANY_PAIRS = [{"id": f"p{n}", "fandoms": ["A", "B"], "pair": [f"é {n}" * 9, "y" * 40]} for n in range(9)]
MANY_TRUTHS = [{"id": f"p{n}", "same": False, "authors": [f"u{n}", "v"]} for n in range(9)]
VALID: dict[str, tuple[str, bytes]] = {
    "csv": ("x.csv", WRITERS["x.csv"](LONGER)),
    "tsv": ("x.tsv", WRITERS["x.tsv"](LONGER)),
    "jsonl": ("x.jsonl", WRITERS["x.jsonl"](LONGER)),
    "parquet": (
        "x.parquet",
        write_parquet(LONGER, emb=[[float(n), 1.0] for n in range(40)], year=list(range(40)), tags=[["x"]] * 40),
    ),
    "folders": ("x.zip", write_zip(FOLDERS)),
    "pan": ("x.zip", write_zip({"pairs.jsonl": lines(MANY_PAIRS), "truth.jsonl": lines(MANY_TRUTHS)})),
}
ROUNDS = 150


def survive(read) -> str:
    """Run a reader; what it may give is a Table whose columns can be tried, a Corpus, or our own error."""
    start = time.process_time()
    try:
        found = read()
        assert isinstance(found, Table | Corpus)
        if isinstance(found, Table):
            guessed = {"text": found.columns[0], "topic": found.columns[-1]}
            guessed |= {role: column for role, column in found.roles.items() if column is not None}
            table_corpus(found, **guessed)
    except LeakscopeError as error:
        assert len(str(error)) > 20 and "\n" not in str(error).strip(), str(error)
        return str(error)
    finally:
        assert time.process_time() - start < 5, "a broken file must not take long"
    return ""


def through_every_door(format, name, data):
    """As the user's file, by its name and without one, and straight into the reader of the format."""
    survive(lambda: read_source(data, name=name))
    survive(lambda: read_source(data))
    survive(lambda: READERS[format].read(Source(name, (File(name, data),), bundle=False)))
    survive(lambda: READERS[format].read(Source(name, (File("a/1", data), File("b/2", data)), bundle=True)))


def test_every_reader_has_a_valid_file_that_reads():
    assert set(VALID) == set(READERS)
    for name, data in VALID.values():
        assert isinstance(read_source(data, name=name), Table | Corpus)
    assert len(read_source([io.BytesIO(lines(PAIRS)), io.BytesIO(lines(TRUTH))])) == 3


@pytest.mark.parametrize("format", READERS)
def test_random_bytes(format):
    rng = random.Random(1)
    for length in (1, 2, 7, 40, 300, 3_000) * 8:
        noise = rng.randbytes(length)
        through_every_door(format, VALID[format][0], noise)
        through_every_door(format, VALID[format][0], VALID[format][1][:4] + noise)
        through_every_door(format, VALID[format][0], bytes(rng.choices(b'\n\r\t,;|"{}[]:a1\\\x00\xe9\xff', k=length)))


@pytest.mark.parametrize("format", READERS)
def test_truncated_files(format):
    name, data = VALID[format]
    for end in random.Random(2).sample(range(1, len(data)), min(60, len(data) - 1)):
        through_every_door(format, name, data[:end])
        through_every_door(format, name, data[end:])


@pytest.mark.parametrize("format", READERS)
def test_flipped_bits(format):
    rng = random.Random(3)
    name, data = VALID[format]
    for _ in range(ROUNDS):
        broken = bytearray(data)
        for place in rng.sample(range(len(data)), rng.choice((1, 2, 8))):
            broken[place] ^= 1 << rng.randrange(8)
        survive(lambda broken=bytes(broken): read_source(broken, name=name))
    # The footer of a Parquet file and the directory of a zip archive are where flips hurt most.
    for place in range(max(0, len(data) - 400), len(data)):
        broken = data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :]
        survive(lambda broken=broken: read_source(broken, name=name))


@pytest.mark.parametrize("format", READERS)
def test_wrong_names(format):
    _, data = VALID[format]
    for name in ("x.csv", "x.tsv", "x.jsonl", "x.parquet", "x.zip", "x.xlsx", "x", "x.", ".csv", "x.exe", "a/../b.csv"):
        survive(lambda name=name: read_source(data, name=name))
        for other in READERS:
            survive(lambda name=name, other=other: READERS[other].read(Source(name, (File(name, data),), bundle=False)))


@pytest.mark.parametrize("bad", [b"\xff", b"\xc3", b"\xc3\x28", b"\xe2\x82", b"\xed\xa0\x80", b"\xf8\x88", b"\xfe\xff"])
@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl", "pan"])
def test_malformed_utf8(format, bad):
    name, data = VALID[format] if format != "pan" else ("x.jsonl", lines(PAIRS))
    for text in (data, data.decode().replace("é", "e").encode()):
        for place in (0, len(text) // 2, len(text)):
            through_every_door(format, name, text[:place] + bad + text[place:])


def bomb(size):
    out = io.BytesIO()
    with (
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("a/1", "w", force_zip64=True) as entry,
    ):
        for _ in range(size // 1_000_000):
            entry.write(bytes(1_000_000))
    return out.getvalue()


def lying(archive, claimed):
    """The same archive with another unpacked size in its headers."""
    data = bytearray(archive)
    entry = data.index(b"PK\x01\x02")
    data[entry + 24 : entry + 28] = claimed.to_bytes(4, "little")
    return bytes(data)


def test_bombs_stop_early_in_time_and_memory():
    archive = bomb(300_000_000)
    assert len(archive) < 400_000
    tracemalloc.start()
    message = survive(lambda: read_source(archive, name="x.zip"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "200 times" in message and peak < 150_000_000
    for claimed in (0, 10, 2**32 - 2):
        survive(lambda claimed=claimed: read_source(lying(archive, claimed), name="x.zip"))
    inner = write_zip({f"{n}.zip": bomb(1_000_000) for n in range(3)})
    assert "archive inside the archive" in survive(lambda: read_source(inner, name="x.zip"))


@pytest.mark.parametrize("path", ["../1", "a/../../1", "/etc/1", "\\\\host\\a\\1", "C:/a/1", "..\\a\\1", "a/\x00/1"])
def test_paths_that_climb(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("placeholder")
        info.filename = path
        archive.writestr(info, "x")
        archive.writestr("b/2", "y")
    with pytest.raises(InputError):
        read_source(out.getvalue(), name="x.zip")
    assert list(tmp_path.iterdir()) == [], "nothing is ever written"


@pytest.mark.parametrize("format", READERS)
def test_long_lines_and_deep_nesting(format):
    name = VALID[format][0]
    deep = 100_000
    for data in (
        b"x" * 17_000_000,
        b"," * 2_000_000,
        b"text,topic\n" + b"\n" * 300_000,
        b'text,topic\n"' + b"x\n" * 300_000,
        b'{"pair": ' + b"[" * deep + b"]" * deep + b"}",
        b'{"a": ' + b'{"a": ' * deep,
        json.dumps({"text": [ROWS] * 3, "topic": {"a": None}}).encode(),
        b"\n".join(b'{"k%d": 1}' % n for n in range(3_000)),
        b'{"text": "a", "topic": "b", "v": [1' + b"0" * 400 + b"]}",
        b'{"text": "a", "topic": "b", "v": [NaN, Infinity]}\n{"text": "a", "topic": "c", "v": [1, 2]}',
    ):
        through_every_door(format, name, data)
