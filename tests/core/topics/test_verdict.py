"""The verdict: its threshold, levels, expected leaking topics, intervals, pairs in doubt, and two views compared."""

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
    TopicSpace,
    TopicView,
    bootstrap_topics,
    check_labels,
    clear_twins,
    compare_views,
    hits_path,
    judge,
    keep_interval,
    largest_without_twins,
    may_be_one_topic,
    may_be_twins,
    most_similar_pairs,
    near_twins,
    neighbour_mixing,
    pair_histogram,
    pair_similarities,
    suggest_m,
    topic_space,
    twin_threshold,
)
from core.topics.bootstrap import Bootstrap
from core.topics.verdict import MOST_OTHERS, expected_leaking_topics
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
    assert verdict.threshold == pytest.approx(0.6)
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
    assert twin_threshold(families([1, 1, 1], outside=0.3)) == pytest.approx(0.65)


def test_a_pair_exactly_at_the_line_is_a_twin():
    similarity = families([2, 1, 1], inside=0.9)
    path = hits_path(similarity)
    at, above = (judge(space_of(similarity), path, k=4, threshold=threshold) for threshold in (0.9, 0.9 + 1e-9))
    assert (at.twins.tolist(), at.twin_pairs, at.keep) == ([1, 1, 0, 0], 1, 3)
    assert (above.twins.tolist(), above.twin_pairs, above.keep) == ([0, 0, 0, 0], 0, 4)
    assert at.leaking_topics == pytest.approx(2) and above.leaking_topics == 0
    assert [largest_without_twins(path, threshold) for threshold in (0.1, 0.2, 0.2 + 1e-9, 0.9, 0.91)] == [
        1,
        1,
        3,
        3,
        4,
    ]


def test_the_line_and_a_typical_pair_come_from_the_median():
    similarity = families([2, 1, 1], inside=0.9, outside=0.3)
    verdict = judge(space_of(similarity), hits_path(similarity), k=4)
    assert verdict.typical == pytest.approx(0.3)
    assert verdict.threshold == twin_threshold(similarity) == pytest.approx(0.65)


def test_levels_change_at_one_topic_and_at_a_quarter_of_them():
    # One fold a topic separates every twin from its twin: as many topics leak as have one.
    def level(topics: int, twins: int) -> str:
        similarity = families([2] * (twins // 2) + [1] * (topics - twins))
        verdict = judge(space_of(similarity), hits_path(similarity), k=topics)
        assert verdict.leaking_topics == pytest.approx(twins)
        return verdict.level

    assert [level(9, 0), level(9, 2), level(8, 2), level(10, 4)] == ["clear", "some", "leaks", "leaks"]
    pair = families([2, 1])  # in two folds of two and one, the twins share the larger fold in one split of three
    verdict = judge(space_of(pair), hits_path(pair), k=2)
    assert verdict.leaking_topics == pytest.approx(4 / 3) and verdict.level == "leaks"
    pair = families([2, 1, 1])  # three splits of four topics into twos; the twins are separated in two of them
    assert judge(space_of(pair), hits_path(pair), k=2).leaking_topics == pytest.approx(4 / 3)


def test_more_folds_than_topics_are_one_a_topic():
    twins = np.array([1, 1, 0])
    assert expected_leaking_topics(twins, k=9) == expected_leaking_topics(twins, k=3) == pytest.approx(2)


def one_each(topics: int):
    return make_corpus([f"text {topic}" for topic in range(topics)], [f"t{topic:02}" for topic in range(topics)])


def suggested(similarity: np.ndarray, k: int):
    return suggest_m(hits_path(similarity), space_of(similarity), one_each(len(similarity)), k)


def test_suggestion_stops_before_the_first_near_twin():
    similarity = np.full((8, 8), 0.2)
    for one, two in ((0, 1), (2, 3)):
        similarity[one, two] = similarity[two, one] = 0.9
    np.fill_diagonal(similarity, 1.0)
    found = suggested(similarity, 3)
    assert found.m == 6
    assert found.m == judge(space_of(similarity), hits_path(similarity), k=3).keep
    assert (found.why, found.free, found.documents, found.interval) == ("before twins", 6, 6, None)
    assert (found.closest, found.beyond, found.threshold) == pytest.approx((0.2, 0.9, 0.6))


def test_suggestion_keeps_all_where_nothing_is_similar():
    found = suggested(np.eye(5), 5)
    assert (found.m, found.why) == (5, "no twins") and math.isnan(found.beyond)


def test_suggestion_takes_the_elbow_where_twins_cannot_be_avoided():
    label = np.repeat([0, 1], 6)
    similarity = np.where(label[:, None] == label, 0.7, 0.05)
    similarity[-1, 6:] = similarity[6:, -1] = 0.99
    np.fill_diagonal(similarity, 1.0)
    path = hits_path(similarity)
    found = suggested(similarity, 4)
    assert found.m == int((path.max[1:] < 0.9).sum()) + 1
    assert (found.why, found.free) == ("elbow", 2) and found.closest == pytest.approx(0.7)
    flat = np.where(label[:, None] == label, 0.8, 0.05) + 0.2 * np.eye(12)
    straight = suggested(flat, 4)
    assert (straight.m, straight.why) == (4, "fewest")


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
    similar = families([1, 1, 1, 1], outside=0.96)
    assert twin_threshold(similar) == 0.95
    assert twin_threshold(similar, kind="plain") == pytest.approx(0.98)
    assert twin_threshold(np.full((2, 2), np.nan)) == 0.95


def test_labels_that_mean_nothing_come_before_every_other_verdict():
    for similarity in (families([3, 3, 2, 1, 1]), families([1] * 6)):
        space, path = space_of(similarity), hits_path(similarity)
        verdict = judge(space, path, k=3, labels=labelled(0.98, 0.97, 0.99))
        assert verdict.level == "meaningless"
        assert judge(space, path, k=3, labels=labelled(0.2, 0.97, 0.99)).level != "meaningless"
    assert not labelled(0.97, 0.97, 0.99).meaningful  # as similar as a shuffle is not below all of them
    assert not labelled(float("nan"), 0.9).meaningful


def test_the_verdict_is_cautious_about_topics_it_cannot_judge_and_documents_it_would_lose():
    vectors = np.vstack([np.eye(4)[[0, 0, 1, 1]] + 0.05, np.eye(4)[[2]], np.eye(4)[[3, 3]] + np.eye(4)[[2, 1]] * 2])
    space = topic_space(vectors, np.array([0, 0, 1, 1, 2, 3, 3]), ("a", "b", "c", "d"))
    assert judge(space, hits_path(space.similarity), k=2).weak_topics == 1
    similarity = families([4, 1, 1, 1])
    large = TopicSpace(tuple("abcdefg"), np.array([9, 9, 9, 9, 1, 1, 1]), np.zeros((7, 1)), similarity)
    verdict = judge(large, hits_path(similarity), k=2)
    assert (verdict.keep, verdict.keep_documents, verdict.documents) == (4, 12, 39)


@pytest.mark.parametrize("topics", [2, 3, 4])
def test_of_few_topics_the_line_says_little(topics):
    similarity = families([1] * topics)
    found = judge(space_of(similarity), hits_path(similarity), k=2)
    assert found.few_topics == (topics < 4)


def test_many_close_topics_are_not_clear_although_none_are_near_twins():
    close, apart = (families([1] * 5, outside=typical) for typical in (0.72, 0.69))
    found = judge(space_of(close), hits_path(close), k=3)
    assert (found.level, found.twin_pairs, found.close_topics) == ("some", 0, 1.0)
    assert judge(space_of(apart), hits_path(apart), k=3).level == "clear"


def test_mixing_is_0_where_topics_are_apart_and_1_where_labels_are_shuffled():
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(8), 30)
    vectors = np.eye(8)[codes] + rng.normal(scale=0.05, size=(240, 8))
    assert neighbour_mixing(vectors, codes) == 0
    assert neighbour_mixing(vectors, rng.permutation(codes)) == pytest.approx(1, abs=0.05)
    half = np.where(np.arange(240) % 2 == 0, codes, 8)  # every other document is on one subject
    mixed = np.eye(9)[half] + rng.normal(scale=0.05, size=(240, 9))
    assert neighbour_mixing(mixed, codes) == pytest.approx(0.5, abs=0.05)
    assert neighbour_mixing(vectors[::15], codes[::15]) == 0, "two documents a topic have one neighbour each"
    assert math.isnan(neighbour_mixing(vectors, np.zeros(240, dtype=np.int64)))
    assert math.isnan(neighbour_mixing(vectors[::30], codes[::30])), "one document a topic"


@pytest.mark.parametrize(("typical", "level"), [(0.69, "clear"), (0.8, "some"), (0.93, "some")])
def test_topics_that_are_all_very_similar_are_not_clear(typical, level):
    similarity = families([1] * 5, outside=typical)
    space, path = space_of(similarity), hits_path(similarity)
    found = judge(space, path, k=3)
    assert (found.level, found.all_similar, found.twin_pairs) == (level, level == "some", 0)
    plain = judge(replace(space, kind="plain"), path, k=3)
    assert (plain.level, plain.all_similar) == ("clear", False), "plain similarity has no scale of its own"
    nothing = judge(space, path, k=3, labels=labelled(0.9, 0.8))
    assert nothing.level == "meaningless"


def test_nothing_is_clear_where_no_two_topics_can_be_placed():
    space = topic_space(np.eye(3), np.arange(3), ("a", "b", "c"))
    verdict = judge(space, hits_path(space.similarity), k=2)
    assert verdict.level == "meaningless"


def test_topics_that_have_too_few_documents_are_neither_suggested_nor_split_into_folds():
    vectors = np.vstack([np.eye(5)[[0, 0, 1, 1, 2, 2]] + 0.05, np.eye(5)[[3, 4]]])
    corpus = make_corpus([f"text {row}" for row in range(8)], list("aabbccde"))
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    path = hits_path(space.similarity)
    found = suggest_m(path, space, corpus, k=2)
    assert (found.m, found.why) == (3, "no twins")
    with pytest.raises(
        SettingError, match="k = 4, but the corpus has 3 topics that can be compared; choose k from 2 to 3"
    ):
        suggest_m(path, space, corpus, k=4)


def draws(low: np.ndarray) -> Bootstrap:
    """Draws of which only the lower ends of the intervals matter."""
    topics = len(low)
    return Bootstrap(low, low, np.tile(np.arange(topics), (2, 1)), np.full((2, topics), 0.2), np.full(2, 0.2))


def documents(topics: int, each: int, *, twins: int = 0, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Texts as directions: their topic's own and three times as much noise; the first `twins` topics share one direction."""
    rng = np.random.default_rng(seed)
    own = rng.normal(size=(topics, 60))
    own[:twins] = own[0]
    codes = np.repeat(np.arange(topics), each)
    return own[codes] + 0.5 + 2.0 * rng.normal(size=(len(codes), 60)), codes


def judged(vectors: np.ndarray, codes: np.ndarray, topics: int):
    names = tuple(f"t{topic:02}" for topic in range(topics))
    space = topic_space(vectors, codes, names)
    found = (vectors, codes, topics)
    return judge(
        space,
        hits_path(space.similarity),
        k=6,
        labels=check_labels(*found, kind="corrected"),
        bootstrap=bootstrap_topics(*found, kind="corrected", samples=100),
    )


def test_a_pair_is_clear_where_all_of_its_interval_is_above_the_threshold():
    similarity = families([3, 1], inside=0.9, outside=0.2)
    low = np.full((4, 4), 0.1)
    low[0, 1] = low[1, 0] = 0.8
    low[0, 2] = low[2, 0] = 0.8 - 1e-9
    clear = clear_twins(space_of(similarity), 0.8, draws(low))
    assert np.argwhere(np.triu(clear)).tolist() == [[0, 1]], "at the line is past it; below it is not"
    assert (clear == clear.T).all() and not clear.diagonal().any()
    everything = clear_twins(space_of(similarity), 0.8)
    assert everything.sum() == 6, "where no interval is known every pair above the threshold counts"


def test_a_centroid_that_is_mostly_noise_has_no_clear_twin():
    similarity, each = families([3]), np.array([4, 4, 4])
    coherence = np.array([0.9, 0.9, 0.19])  # 4 · .19/(1 + 3 · .19) < .5
    space = TopicSpace(tuple("abc"), each, np.zeros((3, 1)), similarity, each, coherence)
    assert np.argwhere(np.triu(clear_twins(space, 0.8))).tolist() == [[0, 1]]


@pytest.mark.parametrize(("clear_pairs", "level"), [(0, "some"), (1, "some"), (4, "leaks")])
def test_the_level_follows_the_clear_pairs_and_the_sentence_has_both_numbers(clear_pairs, level):
    similarity = families([2] * 4 + [1] * 4)
    low = np.full((12, 12), 0.1)
    for pair in range(clear_pairs):
        low[2 * pair, 2 * pair + 1] = low[2 * pair + 1, 2 * pair] = 0.85
    verdict = judge(space_of(similarity), hits_path(similarity), k=12, bootstrap=draws(low))
    assert (verdict.level, verdict.twin_pairs, verdict.clear_pairs) == (level, 4, clear_pairs)
    assert (verdict.leaking_topics, verdict.clearly_leaking) == pytest.approx((8, 2 * clear_pairs))


def test_three_documents_a_topic_do_not_make_strangers_twins():
    found = [judged(*documents(16, 3, seed=seed), 16) for seed in range(6)]
    assert sum(verdict.twin_pairs for verdict in found) > 6, "chance puts pairs above the threshold"
    assert sum(verdict.clear_pairs for verdict in found) <= 1
    assert all(verdict.level != "leaks" for verdict in found)


def test_with_documents_enough_twins_are_clear():
    found = judged(*documents(16, 60, twins=5), 16)
    assert found.clear_pairs == found.twin_pairs == 10
    assert found.level == "leaks"


@pytest.mark.parametrize("threshold", [0.31, 0.6, 0.9012, 1.0])
def test_no_bin_of_the_histogram_lies_on_both_sides_of_the_line(threshold):
    rng = np.random.default_rng(1)
    similarity = np.clip(rng.uniform(-0.2, 1.0, (30, 30)), -1, 1)
    values = pair_similarities(similarity)
    edges, counts = pair_histogram(similarity, threshold=threshold)
    assert counts.sum() == len(values) and (np.diff(edges) > 0).all()
    assert threshold in edges
    assert counts[edges[:-1] >= threshold].sum() == (values >= threshold).sum()


def bootstrap(highest: list[list[float]], medians: list[float], comparable: int | None = None) -> Bootstrap:
    """Draws whose paths take the topics in order of name, the last of them not placed."""
    topics = len(highest[0]) + 1
    steps = np.tile(np.arange(topics), (len(highest), 1))
    steps[:, topics if comparable is None else comparable :] = topics
    return Bootstrap(None, None, steps, np.column_stack([np.full(len(highest), np.nan), highest]), np.array(medians))


def test_every_draw_keeps_what_lies_below_its_own_line():
    def keep(*highest: float, median: float, kind: str = "corrected", comparable: int | None = None) -> int:
        low, high = keep_interval(bootstrap([list(highest)], [median], comparable), kind=kind)
        assert low == high
        return low

    assert keep(0.2, 0.5, 0.9, median=0.2) == 3  # a line of .6
    assert keep(0.2, 0.5, 0.9, median=0.0) == 2  # of .5, and a pair at the line is a twin
    assert keep(0.2, 0.5, 0.9, median=-0.8) == 1  # of .1
    assert keep(0.2, 0.96, 0.99, median=0.94) == 2  # of .95, never above
    assert keep(0.2, 0.96, 0.99, median=0.94, kind="plain") == 3  # of .97
    assert keep(0.2, 0.3, 0.3, median=0.2) == 4
    assert keep(0.2, 0.3, 0.3, median=0.2, comparable=3) == 3  # what a draw cannot place it cannot keep


def test_the_interval_of_m_holds_95_percent_of_the_draws_rounded_outwards():
    by_keep = {1: [0.7, 0.8, 0.9], 2: [0.2, 0.8, 0.9], 3: [0.2, 0.5, 0.9], 4: [0.2, 0.3, 0.3]}

    def interval(**draws: int) -> tuple[int, int]:
        highest = [by_keep[int(keep[1:])] for keep, count in draws.items() for _ in range(count)]
        return keep_interval(bootstrap(highest, [0.2] * len(highest)))

    assert interval(m1=2, m3=37, m4=2) == (1, 4)  # of 41 the second from either end
    assert interval(m1=1, m3=39, m4=1) == (3, 3)
    assert interval(m1=1, m2=19, m3=1) == (1, 3)  # of 21 half-way between the first and the second: 1.5 and 2.5


def test_a_verdict_carries_the_interval_of_its_draws():
    similarity = families([2, 1, 1])
    draws = bootstrap([[0.2, 0.5, 0.9]] * 3, [0.2] * 3)
    assert judge(space_of(similarity), hits_path(similarity), k=2, bootstrap=draws).keep_interval == (3, 3)
    assert judge(space_of(similarity), hits_path(similarity), k=2).keep_interval is None
    plain = TopicSpace(tuple("abcd"), np.ones(4, dtype=np.int64), np.zeros((4, 1)), similarity, kind="plain")
    similar = bootstrap([[0.2, 0.96, 0.99]], [0.94])
    assert judge(plain, hits_path(similarity), k=2, bootstrap=similar).keep_interval == (3, 3)


def test_near_twins_are_the_closest_pairs_from_the_line_on():
    space = space_of(families([3, 1], inside=0.9, outside=0.2))
    assert [pair[:2] for pair in near_twins(space, 0.9)] == [(0, 1), (0, 2), (1, 2)]
    assert near_twins(space, 0.9 + 1e-9) == []
    assert len(near_twins(space, 0.2, most=4)) == 4
    assert len(near_twins(space_of(families([15])), 0.9)) == 100  # of 105


def test_near_twins_come_by_the_lower_end_of_their_intervals():
    similarity = families([3, 1], inside=0.9, outside=0.2)
    low = np.where(similarity > 0.5, 0.5, 0.1)
    low[1, 2] = low[2, 1] = 0.8
    assert [pair[:2] for pair in near_twins(space_of(similarity), 0.9, draws(low))] == [(1, 2), (0, 1), (0, 2)]


def test_half_of_the_documents_is_not_less_than_half():
    similarity = families([2, 1])  # one of the twins goes
    for sizes, warned in (([1, 4, 3], False), ([1, 5, 3], True)):  # 4 of 8, and 4 of 9
        space = TopicSpace(tuple("abc"), np.array(sizes), np.zeros((3, 1)), similarity)
        verdict = judge(space, hits_path(similarity), k=2)
        assert (verdict.keep, verdict.keep_documents) == (2, 4)
        assert (verdict.keep_documents < verdict.documents / 2) == warned


def test_a_centroid_that_is_half_signal_is_not_mostly_noise():
    for coherence, weak in ((0.2, False), (0.19, True)):  # 4 · .2/(1 + 3 · .2) = .5
        similarity = families([1] * 4)
        each = np.array([4] * 4)
        space = TopicSpace(
            tuple("abcd"), each, np.zeros((4, 1)), similarity, each, np.array([coherence, 0.9, 0.9, 0.9])
        )
        assert judge(space, hits_path(similarity), k=2).weak_topics == weak
        similar = replace(space, similarity=families([2, 1, 1], inside=0.9))
        assert clear_twins(similar, 0.9)[:2, :2].tolist() == [[False, not weak], [not weak, False]]


def test_topics_that_cannot_be_compared_are_so_whatever_the_labels_say():
    space = topic_space(np.eye(3), np.arange(3), ("a", "b", "c"))
    verdict = judge(space, hits_path(space.similarity), k=2, labels=LabelCheck(math.nan, np.array([0.9])))
    assert math.isnan(verdict.typical)
    assert twin_threshold(np.ones((1, 1)), kind="plain") == 1.0


def made(size: int, *, signal: float, kind: str, seed: int):
    """Six random pieces of one population, t0 to t5, and four topics of their own."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(10), size)
    means = rng.normal(size=(5, 80)) / np.sqrt(80)
    of = np.maximum(codes - 5, 0)
    vectors = np.sqrt(signal) * means[of] + np.sqrt(1 - signal) * rng.normal(size=(len(codes), 80)) / np.sqrt(80)
    space = topic_space(vectors, codes, tuple(f"t{topic}" for topic in range(10)), similarity=kind)
    return space, bootstrap_topics(vectors, codes, 10, kind=kind, seed=seed)


@pytest.mark.parametrize("kind", ["corrected", "plain"])
@pytest.mark.parametrize(("size", "signal"), [(5, 0.4), (10, 0.3), (30, 0.1), (30, 0.4)])
def test_random_pieces_of_one_topic_are_found_and_topics_of_their_own_are_not(kind, size, signal):
    inside, outside = np.triu_indices(6, 1), np.s_[:6, 6:]
    missed = taken = 0
    for seed in range(8):
        one = may_be_one_topic(*made(size, signal=signal, kind=kind, seed=seed))
        missed, taken = missed + (~one[inside]).sum(), taken + one[outside].sum()
        assert (one == one.T).all() and not one.diagonal().any()
    assert missed <= 1 and taken <= 4, "of 120 and 192 pairs"


def test_the_lowest_of_the_pieces_similarities_lie_below_the_threshold_by_chance():
    """What makes the interval necessary: whoever looks for topics unlike each other finds these pieces."""
    space, bootstrap = made(10, signal=0.2, kind="corrected", seed=0)
    lowest = space.similarity[np.triu_indices(6, 1)].min()
    assert lowest < 0.95 and may_be_one_topic(space, bootstrap)[np.triu_indices(6, 1)].all()


def test_centroids_that_are_mostly_noise_tell_nothing():
    space, bootstrap = made(4, signal=0.05, kind="corrected", seed=1)
    weak = space.comparable & (space.reliability < 0.5)
    assert weak.any()
    one, known = may_be_one_topic(space, bootstrap), ~np.isnan(space.similarity)
    np.fill_diagonal(known, False)
    assert (one[weak] == known[weak]).all()


def test_a_pair_may_be_near_twins_where_its_interval_reaches_the_line():
    space, bootstrap = made(10, signal=0.3, kind="corrected", seed=0)
    threshold = 0.5
    may = may_be_twins(space, threshold, bootstrap)
    assert (may >= may_be_twins(space, threshold, None)).all() and (may == may.T).all() and not may.diagonal().any()
    expected = (space.similarity >= threshold) | (bootstrap.high >= threshold)
    np.fill_diagonal(expected, False)
    assert (may == expected).all()
    assert not may_be_one_topic(space, None).any(), "nothing is known without intervals"


def test_noise_of_small_topics_does_not_win_the_ranking_of_pairs():
    rng = np.random.default_rng(0)
    subjects = np.eye(6)
    sizes = (60, 60, 40, 2, 2, 2)
    centres = (subjects[0], subjects[0] + 0.35 * subjects[1], subjects[2], subjects[3], subjects[4], subjects[5])
    vectors = np.vstack(
        [centre + rng.normal(scale=0.6, size=(size, 6)) for centre, size in zip(centres, sizes, strict=True)]
    )
    codes = np.repeat(np.arange(6), sizes)
    space = topic_space(vectors.astype(np.float32), codes, tuple("abcdef"))
    found = bootstrap_topics(vectors.astype(np.float32), codes, 6, kind="corrected")
    first, second, value = most_similar_pairs(space, found, most=1)[0]
    assert (first, second) == (0, 1), "two large topics on one subject"
    assert value == space.similarity[0, 1]
    every = most_similar_pairs(space, found, most=100)
    known = int((~np.isnan(space.similarity[np.triu_indices(6, 1)])).sum())
    assert len(every) == known, "noisy pairs come last, but they are there"


NAMES = ("bread", "cakes", "comets", "soups", "stars", "trams")


def topic_view(vectors, codes, names, *, similarity: str) -> TopicView:
    space = topic_space(vectors, codes, names, similarity=similarity)
    documents = vectors, codes, len(names)
    return TopicView(
        space,
        hits_path(space.similarity),
        check_labels(*documents, kind=similarity),
        bootstrap_topics(*documents, kind=similarity),
    )


def view(similarity: np.ndarray, names=NAMES, **more) -> TopicView:
    matrix = np.array(similarity, dtype=float)
    space = TopicSpace(tuple(names), np.full(len(matrix), 10), np.eye(len(matrix)), matrix)
    return TopicView(space, hits_path(matrix), **more)


def similar(*pairs: tuple[int, int], count: int = 6, value: float = 0.9) -> np.ndarray:
    """Topics that are all 0.2 similar, but for these pairs."""
    matrix = np.full((count, count), 0.2)
    np.fill_diagonal(matrix, 1.0)
    for one, two in pairs:
        matrix[one, two] = matrix[two, one] = value
    return matrix


def seen(found) -> dict[tuple[str, str], tuple[bool, bool]]:
    return {pair.topics: pair.seen for pair in found.pairs.twins}


def test_a_view_differs_in_nothing_from_itself():
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(6), 8)
    vectors = rng.normal(size=(48, 12)) * 0.5 + np.eye(12)[codes] + 2 * np.eye(12)[7 + codes // 2]
    one = topic_view(vectors, codes, NAMES, similarity="corrected")
    found = compare_views(one, one, k=3)
    assert found.pairs.first == found.pairs.second == found.pairs.clear == 0
    assert found.pairs.both == found.verdicts[0].twin_pairs > 0 and found.elsewhere == (0, 0)
    assert found.samples[0] == found.samples[1] == found.selected_by_both
    np.testing.assert_array_equal(found.pairs.others[:, 0], found.pairs.others[:, 1])


def test_either_order_says_the_same():
    one, two = view(similar((0, 1), (2, 4))), view(similar((0, 1), (1, 3)))
    found, turned = compare_views(one, two, k=3), compare_views(two, one, k=3)
    assert found.verdicts[0].level == turned.verdicts[1].level
    assert (found.pairs.both, found.pairs.first, found.pairs.second) == (1, 1, 1)
    assert (turned.pairs.first, turned.pairs.second) == (found.pairs.second, found.pairs.first)
    assert {pair: each[::-1] for pair, each in seen(found).items()} == seen(turned)
    assert (found.m, found.by_chance) == (turned.m, turned.by_chance)
    assert set(found.selected_by_both) == set(turned.selected_by_both)


def test_near_twins_are_told_apart_by_who_sees_them():
    found = compare_views(view(similar((0, 1), (2, 4))), view(similar((0, 1))), k=3)
    assert seen(found) == {("bread", "cakes"): (True, True), ("comets", "stars"): (True, False)}
    assert found.pairs.twins[1].similarity == (0.9, 0.2)
    assert len(found.pairs.others) == 15 - 2


def test_topics_are_the_same_where_their_names_are():
    other = view(similar((0, 1), (2, 3), count=4), names=("bread", "cakes", "ships", "tides"))
    found = compare_views(view(similar((0, 1), (2, 4))), other, k=2)
    assert found.topics == ("bread", "cakes")
    assert (found.pairs.both, found.pairs.first, found.pairs.second) == (1, 0, 0)
    assert found.elsewhere == (1, 1)
    strangers = view(similar((0, 1), count=3), names=("x", "y", "z"))
    nothing = compare_views(view(similar((0, 1))), strangers, k=2)
    assert nothing.topics == () and nothing.pairs.twins == () and nothing.by_chance == 0


def test_a_topic_that_one_view_cannot_place_takes_no_part():
    blank = similar((0, 1))
    blank[1, :] = blank[:, 1] = np.nan
    found = compare_views(view(similar((0, 1), (2, 4))), view(blank), k=3)
    assert "cakes" not in found.topics and seen(found) == {("comets", "stars"): (True, False)}
    assert found.elsewhere == (1, 0)


def test_samples_are_of_one_size_and_chance_is_said():
    apart = view(similar())
    found = compare_views(apart, view(similar((0, 1), (2, 3), (4, 5))), k=2)
    assert found.m == len(found.samples[0]) == len(found.samples[1]) == found.verdicts[1].keep == 3
    assert found.by_chance == pytest.approx(6 * (3 / 6) * (3 / 6))


def test_one_sided_twins_are_clear_only_where_both_intervals_say_so():
    rng = np.random.default_rng(1)
    codes = np.repeat(np.arange(6), 60)
    noise = rng.normal(size=(360, 40)) * 0.1
    apart = noise + np.eye(40)[codes]
    sisters = noise + np.eye(40)[np.where(codes == 1, 0, codes)] + 0.3 * np.eye(40)[10 + codes]
    views = [topic_view(vectors, codes, NAMES, similarity="corrected") for vectors in (sisters, apart)]
    found = compare_views(*views, k=3)
    assert (found.pairs.first, found.pairs.clear) == (1, 1)
    doubtful = TopicView(views[1].space, views[1].path)  # nothing drawn again: no interval, no certainty
    assert compare_views(views[0], doubtful, k=3).pairs.clear == 0


def test_labels_that_are_shuffled_have_nothing_to_compare():
    rng = np.random.default_rng(3)
    codes = np.repeat(np.arange(6), 5)
    vectors = rng.normal(size=(30, 8)) + 1
    one = topic_view(vectors, rng.permutation(codes), NAMES, similarity="corrected")
    assert [each.level for each in compare_views(one, one, k=2).verdicts] == ["meaningless"] * 2


def test_many_topics_are_bounded_and_counted():
    count = 120
    names = tuple(f"t{number:03}" for number in range(count))
    rng = np.random.default_rng(0)
    vectors, codes = rng.normal(size=(3 * count, 60)) + 0.5, np.repeat(np.arange(count), 3)
    space = topic_space(vectors, codes, names)
    one = TopicView(
        space, hits_path(space.similarity), None, bootstrap_topics(vectors, codes, count, kind="corrected", samples=3)
    )
    found = compare_views(one, one, k=5)
    assert len(found.pairs.others) <= MOST_OTHERS
    assert found.pairs.both == found.verdicts[0].twin_pairs


def test_a_comparison_does_not_depend_on_documents_order():
    rng = np.random.default_rng(2)
    codes = np.repeat(np.arange(6), 6)
    vectors = rng.normal(size=(36, 10)) * 0.3 + np.eye(10)[codes]
    turn = rng.permutation(36)
    one = view(topic_space(vectors, codes, NAMES).similarity)
    two = view(topic_space(vectors[turn], codes[turn], NAMES).similarity)
    found = compare_views(one, two, k=3)
    assert found.pairs.first == found.pairs.second == 0 and found.samples[0] == found.samples[1]
