"""The quickest run: never more than was asked for, capped where authors are many, none where nothing can be split."""

import numpy as np
import pytest

from core.corpora import make_corpus
from core.evaluation import estimate_runs, quickest_run
from core.splits import make_folds

MODELS = ["max_ent", "char_svm", "topic_fit"]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))


def written(*, authors: int, topics: int, each: int = 3):
    rows = [(who, topic) for who in range(authors) for topic in range(topics) for _ in range(each)]
    texts = [f"text {number} on {topic} by {who}" for number, (who, topic) in enumerate(rows)]
    return make_corpus(texts, [f"t{topic}" for _, topic in rows], authors=[f"a{who}" for who, _ in rows])


def test_it_costs_less_than_everything_and_caps_many_authors():
    corpus = written(authors=60, topics=5)
    found = quickest_run(corpus, models=MODELS, task="attribution")
    whole = estimate_runs(
        corpus, make_folds(corpus, scheme="topic-kfold", k=5, seed=0), task="attribution", models=MODELS
    )
    assert found is not None and (found.authors, found.k, len(found.models)) == (50, 3, 2)
    assert set(found.models) < set(MODELS) and found.estimate.runs == 6
    assert found.estimate.seconds < whole.seconds and found.estimate.memory < whole.memory
    assert found.estimate.unmeasured == found.models


def test_few_authors_are_all_kept():
    found = quickest_run(written(authors=3, topics=2), models=MODELS, task="attribution")
    assert found is not None and found.authors is None and found.k == 2


def test_where_few_authors_leave_one_topic_nothing_is_proposed():
    rows = [(f"a{who}", "t0") for who in range(50) for _ in range(3)] + [(f"b{who}", "t1") for who in range(5)]
    texts = [f"text {number} by {who}" for number, (who, _) in enumerate(rows)]
    corpus = make_corpus(texts, [topic for _, topic in rows], authors=[who for who, _ in rows])
    assert quickest_run(corpus, models=MODELS, task="attribution") is None


def test_models_known_to_be_slow_are_left_out():
    from core.engine import remember_pace

    for model, seconds in zip(MODELS, (30.0, 1.0, 2.0), strict=True):
        remember_pace(f"attribution:{model}", 1_000.0, seconds)
    found = quickest_run(written(authors=3, topics=4), models=MODELS, task="attribution")
    assert found is not None and found.models == ("char_svm", "topic_fit") and found.estimate.unmeasured == ()
    assert np.isfinite(found.estimate.seconds)
