"""Embedding a corpus: order, shuffling, the store, stopping and being killed."""

import dataclasses
import hashlib
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

from core.arrays import canonical
from core.corpora import Corpus, make_corpus, take
from core.errors import EncoderError, InputError
from core.vectors import Vectors, VectorStore, embed, embedded_so_far, estimate, make_encoder
from core.vectors.encoder import EncodedBatch
from tests.conftest import ROOT
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
    assert result.encoded == 7 and any(note.startswith("Vectors are not kept") for note in result.notes)


def test_own_vectors_are_taken_as_they_are(tmp_path):
    mine = np.arange(12, dtype=np.float32).reshape(4, 3)
    texts, topics = ["same", "same", "c", "d"], list("xyxy")
    corpus = make_corpus(texts, topics, vectors=mine.copy())
    result = embed(corpus, make_encoder("precomputed"), store=VectorStore(tmp_path))
    assert isinstance(result, Vectors) and np.array_equal(result.matrix, mine) and result.name == "precomputed"
    assert estimate(corpus, make_encoder("precomputed")) == 0
    other = embed(corpus, make_encoder("precomputed", vectors=mine + 1))
    assert np.array_equal(other.matrix, mine + 1) and other.encoder_key != result.encoder_key
    with pytest.raises(EncoderError, match="brings no vectors"):
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
