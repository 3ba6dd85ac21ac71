"""Bootstrap of documents and shuffled labels: what they must show of corpora whose truth is known."""

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from sklearn.preprocessing import normalize

from core.corpora import make_corpus
from core.corpora.readers import read_corpus
from core.demo import bundled_corpus, bundled_vectors
from core.topics import (
    bootstrap,
    bootstrap_topics,
    check_labels,
    clear_twins,
    hits_path,
    judge,
    keep_interval,
    may_be_twins,
    most_similar_pairs,
    pair_similarities,
    topic_space,
    twin_threshold,
)
from core.topics.bootstrap import known_quantiles, no_bootstrap
from core.vectors import embed, make_encoder
from tests.core.topics.similarities import in_the_plane


def documents(sizes: list[int], *, apart: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Topics at right angles to each other, `apart` times as far as documents scatter; all share one direction."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    centres = np.eye(len(sizes) + 1)[1:] * apart + np.eye(len(sizes) + 1)[0]
    return rng.normal(scale=0.4, size=(len(codes), len(sizes) + 1)) + centres[codes], codes


@pytest.mark.parametrize("kind", ["corrected", "plain"])
@pytest.mark.parametrize("size", [3, 10, 60])
def test_shuffled_labels_mean_nothing_and_real_ones_do(kind, size):
    vectors, codes = documents([size] * 8, apart=1.0)
    assert check_labels(vectors, codes, 8, kind=kind).meaningful
    found = [
        check_labels(vectors, np.random.default_rng(seed).permutation(codes), 8, kind=kind, seed=seed).meaningful
        for seed in range(20)
    ]
    assert sum(found) <= 2  # one in a hundred is expected


def test_labels_at_random_seem_to_mean_something_once_in_a_hundred_times():
    vectors, codes = documents([8] * 6, apart=1.0)
    found = [
        check_labels(vectors, np.random.default_rng(seed).permutation(codes), 6, kind="corrected", seed=seed).meaningful
        for seed in range(100)
    ]
    assert np.mean(found) <= 0.03


def test_one_population_cut_in_ten_is_meaningless_and_its_corrected_similarity_one():
    vectors, _ = documents([400], apart=1.0)
    codes = np.random.default_rng(1).integers(0, 10, 400)
    labels = check_labels(vectors, codes, 10, kind="corrected")
    assert not labels.meaningful and labels.median > 0.97 and len(labels.shuffled) == 99
    space = topic_space(vectors, codes, tuple("abcdefghij"))
    verdict = judge(space, hits_path(space.similarity), k=5, labels=labels)
    assert verdict.level == "meaningless" and verdict.threshold == 0.95


@pytest.mark.parametrize("kind", ["corrected", "plain"])
def test_one_topic_cut_in_ten_beside_another_is_separated_in_part(kind):
    vectors, codes = documents([400, 60], apart=2.0)
    cut = np.where(codes == 0, np.random.default_rng(1).integers(0, 10, len(codes)), 10)
    labels = check_labels(vectors, cut, 11, kind=kind)
    assert labels.partly and labels.meaningful and labels.median >= labels.shuffled.min()
    whole = check_labels(vectors, codes, 2, kind=kind)
    assert whole.meaningful and not whole.partly
    nothing = check_labels(vectors[codes == 0], cut[codes == 0], 10, kind=kind)
    assert not nothing.meaningful and not nothing.partly


@pytest.mark.parametrize("kind", ["corrected", "plain"])
def test_topics_of_one_document_cannot_be_held_against_shuffled_ones(kind):
    vectors, _ = documents([12], apart=1.0)
    labels = check_labels(vectors, np.arange(12), 12, kind=kind)
    assert labels.meaningful and not labels.checked
    with_two = check_labels(vectors, np.append(np.arange(11), 0), 11, kind=kind)
    assert with_two.checked


def test_two_topics_of_two_documents_cannot_be_told_from_a_shuffle():
    vectors, codes = documents([2, 2], apart=3.0)
    assert not check_labels(vectors, codes, 2, kind="corrected").meaningful


def test_intervals_hold_the_true_similarity_about_as_often_as_they_say():
    truth = None
    held, trials = 0, 0
    vectors, codes = documents([4_000] * 3, apart=0.8, seed=9)
    truth = topic_space(vectors, codes, ("a", "b", "c")).similarity
    for seed in range(40):
        vectors, codes = documents([25] * 3, apart=0.8, seed=seed)
        found = bootstrap_topics(vectors, codes, 3, kind="corrected", samples=100, seed=seed)
        for one, two in ((0, 1), (0, 2), (1, 2)):
            held += found.low[one, two] <= truth[one, two] <= found.high[one, two]
            trials += 1
    assert 0.86 <= held / trials <= 1.0


def test_draws_are_seeded_and_follow_neither_the_file_nor_lengths():
    vectors, codes = documents([5, 8, 12, 4], apart=1.0)
    one = bootstrap_topics(vectors, codes, 4, kind="corrected", samples=30, seed=3)
    again = bootstrap_topics(vectors, codes, 4, kind="corrected", samples=30, seed=3)
    other = bootstrap_topics(vectors, codes, 4, kind="corrected", samples=30, seed=4)
    np.testing.assert_array_equal(one.low, again.low)
    assert (one.steps == again.steps).all() and not np.array_equal(one.low, other.low)
    assert (one.low <= one.high).all()
    assert one.steps.shape == (30, 4) and sorted(one.steps[0]) == [0, 1, 2, 3]


def test_selected_shares_grow_with_m_and_end_with_everything():
    vectors, codes = documents([10] * 5, apart=0.7)
    found = bootstrap_topics(vectors, codes, 5, kind="corrected", samples=50)
    shares = np.array([found.selected_share(m) for m in range(6)])
    assert (shares[0] == 0).all() and (shares[5] == 1).all()
    assert (np.diff(shares, axis=0) >= 0).all()
    np.testing.assert_allclose(shares.sum(axis=1), np.arange(6))  # m topics in every draw
    low, high = keep_interval(found)
    assert 1 <= low <= high <= 5
    assert keep_interval(found, keep=low - 1) == (low - 1, high) and keep_interval(found, keep=9) == (low, 9)


def test_a_topic_of_two_documents_is_lost_whenever_one_is_drawn_twice():
    vectors, codes = documents([2, 30, 30], apart=1.0)
    found = bootstrap_topics(vectors, codes, 3, kind="corrected", samples=400)
    assert found.selected_share(3)[0] == pytest.approx(0.5, abs=0.08)
    assert (found.selected_share(3)[1:] == 1).all()


@pytest.mark.parametrize("size", [2, 3, 4])
def test_two_or_three_documents_have_no_interval_and_no_clear_twins(size):
    vectors, codes = documents([30, 30, 30], apart=1.0)
    few = vectors[codes == 1][: 2 * size]  # one topic in two, each with documents that are nearly the same
    few = few[0] + 0.01 * (few - few[0])
    vectors, codes = np.vstack([vectors, few]), np.append(codes, np.repeat([3, 4], size))
    found = bootstrap_topics(vectors, codes, 5, kind="corrected")
    space = topic_space(vectors, codes, tuple("abcde"))
    assert not space.noisy.any() and space.similarity[3, 4] > 0.99
    assert (found.low[0, 1] > -1 and found.high[0, 1] < 1) and (np.diag(found.low) == pytest.approx(1))
    assert np.isnan([found.low[3, 4], found.high[0, 3]]).all() == (size < 4)
    assert may_be_twins(space, 0.9, found)[0, 3] == (size < 4), "what is not known may be"
    assert (most_similar_pairs(space, found, most=1)[0][:2] != (3, 4)) == (size < 4), "known intervals first"
    assert clear_twins(space, 0.9, found)[3, 4] == (size == 4)
    assert np.isfinite(bootstrap_topics(vectors, codes, 5, kind="plain").low).all()


def test_quantiles_of_what_is_known_are_numpys():
    draws = np.random.default_rng(0).normal(size=(40, 5, 5)).astype(np.float32)
    draws[np.random.default_rng(1).random(draws.shape) < 0.4] = np.nan
    draws[1:, 0, 0] = np.nan
    for found, share in zip(known_quantiles(draws, (0.025, 0.5, 0.975)), (0.025, 0.5, 0.975), strict=True):
        np.testing.assert_allclose(found, np.nanquantile(draws, share, axis=0), rtol=1e-5)
    draws[:, 2, 3] = np.nan
    (found,) = known_quantiles(draws, (0.5,))
    assert np.isnan(found[2, 3]) and np.isnan(found).sum() == 1


def test_topics_that_have_too_few_documents_are_never_kept_without_twins():
    vectors, codes = documents([1, 1, 30, 30], apart=5.0)
    found = bootstrap_topics(vectors, codes, 4, kind="corrected", samples=40)
    assert (found.comparable == 2).all() and keep_interval(found) == (2, 2)
    assert np.isnan(found.low[0]).all() and np.isfinite(found.low[2:, 2:]).all()


def test_documents_without_a_vector_are_never_drawn():
    vectors, codes = documents([6, 6, 6], apart=1.0)
    padded = np.vstack([vectors, np.zeros((9, vectors.shape[1]))])
    with_blanks = np.concatenate([codes, np.repeat([0, 1, 2], 3)])
    plain = bootstrap_topics(vectors, codes, 3, kind="corrected", samples=20)
    blank = bootstrap_topics(padded, with_blanks, 3, kind="corrected", samples=20)
    np.testing.assert_array_equal(plain.low, blank.low)
    assert check_labels(padded, with_blanks, 3, kind="corrected").median == pytest.approx(
        check_labels(vectors, codes, 3, kind="corrected").median
    )


def test_of_many_small_topics_chance_puts_pairs_above_the_threshold_and_none_clear():
    vectors, codes = documents([3] * 301, apart=1.0)
    space = topic_space(vectors, codes, tuple(f"{topic:03d}" for topic in range(301)))
    found = bootstrap_topics(vectors, codes, 301, kind="corrected")
    threshold = twin_threshold(space.similarity)
    past = int((space.similarity >= threshold).sum() - space.comparable.sum()) // 2
    assert past > 100 and clear_twins(space, threshold, found).sum() // 2 <= past // 50


@pytest.mark.parametrize("kind", ["corrected", "plain"])
def test_of_many_topics_some_are_compared_and_lots_still_mean_nothing(kind, monkeypatch):
    monkeypatch.setattr(bootstrap, "MOST_COMPARED", 6)
    vectors, codes = documents([1, 1, 1, *[8] * 9], apart=1.0)
    real = check_labels(vectors, codes, 12, kind=kind)
    assert real.meaningful and real.compared == 6
    at_random = [
        check_labels(vectors, np.random.default_rng(seed).permutation(codes), 12, kind=kind, seed=seed).meaningful
        for seed in range(100)
    ]
    assert np.mean(at_random) <= 0.03  # one in a hundred is expected
    monkeypatch.setattr(bootstrap, "MOST_COMPARED", 9)
    space = topic_space(vectors[3:], codes[3:] - 3, tuple("abcdefghi"), similarity=kind)
    nine = check_labels(vectors, codes, 12, kind=kind)  # topics of one document are left out first
    assert nine.median == pytest.approx(np.median(pair_similarities(space.similarity)), abs=1e-6)


def test_the_bundled_corpus_leaks_and_one_topic_of_each_family_does_not(planted_families):
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert")).matrix
    assert level_of(vectors, corpus.topic_codes, corpus.topic_names) == "leaks"
    first = [sorted(topics)[0] for topics in planted_families.values()]
    rows = np.flatnonzero(np.isin(corpus.topics, first))
    codes = np.searchsorted(sorted(first), np.array(corpus.topics)[rows])
    assert level_of(vectors[rows], codes, tuple(sorted(first))) == "clear"


@pytest.fixture
def planted_families() -> dict[str, list[str]]:
    from data.engine.material import FAMILIES

    return {family: list(topics) for family, topics in FAMILIES.items()}


def level_of(vectors: np.ndarray, codes: np.ndarray, names: tuple[str, ...]) -> str:
    space = topic_space(vectors, codes, names)
    labels = check_labels(vectors, codes, len(names), kind="corrected")
    return judge(space, hits_path(space.similarity), k=6, labels=labels).level


@pytest.mark.slow
@pytest.mark.parametrize("encoder", ["lsa", "sbert"])
def test_real_newsgroups_and_nonsense_made_of_them(real_data, encoder):
    whole = read_corpus(real_data / "20newsgroups.parquet")
    long_enough = np.array([len(text) > 200 for text in whole.texts])
    rng = np.random.default_rng(0)
    per_topic = 40 if encoder == "sbert" else 120
    rows = np.concatenate(
        [
            rng.choice(np.flatnonzero((whole.topic_codes == topic) & long_enough), per_topic, replace=False)
            for topic in range(20)
        ]
    )
    # The first words of a text are enough, and the network's time goes with their number.
    texts, topics = ([values[row] for row in np.sort(rows)] for values in (whole.texts, whole.topics))
    corpus = make_corpus([text[:600] for text in texts], topics)
    vectors = embed(corpus, make_encoder(encoder)).matrix
    codes, names = corpus.topic_codes, corpus.topic_names
    assert level_of(vectors, codes, names) in ("some", "leaks")
    # By chance one shuffle in a hundred lies below ninety-nine others; two of three practically never.
    shuffled = [level_of(vectors, np.random.default_rng(seed).permutation(codes), names) for seed in range(3)]
    assert shuffled.count("meaningless") >= 2
    hockey = names.index("rec.sport.hockey")
    inside = np.flatnonzero(codes == hockey)
    cuts = [np.random.default_rng(seed).permutation(np.arange(len(inside)) % 10) for seed in range(3)]
    cut = [level_of(vectors[inside], in_ten, tuple("abcdefghij")) for in_ten in cuts]
    assert cut.count("meaningless") >= 2
    in_three = codes.copy()
    in_three[inside] = np.array([hockey, 20, 21])[np.arange(len(inside)) % 3]
    space = topic_space(vectors, in_three, (*names, "second part", "third part"))
    labels = check_labels(vectors, in_three, 22, kind="corrected")
    verdict = judge(space, hits_path(space.similarity), k=6, labels=labels)
    parts = space.similarity[np.ix_([hockey, 20, 21], [hockey, 20, 21])]
    assert verdict.level != "meaningless" and (parts >= verdict.threshold).all()


@pytest.fixture
def seen(monkeypatch) -> list[np.ndarray]:
    """The similarities of every draw, of which only quantiles are kept."""
    draws: list[np.ndarray] = []
    quantiles = bootstrap.known_quantiles

    def spy(found: np.ndarray, shares: Any) -> Any:
        draws.append(found)
        return quantiles(found, shares)

    monkeypatch.setattr(bootstrap, "known_quantiles", spy)
    return draws


def coherence(units: np.ndarray, rows: tuple[int, ...]) -> float:
    """The mean cosine of two different documents among those drawn, some of them more than once; NaN for none."""
    cosines = [units[one] @ units[two] for one, two in combinations(rows, 2) if one != two]
    return float(np.mean(cosines)) if cosines else np.nan


def test_every_draw_is_one_of_those_there_are_and_equal_documents_make_no_pair(seen):
    vectors = np.array(
        [[1.0, 0.2, 0.0], [1.0, 0.9, 0.1], [0.7, 0.0, 0.6], [0.1, 1.0, 0.4], [0.3, 0.8, 1.0], [0.6, 1.0, 0.1]]
    )
    units = normalize(vectors)
    possible = []
    for one, two in product(product(range(3), repeat=3), product(range(3, 6), repeat=3)):
        between = np.mean([units[i] @ units[j] for i in one for j in two])
        possible.append(np.clip(between / np.sqrt(coherence(units, one) * coherence(units, two)), -1, 1))
    known = np.unique([value for value in possible if not np.isnan(value)])
    bootstrap_topics(vectors, np.repeat([0, 1], 3), 2, kind="corrected", samples=150)
    drawn = seen[0][:, 0, 1].astype(np.float64)
    unknown = np.isnan(drawn)
    assert np.abs(drawn[~unknown, None] - known).min(axis=1).max() < 1e-6
    assert len(np.unique(np.round(drawn[~unknown], 5))) > 30, "chance has many draws to choose from"
    # One document three times, in either topic: 1 − (8/9)².
    assert unknown.mean() == pytest.approx(17 / 81, abs=0.12)


def test_intervals_hold_the_middle_95_percent_of_the_draws(seen):
    vectors = np.random.default_rng(0).normal(size=(40, 5)) + 1.0
    found = bootstrap_topics(vectors, np.repeat(np.arange(4), 10), 4, kind="corrected", samples=60)
    for ends, share in ((found.low, 0.025), (found.high, 0.975)):
        np.testing.assert_allclose(ends, np.quantile(seen[0], share, axis=0), rtol=1e-5)
    above = np.triu_indices(4, k=1)
    np.testing.assert_allclose(found.medians, [np.median(draw[above]) for draw in seen[0]], rtol=1e-5)
    np.testing.assert_allclose(found.paths_max[:, -1], [draw[above].max() for draw in seen[0]], rtol=1e-5)


def test_seed_0_unless_told():
    vectors, codes = np.random.default_rng(1).normal(size=(12, 4)) + 0.5, np.repeat([0, 1, 2], 4)
    for kind in ("plain", "corrected"):
        one, two = (bootstrap_topics(vectors, codes, 3, kind=kind, samples=9, **seed) for seed in ({}, {"seed": 0}))
        np.testing.assert_array_equal(one.medians, two.medians)
        one, two = (check_labels(vectors, codes, 3, kind=kind, **seed) for seed in ({}, {"seed": 0}))
        np.testing.assert_array_equal(one.shuffled, two.shuffled)


@pytest.mark.parametrize(("topics", "draws"), [(4, 200), (300, 200), (301, 39)])
def test_fewer_draws_past_300_topics_and_an_interval_for_every_pair(topics, draws, monkeypatch):
    monkeypatch.setattr(bootstrap, "hits_path", _first_to_last)  # the path is not what is asked here
    vectors = np.random.default_rng(2).normal(size=(2 * topics, 3))
    found = bootstrap_topics(vectors, np.repeat(np.arange(topics), 2), topics, kind="plain")
    assert found.steps.shape == found.paths_max.shape == (draws, topics) and len(found.medians) == draws
    assert found.low.shape == found.high.shape == (topics, topics) and (found.low <= found.high).all()


def test_past_300_topics_an_interval_is_the_range_of_the_same_draws(seen, monkeypatch):
    vectors = np.random.default_rng(5).normal(size=(31, 5)) + 0.8
    codes = np.repeat(
        [0, 1, 2, 3, 4, 5, 6], [4, 5, 6, 7, 2, 6, 1]
    )  # one that some draws cannot place, and one that none can
    multiplied, multiply = [], bootstrap.similarity_of_points
    monkeypatch.setattr(
        bootstrap, "similarity_of_points", lambda points: multiplied.append(points.dtype) or multiply(points)
    )
    few = bootstrap_topics(vectors, codes, 7, kind="corrected", samples=39)
    assert set(multiplied) == {np.dtype(np.float64)}
    monkeypatch.setattr(bootstrap, "MOST_HELD", 6)
    many = bootstrap_topics(vectors, codes, 7, kind="corrected")
    assert multiplied[-1] == np.float32, "half the memory and time, where there are many"
    enough = np.ix_(*[[0, 1, 2, 3, 5]] * 2)  # topic 4 has too few documents for an interval
    np.testing.assert_allclose(many.low[enough], np.fmin.reduce(seen[0])[enough], atol=1e-6)
    np.testing.assert_allclose(many.high[enough], np.fmax.reduce(seen[0])[enough], atol=1e-6)
    assert np.isnan(many.low[6]).all() and np.isfinite(many.low[enough]).all()
    np.testing.assert_array_equal(many.steps, few.steps)
    np.testing.assert_allclose(many.paths_max, few.paths_max, atol=1e-6)
    np.testing.assert_allclose(many.medians, few.medians, atol=1e-6)


def _first_to_last(similarity: np.ndarray) -> Any:
    from core.topics import TopicPath

    count = len(similarity)
    none = np.zeros(count)
    return TopicPath(np.arange(count), none, none, none, count)


def test_labels_are_checked_on_the_similarities_of_the_topics():
    vectors, codes = np.random.default_rng(3).normal(size=(30, 4)) + 0.5, np.repeat(np.arange(5), 6)
    for kind in ("plain", "corrected"):
        space = topic_space(vectors, codes, tuple("abcde"), similarity=kind)
        expected = np.median(pair_similarities(space.similarity))
        assert check_labels(vectors, codes, 5, kind=kind).median == pytest.approx(expected, abs=1e-6)


def test_a_shuffle_that_leaves_no_pair_is_as_similar_as_can_be():
    # Split otherwise, both topics hold two documents at a right angle, which have nothing in common.
    found = check_labels(in_the_plane(0, 0, 90, 90), np.array([0, 0, 1, 1]), 2, kind="corrected")
    assert found.median == pytest.approx(0, abs=1e-6)
    assert set(np.round(found.shuffled, 6)) == {0, 1}


@pytest.mark.parametrize(("topics", "every"), [(499, 1), (999, 1), (1_000, 2), (1_500, 3)])
def test_the_median_of_a_draw_is_of_at_least_500_rows(topics, every, monkeypatch):
    asked = []
    monkeypatch.setattr(bootstrap, "hits_path", _first_to_last)
    monkeypatch.setattr(bootstrap, "pair_similarities", lambda similarity, *, every: asked.append(every) or np.ones(1))
    vectors = np.random.default_rng(4).normal(size=(2 * topics, 2))
    bootstrap_topics(vectors, np.repeat(np.arange(topics), 2), topics, kind="plain", samples=1)
    assert asked == [every]


@pytest.mark.parametrize(("topics", "compared"), [(499, 499), (500, 500), (501, 500), (600, 500)])
def test_labels_are_checked_on_at_most_500_topics(topics, compared):
    vectors = np.random.default_rng(6).normal(size=(2 * topics, 2))
    assert check_labels(vectors, np.repeat(np.arange(topics), 2), topics, kind="plain", shuffles=1).compared == compared


def test_topics_of_two_documents_are_compared_before_those_of_one(monkeypatch):
    monkeypatch.setattr(bootstrap, "MOST_COMPARED", 20)
    sizes, compared = np.tile([1, 2, 3], 10), []
    draw = bootstrap._drawn_points

    def spy(units, codes, times, topics, kind):
        compared.append(np.bincount(codes, minlength=topics))
        return draw(units, codes, times, topics, kind)

    monkeypatch.setattr(bootstrap, "_drawn_points", spy)
    vectors = np.random.default_rng(7).normal(size=(sizes.sum(), 4)) + 1.0
    check_labels(vectors, np.repeat(np.arange(30), sizes), 30, kind="corrected", shuffles=1)
    assert all(sorted(each) == [2] * 10 + [3] * 10 for each in compared)


def test_without_documents_nothing_is_drawn():
    none = no_bootstrap(4)
    assert (none.steps.shape, none.paths_max.shape, none.medians.shape) == ((0, 4), (0, 4), (0,))
