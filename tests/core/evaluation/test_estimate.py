"""What runs will cost: nothing where answers are there, more for more authors, and the measured pace where there is one."""

import numpy as np
import pytest

from core.corpora import Corpus, make_corpus
from core.engine import remember_pace
from core.evaluation import ResultStore, estimate_runs, evaluate
from core.evaluation.run import pace_name, run_units
from core.splits import make_folds


def written(*, authors: int, each: int = 6) -> Corpus:
    rng = np.random.default_rng(0)
    words = np.array([f"word{number}" for number in range(200)])
    rows = [(author, text % 3) for author in range(authors) for text in range(each)]
    texts = [" ".join(rng.choice(words, 30)) for _ in rows]
    return make_corpus(texts, [f"topic {topic}" for _, topic in rows], authors=[f"author {who}" for who, _ in rows])


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))


def test_what_is_kept_costs_nothing(tmp_path):
    corpus, store = written(authors=3), ResultStore(tmp_path)
    folds = make_folds(corpus, scheme="topic-kfold", k=3, seed=0)
    choices = {"task": "attribution", "models": ["char_svm", "topic_fit"], "results": store}
    before = estimate_runs(corpus, folds, **choices)
    assert before.runs == 6 and before.seconds > 0 and before.memory > 0
    evaluate(corpus, folds, **choices)
    after = estimate_runs(corpus, folds, **choices)
    assert (after.runs, after.seconds, after.memory) == (0, 0.0, 0.0)


def test_memory_grows_with_authors_and_with_the_model():
    few, many = (
        estimate_runs(
            corpus,
            make_folds(corpus, scheme="topic-kfold", k=3, seed=0),
            task="attribution",
            models=["max_ent", "char_svm"],
        )
        for corpus in (written(authors=5), written(authors=100))
    )
    assert many.memory > few.memory
    assert many.by_model["max_ent"] > 15 * few.by_model["max_ent"]


def test_many_authors_with_maximum_entropy_are_seen_to_be_too_much():
    """The shape of 20 Newsgroups: 8,480 authors and 25 million characters took 18 GB and more."""
    from core.models import Size
    from core.models.attribution import CLASSIFIERS

    size = Size(documents=15_000, characters=20_000_000, authors=8_480)
    assert CLASSIFIERS["max_ent"].memory(size) > 18e9 > CLASSIFIERS["char_svm"].memory(size)


def test_a_measured_pace_counts():
    corpus = written(authors=4)
    folds = make_folds(corpus, scheme="topic-kfold", k=3, seed=0)
    units = sum(run_units("attribution", corpus, folds))
    remember_pace(pace_name("attribution", "char_svm"), units, 30.0)
    found = estimate_runs(corpus, folds, task="attribution", models=["char_svm"])
    assert found.seconds == pytest.approx(30.0)  # tests run on one core
    assert found.unmeasured == ()


def test_what_has_never_run_here_is_named_until_it_has():
    corpus = written(authors=4)
    folds = make_folds(corpus, scheme="topic-kfold", k=3, seed=0)
    remember_pace(pace_name("attribution", "char_svm"), 1_000.0, 1.0)
    found = estimate_runs(corpus, folds, task="attribution", models=["max_ent", "char_svm", "topic_fit"])
    assert found.unmeasured == ("max_ent", "topic_fit")


def test_running_measures_the_pace(tmp_path, monkeypatch):
    monkeypatch.setattr("core.engine.jobs.SHORTEST", 0.0)  # a fast machine is no fault
    corpus = written(authors=30, each=12)
    folds = make_folds(corpus, scheme="topic-kfold", k=3, seed=0)
    evaluate(corpus, folds, task="attribution", models=["max_ent"])
    assert "attribution:max_ent" in (tmp_path / "paces.json").read_text(encoding="utf-8")
