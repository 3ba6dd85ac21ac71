"""List the points at which simulations run for a chart, and make one test's curves."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import isfinite
from typing import Any

from .groups import GroupSettings, Type1
from .network_trials import PERTURBATIONS, NetworkRates, OwnRates
from .resampling import RESAMPLING

SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)  # labelled
CORRELATIONS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9)
NETWORK_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9)
OWN_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)  # the paper's figure 5

Point = tuple[str, float, float]  # a scheme, the share labelled, and the correlation of errors or the perturbation
OwnPoint = tuple[str, float]  # a scheme and the share labelled
Curves = dict[str, list[tuple[float, float, float, float]]]  # by scheme: x, the rate, and its interval


def group_points(correlation: float) -> list[Point]:
    """Return every scheme at every share labelled with this error correlation, and at every correlation with half."""
    by_share = [(scheme, labelled, correlation) for scheme in RESAMPLING for labelled in SHARES]
    return by_share + [(scheme, 0.5, value) for scheme in RESAMPLING for value in CORRELATIONS]


def at_point(point: Point, settings: GroupSettings, resamples: int) -> GroupSettings:
    """Return the settings at one point; schemes whose test sets overlap take this many resamples."""
    scheme, _, correlation = point
    folds = None if RESAMPLING[scheme].disjoint else resamples
    return replace(settings, correlation=correlation, folds=folds)


def group_curves(found: Mapping[Point, Type1], correlation: float, *, test: str) -> tuple[Curves, Curves]:
    """Return Type I error against the share labelled and, with half labelled, against the measured correlation of errors."""
    by_share = _curves(found, [(share, correlation) for share in SHARES], test, lambda point, _: point[0])
    half = [(0.5, value) for value in CORRELATIONS]
    return by_share, _curves(found, half, test, lambda _, counted: counted.error_correlation)


def network_points(labelled: float) -> list[Point]:
    """Return every scheme at every share labelled with equal models, and at every perturbation with this share labelled."""
    equal = [(scheme, share, 0.0) for share in NETWORK_SHARES for scheme in RESAMPLING]
    return equal + [(scheme, labelled, step) for step in PERTURBATIONS for scheme in RESAMPLING]


def network_curves(found: Mapping[Point, NetworkRates], labelled: float, *, test: str) -> tuple[Curves, Curves]:
    """Return Type I error against the share labelled, and power against the true difference."""
    type1 = _curves(found, [(share, 0.0) for share in NETWORK_SHARES], test, lambda point, _: point[0])
    better = [(labelled, step) for step in PERTURBATIONS]
    return type1, _curves(found, better, test, lambda _, counted: counted.difference)


def own_points() -> list[OwnPoint]:
    """Return every scheme at every share labelled."""
    return [(scheme, share) for share in OWN_SHARES for scheme in RESAMPLING]


def own_curves(found: Mapping[OwnPoint, OwnRates], *, test: str) -> Curves:
    """Return Type I error on resamples against the share labelled."""
    return _curves(found, [(share,) for share in OWN_SHARES], test, lambda point, _: point[0])


def _curves(
    found: Mapping[Any, Any], points: Sequence[tuple[float, ...]], test: str, x: Callable[[Any, Any], float]
) -> Curves:
    """Return the test's rate under every scheme at the points that have been counted and have an x."""
    curves: Curves = {scheme.upper(): [] for scheme in RESAMPLING}
    for scheme, point in product(RESAMPLING, points):
        counted = found.get((scheme, *point))
        if counted is not None and isfinite(at := x(point, counted)):
            curves[scheme.upper()].append((at, counted.rates[test], *counted.intervals[test]))
    return curves
