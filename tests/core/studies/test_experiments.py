"""Every experiment as one call: the same record wherever it runs, and a sentence where it cannot."""

import pickle

import numpy as np
import pytest

from core.errors import LeakscopeError
from core.studies import EXPERIMENTS, FoldPlan, Inputs, Panel, run_experiment
from core.topics import hits_path
from core.vectors import Vectors, VectorStore
from tests.core.experiment_cases import a_case


@pytest.fixture
def given(tmp_path, monkeypatch) -> Inputs:
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    corpus, matrix, space = a_case()
    vectors = Vectors(matrix, "made", "lsa", len(corpus), 0, ())
    panel = Panel("attribution", ("char_svm", "topic_fit"), vectors_key="made")
    return Inputs(corpus, vectors, space, hits_path(space.similarity), 4, FoldPlan(2), panel, {}, VectorStore(tmp_path))


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name != "encoders"])
def test_a_process_that_gets_what_is_given_finds_the_same(given: Inputs, name: str):
    here, there = run_experiment(name, given), run_experiment(name, pickle.loads(pickle.dumps(given)))  # noqa: S301
    assert type(here) is type(there) and here.notes == there.notes
    assert pickle.dumps(here) == pickle.dumps(there)


def test_progress_reaches_the_end(given: Inputs):
    seen: list[tuple[int, int]] = []
    run_experiment("stability", given, lambda done, total, label, left: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1]
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_other_encoders_are_those_that_need_no_long_wait(given: Inputs):
    found = run_experiment("encoders", given)
    assert set(found.names) == {"LSA", "NMF", "LDA"}  # SBERT is neither shipped nor stored
    shipped = Vectors(np.ascontiguousarray(given.vectors.matrix[:, :4]), "shipped", "sbert", 0, 0, ())
    with_sbert = Inputs(
        given.corpus, given.vectors, given.space, given.path, 4, FoldPlan(2), None, {"sbert": shipped}, given.store
    )
    assert set(run_experiment("encoders", with_sbert).names) == {"SBERT", "LSA", "NMF", "LDA"}


def test_stability_without_authors_is_refused(given: Inputs):
    without = Inputs(given.corpus, given.vectors, given.space, given.path, 4, FoldPlan(2), None, {}, given.store)
    with pytest.raises(LeakscopeError, match="two authors or more"):
        run_experiment("stability", without)
