"""HITS without a matrix of all pairs: the same path as with one, and few products that never come true."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.arrays import unit_rows
from core.topics import hits_blocks, hits_path, hits_path_to, topic_points, topic_space
from core.topics.hits_blocks import first_topic, path_in_blocks
from core.topics.space import similarity_of_points


def made_points(
    seed: int, topics: int, *, shift: float, longest: float, twins: bool, incomparable: float
) -> np.ndarray:
    """Points in a few dimensions: of length one or up to `longest`, with exact twins, and some that cannot be compared."""
    rng = np.random.default_rng(seed)
    points = unit_rows(rng.normal(size=(topics, int(rng.integers(1, 9)))) + shift)
    points *= rng.uniform(1, longest, size=(topics, 1))
    if twins:
        points = points[rng.integers(0, topics, topics)]
    points[rng.random(topics) < incomparable] = np.nan
    return points


points_of_any_kind = st.builds(
    made_points,
    st.integers(0, 10_000),
    st.integers(1, 70),
    shift=st.sampled_from([0.0, 0.4, 1.5]),
    longest=st.sampled_from([1.0, 1.3, 5.0]),
    twins=st.booleans(),
    incomparable=st.sampled_from([0.0, 0.2, 1.0]),
)


def assert_same_path(found, whole, m: int) -> None:
    assert found.order.tolist() == whole.order[:m].tolist()
    assert found.comparable == min(whole.comparable, m)
    for name in ("leakage", "mean", "max"):
        np.testing.assert_allclose(getattr(found, name), getattr(whole, name)[:m], atol=1e-11)


@given(points_of_any_kind, st.data())
@settings(max_examples=150)
def test_the_path_is_that_of_the_whole_matrix_for_every_m(points, data):
    m = data.draw(st.integers(1, len(points)))
    assert_same_path(path_in_blocks(points, m=m), hits_path(similarity_of_points(points)), m)


@pytest.mark.parametrize(("fewest", "most", "held", "looked_at"), [(1, 1, 1, 1), (2, 4, 4, 8), (3, 50, 5, 60)])
@given(points_of_any_kind)
@settings(max_examples=30)
def test_how_far_ahead_one_looks_changes_nothing(fewest, most, held, looked_at, points):
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (
            ("FEWEST_AHEAD", fewest), ("MOST_AHEAD", most), ("MOST_HELD", held), ("LOOKED_AT", looked_at),
        ):  # fmt: skip
            patch.setattr(hits_blocks, name, value)
        found = path_in_blocks(points, m=len(points))
    assert_same_path(found, hits_path(similarity_of_points(points)), len(points))


@pytest.mark.parametrize("kind", ["plain", "corrected"])
@given(seed=st.integers(0, 1_000))
@settings(max_examples=20)
def test_documents_give_the_same_path_on_either_way(kind, seed):
    rng = np.random.default_rng(seed)
    codes = np.sort(rng.integers(0, 30, 90))
    vectors = (rng.normal(size=(90, 6)) + 0.5).astype(np.float32)
    vectors[rng.random(90) < 0.1] = 0  # documents without a known word
    names = tuple(f"t{topic:02}" for topic in range(30))
    space = topic_space(vectors, codes, names, similarity=kind)
    points = topic_points(vectors, codes, names, similarity=kind)
    assert points.incomparable == space.incomparable and points.comparable.tolist() == space.comparable.tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hits_blocks, "MOST_IN_MATRIX", 29)
        in_blocks = hits_path_to(points, m=20)
    assert_same_path(in_blocks, hits_path(space.similarity), 20)
    assert_same_path(hits_path_to(points, m=20), hits_path(space.similarity), 20)
    assert_same_path(hits_path_to(points), hits_path(space.similarity), 30)


def test_noise_families_and_ties_give_one_order_at_a_size_of_many_blocks():
    rng = np.random.default_rng(0)
    family = rng.normal(size=(20, 24))[rng.integers(0, 20, 900)]
    for points in (
        unit_rows(rng.normal(size=(900, 24))),
        unit_rows(family + rng.normal(size=(900, 24)) * 0.3 + 0.3),
        unit_rows(family) * rng.uniform(1, 2, size=(900, 1)),
        np.zeros((900, 3)),
    ):
        assert_same_path(path_in_blocks(points, m=700), hits_path(similarity_of_points(points)), 700)


@given(points_of_any_kind.filter(lambda points: not np.isnan(points).any()))
@settings(max_examples=100)
def test_the_first_topic_is_that_of_the_whole_matrix_also_where_products_are_cut(points):
    similarity = similarity_of_points(points)
    mean = (similarity.sum(axis=1) - 1) / max(len(points) - 1, 1)
    clips = bool((np.linalg.norm(points, axis=1) > 1 + 1e-9).any())
    assert mean[first_topic(points, clips=clips)] == pytest.approx(mean.min(), abs=2e-12)
    assert hits_path(similarity).order[0] == first_topic(points, clips=clips)


def test_few_rows_are_computed_to_find_the_first_topic_and_few_that_never_come_true(monkeypatch):
    """The point of it all: the products computed are about those of the path, not of all pairs."""
    rng = np.random.default_rng(1)
    points = unit_rows(rng.normal(size=(3_000, 32)) + 0.4) * rng.uniform(1, 1.4, size=(3_000, 1))
    computed = []
    products = hits_blocks._Walk._products
    monkeypatch.setattr(
        hits_blocks._Walk, "_products", lambda walk, topics: computed.append(len(topics)) or products(walk, topics)
    )
    path = path_in_blocks(points, m=500)
    assert path.order.tolist() == hits_path(similarity_of_points(points)).order[:500].tolist()
    assert sum(computed) < 750 and len(computed) < 50


def test_progress_ends_with_the_last_step():
    said = []
    points = unit_rows(np.random.default_rng(0).normal(size=(300, 8)))
    path_in_blocks(points, m=200, progress=lambda done, total, what, left: said.append((done, total)))
    steps = [done for done, _ in said]
    assert steps == sorted(steps) and said[-1] == (200, 200) and {total for _, total in said} == {200}
