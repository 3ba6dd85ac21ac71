"""Splitters for scikit-learn: its own conventions, and the folds that core makes."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn import config_context
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline

import core as leakscope
from core.errors import SettingError

SPLITTERS = ("HitsTopicKFold", "MinimaxTopicKFold", "LeastLeakageKFold")


@pytest.fixture(scope="module")
def documents():
    rng = np.random.default_rng(0)
    topics = np.repeat([f"t{topic}" for topic in range(8)], 12)
    centres = rng.normal(size=(8, 10)) * 2
    vectors = np.repeat(centres, 12, axis=0) + rng.normal(size=(96, 10))
    return vectors, rng.integers(0, 2, 96), topics


@pytest.fixture(params=SPLITTERS)
def splitter(request):
    made = getattr(leakscope, request.param)
    return made(3) if request.param == "LeastLeakageKFold" else made(3, m=6)


def test_folds_keep_scikit_learns_invariants(splitter, documents):
    X, y, topics = documents
    folds = list(splitter.split(X, y, topics))
    assert len(folds) == splitter.get_n_splits(X, y, topics) == 3
    tested = np.concatenate([test for _, test in folds])
    assert len(set(tested.tolist())) == len(tested)
    for train, test in folds:
        assert train.dtype.kind == test.dtype.kind == "i" and len(train) and len(test)
        assert not set(train.tolist()) & set(test.tolist())
        assert not set(topics[train]) & set(topics[test])
        assert set(train.tolist()) | set(test.tolist()) == set(tested.tolist())
    whole = type(splitter).__name__ == "LeastLeakageKFold"
    assert (len(tested) == len(X)) == whole
    assert len(set(topics[tested])) == (8 if whole else 6)


def test_it_can_be_cloned_and_is_the_same_every_time(splitter, documents):
    X, y, topics = documents
    again = clone(splitter)
    assert again is not splitter and again.get_params() == splitter.get_params()
    assert type(splitter).__name__ in repr(splitter)
    for one, two in zip(splitter.split(X, y, topics), again.split(csr_array(X), y, topics), strict=True):
        assert all((a == b).all() for a, b in zip(one, two, strict=True))
    assert splitter.set_params(n_splits=2).get_n_splits() == 2


def test_it_serves_where_scikit_learn_takes_a_splitter(splitter, documents):
    X, y, topics = documents
    assert len(cross_val_score(LogisticRegression(), X, y, groups=topics, cv=splitter)) == 3
    assert set(cross_validate(RidgeClassifier(), X, y, groups=topics, cv=splitter)) >= {"test_score", "fit_time"}
    search = GridSearchCV(RidgeClassifier(), {"alpha": [0.1, 1.0]}, cv=splitter).fit(X, y, groups=topics)
    assert search.n_splits_ == 3


def test_texts_are_split_by_vectors_of_their_own(documents):
    X, y, topics = documents
    texts = [f"word{topic} other{label}" for topic, label in zip(topics, y, strict=True)]
    model = make_pipeline(TfidfVectorizer(), RidgeClassifier())
    by_vectors = leakscope.LeastLeakageKFold(3, vectors=X)
    assert len(cross_val_predict(model, texts, y, groups=topics, cv=by_vectors)) == len(y)
    assert len(cross_val_score(model, texts, y, groups=topics, cv=clone(by_vectors))) == 3
    with pytest.raises(SettingError, match="give one as vectors="):
        next(leakscope.LeastLeakageKFold(3).split(texts, y, topics))
    with pytest.raises(SettingError, match="give each document's as groups"):
        next(by_vectors.split(texts, y))


def test_least_leakage_parts_less_similar_topics_than_hits_folds(documents):
    X, y, topics = documents
    codes, names = np.unique(topics, return_inverse=True)[::-1]
    space = leakscope.topic_space(X, codes, tuple(names.tolist()))

    def highest(cv) -> float:
        sides = [(np.unique(codes[train]), np.unique(codes[test])) for train, test in cv.split(X, y, topics)]
        return max(space.similarity[np.ix_(train, test)].max() for train, test in sides)

    assert highest(leakscope.LeastLeakageKFold(3, balance=1.0)) <= highest(leakscope.HitsTopicKFold(3, m=8))


def test_scikit_learns_own_checks_of_splitters_hold(documents):
    checks = pytest.importorskip(
        "sklearn.model_selection.tests.test_split", reason="scikit-learn came without its tests"
    )
    X, y, topics = documents
    for name in SPLITTERS:
        made = getattr(leakscope, name)
        cv = made(4) if name == "LeastLeakageKFold" else made(4, m=8)
        checks.check_cv_coverage(cv, X, y, topics, expected_n_splits=4)


def test_topics_are_routed_as_groups(splitter, documents):
    X, y, topics = documents
    plain = cross_val_score(RidgeClassifier(), X, y, groups=topics, cv=splitter)
    with config_context(enable_metadata_routing=True):
        routed = cross_val_score(RidgeClassifier(), X, y, params={"groups": topics}, cv=splitter)
    assert plain.tolist() == routed.tolist()


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_vectors_that_are_no_numbers_are_refused_with_their_row(splitter, documents, value):
    X, y, topics = documents
    spoilt = X.copy()
    spoilt[7, 3] = value
    with pytest.raises(SettingError, match="Row 7 of the vectors"):
        next(splitter.split(spoilt, y, topics))


def test_topics_without_a_place_are_named(splitter, documents):
    X, y, topics = documents
    lone = np.array(["alone", *topics[1:]], dtype=object)
    with pytest.warns(UserWarning, match="1 topic with too few documents.*: alone"):
        list(splitter.split(X, y, lone))


def test_where_nothing_can_be_compared_it_is_said(splitter, documents):
    X, y, topics = documents
    with pytest.warns(UserWarning, match="No two of 8 topics can be compared"):
        list(splitter.split(np.zeros_like(X), y, topics))
    with pytest.warns(UserWarning, match="No two of 96 topics can be compared"):
        list(splitter.split(X, y, np.arange(96)))


@pytest.mark.parametrize("nothing", [float("nan"), None, pd.NA, pd.NaT])
def test_documents_without_a_topic_are_refused(nothing, splitter):
    vectors = np.random.default_rng(0).normal(size=(20, 4))
    given = ["a", "b", nothing, "c"] * 5
    for groups in (np.array(given, dtype=object), pd.Series(given, dtype=object), given):
        with pytest.raises(SettingError, match="Row 2 of the groups .* has no topic"):
            list(splitter.split(vectors, groups=groups))
    numbers = np.array([0.0, 1.0, np.nan, 2.0] * 5)
    with pytest.raises(SettingError, match="Row 2 of the groups .* has no topic"):
        list(splitter.split(vectors, groups=numbers))


def test_sampled_folds_are_no_partition_and_say_so():
    for splitter in (leakscope.HitsTopicKFold, leakscope.MinimaxTopicKFold):
        assert "no partition" in splitter.__doc__ and "cross_val_predict" in splitter.__doc__


def test_predicting_every_document_by_sampled_folds_is_refused(documents):
    X, y, topics = documents
    for splitter in (leakscope.HitsTopicKFold(2, m=4), leakscope.MinimaxTopicKFold(2, m=4)):
        with pytest.raises(ValueError, match="only works for partitions"):
            cross_val_predict(LogisticRegression(), X, y, groups=topics, cv=splitter)
