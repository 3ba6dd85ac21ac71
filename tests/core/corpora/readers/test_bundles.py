"""20 Newsgroups from a small archive of the same shape; nothing here needs the internet."""

import hashlib
import http.server
import io
import tarfile
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import _twenty_newsgroups as origin
from sklearn.datasets import fetch_20newsgroups
from sklearn.datasets._base import RemoteFileMetadata

from core.corpora.readers import bundles, load_newsgroups
from core.errors import InputError
from tests.core.stops import Enough, stop_when

MESSAGE = "From: {sender}\nSubject: Re: a subject\nNewsgroups: {topic}\n\nIn article <1@x> you wrote:\n> quoted\n\n{body}\n\n--\nA. Nonymous\n"
DOCUMENTS = {
    "20news-bydate-train/sci.space/2": MESSAGE.format(
        sender="Ann <Ann@X.org>", topic="sci.space", body="The moon, naïve."
    ),
    "20news-bydate-test/sci.space/1": MESSAGE.format(sender="ann@x.org (Ann)", topic="sci.space", body="Mars."),
    "20news-bydate-train/rec.autos/3": MESSAGE.format(sender="bob@y.org", topic="rec.autos", body="Wheels."),
    "20news-bydate-test/rec.autos/4": "From: odd\nheader line without a colon\n\nEngines.\n\n--\nsigned",
}


@pytest.fixture
def remote(tmp_path, monkeypatch):
    """The fake archive in place of the real one, for us and for scikit-learn."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in DOCUMENTS.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode("latin-1"))
            archive.addfile(info, io.BytesIO(text.encode("latin-1")))
    path = tmp_path / "served" / "news.tar.gz"
    path.parent.mkdir()
    path.write_bytes(packed.getvalue())

    def serve(url=None, checksum=None):
        url, checksum = url or path.as_uri(), checksum or hashlib.sha256(packed.getvalue()).hexdigest()
        for constant, value in (("FILENAME", "news.tar.gz"), ("ADDRESS", url), ("SHA256", checksum)):
            monkeypatch.setattr(bundles, constant, value)
        monkeypatch.setattr(origin, "ARCHIVE", RemoteFileMetadata("news.tar.gz", url, checksum))
        return path

    serve()
    return serve


def test_messages_become_documents(remote, tmp_path):
    corpus = load_newsgroups(data_home=tmp_path / "home")
    assert corpus.ids == ("test/rec.autos/4", "test/sci.space/1", "train/rec.autos/3", "train/sci.space/2")
    assert corpus.texts == ("Engines.", "Mars.", "Wheels.", "The moon, naïve.")
    assert corpus.topics == ["rec.autos", "sci.space", "rec.autos", "sci.space"]
    authors = corpus.authors
    assert authors[1] == authors[3] != authors[2], "one address in two spellings is one author"
    assert authors[1] == "u" + hashlib.sha256(b"ann@x.org").hexdigest()[:10]
    assert "@" not in "".join(authors)


def test_texts_are_those_of_scikit_learn(remote, tmp_path):
    ours = load_newsgroups(data_home=tmp_path / "home")
    theirs = fetch_20newsgroups(
        data_home=tmp_path / "other", subset="all", remove=("headers", "footers", "quotes"), shuffle=False
    )
    assert sorted(ours.texts) == sorted(text.strip() for text in theirs.data)


def test_the_second_call_reads_the_kept_copy(remote, tmp_path):
    first = load_newsgroups(data_home=tmp_path / "home")
    remote().unlink()
    assert load_newsgroups(data_home=tmp_path / "home").fingerprint == first.fingerprint
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["news.tar.gz"], "no unfinished files"


def test_progress_counts_bytes_over_http(remote, tmp_path, monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    path = remote()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(path.parent))

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        remote(url=f"http://127.0.0.1:{server.server_port}/news.tar.gz")
        steps = []
        corpus = load_newsgroups(data_home=tmp_path / "home", progress=lambda *step: steps.append(step[:2]))
        remote(url=f"http://127.0.0.1:{server.server_port}/absent.tar.gz")
        with pytest.raises(InputError, match="could not be downloaded"):
            load_newsgroups(data_home=tmp_path / "elsewhere")
        server.shutdown()
    assert len(corpus) == 4
    assert steps[-1] == (path.stat().st_size, path.stat().st_size)
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/news.tar.gz", "file:///no/such/archive", "no address"])
def test_offline_says_what_to_do_and_leaves_nothing(remote, tmp_path, monkeypatch, url):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    remote(url=url)
    with pytest.raises(InputError, match=r"could not be downloaded.*internet connection.*upload the corpus"):
        load_newsgroups(data_home=tmp_path / "home")
    assert list((tmp_path / "home").iterdir()) == []


def test_a_damaged_download_is_refused_and_a_stopped_one_removed(remote, tmp_path):
    with pytest.raises(Enough):
        load_newsgroups(data_home=tmp_path / "home", progress=stop_when(lambda: True))
    remote(checksum="0" * 64)
    with pytest.raises(InputError, match="wrong checksum"):
        load_newsgroups(data_home=tmp_path / "home")
    assert list((tmp_path / "home").iterdir()) == []


def test_an_archive_that_is_none_is_refused(remote, tmp_path):
    path = remote()
    path.write_bytes(b"not an archive")
    remote(checksum=hashlib.sha256(b"not an archive").hexdigest())
    with pytest.raises(InputError, match="cannot be read. Delete it"):
        load_newsgroups(data_home=tmp_path / "home")


def test_a_folder_that_cannot_be_used_is_named(remote, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    with pytest.raises(InputError, match="SCIKIT_LEARN_DATA"):
        load_newsgroups(data_home=blocked)


def test_the_archive_is_scikit_learns():
    ours = bundles.FILENAME, bundles.ADDRESS, bundles.SHA256
    assert ours == (origin.ARCHIVE.filename, origin.ARCHIVE.url, origin.ARCHIVE.checksum)


lines = st.lists(st.sampled_from(
    ["", " ", "--", " - -", "-----", "> quoted", "| quoted", " > not quoted", "In article <1@x>", "as in article 2",
     "he writes:", "She wrote: no", "Quoted from a book", "plain words", "From: a@b.c", "a\x0bb", "\x0c"]
), max_size=12)  # fmt: skip


@given(lines)
def test_messages_are_stripped_as_by_scikit_learn(lines):
    raw = "\n".join(lines)
    theirs = origin.strip_newsgroup_header(raw)
    theirs = origin.strip_newsgroup_quoting(origin.strip_newsgroup_footer(theirs))
    assert bundles.stripped(raw) == theirs.strip()
