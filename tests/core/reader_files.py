"""The same few rows in every format that is read, for the tests of the readers."""

import csv
import io
import json
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq

COLUMNS = ("text", "topic", "author", "id")
ROWS = [
    ("One, two; three", "<b>a</b>", "ann", "007"),
    ('He said "yes"\nand left', "b & c", "NA", "null"),
    ("", "b & c", "", "1e5"),
]


def write_csv(rows, delimiter=",", columns=COLUMNS, encoding="utf-8"):
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter).writerows([columns, *rows])
    return out.getvalue().encode(encoding)


def write_jsonl(rows, columns=COLUMNS):
    return "\n".join(json.dumps(dict(zip(columns, row, strict=True))) for row in rows).encode()


def write_parquet(rows, columns=COLUMNS, **more):
    out = io.BytesIO()
    values = dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True)) if rows else {}
    pq.write_table(pa.table({**values, **more}), out)
    return out.getvalue()


def write_zip(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


WRITERS = {
    "x.csv": write_csv,
    "semicolon.csv": lambda rows: write_csv(rows, ";"),
    "pipe.csv": lambda rows: write_csv(rows, "|"),
    "tab.csv": lambda rows: write_csv(rows, "\t"),
    "bom.csv": lambda rows: write_csv(rows, encoding="utf-8-sig"),
    "utf16.csv": lambda rows: write_csv(rows, encoding="utf-16"),
    "x.tsv": lambda rows: write_csv(rows, "\t"),
    "x.jsonl": write_jsonl,
    "x.parquet": write_parquet,
    "x.zip": lambda rows: write_zip({"inner/table.csv": write_csv(rows)}),
}


PAIRS = [
    {"id": "p1", "fandoms": ["A", "B"], "pair": ["one", "two"]},
    {"id": "p2", "fandoms": ["A", "C"], "pair": ["one", "two"]},
]
TRUTH = [{"id": "p2", "same": True, "authors": ["u", "u"]}, {"id": "p1", "same": False, "authors": ["u", "v"]}]


def lines(records):
    return "\n".join(map(json.dumps, records)).encode()
