"""Which topics are named on the map, and where: as many as fit without touching, the most important first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..arrays import Floats
from .layout import Layout

MOST_LABELS = 40
NARROW_LABELS = 8  # that fit on a telephone too; the page leaves out the rest there
MOST_TRIED = 400  # topics: the rest are the least important
NARROW, WIDE = 300.0, 660.0  # pixels of the map's width on a telephone, and on a laptop beside the sidebar
LETTER, HEIGHT, APART = 7.2, 17.0, 14.0  # pixels: a letter's width, a line's height, and from dot to line
LONGEST = 24  # letters
ROOM = 0.06  # of the map, round what is drawn

Anchor = Literal["left", "center", "right"]
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class MapLabel:
    """A topic's name above or below its centroid, beginning, centred or ending there."""

    topic: int
    above: bool
    anchor: Anchor


def map_labels(
    layout: Layout, names: Sequence[str], importance: Floats, *, height: float, always: Sequence[int] = ()
) -> tuple[MapLabel, ...]:
    """Names in order of importance (NaN last), `always` before all, each where no other name and no edge is in its way.

    The first few are placed for a narrow map: what does not touch there does not on a wide one.
    """
    low, high = map_range(layout)
    share = (layout.centroids - low) / np.maximum(high - low, 1e-12)
    ranked = np.argsort(-np.nan_to_num(importance, nan=-np.inf), kind="stable")
    wanted = list(dict.fromkeys([*always, *ranked.tolist()]))[:MOST_TRIED]
    placed: dict[int, MapLabel] = {}
    for width, most in ((NARROW, NARROW_LABELS), (WIDE, MOST_LABELS)):
        size = np.array([width, height])
        taken = [label_box(label, names, share * size) for label in placed.values()]
        for topic in wanted:
            if len(placed) < most and topic not in placed:
                label = _fitting(topic, names, share * size, taken, size)
                if label is not None:
                    placed[topic] = label
                    taken.append(label_box(label, names, share * size))
    return tuple(placed.values())


def map_range(layout: Layout) -> tuple[Floats, Floats]:
    """The lower left and upper right corner of the map: everything drawn, and some room for names."""
    points = np.vstack([layout.documents, layout.centroids])
    low, high = points.min(axis=0), points.max(axis=0)
    return low - ROOM * (high - low), high + ROOM * (high - low)


def label_box(label: MapLabel, names: Sequence[str], positions: Floats) -> Box:
    """Left, bottom, right and top of a name, in the pixels of the positions."""
    x, y = positions[label.topic].tolist()
    length = LETTER * min(len(names[label.topic]), LONGEST)
    left = x - {"left": 0.0, "center": length / 2, "right": length}[label.anchor]
    bottom = y + (APART if label.above else -APART) - HEIGHT / 2
    return left, bottom, left + length, bottom + HEIGHT


def _fitting(topic: int, names: Sequence[str], positions: Floats, taken: list[Box], size: Floats) -> MapLabel | None:
    """The name where it is free, on the side of the middle first; None where it is nowhere."""
    low = bool(positions[topic, 1] <= size[1] / 2)
    anchors: tuple[Anchor, ...] = ("center", "left", "right")
    for label in (MapLabel(topic, above, anchor) for anchor in anchors for above in (low, not low)):
        left, bottom, right, top = label_box(label, names, positions)
        inside = left >= 0 and bottom >= 0 and right <= size[0] and top <= size[1]
        if inside and not any(left < x1 and x0 < right and bottom < y1 and y0 < top for x0, y0, x1, y1 in taken):
            return label
    return None
