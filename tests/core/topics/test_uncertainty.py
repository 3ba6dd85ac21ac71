"""Resampled documents and shuffled labels: what they must show of corpora whose truth is known."""

import numpy as np
import pytest

from core.corpora import make_corpus
from core.corpora.readers import read_corpus
from core.demo import bundled_corpus, bundled_vectors
from core.topics import (
    check_labels,
    hits_path,
    judge,
    keep_interval,
    pair_similarities,
    resample_topics,
    sure_twins,
    topic_space,
    twin_line,
    uncertainty,
)
from core.topics.uncertainty import known_quantiles
from core.vectors import embed, make_encoder


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


def test_labels_by_lot_seem_to_mean_something_once_in_a_hundred_times():
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
    assert verdict.level == "meaningless" and verdict.line == 0.95


@pytest.mark.parametrize("kind", ["corrected", "plain"])
def test_one_topic_cut_in_ten_beside_another_is_separated_in_part(kind):
    vectors, codes = documents([400, 60], apart=2.0)
    cut = np.where(codes == 0, np.random.default_rng(1).integers(0, 10, len(codes)), 10)
    labels = check_labels(vectors, cut, 11, kind=kind)
    assert labels.partly and labels.meaningful and labels.median >= labels.shuffled.min()
    assert labels.caution.startswith("Most topics are as alike as groups drawn at random")
    whole = check_labels(vectors, codes, 2, kind=kind)
    assert whole.meaningful and not whole.partly and not whole.caution
    nothing = check_labels(vectors[codes == 0], cut[codes == 0], 10, kind=kind)
    assert not nothing.meaningful and not nothing.partly


@pytest.mark.parametrize("kind", ["corrected", "plain"])
def test_topics_of_one_document_cannot_be_held_against_shuffled_ones(kind):
    vectors, _ = documents([12], apart=1.0)
    labels = check_labels(vectors, np.arange(12), 12, kind=kind)
    assert labels.meaningful and not labels.checked and "cannot be told" in labels.caution
    space = topic_space(vectors, np.arange(12), tuple("abcdefghijkl"), similarity=kind)
    verdict = judge(space, hits_path(space.similarity), k=3, labels=labels)
    if kind == "corrected":
        assert verdict.sentence.endswith("Give topics more documents.")
    else:
        assert labels.caution in verdict.cautions
    with_two = check_labels(vectors, np.append(np.arange(11), 0), 11, kind=kind)
    assert with_two.checked and not with_two.caution


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
        found = resample_topics(vectors, codes, 3, kind="corrected", draws=100, seed=seed)
        for one, two in ((0, 1), (0, 2), (1, 2)):
            held += found.low[one, two] <= truth[one, two] <= found.high[one, two]
            trials += 1
    assert 0.86 <= held / trials <= 1.0


def test_draws_are_seeded_and_follow_neither_the_file_nor_lengths():
    vectors, codes = documents([5, 8, 12, 4], apart=1.0)
    one = resample_topics(vectors, codes, 4, kind="corrected", draws=30, seed=3)
    again = resample_topics(vectors, codes, 4, kind="corrected", draws=30, seed=3)
    other = resample_topics(vectors, codes, 4, kind="corrected", draws=30, seed=4)
    np.testing.assert_array_equal(one.low, again.low)
    assert (one.steps == again.steps).all() and not np.array_equal(one.low, other.low)
    assert (one.low <= one.high).all()
    assert one.steps.shape == (30, 4) and sorted(one.steps[0]) == [0, 1, 2, 3]


def test_selected_shares_grow_with_m_and_end_with_everything():
    vectors, codes = documents([10] * 5, apart=0.7)
    found = resample_topics(vectors, codes, 5, kind="corrected", draws=50)
    shares = np.array([found.selected_share(m) for m in range(6)])
    assert (shares[0] == 0).all() and (shares[5] == 1).all()
    assert (np.diff(shares, axis=0) >= 0).all()
    np.testing.assert_allclose(shares.sum(axis=1), np.arange(6))  # m topics in every draw
    low, high = keep_interval(found)
    assert 1 <= low <= high <= 5


def test_a_topic_of_two_documents_is_lost_whenever_one_is_drawn_twice():
    vectors, codes = documents([2, 30, 30], apart=1.0)
    found = resample_topics(vectors, codes, 3, kind="corrected", draws=400)
    assert found.selected_share(3)[0] == pytest.approx(0.5, abs=0.08)
    assert (found.selected_share(3)[1:] == 1).all()


def test_quantiles_of_what_is_known_are_numpys():
    draws = np.random.default_rng(0).normal(size=(40, 5, 5)).astype(np.float32)
    draws[np.random.default_rng(1).random(draws.shape) < 0.4] = np.nan
    draws[1:, 0, 0] = np.nan
    for found, share in zip(known_quantiles(draws, (0.025, 0.5, 0.975)), (0.025, 0.5, 0.975), strict=True):
        np.testing.assert_allclose(found, np.nanquantile(draws, share, axis=0), rtol=1e-5)
    draws[:, 2, 3] = np.nan
    (found,) = known_quantiles(draws, (0.5,))
    assert np.isnan(found[2, 3]) and np.isnan(found).sum() == 1


def test_topics_that_cannot_be_placed_are_never_kept_without_twins():
    vectors, codes = documents([1, 1, 30, 30], apart=5.0)
    found = resample_topics(vectors, codes, 4, kind="corrected", draws=40)
    assert (found.placed == 2).all() and keep_interval(found) == (2, 2)
    assert np.isnan(found.low[0]).all() and np.isfinite(found.low[2:, 2:]).all()


def test_documents_without_a_vector_are_never_drawn():
    vectors, codes = documents([6, 6, 6], apart=1.0)
    padded = np.vstack([vectors, np.zeros((9, vectors.shape[1]))])
    with_blanks = np.concatenate([codes, np.repeat([0, 1, 2], 3)])
    plain = resample_topics(vectors, codes, 3, kind="corrected", draws=20)
    blank = resample_topics(padded, with_blanks, 3, kind="corrected", draws=20)
    np.testing.assert_array_equal(plain.low, blank.low)
    assert check_labels(padded, with_blanks, 3, kind="corrected").median == pytest.approx(
        check_labels(vectors, codes, 3, kind="corrected").median
    )


def test_of_many_small_topics_chance_puts_pairs_past_the_line_and_none_beyond_doubt():
    vectors, codes = documents([3] * 301, apart=1.0)
    space = topic_space(vectors, codes, tuple(f"{topic:03d}" for topic in range(301)))
    found = resample_topics(vectors, codes, 301, kind="corrected")
    line = twin_line(space.similarity)
    past = int((space.similarity >= line).sum() - space.placed.sum()) // 2
    assert past > 100 and sure_twins(space, line, found).sum() // 2 <= past // 50


@pytest.mark.parametrize("kind", ["corrected", "plain"])
def test_of_many_topics_some_are_compared_and_lots_still_mean_nothing(kind, monkeypatch):
    monkeypatch.setattr(uncertainty, "MOST_COMPARED", 6)
    vectors, codes = documents([1, 1, 1, *[8] * 9], apart=1.0)
    real = check_labels(vectors, codes, 12, kind=kind)
    assert real.meaningful and real.compared == 6
    by_lot = [
        check_labels(vectors, np.random.default_rng(seed).permutation(codes), 12, kind=kind, seed=seed).meaningful
        for seed in range(100)
    ]
    assert np.mean(by_lot) <= 0.03  # one in a hundred is expected
    monkeypatch.setattr(uncertainty, "MOST_COMPARED", 9)
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
    assert verdict.level != "meaningless" and (parts >= verdict.line).all()
