"""A corpus of many documents with vectors of its own: memory is bounded by the file, and by no copies of it."""

import json
import subprocess
import sys

import numpy as np
import pytest

from core.arrays import blocks
from core.topics import topic_space
from core.vectors import load_vectors
from tests.conftest import ROOT

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
