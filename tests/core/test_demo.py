"""What ships beside the corpus is what the encoder gives, and it serves any part of the corpus."""

import subprocess
import sys

import numpy as np
import pytest

from core.corpora import filtered, make_corpus
from core.demo import RESULTS, bundled_corpus, bundled_layout, bundled_lsa, bundled_vectors
from core.evaluation import ResultStore, missing_runs, usual_models
from core.vectors import embed, make_encoder
from data.bundle import opened
from data.neural import PAIRING, TASK, by_choice, opened_setups
from tests.conftest import ROOT


def test_shipped_vectors_are_what_the_encoder_gives():
    corpus = bundled_corpus()
    shipped = bundled_vectors(corpus, make_encoder("sbert")).matrix
    rows = np.linspace(0, len(corpus) - 1, 24).astype(int)
    sample = make_corpus([corpus.texts[row] for row in rows], [corpus.topics[row] for row in rows])
    fresh = embed(sample, make_encoder("sbert")).matrix
    cosine = (shipped[rows] * fresh).sum(axis=1) / np.linalg.norm(shipped[rows], axis=1) / np.linalg.norm(fresh, axis=1)
    assert cosine.min() > 0.999


def test_the_shipped_lsa_vectors_are_what_lsa_gives_for_the_whole_corpus():
    corpus = bundled_corpus()
    assert np.allclose(bundled_lsa(corpus).matrix, embed(corpus, make_encoder("lsa"), notes=False).matrix, atol=1e-4)
    assert bundled_lsa(filtered(corpus, at_most=10)) is None


def test_its_verdict_loads_neither_scikit_learn_nor_scipy_stats():
    code = (
        "import sys; from core.__main__ import main; main(['verdict', 'demo', '--json']); "
        "print({'sklearn', 'scipy.stats', 'torch', 'streamlit'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


def test_a_part_of_the_corpus_gets_its_own_rows():
    corpus = bundled_corpus()
    part = filtered(corpus, at_most=10)
    assert bundled_vectors(part, make_encoder("sbert")).shipped and not embed(part, make_encoder("lsa")).shipped
    whole, some = (bundled_vectors(each, make_encoder("sbert")).matrix for each in (corpus, part))
    place = {text: row for row, text in enumerate(corpus.texts)}
    assert (some == whole[[place[text] for text in part.texts]]).all()


@pytest.mark.parametrize("encoder", [make_encoder("lsa"), make_encoder("sbert", window="mean")])
def test_other_encoders_get_nothing(encoder):
    assert bundled_vectors(bundled_corpus(), encoder) is None


def test_other_texts_get_nothing():
    corpus = bundled_corpus()
    mixed = make_corpus([corpus.texts[0], "a new text"], ["a", "b"])
    assert bundled_vectors(mixed, make_encoder("sbert")) is None


def test_the_map_is_for_the_whole_corpus_only():
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    layout = bundled_layout(corpus, vectors)
    assert layout.documents.shape == (len(corpus), 2)
    assert layout.centroids.shape == (24, 2)
    part = filtered(corpus, at_most=10)
    assert bundled_layout(part, bundled_vectors(part, make_encoder("sbert"))) is None


def test_nothing_has_to_be_run_for_what_the_pages_open_with():
    store = ResultStore("/proc/nowhere", shipped=RESULTS)
    key = bundled_vectors(bundled_corpus(), make_encoder("sbert")).encoder_key
    for setup, folds, task, pairing in opened():
        choices = {"task": task, "models": usual_models(task), "pairing": pairing}
        assert missing_runs(setup.corpus, folds, results=store, vectors_key=key, **choices) == 0


def test_the_slow_models_answers_ship_whole_or_not_at_all():
    store = ResultStore("/proc/nowhere", shipped=RESULTS)
    for setup, folds in opened_setups():
        choices = {"task": TASK, "models": by_choice(), "pairing": PAIRING, "vectors_key": ""}
        assert missing_runs(setup.corpus, folds, results=store, **choices) in (0, len(by_choice()) * len(folds))
