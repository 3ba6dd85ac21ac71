"""O2D2's detector: trained on the texts held out from training to flag pairs that are answered wrongly or unsurely."""

from collections.abc import Mapping

import numpy as np

from ...arrays import Floats
from ...splits import Pairs
from .neural import Tensor, Weights, generator
from .o2d2_heads import UNSURE, detector_input, flagged, judged, start_detector

STEPS, RATE = 300, 1e-3
FEWEST = 10  # pairs of each kind without which nothing is learned


def train_detector(weights: Weights, vectors: Mapping[int, Floats], held: Pairs, *, seed: int) -> tuple[Weights, str]:
    """The detector's weights, none where there is nothing to learn, and a sentence that says what was learned."""
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits

    double = {name: value.detach().double() for name, value in weights.items()}
    a, b = (torch.from_numpy(np.stack([vectors[row] for row in side.tolist()])) for side in (held.first, held.second))
    with torch.no_grad():
        found = judged(double, a, b)
    posterior = found.posterior.numpy()
    unsure = (posterior > UNSURE[0]) & (posterior < UNSURE[1])
    undecided = unsure | ((posterior > 0.5) != held.same)
    count = int(undecided.sum())
    if min(count, len(undecided) - count) < FEWEST:
        return (
            {},
            f"{count:,} of {len(undecided):,} held-out pairs are wrong or unsure, too few or too many to learn from: all are answered.",
        )
    given = detector_input(a, b, found.confusion)
    draws = generator(seed)
    detector = {name: value.double().requires_grad_(True) for name, value in start_detector(draws).items()}
    optimizer = torch.optim.Adam(detector.values(), lr=RATE)
    truth = torch.from_numpy(undecided).double()
    for _ in range(STEPS):
        loss: Tensor = binary_cross_entropy_with_logits(flagged(detector, given, draws), truth)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        left = int((flagged(detector, given) > 0).sum())
    said = f"{count:,} of {len(undecided):,} held-out pairs are wrong or unsure; the detector leaves {left:,} of them all unanswered."
    return {name: value.detach() for name, value in detector.items()}, said
