"""Topics packed into folds: what folds must keep to, and the integer program that keeps to it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Floats, Ints, record
from ..corpora import Corpus

if TYPE_CHECKING:
    from scipy.sparse import csr_array
from collections.abc import Callable, Mapping
from dataclasses import replace

from ..errors import SettingError, unknown
from ..formats import percent, share
from .folds import check_k

MOST_VARIABLES = 6_000  # of the integer program
MOST_NODES = 300  # of its search tree: a count and not seconds, so that the answer is the same on every machine
MOST_MOVES = 300  # of groups, to put authors on both sides
ROUNDING = 1e-12  # a share that is asked for exactly is reached by one as large

BALANCE, STEP = 0.2, 0.05


def topic_authors(corpus: Corpus) -> "csr_array | None":
    """Return documents of each topic (rows) by each known author (columns); None where the corpus names no authors."""
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
    """Return the share of documents whose author writes in another fold too, from documents of each group (rows) by each author
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
    """What must be packed into folds."""

    sizes: Ints  # documents of each group
    k: int
    room: int  # documents that a fold may hold
    apart: Ints  # pairs of groups that must not share a fold
    authors: "csr_array | None" = None  # documents of each group (rows) by each author (columns)
    seen: float = 0.0  # minimum share of documents whose author is in another fold, too


@dataclass(frozen=True, slots=True)
class Packed:
    """The fold of each group, or None; `impossible` where it is proven that there is none."""

    fold_of: Ints | None
    impossible: bool = False


def pack(task: Packing) -> Packed:
    """Pack the largest group first into the emptiest fold, or the fullest with room; else by an integer program."""
    if _plainly_impossible(task):
        return Packed(None, True)
    for fullest in (False, True):
        fold_of = _largest_first(task, fullest)
        if fold_of is not None and task.seen > 0:
            fold_of = _with_authors(task, fold_of)
        if fold_of is not None and holds(task, fold_of):
            return Packed(fold_of)
    return _solved_program(task)


def holds(task: Packing, fold_of: Ints) -> bool:
    """Return whether a packing is as it must be."""
    filled = np.bincount(fold_of, weights=task.sizes, minlength=task.k)
    even = filled.max() <= task.room and bool((np.bincount(fold_of, minlength=task.k) > 0).all())
    return even and not _together(task, fold_of) and (task.seen <= 0 or _seen(task, fold_of) >= task.seen - ROUNDING)


def _seen(task: Packing, fold_of: Ints) -> float:
    return 1.0 if task.authors is None else seen_share(task.authors, fold_of, task.k)


def highest_seen_share(task: Packing) -> float:
    """Return what the share could be at most: authors of one group are always all on one side."""
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
    """Move or exchange groups, the best change first, while that puts more authors on both sides."""
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


def _solved_program(task: Packing) -> Packed:
    """Build the program: x_gf = 1 where group g is in fold f; u_af ≥ 1 − Σ_g∈a (1 − x_gf) where author a is all in fold f."""
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
    """Return each author's groups and documents, where a share of seen authors is asked for."""
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


@dataclass(frozen=True, slots=True)
class Constraints:
    """What folds must keep to."""

    balance: float = BALANCE  # how far a fold may exceed the mean number of documents; a larger topic is its own fold
    seen_authors: float = 0.0  # minimum share of test documents whose author is in training
    together: tuple[tuple[str, ...], ...] = ()  # names of topics in one fold
    apart: tuple[tuple[str, str], ...] = ()  # names of topics in different folds


def possible_balance(sizes: Ints, k: int) -> float:
    """Return the usual balance or, where topics of this many documents are too few or too large for k folds as even, the least above
    it, in steps, at which folds are found."""
    for steps in range(round(k / STEP) if k <= len(sizes) else 0):
        balance = round(BALANCE + steps * STEP, 2)
        room = fold_room(sizes, k, balance)
        whole = Packing(np.minimum(sizes, room), k, room, np.empty((0, 2), dtype=np.int64))
        if pack(whole).fold_of is not None:
            return balance
    return BALANCE


def fold_room(sizes: Ints, k: int, balance: float) -> int:
    """Return the documents that a fold may hold."""
    return int(np.floor((1 + balance) * sizes.sum() / k + 1e-9))


def holds_for(constraints: Constraints, fold_of: Mapping[str, int], seen: float) -> bool:
    """Return whether folds of topics, of which some may be in none (−1), meet the constraints on authors and topics."""
    together = all(len({fold_of[name] for name in names} - {-1}) < 2 for names in constraints.together)
    apart = all(fold_of[one] != fold_of[two] or fold_of[one] < 0 for one, two in constraints.apart)
    return together and apart and (constraints.seen_authors <= 0 or seen >= constraints.seen_authors - ROUNDING)


def check_constraints(corpus: Corpus, k: int, constraints: Constraints) -> None:
    """Refuse what no corpus, or not this one, can be asked for."""
    check_k(k)
    if not constraints.balance >= 0 or not 0 <= constraints.seen_authors <= 1:
        raise SettingError("The balance is 0 or more, such as 0.2, and the share of seen authors from 0 to 1.")
    if constraints.seen_authors > 0 and corpus.author_names is None:
        raise SettingError("The corpus names no authors, so none can be required on both sides. Drop that constraint.")
    for name in (name for names in (*constraints.together, *constraints.apart) for name in names):
        if name not in corpus.topic_names:
            raise unknown("topic", name, corpus.topic_names)


def refusal(
    corpus: Corpus, alone: Ints, k: int, constraints: Constraints, task: Callable[[Constraints], Packing]
) -> SettingError:
    """Return which of the constraints cannot hold, or which two of them not together; `alone` are the topics, or groups of topics
    kept together, and `task` what has to be packed under other constraints."""
    count = int(alone.max()) + 1
    if k > count:
        return SettingError(f"k = {k}, but {count} topics, or groups kept together, can be folds; choose fewer.")
    highest = highest_seen_share(task(constraints))
    if highest < constraints.seen_authors - ROUNDING:
        only = "one topic only" + (", or on topics that are to be together" if constraints.together else "")
        return SettingError(
            f"At most {_rounded_down(highest)} of the test documents can have their author in training, because the other "
            f"authors write on {only}; you asked for {share(constraints.seen_authors)}. {_less(constraints, task, highest)}"
        )
    group = dict(zip(corpus.topic_names, alone.tolist(), strict=True))
    for one, two in constraints.apart:
        if group[one] == group[two]:
            return SettingError(f"'{one}' and '{two}' are to be together and apart; drop one of the two constraints.")
    conflict, advice = _conflict(k, constraints, task), "drop or loosen a constraint"
    if (
        conflict == _so_even(constraints)
        and (enough := possible_balance(np.bincount(alone, corpus.topic_sizes), k)) > constraints.balance
    ):
        advice = f"allow {percent(enough)}, or choose another k"
    return SettingError(f"No {k} folds were found for {conflict}; {advice}.")


def _less(constraints: Constraints, task: Callable[[Constraints], Packing], highest: float) -> str:
    """Return the largest share of seen authors, in thousandths, for which folds are found: by bisection, for what is offered must work."""
    works, fails = 0, int(np.floor(1000 * highest + ROUNDING)) + 1
    while works + 1 < fails:
        middle = (works + fails) // 2
        found = pack(task(replace(constraints, seen_authors=middle / 1000))).fold_of is not None
        works, fails = (middle, fails) if found else (works, middle)
    return f"Ask for {share(works / 1000)} or less." if works else "Drop that constraint."


def _rounded_down(value: float) -> str:
    return share(np.floor(1000 * value + ROUNDING) / 1000)


def _conflict(k: int, constraints: Constraints, task: Callable[[Constraints], Packing]) -> str:
    """Return the one constraint, or the first two at once, for which no folds are found when all others are dropped."""
    none = replace(constraints, balance=float(k), seen_authors=0.0, apart=())
    balance, authors, apart = (
        _so_even(constraints),
        f"{percent(constraints.seen_authors)} seen authors",
        "the topics apart",
    )
    tries = {
        balance: replace(none, balance=constraints.balance),
        authors: replace(none, seen_authors=constraints.seen_authors),
        apart: replace(none, apart=constraints.apart),
        f"{balance} and {authors} at once": replace(constraints, apart=()),
        f"{balance} and {apart} at once": replace(constraints, seen_authors=0.0),
        f"{authors} and {apart} at once": replace(constraints, balance=float(k)),
    }
    failed = (words for words, tried in tries.items() if pack(task(tried)).fold_of is None)
    return next(failed, "all constraints at once")


def _so_even(constraints: Constraints) -> str:
    return f"a balance of {percent(constraints.balance)}"
