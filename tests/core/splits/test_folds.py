"""Folds: disjointness, coverage and seeds; and what they leak, by brute force."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.corpora import UNKNOWN_AUTHOR, make_corpus, take
from core.errors import InputError, SettingError
from core.notes import Note
from core.splits import FOLD_SCHEMES, fold_leakage, make_folds, topic_kfold
from core.splits.folds import MOST_ROWS, capped, fixed_split, leave_one_topic_out, stratified_kfold
from core.topics import TopicSpace, pair_similarities, topic_leakage, topic_space
from tests.core.topics.similarities import similarity_of

# The similarities of the methods sheet's worked example.
WORKED = np.array(
    [
        [1.00, 0.90, 0.20, 0.30, 0.10],
        [0.90, 1.00, 0.25, 0.35, 0.15],
        [0.20, 0.25, 1.00, 0.80, 0.40],
        [0.30, 0.35, 0.80, 1.00, 0.50],
        [0.10, 0.15, 0.40, 0.50, 1.00],
    ]
)


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
    with pytest.raises(SettingError, match="has no train/test labels"):
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


def test_authors_with_few_documents_are_split_and_named():
    authors = ["long"] * 10 + ["two"] * 2 + ["one"]
    corpus = make_corpus(["x"] * 13, ["s", "t"] * 6 + ["t"], authors=authors)
    folds = stratified_kfold(corpus, k=5, seed=0)
    assert folds.notes == (Note("rare authors", (2, 3, 5)), Note("lone authors", (1,)))
    two = corpus.author_names.index("two")
    assert max((corpus.author_codes[fold.test] == two).sum() for fold in folds) == 1
    assert stratified_kfold(a_corpus(0), k=2, seed=0).notes == ()


def test_an_author_with_k_documents_is_in_every_fold_and_not_named():
    authors = ["five"] * 5 + ["four"] * 4 + ["two"] * 2
    corpus = make_corpus(["x"] * 11, ["s", "t"] * 5 + ["t"], authors=authors)
    folds = stratified_kfold(corpus, k=5, seed=0)
    five = corpus.author_names.index("five")
    assert [(corpus.author_codes[fold.test] == five).sum() for fold in folds] == [1] * 5
    assert folds.notes == (Note("rare authors", (2, 3, 5)),)


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
    with pytest.raises(SettingError, match="k = 7, but there are 6 topics to split; choose k from 2 to 6"):
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


def a_case(seed: int, scheme: str, topics: int = 7):
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(topics), rng.integers(0, topics, 40)])
    corpus = make_corpus(
        ["x"] * len(codes),
        [f"t{code}" for code in codes],
        authors=[f"a{i % 2}" for i in range(len(codes))],
    )
    vectors = rng.normal(size=(len(codes), 5)).astype(np.float32)
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names, similarity="plain")
    return make_folds(corpus, scheme=scheme, k=3, seed=seed), space


def worked_case(labels: str):
    corpus = make_corpus(["x"] * 5, list("01234"))
    space = TopicSpace(corpus.topic_names, corpus.topic_sizes, np.zeros((5, 1)), WORKED)
    split = fixed_split(corpus, labels=["test" if label == "t" else "train" for label in labels])
    return split, space


schemes = st.sampled_from(["topic-kfold", "leave-one-topic-out", "kfold"])


@given(st.integers(0, 500), schemes)
@settings(max_examples=40, deadline=None)
def test_every_figure_is_what_the_pairs_say(seed, scheme):
    folds, space = a_case(seed, scheme)
    leakage = fold_leakage(folds, space, nearest=3, worst=10)
    met: dict[frozenset, float] = {}
    for number, fold in enumerate(folds):
        pairs = [(a, b, space.similarity[a, b]) for a in fold.train_topics for b in fold.test_topics]
        met |= {frozenset((a, b)): value for a, b, value in pairs}
        assert leakage.mean[number] == pytest.approx(np.mean([value for *_, value in pairs]))
        assert leakage.max[number] == max(value for *_, value in pairs)
        exposures = [exposure for exposure in leakage.exposures if exposure.fold == number]
        assert [exposure.topic for exposure in exposures] == fold.test_topics.tolist()
        for exposure in exposures:
            own = sorted(((value, -a) for a, b, value in pairs if b == exposure.topic), reverse=True)
            assert exposure.nearest.tolist() == [-a for _, a in own[:3]]
            assert exposure.similarity.tolist() == [value for value, _ in own[:3]]
            assert exposure.mean == pytest.approx(np.mean([value for value, _ in own]))
    assert leakage.average_mean == pytest.approx(leakage.mean.mean())
    assert leakage.average_max == pytest.approx(leakage.max.mean())
    assert leakage.highest == leakage.max.max() == leakage.worst[0].similarity
    assert [pair.similarity for pair in leakage.worst] == sorted(met.values(), reverse=True)[:10]
    assert len({frozenset((pair.train, pair.test)) for pair in leakage.worst}) == len(leakage.worst)
    for pair in leakage.worst:
        fold = folds.folds[pair.fold]
        assert pair.train in fold.train_topics and pair.test in fold.test_topics


def test_worked_similarities_with_topics_1_and_4_held_out():
    split, space = worked_case("rtrrt")
    leakage = fold_leakage(split, space, nearest=2, worst=2)
    # Topic 1 meets .90 .25 .35 and topic 4 meets .10 .40 .50.
    assert leakage.average_mean == pytest.approx(2.5 / 6)
    assert leakage.average_max == 0.9
    assert [exposure.nearest.tolist() for exposure in leakage.exposures] == [[0, 3], [3, 2]]
    assert [(pair.train, pair.test, pair.similarity) for pair in leakage.worst] == [(0, 1, 0.9), (3, 4, 0.5)]
    assert leakage.notes == ()
    # The other way round the pair is the same, and its sides change places.
    mirrored = fold_leakage(*worked_case("trttr"), worst=1)
    assert [(pair.train, pair.test, pair.similarity) for pair in mirrored.worst] == [(1, 0, 0.9)]


def test_leaving_one_topic_out_meets_every_pair_and_names_it_once():
    folds, space = a_case(1, "leave-one-topic-out")
    leakage = fold_leakage(folds, space, worst=1_000)
    assert [pair.similarity for pair in leakage.worst] == sorted(pair_similarities(space.similarity), reverse=True)
    assert leakage.average_mean == pytest.approx(pair_similarities(space.similarity).mean())
    assert not leakage.shared.any()


def test_ordinary_folds_leak_each_topic_to_itself_and_say_so():
    folds, space = a_case(2, "kfold")
    leakage = fold_leakage(folds, space)
    assert (leakage.max == 1).all()
    assert leakage.shared.all()
    assert leakage.notes == (Note("topics on both sides", (7, 7)),)
    assert leakage.worst[0].train == leakage.worst[0].test
    for exposure in leakage.exposures:
        if exposure.topic in folds.folds[exposure.fold].train_topics:
            assert exposure.nearest[0] == exposure.topic
            assert exposure.similarity[0] == 1


def noisy_case():
    """Six topics of 40 texts and one of two texts that share little but noise, similar to all by chance."""
    rng = np.random.default_rng(3)
    centres = np.eye(6, 40)
    vectors = np.concatenate([np.repeat(centres, 40, axis=0), [centres.mean(axis=0)] * 2])
    vectors += 0.05 * rng.normal(size=vectors.shape)
    vectors[-2:] += 0.2 * rng.normal(size=(2, 40))
    topics = [f"t{row // 40}" for row in range(240)] + ["a tiny one"] * 2
    corpus = make_corpus(["x"] * len(topics), topics, authors=[f"a{row % 3}" for row in range(len(topics))])
    return corpus, topic_space(vectors, corpus.topic_codes, corpus.topic_names)


def test_a_topic_that_is_mostly_noise_is_nobodys_nearest():
    corpus, space = noisy_case()
    tiny = corpus.topic_names.index("a tiny one")
    assert space.noisy.tolist() == [topic == tiny for topic in range(7)]
    others = np.delete(np.arange(7), tiny)
    by_similarity = np.nanargmax(np.where(np.eye(7) > 0, np.nan, space.similarity), axis=1)[others]
    assert (by_similarity == tiny).sum() == 5
    leakage = fold_leakage(leave_one_topic_out(corpus), space, worst=100, skip_noisy=True)
    for exposure in leakage.exposures:
        assert tiny not in exposure.nearest
        if exposure.topic != tiny:
            assert exposure.similarity[0] == np.delete(space.similarity[exposure.topic], [exposure.topic, tiny]).max()
    assert [tiny in (pair.train, pair.test) for pair in leakage.worst] == [False] * 15 + [True] * 6
    assert leakage.highest == np.delete(space.similarity[tiny], tiny).max(), "what a fold reaches is not changed"
    named = topic_leakage(space.similarity, nobodys_nearest=space.nobodys_nearest)
    assert tiny not in named.nearest and named.max[0 if tiny else 1] < 1
    assert not replace(space, kind="plain").nobodys_nearest.any(), "noise only lowers plain similarity"


def test_equal_similarities_come_in_order_of_name():
    corpus = make_corpus(["x"] * 5, list("abcde"))
    similarity = np.where(np.eye(5) > 0, 1.0, 0.5)
    space = TopicSpace(corpus.topic_names, corpus.topic_sizes, np.zeros((5, 1)), similarity)
    leakage = fold_leakage(leave_one_topic_out(corpus), space, nearest=10, worst=3)
    assert leakage.exposures[2].nearest.tolist() == [0, 1, 3, 4]
    # Where a pair first meets, the first name is the one held out.
    assert [(pair.train, pair.test, pair.fold) for pair in leakage.worst] == [(1, 0, 0), (2, 0, 0), (3, 0, 0)]
    assert fold_leakage(leave_one_topic_out(corpus), space, worst=0).worst == ()


def test_three_nearest_topics_and_twenty_pairs_are_named_unless_asked_otherwise():
    folds, space = a_case(3, "leave-one-topic-out", topics=40)
    leakage = fold_leakage(folds, space)
    assert {len(exposure.nearest) for exposure in leakage.exposures} == {3}
    highest = sorted(pair_similarities(space.similarity), reverse=True)
    assert [pair.similarity for pair in leakage.worst] == highest[:20]
    alone = fold_leakage(folds, space, nearest=1, worst=777)  # of 780
    assert [exposure.nearest.tolist() for exposure in alone.exposures] == [
        exposure.nearest[:1].tolist() for exposure in leakage.exposures
    ]
    assert [pair.similarity for pair in alone.worst] == highest[:777]


def test_one_fold_that_shares_a_topic_is_enough_to_say_so():
    folds, space = a_case(2, "topic-kfold")
    shared = a_case(2, "kfold")[0]
    leakage = fold_leakage(replace(folds, folds=(*folds.folds, shared.folds[0])), space)
    assert leakage.shared.tolist()[:3] == [0, 0, 0] and leakage.shared[3] > 0
    assert [note.code for note in leakage.notes] == ["topics on both sides"]


def test_records_cannot_be_changed():
    folds, space = a_case(0, "topic-kfold")
    leakage = fold_leakage(folds, space)
    for array in (leakage.mean, leakage.exposures[0].nearest, leakage.exposures[0].similarity):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_folds_and_similarities_must_be_of_the_same_topics():
    folds, _ = a_case(0, "topic-kfold")
    _, other = a_case(0, "topic-kfold", topics=5)
    with pytest.raises(SettingError, match="over 7 topics and the similarities over 5 others"):
        fold_leakage(folds, other)
    with pytest.raises(SettingError, match="0 nearest topics"):
        fold_leakage(folds, a_case(0, "topic-kfold")[1], nearest=0)


def test_topics_that_have_too_few_documents_leak_nothing_that_is_known():
    corpus = make_corpus([f"text {row}" for row in range(8)], ["a", "a", "b", "b", "c", "d", "d", "c2"])
    vectors = np.array([[1, 0], [1, 0.1], [1, 1], [0.9, 1], [0, 1], [0, 1], [0.2, 1], [1, 0]], dtype=np.float32)
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    leakage = fold_leakage(leave_one_topic_out(corpus), space, nearest=2)
    lonely = corpus.topic_names.index("c")
    (exposure,) = (each for each in leakage.exposures if each.topic == lonely)
    assert exposure.nearest.tolist() == [-1, -1] and np.isnan(exposure.similarity).all() and np.isnan(exposure.mean)
    others = [each for each in leakage.exposures if space.comparable[each.topic]]
    assert all(np.isfinite(each.similarity[0]) and each.nearest[0] >= 0 for each in others)
    assert np.isfinite(leakage.average_mean) and np.isfinite(leakage.average_max)
    assert leakage.notes == (Note("incomparable topics", (2, 5)),)
    assert all(np.isfinite(pair.similarity) for pair in leakage.worst)


def test_the_fingerprint_of_folds_is_short_and_changes_with_either_side_and_the_scheme():
    corpus = a_corpus(0)
    folds = topic_kfold(corpus, k=4, seed=0)
    assert len(folds.fingerprint) == 64 and folds.fingerprint == topic_kfold(corpus, k=4, seed=0).fingerprint
    assert folds.fingerprint != replace(folds, scheme="other").fingerprint
    first = folds.folds[0]
    changed = [
        replace(first, train=first.train[1:]),
        replace(first, test=first.test[1:]),
        replace(first, train=first.train[:-1], test=np.append(first.train[-1:], first.test)),
    ]
    found = {replace(folds, folds=(each, *folds.folds[1:])).fingerprint for each in changed}
    assert len(found | {folds.fingerprint}) == 4
