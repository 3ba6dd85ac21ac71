"""Leakscope from Python, as a notebook would use it: the public names only, on the bundled corpus."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import core as leakscope
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_a_morning_with_a_corpus():
    # What do I have?
    corpus = leakscope.bundled_corpus()
    found = leakscope.audit(corpus)
    assert (len(corpus), len(corpus.topic_names)) == (1500, 24)
    assert found.counts.sum() == len(corpus)

    # Which topics are alike?
    vectors = leakscope.bundled_vectors(corpus, leakscope.make_encoder("sbert"))
    assert vectors is not None
    space = leakscope.topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names)
    assert space.similarity.shape == (24, 24)

    # Does a split of it leak, and which topics should I keep?
    path = leakscope.hits_path(space.similarity)
    documents = vectors.matrix, corpus.topic_codes, len(space)
    labels = leakscope.check_labels(*documents, kind=space.kind)
    resampled = leakscope.resample_topics(*documents, kind=space.kind)
    verdict = leakscope.verdict(space, path, k=6, labels=labels, resampled=resampled)
    assert verdict.level == "leaks" and verdict.sentence.startswith("Yes")
    assert verdict.keep_interval[0] <= verdict.keep <= verdict.keep_interval[1]
    assert 2 <= verdict.keep < 24
    kept = path.order[: verdict.keep]
    assert space.similarity[np.ix_(kept, kept)][~np.eye(len(kept), dtype=bool)].max() < verdict.line
    sample = leakscope.make_sample(space.similarity, kept, policy="grouping")
    assert set(sample.assigned) == set(kept)

    # What do cross-topic folds leak, beside ordinary ones?
    by_topic = leakscope.make_folds(corpus, scheme="topic-kfold", k=6, seed=0)
    ordinary = leakscope.make_folds(corpus, scheme="kfold", k=6, seed=0)
    assert leakscope.fold_leakage(by_topic, space).average_max < leakscope.fold_leakage(ordinary, space).average_max

    # Does similarity buy accuracy?
    run = leakscope.evaluate(corpus, by_topic, task="attribution", models=["char_svm", "topic_fit"])
    by_fold = leakscope.summarise(leakscope.fold_scores(run, corpus), "accuracy")
    assert by_fold["char_svm"].mean > by_fold["topic_fit"].mean
    by_topic_scores = {
        score.topics[0]: score.values["accuracy"]
        for score in leakscope.topic_scores(run, corpus)
        if score.model == "topic_fit"
    }
    nearest = np.array([np.delete(space.similarity[topic], topic).max() for topic in by_topic_scores])
    relation = leakscope.rank_relation(nearest, np.array(list(by_topic_scores.values())))
    assert relation.low <= relation.rho <= relation.high

    # Is one model better than the other?
    one, other = (
        [score.values["accuracy"] for score in leakscope.topic_scores(run, corpus) if score.model == model]
        for model in run.models
    )
    tests = leakscope.compare(one, other, kind="scores")
    assert tests["paired_t"].p < 0.05


def test_verification_pairs_inside_a_side_of_a_fold():
    corpus = leakscope.bundled_corpus()
    fold = next(iter(leakscope.make_folds(corpus, scheme="topic-kfold", k=6, seed=0)))
    pairs = leakscope.make_pairs(corpus, fold.test, seed=0)
    assert {*pairs.first, *pairs.second} <= set(fold.test)
    assert pairs.same.mean() == 0.5


def test_the_example_in_the_readme_runs(tiny_csv: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "my.csv").write_bytes(tiny_csv)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "leakscope", leakscope)
    example, _ = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    seen: dict[str, object] = {}
    exec(example, seen)
    assert 0 <= seen["accuracy"] <= 1
    assert set(seen["kept"]) <= {"bread", "cakes", "stars"}


def test_the_example_of_splitters_in_the_readme_runs(monkeypatch: pytest.MonkeyPatch):
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import RidgeClassifier
    from sklearn.pipeline import make_pipeline

    monkeypatch.setitem(sys.modules, "leakscope", leakscope)
    _, example = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(22), 6)
    seen: dict[str, object] = {
        "vectors": (rng.normal(size=(22, 8))[codes] + 0.3 * rng.normal(size=(132, 8))),
        "authors": np.tile(["ann", "bob"], 66),
        "topics": [f"t{code:02}" for code in codes],
        "texts": [f"word{code} other" for code in codes],
        "model": RidgeClassifier(),
        "pipeline": make_pipeline(TfidfVectorizer(), RidgeClassifier()),
        "grid": {"ridgeclassifier__alpha": [0.1, 1.0]},
    }
    exec(example, seen)
    assert seen["search"].n_splits_ == 5


def test_the_readme_names_the_whole_interface():
    section = README.split("## From Python")[1].split("\n## ")[0]
    rows = "\n".join(line for line in section.splitlines() if line.startswith("| `"))
    assert set(re.findall(r"`(\w+)`", rows)) == set(leakscope.__all__) - {"__version__"}


def test_every_public_name_is_there_and_no_other():
    for name in leakscope.__all__:
        assert getattr(leakscope, name) is not None
        assert name in dir(leakscope)
    with pytest.raises(AttributeError, match="no attribute 'reed'"):
        leakscope.reed  # noqa: B018


def test_bad_input_is_refused_in_words():
    with pytest.raises(leakscope.LeakscopeError, match="'bert'"):
        leakscope.make_encoder("bert")


def test_importing_it_costs_nothing():
    program = (
        "import sys, core; print([name for name in ('numpy', 'pandas', 'torch', 'streamlit') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
