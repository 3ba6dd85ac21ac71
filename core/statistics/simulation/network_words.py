"""What may be said of networks of one's own: how errors run along links, and how often tests err when they are resampled."""

from collections.abc import Mapping, Sequence

import numpy as np

from ...arrays import known_mean
from ...formats import listed, percent
from ..conclusions import Conclusion
from .own_networks import NetworkProfile, OwnRates
from .type1 import rejection_sentence

NOTICEABLE = 0.05  # a φ below is not worth a warning, whatever its size by chance


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
