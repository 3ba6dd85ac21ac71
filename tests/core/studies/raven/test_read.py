"""Benchmarks read again: every change is noticed and named, and nothing hostile is followed."""

import io
import json
import shutil
import stat
import zipfile
from pathlib import Path

import pytest

from core.errors import InputError
from core.studies.raven import read_benchmark, write_benchmark
from core.studies.raven.contents import signed
from tests.core.raven_runs import contents, small_benchmark


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("raven") / "out"
    write_benchmark(small_benchmark(), place)
    return place


def packed(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


def test_a_change_in_any_file_is_noticed_and_named(folder):
    files = contents(folder)
    for name, data in files.items():
        changed = data[:-3] + bytes([data[-3] ^ 1]) + data[-2:]
        with pytest.raises(InputError, match=rf"{name}.*(changed|is not the manifest)"):
            read_benchmark(packed(files | {name: changed}))
        with pytest.raises(InputError, match=f"no {name}|{name} is missing"):
            read_benchmark(packed({other: kept for other, kept in files.items() if other != name}))


def test_a_changed_folder_is_refused(folder, tmp_path):
    place = tmp_path / "copy"
    shutil.copytree(folder, place)
    (place / ".DS_Store").write_text("left by looking at it")
    assert read_benchmark(place).tag == small_benchmark().tag
    (place / "hits" / "extra.txt").write_text("mine")
    with pytest.raises(InputError, match=r"hits/extra\.txt is no part of the benchmark; move it elsewhere"):
        read_benchmark(place)
    (place / "hits" / "extra.txt").unlink()
    (place / "documents.parquet").unlink()
    (place / "documents.parquet").symlink_to(folder / "documents.parquet")
    with pytest.raises(InputError, match=r"documents\.parquet' is a link"):
        read_benchmark(place)


def test_a_manifest_that_was_tampered_with(folder):
    files = contents(folder)
    record = json.loads(files["manifest.json"])
    changed = json.dumps(record | {"encoder": "other"}).encode()
    with pytest.raises(InputError, match=r"manifest\.json has been changed"):
        read_benchmark(packed(files | {"manifest.json": changed}))
    with pytest.raises(InputError, match="do not fit together"):
        read_benchmark(packed(files | {"manifest.json": signed(record | {"setups": {"hits": {}}})}))
    with pytest.raises(InputError, match=r"version 1 of the format, whose ids gave the truth away .* build it anew"):
        read_benchmark(packed(files | {"manifest.json": signed(record | {"format_version": 1})}))
    with pytest.raises(InputError, match="version 9 of the format"):
        read_benchmark(packed(files | {"manifest.json": signed(record | {"format_version": 9})}))


def test_archives_packed_anew_and_archives_that_reach_outside(folder):
    files = contents(folder)
    assert read_benchmark(packed({f"copy/{name}": data for name, data in files.items()})).tag == small_benchmark().tag
    for name in ("/etc/passwd", "../up.txt", "hits/../../up.txt"):
        with pytest.raises(InputError, match="points outside the archive"):
            read_benchmark(packed(files | {name: b"x"}))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        link = zipfile.ZipInfo("manifest.json")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(InputError, match="is a link"):
        read_benchmark(stream)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (b"text", "neither a folder nor a zip"),
        (b"PK\x03\x04broken", "damaged"),
        ("nowhere", "no such folder or archive"),
    ],
)
def test_what_is_no_benchmark(given, words):
    with pytest.raises(InputError, match=words):
        read_benchmark(given)


def test_an_ordinary_folder_is_no_benchmark(tmp_path):
    with pytest.raises(InputError, match=r"no manifest\.json"):
        read_benchmark(tmp_path)
