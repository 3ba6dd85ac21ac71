"""The bundled corpus, its SBERT vectors and its map, so that the first screen needs no model."""

import hashlib
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .corpora import Corpus
from .corpora.readers import read_corpus
from .errors import InputError
from .lesson import FOLDS, Evidence, Lesson, make_lesson, read_evidence
from .papers.neville_2012 import OwnNetwork, read_network
from .topics import Layout, hits_path, judge, topic_space
from .vectors import Encoder, Vectors, make_encoder

_INSTALLED, _CHECKOUT = Path(__file__).parent / "data", Path(__file__).parents[1] / "data"
DATA = _INSTALLED if _INSTALLED.is_dir() else _CHECKOUT
NAME = "The Tarnbeck Courier (fictional)"
TEXTS, VECTORS, MAP = DATA / "courier.csv", DATA / "courier_sbert.npy", DATA / "courier_map.npy"
LSA_VECTORS = DATA / "courier_lsa.npy"
RESULTS = DATA / "courier_results.answers"
LINKS, FAMILIES = DATA / "courier_links.csv", DATA / "courier_families.csv"
PASTIMES = ("bat and ball", "chess", "food", "music")  # the families whose pieces the bundled network is to tell apart
LESSON = DATA / "lesson.json"
DIAL_GRID = DATA / "dial_grid.csv"


@cache
def bundled_corpus() -> Corpus:
    """Return the fictional newspaper that Leakscope opens on."""
    return read_corpus(TEXTS, name=NAME)


def bundled_vectors(corpus: Corpus, encoder: Encoder) -> Vectors | None:
    """Return the shipped vectors of a corpus drawn from the bundled one; None for other texts or another encoder."""
    if encoder != make_encoder("sbert") or corpus.texts[0] not in _rows_by_text():
        return None
    rows = [_rows_by_text().get(text, -1) for text in corpus.texts]
    if min(rows) < 0:
        return None
    matrix, note = (
        _shipped_array(VECTORS)[rows].astype(np.float32),
        "Vectors shipped with Leakscope, in half precision.",
    )
    return Vectors(matrix, _vectors_key(), encoder.name, 0, len(rows), (note,), shipped=True)


def bundled_lsa(corpus: Corpus) -> Vectors | None:
    """Return the shipped LSA vectors of the whole bundled corpus, for the second opinion: scikit-learn takes longest to import."""
    if corpus.content_digest != bundled_corpus().content_digest:
        return None
    return Vectors(_shipped_array(LSA_VECTORS), make_encoder("lsa").key(), "lsa", 0, len(corpus), (), shipped=True)


def bundled_layout(corpus: Corpus, vectors: Vectors) -> Layout | None:
    """Return the shipped map of the whole bundled corpus under SBERT: UMAP alone would take the first page seconds."""
    if corpus.content_digest != bundled_corpus().content_digest or vectors.encoder_key != _vectors_key():
        return None
    points = _shipped_array(MAP).astype(np.float64)
    return Layout("umap", np.arange(len(corpus)), points[: len(corpus)], points[len(corpus) :])


@cache
def bundled_lesson() -> Lesson:
    """Return the bundled corpus as the lesson looks at it."""
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    assert vectors is not None
    space = topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names)
    path = hits_path(space.similarity)
    return make_lesson(corpus, space, path, judge(space, path, k=FOLDS))


@cache
def bundled_evidence() -> Evidence:
    """Return how models do on the bundled corpus, for the lesson."""
    return read_evidence(LESSON, bundled_corpus().topic_names)


@cache
def bundled_network() -> OwnNetwork:
    """Return the bundled articles linked by reporter: six volumes, each its own network (data/network.py)."""
    return replace(read_network(LINKS, FAMILIES), name=NAME, usual_positive=PASTIMES)


@cache
def _vectors_key() -> str:
    # Half precision on disk, so the key names the file rather than a run of the encoder here.
    return f"bundled:{hashlib.sha256(VECTORS.read_bytes()).hexdigest()}"


@cache
def _rows_by_text() -> dict[str, int]:
    return {text: row for row, text in enumerate(bundled_corpus().texts)}


@cache
def _shipped_array(file: Path) -> NDArray[np.floating]:
    try:
        return np.load(file, allow_pickle=False)  # type: ignore[no-any-return]
    except (OSError, ValueError) as problem:
        raise InputError(f"{file.name}: {problem}; restore it with `make bundle`.") from None
