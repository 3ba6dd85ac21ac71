"""What O2D2 puts on its texts' vectors: three losses, trained together, and a detector of pairs it had better not answer."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from ...arrays import Floats, Tensor, record
from ...splits import Pairs
from .neural import Weights, generator
from .o2d2_network import VECTOR

FACTOR = 40  # dimensions of the Bayes factor
ALPHA, BETA = 0.09, 1.5  # of the kernel at the start
NEAR, FAR = 0.91, 0.09  # where the contrastive loss is content
CONFIDENCE = 0.105  # weight of the entropy term
DENSE = (2 * VECTOR + 4, 60, 30, 1)  # the detector's layers
DROPOUT = 0.25
UNSURE = (0.3, 0.7)  # posteriors that the detector learns to flag
STEPS, RATE = 300, 1e-3
FEWEST = 10  # pairs of each kind without which nothing is learned


def start_heads(generator: Any) -> Weights:
    """The weights of all heads: diagonal covariances at first, dense layers at random."""
    import torch

    def dense(name: str, out: int, into: int) -> Weights:
        bound = into**-0.5
        weight = torch.empty(out, into).uniform_(-bound, bound, generator=generator)
        return {f"{name}.weight": weight, f"{name}.bias": torch.zeros(out)}

    return {
        "kernel.alpha": torch.tensor(ALPHA).log(),
        "kernel.beta": torch.tensor(BETA).log(),
        "factor.mean": torch.zeros(FACTOR),
        "factor.between": 0.3 * torch.eye(FACTOR),  # texts by one author hardly closer than others, until learned
        "factor.within": torch.eye(FACTOR),
        **dense("factor.map", FACTOR, VECTOR),
        **dense("confusion.map", FACTOR, FACTOR),
        **dense("confusion.entries", 4, FACTOR),
    }


def start_detector(generator: Any) -> Weights:
    """The detector's dense layers."""
    import torch

    weights: Weights = {}
    for number, (into, out) in enumerate(pairwise(DENSE)):
        bound = into**-0.5
        weights[f"{number}.weight"] = torch.empty(out, into).uniform_(-bound, bound, generator=generator)
        weights[f"{number}.bias"] = torch.zeros(out)
    return weights


@record
class Judged:
    """Of each pair: the kernel's likeness, the log Bayes factor, the confusion matrix [pair, is, says], and P(one author)."""

    likeness: Tensor
    log_factor: Tensor
    confusion: Tensor
    posterior: Tensor


def judged(weights: Weights, a: Tensor, b: Tensor) -> Judged:
    """Every head on pairs of vectors; the Bayes factor and the confusion matrix pass no gradient below themselves."""
    import torch
    from torch.nn.functional import linear

    apart = ((a - b) ** 2).sum(1)
    likeness = torch.exp(-weights["kernel.alpha"].exp() * (apart + 1e-9) ** weights["kernel.beta"].exp())
    x, y = (
        torch.tanh(linear(each.detach(), weights["factor.map.weight"], weights["factor.map.bias"])) for each in (a, b)
    )
    between, within = (covariance(weights[f"factor.{part}"]) for part in ("between", "within"))
    log_factor = log_bayes_factor(x, y, weights["factor.mean"], between, within)
    says = torch.sigmoid(log_factor.detach())
    apart = (x.detach() - y.detach()) ** 2
    inner = torch.tanh(linear(apart, weights["confusion.map.weight"], weights["confusion.map.bias"]))
    entries = linear(inner, weights["confusion.entries.weight"], weights["confusion.entries.bias"]).view(-1, 2, 2)
    # An entry says how likely it is one author (or two) where the Bayes factor says one (or two): at first, what it says.
    confusion = torch.softmax(entries + 2 * torch.eye(2), dim=1)
    posterior = (confusion[:, 1] * torch.stack([1 - says, says], dim=1)).sum(1)
    return Judged(likeness, log_factor, confusion, posterior)


def loss_of(found: Judged, same: Tensor) -> Tensor:
    """The three losses together: contrastive on likeness, cross-entropy of the Bayes factor, and the confusion's.

    Pairs by one author weigh as much together as all pairs by two.
    """
    import torch
    from torch.nn.functional import binary_cross_entropy, binary_cross_entropy_with_logits, relu

    truth = same.to(found.likeness.dtype)
    near, far = relu(NEAR - found.likeness) ** 2, relu(found.likeness - FAR) ** 2
    contrastive = torch.where(same, near, far)
    factor = binary_cross_entropy_with_logits(found.log_factor, truth, reduction="none")
    posterior = binary_cross_entropy(found.posterior.clamp(1e-6, 1 - 1e-6), truth, reduction="none")
    certain = (found.confusion * found.confusion.clamp_min(1e-9).log()).sum((1, 2))
    losses = contrastive + factor + posterior + CONFIDENCE * certain
    kinds = [losses[kind].mean() for kind in (same, ~same) if bool(kind.any())]
    return torch.stack(kinds).mean()


def covariance(root: Tensor) -> Tensor:
    """L·Lᵀ, L the root's lower triangle, and a little on the diagonal so that it can always be inverted."""
    import torch

    lower = torch.tril(root)
    return lower @ lower.T + 1e-4 * torch.eye(len(root), dtype=root.dtype)


def log_bayes_factor(x: Tensor, y: Tensor, mean: Tensor, between: Tensor, within: Tensor) -> Tensor:
    """ln p(x, y | one author) − ln p(x, y | two), where an author's texts scatter by `within` around a point of their own, and
    authors' points by `between` around `mean` (two-covariance model; Cumani et al. 2013).

    (x + y)/√2 and (x − y)/√2 are independent under both, so that no matrix is larger than one text's.
    """
    total = 2 * mean
    plus, minus = (x + y - total) * 0.5**0.5, (x - y) * 0.5**0.5
    apart = between + within
    one = _log_density(plus, within + 2 * between) + _log_density(minus, within)
    return one - _log_density(plus, apart) - _log_density(minus, apart)


def _log_density(x: Tensor, spread: Tensor) -> Tensor:
    """ln N(x; 0, spread) without the constant, which cancels."""
    import torch

    root = torch.linalg.cholesky(spread)
    scaled = torch.linalg.solve_triangular(root, x.T, upper=False)
    return -0.5 * (scaled**2).sum(0) - root.diagonal().log().sum()


def detector_input(a: Tensor, b: Tensor, confusion: Tensor) -> Tensor:
    """The vectors' squared difference, their squared sum and the four entries of the confusion matrix."""
    import torch

    return torch.cat([(a - b) ** 2, (a + b) ** 2, confusion.reshape(-1, 4)], dim=1)


def flagged(weights: Weights, given: Tensor, generator: Any | None = None) -> Tensor:
    """Log odds that a pair is one to leave unanswered; with a generator, some of every layer is dropped, as in training."""
    import torch
    from torch.nn.functional import linear

    last = len(DENSE) - 2
    for number in range(last + 1):
        given = linear(given, weights[f"{number}.weight"], weights[f"{number}.bias"])
        if number < last:
            given = torch.tanh(given)
            if generator is not None:
                kept = torch.rand(given.shape, generator=generator) >= DROPOUT
                given = given * kept / (1 - DROPOUT)
    return given[:, 0]


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
