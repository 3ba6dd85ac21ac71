"""Addresses: a server on this machine, fsspec's memory and files; the limits and refusals of any other file."""

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import fsspec
import pandas as pd
import pytest

from core import extras
from core.corpora.readers import read_corpus
from core.corpora.readers.sources import open_source
from core.errors import InputError
from core.progress import heard_by


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


@pytest.fixture
def folder(tmp_path, tiny_csv):
    (tmp_path / "tiny.csv").write_bytes(tiny_csv)
    pd.read_csv(tmp_path / "tiny.csv").to_parquet(tmp_path / "tiny.parquet")
    return tmp_path


@pytest.fixture
def server(folder) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


@pytest.mark.parametrize("name", ["tiny.csv", "tiny.parquet"])
def test_a_file_on_a_server_is_read_like_one_here(server, folder, name):
    told = []
    with heard_by(lambda *step: told.append(step)):
        found = read_corpus(f"{server}/{name}?download=1")
    assert found.content_digest == read_corpus(folder / name).content_digest and found.name == name
    assert told[-1][:3] == (1, 1, f"MB of {name}")


@pytest.mark.parametrize("scheme", ["memory", "file"])
def test_fsspec_reads_other_stores(folder, tiny_csv, scheme):
    address = f"file://{folder}/tiny.csv" if scheme == "file" else "memory://corpora/tiny.csv"
    with fsspec.open(address, "wb") as target:
        target.write(tiny_csv)
    assert read_corpus(address).content_digest == read_corpus(folder / "tiny.csv").content_digest


def test_what_is_too_large_is_refused(server, folder):
    with pytest.raises(InputError, match="tiny.csv: .*; the limit is 100 bytes. Take a sample first."):
        open_source(f"{server}/tiny.csv", most_bytes=100)
    with pytest.raises(InputError, match="the limit is 100 bytes"):
        open_source(f"file://{folder}/tiny.csv", most_bytes=100)


def test_what_is_not_there_or_not_ours_is_refused(server):
    with pytest.raises(InputError, match=r"none.csv: cannot be fetched \(HTTP Error 404.*Check the address"):
        read_corpus(f"{server}/none.csv")
    with pytest.raises(InputError, match="b.csv: there is nothing at memory://corpora/b.csv. Check the address."):
        read_corpus("memory://corpora/b.csv")
    with pytest.raises(InputError, match="'ftp://' is not read. Use one of https://, http://, hf://, s3://"):
        read_corpus("ftp://127.0.0.1/a.csv")


def test_a_shared_server_fetches_nothing(server, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LEAKSCOPE_HOSTED", "1")
    for address in (f"{server}/tiny.csv", "file:///etc/passwd", "memory://a.csv"):
        with pytest.raises(InputError, match="a shared server fetches no addresses"):
            read_corpus(address)


def test_without_the_extra_only_the_web_is_read(server, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(extras, "installed", lambda extra: False)
    assert len(read_corpus(f"{server}/tiny.csv")) == 12
    with pytest.raises(extras.MissingExtra, match=r"hf:// needs .* pip install 'leakscope\[hub\]'"):
        read_corpus("hf://datasets/someone/corpus/data.csv")
