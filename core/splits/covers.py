"""Which topics leave which side of a split so that nothing alike is on both: covers of the pairs that leak, and whole families."""

import numpy as np

from ..arrays import Bools, Ints
from .components import components

MOST_NODES = 500  # of the integer program's search tree


def leaks(alike: Bools, sizes: Ints) -> Ints:
    """Pairs of a training topic and a test topic that are alike."""
    return np.argwhere(alike & (sizes[0] > 0)[:, None] & (sizes[1] > 0)[None, :])


def least_cover(alike: Bools, sizes: Ints, kept: float) -> tuple[Bools | None, bool]:
    """Which topics leave which side (rows), the fewest documents in all; None where either side would lose too much."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array, vstack

    leaking, count = leaks(alike, sizes), sizes.shape[1]
    pair = np.arange(len(leaking)).repeat(2)
    column = (leaking + np.array([0, count])).ravel()
    covered = csr_array((np.ones(len(pair)), (pair, column)), shape=(len(leaking), 2 * count))
    of_side = csr_array((sizes.ravel().astype(float), (np.arange(2).repeat(count), np.arange(2 * count))))
    low = np.concatenate([np.ones(len(leaking)), np.zeros(2)])
    high = np.concatenate([np.full(len(leaking), 2.0), (1 - kept) * sizes.sum(axis=1)])
    answer = milp(
        sizes.ravel().astype(float),
        integrality=np.ones(2 * count),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(vstack([covered, of_side]), low, high),
        options={"node_limit": MOST_NODES},
    )
    if answer.x is None:
        return None, False
    leaving = (answer.x > 0.5).reshape(2, count) & (sizes > 0)
    return leaving, answer.status == 0


def whole_families(alike: Bools, sizes: Ints, kept: float) -> Bools | None:
    """Which topics leave which side when everything that hangs together goes to one side, the fewest documents in all, so
    that either side ends with at least the share `kept` of the documents it had; None where that cannot be."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    family = components(alike)
    count = int(family.max()) + 1
    held = np.stack([np.bincount(family, weights=side, minlength=count) for side in sizes])
    documents = held.sum(axis=0)
    least = kept * sizes.sum(axis=1)
    # x = 1 where a family is in test: its training documents move, else its test documents do.
    answer = milp(
        held[0] - held[1],
        integrality=np.ones(count),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(documents[None, :], least[1], documents.sum() - least[0]),
        options={"node_limit": MOST_NODES},
    )
    if answer.x is None:
        return None
    in_test = (answer.x > 0.5)[family]
    return np.stack([in_test, ~in_test]) & (sizes > 0)


def movable(alike: Bools, sizes: Ints, leaving: Bools) -> Bools:
    """Which of those that leave can go to the other side: nothing alike is left behind; the largest go first."""
    present = (sizes > 0) & ~leaving
    moving = np.zeros_like(leaving)
    for flat in np.argsort(-np.where(leaving, sizes, 0).ravel(), kind="stable")[: int(leaving.sum())].tolist():
        side, topic = divmod(flat, sizes.shape[1])
        if not (alike[topic] & present[side]).any():
            moving[side, topic] = present[1 - side, topic] = True
    return moving
