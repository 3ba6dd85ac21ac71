"""Networks in which hidden groups make both the labels and the links (latent group model, Neville et al. 2012, §6.2)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from ...arrays import Bools, Ints, record
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
    """Labels (True: positive) and undirected links (i < j).

    Of a made network also each node's group, and whether that group is of type A.
    """

    labels: Bools
    links: Ints
    groups: Ints | None = None
    type_a: Bools | None = None

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def autocorrelation(self) -> float:
        """Pearson's correlation of 0–1 labels over linked pairs, each link from both ends; NaN where they do not vary."""
        if len(self.links) == 0:
            raise SettingError(
                "The network has no link, so labels cannot be compared along links; add links, or raise their rates."
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
    return Network(labels, np.column_stack([first[linked], second[linked]]), groups, type_a)


def adjacency(networks: list[Network]) -> Any:
    """One symmetric sparse matrix with the networks as blocks, so that all of them are one product."""
    from scipy.sparse import csr_array

    starts = np.cumsum([0, *(len(network) for network in networks)])
    links = np.concatenate([network.links + start for network, start in zip(networks, starts, strict=False)])
    if len(links) == 0:
        raise SettingError(
            "The network has no link, so neighbours say nothing of a node; add links, or raise their rates."
        )
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
