"""Topics as points and matrices of similarities: laws, worked values and brute force."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.preprocessing import normalize

from core.corpora import make_corpus
from core.errors import SettingError
from core.topics import (
    MOST_IN_MATRIX,
    TopicSpace,
    check_documents,
    closest_pairs,
    cluster_order,
    merged_space,
    nearest_similarity,
    pair_histogram,
    pair_similarities,
    part_of_space,
    similar_groups,
    space,
    topic_leakage,
    topic_points,
    topic_space,
)
from core.topics.space import NO_COHERENCE
from tests.core.topics.similarities import in_the_plane, random_space, similarities

BOTH = pytest.mark.parametrize("kind", ["plain", "corrected"])


@given(st.integers(0, 1_000))
@settings(deadline=None)
def test_similarity_is_the_cosine_of_mean_unit_vectors(seed):
    space, vectors, codes = random_space(seed)
    unit = normalize(vectors.astype(np.float64))
    centroids = np.stack([unit[codes == code].mean(axis=0) for code in range(5)])
    np.testing.assert_allclose(space.centroids, centroids, atol=1e-12)
    np.testing.assert_allclose(space.similarity, cosine_similarity(centroids), atol=1e-12)
    assert (space.similarity == space.similarity.T).all()
    assert (np.diag(space.similarity) == 1).all()


@BOTH
@given(seed=st.integers(0, 1_000))
@settings(deadline=None, max_examples=30)
def test_document_order_and_vector_length_do_not_matter(kind, seed):
    space, vectors, codes = random_space(seed, similarity=kind)
    rng = np.random.default_rng(seed + 1)
    shuffle = rng.permutation(len(codes))
    scaled = vectors[shuffle] * rng.uniform(0.5, 20, size=(len(codes), 1)).astype(np.float32)
    again = topic_space(scaled, codes[shuffle], space.names, similarity=kind)
    np.testing.assert_allclose(again.similarity, space.similarity, atol=1e-4)


def test_records_cannot_be_changed():
    space, _, _ = random_space(0)
    with pytest.raises(ValueError, match="read-only"):
        space.similarity[0, 1] = 0


def test_documents_without_a_known_word_do_not_turn_into_nan():
    vectors = np.array([[0, 0], [0, 0], [1, 0]], dtype=np.float32)
    space = topic_space(vectors, np.array([0, 0, 1]), ("empty", "full"), similarity="plain")
    assert space.similarity.tolist() == [[1, 0], [0, 1]]


def test_vectors_and_documents_must_match():
    with pytest.raises(SettingError, match="2 vectors for 3 documents"):
        topic_space(np.ones((2, 2), dtype=np.float32), np.array([0, 1, 1]), ("a", "b"))


@BOTH
@given(seed=st.integers(0, 1_000))
@settings(deadline=None, max_examples=30)
def test_merging_topics_equals_relabelling_their_documents(kind, seed):
    space, vectors, codes = random_space(seed, similarity=kind)
    assigned = np.array([0, 0, 2, -1, 2])
    merged = merged_space(space, assigned)
    left = assigned[codes] >= 0
    relabelled = np.searchsorted([0, 2], assigned[codes[left]])
    expected = topic_space(vectors[left], relabelled, ("t0", "t2"), similarity=kind)
    assert merged.names == expected.names
    assert merged.sizes.tolist() == expected.sizes.tolist()
    np.testing.assert_allclose(merged.similarity, expected.similarity, atol=1e-9)
    np.testing.assert_allclose(merged.coherence, expected.coherence, atol=1e-9)
    assert merged.counted.tolist() == expected.counted.tolist() and merged.kind == kind


def test_topics_that_all_go_leave_nothing():
    space, _, _ = random_space(0, topics=3)
    with pytest.raises(SettingError, match="No topic is left"):
        merged_space(space, np.full(3, -1))


def test_a_topic_without_documents_is_like_no_other():
    space = topic_space(np.ones((2, 2), dtype=np.float32), np.array([0, 2]), ("a", "b", "c"), similarity="plain")
    assert space.sizes.tolist() == [1, 0, 1]
    assert space.similarity[1].tolist() == [0, 1, 0]


def test_unknown_similarities_are_refused():
    with pytest.raises(SettingError, match="Did you mean 'corrected'"):
        topic_space(np.ones((2, 2)), np.array([0, 1]), ("a", "b"), similarity="correct")


def test_similarities_and_vectors_of_other_documents_are_refused():
    vectors = np.eye(4)[[0, 1, 2, 3]]
    corpus, other = (make_corpus([f"text {row}" for row in range(4)], topics) for topics in ("aabb", "aacc"))
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    check_documents(corpus, space)
    check_documents(corpus, space, vectors)
    with pytest.raises(SettingError, match=r"^The similarities are of other documents"):
        check_documents(other, space)
    for wrong in ((other, space, vectors), (corpus, space, vectors[:3])):
        with pytest.raises(SettingError, match=r"^Vectors and similarities are of other documents"):
            check_documents(*wrong)


def test_the_worked_example_in_the_plane():
    vectors = in_the_plane(0, 20, 40, 60, 100)
    codes = np.array([0, 0, 0, 1, 1])
    assert topic_space(vectors, codes, ("A", "B"), similarity="plain").similarity[0, 1] == pytest.approx(0.5, abs=5e-7)
    space = topic_space(vectors, codes, ("A", "B"))
    assert space.coherence == pytest.approx([0.881810, 0.766044], abs=5e-7)
    assert space.similarity[0, 1] == pytest.approx(0.548681, abs=5e-7)
    assert space.reliability == pytest.approx([0.957234, 0.867526], abs=5e-7)


@given(st.integers(0, 1_000))
@settings(deadline=None, max_examples=30)
def test_coherence_is_the_mean_cosine_of_two_different_documents(seed):
    space, vectors, codes = random_space(seed, similarity="corrected")
    unit = normalize(vectors.astype(np.float64))
    for topic in range(len(space)):
        cosines = unit[codes == topic] @ unit[codes == topic].T
        assert space.coherence[topic] == pytest.approx(pair_similarities(cosines).mean(), abs=1e-9)
    between = [[(unit[codes == i] @ unit[codes == j].T).mean() for j in range(5)] for i in range(5)]
    scale = np.sqrt(np.where(space.comparable, space.coherence, 1.0))
    comparable = np.ix_(space.comparable, space.comparable)
    expected = np.clip(np.array(between) / np.outer(scale, scale), -1, 1)
    np.fill_diagonal(expected, 1.0)
    np.testing.assert_allclose(space.similarity[comparable], expected[comparable], atol=1e-9)


def population(rng: np.random.Generator, documents: int, towards: np.ndarray) -> np.ndarray:
    return rng.normal(size=(documents, len(towards))) + towards


def test_halves_of_one_topic_are_as_one_and_small_topics_are_not_pushed_away():
    rng = np.random.default_rng(0)
    one, two = np.eye(30)[:2] * 3
    two = two + one / 2
    large = topic_space(
        np.vstack([population(rng, 4_000, one), population(rng, 4_000, two)]), np.repeat([0, 1], 4_000), ("a", "b")
    )
    plain, corrected, halves = [], [], []
    for _ in range(200):
        vectors = np.vstack([population(rng, 5, one), population(rng, 5, two), population(rng, 5, one)])
        codes = np.repeat([0, 1, 2], 5)
        similarity = topic_space(vectors, codes, ("a", "b", "c")).similarity
        corrected.append(similarity[0, 1])
        halves.append(similarity[0, 2])
        plain.append(topic_space(vectors, codes, ("a", "b", "c"), similarity="plain").similarity[0, 1])
    truth = large.similarity[0, 1]
    assert np.mean(plain) < truth - 0.1
    assert np.median(corrected) == pytest.approx(truth, abs=0.05)
    assert np.median(halves) > 0.93


def test_topics_that_have_too_few_documents_are_named_with_the_reason():
    vectors = np.vstack([in_the_plane(0, 10, 90, 170, 180, 0, 180), [[0.0, 0.0]]])
    codes = np.array([0, 0, 1, 2, 2, 3, 3, 4])
    space = topic_space(vectors, codes, ("good", "lonely", "also good", "torn", "wordless"))
    assert space.comparable.tolist() == [True, False, True, False, False]
    assert [(each.topic, each.why) for each in space.incomparable] == [
        (1, "one document"),
        (3, "nothing shared"),
        (4, "no vector"),
    ]
    assert np.isnan(space.similarity[1]).all() and np.isnan(space.similarity[:, 3]).all()
    assert np.isnan(space.reliability[[1, 3, 4]]).all()
    assert len(pair_similarities(space.similarity)) == 1
    assert closest_pairs(space.similarity, most=9) == [(0, 2, space.similarity[0, 2])]
    leakage = topic_leakage(space.similarity)
    assert leakage.nearest.tolist() == [2, -1, 0, -1, -1]
    assert sorted(cluster_order(space.similarity).tolist()) == [0, 1, 2, 3, 4]
    assert topic_space(vectors, codes, space.names, similarity="plain").comparable.all()


@pytest.mark.parametrize(("cosine", "comparable"), [(1.5e-9, True), (0.5e-9, False)])
def test_documents_have_nothing_in_common_below_a_billionth(cosine, comparable):
    space = topic_space(np.array([[1.0, 0.0], [cosine, 1.0]]), np.array([0, 0]), ("a",))
    assert (space.comparable.tolist(), bool(np.isnan(space.reliability[0]))) == ([comparable], not comparable)
    if comparable:
        assert space.reliability[0] == pytest.approx(2 * cosine, rel=1e-6)


def test_what_is_not_known_of_a_space_stays_unknown():
    space, _, _ = random_space(0, topics=3)
    bare = replace(space, counted=None, coherence=None)
    for unknown in (bare, replace(space, coherence=None), replace(space, counted=None)):
        assert np.isnan(unknown.reliability).all()
    none = replace(space, coherence=np.full(3, NO_COHERENCE))
    assert np.isnan(none.reliability).all(), "at the bound documents have nothing in common"
    part = part_of_space(bare, np.array([2, 0]))
    assert (part.names, part.counted, part.coherence) == (("t2", "t0"), None, None)
    merged = merged_space(bare, np.array([0, 0, 2]))
    assert merged.counted.tolist() == [space.sizes[:2].sum(), space.sizes[2]]


def test_a_part_of_a_space_is_the_space_of_the_part():
    space, vectors, codes = random_space(3, similarity="corrected")
    part = part_of_space(space, np.array([1, 2, 4]))
    rows = np.flatnonzero(np.isin(codes, [1, 2, 4]))
    expected = topic_space(vectors[rows], np.searchsorted([1, 2, 4], codes[rows]), ("t1", "t2", "t4"))
    assert (part.names, part.kind) == (expected.names, expected.kind)
    for field in ("sizes", "centroids", "similarity", "counted", "coherence"):
        np.testing.assert_allclose(getattr(part, field), getattr(expected, field), atol=1e-12)


def test_documents_without_a_vector_are_merged_but_not_counted():
    vectors = np.vstack([in_the_plane(0, 10, 20, 60, 80), [[0.0, 0.0]]])
    codes = np.array([0, 0, 1, 1, 2, 2])
    space = topic_space(vectors, codes, ("a", "b", "c"))
    assert (space.sizes.tolist(), space.counted.tolist()) == ([2, 2, 2], [2, 2, 1])
    merged = merged_space(space, np.array([0, 1, 1]))
    expected = topic_space(vectors, np.minimum(codes, 1), ("a", "b"))
    assert merged.counted.tolist() == expected.counted.tolist() == [2, 3]
    np.testing.assert_allclose(merged.similarity, expected.similarity, atol=1e-12)


def test_the_centroid_of_one_document_is_its_direction():
    space = topic_space(np.array([[3.0, 4.0], [1.0, 0.0], [0.0, 2.0]]), np.array([0, 1, 1]), ("one", "two"))
    np.testing.assert_allclose(space.centroids, [[0.6, 0.8], [0.5, 0.5]])


def test_no_similarity_leaves_its_range_by_rounding_or_by_correction():
    found = []
    for seed in range(60):
        direction = np.random.default_rng(seed).normal(size=9)
        vectors = np.stack([direction, direction * 3, direction * 0.1, -direction, -2 * direction])
        space = topic_space(vectors, np.arange(5), tuple("abcde"), similarity="plain")
        found.append(space.similarity)
    assert np.max(found) == 1 and np.min(found) == -1
    # Opposite topics whose documents differ among themselves: −.587/.174 without the bound.
    opposite = topic_space(in_the_plane(0, 80, 180, 260), np.array([0, 0, 1, 1]), ("a", "b"))
    assert opposite.similarity.tolist() == [[1, -1], [-1, 1]]


@BOTH
@given(seed=st.integers(0, 1_000))
@settings(deadline=None, max_examples=20)
def test_the_product_of_two_points_is_the_similarity_of_their_topics(kind, seed):
    whole, vectors, codes = random_space(seed, similarity=kind)
    found = topic_points(vectors, codes, whole.names, similarity=kind)
    products = np.clip(found.points @ found.points.T, -1, 1)
    np.testing.assert_allclose(pair_similarities(products), pair_similarities(whole.similarity), atol=1e-12)
    assert (found.names, found.kind, len(found)) == (whole.names, kind, len(whole))
    for one, two in ((found.sizes, whole.sizes), (found.counted, whole.counted), (found.comparable, whole.comparable)):
        assert one.tolist() == two.tolist()


def test_points_that_have_too_few_documents_have_the_reasons_of_their_topics():
    vectors = np.vstack([in_the_plane(0, 10, 90, 170, 180, 0, 180), [[0.0, 0.0]]])
    codes, names = np.array([0, 0, 1, 2, 2, 3, 3, 4]), ("good", "lonely", "also good", "torn", "wordless")
    found = topic_points(vectors, codes, names)
    assert found.kind == "corrected" and found.comparable.tolist() == [True, False, True, False, False]
    assert found.incomparable == topic_space(vectors, codes, names).incomparable
    assert len({each.why for each in found.incomparable}) == 3


@BOTH
def test_documents_are_summed_block_by_block_wherever_their_topics_stand(kind, monkeypatch):
    whole, vectors, codes = random_space(5, similarity=kind)
    monkeypatch.setattr("core.arrays.BLOCK", 3 * vectors.shape[1])  # three documents at a time
    again = topic_space(vectors, codes, whole.names, similarity=kind)
    np.testing.assert_allclose(again.similarity, whole.similarity, atol=1e-12)
    np.testing.assert_allclose(again.centroids, whole.centroids, atol=1e-12)
    assert again.counted.tolist() == whole.counted.tolist() == whole.sizes.tolist()


@pytest.mark.parametrize("topics", [8_000, 8_001])
def test_a_matrix_of_all_pairs_is_made_of_8000_topics_at_most(topics, monkeypatch):
    monkeypatch.setattr(space, "similarity_of_points", lambda points: np.zeros((1, 1)))  # it would be half a gigabyte
    names = tuple(map(str, range(topics)))
    vectors, codes = np.ones((topics, 1)), np.arange(topics)
    assert MOST_IN_MATRIX == 8_000
    if topics > MOST_IN_MATRIX:
        with pytest.raises(
            SettingError, match="8,001 topics; the similarities of all pairs are computed for at most 8,000"
        ):
            topic_space(vectors, codes, names)
    else:
        assert len(topic_space(vectors, codes, names)) == topics
    points = topic_points(vectors, codes, names)
    assert len(points) == len(points.incomparable) == topics  # a document each


@given(similarities, st.floats(-0.2, 1.0), st.integers(1, 50))
@settings(deadline=None)
def test_no_bin_lies_on_both_sides_of_the_line(similarity, threshold, bins):
    values = pair_similarities(similarity)
    edges, counts = pair_histogram(similarity, bins=bins, threshold=threshold)
    assert counts.sum() == len(values) and (np.diff(edges) > 0).all()
    assert edges[0] <= min(values.min(), 0.0) + 1e-12 and edges[-1] >= 1 - 1e-12
    if edges[0] < threshold < edges[-1]:
        assert np.abs(edges - threshold).min() < 1e-9
        past = counts[edges[:-1] >= threshold - 1e-9].sum()
        assert abs(past - (values >= threshold).sum()) <= (np.abs(values - threshold) < 1e-9).sum()
    width = (1 - min(values.min(), 0.0)) / bins
    assert np.median(np.diff(edges)) == pytest.approx(width)


def test_bins_of_a_line_by_hand():
    three = np.array([[1, 0.2, 0.6], [0.2, 1, 0.7], [0.6, 0.7, 1]])
    edges, counts = pair_histogram(
        three, bins=5, threshold=0.7
    )  # a fifth wide, from the line both ways and past both ends
    np.testing.assert_allclose(edges, [-0.1, 0.1, 0.3, 0.5, 0.7, 0.9, 1.1])
    assert counts.tolist() == [0, 1, 0, 1, 1, 0]
    edges, counts = pair_histogram(three, bins=5)
    np.testing.assert_allclose(edges, [0, 0.2, 0.4, 0.6, 0.8, 1])
    edges, _ = pair_histogram(three, bins=5, threshold=0.4)
    np.testing.assert_allclose(edges, [0, 0.2, 0.4, 0.6, 0.8, 1])


def test_no_pair_falls_off_an_end_by_rounding():
    rng = np.random.default_rng(0)
    for lowest, threshold in zip(rng.uniform(-1, 0, 300), rng.uniform(0, 1, 300), strict=True):
        similarity = np.array([[1, lowest, 1], [lowest, 1, lowest], [1, lowest, 1]])
        for edges, counts in (pair_histogram(similarity), pair_histogram(similarity, threshold=threshold)):
            assert counts.sum() == 3 and edges[0] <= lowest and edges[-1] >= 1


@given(st.integers(0, 1_000))
@settings(deadline=None)
def test_leakage_of_a_topic_is_mean_times_max_over_the_others(seed):
    space, _, _ = random_space(seed)
    leakage = topic_leakage(space.similarity)
    for topic in range(len(space)):
        others = np.delete(space.similarity[topic], topic)
        assert leakage.score[topic] == pytest.approx(others.mean() * others.max(), abs=1e-12)
        assert space.similarity[topic, leakage.nearest[topic]] == others.max()
        assert leakage.nearest[topic] != topic


def test_closest_pairs_come_in_falling_order_without_a_topic_and_itself():
    space, _, _ = random_space(4, topics=6)
    pairs = closest_pairs(space.similarity, most=100)
    values = [value for _, _, value in pairs]
    assert values == sorted(pair_similarities(space.similarity), reverse=True)
    assert all(first < second for first, second, _ in pairs)


@given(st.integers(1, 9), st.integers(1, 12), st.integers(0, 1_000))
@settings(deadline=None)
def test_closest_pairs_are_the_first_of_all_pairs_sorted_whatever_ties_and_is_unknown(topics, most, seed):
    rng = np.random.default_rng(seed)
    similarity = rng.integers(0, 4, size=(topics, topics)) / 4
    similarity = np.triu(similarity, 1) + np.triu(similarity, 1).T
    similarity[rng.random(topics) < 0.2] = np.nan
    similarity = np.where(np.isnan(similarity.T), np.nan, similarity)
    pairs = [(one, two, similarity[one, two]) for one in range(topics) for two in range(one + 1, topics)]
    known = sorted((pair for pair in pairs if not np.isnan(pair[2])), key=lambda pair: -pair[2])
    assert closest_pairs(similarity, most=most) == known[:most]
    assert pair_similarities(similarity).tolist() == [value for *_, value in pairs if not np.isnan(value)]


@given(st.integers(0, 1_000), st.floats(0.05, 1.0))
@settings(deadline=None)
def test_the_histogram_is_numpys_and_parts_pairs_at_the_line(seed, threshold):
    space, _, _ = random_space(seed)
    values = pair_similarities(space.similarity)
    edges, counts = pair_histogram(space.similarity, threshold=threshold)
    np.testing.assert_array_equal(counts, np.histogram(values, bins=edges)[0])
    at = int(np.argmin(np.abs(edges - threshold)))
    assert edges[at] == pytest.approx(threshold) and counts[at:].sum() == (values >= threshold).sum()


def test_cluster_order_keeps_families_together():
    families = np.repeat([0, 1, 2], 4)
    shuffle = np.random.default_rng(0).permutation(12)
    similarity = np.where(families[shuffle][:, None] == families[shuffle][None, :], 0.9, 0.1)
    np.fill_diagonal(similarity, 1.0)
    ordered = families[shuffle][cluster_order(similarity)]
    assert (np.diff(ordered) != 0).sum() == 2
    assert cluster_order(similarity[:2, :2]).tolist() == [0, 1]


def test_mean_and_max_of_a_topic_leave_itself_out():
    leakage = topic_leakage(np.array([[1, 0.2, 0.6], [0.2, 1, 0.4], [0.6, 0.4, 1]]))
    np.testing.assert_allclose(leakage.mean, [0.4, 0.3, 0.5])
    assert leakage.max.tolist() == [0.6, 0.4, 0.6]
    assert leakage.nearest.tolist() == [2, 2, 0]


def test_only_the_most_similar_pairs_are_named_and_equal_ones_in_order_of_name():
    similarity = np.array([[1, 0.5, 0.5], [0.5, 1, 0.9], [0.5, 0.9, 1]])
    assert closest_pairs(similarity, most=2) == [(1, 2, 0.9), (0, 1, 0.5)]


def test_the_histogram_counts_every_pair_from_zero_or_the_lowest_to_one():
    edges, counts = pair_histogram(np.array([[1, 0.2, 0.6], [0.2, 1, 0.4], [0.6, 0.4, 1]]), bins=5)
    np.testing.assert_allclose(edges, [0, 0.2, 0.4, 0.6, 0.8, 1])
    assert counts.sum() == 3
    edges, _ = pair_histogram(np.array([[1, -0.5], [-0.5, 1]]))
    assert len(edges) == 41 and (edges[0], edges[-1]) == (-0.5, 1)


def test_two_topics_have_each_other_and_an_incomparable_one_has_nobody():
    pair = topic_leakage(np.array([[1, 0.4], [0.4, 1]]))
    assert (pair.mean.tolist(), pair.max.tolist(), pair.nearest.tolist()) == ([0.4, 0.4], [0.4, 0.4], [1, 0])
    nan = np.nan
    beside = topic_leakage(np.array([[1, 0.4, nan], [0.4, 1, nan], [nan, nan, nan]]))
    np.testing.assert_array_equal(beside.mean, [0.4, 0.4, nan])
    np.testing.assert_array_equal(beside.max, [0.4, 0.4, nan])
    np.testing.assert_allclose(beside.score, [0.16, 0.16, nan])
    assert beside.nearest.tolist() == [1, 0, -1]


def test_similar_topics_are_neighbours_among_three():
    three = np.array([[1, 0.1, 0.9], [0.1, 1, 0.2], [0.9, 0.2, 1]])
    order = cluster_order(three).tolist()
    assert sorted(order) == [0, 1, 2] and abs(order.index(0) - order.index(2)) == 1


@pytest.mark.parametrize(("topics", "flipped"), [(399, True), (400, True), (401, False)])
def test_branches_are_flipped_up_to_400_topics(topics, flipped, monkeypatch):
    asked = []

    def spy(distances, method, *, optimal_ordering):
        asked.append(optimal_ordering)
        return linkage(distances, method)

    monkeypatch.setattr("scipy.cluster.hierarchy.linkage", spy)
    assert len(cluster_order(np.eye(topics))) == topics
    assert asked == [flipped]


def from_pairs(values: np.ndarray, topics: int) -> np.ndarray:
    """The matrix whose pairs, row by row, have these similarities."""
    similarity = np.eye(topics)
    similarity[np.triu_indices(topics, k=1)] = values
    return np.maximum(similarity, similarity.T)


def test_no_topics_have_no_pairs():
    assert pair_similarities(np.zeros((0, 0))).tolist() == []
    assert closest_pairs(np.zeros((0, 0)), most=3) == []


def test_the_closest_pairs_of_many_are_the_closest_in_whatever_order_they_stand():
    for seed in range(20):
        values = np.random.default_rng(seed).permutation(4950) / 4950
        found = closest_pairs(from_pairs(values, 100), most=500)
        assert [value for *_, value in found] == sorted(values, reverse=True)[:500]


# The last three: this many bins up to the line that rounding would put the lowest pair before the first.
@pytest.mark.parametrize(
    ("threshold", "bins"), [*((step / 40, 40) for step in range(1, 41)), (0.28, 25), (0.2, 35), (0.14, 50)]
)
def test_pairs_at_either_end_of_the_histogram_are_in_it_wherever_the_line_is(threshold, bins):
    edges, counts = pair_histogram(from_pairs(np.array([0.0, 0.5, 1.0]), 3), threshold=threshold, bins=bins)
    assert len(counts) == len(edges) - 1 and counts.sum() == 3
    assert counts[0] == counts[-1] == 1


def test_groups_hold_similar_topics_and_leave_out_what_cannot_be_compared():
    similarity = np.full((12, 12), 0.1)
    for start in range(0, 9, 3):  # three families of three, and three topics without similarities
        similarity[start : start + 3, start : start + 3] = 0.8
    np.fill_diagonal(similarity, 1.0)
    similarity[9:, :] = similarity[:, 9:] = np.nan
    codes, central = similar_groups(similarity, most=3)
    assert codes.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, -1, -1, -1]
    assert [codes[topic] for topic in central] == [0, 1, 2]
    assert similar_groups(similarity, most=20)[0].tolist() == [*range(9), -1, -1, -1]


def test_groups_come_by_size_each_with_its_most_central_topic():
    similarity = np.full((6, 6), 0.1)
    similarity[:2, :2] = 0.8
    similarity[2:5, 2:5] = [[1.0, 0.6, 0.7], [0.6, 1.0, 0.9], [0.7, 0.9, 1.0]]
    similarity[5] = similarity[:, 5] = np.nan
    np.fill_diagonal(similarity[:5, :5], 1.0)
    codes, central = similar_groups(similarity, most=2)
    assert codes.tolist() == [1, 1, 0, 0, 0, -1]
    assert central.tolist() == [4, 0], "distances of .4, .3 and .1 to the others: the fifth is nearest to both"


def test_one_topic_alone_is_in_no_group_and_two_are():
    alone, two = np.full((3, 3), np.nan), np.full((3, 3), np.nan)
    alone[1, 1] = 1.0
    two[:2, :2] = [[1.0, 0.3], [0.3, 1.0]]
    assert similar_groups(alone, most=2)[0].tolist() == [-1, -1, -1]
    assert similar_groups(two, most=2)[0].tolist() == [0, 1, -1]


def test_noisy_topics_are_in_no_maximum_and_have_one_of_their_own():
    similarity = np.array([[1.0, 0.2, 0.9], [0.2, 1.0, 0.4], [0.9, 0.4, 1.0]])
    found = topic_leakage(similarity, nobodys_nearest=np.array([False, False, True]))
    assert found.max.tolist() == [0.2, 0.2, 0.9] and found.nearest.tolist() == [1, 0, 0]


def test_a_noisy_topic_is_nearest_only_where_there_is_no_other():
    similarity = np.array([[1.0, 0.4, 0.9], [0.4, 1.0, 0.8], [0.9, 0.8, 1.0]])
    counted, coherence = np.array([10, 10, 2]), np.array([0.9, 0.9, 0.05])
    space = TopicSpace(("a", "b", "c"), counted, np.eye(3), similarity, counted, coherence)
    assert space.nobodys_nearest.tolist() == [False, False, True]
    rows = np.array([[np.nan, 0.4, 0.9], [np.nan, np.nan, 0.8], [np.nan, np.nan, np.nan]])
    assert nearest_similarity(space, rows).tolist()[:2] == [0.4, 0.8]
    assert np.isnan(nearest_similarity(space, rows)[2])
    plain = replace(space, kind="plain")
    assert nearest_similarity(plain, rows).tolist()[:2] == [0.9, 0.8]
