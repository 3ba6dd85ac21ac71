"""Names on the map: none touches another or leaves the map, the important come first, and chosen ones before all."""

import numpy as np
import pytest

from core.topics import Layout, map_labels, map_range
from core.topics.layout import MOST_LABELS, NARROW, WIDE, label_box

HEIGHT = 540.0


def made(count: int, *, seed: int = 0, spread: float = 1.0) -> Layout:
    rng = np.random.default_rng(seed)
    return Layout("pca", np.arange(3), rng.normal(size=(3, 2)), spread * rng.normal(size=(count, 2)))


def boxes(layout: Layout, names, labels, width: float):
    low, high = map_range(layout)
    pixels = (layout.centroids - low) / (high - low) * np.array([width, HEIGHT])
    return [label_box(label, names, pixels) for label in labels]


@pytest.mark.parametrize("count", [2, 24, 47, 300])
@pytest.mark.parametrize("seed", [0, 1])
def test_no_name_touches_another_or_leaves_the_map(count, seed):
    layout = made(count, seed=seed)
    names = [f"topic {number} " * (1 + number % 4) for number in range(count)]
    labels = map_labels(layout, names, np.arange(count, dtype=float), height=HEIGHT)
    assert 1 <= len(labels) <= MOST_LABELS and len({label.topic for label in labels}) == len(labels)
    narrow = [label for label in labels if label.narrow]
    assert narrow == list(labels[: len(narrow)]), "the others are left out by their number"
    for width, shown in ((WIDE, labels), (2 * WIDE, labels), (NARROW, narrow)):
        placed = boxes(layout, names, shown, width)
        for index, (left, bottom, right, top) in enumerate(placed):
            assert left >= 0 and bottom >= 0 and right <= width and top <= HEIGHT
            for x0, y0, x1, y1 in placed[:index]:
                assert not (left < x1 and x0 < right and bottom < y1 and y0 < top)


def test_the_most_important_is_named_and_unknown_ones_come_last():
    layout = Layout(
        "pca", np.arange(1), np.zeros((1, 2)), np.array([[0.0, 0.0], [0.001, 0.0], [0.002, 0.0], [5.0, 5.0]])
    )
    labels = map_labels(layout, ["a" * 20] * 4, np.array([0.1, 0.9, np.nan, 0.2]), height=HEIGHT)
    assert labels[0].topic == 1
    named = [label.topic for label in labels]
    assert 2 not in named or named.index(2) == len(named) - 1


def test_chosen_topics_are_named_before_all():
    layout = made(400)
    labels = map_labels(layout, [f"t{n}" for n in range(400)], np.arange(400.0), height=HEIGHT, always=(3, 7))
    assert {3, 7} <= {label.topic for label in labels}


def test_topics_on_one_point_have_as_many_names_as_fit():
    layout = Layout("pca", np.arange(1), np.zeros((1, 2)), np.zeros((30, 2)))
    labels = map_labels(layout, ["name"] * 30, np.arange(30.0), height=HEIGHT)
    assert 1 <= len(labels) <= 6
