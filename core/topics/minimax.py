"""Minimax: the m topics whose most similar pair is least similar, with a proof or a bound, also for every m."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats, Ints, record
from ..errors import SettingError
from ..formats import choose, counted
from ..progress import Pace, Progress
from .hits import ROUNDING, TopicPath, hits_path

# Counts and not seconds, so that the answer is the same on every machine.
MOST_COLOURED = 500_000  # topics that the search colours, again in every branch
WIDEST_GAP = (
    3  # topics between the best set and its bound up to which the integer program is asked: it seldom closes more
)
MOST_WORK = 2_000_000  # topics × those in all the cliques together, up to which it is solved
MOST_NODES = 20  # of its search tree
MOST_EDGES = 40_000  # conflicts for which cliques are sought

MOST_SWAPS = 2_000
MOST_LOOKED = 60_000_000  # similarities that swaps of one sample look at: of thousands of topics, fewer swaps
MOST_STEPS = 50_000  # thresholds that the search tells apart; of thousands of topics there are millions
MOST_SIZES = 40  # values of m that are searched, where there are more topics than EVERY_SIZE
EVERY_SIZE = 160  # topics up to which every m is searched


@dataclass(frozen=True, slots=True)
class Independent:
    """Topics of which no two conflict, and the number that no such set exceeds."""

    topics: Ints
    at_most: int


def independent_topics(conflict: Bools) -> Independent:
    """Return a largest set of topics without conflict (`conflict` is symmetric, its diagonal False).

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
    found, bound = _solved_cliques(cliques, len(conflict))
    best = found if len(found) > len(best) else best
    return Independent(best, max(min(at_most, bound), len(best)))


def _branched(conflict: Bools, start: Ints) -> tuple[Ints, int]:
    """Search sets without conflict by branch and bound (Tomita and Seki 2003): the rest is coloured, a colour for each clique
    of conflicting topics, so that a branch with too few colours cannot beat the best set known, which is `start` at first.
    """
    left = _most_coloured(len(conflict))
    if left < len(conflict):  # not even once
        return start, len(conflict)
    clash, rank = _conflict_bits(conflict, np.argsort(conflict.sum(axis=1), kind="stable"))
    size, best, reached = len(start), start, len(clash)
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


def _most_coloured(topics: int) -> int:
    """Return how many topics a search may colour; the more topics, the fewer, for each costs more and more searches are asked for."""
    return int(MOST_COLOURED * min(1.0, EVERY_SIZE / topics) ** 2)


def _coloured(clash: list[int], free: int) -> tuple[list[int], list[int]]:
    """Return topics with the number of their colour, which rises; those of one colour are all in conflict."""
    order: list[int] = []
    colours: list[int] = []
    colour = 0
    while free:
        colour += 1
        near = free
        while near:
            topic = _lowest_bit(near)
            free ^= 1 << topic
            near &= clash[topic] & free
            order.append(topic)
            colours.append(colour)
    return order, colours


def _solved_cliques(cliques: list[Ints], count: int) -> tuple[Ints, int]:
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
    """Take the topic with the fewest conflicts among the rest, again and again."""
    left = np.ones(len(conflict), dtype=np.bool_)
    degree = conflict.sum(axis=1)
    chosen = []
    while left.any():
        topic = int(np.argmin(np.where(left, degree, len(conflict) + 1)))
        chosen.append(topic)
        gone = conflict[topic] & left
        gone[topic] = True
        left &= ~gone
        degree = degree - conflict[gone].sum(axis=0)  # symmetric, and rows lie together
    return np.array(sorted(chosen), dtype=np.int64)


def _cover(conflict: Bools) -> int:
    """Return how many cliques of conflicting topics a greedy cover of all topics needs; no set without conflict is larger."""
    graph, _ = _conflict_bits(conflict, np.argsort(conflict.sum(axis=1), kind="stable"))
    left = (1 << len(graph)) - 1
    cliques = 0
    while left:
        near = left
        while near:
            topic = _lowest_bit(near)
            left ^= 1 << topic
            near &= graph[topic] & left
        cliques += 1
    return cliques


def _cliques(conflict: Bools) -> list[Ints]:
    """Return cliques that cover every conflict, each grown from one that is not covered yet."""
    graph, rank = _conflict_bits(conflict, np.argsort(-conflict.sum(axis=1), kind="stable"))
    left = list(graph)
    cliques = []
    for topic in range(len(graph)):
        while left[topic]:
            clique, near = [topic], graph[topic]
            while near:
                clique.append(_lowest_bit(near & left[topic] or near))
                near &= graph[clique[-1]]
            held = sum(1 << member for member in clique)
            for member in clique:
                left[member] &= ~held
            cliques.append(rank[clique])
    return cliques


def _conflict_bits(conflict: Bools, rank: Ints) -> tuple[list[int], Ints]:
    """Return each topic's conflicts as the bits of an integer, topics numbered by rank, for fast set operations."""
    packed = np.packbits(conflict[np.ix_(rank, rank)], axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed], rank


def _lowest_bit(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


@record
class Optimum:
    """m topics whose highest similarity is `max`; no m topics have one below `max_bound`, and `proven` says that
    the two are one. `topics` are in the order in which HITS takes them; `mean` is over their pairs, as low as swapping
    topics gives it without a higher maximum. Both are NaN for one topic."""

    topics: Ints
    max: float
    mean: float
    max_bound: float
    proven: bool


def optimum(similarity: Floats, m: int) -> Optimum:
    """Return the least possible maximum of m topics."""
    return optima(similarity, [m])[0]


def minimax_topics(similarity: Floats, m: int) -> Ints:
    """Return the topics of the optimum; those that cannot be compared come last, when m is larger than the others' number."""
    comparable = ~np.isnan(np.diag(similarity))
    topics = (
        optimum(similarity, min(m, int(comparable.sum()))).topics if comparable.any() else np.empty(0, dtype=np.int64)
    )
    return np.concatenate([topics, np.flatnonzero(~comparable)[: m - len(topics)]])


def optima(similarity: Floats, sizes: Sequence[int], *, progress: Progress | None = None) -> tuple[Optimum, ...]:
    """Return the least possible maximum of m topics for every m in `sizes`, topics that cannot be compared left out.

    min t such that {similarity > t} leaves m topics without a conflict (`independent_topics`), by bisection over the
    similarities that occur; what is learned at one t, how many topics it allows, narrows the search for every m.
    """
    comparable = np.flatnonzero(~np.isnan(np.diag(similarity)))
    for m in sizes:
        if not 1 <= m <= len(comparable):
            most = choose("m", 1, len(comparable)) if len(comparable) else "add documents to them"
            raise SettingError(
                f"m = {m}, but {counted(len(comparable), 'topic')} have enough documents to compare; {most}."
            )
    search = _Search(similarity[np.ix_(comparable, comparable)])
    found, pace = [], Pace()
    for done, m in enumerate(sizes):
        if progress is not None:
            progress(done, len(sizes), "the optimum for each m", pace.left(done, len(sizes) - done))
        found.append(search.answer(m, comparable))
    return tuple(found)


class _Search:
    """What is known of every threshold so far. Thresholds are steps: step i allows pairs up to `values[i]`."""

    def __init__(self, similarity: Floats) -> None:
        self._similarity = similarity
        self._path: TopicPath = hits_path(similarity)
        self._values = np.unique(similarity[np.triu_indices(len(similarity), k=1)])
        # Two thresholds nearer than this are not told apart.
        self._grain = max(1, len(self._values) // MOST_STEPS)
        self._known: dict[int, Independent] = {}

    def answer(self, m: int, comparable: Ints) -> Optimum:
        if m == 1:
            return Optimum(comparable[self._path.order[:1]], np.nan, np.nan, np.nan, True)
        start = lowered_maximum(self._similarity, self._path.order[:m])
        low, high, topics = self._least_step(m, start)
        limit = self._values[high]
        # From here on only m and the limit count, not what other sizes were searched before: a sample must be the same
        # beside others as alone.
        at_limit = self._at(high).topics
        if len(at_limit) >= m:
            topics = _without_closest(self._similarity, at_limit, m)
        starts = [topics] + [start] * bool(_highest_pair(self._similarity, start) <= limit)
        means = [lowered_mean(self._similarity, each, limit) for each in starts]
        topics, mean = min(means, key=lambda found: found[1])
        order = hits_path(self._similarity[np.ix_(topics, topics)]).order
        bound = float(self._values[low + 1])
        return Optimum(comparable[topics[order]], float(limit), mean, bound, low + 1 == high)

    def _least_step(self, m: int, start: Ints) -> tuple[int, int, Ints]:
        """Return the highest step proven to hold no m topics, the lowest at which they were found, and these."""
        topics, high = start, self._step_of(start)
        enough = min((step for step, found in self._known.items() if len(found.topics) >= m), default=None)
        if enough is not None:
            fewer = _without_closest(self._similarity, self._known[enough].topics, m)
            if (step := self._step_of(fewer)) < high:
                topics, high = fewer, step
        low = max((step for step, found in self._known.items() if found.at_most < m), default=-1)
        failed = low
        while failed + 2 * self._grain - 1 < high:
            middle = (failed + high) // 2 // self._grain * self._grain  # where other sizes look as well
            found = self._at(middle)
            if len(found.topics) >= m:
                topics = _without_closest(self._similarity, found.topics, m)
                high = min(middle, self._step_of(topics))
            else:
                failed = middle
                low = middle if found.at_most < m else low
        untold = high
        while low + 2 * self._grain - 1 < untold:  # only where the solver left a gap
            middle = (low + untold) // 2 // self._grain * self._grain
            low, untold = (middle, untold) if self._at(middle).at_most < m else (low, middle)
        return low, high, topics

    def _at(self, step: int) -> Independent:
        if step not in self._known:
            conflict = self._similarity > self._values[step]
            np.fill_diagonal(conflict, False)
            self._known[step] = independent_topics(conflict)
        return self._known[step]

    def _step_of(self, topics: Ints) -> int:
        return int(np.searchsorted(self._values, _highest_pair(self._similarity, topics)))


def lowered_maximum(similarity: Floats, topics: Ints) -> Ints:
    """Exchange topics of the most similar pair while that lowers the maximum; ties go to the first name."""
    topics = np.array(topics)
    inside = np.zeros(len(similarity), dtype=np.bool_)
    inside[topics] = True
    for _ in _swaps(similarity, topics):
        pairs = _pairs_among(similarity, topics)
        worst = np.unravel_index(int(np.argmax(pairs)), pairs.shape)
        swaps = []
        for index in worst:
            rest = np.delete(topics, index)
            nearest = similarity[:, rest].max(axis=1)
            nearest[inside] = np.inf
            other = int(np.argmin(nearest))
            swaps.append((max(nearest[other], _highest_pair(similarity, rest)), index, other))
        value, index, other = min(swaps)
        if value >= pairs.max():
            break
        inside[topics[index]], inside[other] = False, True
        topics[index] = other
    return topics


def lowered_mean(similarity: Floats, topics: Ints, limit: float) -> tuple[Ints, float]:
    """Exchange topics, the best change first, while that lowers the mean and no pair exceeds the limit."""
    topics = np.sort(topics)
    for _ in _swaps(similarity, topics):
        outside = np.setdiff1d(np.arange(len(similarity)), topics)
        block = similarity[np.ix_(outside, topics)]
        over: Bools = block > limit
        allowed = over.sum(axis=1)[:, None] == over  # the only conflict, if any, is with the topic that leaves
        leaving = _pairs_among(similarity, topics, empty=0.0).sum(axis=0)
        gain = np.where(allowed, leaving[None, :] - (block.sum(axis=1)[:, None] - block), -np.inf)
        if not gain.size or gain.max() <= ROUNDING * len(topics):
            break
        other, index = np.unravel_index(int(np.argmax(gain)), gain.shape)
        topics[index] = outside[other]
        topics = np.sort(topics)
    return topics, float(_pairs_among(similarity, topics, empty=0.0).sum() / (len(topics) * (len(topics) - 1)))


def _without_closest(similarity: Floats, topics: Ints, m: int) -> Ints:
    """Reduce the topics to m: of the most similar pair, the one more similar to the others leaves."""
    pairs, left = _pairs_among(similarity, topics), np.ones(len(topics), dtype=np.bool_)
    nearest = pairs.max(axis=1, initial=-np.inf)
    for _ in range(len(topics) - m):
        one = int(np.argmax(nearest))
        two = int(np.argmax(pairs[one]))
        others = left.copy()
        others[[one, two]] = False
        gone = one if pairs[one, others].sum() >= pairs[two, others].sum() else two
        left[gone] = False
        changed = np.flatnonzero(pairs[gone] == nearest)
        pairs[gone], pairs[:, gone], nearest[gone] = -np.inf, -np.inf, -np.inf
        nearest[changed] = pairs[changed].max(axis=1)
    return np.array(topics)[left]


def _swaps(similarity: Floats, topics: Ints) -> range:
    """Return as many turns as swaps are tried."""
    return range(min(MOST_SWAPS, max(1, MOST_LOOKED // (len(similarity) * max(1, len(topics))))))


def _pairs_among(similarity: Floats, topics: Ints, *, empty: float = -np.inf) -> Floats:
    block = similarity[np.ix_(topics, topics)]
    np.fill_diagonal(block, empty)
    return block


def _highest_pair(similarity: Floats, topics: Ints) -> float:
    return float(_pairs_among(similarity, topics).max()) if len(topics) > 1 else -np.inf


@record
class OptimumCurve:
    """Entry m − 1 is of m topics: `max` is the highest similarity of the sample found, `mean` that over its pairs, and no
    sample has a maximum below `bound`; `proven` says where the two are one. NaN for one topic, `mean` also where only
    larger and smaller samples were searched: of these the larger one's maximum holds for every part of it."""

    max: Floats
    mean: Floats
    bound: Floats
    proven: Bools


def optimum_curve(similarity: Floats, *, progress: Progress | None = None) -> OptimumCurve:
    """Return the least possible maximum of m topics for every m that can be compared; of many topics at some m, and between them
    as it follows from its neighbours, because it never falls as m grows."""
    comparable = int((~np.isnan(np.diag(similarity))).sum())
    sizes = searched_sizes(comparable)
    found = optima(similarity, sizes, progress=progress)
    highest, mean, bound = np.full((3, comparable), np.nan)
    for m, best in zip(sizes, found, strict=True):
        mean[m - 1] = best.mean
    above = np.searchsorted(sizes, np.arange(2, comparable + 1))
    below = np.searchsorted(sizes, np.arange(2, comparable + 1), side="right") - 1
    highest[1:] = [found[at].max for at in above]
    bound[1:] = [found[at].max_bound for at in below]
    return OptimumCurve(highest, mean, bound, bound >= highest)


def searched_sizes(comparable: int) -> list[int]:
    """Return every m from 2 on, or some of them, the last one always among them."""
    most = comparable if comparable <= EVERY_SIZE else MOST_SIZES
    sizes: list[int] = (
        np.unique(np.linspace(2, comparable, most).round().astype(int)).tolist() if comparable > 1 else []
    )
    return sizes
