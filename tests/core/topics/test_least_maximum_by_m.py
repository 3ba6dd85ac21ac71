"""The optimum at every m: as each m alone gives it, and between those that are searched never better than it can be."""

import numpy as np
import pytest

from core.topics import hits_path, optima, optimum_curve
from core.topics.least_maximum import searched_sizes
from core.topics.view import thousandths
from tests.core.topics.similarities import similarity_of


def test_every_m_is_the_optimum_of_that_m():
    similarity = similarity_of(3, 18, shift=0.4)
    found, path = optimum_curve(similarity), hits_path(similarity)
    each = optima(similarity, range(2, 19))
    assert np.isnan(found.max[0]) and np.isnan(found.bound[0]) and not found.proven[0]
    assert found.max[1:].tolist() == found.bound[1:].tolist() == [best.max for best in each]
    assert found.mean[1:] == pytest.approx([best.mean for best in each])
    assert found.proven[1:].all() and (found.max[1:] <= path.max[1:]).all()
    assert found.max[-1] == path.max[-1], "all topics are all topics"


def test_of_many_topics_some_m_are_searched_and_the_others_follow(monkeypatch):
    similarity = similarity_of(4, 30)
    exact = optimum_curve(similarity)
    monkeypatch.setattr("core.topics.least_maximum.EVERY_SIZE", 10)
    monkeypatch.setattr("core.topics.least_maximum.MOST_SIZES", 6)
    sizes = searched_sizes(30)
    assert len(sizes) == 6 and (sizes[0], sizes[-1]) == (2, 30)
    found = optimum_curve(similarity)
    at = np.array(sizes) - 1
    assert (found.max[at] == exact.max[at]).all() and (found.bound[at] == exact.max[at]).all()
    assert (found.bound[1:] <= exact.max[1:]).all() and (exact.max[1:] <= found.max[1:]).all()
    assert found.proven[at].all() and not found.proven.all()
    assert (found.proven <= (found.max == exact.max)).all(), "proven only where it is so"
    assert np.isnan(found.mean[np.setdiff1d(np.arange(30), at)]).all()


def test_topics_that_cannot_be_placed_take_no_part_and_one_topic_has_no_curve():
    similarity = np.array(similarity_of(5, 8))
    similarity[3], similarity[:, 3] = np.nan, np.nan
    assert len(optimum_curve(similarity).max) == 7
    alone = optimum_curve(np.ones((1, 1)))
    assert thousandths(alone.max).tolist() == [-(2**15)] and searched_sizes(1) == []
