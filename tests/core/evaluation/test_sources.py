"""The waterfall: steps that add up, a loss that is put down to what was made to cause it, and its sentence."""

from math import nan

import numpy as np
import pytest

from core.corpora import make_corpus
from core.evaluation import STEPS, Sources, difference_sources, sources_sentence
from core.splits import Fold, Folds


def made(seed: int = 0, documents: int = 240, authors: int = 4):
    """Authors with habits of words, on six topics that say nothing."""
    rng = np.random.default_rng(seed)
    words = rng.choice([a + b + c for a in "bdfgk" for b in "aeiou" for c in "lmnrst"], (authors, 6), replace=False)
    written = np.arange(documents) % authors
    texts = [" ".join([*rng.choice(words[author], 3), *rng.choice(words.ravel(), 5)]) for author in written]
    topics = [f"topic {topic}" for topic in rng.permutation(documents) % 6]
    return make_corpus(texts, topics, authors=[f"author {code}" for code in written])


def folds_of(corpus, train: np.ndarray, tests: list[np.ndarray]) -> Folds:
    made = (Fold(np.setdiff1d(train, test), test, np.arange(6), np.arange(6)) for test in tests)
    return Folds("made", corpus.topic_names, tuple(made))


def sources(corpus, hits, random):
    return difference_sources(corpus, hits, random, task="attribution", models=["max_ent"])["max_ent"]


def test_a_loss_for_want_of_authors_is_put_down_to_authors():
    corpus, rng = made(), np.random.default_rng(0)
    tests = [rng.choice(len(corpus), 40, replace=False) for _ in range(2)]
    few = np.flatnonzero((corpus.author_codes < 2) | (np.arange(len(corpus)) % 12 == 3))  # two authors all but gone
    found = sources(corpus, folds_of(corpus, few, tests), [folds_of(corpus, np.arange(len(corpus)), tests)])
    assert found.raw[0] > 0.1
    assert found.equal_authors[0] == pytest.approx(0, abs=0.1)
    assert found.step("authors")[0] > 0.08 > found.step("documents")[0]


def test_steps_add_up_and_nothing_comes_of_nothing():
    corpus, rng = made(1), np.random.default_rng(1)
    tests = [rng.choice(len(corpus), 40, replace=False) for _ in range(2)]
    whole = folds_of(corpus, np.arange(len(corpus)), tests)
    found = sources(corpus, whole, [whole, whole])
    assert (found.raw == 0).all() and (found.equal_size == 0).all() and (found.equal_authors == 0).all()
    other = Sources(np.array([0.3, 0.2]), np.array([0.25, 0.1]), np.array([0.05, 0.0]))
    np.testing.assert_allclose(sum(other.step(name) for name in STEPS), other.raw)


def of(raw: float, size: float, authors: float, samples: int = 10) -> Sources:
    return Sources(*(np.full(samples, value) for value in (raw, size, authors)))


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (of(0.1, 0.08, 0.02), "X loses under HITS: +10.0 points of accuracy (from +10.0 to +10.0), random − HITS. In it: fewer documents +2.0 (from +2.0 to +2.0); authors not met in training +6.0 (from +6.0 to +6.0); topic (what is left) +2.0 (from +2.0 to +2.0)."),
        (of(0.1, 0.08, 0.02, samples=2), "X, random − HITS: +10.0 points of accuracy, too few random samples to tell it from chance. In it: fewer documents +2.0; authors not met in training +6.0; topic (what is left) +2.0."),
        (Sources(np.array([0.3, 0.1, 0.2]), np.array([0.3, 0.1, 0.2]), np.array([0.2, 0.0, 0.1])), "X: no loss that can be told from another random sample: +20.0 points of accuracy (from −29.7 to +69.7), random − HITS. In it: fewer documents +0.0 (from +0.0 to +0.0), not told from chance; authors not met in training +10.0 (from +10.0 to +10.0); topic (what is left) +10.0 (from −39.7 to +59.7), not told from chance."),
        (of(-0.02, 0.0, 0.0), "X scores higher under HITS: −2.0 points of accuracy (from −2.0 to −2.0), random − HITS. In it: fewer documents −2.0 (from −2.0 to −2.0); authors not met in training +0.0 (from +0.0 to +0.0), not told from chance; topic (what is left) +0.0 (from +0.0 to +0.0), not told from chance."),
        (of(nan, nan, nan), "X could not be scored under both samplers."),
    ],
)  # fmt: skip
def test_the_sentence_has_a_form_for_every_case(found, sentence):
    assert sources_sentence("X", found, metric="accuracy") == sentence


@pytest.mark.parametrize("n", [3, 8, 20])
def test_a_random_sample_in_the_place_of_hits_is_told_from_nothing_as_often_as_it_says(n):
    """Scores of n + 1 random samples, of which one is taken for HITS: the interval covers 0 in 95 of 100."""
    rng, covered = np.random.default_rng(n), 0
    for _ in range(600):
        hits, *random = rng.normal(0.5, 0.03, n + 1)
        found = Sources(*(np.array(random) - hits for _ in range(3)))
        low, high = found.interval("topic")
        covered += low <= 0 <= high
    assert 0.93 <= covered / 600 <= 0.97


def test_with_a_random_sample_in_the_place_of_hits_the_sentence_seldom_claims_a_loss():
    rng, losses, gains = np.random.default_rng(1), 0, 0
    for _ in range(600):
        hits, *random = rng.normal(0.5, 0.03, 11)
        said = sources_sentence("X", Sources(*(np.array(random) - hits for _ in range(3))), metric="accuracy")
        losses += "loses under HITS" in said
        gains += "scores higher" in said
    assert losses <= 0.05 * 600 and losses + gains <= 0.07 * 600


def test_all_of_the_difference_has_the_law_of_its_steps():
    values = np.array([0.3, 0.1, 0.2])
    found = Sources(values, np.zeros(3), np.zeros(3))
    assert found.interval("raw") == found.interval("documents") == pytest.approx((0.2 - 0.4968, 0.2 + 0.4968), abs=1e-3)
