"""Every way to split a corpus beside every other: what each keeps, what it leaks, what it can show."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ..arrays import Ints, record
from ..corpora import Corpus
from ..errors import SettingError
from ..formats import choose
from ..progress import Pace, Progress
from ..topics import SAMPLERS, Resampled, Sample, TopicSpace, check_documents, make_sample, twin_line, unlike_samplers
from .kinds import split_kinds
from .least_leakage import least_leakage
from .option import Measure, Option
from .wishes import Wishes, possible_balance

RANDOM = 50  # deals of all topics
MOST_SIZES, FEW_SIZES, MANY_TOPICS = 40, 12, 500  # values of m on the chart, and from how many topics there are few
BALANCES = (0.1, 0.2, 0.5, 1.0)


def merging_line(line: float) -> float:
    """From how alike to a kept topic another is merged into it: the line of near twins, as a page's control can hold it."""
    return float(np.clip(np.floor(100 * line + 1e-9) / 100, 0.0, 1.0))


@record
class Design:
    """The options for k folds of a corpus of so many documents, and the line past which topics are near twins; `fold_of`
    is each topic's fold under the least-leakage folds of the `balance` wished."""

    k: int
    documents: int
    line: float
    balance: float
    options: tuple[Option, ...]
    fold_of: Ints
    notes: tuple[str, ...]

    def of(self, kind: str) -> tuple[Option, ...]:
        """The options of one kind."""
        return tuple(option for option in self.options if option.kind == kind)

    def largest_clear(self, kind: str) -> Option:
        """The option of this kind with most documents that is clear; where none is, the least alike."""
        options = self.of(kind)
        clear = [option for option in options if option.clear]
        if clear:
            return max(clear, key=lambda option: (option.documents, -option.max))
        return min(options, key=lambda option: (option.max, -option.documents))

    @property
    def least_leakage(self) -> Option:
        """The least-leakage folds of the balance wished."""
        return next(option for option in self.of("least-leakage") if option.balance == self.balance)

    @property
    def of_each_kind(self) -> dict[str, Option]:
        """One option of each kind that was tried: the first deal, of samples the one with most documents that is clear, and
        the least-leakage folds of the balance wished."""
        tried = {option.kind for option in self.options}
        found = {kind: self.largest_clear(kind) for kind in split_kinds() if kind in tried}
        return found | {"random": self.of("random")[0], "least-leakage": self.least_leakage}


def design_options(
    corpus: Corpus,
    space: TopicSpace,
    *,
    k: int,
    seed: int = 0,
    wishes: Wishes | None = None,
    resampled: Resampled | None = None,
    random: int = RANDOM,
    progress: Progress | None = None,
) -> Design:
    """Random deals of all topics, the topics of every sampler at every m, HITS with the others merged, least-leakage folds at
    several balances: every one a partition of topics into k folds, measured alike. `resampled`, intervals of the
    similarities, tells which pairs are in doubt."""
    _check(corpus, space, k)
    wishes = Wishes(possible_balance(corpus.topic_sizes, k)) if wishes is None else wishes
    pace, balances = Pace(), sorted({*BALANCES, wishes.balance})
    if progress is not None:
        progress(0, len(balances), "balances", None)
    chosen = least_leakage(corpus, space, k=k, wishes=wishes)
    line = twin_line(space.similarity, kind=space.kind)
    measure = Measure(corpus, space, k, wishes, line, resampled)
    options = measure.deals(range(seed, seed + random))
    for done, balance in enumerate(balances):
        if progress is not None:
            progress(done, len(balances), "balances", pace.left(done, len(balances) - done))
        try:
            found = (
                chosen
                if balance == wishes.balance
                else least_leakage(corpus, space, k=k, wishes=replace(wishes, balance=balance))
            )
        except SettingError:  # folds so even do not exist
            continue
        options.append(measure.option("least-leakage", found.fold_of, balance=balance, proven=found.proven))
    for kind, m, sample in _samples(space, _sizes(k, int(space.placed.sum())), line, progress):
        options.append(measure.sample(kind, sample, m=m, seed=seed))
    return Design(k, len(corpus), line, wishes.balance, tuple(options), chosen.fold_of, chosen.folds.notes)


def _check(corpus: Corpus, space: TopicSpace, k: int) -> None:
    """Refuse what cannot be dealt into k folds."""
    check_documents(corpus, space)
    placed = int(space.placed.sum())
    if placed < 2:
        raise SettingError(
            "Fewer than two topics can be placed, so there is nothing to split between; add documents to them."
        )
    if placed < k:
        raise SettingError(f"k = {k}, but {placed} topics can be placed; {choose('k', 2, placed)}.")


def _samples(
    space: TopicSpace, sizes: Sequence[int], line: float, progress: Progress | None
) -> Iterator[tuple[str, int, Sample]]:
    """Of every m the sample of every kind that has one."""
    sampled = {name: kind for name, kind in split_kinds().items() if kind.sampler is not None}
    chosen = {name: SAMPLERS[name].at_each(space.similarity, sizes, progress=progress) for name in unlike_samplers()}
    for number, m in enumerate(sizes):
        for name, kind in sampled.items():
            selected = chosen[kind.sampler or name][number]
            yield name, m, make_sample(space.similarity, selected, policy=kind.policy, threshold=merging_line(line))


def _sizes(k: int, placed: int) -> list[int]:
    """Values of m, evenly spread where there are many."""
    most = MOST_SIZES if placed <= MANY_TOPICS else FEW_SIZES
    sizes: list[int] = np.unique(np.linspace(k, placed, min(most, placed - k + 1)).round().astype(int)).tolist()
    return sizes
