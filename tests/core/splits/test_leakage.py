"""What folds leak, against its definition pair by pair."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.corpora import make_corpus
from core.errors import SettingError
from core.splits import fold_leakage, make_folds
from core.splits.folds import fixed_split, leave_one_topic_out
from core.topics import TopicSpace, pair_similarities, topic_space

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
    assert "7 of 7 topics are in training and test of one fold" in leakage.notes[0]
    assert leakage.worst[0].train == leakage.worst[0].test
    for exposure in leakage.exposures:
        if exposure.topic in folds.folds[exposure.fold].train_topics:
            assert exposure.nearest[0] == exposure.topic
            assert exposure.similarity[0] == 1


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
    assert any("are in training and test of one fold" in note for note in leakage.notes)


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


def test_topics_that_cannot_be_placed_leak_nothing_that_is_known():
    corpus = make_corpus([f"text {row}" for row in range(8)], ["a", "a", "b", "b", "c", "d", "d", "c2"])
    vectors = np.array([[1, 0], [1, 0.1], [1, 1], [0.9, 1], [0, 1], [0, 1], [0.2, 1], [1, 0]], dtype=np.float32)
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    leakage = fold_leakage(leave_one_topic_out(corpus), space, nearest=2)
    lonely = corpus.topic_names.index("c")
    (exposure,) = (each for each in leakage.exposures if each.topic == lonely)
    assert exposure.nearest.tolist() == [-1, -1] and np.isnan(exposure.similarity).all() and np.isnan(exposure.mean)
    others = [each for each in leakage.exposures if space.placed[each.topic]]
    assert all(np.isfinite(each.similarity[0]) and each.nearest[0] >= 0 for each in others)
    assert np.isfinite(leakage.average_mean) and np.isfinite(leakage.average_max)
    assert "2 of 5 topics cannot be placed" in leakage.notes[0]
    assert all(np.isfinite(pair.similarity) for pair in leakage.worst)


def test_the_sentence_names_the_closest_pair_or_what_is_on_both_sides():
    worked = fold_leakage(*worked_case("rtrrt"))
    assert worked.sentence == (
        "1 fold of 5 topics: the closest training topic of a fold's test topics has a similarity of 0.90 on average, and "
        "0.90 at most (tested on 1, trained on 0)."
    )
    ordinary = fold_leakage(*a_case(2, "kfold"))
    assert ordinary.sentence.startswith(
        f"3 folds of 7 topics: {ordinary.shared.sum()} of {len(ordinary.exposures)} times"
    )
    corpus = make_corpus(["x"] * 3, list("abc"))
    alone = topic_space(np.eye(3, dtype=np.float32), corpus.topic_codes, corpus.topic_names)
    assert "no test topic can be compared" in fold_leakage(leave_one_topic_out(corpus), alone).sentence
