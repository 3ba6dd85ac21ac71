"""Groups of topics packed into folds: as even as asked, some apart, and whose authors are on both sides, as many as wished."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Floats, Ints, record
from ..corpora import Corpus

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_VARIABLES = 6_000  # of the integer program
MOST_NODES = 300  # of its search tree: a count and not seconds, so that the answer is the same on every machine
MOST_MOVES = 300  # of groups, to bring authors to both sides
ROUNDING = 1e-12  # a share that is asked for exactly is reached by one as large


def topic_authors(corpus: Corpus) -> "csr_array | None":
    """Documents of each topic (rows) by each known author (columns); None where the corpus names no authors."""
    if corpus.author_codes is None or corpus.author_names is None:
        return None
    from scipy.sparse import csr_array

    known = corpus.known_authors[corpus.author_codes]
    where = corpus.topic_codes[known], corpus.author_codes[known]
    shape = (len(corpus.topic_names), len(corpus.author_names))
    table = csr_array((np.ones(int(known.sum())), where), shape=shape)
    table.sum_duplicates()
    return table


def seen_share(authors: "csr_array", fold_of: Ints, k: int) -> float:
    """The share of documents whose author writes in another fold too, from documents of each group (rows) by each author
    and the fold of each group; NaN where nobody's author is known."""
    counts = authors.tocoo()
    if counts.nnz == 0:
        return float("nan")
    from scipy.sparse import csr_array

    row, column = counts.coords
    totals = np.bincount(column, weights=counts.data, minlength=authors.shape[1])
    in_fold = csr_array((counts.data, (column, fold_of[row])), shape=(authors.shape[1], k))
    highest = in_fold.max(axis=1).toarray().ravel()
    return float(1.0 - totals[highest >= totals].sum() / totals.sum())


@record
class Packing:
    """What must be packed: the documents of each group, how many a fold may hold, pairs of groups that must not share a
    fold, and the documents of each group (rows) by each author (columns), of which at least the share `seen` must be by
    authors of another fold too."""

    sizes: Ints
    k: int
    room: int
    apart: Ints
    authors: "csr_array | None" = None
    seen: float = 0.0


@dataclass(frozen=True, slots=True)
class Packed:
    """The fold of each group, or None; `impossible` where it is proven that there is none."""

    fold_of: Ints | None
    impossible: bool = False


def pack(task: Packing) -> Packed:
    """By the largest group first into the emptiest fold, or the fullest that has room; else by an integer program."""
    if _plainly_impossible(task):
        return Packed(None, True)
    for fullest in (False, True):
        fold_of = _largest_first(task, fullest)
        if fold_of is not None and task.seen > 0:
            fold_of = _with_authors(task, fold_of)
        if fold_of is not None and holds(task, fold_of):
            return Packed(fold_of)
    return _solved(task)


def holds(task: Packing, fold_of: Ints) -> bool:
    """Whether a packing is as it must be."""
    filled = np.bincount(fold_of, weights=task.sizes, minlength=task.k)
    even = filled.max() <= task.room and bool((np.bincount(fold_of, minlength=task.k) > 0).all())
    return even and not _together(task, fold_of) and (task.seen <= 0 or _seen(task, fold_of) >= task.seen - ROUNDING)


def _seen(task: Packing, fold_of: Ints) -> float:
    return 1.0 if task.authors is None else seen_share(task.authors, fold_of, task.k)


def highest_seen_share(task: Packing) -> float:
    """What the share could be at most: authors of one group are always all on one side."""
    count = len(task.sizes)
    return 1.0 if task.authors is None else seen_share(task.authors, np.arange(count), count)


def _plainly_impossible(task: Packing) -> bool:
    too_large = task.sizes.max() > task.room or task.sizes.sum() > task.k * task.room
    halves = int((2 * task.sizes > task.room).sum()) > task.k  # no two of them share a fold
    with_itself = bool((task.apart[:, 0] == task.apart[:, 1]).any())
    return bool(
        too_large
        or halves
        or len(task.sizes) < task.k
        or with_itself
        or highest_seen_share(task) < task.seen - ROUNDING
    )


def _together(task: Packing, fold_of: Ints) -> bool:
    return bool((fold_of[task.apart[:, 0]] == fold_of[task.apart[:, 1]]).any())


def _largest_first(task: Packing, fullest: bool) -> Ints | None:
    fold_of = np.full(len(task.sizes), -1, dtype=np.int64)
    filled = np.zeros(task.k, dtype=np.int64)
    for group in np.argsort(-task.sizes, kind="stable").tolist():
        free = filled + task.sizes[group] <= task.room
        free[fold_of[_rivals(task, group)]] = False
        if int((fold_of < 0).sum()) <= int((filled == 0).sum()):
            free &= filled == 0  # every fold gets a group
        if not free.any():
            return None
        score = np.where(free, filled, -1 if fullest else task.room + 1)
        fold_of[group] = int(np.argmax(score) if fullest else np.argmin(score))
        filled[fold_of[group]] += task.sizes[group]
    return fold_of


def _rivals(task: Packing, group: int) -> Ints:
    pairs = task.apart[(task.apart == group).any(axis=1)]
    return np.asarray(pairs[pairs != group], dtype=np.int64)


def _with_authors(task: Packing, fold_of: Ints) -> Ints:
    """Groups moved or exchanged, the best change first, while that brings more authors to both sides."""
    unasked = Packing(task.sizes, task.k, task.room, task.apart, task.authors)
    share = _seen(task, fold_of)
    for _ in range(MOST_MOVES):
        if share >= task.seen:
            break
        changes = []
        for group in range(len(fold_of)):
            for fold in range(task.k):
                changed = fold_of.copy()
                changed[group] = fold
                changes.append(changed)
            for other in np.flatnonzero(fold_of[group + 1 :] != fold_of[group]) + group + 1:
                changed = fold_of.copy()
                changed[group], changed[other] = fold_of[other], fold_of[group]
                changes.append(changed)
            if len(changes) > MOST_VARIABLES:
                break
        allowed = [changed for changed in changes if holds(unasked, changed)]
        shares = [_seen(task, changed) for changed in allowed]
        if not shares or max(shares) <= share:
            break
        share, fold_of = max(shares), allowed[int(np.argmax(shares))]
    return fold_of


def _solved(task: Packing) -> Packed:
    """x_gf = 1 where group g is in fold f; u_af ≥ 1 − Σ_g∈a (1 − x_gf) where author a is all in fold f."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    groups, k = len(task.sizes), task.k
    writers = _writers(task)
    columns = (groups + len(writers)) * k
    if columns > MOST_VARIABLES:
        return Packed(None)
    rows = _Rows(columns)
    folds = np.arange(k)
    for group in range(groups):
        rows.add(group * k + folds, 1.0, 1.0, 1.0)
    for fold in range(k):
        rows.add(np.arange(groups) * k + fold, task.sizes, 0.0, task.room)
        rows.add(np.arange(groups) * k + fold, 1.0, 1.0, groups)
    for one, two in task.apart.tolist():
        for fold in range(k):
            rows.add(np.array([one, two]) * k + fold, 1.0, 0.0, 1.0)
    weights, whole = np.zeros(columns), np.ones(columns)
    for number, (members, documents) in enumerate(writers):
        own = (groups + number) * k
        weights[own : own + k] = documents
        whole[own : own + k] = 0.0
        for fold in range(k):
            rows.add([*(members * k + fold), own + fold], [*np.ones(len(members)), -1.0], -np.inf, len(members) - 1)
    if writers:
        unseen = (1 - task.seen) * sum(documents for _, documents in writers)
        rows.add(np.flatnonzero(weights), weights[weights > 0], 0.0, unseen + 1e-6)
    upper = np.ones(columns)
    upper[int(np.argmax(task.sizes)) * k + 1 : int(np.argmax(task.sizes)) * k + k] = 0.0  # folds have no names
    answer = milp(
        np.zeros(columns),
        integrality=whole,
        bounds=Bounds(0.0, upper),
        constraints=LinearConstraint(*rows.made()),
        options={"node_limit": MOST_NODES},
    )
    if answer.x is None:
        return Packed(None, answer.status == 2)
    fold_of = np.argmax(answer.x[: groups * k].reshape(groups, k), axis=1)
    return Packed(fold_of) if holds(task, fold_of) else Packed(None)


def _writers(task: Packing) -> list[tuple[Ints, float]]:
    """Each author's groups and documents, where a share of seen authors is asked for."""
    if task.authors is None or task.seen <= 0:
        return []
    counts = task.authors.tocsc()
    spans = zip(counts.indptr[:-1], counts.indptr[1:], strict=True)
    return [(counts.indices[a:b].astype(np.int64), float(counts.data[a:b].sum())) for a, b in spans if b > a]


class _Rows:
    """The rows of a linear program, one by one."""

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self._parts: list[tuple[Ints, Floats]] = []
        self._low: list[float] = []
        self._high: list[float] = []

    def add(self, columns: Ints | list[int], weights: object, low: float, high: float) -> None:
        where = np.asarray(columns, dtype=np.int64)
        self._parts.append((where, np.broadcast_to(np.asarray(weights, dtype=np.float64), where.shape)))
        self._low.append(low)
        self._high.append(high)

    def made(self) -> "tuple[csr_array, Floats, Floats]":
        from scipy.sparse import csr_array

        rows = np.repeat(np.arange(len(self._parts)), [len(where) for where, _ in self._parts])
        where, weights = (np.concatenate(each) for each in zip(*self._parts, strict=True))
        matrix = csr_array((weights, (rows, where)), shape=(len(self._parts), self._columns))
        return matrix, np.array(self._low), np.array(self._high)
