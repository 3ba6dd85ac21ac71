"""Clusters: made ones are found whatever the order of points, noise has none, and the index is Hubert and Arabie's."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score

from core.arrays import unit_rows
from core.errors import SettingError
from core.topics import clusters
from core.topics.clusters import METHODS, agreement, find_clusters


def made(
    groups: int, each: int, *, spread: float = 0.3, axes: int = 30, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(groups, axes))
    codes = rng.permutation(np.repeat(np.arange(groups), each))
    return centres[codes] + spread * rng.normal(size=(len(codes), axes)), codes


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("groups", "each"), [(2, 30), (6, 12)])
def test_made_clusters_are_found_and_firm(method: str, groups: int, each: int):
    vectors, codes = made(groups, each)
    found = find_clusters(vectors, method=method, k=None, seed=0)
    assert agreement(found.labels, codes) > 0.95
    assert found.stability > 0.9 and found.silhouette > found.by_chance
    assert (
        found.silhouette == pytest.approx(max(value for _, value in found.tried))
        if found.tried
        else method == "hdbscan"
    )


def test_three_documents_a_topic_are_enough_where_topics_are_far_apart():
    vectors, codes = made(8, 3, spread=0.1)
    found = find_clusters(vectors, method="k-means", k=8, seed=0)
    assert agreement(found.labels, codes) == 1
    assert found.silhouette > found.by_chance


@pytest.mark.parametrize("axes", [2, 5, 40])
def test_noise_is_no_better_than_chance(axes: int):
    noise = np.random.default_rng(0).normal(size=(60, axes)) + 0.3
    found = find_clusters(noise, method="k-means", k=None, seed=0)
    assert found.silhouette <= found.by_chance or found.stability < 0.3


def test_length_of_vectors_does_not_matter_and_points_beyond_the_fitted_join_the_nearest(monkeypatch):
    vectors, codes = made(3, 20)
    whole = find_clusters(vectors, method="k-means", k=3, seed=0)
    longer = find_clusters(vectors * np.linspace(1, 9, 60)[:, None], method="k-means", k=3, seed=0)
    assert agreement(whole.labels, longer.labels) == 1
    monkeypatch.setattr(clusters, "MOST_FITTED", 25)
    part = find_clusters(vectors, method="k-means", k=3, seed=0)
    assert len(part.labels) == 60 and agreement(part.labels, codes) == 1


def test_the_silhouette_is_scikit_learns_on_directions():
    vectors, _ = made(4, 10, spread=1.0, axes=6)
    units = unit_rows(vectors)
    found = find_clusters(vectors, method="k-means", k=4, seed=0)
    assert found.tried == ((4, found.silhouette),)
    assert found.silhouette == pytest.approx(silhouette_score(units, found.labels), abs=1e-9)
    assert agreement(found.labels, KMeans(4, n_init=10, random_state=1).fit_predict(units)) > 0.6


def test_agreement_is_one_for_the_same_groups_and_nought_by_chance():
    assert agreement([0, 0, 1, 1], [5, 5, 2, 2]) == 1
    # Worked: three pairs together in both of 15; expected 6 · 6/15.
    assert agreement([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]) == pytest.approx((4 - 6 * 7 / 15) / (6.5 - 6 * 7 / 15))
    rng = np.random.default_rng(0)
    assert abs(np.mean([agreement(rng.integers(0, 4, 50), rng.integers(0, 4, 50)) for _ in range(50)])) < 0.02


def test_progress_counts_every_fit():
    seen = []
    vectors, _ = made(2, 10)
    find_clusters(vectors, method="k-means", k=None, seed=0, progress=lambda *said: seen.append(said))
    assert [done for done, *_ in seen] == list(range(1, seen[-1][1] + 1))
    assert all(what == "groupings" for _, _, what, _ in seen)


def test_bad_requests_say_what_would_do():
    vectors, _ = made(2, 10)
    for wrong, fact in (
        ({"k": 1}, "from 2 to 10"),
        ({"k": 11}, "from 2 to 10"),
        ({"method": "kmeans"}, "Did you mean 'k-means'"),
    ):
        with pytest.raises(SettingError, match=fact):
            find_clusters(vectors, **({"method": "k-means", "k": None, "seed": 0} | wrong))
    with pytest.raises(SettingError, match="leave k out"):
        find_clusters(vectors, method="hdbscan", k=3, seed=0)
    with pytest.raises(SettingError, match="9 documents have a vector"):
        find_clusters(vectors[:9], method="k-means", k=None, seed=0)
    with pytest.raises(SettingError, match="same vector"):
        find_clusters(np.ones((20, 3)), method="k-means", k=None, seed=0)
    with pytest.raises(SettingError, match="fewer than 2"):
        find_clusters(np.random.default_rng(0).normal(size=(40, 30)), method="hdbscan", k=None, seed=0)


def test_density_takes_so_many_points_and_no_more(monkeypatch):
    monkeypatch.setattr(clusters, "MOST_BY_DENSITY", 15)
    with pytest.raises(SettingError, match="Choose k-means"):
        find_clusters(made(2, 10)[0], method="hdbscan", k=None, seed=0)
