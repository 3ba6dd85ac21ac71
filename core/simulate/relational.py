"""Two classifiers that see only a node's neighbours, wvRN and nBC, with relaxation labelling (Macskassy & Provost 2007).

Arrays are [network, node, fold]: all folds of several networks of one size are one sparse product.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Update = Callable[[Floats], Floats]

ROUNDS = 99  # relaxation labelling as in Macskassy & Provost: 99 rounds of step β = .99^t
DECAY = 0.99
_SETTLED = 1e-3  # no probability moves by more in a round: by then predictions stay as they are


def weighted_vote(links: Any, labels: Bools, known: Bools) -> Floats:
    """wvRN: P(+|N_i) = mean of the neighbours' P(+), relaxed; `known` marks the labelled nodes of each fold.

    A node without neighbours keeps the share of positives among the labelled.
    """
    prior = _prior(labels, known)
    degree = _degrees(links, known.shape)
    alone = degree == 0

    def update(probability: Floats) -> Floats:
        return np.where(alone, prior, _neighbours(links, probability) / np.maximum(degree, 1))

    return _relaxed(update, labels, known, prior)


def network_bayes(links: Any, labels: Bools, known: Bools) -> Floats:
    """nBC: P(+|N_i) ∝ P(+) ∏_j P(y_j|+), multinomial naive Bayes on the neighbours' classes, relaxed.

    P(y|c) is the share of class y among the labelled neighbours of labelled nodes of class c, with one of each class
    added (Laplace): at 10 % labelled a class may have no labelled pair at all, and maximum likelihood would be 0/0. A
    neighbour whose class is not known counts for each class as much as it is likely.
    """
    degree = _degrees(links, known.shape)
    positive = (known & labels[:, :, None]).astype(np.float64)
    negative = (known & ~labels[:, :, None]).astype(np.float64)
    to_positive, to_negative = _neighbours(links, positive), _neighbours(links, negative)
    chances = []  # P(a neighbour is +) beside a positive node, beside a negative one
    for own in (positive, negative):
        with_positive = (own * to_positive).sum(axis=1, keepdims=True)
        with_negative = (own * to_negative).sum(axis=1, keepdims=True)
        chances.append((with_positive + 1) / (with_positive + with_negative + 2))
    for_positive = np.log(chances[0] / chances[1])
    for_negative = np.log((1 - chances[0]) / (1 - chances[1]))
    prior = _prior(labels, known)
    prior_odds = np.log(prior / (1 - prior))

    def update(probability: Floats) -> Floats:
        likely = _neighbours(links, probability)
        odds = prior_odds + likely * for_positive + (degree - likely) * for_negative
        return np.asarray(1 / (1 + np.exp(-np.clip(odds, -500, 500))))

    return _relaxed(update, labels, known, prior)


RELATIONAL: Mapping[str, Callable[[Any, Bools, Bools], Floats]] = {"wvrn": weighted_vote, "nbc": network_bayes}


def _relaxed(update: Update, labels: Bools, known: Bools, prior: Floats) -> Floats:
    """P ← βf(P) + (1 − β)P for the unlabelled nodes, all at once, β = .99^t, from the prior on; labels stay as they are."""
    truth = np.broadcast_to(labels[:, :, None], known.shape)
    probability = np.where(known, truth, prior)
    still = known  # a fold that has settled stays as it is, whatever else is computed along with it
    for step in range(ROUNDS):
        weight = DECAY**step
        moved = np.where(still, probability, weight * update(probability) + (1 - weight) * probability)
        still = still | (np.abs(moved - probability).max(axis=1, keepdims=True) < _SETTLED)
        probability = moved
        if still.all():
            break
    return probability


def _prior(labels: Bools, known: Bools) -> Floats:
    """Share of positives among a fold's labelled nodes, one of each class added so that it is never 0 or 1."""
    positive = (known & labels[:, :, None]).sum(axis=1, keepdims=True)
    return np.asarray((positive + 1) / (known.sum(axis=1, keepdims=True) + 2))


def _neighbours(links: Any, values: Floats) -> Floats:
    """For every node the sum of its neighbours' values."""
    folds = values.shape[2]
    return np.asarray(links @ values.reshape(-1, folds)).reshape(values.shape)


def _degrees(links: Any, shape: tuple[int, ...]) -> Floats:
    return np.asarray(links.sum(axis=1), dtype=np.float64).reshape(shape[0], shape[1], 1)
