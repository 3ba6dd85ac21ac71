"""Benchmarks on disk: the same bytes every time, files that PAN's software reads, nothing half-written left, and every change noticed."""

import hashlib
import io
import json
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from pathlib import Path
from textwrap import dedent

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from core.corpora.readers import read_corpus
from core.errors import InputError, SettingError
from core.evaluation import read_truth
from core.papers.hits_2024 import benchmark_zip, read_benchmark, write_benchmark
from core.papers.hits_2024 import raven_files as files_module
from core.papers.hits_2024.raven_files import signed
from core.splits import PAIRINGS
from tests.conftest import ROOT
from tests.core.raven_runs import FOLDS, KEPT, SEEDS, contents, small_benchmark, written_corpus


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("raven") / "out"
    write_benchmark(small_benchmark(), place)
    return place


@pytest.mark.parametrize(("zipped", "kind"), [(False, "matched"), (True, "matched"), (True, "paper")])
def test_round_trip(tmp_path, zipped, kind):
    place = tmp_path / ("out.zip" if zipped else "out")
    written = write_benchmark(small_benchmark(kind), place)
    ours, again = small_benchmark(kind), read_benchmark(place)
    assert written.target == place and list(tmp_path.iterdir()) == [place]
    for field in ("name", "fingerprint", "documents_given", "settings", "tag"):
        assert getattr(again, field) == getattr(ours, field)
    assert again.documents.fingerprint == ours.documents.fingerprint
    for one, two in zip(ours.sides(), again.sides(), strict=True):
        assert (one[0].key, one[0].group, one[0].seed, *one[1:3]) == (two[0].key, two[0].group, two[0].seed, *two[1:3])
        assert one[3].topics == two[3].topics
        assert one[3].left_out == two[3].left_out
        for array in ("documents", "first", "second", "same", "similarity"):
            np.testing.assert_array_equal(getattr(one[3], array), getattr(two[3], array))


def test_twice_the_same_bytes(folder, tmp_path):
    (tmp_path / "empty").mkdir()
    write_benchmark(small_benchmark(), tmp_path / "empty")
    assert contents(tmp_path / "empty") == contents(folder)
    assert benchmark_zip(small_benchmark()) == benchmark_zip(small_benchmark())
    with zipfile.ZipFile(io.BytesIO(benchmark_zip(small_benchmark()))) as archive:
        assert {entry.filename: archive.read(entry) for entry in archive.infolist()} == contents(folder)
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


@pytest.mark.parametrize("kind", PAIRINGS)
def test_the_same_bytes_in_another_process_with_other_hashes(tmp_path, kind):
    file, vectors = written_corpus(tmp_path)
    found = []
    for hash_seed in ("1", "2"):
        place = tmp_path / hash_seed
        options = ["--pairs", kind, "--vectors", vectors, "--m", "4", "--k", "2", "--out", str(place)]
        subprocess.run(
            [sys.executable, "-m", "core", "raven", file, *options],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": hash_seed, "TZ": "Asia/Tokyo" if hash_seed == "2" else "UTC"},
            capture_output=True,
            check=True,
        )
        found.append(contents(place))
    assert found[0] == found[1]


def test_the_manifest_tells_everything(folder):
    record = json.loads((folder / "manifest.json").read_text())
    assert record["settings"] == {
        "m": KEPT, "k": FOLDS, "seed": 3, "random_seeds": list(SEEDS), "pairs": "matched", "similarity": "corrected",
        "train_texts": True,
    }  # fmt: skip
    assert record["encoder"] == "test" and record["corpus"]["fingerprint"] == small_benchmark().fingerprint
    assert {"leakscope", "numpy", "pyarrow"} == set(record["versions"])
    for setup in small_benchmark().setups:
        told = record["setups"][setup.key]
        assert told["topics"] == list(setup.topics)
        for fold, shown in zip(setup.folds, told["folds"], strict=True):
            assert shown["test"]["topics"] == list(fold.test.topics)
            assert shown["train"]["counts"]["pairs"] == len(fold.train)
            assert shown["train"]["left_out"] == fold.train.left_out
            assert (shown["test"]["gap"], shown["test"]["topic_oracle_auc"]) == (0, 0.5)
    files = contents(folder)
    del files["manifest.json"]
    assert {name: (told["sha256"], told["bytes"]) for name, told in record["files"].items()} == {
        name: (hashlib.sha256(data).hexdigest(), len(data)) for name, data in files.items()
    }


def test_the_parquet_files_carry_nothing_but_their_columns(folder):
    for file in folder.rglob("*.parquet"):
        assert pq.read_metadata(file).metadata is None
    documents = pd.read_parquet(folder / "documents.parquet")
    assert list(documents.columns) == ["id", "text", "author", "topic", "hits", "random-0", "random-1"]
    fold = small_benchmark().setups[0].folds[1]
    here = [small_benchmark().documents.ids[row] for row in fold.test.documents]
    assert documents.loc[documents["hits"] == 1, "id"].tolist() == here


def test_pan_software_can_read_it(folder):
    side = folder / "random-1" / "fold-0" / "train"
    lines = [json.loads(line) for line in (side / "pairs.jsonl").read_text("ascii").splitlines()]
    ours, documents = small_benchmark().setups[2].folds[0].train, small_benchmark().documents
    assert [line["pair"] for line in lines] == [
        [documents.texts[one], documents.texts[two]] for one, two in zip(ours.first, ours.second, strict=True)
    ]
    assert all(set(line["fandoms"]) <= set(ours.topics) and list(line) == ["id", "fandoms", "pair"] for line in lines)
    truth = read_truth(side / "truth.jsonl")
    assert (
        list(truth.ids.index)
        == [line["id"] for line in lines]
        == pd.read_parquet(side / "pairs.parquet")["id"].tolist()
    )
    np.testing.assert_array_equal(truth.same, ours.same)
    corpus = read_corpus([side / "pairs.jsonl", side / "truth.jsonl"])
    assert set(corpus.texts) == {documents.texts[row] for row in {*ours.first, *ours.second}}


def test_training_texts_are_left_out_when_they_would_not_fit(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(files_module, "ROOM", 1_000)
    assert not write_benchmark(small_benchmark(), tmp_path / "short").train_texts
    assert write_benchmark(small_benchmark(), tmp_path / "long", train_texts=True).train_texts
    left_out = set(contents(folder)) - set(contents(tmp_path / "short"))
    assert left_out == {name for name in contents(folder) if name.endswith("train/pairs.jsonl")}
    assert [len(side) for *_, side in read_benchmark(tmp_path / "short").sides()] == [
        len(side) for *_, side in small_benchmark().sides()
    ]
    shown = (tmp_path / "short" / "README.md").read_text()
    lines = shown.split("To write one fold's:")[1].split("## How to answer it")[0]
    code = dedent(lines).replace("path/to/this/folder", str(tmp_path / "short"))
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    filled = (tmp_path / "pairs.jsonl").read_text()
    assert filled == (folder / "hits/fold-0/train/pairs.jsonl").read_text()
    monkeypatch.setattr(files_module, "MOST_WRITTEN", 1_000)
    with pytest.raises(SettingError, match="leave training texts out"):
        write_benchmark(small_benchmark(), tmp_path / "none", train_texts=True)


def test_the_readme_has_the_statistics(folder):
    text = (folder / "README.md").read_text()
    rows = [line for line in text.splitlines() if line.startswith(("| hits |", "| random"))]
    assert [row.split(" | ")[0] for row in rows] == ["| hits", "| random-0", "| random-1", "| random, mean"]
    pairs = np.mean([len(fold.train) for fold in small_benchmark().setups[0].folds])
    assert rows[0].split(" | ")[1] == f"{pairs:.0f}"
    assert "drawn by the kind `matched`: Pairs by one author and pairs by two have the same first texts" in text


def test_nothing_is_overwritten(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine")
    (tmp_path / "full.zip").write_text("mine")
    for name, words in (("full", "not empty"), ("full.zip", "already something"), ("no/where", "there is no folder")):
        with pytest.raises(SettingError, match=words):
            write_benchmark(small_benchmark(), tmp_path / name)
    assert contents(tmp_path) == {"full/thesis.txt": b"mine", "full.zip": b"mine"}


@pytest.mark.parametrize("name", ["out", "out.zip"])
@pytest.mark.parametrize("kind", [KeyboardInterrupt, RuntimeError, OSError])
def test_nothing_half_written_is_left(tmp_path, name, kind):
    def stop(done: int, total: int, label: str, seconds_left: float | None) -> None:
        if done == 5:
            assert len(list(tmp_path.iterdir())) == 1
            raise kind("stopped")

    with pytest.raises(SettingError if kind is OSError else kind, match="stopped"):
        write_benchmark(small_benchmark(), tmp_path / name, progress=stop)
    assert list(tmp_path.iterdir()) == []


KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from core.papers.hits_2024 import write_benchmark
from tests.core.raven_runs import small_benchmark
def kill(done, total, label, seconds_left):
    if done == 5:
        os.kill(os.getpid(), signal.SIGKILL)
write_benchmark(small_benchmark(), sys.argv[2], progress=kill)
"""


@pytest.mark.parametrize("name", ["out", "out.zip"])
def test_what_a_kill_leaves_is_removed_the_next_time(folder, tmp_path, name):
    killed = subprocess.run([sys.executable, "-c", KILLED, str(ROOT), str(tmp_path / name)])
    assert killed.returncode == -9
    (left,) = tmp_path.iterdir()
    assert left.name.endswith(".partial") and (left.is_dir() == (name == "out"))

    def look(done: int, total: int, label: str, seconds_left: float | None) -> None:
        assert not left.exists() and len(list(tmp_path.iterdir())) == 1, "only what is written now"

    write_benchmark(small_benchmark(), tmp_path / name, progress=look)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    if name == "out":
        assert contents(tmp_path / name) == contents(folder)


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
    with pytest.raises(InputError, match=r"version 1 of the format, whose ids give the truth away .* Build it again"):
        read_benchmark(packed(files | {"manifest.json": signed(record | {"format_version": 1})}))
    with pytest.raises(InputError, match=r"version 2 .*how often a text occurs gives the truth away.* Build it again"):
        read_benchmark(packed(files | {"manifest.json": signed(record | {"format_version": 2})}))
    with pytest.raises(InputError, match="version 9 of the format"):
        read_benchmark(packed(files | {"manifest.json": signed(record | {"format_version": 9})}))


def test_archives_packed_again_and_archives_that_reach_outside(folder):
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
