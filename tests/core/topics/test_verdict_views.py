"""Two views of topics: one compared with itself differs in nothing, either order says the same, and every sentence is true."""

import numpy as np
import pytest

from core.topics import TopicView, bootstrap_topics, check_labels, compare_views, hits_path, topic_space
from core.topics.space import TopicSpace
from core.topics.verdict import MOST_OTHERS

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


def alike(*pairs: tuple[int, int], count: int = 6, value: float = 0.9) -> np.ndarray:
    """Topics that are all 0.2 alike, but for these pairs."""
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
    one, two = view(alike((0, 1), (2, 4))), view(alike((0, 1), (1, 3)))
    found, turned = compare_views(one, two, k=3), compare_views(two, one, k=3)
    assert found.verdicts[0].level == turned.verdicts[1].level
    assert (found.pairs.both, found.pairs.first, found.pairs.second) == (1, 1, 1)
    assert (turned.pairs.first, turned.pairs.second) == (found.pairs.second, found.pairs.first)
    assert {pair: each[::-1] for pair, each in seen(found).items()} == seen(turned)
    assert (found.m, found.by_chance) == (turned.m, turned.by_chance)
    assert set(found.selected_by_both) == set(turned.selected_by_both)


def test_near_twins_are_told_apart_by_who_sees_them():
    found = compare_views(view(alike((0, 1), (2, 4))), view(alike((0, 1))), k=3)
    assert seen(found) == {("bread", "cakes"): (True, True), ("comets", "stars"): (True, False)}
    assert found.pairs.twins[1].similarity == (0.9, 0.2)
    assert len(found.pairs.others) == 15 - 2


def test_topics_are_the_same_where_their_names_are():
    other = view(alike((0, 1), (2, 3), count=4), names=("bread", "cakes", "ships", "tides"))
    found = compare_views(view(alike((0, 1), (2, 4))), other, k=2)
    assert found.topics == ("bread", "cakes")
    assert (found.pairs.both, found.pairs.first, found.pairs.second) == (1, 0, 0)
    assert found.elsewhere == (1, 1)
    strangers = view(alike((0, 1), count=3), names=("x", "y", "z"))
    nothing = compare_views(view(alike((0, 1))), strangers, k=2)
    assert nothing.topics == () and nothing.pairs.twins == () and nothing.by_chance == 0


def test_a_topic_that_one_view_cannot_place_takes_no_part():
    blank = alike((0, 1))
    blank[1, :] = blank[:, 1] = np.nan
    found = compare_views(view(alike((0, 1), (2, 4))), view(blank), k=3)
    assert "cakes" not in found.topics and seen(found) == {("comets", "stars"): (True, False)}
    assert found.elsewhere == (1, 0)


def test_samples_are_of_one_size_and_chance_is_said():
    apart = view(alike())
    found = compare_views(apart, view(alike((0, 1), (2, 3), (4, 5))), k=2)
    assert found.m == len(found.samples[0]) == len(found.samples[1]) == found.verdicts[1].keep == 3
    assert found.by_chance == pytest.approx(6 * (3 / 6) * (3 / 6))


def test_one_sided_twins_are_beyond_doubt_only_where_both_intervals_say_so():
    rng = np.random.default_rng(1)
    codes = np.repeat(np.arange(6), 60)
    noise = rng.normal(size=(360, 40)) * 0.1
    apart = noise + np.eye(40)[codes]
    sisters = noise + np.eye(40)[np.where(codes == 1, 0, codes)] + 0.3 * np.eye(40)[10 + codes]
    views = [topic_view(vectors, codes, NAMES, similarity="corrected") for vectors in (sisters, apart)]
    found = compare_views(*views, k=3)
    assert (found.pairs.first, found.pairs.clear) == (1, 1)
    doubtful = TopicView(views[1].space, views[1].path)  # nothing drawn anew: no interval, no certainty
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
