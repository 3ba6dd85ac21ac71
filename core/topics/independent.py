"""Topics of which no two conflict: as many as can be found, and how many there can be at most."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Ints

# Counts and not seconds, so that the answer is the same on every machine.
MOST_COLOURED = 500_000  # topics that the search colours, again in every branch
WIDEST_GAP = (
    3  # topics between the best set and its bound up to which the integer program is asked: it seldom closes more
)
MOST_WORK = 2_000_000  # topics × those in all the cliques together, up to which it is solved
MOST_NODES = 20  # of its search tree
MOST_EDGES = 40_000  # conflicts for which cliques are sought


@dataclass(frozen=True, slots=True)
class Independent:
    """Topics of which no two conflict, and the number that no such set exceeds."""

    topics: Ints
    at_most: int


def independent_topics(conflict: Bools) -> Independent:
    """A largest set of topics without conflict (`conflict` is symmetric, its diagonal False).

    A greedy set and a cover by cliques, of which each gives at most one topic, often meet. Else branch and bound decides
    (`_branched`); where that ends at its limit with a small gap, the integer program: maximise Σ x_i,
    x_i ∈ {0, 1}, with Σ_{i ∈ C} x_i ≤ 1 for cliques C that hold every conflict. What is left open is a gap.
    """
    best, at_most = _greedy(conflict), _cover(conflict)
    if len(best) == at_most:
        return Independent(best, at_most)
    best, bound = _branched(conflict, best)
    at_most = min(at_most, bound)
    if not 0 < at_most - len(best) <= WIDEST_GAP or np.count_nonzero(conflict) > 2 * MOST_EDGES:
        return Independent(best, at_most)
    cliques = _cliques(conflict)
    if sum(map(len, cliques)) * len(conflict) > MOST_WORK:
        return Independent(best, at_most)
    found, bound = _solved(cliques, len(conflict))
    best = found if len(found) > len(best) else best
    return Independent(best, max(min(at_most, bound), len(best)))


def _branched(conflict: Bools, start: Ints) -> tuple[Ints, int]:
    """Branch and bound over sets without conflict (Tomita and Seki 2003): those left are coloured, a colour for each clique
    of conflicting topics, so that a branch with too few colours cannot beat the best set known, which is `start` at first.
    """
    clash, rank = _bits(conflict, np.argsort(conflict.sum(axis=1), kind="stable"))
    size, best, reached, left = len(start), start, len(clash), MOST_COLOURED
    chosen: list[int] = []
    inside = [(1 << len(clash)) - 1]  # of every branch, the topics that may still be chosen
    branches = [_coloured(clash, inside[0])]
    while branches:
        order, colours = branches[-1]
        if not order or len(chosen) + colours[-1] <= size:
            branches.pop()
            inside.pop()
            if chosen:
                chosen.pop()
            continue
        topic, colour = order.pop(), colours.pop()
        if not chosen:
            reached = colour  # no set that is still to be looked at is larger
        chosen.append(topic)
        inside[-1] ^= 1 << topic
        free = inside[-1] & ~clash[topic]
        if free:
            inside.append(free)
            branches.append(_coloured(clash, free))
            left -= len(branches[-1][0])
            if left <= 0:
                return best, max(size, reached)
        else:
            if len(chosen) > size:
                size, best = len(chosen), np.sort(rank[chosen])
            chosen.pop()
    return best, size


def _coloured(clash: list[int], free: int) -> tuple[list[int], list[int]]:
    """Topics with the number of their colour, which rises; those of one colour are all in conflict."""
    order: list[int] = []
    colours: list[int] = []
    colour = 0
    while free:
        colour += 1
        near = free
        while near:
            topic = _first(near)
            free ^= 1 << topic
            near &= clash[topic] & free
            order.append(topic)
            colours.append(colour)
    return order, colours


def _solved(cliques: list[Ints], count: int) -> tuple[Ints, int]:
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    rows = np.repeat(np.arange(len(cliques)), [len(clique) for clique in cliques])
    shape = (len(cliques), count)
    matrix = csr_array((np.ones(len(rows)), (rows, np.concatenate(cliques))), shape=shape)
    answer = milp(
        -np.ones(count),
        integrality=np.ones(count),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, -np.inf, 1.0),
        options={"node_limit": MOST_NODES, "mip_rel_gap": 0.0},
    )
    topics = np.flatnonzero(answer.x > 0.5) if answer.x is not None else np.empty(0, dtype=np.int64)
    known = answer.mip_dual_bound
    return topics, count if known is None or not np.isfinite(known) else int(np.floor(-known + 1e-6))


def _greedy(conflict: Bools) -> Ints:
    """Always the topic with the fewest conflicts among those left."""
    left = np.ones(len(conflict), dtype=np.bool_)
    degree = conflict.sum(axis=1)
    chosen = []
    while left.any():
        topic = int(np.argmin(np.where(left, degree, len(conflict) + 1)))
        chosen.append(topic)
        gone = conflict[topic] & left
        gone[topic] = True
        left &= ~gone
        degree = degree - conflict[:, gone].sum(axis=1)
    return np.array(sorted(chosen), dtype=np.int64)


def _cover(conflict: Bools) -> int:
    """How many cliques of conflicting topics a greedy cover of all topics needs; no set without conflict is larger."""
    graph, _ = _bits(conflict, np.argsort(conflict.sum(axis=1), kind="stable"))
    left = (1 << len(graph)) - 1
    cliques = 0
    while left:
        near = left
        while near:
            topic = _first(near)
            left ^= 1 << topic
            near &= graph[topic] & left
        cliques += 1
    return cliques


def _cliques(conflict: Bools) -> list[Ints]:
    """Cliques that together hold every conflict, each grown from a conflict not held yet, by many more where it can."""
    graph, rank = _bits(conflict, np.argsort(-conflict.sum(axis=1), kind="stable"))
    left = list(graph)
    cliques = []
    for topic in range(len(graph)):
        while left[topic]:
            clique, near = [topic], graph[topic]
            while near:
                clique.append(_first(near & left[topic] or near))
                near &= graph[clique[-1]]
            held = sum(1 << member for member in clique)
            for member in clique:
                left[member] &= ~held
            cliques.append(rank[clique])
    return cliques


def _bits(conflict: Bools, rank: Ints) -> tuple[list[int], Ints]:
    """Each topic's conflicts as the bits of a number, topics numbered by rank: and, or and first are quick so."""
    packed = np.packbits(conflict[np.ix_(rank, rank)], axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed], rank


def _first(bits: int) -> int:
    return (bits & -bits).bit_length() - 1
