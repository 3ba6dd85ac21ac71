"""Every refusal names the place and the fix."""

import io
import struct

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.corpora.readers import Expected, read_corpus, read_source
from core.corpora.readers import sources as limits
from core.errors import InputError, SettingError
from tests.core.reader_files import PAIRS, ROWS, TRUTH, WRITERS, lines, write_csv, write_jsonl, write_parquet, write_zip


def good(**more):
    return write_csv(ROWS, **more)


REFUSALS = {
    "empty": ("x.csv", b"", ["empty"]),
    "png": ("x.csv", b"\x89PNG\r\n\x1a\n0000", ["PNG image", ".csv", "file of texts"]),
    "parquet as csv": ("x.csv", write_parquet(ROWS), ["Parquet", ".csv", "rename it to .parquet"]),
    "csv as parquet": ("x.parquet", good(), ["not a Parquet file", ".parquet"]),
    "jsonl as csv": ("x.csv", write_jsonl(ROWS), ["JSON lines", "rename it to .jsonl"]),
    "html as jsonl": ("x.jsonl", b"<!DOCTYPE html><p>", ["HTML", "download the data file itself"]),
    "zip as csv": ("x.csv", write_zip({"a/b": "x"}), ["zip archive", "rename it to .zip"]),
    "gzip": ("x.csv.gz", b"\x1f\x8b\x08", ["gzip", "unpack"]),
    "xlsx": ("x.xlsx", write_zip({"[Content_Types].xml": "", "xl/a.xml": ""}), ["spreadsheet", "save it as CSV"]),
    "xlsx as zip": ("x.zip", write_zip({"[Content_Types].xml": "", "xl/a.xml": ""}), ["Excel", "save it as CSV"]),
    "pickle": ("x.pkl", b"\x80\x04\x95", ["pickle", "never opened", "Parquet or CSV"]),
    "unknown end": ("x.docx", b"plain", [".docx", ".csv"]),
    "nul": ("x.csv", b"text,topic\na,b\nc\0,d\n", ["line 3", "NUL", "UTF-8"]),
    "utf-16 without mark": ("x.csv", good(encoding="utf-16-le"), ["line 1", "NUL", "UTF-16", "save the file as UTF-8"]),
    "broken utf-8": ("x.csv", "text,topic\né,b\n".encode() + b"\xff,\xc3\xa9\n", ["line 3", "not UTF-8", "UTF-8 again"]),
    "cyrillic": ("x.csv", "text,topic\nВсе люди рождаются,б\n".encode("cp1251"), ["line 2", "save the file as UTF-8"]),
    "one column": ("x.csv", b"words\na\n", ["only one column", "commas"]),
    "tsv without tabs": ("x.tsv", good(), ["no tab", "rename it to .csv"]),
    "ragged": ("x.csv", b'text,topic\n"a\nb",c\nd,e,f\n', ["line 4 (row 2)", "3 fields", "has 2.", "double quotes"]),
    "open quote": ("x.csv", b'text,topic\na,b\n"c,d\n', ["line 3 (row 2)", "never closed", "close it"]),
    "after quote": ("x.csv", b'text,topic\n"a"b,c\n', ["line 2 (row 1)", "closing double quote", "double those"]),
    "long cell": ("x.csv", b"text,topic\n" + b"x" * 1_000_001 + b",b\n", ["line 2 (row 1)", "1,000,000", "split"]),
    "same names": ("x.csv", b"text,topic,text\na,b,c\n", ["columns 1 and 3", "called 'text'", "rename"]),
    "lone carriage return": ("x.csv", b"a\rb\n1\n2\n", ["only one column", "commas"]),
    "one topic": ("x.csv", b"text,topic\none,a\ntwo,a\n", ["topic 'a'", "at least 2 topics"]),
    "header only": ("x.csv", b"text,topic\n", ["no documents"]),
    "empty topic": ("x.csv", b"text,topic\na,b\nc, \n", ["row 2", "no topic", "fill it in or delete"]),
    "null topic": ("x.jsonl", b'{"text":"a","topic":"b"}\n{"text":"c","topic":null}', ["row 2", "no topic"]),
    "json list": ("x.jsonl", b'[{"text": "a"}]', ["line 1", "a list", "one object per line"]),
    "json spread": ("x.json", b'[\n{"text": "a"}\n]', ["line 1", "starts a list", "one object per line"]),
    "not json": ("x.jsonl", b'{"text": "a"}\n{"text": oops}', ["line 2", "character 10", "one object per line"]),
    "deep json": ("x.jsonl", b'{"a":' + b"[" * 200_000, ["line 1", "nested too deeply", "flat"]),
    "long number": ("x.jsonl", b'{"a": ' + b"9" * 5_000 + b"}", ["line 1", "number", "string"]),
    "long line": ("x.jsonl", b'{"a": "' + b"9" * 16_000_001, ["line 1", "16,000,000", "one object per line"]),
    "truth alone": ("truth.jsonl", lines(TRUTH), ["truth", "pairs.jsonl"]),
    "pan twice": ("p.jsonl", lines([PAIRS[0]] * 2), ["line 2", "'p1'", "line 1"]),
    "pan topics": ("p.jsonl", lines([{"id": "p", "pair": ["a", "b"]}]), ["line 1", "'fandoms'", "two texts"]),
    "pan empty topic": ("p.jsonl", lines([{**PAIRS[0], "fandoms": ["A", ""]}]), ["line 1", "is empty", "delete"]),
    "long document": ("x.zip", write_zip({"a/1": "x", "b/2": "é, " * 400_000}), ["'b/2'", "1,200,000", "Split"]),
    "pan long": ("p.jsonl", lines([{**PAIRS[0], "pair": ["x" * 1_000_001, "y"]}]), ["line 1", "1,000,001", "Split"]),
    "pan id": ("p.jsonl", lines([{**PAIRS[0], "id": None}]), ["line 1", "no 'id'"]),
    "climb": ("x.zip", write_zip({"../a/b": "x"}), ["'../a/b'", "outside", "relative paths"]),
    "absolute": ("x.zip", write_zip({"/a/b": "x"}), ["outside", "relative paths"]),
    "drive": ("x.zip", write_zip({"C:\\a\\b": "x"}), ["outside", "relative paths"]),
    "nested zip": ("x.zip", write_zip({"a/b.txt": write_zip({"c": "x"})}), ["'a/b.txt'", "archive inside", "unpack it"]),
    "bomb": ("x.zip", write_zip({"a/b": b"0" * 20_000_000}), ["200 times", "unpacked"]),
    "no entries": ("x.zip", write_zip({}), ["no files"]),
    "depths": ("x.zip", write_zip({"a/1": "x", "b/c/2": "y"}), ["'a/1' and 'b/c/2'", "different depths", "directly"]),
    "outside": ("x.zip", write_zip({"a/1": "x", "README": "y"}), ["'README'", "in no topic folder", "move"]),
    "picture inside": ("x.zip", write_zip({"a/1": "x", "a/2": b"\x89PNG"}), ["'a/2'", "PNG", "delete"]),
    "nul inside": ("x.zip", write_zip({"a/1": "x", "b/2": b"x\n\0"}), ["'b/2'", "line 2", "NUL", "UTF-8"]),
    "two tables": ("x.zip", write_zip({"a.csv": "x", "b.csv": "y"}), ["2 tables", "one at a time"]),
    "damaged zip": ("x.zip", write_zip({"a/1": "x" * 500})[:-30], ["damaged", "pack it again"]),
    "damaged parquet": ("x.parquet", write_parquet(ROWS)[:-9], ["damaged", "write it again"]),
    "same parquet names": ("x.parquet", None, ["two columns", "'text'", "rename"]),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSALS)
def test_refusals_name_place_and_fix(case):
    name, data, words = REFUSALS[case]
    if data is None:
        out = io.BytesIO()
        pq.write_table(pa.Table.from_arrays([pa.array(["x"])] * 2, names=["text", "text"]), out)
        data = out.getvalue()
    with pytest.raises(InputError) as error:
        read_corpus(data, name=name)
    assert [word for word in words if word.lower() not in str(error.value).lower()] == [], str(error.value)
    assert str(error.value).startswith((name, "Row "))


def test_a_damaged_archive_is_not_quoted_in_a_sentence():
    data = bytearray(write_zip({"a/1": "".join(map(str, range(9_000)))}))
    data[26:28] = struct.pack("<H", 4_000)  # as if the name of the first file were this long
    with pytest.raises(InputError, match="the zip archive is damaged") as error:
        read_corpus(bytes(data), name="x.zip")
    assert len(str(error.value)) < 300


def patched_entry(flag=0, mode=0, method=None):
    """A zip archive whose only entry claims to be encrypted, a link, or packed in an unusual way."""
    data = bytearray(write_zip({"a/b": "x"}))
    entry = data.index(b"PK\x01\x02")
    data[entry + 8] |= flag
    data[entry + 38 : entry + 42] = struct.pack("<I", mode << 16)
    if method is not None:
        data[entry + 10 : entry + 12] = struct.pack("<H", method)
    return bytes(data)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"flag": 1}, "encrypted. Pack it again without a password"),
        ({"mode": 0o120777}, "link"),
        ({"method": 14}, "unusual"),
    ],
)
def test_entries_that_are_not_plain_files_are_refused(change, words):
    with pytest.raises(InputError, match=words):
        read_corpus(patched_entry(**change), name="x.zip")


def test_links_and_absent_paths_are_refused(tmp_path):
    (tmp_path / "corpus" / "a").mkdir(parents=True)
    with pytest.raises(InputError, match="has no files"):
        read_corpus(tmp_path / "corpus")
    (tmp_path / "corpus" / "a" / "1").symlink_to("/etc/hostname")
    with pytest.raises(InputError, match="'a/1' is a link"):
        read_corpus(tmp_path / "corpus")
    for path in ("absent.csv", "x" * 5_000, "nul\0.csv"):
        with pytest.raises(InputError, match="Check the path"):
            read_corpus(tmp_path / path)


def test_limits_stop_the_reading(monkeypatch, tmp_path):
    with pytest.raises(InputError, match=r"more than 10 bytes, the limit\. Take a sample"):
        read_source(good(), name="x.csv", most_bytes=10)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "1").write_text("x" * 50)
    with pytest.raises(InputError, match="the files have more than 10 bytes"):
        read_source(tmp_path, most_bytes=10)
    monkeypatch.setattr("core.corpora.readers.sources.MOST_FILES", 2)
    with pytest.raises(InputError, match="more than 2 entries"):
        read_source(write_zip({f"a/{n}": "x" for n in range(3)}), name="x.zip")
    monkeypatch.setattr("core.corpora.readers.sources.MOST_UNPACKED", 100)
    with pytest.raises(InputError, match="unpacks to more than 1 kB"):
        read_source(write_zip({"a/1": "x" * 5_000}), name="x.zip", most_bytes=1_000)
    monkeypatch.setattr("core.corpora.readers.tables.MOST_DOCUMENTS", 2)
    for name in ("x.csv", "x.jsonl", "x.parquet"):
        with pytest.raises(InputError, match=r"rows.*Take a sample"):
            read_source(WRITERS[name](ROWS), name=name)
    wide = [f"c{n}" for n in range(limits.MOST_COLUMNS + 1)]
    for data, name in ((write_csv([], columns=wide), "x.csv"), (write_jsonl([wide], wide), "x.jsonl")):
        with pytest.raises(InputError, match="201 columns; the limit is 200"):
            read_source(data, name=name)


def test_wrong_column_names_get_a_suggestion():
    data = write_csv(ROWS, columns=("body", "topic", "written by", "nr"))
    with pytest.raises(InputError, match=r"no column 'text' for the text\. Did you mean 'body'\?.*'body', 'topic'"):
        read_corpus(data, name="x.csv")
    with pytest.raises(InputError, match=r"no column 'writen by' for the author\. Did you mean 'written by'\?"):
        read_corpus(data, name="x.csv", text="body", author="writen by")
    with pytest.raises(InputError, match="no column 'num' for the id"):
        read_corpus(data, name="x.csv", text="body", id="num")
    with pytest.raises(InputError, match="no column 'emb' for the vectors"):
        read_corpus(data, name="x.csv", text="body", vectors="emb")
    with pytest.raises(InputError, match="'nr' has no vectors"):
        read_corpus(data, name="x.csv", text="body", vectors="nr")
    with pytest.raises(SettingError, match="both the text and the topic"):
        read_corpus(data, name="x.csv", text="topic")
    plain = read_corpus(data, name="x.csv", text="body")
    assert plain.authors is None and plain.ids == ("1", "2", "3")
    assert read_corpus(good(), name="x.csv", author=None, id=None).authors is None


@pytest.mark.parametrize(
    ("truth", "words"),
    [
        (TRUTH[:1], ["line 1", "'p1'", "not in the truth file"]),
        ([*TRUTH, TRUTH[0]], ["truth.jsonl: line 3", "'p2'", "twice"]),
        ([{**TRUTH[0], "same": False}, TRUTH[1]], ["truth.jsonl: line 1", "'same' is false", "correct one"]),
        ([{**TRUTH[0], "authors": ["u"]}, TRUTH[1]], ["truth.jsonl: line 1", "'authors'", "two"]),
    ],
)
def test_a_truth_that_does_not_fit_is_refused(truth, words):
    with pytest.raises(InputError) as error:
        read_corpus(write_zip({"pairs.jsonl": lines(PAIRS), "truth.jsonl": lines(truth)}), name="x.zip")
    assert [word for word in words if word.lower() not in str(error.value).lower()] == [], str(error.value)


def test_fixes_are_those_of_what_is_expected():
    expected = Expected("results", "give a column a system")
    cases = {
        "is empty": (b"", "x.csv"),
        "the header has only one column": (b"a\n1\n", "x.csv"),
        "no results: no rows below its header": (b"a,b\n", "x.csv"),
        "line 2 (row 1) has 1 field where the header has 2": (b"a,b\n1\n", "x.csv"),
        "only 1 usable column": (b'{"a": 1}\n', "x.jsonl"),
        "line 1 is a single value": (b"1\n", "x.jsonl"),
        "this is a PNG image": (b"\x89PNG\r\n", "x"),
    }
    for fact, (data, name) in cases.items():
        with pytest.raises(InputError) as error:
            read_source(data, name=name, expected=expected)
        assert f"{fact}. Give a column a system." in str(error.value)
        with pytest.raises(InputError) as error:
            read_source(data, name=name)
        assert "system" not in str(error.value) and fact.replace("results", "documents") in str(error.value)
    with pytest.raises(InputError, match="gzip archive. Unpack it"):
        read_source(b"\x1f\x8b\x08", name="x", expected=expected)
