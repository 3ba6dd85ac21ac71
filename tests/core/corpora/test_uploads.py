"""Uploads: what is asked of the user, what is made of the answer, and files whose only purpose is to fill the memory."""

import gc
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.corpora import Ready, cached_in, look_into, make_of, read_cached
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
    job = jobs.ask(file.name, Call(told_of, ([file],)), name=file.name, limits=limits)
    assert job.ended.wait(300)
    assert job.state == "done", job.problem
    sentence, peak = job.result
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
    with pytest.raises(InputError, match="row 1: empty 'topic'"):
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
    with pytest.raises(LeakscopeError, match=r"tiny.csv: more than 100 bytes"):
        look_into([File("tiny.csv", tiny_csv)], most_bytes=100)
