"""Which topics are alike: a sentence for every case, and blocks that hold every pair once."""

import numpy as np
import pytest

from core.topics import (
    LabelCheck,
    alike_sentence,
    cluster_order,
    hits_path,
    judge,
    matrix_blocks,
    resample_topics,
    topic_space,
)


def made(topics: int, each: int = 12, *, sisters: bool = False, seed: int = 0):
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(topics), each)
    centres = np.eye(topics + 2)[np.where(codes == 1, 0, codes)] if sisters else np.eye(topics + 2)[codes]
    vectors = rng.normal(size=(len(codes), topics + 2)) * 0.1 + centres + 0.2 * np.eye(topics + 2)[-1]
    return vectors, codes, topic_space(vectors, codes, tuple(f"t{number:02}" for number in range(topics)))


def said(space, **more) -> str:
    verdict = judge(space, hits_path(space.similarity), k=2, labels=more.get("labels"), resampled=more.get("resampled"))
    return alike_sentence(space, verdict, more.get("resampled"))


def test_the_closest_pair_is_named_with_its_interval():
    vectors, codes, space = made(6, sisters=True)
    resampled = resample_topics(vectors, codes, 6, kind="corrected", draws=30)
    sentence = said(space, resampled=resampled)
    low, high = resampled.low[0, 1], resampled.high[0, 1]
    assert sentence.startswith(
        f"Closest are t00 and t01 (similarity {space.similarity[0, 1]:.2f}, 95 %: {low:.2f} to {high:.2f})"
    )
    assert "one pair is near twins" in sentence and "2 of the 6 topics have at least one" in sentence


def test_a_pair_that_cannot_be_told_from_the_next_is_one_of_the_closest():
    vectors, codes, space = made(6)
    resampled = resample_topics(vectors, codes, 6, kind="corrected", draws=30)
    assert said(space, resampled=resampled).startswith("Among the closest are ")
    equal = topic_space(np.eye(3)[[0, 0, 1, 1, 2, 2]] + 0.5, np.repeat(np.arange(3), 2), ("a", "b", "c"))
    assert said(equal).startswith("Among the closest are ")
    two = topic_space(np.eye(2)[[0, 0, 1, 1]] + 0.5, np.repeat(np.arange(2), 2), ("a", "b"))
    assert said(two).startswith("Closest are a and b")


def test_without_near_twins_none_are_claimed():
    _, _, space = made(5)
    assert "no two topics are near twins" in said(space) and "95 %" not in said(space)


def test_doubt_is_said():
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(8), 3)
    vectors = rng.normal(size=(24, 6)) + 1
    space = topic_space(vectors, codes, tuple("abcdefgh"))
    resampled = resample_topics(vectors, codes, 8, kind="corrected", draws=20)
    verdict = judge(space, hits_path(space.similarity), k=2, resampled=resampled)
    assert verdict.sure_pairs < verdict.twin_pairs
    assert f", {verdict.sure_pairs} of them beyond doubt" in alike_sentence(space, verdict)


def test_nothing_is_claimed_where_labels_mean_nothing_or_nothing_can_be_placed():
    _, _, space = made(5)
    assert said(space, labels=LabelCheck(0.5, np.full(99, 0.5))).startswith("No pair stands out")
    lonely = topic_space(np.eye(3), np.arange(3), ("a", "b", "c"))
    assert said(lonely).startswith("No two topics can be compared")


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


def test_a_topic_that_cannot_be_placed_counts_in_no_block():
    vectors, codes, _ = made(6)
    codes = np.where(np.arange(len(codes)) == 0, 6, codes)
    space = topic_space(vectors, codes, tuple("abcdefg"))
    blocks = matrix_blocks(space.similarity, np.arange(7), most=2)
    assert np.isfinite(blocks.mean).all()
    assert 6 not in blocks.closest
    alone = matrix_blocks(space.similarity, np.arange(7), most=7)
    assert np.isnan(alone.mean[6]).all()
