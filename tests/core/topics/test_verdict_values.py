"""The verdict by hand: mixing against brute force, limits exactly reached, two views pair by pair, elbows, and merged topics."""

import math
from dataclasses import replace

import numpy as np
import pytest

from core.corpora import make_corpus
from core.topics import (
    EveryM,
    TopicSpace,
    TopicView,
    compare_views,
    hits_path,
    judge,
    make_sample,
    may_be_one_topic,
    may_be_twins,
    merged_topics,
    most_similar_pairs,
    neighbour_mixing,
    no_bootstrap,
    pair_similarities,
    sample_at_every_m,
    suggest_m,
    topic_space,
    twin_threshold,
)
from core.topics.bootstrap import Bootstrap
from core.topics.verdict import _elbow
from tests.core.topics.similarities import WORKED, families, in_the_plane, space_of


def mixing_of_all(vectors: np.ndarray, codes: np.ndarray, *, every: int = 1) -> float:
    """The share of a document's neighbours in other topics over that of chance, document by document."""
    known = [row for row in range(len(vectors)) if np.linalg.norm(vectors[row]) > 0]
    units = np.array([vectors[row] / (np.linalg.norm(vectors[row]) or 1) for row in range(len(vectors))])
    size = {topic: sum(codes[row] == topic for row in known) for topic in set(codes)}
    found, chance = [], []
    for own in [row for row in known if size[codes[row]] > 1][::every]:
        cosine = units @ units[own]
        others = sorted((row for row in known if row != own), key=lambda row: -cosine[row])
        nearest = others[: min(10, size[codes[own]] - 1)]
        found.append(np.mean([codes[row] != codes[own] for row in nearest]))
        chance.append((len(known) - size[codes[own]]) / (len(known) - 1))
    return float(np.mean(found) / np.mean(chance))


@pytest.mark.parametrize("seed", range(4))
def test_mixing_is_counted_document_by_document(seed):
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(6), [1, 2, 4, 9, 14, 20])
    vectors = rng.normal(size=(50, 3)) * rng.uniform(0.05, 3, size=(50, 1)) + 0.3 * np.eye(6)[codes][:, :3]
    vectors[::9] = 0  # documents without a known word are nobody's neighbours and ask for none
    vectors[[1, 12, 23]] = np.eye(3)  # of length 1 exactly, and none twice: equal neighbours would be in no order
    assert neighbour_mixing(vectors, codes) == pytest.approx(mixing_of_all(vectors, codes), abs=1e-12)


def test_mixing_of_five_documents_by_hand():
    # a at 0, 10 and 90 degrees, b at 20 and 100. The two of b ask for one neighbour each: 20's is a, 100's is a. Those of a
    # ask for two: 0 has 10 and 20, 10 has 0 and 20, 90 has 100 and 20. So 1/2, 1/2, 2/2, 1, 1; by chance 2/4 and 3/4.
    mixing = neighbour_mixing(in_the_plane(0, 11, 91, 20, 100), np.array([0, 0, 0, 1, 1]))
    assert mixing == pytest.approx(np.mean([0.5, 0.5, 1, 1, 1]) / np.mean([0.5, 0.5, 0.5, 0.75, 0.75]))


def test_of_two_thousand_documents_every_other_is_asked():
    rng = np.random.default_rng(5)
    for count, every in ((1_998, 1), (2_000, 2)):
        codes = rng.integers(0, 300, count)
        vectors = rng.normal(size=(count, 4))
        units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        size = np.bincount(codes, minlength=300)
        asked = np.flatnonzero(size[codes] > 1)
        if len(asked) != count:
            codes[size[codes] == 1] = int(size.argmax())  # nobody is alone, so that all may be asked
            size, asked = np.bincount(codes, minlength=300), np.arange(count)
        cosine = units @ units.T
        np.fill_diagonal(cosine, -2)
        nearest = np.argsort(-cosine, axis=1)[:, :10]
        shares = []
        for row in asked[::every]:
            here = nearest[row, : min(10, size[codes[row]] - 1)]
            shares.append((codes[here] != codes[row]).mean())
        chance = ((count - size[codes]) / (count - 1))[asked[::every]]
        assert neighbour_mixing(vectors, codes) == pytest.approx(np.mean(shares) / chance.mean(), abs=1e-6)


class Watched:
    """Vectors that note how many rows are taken."""

    def __init__(self, vectors: np.ndarray) -> None:
        self.vectors, self.taken = vectors, []

    def __len__(self) -> int:
        return len(self.vectors)

    def __getitem__(self, rows: np.ndarray) -> np.ndarray:
        self.taken.append(len(rows))
        return self.vectors[rows]


def test_neighbours_are_looked_for_among_20000_documents_drawn_with_seed_0(monkeypatch):
    many = Watched(np.ones((20_005, 1)))
    neighbour_mixing(many, np.arange(20_005) % 2)
    assert many.taken == [20_000]
    rng = np.random.default_rng(0)
    vectors, codes = rng.normal(size=(80, 3)), rng.integers(0, 4, 80)
    monkeypatch.setattr("core.topics.verdict.MOST_SEARCHED", 30)
    found = [neighbour_mixing(vectors, codes, seed=seed) for seed in (0, 1)]
    assert neighbour_mixing(vectors, codes) == found[0] != found[1]


@pytest.mark.parametrize(("mixing", "level"), [(0.39, "clear"), (0.4, "some"), (0.7, "some"), (float("nan"), "clear")])
def test_topics_overlap_from_a_mixing_of_two_fifths(mixing, level):
    apart = families([1] * 6)
    found = judge(space_of(apart), hits_path(apart), k=3, mixing=mixing)
    assert (found.level, found.overlap) == (level, level == "some")


@pytest.mark.parametrize(
    ("topics", "value", "share"), [(8, 0.7, 0.25), (8, 0.6999, 0), (9, 0.7, 2 / 9), (7, 0.8, 2 / 7)]
)
def test_topics_overlap_where_a_quarter_of_them_is_close_to_another(topics, value, share):
    similarity = families([2] + [1] * (topics - 2), inside=value)
    space, path = space_of(similarity), hits_path(similarity)
    found = judge(space, path, k=3, threshold=0.95)
    assert found.close_topics == pytest.approx(share)
    assert (found.twin_pairs, found.overlap, found.level) == (0, share >= 0.25, "some" if share >= 0.25 else "clear")
    assert not judge(replace(space, kind="plain"), path, k=3, threshold=0.95).overlap


def test_where_no_topic_can_be_compared_none_is_close():
    unknown = np.full((3, 3), np.nan)
    assert judge(space_of(unknown), hits_path(unknown), k=2).close_topics == 0


def noisy_space(similarity: np.ndarray, *noisy: int) -> TopicSpace:
    """Topics of two documents; the cosine of the two is .2 in those that are noisy (a share of signal of 1/3), else .9."""
    count = len(similarity)
    coherence = np.full(count, 0.9)
    coherence[list(noisy)] = 0.2
    names = tuple(f"t{topic}" for topic in range(count))
    twos = np.full(count, 2)
    return TopicSpace(names, twos, np.zeros((count, 1)), np.array(similarity), twos, coherence)


def intervals(low: np.ndarray, high: np.ndarray) -> Bootstrap:
    count = len(low)
    return Bootstrap(low, high, np.empty((0, count), dtype=np.int64), np.empty((0, count)), np.empty(0))


def test_pairs_with_one_noisy_topic_come_after_all_others():
    low = np.array([[1, 0.5, 0.9], [0.5, 1, 0.3], [0.9, 0.3, 1.0]])
    space = noisy_space(np.full((3, 3), 0.95), 2)
    found = most_similar_pairs(space, intervals(low, low), most=3)
    assert [pair[:2] for pair in found] == [(0, 1), (0, 2), (1, 2)]


def test_pairs_may_be_twins_exactly_at_the_line_and_not_where_nothing_is_known():
    similarity = np.array([[1, 0.5, 0.3], [0.5, 1, np.nan], [0.3, np.nan, 1]])
    high = np.array([[1, 0.4, 0.5], [0.4, 1, 0.9], [0.5, 0.9, 1]])
    space = noisy_space(similarity)
    apart = may_be_twins(space, 0.5, None)
    assert apart.tolist() == [[False, True, False], [True, False, False], [False, False, False]]
    reaching = may_be_twins(space, 0.5, intervals(high, high))
    assert reaching.tolist() == [[False, True, True], [True, False, False], [True, False, False]]


def test_a_pair_whose_interval_ends_at_the_highest_line_may_be_one_topic():
    high = np.array([[1, 0.95, 0.94], [0.95, 1, 0.2], [0.94, 0.2, 1]])
    found = may_be_one_topic(noisy_space(np.full((3, 3), 0.2)), intervals(high, high))
    assert found.tolist() == [[False, True, False], [True, False, False], [False, False, False]]


def viewed(
    similarity: np.ndarray, low: np.ndarray | None = None, high: np.ndarray | None = None, names=None
) -> TopicView:
    space = space_of(similarity)
    if names is not None:
        space = replace(space, names=tuple(names))
    return TopicView(space, hits_path(space.similarity), bootstrap=None if low is None else intervals(low, high))


def pairwise(count: int, other: float, **pairs: float) -> np.ndarray:
    """A matrix of one value, but for pairs of topics named by their two digits."""
    matrix = np.full((count, count), other)
    np.fill_diagonal(matrix, 1.0)
    for name, value in pairs.items():
        one, two = int(name[1]), int(name[2])
        matrix[one, two] = matrix[two, one] = value
    return matrix


def test_who_sees_a_pair_and_whether_that_is_clear():
    """Thresholds at .6 in both views. A pair counts where both views are clear, that it is one or one of them that it is not."""
    first = viewed(
        pairwise(6, 0.2, p01=0.9, p02=0.9, p03=0.85, p04=0.2, p05=0.25, p12=0.8, p13=0.6),
        low=pairwise(6, 0.1, p01=0.7, p02=0.7, p03=0.7, p12=0.5, p13=0.6),
        high=pairwise(6, 0.3, p01=1.0, p02=1.0, p03=1.0, p04=0.3, p05=0.6, p12=0.9, p13=0.9),
    )
    second = viewed(
        pairwise(6, 0.2, p01=0.95, p02=0.2, p03=0.3, p04=0.7, p05=0.75, p12=0.1, p13=0.61),
        low=pairwise(6, 0.1, p01=0.65, p04=0.65, p05=0.65, p13=0.4),
        high=pairwise(6, 0.3, p01=1.0, p02=0.59, p03=0.6, p04=0.8, p05=0.8, p12=0.2, p13=0.9),
    )
    found = compare_views(first, second, k=3)
    assert [verdict.threshold for verdict in found.verdicts] == [0.6, 0.6]
    pairs = {(int(pair.topics[0][1:]), int(pair.topics[1][1:])): pair for pair in found.pairs.twins}
    # The closest first, in whichever view they are.
    assert list(pairs) == [(0, 1), (0, 2), (0, 3), (1, 2), (0, 5), (0, 4), (1, 3)]
    assert {pair: each.seen for pair, each in pairs.items()} == {
        (0, 1): (True, True), (0, 2): (True, False), (0, 3): (True, False), (1, 2): (True, False), (0, 5): (False, True),
        (0, 4): (False, True), (1, 3): (True, True),
    }  # fmt: skip
    assert {pair: each.clear for pair, each in pairs.items()} == {
        (0, 1): True,  # clear in both views
        (0, 2): True,  # the second's interval ends below its threshold
        (0, 3): False,  # it ends at its threshold
        (1, 2): False,  # not clear in the first
        (0, 5): False,  # the first's interval ends at its threshold
        (0, 4): True,  # clear in the second, clearly not in the first
        (1, 3): False,  # clear in one view, and the other sees it too
    }
    counted = found.pairs
    assert (counted.both, counted.first, counted.second, counted.clear) == (2, 3, 2, 2)
    assert pairs[0, 4].similarity == (0.2, 0.7)
    assert counted.others.shape == (15 - 7, 2) and (counted.others == 0.2).all()


def test_at_most_2000_twins_are_listed_and_all_counted():
    similar = families([1] * 64, outside=0.97)  # past the highest line: every one of the 2,016 pairs
    found = compare_views(viewed(similar), viewed(similar), k=2).pairs
    assert (found.both, len(found.twins), len(found.others)) == (2_016, 2_000, 0)


@pytest.mark.parametrize(("twins", "listed"), [(40, 1_500), (39, 751)])
def test_all_others_are_given_up_to_1500_and_then_every_second(twins, listed):
    similarity = families([1] * 56)  # 1,540 pairs
    one, two = (side[:twins] for side in np.triu_indices(56, k=1))
    similarity[one, two] = similarity[two, one] = 0.9
    assert len(compare_views(viewed(similarity), viewed(similarity), k=2).pairs.others) == listed


def test_samples_have_one_topic_at_least_and_chance_counts_what_can_be_compared():
    similar = families([1] * 4, outside=0.97)
    found = compare_views(viewed(similar), viewed(similar), k=2)
    assert (found.m, found.by_chance) == (1, pytest.approx(4 / (4 * 4)))
    unknown = np.full((4, 4), np.nan)
    nothing = compare_views(viewed(unknown), viewed(unknown), k=2)
    assert (nothing.m, len(nothing.samples[0]), nothing.by_chance) == (1, 1, 0)
    single = unknown.copy()
    single[1, 1] = 1.0
    alone = compare_views(viewed(single), viewed(single), k=2)
    assert (alone.topics, alone.m, alone.by_chance) == (("t01",), 1, 1.0)
    part = families([1] * 4)
    part[3] = part[:, 3] = np.nan
    wide = families([1] * 6)
    uneven = compare_views(viewed(part), viewed(wide), k=2)  # three topics against six, three in common
    assert (uneven.m, uneven.by_chance) == (3, pytest.approx(3 * 3 / 3 * 3 / 6))


def test_twins_of_topics_that_only_one_view_has_are_counted_apart():
    first = viewed(families([1] * 6), names="abcdef")
    second = viewed(pairwise(7, 0.2, p01=0.9, p02=0.9, p56=0.9), names="abcdexy")
    found = compare_views(first, second, k=2)
    assert (found.pairs.second, found.elsewhere) == (2, (0, 1))


def test_a_suggestion_has_the_closest_pair_it_keeps_and_the_interval_of_its_draws():
    corpus = make_corpus([f"text {topic}" for topic in range(5)], [f"t{topic:02}" for topic in range(5)])
    space, path = space_of(WORKED), hits_path(WORKED)
    assert path.max[1:].tolist() == [0.1, 0.4, 0.9, 0.9]
    drawn = Bootstrap(
        None,
        None,
        np.tile(np.arange(5), (2, 1)),
        np.array([[np.nan, 0.1, 0.2, 0.3, 0.9]] * 2),
        np.full(2, 0.2),  # lines at .6: four topics without near twins
    )
    found = suggest_m(path, space, corpus, 3, drawn)
    assert found.threshold == twin_threshold(WORKED) == pytest.approx((1 + 0.325) / 2)
    assert (found.m, found.free, found.why, found.interval) == (3, 3, "before twins", (3, 4)), "it holds m"
    assert (found.closest, found.beyond) == (0.4, 0.9)
    assert suggest_m(path, space, corpus, 3, no_bootstrap(5)).interval is None


@pytest.mark.parametrize(
    ("maximum", "k", "elbow"),
    [
        ([0.0, 0.15, 0.5, 0.75, 1.0], 1, 2),  # .25 − .15: exactly a tenth below the chord
        ([0.0, 0.16, 0.5, 0.75, 1.0], 1, None),
        ([0.0, 0.25, 0.5, 0.75, 1.0], 1, None),
        ([0.5, 0.5, 0.75], 1, 2),
        ([0.9, 0.9, 0.2, 0.25, 0.3, 0.7], 3, 5),  # of .2, .25, .3, .7 the third: 2/3 − .1/.5
        ([0.9, 0.2, 0.25, 0.3, 0.7], 2, 4),
        ([0.1, 0.5], 1, None),
        ([0.5, 0.5, 0.5], 1, None),
    ],
)
def test_an_elbow_lies_a_tenth_or_more_below_the_chord(maximum, k, elbow):
    assert _elbow(np.array(maximum), k) == elbow


@pytest.fixture
def merging():
    """Five topics of two documents each, three of them near each other."""
    vectors = np.repeat(in_the_plane(0, 15, 80, 95, 170), 2, axis=0) + np.tile([[0.02, 0.01], [-0.02, 0.01]], (5, 1))
    corpus = make_corpus([f"text {row}" for row in range(10)], [f"t{topic}" for topic in np.repeat(np.arange(5), 2)])
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    path = hits_path(space.similarity)
    return corpus, vectors, space, path, judge(space, path, k=2)


def closest_once_merged(merging, m: int) -> float:
    """The highest similarity once documents of the topics left out carry the name of the nearest one kept."""
    corpus, vectors, space, path, _ = merging
    kept = sorted(path.order[:m].tolist())
    goes = [topic if topic in kept else max(kept, key=lambda to: space.similarity[topic, to]) for topic in range(5)]
    codes = np.array([kept.index(goes[topic]) for topic in corpus.topic_codes])
    again = topic_space(vectors, codes, tuple(f"t{topic}" for topic in kept))
    return float(pair_similarities(again.similarity).max())


@pytest.mark.parametrize(
    ("highest", "keep", "m", "documents"),
    [
        ([0.1, 0.2, 0.9, 0.9], 3, 3, 17),
        ([0.1, 0.9, 0.9, 0.9], 3, 2, 11),
        ([0.9, 0.9, 0.9, 0.9], 3, 1, 17),  # none is free of near twins: as many as before anything is merged
        ([0.9, 0.9, 0.9, 0.9], 1, 1, 11),  # and two at least
        ([np.nan] * 4, 4, None, 23),  # too many to try
    ],
)
def test_merged_topics_hold_what_stands_at_their_m(merging, highest, keep, m, documents):
    _, _, space, path, verdict = merging
    samples = EveryM(
        (5, 30, None),
        np.array([5, 11, 17, 23, 29]),
        None,
        np.full(5, np.nan),
        np.array([np.nan, *highest]),
        np.arange(1, 6),
        np.array([[1, 2, 0]]),
    )
    verdict = replace(verdict, keep=keep, threshold=0.5)
    found = merged_topics(samples, verdict, space, path, policy="grouping", threshold=0.0)
    assert (found.policy, found.m, found.documents) == ("grouping", m, documents)
    assert found.closest == pytest.approx(closest_once_merged(merging, max(keep, 2)), abs=1e-9)


def test_what_merges_nothing_has_no_merged_topics(merging):
    corpus, _, space, path, verdict = merging
    cut = sample_at_every_m(corpus, space, path)
    assert merged_topics(cut, verdict, space, path, policy="cutting", threshold=0.0) is None
    grouped = sample_at_every_m(corpus, space, path, policy="grouping")
    found = merged_topics(grouped, verdict, space, path, policy="grouping", threshold=0.0)
    assert found is not None and not math.isnan(found.closest)
    whole = make_sample(space.similarity, path.order[:3], policy="grouping")
    assert (whole.assigned >= 0).all()
