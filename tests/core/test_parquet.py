"""Parquet: one way to open a file and one to write one, within limits, whoever wrote it."""

import hashlib

import pyarrow as pa
import pytest

from core.arrays import text_digest
from core.parquet import MOST_FOOTER, opened_parquet, parquet_bytes, unpacked_size
from tests.conftest import ROOT

TABLE = pa.table({"text": ["one", "two", "one"], "topic": ["a", "b", "a"]})
SOURCES = {file.relative_to(ROOT).as_posix(): file.read_text("utf-8") for file in (ROOT / "core").rglob("*.py")}


def test_what_is_written_is_read(tmp_path):
    content = parquet_bytes(TABLE)
    (tmp_path / "c.parquet").write_bytes(content)
    for given in (content, tmp_path / "c.parquet"):
        with opened_parquet(given) as opened:
            assert opened.read().equals(TABLE)
            assert unpacked_size(opened) > 0
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
        assert {name for name, source in SOURCES.items() if words in source} <= {"core/parquet.py"}, words


def test_the_hash_of_a_text_is_computed_in_one_place():
    text = "half of a pair: \ud83d"
    assert text_digest(text) == hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    twice = 'hashlib.sha256(text.encode("utf-8", "surrogatepass")'
    assert {name for name, source in SOURCES.items() if twice in source} == {"core/arrays.py"}
