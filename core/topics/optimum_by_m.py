"""How far HITS is from the optimum at every m: the least possible maximum, as a curve beside the path's."""

import numpy as np

from ..arrays import Bools, Floats, record
from ..progress import Progress
from .least_maximum import optima

MOST_SIZES, EVERY_SIZE = (
    40,
    160,
)  # values of m that are searched, where there are more topics than those searched at every m


@record
class OptimumCurve:
    """Entry m − 1 is of m topics: `max` is the highest similarity of the sample found, `mean` that over its pairs, and no
    sample has a maximum below `bound`; `proven` says where the two are one. NaN for one topic, `mean` also where only
    larger and smaller samples were searched: of these the larger one's maximum holds for every part of it."""

    max: Floats
    mean: Floats
    bound: Floats
    proven: Bools


def optimum_curve(similarity: Floats, *, progress: Progress | None = None) -> OptimumCurve:
    """The least possible maximum of m topics for every m that can be placed; of many topics at some m, and between them
    as it follows from its neighbours, because it never falls as m grows."""
    placed = int((~np.isnan(np.diag(similarity))).sum())
    sizes = searched_sizes(placed)
    found = optima(similarity, sizes, progress=progress)
    highest, mean, bound = np.full((3, placed), np.nan)
    for m, best in zip(sizes, found, strict=True):
        mean[m - 1] = best.mean
    above = np.searchsorted(sizes, np.arange(2, placed + 1))
    below = np.searchsorted(sizes, np.arange(2, placed + 1), side="right") - 1
    highest[1:] = [found[at].max for at in above]
    bound[1:] = [found[at].max_bound for at in below]
    return OptimumCurve(highest, mean, bound, bound >= highest)


def searched_sizes(placed: int) -> list[int]:
    """Every m from 2 on, or some of them, the last one always among them."""
    most = placed if placed <= EVERY_SIZE else MOST_SIZES
    sizes: list[int] = np.unique(np.linspace(2, placed, most).round().astype(int)).tolist() if placed > 1 else []
    return sizes
