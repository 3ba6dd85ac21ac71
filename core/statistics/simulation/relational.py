"""Classifiers that judge a node of a network by its neighbours' classes, with and without collective inference.

Arrays are [network, node, fold]: networks of one size and all their folds are one computation.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Bools, Floats, record
from ...errors import unknown

Rule = Callable[[Floats, Floats], Floats]  # positive and negative neighbours, as numbers to be expected → P(+)

ROUNDS = 99  # relaxation labelling as in Macskassy & Provost: 99 rounds of step β = .99^t
DECAY = 0.99
_SETTLED = 1e-3  # no probability moves by more in a round: by then predictions stay as they are
RIDGE = 1.0  # of the logistic regression's weights: half of it times their squares is added to the loss
_STEPS = 50  # of Newton's method at most; a handful is usual
_LARGEST_ODDS = 500.0  # a logarithm; beyond, exp overflows and nothing changes


@record
class LabelledPart:
    """What a classifier may learn from: the labelled nodes, and their neighbours as they are known.

    `positive` and `negative` count labelled neighbours. In `collective` inference a neighbour whose class is not known
    counts for each class as much as it is likely; without it, it does not count.
    """

    labels: Bools
    known: Bools
    prior: Floats
    positive: Floats
    negative: Floats
    degree: Floats
    collective: bool

    @property
    def expected(self) -> tuple[Floats, Floats]:
        """Positive and negative neighbours, those not known at the prior where they count."""
        if not self.collective:
            return self.positive, self.negative
        unsure = self.degree - self.positive - self.negative
        return self.positive + unsure * self.prior, self.negative + unsure * (1 - self.prior)


@dataclass(frozen=True, slots=True)
class Relational:
    """One choice of classifier: its label, a sentence about it, and what it learns of a labelled part."""

    label: str
    about: str
    learn: Callable[[LabelledPart], Rule]


def probabilities(links: Any, labels: Bools, known: Bools, *, model: str, collective: bool = True) -> Floats:
    """P(+) of every node by a named classifier; labelled nodes keep their label, and no other label is looked at.

    Collective: P ← βf(P) + (1 − β)P for all unlabelled nodes at once, β = .99^t, from the prior on (relaxation
    labelling, Macskassy & Provost 2007). Else: one look at the labelled neighbours.
    """
    if model not in RELATIONAL:
        raise unknown("relational classifier", model, RELATIONAL)
    truth = known & labels[:, :, None]
    prior = _prior(truth, known)
    positive, negative = (_neighbours(links, part.astype(np.float64)) for part in (truth, known & ~truth))
    degree = np.asarray(links.sum(axis=1), dtype=np.float64).reshape(*known.shape[:2], 1)
    part = LabelledPart(labels, known, prior, positive, negative, degree, collective)
    rule = RELATIONAL[model].learn(part)
    if not collective:
        return np.where(known, truth, rule(positive, negative))
    return _relaxed(rule, part, links)


def _relaxed(rule: Rule, part: LabelledPart, links: Any) -> Floats:
    probability = np.where(part.known, part.labels[:, :, None], part.prior)
    still = part.known  # a fold that has settled stays as it is, whatever else is computed along with it
    for step in range(ROUNDS):
        weight = DECAY**step
        likely = _neighbours(links, probability)
        moved = weight * rule(likely, part.degree - likely) + (1 - weight) * probability
        moved = np.where(still, probability, moved)
        still = still | (np.abs(moved - probability).max(axis=1, keepdims=True) < _SETTLED)
        probability = moved
        if still.all():
            break
    return probability


def weighted_vote(part: LabelledPart) -> Rule:
    """wvRN: P(+|N_i) = mean of the neighbours' P(+); without a neighbour that counts, the share among the labelled."""

    def rule(positive: Floats, negative: Floats) -> Floats:
        counted = positive + negative
        return np.where(counted > 0, positive / np.where(counted > 0, counted, 1.0), part.prior)

    return rule


def network_bayes(part: LabelledPart) -> Rule:
    """nBC: P(+|N_i) ∝ P(+) ∏_j P(y_j|+), multinomial naive Bayes on the neighbours' classes.

    P(y|c) is the share of class y among the labelled neighbours of labelled nodes of class c, with one of each class
    added (Laplace): at 10 % labelled a class may have no labelled pair at all, and maximum likelihood would be 0/0.
    """
    chances = []  # P(a neighbour is +) beside a positive node, beside a negative one
    for own in (part.known & part.labels[:, :, None], part.known & ~part.labels[:, :, None]):
        with_positive = (own * part.positive).sum(axis=1, keepdims=True)
        with_negative = (own * part.negative).sum(axis=1, keepdims=True)
        chances.append((with_positive + 1) / (with_positive + with_negative + 2))
    for_positive = np.log(chances[0] / chances[1])
    for_negative = np.log((1 - chances[0]) / (1 - chances[1]))
    return lambda positive, negative: _share(_log_odds(part.prior) + positive * for_positive + negative * for_negative)


def link_regression(part: LabelledPart) -> Rule:
    """Link-based: log odds = log odds of the prior + w₀ + w₊·positive + w₋·negative neighbours (Lu & Getoor 2003).

    Logistic regression over the labelled nodes on the counts of their neighbours' classes, the weights shrunk by a
    ridge: a fold may have few labelled nodes, or one class only.
    """
    weights = _logistic_weights(*part.expected, part)

    def rule(positive: Floats, negative: Floats) -> Floats:
        return _share(_log_odds(part.prior) + weights[0] + weights[1] * positive + weights[2] * negative)

    return rule


def _logistic_weights(positive: Floats, negative: Floats, part: LabelledPart) -> Floats:
    """Newton's method for all networks and folds at once: `weights[which, network, 0, fold]`."""
    networks, _, folds = part.known.shape
    inputs = np.stack(np.broadcast_arrays(np.ones(part.known.shape), positive, negative)) * part.known
    truth = (part.known & part.labels[:, :, None]).astype(np.float64)
    start = np.broadcast_to(_log_odds(part.prior), (networks, 1, folds))
    weights = np.zeros((3, networks, 1, folds))
    for _ in range(_STEPS):
        likely = _share(start + (weights * inputs).sum(axis=0))
        slope = np.einsum("inkf,nkf->nfi", inputs, truth - likely * part.known) - RIDGE * weights[:, :, 0].transpose(
            1, 2, 0
        )
        curve = np.einsum("inkf,jnkf,nkf->nfij", inputs, inputs, likely * (1 - likely)) + RIDGE * np.eye(3)
        step = np.linalg.solve(curve, slope[..., None])[..., 0]
        step /= np.maximum(1.0, np.abs(step).max(axis=2, keepdims=True))  # far from the answer a whole step overshoots
        weights = weights + step.transpose(2, 0, 1)[:, :, None, :]
        if np.abs(step).max() < 1e-9:
            break
    return weights


def _share(odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -_LARGEST_ODDS, _LARGEST_ODDS))))


def _log_odds(share: Floats) -> Floats:
    return np.asarray(np.log(share / (1 - share)))


def _prior(truth: Bools, known: Bools) -> Floats:
    """Share of positives among a fold's labelled nodes, one of each class added so that it is never 0 or 1."""
    return np.asarray((truth.sum(axis=1, keepdims=True) + 1) / (known.sum(axis=1, keepdims=True) + 2))


def _neighbours(links: Any, values: Floats) -> Floats:
    """For every node the sum of its neighbours' values."""
    return np.asarray(links @ values.reshape(-1, values.shape[2])).reshape(values.shape)


RELATIONAL: Mapping[str, Relational] = {
    "wvrn": Relational("wvRN", "The mean of the neighbours' class probabilities; nothing is learned.", weighted_vote),
    "nbc": Relational("nBC", "Multinomial naive Bayes on the neighbours' classes.", network_bayes),
    "link": Relational("link-based", "Logistic regression on the counts of the neighbours' classes.", link_regression),
}
