"""Uploads: what the user is asked, files made to fill the memory, and a corpus kept and read back to the last bit."""

import gc
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.corpora import (
    Corpus,
    Ready,
    cache_vectors,
    cached_in,
    look_into,
    make_corpus,
    make_of,
    read_cached,
    read_sides,
    with_vectors,
    write_cached,
)
from core.corpora.readers import File, Table, read_corpus
from core.engine import Call, Jobs, Limits
from core.errors import InputError, LeakscopeError
from tests.core.corpora.bombs import BOMBS, in_memory, told_of

GIB = 1024**3
ROLES = {"text": "text", "topic": "topic", "author": "author", "id": "id", "split": None}


@pytest.fixture(scope="module")
def jobs() -> Iterator[Jobs]:
    made = Jobs(limits=Limits())
    yield made
    made.end()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells and bounds memory in this way")
@pytest.mark.parametrize("make", BOMBS, ids=lambda make: make.__name__)
def test_no_file_takes_more_than_its_process_may(make: Callable[[], File], jobs: Jobs):
    file = make()
    gc.collect()
    before = in_memory("VmRSS")
    limits = Limits(memory=1_073_000_000, seconds=300, strict=True)
    job = jobs.ask(file.name, {0: Call(told_of, ([file],))}, name=file.name, limits=limits)
    assert job.ended.wait(300)
    assert job.state == "done", job.problem
    sentence, peak = job.results[0]
    assert re.search(BOMBS[make], sentence), sentence
    assert sentence.startswith(file.name)
    assert peak < GIB
    gc.collect()
    assert in_memory("VmRSS") - before < 50_000_000, "the server's own memory has not grown"


def test_a_table_is_shown_without_its_cells_and_made_with_its_columns(tiny_csv: bytes, tmp_path: Path):
    files = [File("tiny.csv", tiny_csv)]
    outline = look_into(files)
    assert isinstance(outline, Table)
    assert len(outline.frame) == 0 and outline.rows == 12
    assert (outline.roles["text"], len(outline.preview)) == ("text", 12)
    made = make_of(files, ROLES, keep=tmp_path / "kept")
    assert made.fingerprint == read_corpus(tiny_csv, name="tiny.csv").fingerprint
    assert read_cached(tmp_path / "kept").fingerprint == made.fingerprint


def test_where_nothing_can_be_chosen_nothing_is_asked():
    pair = b'{"id": "1", "fandoms": ["a", "b"], "pair": ["one text", "another text"]}\n'
    files = [File("pairs.jsonl", pair)]
    assert look_into(files) == Ready(documents=2, topics=2)
    assert len(make_of(files, {})) == 2


def test_a_refused_file_leaves_nothing_behind(tmp_path: Path):
    with pytest.raises(InputError, match="Row 1 has no topic"):
        make_of(
            [File("a.csv", b"text,topic\nhello,\nworld,b\n")], {"text": "text", "topic": "topic"}, keep=tmp_path / "k"
        )
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_loses_only_the_keeping(tiny_csv: bytes, tmp_path: Path):
    (tmp_path / "file").write_bytes(b"")
    folder = tmp_path / "file" / "kept"  # below a file there is no folder
    assert len(make_of([File("tiny.csv", tiny_csv)], ROLES, keep=folder)) == 12
    assert cached_in(folder) is None


def test_an_upload_over_the_limit_is_refused(tiny_csv: bytes):
    with pytest.raises(LeakscopeError, match=r"tiny.csv: the file has more than 100 bytes"):
        look_into([File("tiny.csv", tiny_csv)], most_bytes=100)


anything = st.text(st.characters(exclude_characters="\0"), max_size=30)  # lone surrogates too
label = st.sampled_from(["a", "b", "\u00e9", "e\u0301", "\ud800", "<b>", "c "])


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    count = draw(st.integers(2, 12))
    rows = {"min_size": count, "max_size": count}
    topics = ["first", "second", *draw(st.lists(label, min_size=count - 2, max_size=count - 2))]
    vectors = draw(st.booleans())
    return make_corpus(
        draw(st.lists(anything, **rows)),
        topics,
        authors=draw(st.none() | st.lists(label | st.just(""), **rows)),
        ids=draw(st.none() | st.lists(anything.filter(str.strip), unique=True, **rows)),
        splits=draw(st.none() | st.lists(st.sampled_from(["train", "test"]), **rows)),
        vectors=np.arange(count * 3, dtype=np.float32).reshape(count, 3) if vectors else None,
        name=draw(anything),
    )


@given(corpora())
def test_what_is_kept_comes_back(tmp_path_factory: pytest.TempPathFactory, corpus: Corpus):
    folder = tmp_path_factory.mktemp("kept") / "corpus"
    write_cached(folder, corpus)
    found = read_cached(folder)
    assert (found.fingerprint, found.content_digest) == (corpus.fingerprint, corpus.content_digest)
    assert (found.name, found.ids, found.texts) == (corpus.name, corpus.ids, corpus.texts)
    assert (found.topics, found.authors, found.splits) == (corpus.topics, corpus.authors, corpus.splits)
    assert (found.merged_topics, found.merged_authors) == (corpus.merged_topics, corpus.merged_authors)
    if corpus.vectors is None:
        assert found.vectors is None
    else:
        assert found.vectors is not None and not found.vectors.flags.writeable
        np.testing.assert_array_equal(found.vectors, corpus.vectors)


@pytest.fixture
def corpus() -> Corpus:
    return make_corpus(["one", "two", "three"], ["a", "b", "a"], authors=["x", "y", ""], name="mine.csv")


@pytest.fixture
def folder(tmp_path: Path, corpus: Corpus) -> Path:
    write_cached(tmp_path / "corpus", corpus)
    return tmp_path / "corpus"


def test_the_folder_says_what_it_holds(folder: Path, corpus: Corpus):
    kept = cached_in(folder)
    assert kept is not None
    assert (kept.name, kept.fingerprint, kept.documents) == ("mine.csv", corpus.fingerprint, 3)
    assert (folder.stat().st_mode & 0o077) == 0, "nobody else reads it"


def test_another_corpus_takes_its_place_whole(folder: Path):
    other = make_corpus(["four", "five"], ["c", "d"], name="other.csv")
    write_cached(folder, other)
    assert read_cached(folder).fingerprint == other.fingerprint
    assert [path.name for path in folder.parent.iterdir()] == ["corpus"]


def test_vectors_are_added_without_writing_the_texts_again(folder: Path, corpus: Corpus):
    before = (folder / "documents.parquet").stat()
    brought = with_vectors(corpus, np.eye(3, dtype=np.float32))
    cache_vectors(folder, brought)
    assert read_cached(folder).fingerprint == brought.fingerprint
    after = (folder / "documents.parquet").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_vectors_without_kept_documents_keep_both(tmp_path: Path, corpus: Corpus):
    brought = with_vectors(corpus, np.eye(3, dtype=np.float32))
    cache_vectors(tmp_path / "new", brought)
    assert read_cached(tmp_path / "new").fingerprint == brought.fingerprint


def test_where_nothing_is_kept_there_is_nothing(tmp_path: Path):
    assert cached_in(tmp_path / "absent") is None
    with pytest.raises(InputError, match="Load it again"):
        read_cached(tmp_path / "absent")


@pytest.mark.parametrize(
    "changed",
    [
        {"format": 2},
        {"name": "another.csv"},
        {"documents": 4},
        {"topic_names": ["a"]},
        {"topic_names": ["a", "c"]},
        {"topic_names": "ab"},
        {"author_names": None},
        {"vectors": "../../secret.npy"},
        {"vectors": "vectors-00000000.npy"},
        {"fingerprint": "0" * 32},
    ],
    ids=str,
)
def test_a_changed_folder_is_refused_in_a_sentence(folder: Path, changed: dict[str, object]):
    about = json.loads((folder / "about.json").read_text())
    (folder / "about.json").write_text(json.dumps(about | changed))
    with pytest.raises(InputError, match="Load it again"):
        read_cached(folder)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"PAR1", b"\xff" * 50])
@pytest.mark.parametrize("name", ["about.json", "documents.parquet"])
def test_a_damaged_file_is_refused_in_a_sentence(folder: Path, name: str, content: bytes):
    (folder / name).write_bytes(content)
    with pytest.raises(InputError, match="Load it again"):
        read_cached(folder)


def test_a_pickled_array_is_never_opened(folder: Path, corpus: Corpus):
    about = json.loads((folder / "about.json").read_text())
    np.save(folder / "vectors-00000000.npy", np.array([{}, {}, {}], dtype=object), allow_pickle=True)
    (folder / "about.json").write_text(json.dumps(about | {"vectors": "vectors-00000000.npy"}))
    with pytest.raises(InputError, match="Load it again"):
        read_cached(folder)


@pytest.mark.parametrize(
    "content", [b"b\nc\n", b"id\nb\nc", b"id,split\na,train\nb,test\nc,Test\n", b"split\tid\ntest\tb\ntest\tc\n"]
)
def test_a_split_is_read_from_ids(content):
    assert read_sides(File("ids.csv", content), ("a", "b", "c")) == ("train", "test", "test")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"x\ny\n", r"no document has the id 'x' \(2 ids unknown\)"),
        (b"id,split\na,maybe\n", "row 1 has neither train nor test"),
        (b"", "every document is on one side"),
        (b"a\nb\nc\n", "every document is on one side"),
        (b"\xff\xfe", "no text in UTF-8"),
        (b"x" * 1_000_001, "no list of ids"),
    ],
)
def test_a_split_that_cannot_be_used_is_a_sentence(content, words):
    with pytest.raises(InputError, match=words):
        read_sides(File("ids.csv", content), ("a", "b", "c"))
