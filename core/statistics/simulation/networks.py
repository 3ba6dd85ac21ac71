"""Networks in which hidden groups make both the labels and the links (latent group model, Neville et al. 2012, §6.2)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from ...arrays import Bools, Floats, Ints, record
from ...errors import SettingError, unknown

# The papers give the rate of a link from an A group and from a B group, and leave open which holds between the two.
MIXED_RATES: Mapping[str, Callable[[float, float], float]] = {
    "geometric": lambda a, b: sqrt(a * b),
    "mean": lambda a, b: (a + b) / 2,
    "minimum": min,
}
MOST_NODES = 3_000


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """The paper's numbers: groups of type A are mostly positive and closely knit, those of type B mostly negative."""

    nodes: int = 300
    group_size: float = 10.0
    share_a: float = 0.75
    positive_a: float = 0.9
    positive_b: float = 0.1
    inside_a: float = 0.6
    inside_b: float = 0.4
    between_a: float = 0.003
    between_b: float = 0.013
    mixed: str = "geometric"


@record
class Network:
    """Labels (True: positive), each node's group, whether that group is of type A, and undirected links (i < j)."""

    labels: Bools
    groups: Ints
    type_a: Bools
    links: Ints

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def autocorrelation(self) -> float:
        """Pearson's correlation of 0–1 labels over linked pairs, each link from both ends; NaN where they do not vary."""
        if len(self.links) == 0:
            raise SettingError(
                "The network has no link, so labels cannot be compared along links; raise the link rates."
            )
        ends = self.labels[self.links].astype(np.float64)
        share = float(ends.mean())
        if share in (0.0, 1.0):
            return float("nan")
        return float(((ends[:, 0] - share) * (ends[:, 1] - share)).mean() / (share * (1 - share)))


def latent_group_network(settings: NetworkSettings, rng: np.random.Generator) -> Network:
    """Nodes join one of n/10 groups at random; the group's type decides P(+) and, with the other end's, P(link).

    P(link) inside a group is its type's; between groups of one type that type's, between A and B `settings.mixed`'s.
    """
    _check(settings)
    n = settings.nodes
    count = max(1, round(n / settings.group_size))
    groups = rng.integers(0, count, size=n)
    type_a = (rng.random(count) < settings.share_a)[groups]
    labels = rng.random(n) < np.where(type_a, settings.positive_a, settings.positive_b)
    first, second = np.triu_indices(n, k=1)
    # Types as 0, 1, 2: no A, one A, both A.
    mixed = MIXED_RATES[settings.mixed](settings.between_a, settings.between_b)
    between = np.array([settings.between_b, mixed, settings.between_a])
    rate = between[type_a[first].astype(np.int64) + type_a[second]]
    same = groups[first] == groups[second]
    rate[same] = np.where(type_a[first[same]], settings.inside_a, settings.inside_b)
    linked = rng.random(len(rate)) < rate
    return Network(labels, groups, type_a, np.column_stack([first[linked], second[linked]]))


def adjacency(networks: list[Network]) -> Any:
    """One symmetric sparse matrix with the networks as blocks, so that all of them are one product."""
    from scipy.sparse import csr_array

    starts = np.cumsum([0, *(len(network) for network in networks)])
    links = np.concatenate([network.links + start for network, start in zip(networks, starts, strict=False)])
    if len(links) == 0:
        raise SettingError("The network has no link, so neighbours say nothing of a node; raise the link rates.")
    rows, columns = np.concatenate([links, links[:, ::-1]]).T
    return csr_array((np.ones(len(rows)), (rows, columns)), shape=(starts[-1], starts[-1]))


def _check(settings: NetworkSettings) -> None:
    if settings.mixed not in MIXED_RATES:
        raise unknown("rate for links between A and B groups", settings.mixed, MIXED_RATES)
    if not 10 <= settings.nodes <= MOST_NODES:
        raise SettingError(f"{settings.nodes:,} nodes; choose from 10 to {MOST_NODES:,}.")
    if not 1 <= settings.group_size <= settings.nodes:
        raise SettingError(f"A mean group size of {settings.group_size:g}; choose from 1 to {settings.nodes:,}.")
    for name in ("share_a", "positive_a", "positive_b", "inside_a", "inside_b", "between_a", "between_b"):
        rate = getattr(settings, name)
        if not 0 <= rate <= 1:
            raise SettingError(f"{name} is {rate}, and it is a probability; choose one from 0 to 1.")


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
