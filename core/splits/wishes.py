"""What folds must keep to, and why they cannot where they cannot."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Ints
from ..corpora import Corpus
from ..errors import SettingError, unknown
from ..formats import percent, share
from .folds import check_k
from .packing import ROUNDING, Packing, highest_seen_share, pack

BALANCE, STEP = 0.2, 0.05


@dataclass(frozen=True, slots=True)
class Wishes:
    """What folds must keep to: no fold more than `balance` above the mean number of documents (a topic larger than that
    is a fold of its own), at least the share `seen_authors` of test documents by authors that training has too, topics
    (by name) in one fold, or in two."""

    balance: float = BALANCE
    seen_authors: float = 0.0
    together: tuple[tuple[str, ...], ...] = ()
    apart: tuple[tuple[str, str], ...] = ()


def possible_balance(sizes: Ints, k: int) -> float:
    """The usual balance or, where topics of so many documents are too few or too large for k folds as even, the least above
    it, in steps, at which folds are found."""
    for steps in range(round(k / STEP) if k <= len(sizes) else 0):
        balance = round(BALANCE + steps * STEP, 2)
        room = fold_room(sizes, k, balance)
        whole = Packing(np.minimum(sizes, room), k, room, np.empty((0, 2), dtype=np.int64))
        if pack(whole).fold_of is not None:
            return balance
    return BALANCE


def fold_room(sizes: Ints, k: int, balance: float) -> int:
    """The documents that a fold may hold."""
    return int(np.floor((1 + balance) * sizes.sum() / k + 1e-9))


def holds_for(wishes: Wishes, fold_of: Mapping[str, int], seen: float) -> bool:
    """Whether folds of topics, of which some may be in none (−1), put authors and topics where they are wished."""
    together = all(len({fold_of[name] for name in names} - {-1}) < 2 for names in wishes.together)
    apart = all(fold_of[one] != fold_of[two] or fold_of[one] < 0 for one, two in wishes.apart)
    return together and apart and (wishes.seen_authors <= 0 or seen >= wishes.seen_authors - ROUNDING)


def check_wishes(corpus: Corpus, k: int, wishes: Wishes) -> None:
    """Refuse what no corpus, or not this one, can be asked for."""
    check_k(k)
    if not wishes.balance >= 0 or not 0 <= wishes.seen_authors <= 1:
        raise SettingError("The balance is 0 or more, such as 0.2, and the share of seen authors from 0 to 1.")
    if wishes.seen_authors > 0 and corpus.author_names is None:
        raise SettingError("The corpus names no authors, so none can be wished on both sides; drop that wish.")
    for name in (name for names in (*wishes.together, *wishes.apart) for name in names):
        if name not in corpus.topic_names:
            raise unknown("topic", name, corpus.topic_names)


def refusal(corpus: Corpus, alone: Ints, k: int, wishes: Wishes, task: Callable[[Wishes], Packing]) -> SettingError:
    """Which of the wishes cannot hold, or which two of them not together; `alone` are the topics, or groups of topics
    kept together, and `task` what has to be packed under other wishes."""
    count = int(alone.max()) + 1
    if k > count:
        return SettingError(f"k = {k}, but {count} topics, or groups kept together, can be folds; choose fewer.")
    highest = highest_seen_share(task(wishes))
    if highest < wishes.seen_authors - ROUNDING:
        only = "one topic only" + (", or on topics that are to be together" if wishes.together else "")
        return SettingError(
            f"At most {_rounded_down(highest)} of the test documents can have their author in training, because the other "
            f"authors write on {only}; {share(wishes.seen_authors)} is wished. {_less(wishes, task, highest)}"
        )
    group = dict(zip(corpus.topic_names, alone.tolist(), strict=True))
    for one, two in wishes.apart:
        if group[one] == group[two]:
            return SettingError(f"'{one}' and '{two}' are to be together and apart; drop one of the two wishes.")
    conflict, remedy = _conflict(k, wishes, task), "drop or loosen a wish"
    if (
        conflict == _so_even(wishes)
        and (enough := possible_balance(np.bincount(alone, corpus.topic_sizes), k)) > wishes.balance
    ):
        remedy = f"allow {percent(enough)}, or choose another k"
    return SettingError(f"No {k} folds were found for {conflict}; {remedy}.")


def _less(wishes: Wishes, task: Callable[[Wishes], Packing], highest: float) -> str:
    """The largest share of seen authors, in thousandths, for which folds are found: by bisection, for what is offered must work."""
    works, fails = 0, int(np.floor(1000 * highest + ROUNDING)) + 1
    while works + 1 < fails:
        middle = (works + fails) // 2
        found = pack(task(replace(wishes, seen_authors=middle / 1000))).fold_of is not None
        works, fails = (middle, fails) if found else (works, middle)
    return f"Wish for {share(works / 1000)} or less." if works else "Drop that wish."


def _rounded_down(value: float) -> str:
    return share(np.floor(1000 * value + ROUNDING) / 1000)


def _conflict(k: int, wishes: Wishes, task: Callable[[Wishes], Packing]) -> str:
    """The one wish, or the first two at once, for which no folds are found when all others are dropped."""
    none = replace(wishes, balance=float(k), seen_authors=0.0, apart=())
    balance, authors, apart = (
        _so_even(wishes),
        f"{percent(wishes.seen_authors)} seen authors",
        "the topics apart",
    )
    tries = {
        balance: replace(none, balance=wishes.balance),
        authors: replace(none, seen_authors=wishes.seen_authors),
        apart: replace(none, apart=wishes.apart),
        f"{balance} and {authors} at once": replace(wishes, apart=()),
        f"{balance} and {apart} at once": replace(wishes, seen_authors=0.0),
        f"{authors} and {apart} at once": replace(wishes, balance=float(k)),
    }
    failed = (words for words, tried in tries.items() if pack(task(tried)).fold_of is None)
    return next(failed, "all wishes at once")


def _so_even(wishes: Wishes) -> str:
    return f"a balance of {percent(wishes.balance)}"
