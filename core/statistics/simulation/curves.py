"""The points at which simulations are run for a chart, the curves that one test gives there, and what they say."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import isfinite
from typing import Any

import numpy as np

from ...arrays import known_mean
from ...formats import listed, percent
from ..conclusions import Conclusion
from .groups import GroupSettings
from .network_trials import PERTURBATIONS, NetworkRates
from .own_networks import NetworkProfile, OwnRates
from .resampling import RESAMPLING
from .type1 import SIMULATED_TESTS, Type1, rejection_sentence

SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)  # labelled
CORRELATIONS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9)
NETWORK_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9)
OWN_SHARES, QUOTED = (0.1, 0.2, 0.3, 0.4, 0.5), 0.3  # the paper's figure 5; the share that a sentence quotes
NOTICEABLE = 0.05  # a φ below is not worth a warning, whatever its size by chance

Point = tuple[str, float, float]  # a scheme, the share labelled, and the correlation of errors or the perturbation
OwnPoint = tuple[str, float]  # a scheme and the share labelled
Curves = dict[str, list[tuple[float, float, float, float]]]  # by scheme: x, the rate, and its interval


def group_points(correlation: float) -> list[Point]:
    """Every scheme at every share labelled with one correlation of errors, and at every correlation with half labelled."""
    by_share = [(scheme, labelled, correlation) for scheme in RESAMPLING for labelled in SHARES]
    return by_share + [(scheme, 0.5, value) for scheme in RESAMPLING for value in CORRELATIONS]


def at_point(point: Point, settings: GroupSettings, resamples: int) -> GroupSettings:
    """The settings at one point: schemes that overlap take so many resamples."""
    scheme, _, correlation = point
    folds = None if RESAMPLING[scheme].disjoint else resamples
    return replace(settings, correlation=correlation, folds=folds)


def group_curves(found: Mapping[Point, Type1], correlation: float, *, test: str) -> tuple[Curves, Curves]:
    """Type I error against the share labelled, and, with half labelled, against the measured correlation of errors."""
    by_share = _curves(found, [(share, correlation) for share in SHARES], test, lambda point, _: point[0])
    half = [(0.5, value) for value in CORRELATIONS]
    return by_share, _curves(found, half, test, lambda _, counted: counted.error_correlation)


def network_points(labelled: float) -> list[Point]:
    """Every scheme at every share labelled with equal models, and at every perturbation with this share labelled."""
    equal = [(scheme, share, 0.0) for share in NETWORK_SHARES for scheme in RESAMPLING]
    return equal + [(scheme, labelled, step) for step in PERTURBATIONS for scheme in RESAMPLING]


def network_curves(found: Mapping[Point, NetworkRates], labelled: float, *, test: str) -> tuple[Curves, Curves]:
    """Type I error against the share labelled, and power against the true difference."""
    type1 = _curves(found, [(share, 0.0) for share in NETWORK_SHARES], test, lambda point, _: point[0])
    better = [(labelled, step) for step in PERTURBATIONS]
    return type1, _curves(found, better, test, lambda _, counted: counted.difference)


def own_points() -> list[OwnPoint]:
    """Every scheme at every share labelled."""
    return [(scheme, share) for share in OWN_SHARES for scheme in RESAMPLING]


def own_curves(found: Mapping[OwnPoint, OwnRates], *, test: str) -> Curves:
    """Type I error on resamples against the share labelled."""
    return _curves(found, [(share,) for share in OWN_SHARES], test, lambda point, _: point[0])


def _curves(
    found: Mapping[Any, Any], points: Sequence[tuple[float, ...]], test: str, x: Callable[[Any, Any], float]
) -> Curves:
    """The test's rate under every scheme, at those of the points that have been counted and have an x."""
    curves: Curves = {scheme.upper(): [] for scheme in RESAMPLING}
    for scheme, point in product(RESAMPLING, points):
        counted = found.get((scheme, *point))
        if counted is not None and isfinite(at := x(point, counted)):
            curves[scheme.upper()].append((at, counted.rates[test], *counted.intervals[test]))
    return curves


def simulated_conclusion(found: Mapping[str, Type1 | NetworkRates | None], test: str, when: str) -> Conclusion:
    """How often the test errs under every scheme that has been counted, and when."""
    known = {
        scheme.upper(): (record.rates[test], record.intervals[test])
        for scheme, record in found.items()
        if record is not None
    }
    return Conclusion(rejection_sentence(known, test=f"the {SIMULATED_TESTS[test].label}"), (when,))


def own_conclusion(profiles: Sequence[NetworkProfile], rates: Mapping[OwnPoint, OwnRates], test: str) -> Conclusion:
    """Whether linked nodes are wrong together and, where networks were resampled, how often the test errs then."""
    along = profile_conclusion(profiles)
    at = {scheme: rates[scheme, QUOTED] for scheme in RESAMPLING if (scheme, QUOTED) in rates}
    if not at:
        return along
    sentence = own_rates_sentence(at, test=test, label=f"the {SIMULATED_TESTS[test].label}")
    return Conclusion(along.answer, (f"{sentence} ({percent(QUOTED)} labelled.)", *along.cautions))


def profile_conclusion(profiles: Sequence[NetworkProfile]) -> Conclusion:
    """Whether linked nodes are wrong together, averaged over networks, classifiers and shares labelled (Table 5)."""
    phi = float(known_mean(np.array([each.error_correlation for each in profiles])))
    alike = float(known_mean(np.array([each.autocorrelation for each in profiles])))
    labels = f"labels along links correlate by {alike:.2f}" if np.isfinite(alike) else "labels do not vary along links"
    if not np.isfinite(phi):
        return Conclusion(
            f"How errors run along links cannot be told: nobody errs, or no two linked nodes are tested; {labels}."
        )
    degree = float(np.mean([2 * each.links / each.nodes for each in profiles]))
    if phi < NOTICEABLE:
        answer = f"Errors hardly run along links: φ = {phi:.2f} over linked nodes; {labels}."
    else:
        answer = f"Linked nodes are wrong together: their errors correlate by φ = {phi:.2f}; {labels}."
    said = (
        f"A node has {degree:.1f} links on average. A test that takes nodes for independent believes it has more evidence than "
        "it has.",
    )
    return Conclusion(answer, said if phi >= NOTICEABLE else ())


def own_rates_sentence(found: Mapping[str, OwnRates], *, test: str, label: str) -> str:
    """How often the test named `test`, in words `label`, calls equal models different when these networks are resampled."""
    first = next(iter(found.values()))
    if not first.held_out:
        known = {scheme.upper(): (each.rates[test], each.intervals[test]) for scheme, each in found.items()}
        said = rejection_sentence(known, test=label)
        return (
            f"{said} That is of models made equal on this very network, of which resamples are independent draws: it says "
            "nothing of other networks of its kind. Give several parts to see that."
        )
    parts = [
        f"{percent(each.rates[test])} of resamplings under {scheme.upper()} "
        f"({100 * each.intervals[test][0]:.0f} to {percent(each.intervals[test][1])} by network)"
        for scheme, each in found.items()
    ]
    count = len(first.difference)
    return (
        f"With two models made equal on {count - 1} of {count} networks and compared on the last, each in turn, {label} at .05 "
        f"calls them different in {listed(parts)}."
    )
