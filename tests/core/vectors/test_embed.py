"""A corpus to vectors: each text once, from the store if it can, the user's own vectors, and many texts."""

import dataclasses
import hashlib
import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from core.arrays import blocks, canonical
from core.corpora import Corpus, make_corpus, take
from core.errors import EncoderError, InputError
from core.topics import topic_space
from core.vectors import Vectors, VectorStore, embed, embedded_so_far, estimate, load_vectors, make_encoder
from core.vectors.embed import EncodedBatch
from tests.conftest import ROOT
from tests.core.made_corpora import made
from tests.core.stops import Enough, stop_when


@dataclass(frozen=True)
class Toy:
    """Four numbers from a text's hash, in batches of five, longest first; `pause` makes it slow enough to be killed."""

    pause: float = 0.0
    seen: list[str] = dataclasses.field(default_factory=list, compare=False)

    name: ClassVar[str] = "toy"
    per_document: ClassVar[bool] = True

    def key(self) -> str:
        return canonical(self.name, 1)

    def batches(self, texts: Sequence[str]) -> Iterator[EncodedBatch]:
        order = np.array(sorted(range(len(texts)), key=lambda row: -len(texts[row])), dtype=np.int64)
        for start in range(0, len(order), 5):
            rows = order[start : start + 5]
            time.sleep(self.pause)
            self.seen.extend(texts[row] for row in rows)
            yield rows, np.array([toy_vector(texts[row]) for row in rows])

    def describe(self, texts: Sequence[str]) -> tuple[str, ...]:
        return (f"{len(texts)} distinct",)


def toy_vector(text: str) -> np.ndarray:
    return np.frombuffer(hashlib.sha256(text.encode()).digest()[:16], dtype=np.uint32).astype(np.float32)


def corpus_of(texts: Sequence[str]) -> Corpus:
    return make_corpus(texts, [f"topic {row % 2}" for row in range(len(texts))])


def numbered(count: int) -> Corpus:
    return corpus_of([f"text {row} " + "word " * (row * 7 % 13) for row in range(count)])


@settings(max_examples=40, deadline=None)
@given(
    texts=st.lists(
        st.sampled_from(["", "a", "b", "cc", "long one", "ü", "longest of all"]), min_size=2, max_size=40
    ).filter(any)
)
def test_vectors_stand_in_document_order_and_identical_texts_are_encoded_once(texts):
    toy = Toy()
    result = embed(corpus_of(texts), toy)
    assert np.array_equal(result.matrix, [toy_vector(text) for text in texts])
    assert sorted(toy.seen) == sorted(set(texts))
    assert (result.encoded, result.from_store) == (len(texts), 0)
    assert result.matrix.dtype == np.float32 and not result.matrix.flags.writeable


def test_a_second_run_reads_everything(tmp_path):
    first, again = Toy(), Toy()
    corpus = numbered(23)
    fresh = embed(corpus, first, store=VectorStore(tmp_path))
    stored = embed(corpus, again, store=VectorStore(tmp_path))
    assert np.array_equal(fresh.matrix, stored.matrix) and again.seen == []
    assert (stored.encoded, stored.from_store) == (0, 23)
    assert fresh.notes == stored.notes == ("23 distinct",)
    assert fresh.encoder_key == stored.encoder_key


def test_a_changed_document_alone_is_encoded_again(tmp_path):
    store = VectorStore(tmp_path)
    embed(numbered(23), Toy(), store=store)
    texts = list(numbered(23).texts)
    texts[7] = "changed"
    toy = Toy()
    assert estimate(corpus_of(texts), toy, store=store) == 1
    result = embed(corpus_of(texts), toy, store=store)
    assert toy.seen == ["changed"] and (result.encoded, result.from_store) == (1, 22)


def test_labels_and_order_do_not_matter_to_the_store(tmp_path):
    store = VectorStore(tmp_path)
    corpus = numbered(23)
    rows = np.random.default_rng(1).permutation(23)
    first = embed(corpus, Toy(), store=store)
    shuffled = embed(take(corpus, rows), Toy(), store=store)
    assert shuffled.encoded == 0 and np.array_equal(shuffled.matrix, first.matrix[rows])


@pytest.mark.parametrize("name", ["lsa", "lda", "nmf"])
def test_fitted_encoders_follow_a_shuffle_and_know_their_corpus(tmp_path, name, fitted_corpus):
    store = VectorStore(tmp_path)
    rows = np.random.default_rng(1).permutation(len(fitted_corpus))
    first = embed(fitted_corpus, make_encoder(name), store=store)
    fresh = embed(take(fitted_corpus, rows), make_encoder(name))
    assert np.array_equal(fresh.matrix, first.matrix[rows])
    assert estimate(take(fitted_corpus, rows), make_encoder(name), store=store) == 0
    fewer = take(fitted_corpus, rows[:-1])
    assert estimate(fewer, make_encoder(name), store=store) == len(fewer)
    assert embed(fewer, make_encoder(name), store=store).from_store == 0
    stored = embed(fitted_corpus, make_encoder(name), store=store)
    assert stored.encoded == 0 and np.array_equal(stored.matrix, first.matrix) and stored.notes == first.notes


@pytest.fixture(scope="module")
def fitted_corpus() -> Corpus:
    draw = np.random.default_rng(0)
    words = np.array([f"word{number}" for number in range(120)])
    return corpus_of(
        [" ".join(draw.choice(words[half * 40 : 80 + half * 40], 30)) for half in (0, 1) for _ in range(30)]
    )


def test_a_damaged_vector_is_computed_again_and_counted(tmp_path):
    store = VectorStore(tmp_path)
    fresh = embed(numbered(9), Toy(), store=store)
    with sqlite3.connect(store.file) as db:
        db.execute("UPDATE vectors SET vector = zeroblob(16) WHERE id = 4")
    db.close()
    result = embed(numbered(9), Toy(), store=store)
    assert np.array_equal(result.matrix, fresh.matrix) and result.encoded == 1
    assert "1 stored vector was damaged" in " ".join(result.notes)
    assert embed(numbered(9), Toy(), store=store).encoded == 0


def test_progress_counts_documents_and_time(tmp_path):
    calls: list[tuple[int, int, str, float | None]] = []
    corpus = corpus_of(["same"] * 4 + [f"text {row}" for row in range(16)])
    embed(corpus, Toy(), progress=lambda *call: calls.append(call))
    assert calls[0] == (0, 20, "documents", None)
    assert [done for done, *_ in calls] == sorted(done for done, *_ in calls)
    assert calls[-1][:2] == (20, 20) and calls[-1][3] == 0.0
    assert all(left is not None and left >= 0 for *_, left in calls[1:])


def test_stopping_keeps_finished_batches(tmp_path):
    store = VectorStore(tmp_path)
    toy = Toy()
    with pytest.raises(Enough):
        embed(numbered(23), toy, store=store, progress=stop_when(lambda: len(toy.seen) >= 10))
    done = len(toy.seen)
    assert 10 <= done < 23
    assert estimate(numbered(23), Toy(), store=store) == 23 - done
    rest = Toy()
    assert embed(numbered(23), rest, store=store).from_store == done and len(rest.seen) == 23 - done


def lopsided() -> Corpus:
    """A topic of 40 documents, one of 10 and one of 3."""
    sizes = {"large": 40, "middle": 10, "small": 3}
    topics = [topic for topic, size in sizes.items() for _ in range(size)]
    return make_corpus([f"{topic} text {row}" for row, topic in enumerate(topics)], topics)


def test_encoding_goes_breadth_first_over_topics():
    toy, corpus = Toy(), lopsided()
    embed(corpus, toy)
    topic_of = dict(zip(corpus.texts, corpus.topics, strict=True))
    seen = [topic_of[text] for text in toy.seen]
    assert sorted(toy.seen) == sorted(corpus.texts)
    assert [seen[:11].count(topic) for topic in ("large", "middle", "small")] == [4, 4, 3]
    assert [seen[:19].count(topic) for topic in ("large", "middle", "small")] == [8, 8, 3]


def test_what_is_there_so_far_is_a_sample_of_every_topic(tmp_path):
    toy, corpus, store = Toy(), lopsided(), VectorStore(tmp_path)
    with pytest.raises(Enough):
        embed(corpus, toy, store=store, progress=stop_when(lambda: len(toy.seen) >= 19))
    rows, vectors = embedded_so_far(corpus, Toy(), store=store)
    assert sorted(corpus.texts[row] for row in rows) == sorted(toy.seen)
    assert np.array_equal(vectors.matrix, [toy_vector(corpus.texts[row]) for row in rows])
    assert vectors.encoder_key != embed(corpus, Toy(), store=store).encoder_key
    assert len(embedded_so_far(corpus, Toy(), store=store)[0]) == 53


def test_an_error_in_the_callback_comes_through_after_the_batch_is_kept(tmp_path):
    def broken(done: int, total: int, label: str, left: float | None) -> None:
        if done:
            raise ConnectionError("the page is gone")

    with pytest.raises(ConnectionError):
        embed(numbered(23), Toy(), store=VectorStore(tmp_path), progress=broken)
    assert estimate(numbered(23), Toy(), store=VectorStore(tmp_path)) == 18


def test_a_store_that_cannot_be_used_is_a_note(tmp_path):
    (tmp_path / "file").write_text("")
    result = embed(numbered(7), Toy(), store=VectorStore(tmp_path / "file"))
    assert result.encoded == 7 and any(note.startswith("Vectors are not stored") for note in result.notes)


def test_own_vectors_are_taken_as_they_are(tmp_path):
    mine = np.arange(12, dtype=np.float32).reshape(4, 3)
    texts, topics = ["same", "same", "c", "d"], list("xyxy")
    corpus = make_corpus(texts, topics, vectors=mine.copy())
    result = embed(corpus, make_encoder("precomputed"), store=VectorStore(tmp_path))
    assert isinstance(result, Vectors) and np.array_equal(result.matrix, mine) and result.name == "precomputed"
    assert estimate(corpus, make_encoder("precomputed")) == 0
    other = embed(corpus, make_encoder("precomputed", vectors=mine + 1))
    assert np.array_equal(other.matrix, mine + 1) and other.encoder_key != result.encoder_key
    with pytest.raises(EncoderError, match="has no vectors"):
        embed(make_corpus(texts, topics), make_encoder("precomputed"))
    with pytest.raises(InputError, match="3 vectors for 4 documents"):
        embed(corpus, make_encoder("precomputed", vectors=mine[:3]))


KILLED = """
import os, sys
sys.path.insert(0, sys.argv[1])
from tests.core.vectors.test_embed import Toy, VectorStore, embed, numbered
from core.vectors import make_encoder
encoder = Toy(pause=0.05) if sys.argv[3] == "toy" else make_encoder("sbert")
def tell(done, total, label, left):
    print(done, flush=True)
embed(numbered(int(sys.argv[4])), encoder, store=VectorStore(sys.argv[2]), progress=tell)
"""


@pytest.mark.parametrize(("name", "count", "after"), [("toy", 100, 40), ("sbert", 400, 60)])
def test_after_a_kill_only_the_rest_is_computed(tmp_path, name, count, after):
    command = [sys.executable, "-c", KILLED, str(ROOT), str(tmp_path), name, str(count)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        told = next((done for line in process.stdout if (done := int(line)) >= after), 0)
        os.kill(process.pid, signal.SIGKILL)
    assert after <= told < count
    store = VectorStore(tmp_path)
    encoder = Toy() if name == "toy" else make_encoder("sbert")
    missing = estimate(numbered(count), encoder, store=store)
    assert missing <= count - told  # nothing that was told as done is lost
    result = embed(numbered(count), encoder, store=store)
    assert (result.encoded, result.from_store) == (missing, count - missing) and not store.warnings
    fresh = embed(take(numbered(count), np.arange(0, count, 20)), encoder)
    assert np.allclose(result.matrix[::20], fresh.matrix, atol=1e-5)


def saved(array: np.ndarray, **options) -> io.BytesIO:
    file = io.BytesIO()
    np.save(file, array, **options)
    file.seek(0)
    return file


@pytest.mark.parametrize("kind", ["float32", "float64", "float16", "int8", ">f4"])
def test_vectors_are_read_from_paths_and_files(tmp_path, kind):
    table = (np.arange(12).reshape(4, 3) - 5).astype(kind)
    np.save(tmp_path / "v.npy", np.asfortranarray(table))
    for source in (tmp_path / "v.npy", str(tmp_path / "v.npy"), saved(table)):
        read = load_vectors(source, 4)
        assert read.dtype == np.float32 and np.array_equal(read, table.astype(np.float32))


def test_unusable_vectors_are_refused_with_the_reason(tmp_path):
    good = np.ones((4, 3), dtype=np.float32)
    holed = good.copy()
    holed[2, 1] = np.nan
    cases = [
        (saved(good), 5, "4 vectors for 5 documents"),
        (saved(good[0]), 4, r"shape \(3,\)"),
        (saved(good[:, :0]), 4, "0 dimensions"),
        (saved(np.array([[{}]] * 4, dtype=object), allow_pickle=True), 4, "type object"),
        (saved(np.array([["a"]] * 4)), 4, "Save plain numbers"),
        (saved(holed), 4, "row 3 has"),
        (saved(np.full((4, 3), 1e300)), 4, "row 1 has"),
        (io.BytesIO(b"text,topic\n"), 4, "not a .npy file"),
        (io.BytesIO(b""), 4, "not a .npy file"),
        (io.BytesIO(saved(good).getvalue()[:-5]), 4, "file is damaged"),
        (io.BytesIO(saved(good).getvalue() + b"more"), 4, "file is damaged"),
        (tmp_path / "absent.npy", 4, "No such file"),
    ]
    for source, documents, reason in cases:
        with pytest.raises(InputError, match=reason):
            load_vectors(source, documents)


def test_a_false_header_is_refused_before_memory_is_reserved():
    broken = saved(np.ones((4, 3), dtype=np.float32)).getvalue().replace(b"(4, 3)", b"(4, 3,")
    with pytest.raises(InputError, match=r"not a \.npy file"):
        load_vectors(io.BytesIO(broken), 4)
    huge = io.BytesIO()
    np.lib.format.write_array_header_1_0(huge, {"descr": "<f8", "fortran_order": False, "shape": (400_000, 8_000)})
    huge.seek(0)
    with pytest.raises(InputError, match=r"23\.8 GiB; the limit is 2 GiB"):
        load_vectors(huge, 400_000)


DOCUMENTS, DIMENSIONS = 60_000, 512
MEASURED = """
import json, resource, sys
import numpy as np
from core.corpora import make_corpus
from core.topics import hits_path_to, topic_points, topic_space
from core.vectors import embed, load_vectors, make_encoder

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

file, documents = sys.argv[1], int(sys.argv[2])
corpus = make_corpus(["text"] * documents, [f"{n % 50:02}" for n in range(documents)])
tiny = make_encoder("precomputed", vectors=np.eye(2, dtype="float32"))
topic_space(tiny.vectors, np.array([0, 1]), ("a", "b"))
before = peak()
vectors = embed(corpus, make_encoder("precomputed", vectors=load_vectors(file, documents)))
space = topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names)
points = topic_points(vectors.matrix, corpus.topic_codes, corpus.topic_names)
path = hits_path_to(points, m=10)
print(json.dumps([peak() - before, space.similarity[0].tolist(), path.order.tolist()]))
"""


def test_vectors_on_disk_are_read_without_a_copy_of_them(tmp_path):
    """The pages of the file that were looked at count as memory, once; a copy in single precision would count once more,
    one in double precision twice."""
    file = tmp_path / "v.npy"
    rng = np.random.default_rng(0)
    made = np.lib.format.open_memmap(file, mode="w+", dtype=np.float32, shape=(DOCUMENTS, DIMENSIONS))
    for rows in blocks(*made.shape):
        made[rows] = rng.normal(size=made[rows].shape) + 0.2
    made.flush()
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(file), str(DOCUMENTS)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    grown, similarity, order = json.loads(done.stdout)
    assert grown < 1.6 * file.stat().st_size
    space = topic_space(np.asarray(made), np.arange(DOCUMENTS) % 50, tuple(f"{n:02}" for n in range(50)))
    np.testing.assert_allclose(similarity, space.similarity[0], atol=1e-12)
    assert len(order) == 10


@pytest.mark.parametrize("documents", [1, 7, 8, 9, 30])
def test_blocks_cover_every_row_once(monkeypatch, documents):
    monkeypatch.setattr("core.arrays.BLOCK", 24)
    parts = list(blocks(documents, 3))
    assert np.concatenate([np.arange(documents)[rows] for rows in parts]).tolist() == list(range(documents))
    assert max(rows.stop - rows.start for rows in parts) <= 8
    assert len(list(blocks(3, 100))) == 3, "a row wider than a block is one of its own"


def test_sums_do_not_depend_on_the_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    vectors, codes = rng.normal(size=(200, 5)).astype(np.float32), rng.integers(0, 6, 200)
    vectors[::9] = 0
    names = tuple("abcdefg")  # the last one has no document
    whole = topic_space(vectors, codes, names)
    monkeypatch.setattr("core.arrays.BLOCK", 40)
    parts = topic_space(vectors, codes, names)
    np.testing.assert_allclose(parts.similarity, whole.similarity, atol=1e-12)
    assert parts.counted.tolist() == whole.counted.tolist()


def test_a_file_by_its_path_is_mapped_and_one_by_its_stream_is_read(tmp_path):
    table = np.arange(12, dtype=np.float32).reshape(4, 3)
    np.save(tmp_path / "v.npy", table)
    mapped = load_vectors(tmp_path / "v.npy", 4)
    assert np.array_equal(mapped, table) and not mapped.flags.writeable
    base = mapped
    while isinstance(base.base, np.ndarray):
        base = base.base
    assert isinstance(base, np.memmap)
    with (tmp_path / "v.npy").open("rb") as stream:
        assert np.array_equal(load_vectors(stream, 4), table)


def test_fitted_vectors_are_the_same_with_any_number_of_threads():
    """Jobs have one thread and the command line has them all, and both store what they computed."""
    rng = np.random.default_rng(0)
    words = np.array([f"word{number}" for number in range(900)])
    texts = [" ".join(rng.choice(words, 60)) for _ in range(300)]
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            found.append(embed(make_corpus(texts, ["one", "two"] * 150), make_encoder("lsa")).matrix)
    assert np.array_equal(*found)


def test_lsa_tells_its_stages():
    told = []
    embed(made(), make_encoder("lsa"), progress=lambda done, total, label, left: told.append((done, total, label)))
    assert [label for *_, label in told][1:4] == ["counting words", "weighting words", "finding 100 dimensions"]
    assert told[-1] == (40, 40, "documents")
