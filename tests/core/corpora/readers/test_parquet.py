"""Parquet: one way to open a file and one to write one, within limits, whoever wrote it."""

import contextlib
import hashlib
import io
import sys
import tracemalloc

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from core.arrays import text_digest
from core.corpora.readers import File, opened_parquet, parquet_bytes, read_corpus, read_source, unpacked_size
from core.corpora.readers.parquet import MOST_FOOTER, page_sizes
from core.errors import InputError
from tests.conftest import ROOT
from tests.core.corpora import bombs

TABLE = pa.table({"text": ["one", "two", "one"], "topic": ["a", "b", "a"]})
SOURCES = {file.relative_to(ROOT).as_posix(): file.read_text("utf-8") for file in (ROOT / "core").rglob("*.py")}


def test_what_is_written_is_read(tmp_path):
    content = parquet_bytes(TABLE)
    (tmp_path / "c.parquet").write_bytes(content)
    for given in (content, tmp_path / "c.parquet"):
        with opened_parquet(given) as opened:
            assert opened.read().equals(TABLE)
        assert unpacked_size(given) > 0
    assert parquet_bytes(TABLE) == content, "the same table is the same bytes"


def test_words_come_as_dictionaries():
    opened = opened_parquet(parquet_bytes(TABLE), words=["text"])
    assert [pa.types.is_dictionary(field.type) for field in opened.schema_arrow] == [True, False]


def test_a_footer_that_would_fill_the_memory_is_refused():
    content = parquet_bytes(TABLE.replace_schema_metadata({"about": "x" * (MOST_FOOTER + 1)}))
    with pytest.raises((pa.ArrowException, OSError), match="(?i)thrift"):
        opened_parquet(content)


def test_nobody_opens_a_file_otherwise():
    for words in ("ParquetFile(", "read_table(", "pd.read_parquet(", "thrift_", "pq.write_table("):
        assert {name for name, source in SOURCES.items() if words in source} <= {"core/corpora/readers/parquet.py"}, (
            words
        )


def test_the_hash_of_a_text_is_computed_in_one_place():
    text = "half of a pair: \ud83d"
    assert text_digest(text) == hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    twice = 'hashlib.sha256(text.encode("utf-8", "surrogatepass")'
    assert {name for name, source in SOURCES.items() if twice in source} == {"core/arrays.py"}


def written(table: pa.Table, **options) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return sink.getvalue()


texts = st.lists(st.text(max_size=30), min_size=1, max_size=300)


@drawn(texts, st.sampled_from(["none", "snappy", "zstd"]), st.booleans(), st.sampled_from(["1.0", "2.0"]))
@settings(max_examples=40, deadline=None)
def test_page_headers_say_what_pyarrow_says_of_an_honest_file(cells, compression, dictionary, version):
    table = pa.table({"text": cells, "tags": [[cell, "x"] for cell in cells], "n": range(len(cells))})
    options = {"compression": compression, "use_dictionary": dictionary, "data_page_version": version}
    data = written(table, row_group_size=100, data_page_size=200, **options)
    about = pq.read_metadata(io.BytesIO(data))
    found = page_sizes(data)
    for number, (path, sizes) in enumerate(found.items()):
        chunks = [about.row_group(group).column(number) for group in range(about.num_row_groups)]
        assert ".".join(path) == chunks[0].path_in_schema
        assert sizes.values == sum(chunk.num_values for chunk in chunks)
        assert 0 < sizes.size <= sum(chunk.total_uncompressed_size for chunk in chunks)  # which counts headers too
    assert set(page_sizes(data, ["n"])) == {("n",)}


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY", "PLAIN"])
def test_texts_are_read_in_every_encoding(encoding):
    cells = {"text": [f"text {n}" for n in range(5_000)], "topic": ["a", "b"] * 2_500}
    data = written(pa.table(cells), use_dictionary=False, column_encoding=dict.fromkeys(cells, encoding))
    found = read_corpus(data, name="x.parquet")
    assert (list(found.texts), found.topics) == (cells["text"], cells["topic"])


def test_prefixes_that_would_fill_the_memory_are_read_a_few_at_a_time():
    """Each text is the one before it, which takes no space in this encoding."""
    table = pa.table({"text": ["x" * 900_000] * 500, "topic": ["a", "b"] * 250})
    data = written(table, use_dictionary=["topic"], column_encoding={"text": "DELTA_BYTE_ARRAY"})
    before = pa.default_memory_pool().max_memory()
    del table
    assert len(data) < 2_000_000
    found = read_source(data, name="x.parquet")
    assert len({id(cell) for cell in found.frame["text"]}) == 1
    assert pa.default_memory_pool().max_memory() <= max(before, 200_000_000)


def test_a_few_texts_that_are_repeated_count_each_time():
    """They take memory once here, and every time in what is computed from them."""
    texts = pa.DictionaryArray.from_arrays(pa.array([0, 1] * 1_000, pa.int32()), ["x" * 900_000, "y" * 900_000])
    data = written(pa.table({"text": texts, "topic": ["a", "b"] * 1_000}), compression="zstd")
    assert len(data) < 10_000
    with pytest.raises(InputError, match="unpacks to .* the limit is 500 MB"):
        read_source(data, name="x.parquet")


def test_a_forged_footer_is_refused_before_anything_is_unpacked(monkeypatch):
    file = bombs.forged_footer(5_000_000)
    about = pq.read_metadata(io.BytesIO(file.data))
    assert sum(about.row_group(group).total_byte_size for group in range(3)) < 5_000_000
    monkeypatch.setattr("core.corpora.readers.sources.MOST_UNPACKED", 0)
    monkeypatch.setattr("core.corpora.readers.parquet._read_columns", lambda *_: pytest.fail("pages were unpacked"))
    with pytest.raises(InputError, match="unpacks to 15 MB; the limit is 8 MB"):
        read_source(file, most_bytes=8_000_000)


def test_columns_that_nobody_asked_for_are_not_read():
    file = bombs.unused_columns(rows=20_000)
    tracemalloc.start()
    found = read_source(file, wanted=("text", "topic"))
    read_corpus(File("x.parquet", file.data))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.columns == ("text", "topic") and len(found.unread) == 36
    assert peak < 10_000_000
    with pytest.raises(InputError, match="no column 'c99' for the topic.*Did you mean 'c9'"):
        read_corpus(file.data, name="x.parquet", topic="c99")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux bounds memory in this way")
def test_the_command_line_reads_under_a_limit_of_memory(tmp_path, monkeypatch):
    file = tmp_path / "long.parquet"
    file.write_bytes(bombs.long_texts().data)
    monkeypatch.setattr("core.corpora.readers.READ_MEMORY", 300_000_000)
    with pytest.raises(InputError, match="long.parquet: reading it takes more memory than is allowed"):
        read_corpus(file)


@drawn(st.data())
@settings(max_examples=300, deadline=None)
def test_a_changed_byte_gives_sizes_or_a_value_error(data):
    content = bytearray(written(TABLE, data_page_size=10))
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(ValueError):
        assert all(sizes.unpacked >= 0 for sizes in page_sizes(bytes(content)).values())
