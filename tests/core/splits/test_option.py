"""One way to split, measured: what a sample parts does not hang on how it is dealt."""

from dataclasses import replace

import numpy as np
import pytest

from core.corpora import make_corpus
from core.splits import Wishes
from core.splits.option import Measure, dealt
from core.topics import Resampled, make_sample, topic_space


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(8), 6)
    means = rng.normal(size=(8, 12))
    means[1] = means[0] + 0.1 * rng.normal(size=12)  # near twins
    vectors = means[codes] + 0.5 * rng.normal(size=(48, 12))
    corpus = make_corpus([f"text {row}" for row in range(48)], [f"t{code}" for code in codes])
    return corpus, topic_space(vectors, corpus.topic_codes, corpus.topic_names)


def measure(made, *, high: float | None = None) -> Measure:
    corpus, space = made
    ends = None if high is None else np.full((8, 8), high)
    none = np.zeros((1, 8))
    resampled = None if high is None else Resampled(ends, ends, none.astype(np.int64), none, none[:, 0])
    return Measure(corpus, space, 2, Wishes(), 0.9, resampled)


def test_a_near_twin_pair_in_a_sample_counts_in_whatever_fold_the_deal_puts_it(made):
    _, space = made
    sample = make_sample(space.similarity, np.array([0, 1, 4, 6]))
    found = [measure(made).sample("hits", sample, m=4, seed=seed) for seed in range(6)]
    together = [dealt(np.sort(sample.selected), k=2, seed=seed)[[0, 1]] for seed in range(6)]
    assert any(one == two for one, two in together), "some deal has them in one fold"
    assert {option.near_twins for option in found} == {1} and not any(option.clear for option in found)
    assert {option.max for option in found} == {space.similarity[0, 1]}


def test_topics_merged_into_one_are_never_parted(made):
    _, space = made
    sample = make_sample(space.similarity, np.array([0, 2, 4, 6]), policy="grouping")
    assert sample.assigned[1] == 0
    option = measure(made).sample("grouping", sample, m=4, seed=0)
    assert option.near_twins == 0 and option.max < space.similarity[0, 1]


def test_folds_that_are_chosen_count_their_own_pairs(made):
    together = measure(made).option("least-leakage", np.array([0, 0, 0, 0, 1, 1, 1, 1]), balance=0.2)
    apart = measure(made).option("least-leakage", np.array([0, 1, 0, 0, 1, 0, 1, 1]), balance=0.2)
    assert (together.near_twins, apart.near_twins) == (0, 1)
    assert apart.max == made[1].similarity[0, 1] > together.max


def test_pairs_in_doubt_are_counted_where_intervals_are_known(made):
    fold_of = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    for high, twins, one in ((None, 0, 0), (0.85, 0, 0), (0.92, 16, 0), (0.96, 16, 16)):
        option = measure(made, high=high).option("least-leakage", fold_of, balance=0.2)
        assert (option.perhaps_twins, option.perhaps_one, option.near_twins) == (twins, one, 0)
        assert option.clear == (one == 0)


def test_what_is_unknown_is_not_clear(made):
    option = measure(made).option("least-leakage", np.array([0, 0, 0, 0, 1, 1, 1, 1]), balance=0.2)
    assert option.clear and not replace(option, max=float("nan")).clear


def test_every_deal_of_all_topics_may_part_the_same(made):
    deals = measure(made).deals(range(5))
    assert {(deal.near_twins, deal.clear) for deal in deals} == {(1, False)}
    assert len({deal.max for deal in deals}) > 1, "though not every deal does"
