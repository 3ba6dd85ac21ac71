"""The verdict's combinatorics against brute force, its levels, and the number of topics it suggests."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.corpora import make_corpus
from core.errors import SettingError
from core.topics import (
    LabelCheck,
    MergedTopics,
    TopicSpace,
    hits_path,
    judge,
    keep_sentence,
    largest_without_twins,
    suggest_m,
    topic_space,
    twin_line,
)
from core.topics.verdict import expected_leaking_topics
from tests.core.topics.similarities import families, space_of


@given(st.lists(st.integers(1, 3), min_size=2, max_size=5), st.integers(2, 5))
@settings(max_examples=20, deadline=None)
def test_expected_leaking_topics_agrees_with_dealing_topics_at_random(sizes, k):
    label = np.repeat(np.arange(len(sizes)), sizes)
    k = min(k, len(label))
    if k < 2:
        return
    twins = np.array([(label == mine).sum() - 1 for mine in label])
    rng = np.random.default_rng(0)
    counts = []
    for _ in range(3_000):
        fold = np.empty(len(label), dtype=int)
        for number, part in enumerate(np.array_split(rng.permutation(len(label)), k)):
            fold[part] = number
        apart = (label[:, None] == label[None, :]) & (fold[:, None] != fold[None, :])
        counts.append(apart.any(axis=1).sum())
    error = np.std(counts) / np.sqrt(len(counts))
    assert expected_leaking_topics(twins, k=k) == pytest.approx(np.mean(counts), abs=4 * error + 1e-9)


def test_expected_leaking_topics_of_thousands_is_a_number():
    twins = np.full(4_000, 1)
    # Of two topics in two equal folds the other is apart with probability n/2 of n − 1.
    assert expected_leaking_topics(twins, k=2) == pytest.approx(4_000 * 2_000 / 3_999)
    assert expected_leaking_topics(np.full(4_000, 3_999), k=2) == 4_000


@pytest.mark.parametrize(("twins", "k"), [([0], 1), ([0], 5), ([1, 1], 1), ([2, 2, 2], 1), ([1, 0, 1], 1)])
def test_nothing_leaks_where_no_topic_is_left_to_train_on(twins, k):
    """One fold, or one topic: twins are never apart, and no quotient without a value is formed on the way."""
    assert expected_leaking_topics(np.array(twins), k=k) == 0


def test_a_corpus_of_families_leaks_and_hits_keeps_one_of_each():
    similarity = families([3, 3, 2, 1, 1])
    verdict = judge(space_of(similarity), hits_path(similarity), k=5)
    assert verdict.line == pytest.approx(0.6)
    assert verdict.level == "leaks"
    assert verdict.twins.tolist() == [2, 2, 2, 2, 2, 2, 1, 1, 0, 0]
    assert verdict.twin_pairs == 7
    assert verdict.keep == 5


def test_strangers_are_clear():
    similarity = families([1, 1, 1, 1, 1, 1])
    verdict = judge(space_of(similarity), hits_path(similarity), k=3)
    assert (verdict.level, verdict.twin_pairs, verdict.leaking_topics, verdict.keep) == ("clear", 0, 0.0, 6)


def test_one_pair_among_many_is_some():
    similarity = families([2] + [1] * 18)
    assert judge(space_of(similarity), hits_path(similarity), k=5).level == "some"


def test_threshold_is_half_way_between_a_typical_pair_and_one_topic():
    assert twin_line(families([1, 1, 1], outside=0.3)) == pytest.approx(0.65)


def test_a_pair_exactly_at_the_line_is_a_twin():
    similarity = families([2, 1, 1], inside=0.9)
    path = hits_path(similarity)
    at, above = (judge(space_of(similarity), path, k=4, line=line) for line in (0.9, 0.9 + 1e-9))
    assert (at.twins.tolist(), at.twin_pairs, at.keep) == ([1, 1, 0, 0], 1, 3)
    assert (above.twins.tolist(), above.twin_pairs, above.keep) == ([0, 0, 0, 0], 0, 4)
    assert at.leaking_topics == pytest.approx(2) and above.leaking_topics == 0
    assert [largest_without_twins(path, line) for line in (0.1, 0.2, 0.2 + 1e-9, 0.9, 0.91)] == [1, 1, 3, 3, 4]


def test_the_line_and_a_typical_pair_come_from_the_median():
    similarity = families([2, 1, 1], inside=0.9, outside=0.3)
    verdict = judge(space_of(similarity), hits_path(similarity), k=4)
    assert verdict.typical == pytest.approx(0.3)
    assert verdict.line == twin_line(similarity) == pytest.approx(0.65)


def test_levels_change_at_one_topic_and_at_a_quarter_of_them():
    # One fold a topic parts every twin from its twin: as many topics leak as have one.
    def level(topics: int, twins: int) -> str:
        similarity = families([2] * (twins // 2) + [1] * (topics - twins))
        verdict = judge(space_of(similarity), hits_path(similarity), k=topics)
        assert verdict.leaking_topics == pytest.approx(twins)
        return verdict.level

    assert [level(9, 0), level(9, 2), level(8, 2), level(10, 4)] == ["clear", "some", "leaks", "leaks"]
    pair = families([2, 1])  # in two folds of two and one, the twins share the larger fold in one deal of three
    verdict = judge(space_of(pair), hits_path(pair), k=2)
    assert verdict.leaking_topics == pytest.approx(4 / 3) and verdict.level == "leaks"
    pair = families([2, 1, 1])  # three deals of four topics into twos; the twins are parted in two of them
    assert judge(space_of(pair), hits_path(pair), k=2).leaking_topics == pytest.approx(4 / 3)


def test_more_folds_than_topics_are_one_a_topic():
    twins = np.array([1, 1, 0])
    assert expected_leaking_topics(twins, k=9) == expected_leaking_topics(twins, k=3) == pytest.approx(2)
    similarity = families([2, 1])
    assert "dealt into 3 folds at random" in judge(space_of(similarity), hits_path(similarity), k=9).sentence


def one_each(topics: int):
    return make_corpus([f"text {topic}" for topic in range(topics)], [f"t{topic:02}" for topic in range(topics)])


def suggested(similarity: np.ndarray, k: int, stability=None):
    return suggest_m(hits_path(similarity), space_of(similarity), one_each(len(similarity)), k, stability)


def test_suggestion_stops_before_the_first_near_twin():
    similarity = np.full((8, 8), 0.2)
    for one, two in ((0, 1), (2, 3)):
        similarity[one, two] = similarity[two, one] = 0.9
    np.fill_diagonal(similarity, 1.0)
    found = suggested(similarity, 3)
    assert found.m == 6
    assert found.m == judge(space_of(similarity), hits_path(similarity), k=3).keep
    assert found.reason == (
        "m = 6: up to here the closest pair kept has a similarity of 0.20; the next topic brings it to 0.90, past the "
        "near-twin line of 0.60; 6 of 8 documents stay (75 %), 2 topics and about 2 documents a fold; how stable "
        "rankings are here is not known yet."
    )
    known = suggested(similarity, 3, {4: 0.91, 6: 0.75, 8: math.nan})
    assert known.m == 6
    assert "folds here agree on the models' ranking with a mean ρ of 0.75 (best of those tried: 0.91 at m = 4)." in (
        known.reason
    )
    near = suggested(similarity, 4, {5: 0.8, 7: 0.5})
    assert "1 or 2 topics" in near.reason
    assert near.reason.endswith(
        "folds at m = 5, the nearest tried, agree on the models' ranking with a mean ρ of 0.80."
    )


def test_suggestion_keeps_all_where_nothing_is_alike():
    found = suggested(np.eye(5), 5)
    assert found.m == 5
    assert found.reason.startswith(
        "m = 5: no two of the 5 topics are near twins (similarity 0.50 or more), so none need go; 5 of 5 documents"
    )


def test_suggestion_takes_the_elbow_where_twins_cannot_be_avoided():
    label = np.repeat([0, 1], 6)
    similarity = np.where(label[:, None] == label, 0.7, 0.05)
    similarity[-1, 6:] = similarity[6:, -1] = 0.99
    np.fill_diagonal(similarity, 1.0)
    path = hits_path(similarity)
    found = suggested(similarity, 4)
    assert found.m == int((path.max[1:] < 0.9).sum()) + 1
    assert "only 2 topics can be kept without near twins" in found.reason
    assert "from here on the closest pair's similarity, 0.70, rises faster than before" in found.reason
    flat = np.where(label[:, None] == label, 0.8, 0.05) + 0.2 * np.eye(12)
    straight = suggested(flat, 4)
    assert straight.m == 4
    assert "too few for 4 folds; the closest pair's similarity has no clear elbow" in straight.reason


def test_suggestions_need_topics_of_one_corpus_and_folds_they_can_fill():
    similarity = families([1] * 8)
    for k in (1, 9):
        with pytest.raises(SettingError, match=f"k = {k}, but the corpus has 8 topics; choose k from 2 to 8"):
            suggested(similarity, k)
    assert suggested(similarity, 2).m == suggested(similarity, 8).m == 8
    with pytest.raises(SettingError, match="of other topics"):
        suggest_m(hits_path(similarity), space_of(similarity), one_each(7), 2)
    with pytest.raises(SettingError, match="of other topics"):
        suggest_m(hits_path(families([1] * 7)), space_of(similarity), one_each(8), 2)


def labelled(median: float, *shuffled: float) -> LabelCheck:
    return LabelCheck(median, np.array(shuffled))


def test_the_line_never_passes_where_random_groups_lie():
    alike = families([1, 1, 1, 1], outside=0.96)
    assert twin_line(alike) == 0.95
    assert twin_line(alike, kind="plain") == pytest.approx(0.98)
    assert twin_line(np.full((2, 2), np.nan)) == 0.95


def test_labels_that_mean_nothing_come_before_every_other_verdict():
    for similarity in (families([3, 3, 2, 1, 1]), families([1] * 6)):
        space, path = space_of(similarity), hits_path(similarity)
        verdict = judge(space, path, k=3, labels=labelled(0.98, 0.97, 0.99))
        assert verdict.level == "meaningless"
        assert "do not separate these texts" in verdict.sentence and "0.98" in verdict.sentence
        assert "0.97 to 0.99" in verdict.sentence and "twin" not in verdict.sentence
        assert judge(space, path, k=3, labels=labelled(0.2, 0.97, 0.99)).level != "meaningless"
    assert not labelled(0.97, 0.97, 0.99).meaningful  # as alike as a shuffle is not below all of them
    assert not labelled(float("nan"), 0.9).meaningful


@pytest.mark.parametrize(("compared", "words"), [(5, "similarity of 5 of them 0.98"), (6, "similarity 0.98")])
def test_the_sentence_on_labels_says_how_many_topics_were_compared_unless_all_were(compared, words):
    strangers = families([1] * 6)
    labels = LabelCheck(0.98, np.array([0.97, 0.99]), compared)
    verdict = judge(space_of(strangers), hits_path(strangers), k=3, labels=labels)
    assert f"the 6 topics are as alike (median {words}) as groups drawn at random" in verdict.sentence


@pytest.mark.parametrize(
    ("surely", "leaking", "words"),
    [
        (99.5, 100.4, " 99.5 to 100 of the "),
        (99.5, 99.5, " 99.5 of the "),
        (100.0, 100.0, " 100 of the "),
        (8.25, 1_234.5, " 8.2 to 1,234 of the "),
    ],
)
def test_from_a_hundred_topics_on_tenths_are_not_said(surely, leaking, words):
    similarity = families([2] + [1] * 18)
    verdict = judge(space_of(similarity), hits_path(similarity), k=5)
    assert words in replace(verdict, surely_leaking=surely, leaking_topics=leaking).sentence


@pytest.mark.parametrize(
    ("sizes", "start"),
    [([3, 3, 2, 1, 1], "Yes: dealt into 5 folds"), ([2] + [1] * 18, "In places:"), ([1] * 6, "Hardly:")],
)
def test_every_level_has_its_sentence(sizes, start):
    similarity = families(sizes)
    verdict = judge(space_of(similarity), hits_path(similarity), k=5)
    assert verdict.sentence.startswith(start)
    count = f"{verdict.leaking_topics:.1f}" if max(sizes) > 1 else "none"
    assert f" {count} of the {sum(sizes)} topics" in verdict.sentence


def test_two_numbers_that_are_written_alike_are_one():
    verdict = judge(space_of(families([3, 1, 1, 1])), hits_path(families([3, 1, 1, 1])), k=6)
    assert (verdict.leaking_topics, verdict.twin_pairs) == (pytest.approx(3), 3)
    sure = replace(verdict, sure_pairs=2, surely_leaking=2.99)
    assert " 3.0 of the 6 topics" in sure.sentence and " to " not in sure.sentence


@pytest.mark.parametrize(
    ("sure", "pairs", "words"),
    [
        (0, 1, "in training: the one pair past the line is no near twin beyond doubt."),
        (1, 3, "in training: 1 of 3 pairs past the line is a near twin beyond doubt."),
        (0, 2, "in training: 0 of 2 pairs past the line are near twins beyond doubt."),
        (1, 1, "be tested while a near twin is in training."),
    ],
)
def test_doubt_is_counted_as_one_speaks(sure, pairs, words):
    verdict = judge(space_of(families([2] + [1] * 18)), hits_path(families([2] + [1] * 18)), k=5)
    assert replace(verdict, sure_pairs=sure, twin_pairs=pairs).sentence.endswith(words)


def test_the_verdict_is_cautious_about_topics_it_cannot_judge_and_documents_it_would_lose():
    vectors = np.vstack([np.eye(4)[[0, 0, 1, 1]] + 0.05, np.eye(4)[[2]], np.eye(4)[[3, 3]] + np.eye(4)[[2, 1]] * 2])
    space = topic_space(vectors, np.array([0, 0, 1, 1, 2, 3, 3]), ("a", "b", "c", "d"))
    cautions = " ".join(judge(space, hits_path(space.similarity), k=2).cautions)
    assert "1 of 4 topics (1 document) cannot be placed" in cautions
    assert "The centroid of 1 of the 3 topics is more noise than signal: its documents" in cautions
    similarity = families([4, 1, 1, 1])
    large = TopicSpace(tuple("abcdefg"), np.array([9, 9, 9, 9, 1, 1, 1]), np.zeros((7, 1)), similarity)
    verdict = judge(large, hits_path(similarity), k=2)
    assert (verdict.keep, verdict.keep_documents, verdict.documents) == (4, 12, 39)
    assert any("12 of 39 documents, less than half" in caution for caution in verdict.cautions)


def test_where_labels_mean_nothing_no_caution_speaks_of_near_twins():
    similarity = families([4, 1, 1, 1])
    large = TopicSpace(tuple("abcdefg"), np.array([9, 9, 9, 9, 1, 1, 1]), np.zeros((7, 1)), similarity)
    labels = LabelCheck(0.98, np.array([0.97, 0.99]))
    assert judge(large, hits_path(similarity), k=2, labels=labels).cautions == ()


FEW = "Of so few topics, the near-twin line is drawn from the very pairs that it judges."


@pytest.mark.parametrize("topics", [2, 3, 4])
def test_of_few_topics_the_line_says_little(topics):
    similarity = families([1] * topics)
    found = judge(space_of(similarity), hits_path(similarity), k=2)
    assert (FEW in found.cautions) == (topics < 4)
    assert FEW not in judge(space_of(similarity), hits_path(similarity), k=2, labels=labelled(0.9, 0.8)).cautions


@pytest.mark.parametrize(("typical", "level"), [(0.79, "clear"), (0.8, "some"), (0.93, "some")])
def test_topics_that_are_all_much_alike_are_not_clear(typical, level):
    similarity = families([1] * 5, outside=typical)
    space, path = space_of(similarity), hits_path(similarity)
    found = judge(space, path, k=3)
    assert (found.level, found.all_alike, found.twin_pairs) == (level, level == "some", 0)
    assert (
        found.sentence.startswith(f"Perhaps: the 5 topics are much alike (median similarity {typical:.2f})")
        == found.all_alike
    )
    assert (
        keep_sentence(found).startswith("Leaving topics out gains nothing here: all 5 are much alike")
        == found.all_alike
    )
    assert not found.cautions, "the sentence has said it"
    plain = judge(replace(space, kind="plain"), path, k=3)
    assert (plain.level, plain.all_alike) == ("clear", False), "plain similarity has no scale of its own"
    nothing = judge(space, path, k=3, labels=labelled(0.9, 0.8))
    assert nothing.level == "meaningless" and "do not separate" in nothing.sentence


def test_where_the_typical_pair_is_much_alike_that_is_said_once():
    similarity = families([3, 1, 1, 1, 1], inside=0.97, outside=0.85)
    space, path = space_of(similarity), hits_path(similarity)

    def said(labels: LabelCheck | None = None, kind: str = "corrected") -> list[bool]:
        cautions = judge(replace(space, kind=kind), path, k=3, labels=labels).cautions
        return [
            any(word in caution for caution in cautions)
            for word in ("The typical pair is much alike (similarity 0.85)", "Most topics")
        ]

    partly = LabelCheck(0.85, np.array([0.84]), 7, 0.7, np.array([0.8]))
    assert said() == [True, False]
    assert said(kind="plain") == [False, False]
    assert said(partly) == [False, True]
    assert said(labelled(0.9, 0.8)) == [False, False]


def test_nothing_is_clear_where_no_two_topics_can_be_placed():
    space = topic_space(np.eye(3), np.arange(3), ("a", "b", "c"))
    verdict = judge(space, hits_path(space.similarity), k=2)
    assert verdict.level == "meaningless"
    assert verdict.sentence.startswith("No two topics can be compared: fewer than two of the 3")
    assert "nan" not in verdict.sentence


def test_topics_that_cannot_be_placed_are_neither_suggested_nor_dealt_into_folds():
    vectors = np.vstack([np.eye(5)[[0, 0, 1, 1, 2, 2]] + 0.05, np.eye(5)[[3, 4]]])
    corpus = make_corpus([f"text {row}" for row in range(8)], list("aabbccde"))
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    path = hits_path(space.similarity)
    found = suggest_m(path, space, corpus, k=2)
    assert found.m == 3
    assert "no two of the 3 topics are near twins" in found.reason and "2 more cannot be placed" in found.reason
    with pytest.raises(
        SettingError, match="k = 4, but the corpus has 3 topics that can be placed; choose k from 2 to 3"
    ):
        suggest_m(path, space, corpus, k=4)


def test_the_answer_of_hits_says_how_many_to_keep_how_sure_and_what_is_left():
    similarity = families([3, 3, 2, 1, 1])
    verdict = judge(space_of(similarity), hits_path(similarity), k=2)
    said = keep_sentence(replace(verdict, keep_documents=60, documents=100))
    assert said == (
        "Keep 5 of the 10 topics: the most that HITS takes without near twins. They hold 60 of 100 documents."
    )
    unsure = keep_sentence(replace(verdict, keep_interval=(4, 6)))
    assert unsure.startswith("Keep 5 of the 10 topics (4 to 6 with other documents): ")
    assert keep_sentence(replace(verdict, keep_interval=(5, 5))).startswith("Keep 5 of the 10 topics: ")
    little = keep_sentence(replace(verdict, keep_documents=49, documents=100))
    assert little.endswith(
        "49 of 100 documents, less than half: *grouping* keeps the others' documents too, but merged topics may be near "
        "twins again."
    )


def test_the_answer_of_hits_says_what_merging_does_to_near_twins():
    similarity = families([3, 3, 2, 1, 1])
    verdict = replace(judge(space_of(similarity), hits_path(similarity), k=2), documents=100, line=0.6)

    def said(m: int | None, closest: float, keep: int = 5) -> str:
        return keep_sentence(replace(verdict, keep=keep), MergedTopics("grouping", m, 90, closest))

    assert said(4, 0.7) == (
        "Keep 4 of the 10 topics, with others merged into them (*grouping*): the most that then hold no near twins. They hold "
        "90 of 100 documents. At 5, the most before any are merged, merging makes near twins again: similarity 0.700, past "
        "the near-twin line of 0.600."
    )
    assert said(5, 0.5).endswith("They hold 90 of 100 documents.") and said(6, 0.5).startswith("Keep 6 of the 10")
    assert "near twins at every *m*: at 5" in said(1, 0.7) and said(1, 0.7).endswith(
        "*Cutting* keeps 5 topics without any."
    )
    assert "*Cutting*" not in said(1, 0.7, keep=1)
    assert "0.700, past the near-twin line of 0.600: near twins again" in said(None, 0.7)
    assert "0.500, below the near-twin line of 0.600: still no near twins" in said(None, 0.5)
    nothing = replace(verdict, level="meaningless")
    assert keep_sentence(nothing, MergedTopics("grouping", 4, 90, 0.7)) == nothing.sentence


def test_the_answer_of_hits_where_all_none_or_nothing_can_be_kept():
    strangers = families([1, 1, 1, 1])
    assert keep_sentence(judge(space_of(strangers), hits_path(strangers), k=2)).startswith("Keep all 4 topics: ")
    verdict = judge(space_of(strangers), hits_path(strangers), k=2)
    assert keep_sentence(replace(verdict, keep=1)).startswith(
        "No two topics that HITS would keep are free of near twins"
    )
    shuffled = judge(space_of(strangers), hits_path(strangers), k=2, labels=LabelCheck(0.9, np.array([0.5])))
    assert keep_sentence(shuffled) == shuffled.sentence and "do not separate" in shuffled.sentence
