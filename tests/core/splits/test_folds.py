"""Folds: no topic on both sides, everything tested once, and nothing hangs on the order of the file."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.corpora import UNKNOWN_AUTHOR, make_corpus, take
from core.errors import InputError, SettingError
from core.splits import FOLD_SCHEMES, make_folds, topic_kfold
from core.splits.folds import MOST_ROWS, capped, fixed_split, leave_one_topic_out, stratified_kfold
from core.topics import TopicSpace
from tests.core.topics.similarities import similarity_of


def a_corpus(seed: int, topics: int = 6, documents: int = 60, authors: int = 3):
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(topics), rng.integers(0, topics, documents - topics)])
    writers = rng.integers(0, authors, documents)
    return make_corpus(
        [f"text {i}" for i in range(documents)],
        [f"t{code:03}" for code in codes],
        authors=[f"a{writer}" for writer in writers],
        ids=[f"d{number}" for number in rng.permutation(documents)],
        splits=[("train", "test")[number % 3 == 0] for number in range(documents)],
    )


def a_space(corpus):
    """Similarities of the corpus's topics, for the schemes that look at them."""
    similarity = similarity_of(1, len(corpus.topic_names))
    return TopicSpace(corpus.topic_names, corpus.topic_sizes, np.zeros((len(similarity), 1)), similarity)


def as_names(corpus, folds):
    """The folds by id and topic name, which outlive any order of rows."""
    return [
        tuple(
            frozenset(names[i] for i in part)
            for names, part in (
                (corpus.ids, fold.train),
                (corpus.ids, fold.test),
                (corpus.topic_names, fold.train_topics),
                (corpus.topic_names, fold.test_topics),
            )
        )
        for fold in folds
    ]


def check_laws(corpus, folds):
    for fold in folds:
        assert not set(fold.train) & set(fold.test)
        assert len(fold.train) and len(fold.test)
        for rows, topics in ((fold.train, fold.train_topics), (fold.test, fold.test_topics)):
            assert rows.dtype == topics.dtype == np.int64
            assert (np.diff(rows) > 0).all()
            assert topics.tolist() == sorted(set(corpus.topic_codes[rows]))
            assert not rows.flags.writeable and not topics.flags.writeable


@given(st.integers(0, 500), st.integers(2, 12), st.data())
@settings(max_examples=60, deadline=None)
def test_topic_folds_part_the_topics_and_test_each_once(seed, topics, data):
    corpus = a_corpus(seed, topics=topics)
    k = data.draw(st.integers(2, topics))
    folds = topic_kfold(corpus, k=k, seed=seed)
    check_laws(corpus, folds)
    assert len(folds) == k
    for fold in folds:
        assert not set(fold.train_topics) & set(fold.test_topics)
        assert len(fold.train) + len(fold.test) == len(corpus)
    assert sorted(np.concatenate([fold.test_topics for fold in folds])) == list(range(topics))
    assert sorted(np.concatenate([fold.test for fold in folds])) == list(range(len(corpus)))
    parts = [len(fold.test_topics) for fold in folds]
    assert max(parts) - min(parts) <= 1


@given(st.integers(0, 500))
@settings(max_examples=20, deadline=None)
def test_leaving_one_topic_out_tests_each_topic_alone_in_order_of_name(seed):
    corpus = a_corpus(seed)
    folds = leave_one_topic_out(corpus)
    check_laws(corpus, folds)
    assert [fold.test_topics.tolist() for fold in folds] == [[code] for code in range(6)]
    assert [len(fold.test) for fold in folds] == corpus.topic_sizes.tolist()


@given(st.integers(0, 500), st.integers(2, 5))
@settings(max_examples=20, deadline=None)
def test_ordinary_folds_keep_the_share_of_every_author(seed, k):
    corpus = a_corpus(seed)
    folds = stratified_kfold(corpus, k=k, seed=seed)
    check_laws(corpus, folds)
    assert sorted(np.concatenate([fold.test for fold in folds])) == list(range(len(corpus)))
    sizes = np.bincount(corpus.author_codes)
    for fold in folds:
        assert (np.abs(np.bincount(corpus.author_codes[fold.test], minlength=3) - sizes / k) < 1 + 1e-9).all()


def test_schemes_say_what_they_take():
    taking = [name for name, scheme in FOLD_SCHEMES.items() if scheme.takes_k]
    needing = [name for name, scheme in FOLD_SCHEMES.items() if scheme.needs_split]
    assert (taking, needing) == (["topic-kfold", "least-leakage", "kfold"], ["own-split"])
    assert [name for name, scheme in FOLD_SCHEMES.items() if scheme.needs_space] == ["least-leakage"]


@pytest.mark.parametrize("scheme", FOLD_SCHEMES)
@pytest.mark.parametrize("at_most", [None, 4])
def test_folds_do_not_depend_on_the_order_of_documents(scheme, at_most):
    for seed in range(10):
        corpus = a_corpus(seed)
        shuffled = take(corpus, np.random.default_rng(seed).permutation(len(corpus)))
        choices = {"scheme": scheme, "k": 3, "seed": seed, "at_most": at_most, "space": a_space(corpus)}
        expected = as_names(corpus, make_folds(corpus, **choices))
        assert as_names(shuffled, make_folds(shuffled, **choices)) == expected


@pytest.mark.parametrize("scheme", ["topic-kfold", "kfold"])
def test_the_seed_decides(scheme):
    corpus = a_corpus(0)
    drawn = [as_names(corpus, make_folds(corpus, scheme=scheme, k=3, seed=seed)) for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert make_folds(corpus, scheme=scheme, k=3, seed=0).scheme == scheme


@given(st.integers(0, 300), st.integers(1, 12), st.sampled_from(sorted(FOLD_SCHEMES)))
@settings(max_examples=40, deadline=None)
def test_the_cap_holds_on_each_side_and_loses_no_topic(seed, at_most, scheme):
    corpus = a_corpus(seed)
    whole = make_folds(corpus, scheme=scheme, k=3, seed=seed, space=a_space(corpus))
    cut = capped(corpus, whole, at_most=at_most, seed=seed)
    check_laws(corpus, cut)
    for fold, before in zip(cut, whole, strict=True):
        for rows, all_rows in ((fold.train, before.train), (fold.test, before.test)):
            assert set(rows) <= set(all_rows)
            sizes = np.bincount(corpus.topic_codes[all_rows])
            assert np.bincount(corpus.topic_codes[rows]).tolist() == np.minimum(sizes, at_most).tolist()


def test_the_corpus_may_bring_its_own_split():
    corpus = make_corpus(["a", "b", "c"], ["s", "t", "t"], splits=["train", " Test", "train"])
    (fold,) = make_folds(corpus, scheme="own-split", k=2, seed=0)
    assert (fold.train.tolist(), fold.test.tolist()) == ([0, 2], [1])
    with pytest.raises(SettingError, match="brings no train/test labels"):
        make_folds(make_corpus(["a", "b"], ["s", "t"]), scheme="own-split", k=2, seed=0)


def test_a_capped_topic_shows_the_same_documents_in_every_fold():
    corpus = a_corpus(3)
    folds = make_folds(corpus, scheme="leave-one-topic-out", k=0, seed=1, at_most=3)
    for topic in range(6):
        seen = {
            tuple(rows[corpus.topic_codes[rows] == topic])
            for fold in folds
            for rows in (fold.train, fold.test)
            if (corpus.topic_codes[rows] == topic).any()
        }
        assert len(seen) == 1


def test_authors_with_few_documents_are_dealt_out_and_named():
    authors = ["long"] * 10 + ["two"] * 2 + ["one"]
    corpus = make_corpus(["x"] * 13, ["s", "t"] * 6 + ["t"], authors=authors)
    folds = stratified_kfold(corpus, k=5, seed=0)
    assert "2 of 3 authors have fewer than 5 documents" in folds.notes[0]
    assert "1 author has one document" in folds.notes[1]
    two = corpus.author_names.index("two")
    assert max((corpus.author_codes[fold.test] == two).sum() for fold in folds) == 1
    assert stratified_kfold(a_corpus(0), k=2, seed=0).notes == ()


def test_an_author_with_k_documents_is_in_every_fold_and_not_named():
    authors = ["five"] * 5 + ["four"] * 4 + ["two"] * 2
    corpus = make_corpus(["x"] * 11, ["s", "t"] * 5 + ["t"], authors=authors)
    folds = stratified_kfold(corpus, k=5, seed=0)
    five = corpus.author_names.index("five")
    assert [(corpus.author_codes[fold.test] == five).sum() for fold in folds] == [1] * 5
    assert folds.notes == ("2 of 3 authors have fewer than 5 documents, so not every fold tests them.",)


def test_labels_make_one_fold():
    corpus = make_corpus(["a", "b", "c"], ["s", "t", "t"])
    folds = fixed_split(corpus, labels=["train", " Test", "train"])
    check_laws(corpus, folds)
    assert folds.folds[0].train.tolist() == [0, 2]
    assert folds.folds[0].test_topics.tolist() == [1]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["train", "dev", "test"], "row 2: split label 'dev'; write 'train' or 'test'"),
        (["train", "", "test"], "row 2: split label ''"),
        (["train", "train", "train"], "Every document is labelled 'train'"),
        (["train", "test"], "2 split labels for 3 documents"),
    ],
)
def test_labels_that_split_nothing_are_refused(labels, message):
    with pytest.raises(InputError, match=message):
        fixed_split(make_corpus(["a", "b", "c"], ["s", "t", "t"]), labels=labels)


def test_choices_that_do_not_fit_are_refused_with_a_way_out():
    corpus = a_corpus(0)
    with pytest.raises(SettingError, match="k = 7, but there are 6 topics to deal; choose k from 2 to 6"):
        topic_kfold(corpus, k=7, seed=0)
    for make in (topic_kfold, stratified_kfold):
        with pytest.raises(SettingError, match=r"k = 1; .* at least 2 folds"):
            make(corpus, k=1, seed=0)
    with pytest.raises(SettingError, match="Did you mean 'topic-kfold'"):
        make_folds(corpus, scheme="topic-kfld", k=3, seed=0)
    with pytest.raises(SettingError, match="cap of 0"):
        make_folds(corpus, scheme="topic-kfold", k=3, seed=0, at_most=0)


def test_stratifying_needs_two_authors_with_enough_documents():
    def of(authors):
        return make_corpus(["x"] * 4, ["s", "t"] * 2, authors=authors)

    with pytest.raises(SettingError, match=r"names no authors.*use topic folds"):
        stratified_kfold(of(None), k=2, seed=0)
    for authors in (["a"] * 4, ["a", "a", "", ""]):
        with pytest.raises(SettingError, match="only one known author"):
            stratified_kfold(of(authors), k=2, seed=0)
    with pytest.raises(SettingError, match="no author has more than 2 documents; choose k = 2"):
        stratified_kfold(of(["a", "a", "b", "b"]), k=3, seed=0)
    with pytest.raises(SettingError, match="more than 1 document; use topic folds"):
        stratified_kfold(of(list("abcd")), k=2, seed=0)
    assert UNKNOWN_AUTHOR in of(["a", "a", "b", ""]).author_names


def test_folds_too_many_to_hold_are_refused(monkeypatch):
    monkeypatch.setattr("core.splits.folds.MOST_ROWS", 100)
    assert MOST_ROWS > 100
    with pytest.raises(SettingError, match="6 folds of 60 documents do not fit in memory"):
        leave_one_topic_out(a_corpus(0))
    for most, fits in ((360, True), (359, False)):  # 6 · 60
        monkeypatch.setattr("core.splits.folds.MOST_ROWS", most)
        if fits:
            assert len(leave_one_topic_out(a_corpus(0))) == 6
        else:
            with pytest.raises(SettingError, match="do not fit in memory"):
                leave_one_topic_out(a_corpus(0))


def test_row_numbers_take_at_most_400_megabytes():
    fold = leave_one_topic_out(a_corpus(0)).folds[0]
    assert MOST_ROWS * fold.train.itemsize == 400 * 10**6
