"""Every m at once is each m by itself: what is kept, how alike it is, and where topics go."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.corpora import make_corpus
from core.errors import SettingError
from core.topics import (
    POLICIES,
    hits_path,
    make_sample,
    pair_summary,
    sample_at_every_m,
    sample_counts,
    topic_points,
    topic_space,
)


def made(seed: int, topics: int, *, authors: bool = True):
    """Topics of one to five documents in few dimensions: some are alike, some tie, some cannot be placed."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(topics), rng.integers(1, 6, topics))
    vectors = (rng.integers(0, 2, (topics, 3))[codes] + rng.integers(0, 2, (len(codes), 3))).astype(np.float32)
    names = [f"t{code:02d}" for code in codes]
    writers = [f"a{rng.integers(6)}" for _ in codes] if authors else None
    corpus = make_corpus([f"text {row}" for row in range(len(codes))], names, authors=writers, name="made")
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    return corpus, vectors, space, hits_path(space.similarity)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 9), st.sampled_from(sorted(POLICIES)), st.sampled_from([0.0, 0.5, 0.9]))
def test_every_m_is_the_sample_of_m(seed, topics, policy, threshold):
    corpus, _, space, path = made(seed, topics)
    kept = sample_at_every_m(corpus, space, path, policy=policy, threshold=threshold)
    assert len(kept.documents) == len(kept.mean) == path.placed
    for m in range(1, path.placed + 1):
        sample = make_sample(space.similarity, path.order[:m], policy=policy, threshold=threshold)
        counts, similarity = sample_counts(corpus, sample), pair_summary(space, sample)
        assert (kept.documents[m - 1], kept.authors[m - 1]) == (counts.documents, counts.authors)
        for found, expected in ((kept.mean[m - 1], similarity["mean"]), (kept.max[m - 1], similarity["max"])):
            assert np.isnan(found) if expected is None else found == pytest.approx(expected, abs=1e-12)
        np.testing.assert_array_equal((kept.since > 0) & (kept.since <= m), sample.assigned >= 0)
        assigned = np.full(topics, -1)
        for topic, since, target in kept.moves.tolist():
            if since <= m:
                assigned[topic] = target
        assigned[path.order[:m]] = path.order[:m]
        np.testing.assert_array_equal(assigned, sample.assigned)


def test_totals_are_the_corpus_and_authors_may_be_unknown():
    corpus, _, space, path = made(1, 8, authors=False)
    kept = sample_at_every_m(corpus, space, path)
    assert kept.authors is None and kept.totals == (8, len(corpus), None)
    assert kept.documents[-1] == space.sizes[space.placed].sum()


def test_where_merged_topics_are_too_many_their_similarity_is_left_open(monkeypatch):
    monkeypatch.setattr("core.topics.every_m.MOST_MERGED", 3)
    corpus, _, space, path = made(2, 9)
    assert path.placed > 3
    grouped = sample_at_every_m(corpus, space, path, policy="grouping")
    assert np.isnan(grouped.mean).all() and np.isnan(grouped.max).all() and len(grouped.mean) == path.placed
    cut = sample_at_every_m(corpus, space, path)
    assert np.isfinite(cut.mean[1:]).all(), "nothing is merged by cutting"


def test_points_without_pairs_can_be_cut_and_not_merged():
    corpus, vectors, space, path = made(3, 7)
    points = topic_points(vectors, corpus.topic_codes, corpus.topic_names)
    np.testing.assert_array_equal(
        sample_at_every_m(corpus, points, path).documents, sample_at_every_m(corpus, space, path).documents
    )
    with pytest.raises(SettingError, match="too many to merge; choose cutting"):
        sample_at_every_m(corpus, points, path, policy="grouping")
