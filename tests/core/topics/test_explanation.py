"""Why topics are similar: words, closest documents and the blocks of the matrix."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.arrays import unit_rows
from core.corpora import make_corpus
from core.topics import (
    closest_documents,
    cluster_order,
    matrix_blocks,
    shared_terms,
    term_weights,
    topic_space,
)

TEXTS = [
    "oven butter oven flour",
    "butter waiter menu butter",
    "rocket orbit rocket launch",
    "oven waiter table menu",
]
TOPICS = ["cooking", "restaurants", "space", "restaurants"]


def test_weights_follow_the_formula():
    corpus = make_corpus(TEXTS, TOPICS)
    weights = term_weights(corpus)
    # cooking: 4 words; restaurants: 8; space: 4; A = 16 / 3. 'oven' occurs 2 + 1 + 0 = 3 times.
    oven = weights.terms.index("oven")
    row = weights.weights[[0]].toarray()[0]
    assert row[oven] == pytest.approx(2 / 4 * np.log(1 + (16 / 3) / 3))


def test_shared_terms_are_in_both_topics_and_none_between_strangers():
    weights = term_weights(make_corpus(TEXTS, TOPICS))
    shared = shared_terms(weights, 0, 1)
    assert set(shared.terms) == {"oven", "butter"}
    bonds = np.sqrt(shared.first * shared.second)
    assert (np.diff(bonds) <= 0).all()
    assert shared_terms(weights, 0, 2).terms == ()
    assert weights.terms[weights.weights[[2]].toarray()[0].argmax()] == "rocket"


def test_texts_without_words_share_nothing():
    weights = term_weights(make_corpus(["1 2 3", "the of and"], ["a", "b"]))
    assert weights.terms == ()
    assert shared_terms(weights, 0, 1).terms == ()


@given(st.integers(0, 500), st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_closest_documents_equal_the_greedy_definition(seed, most):
    rng = np.random.default_rng(seed)
    codes = np.array([0] * 7 + [1] * 5 + [2] * 4)
    vectors = rng.normal(size=(len(codes), 4)).astype(np.float32)
    near = closest_documents(vectors, codes, 0, 1, most=most)
    unit = unit_rows(vectors.astype(np.float64))
    cosine = unit @ unit.T
    free_left, free_right, expected = list(range(7)), list(range(7, 12)), []
    while free_left and free_right and len(expected) < most:
        best = max(((cosine[i, j], i, j) for i in free_left for j in free_right), key=lambda pair: pair[0])
        expected.append(best)
        free_left.remove(best[1])
        free_right.remove(best[2])
    assert near.first.tolist() == [i for _, i, _ in expected]
    assert near.second.tolist() == [j for _, _, j in expected]
    np.testing.assert_allclose(near.similarity, [value for value, _, _ in expected], atol=1e-12)


def made(topics: int):
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(topics), 12)
    vectors = rng.normal(size=(len(codes), topics + 2)) * 0.1 + np.eye(topics + 2)[codes] + 0.2 * np.eye(topics + 2)[-1]
    return vectors, codes, topic_space(vectors, codes, tuple(f"t{number:02}" for number in range(topics)))


@pytest.mark.parametrize(("topics", "most"), [(7, 3), (20, 20), (31, 8), (5, 60)])
def test_blocks_hold_every_pair_once(topics, most):
    _, _, space = made(topics)
    order = cluster_order(space.similarity)
    blocks = matrix_blocks(space.similarity, order, most=most)
    count = min(topics, most)
    assert blocks.mean.shape == (count, count) and blocks.edges[-1] == topics
    for row in range(count):
        for column in range(count):
            rows = order[blocks.edges[row] : blocks.edges[row + 1]]
            columns = order[blocks.edges[column] : blocks.edges[column + 1]]
            values = [space.similarity[i, j] for i in rows for j in columns if i != j]
            if not values:
                assert np.isnan(blocks.mean[row, column]) and (blocks.closest[row, column] == -1).all()
                continue
            assert blocks.mean[row, column] == pytest.approx(np.mean(values))
            assert blocks.highest[row, column] == max(values)
            assert space.similarity[tuple(blocks.closest[row, column])] == max(values)
    np.testing.assert_allclose(blocks.mean, blocks.mean.T)


def test_a_topic_that_have_too_few_documents_counts_in_no_block():
    vectors, codes, _ = made(6)
    codes = np.where(np.arange(len(codes)) == 0, 6, codes)
    space = topic_space(vectors, codes, tuple("abcdefg"))
    blocks = matrix_blocks(space.similarity, np.arange(7), most=2)
    assert np.isfinite(blocks.mean).all()
    assert 6 not in blocks.closest
    alone = matrix_blocks(space.similarity, np.arange(7), most=7)
    assert np.isnan(alone.mean[6]).all()
