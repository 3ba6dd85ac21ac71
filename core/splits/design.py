"""Every way to split a corpus beside every other: what each keeps, what it leaks, what it can show."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from ..arrays import Floats, Ints, known_max, known_mean, record
from ..corpora import Corpus
from ..errors import SettingError
from ..progress import Pace, Progress
from ..statistics import reliable_difference
from ..topics import SAMPLERS, Sample, TopicSpace, check_documents, make_sample, twin_line, unlike_samplers
from .kinds import split_kinds
from .least_leakage import least_leakage
from .least_nearest import nearest_training
from .packing import seen_share, topic_authors
from .wishes import Wishes, holds_for, possible_balance

RANDOM = 50  # deals of all topics
MOST_SIZES, FEW_SIZES, MANY_TOPICS = 40, 12, 500  # values of m on the chart, and from how many topics there are few
BALANCES = (0.1, 0.2, 0.5, 1.0)


def merging_line(line: float) -> float:
    """From how alike to a kept topic another is merged into it: the line of near twins, as a page's control can hold it."""
    return float(np.clip(np.floor(100 * line + 1e-9) / 100, 0.0, 1.0))


@dataclass(frozen=True, slots=True)
class Option:
    """One way to split: how it is made (`kind` of `split_kinds`; `m` topics kept, or the `balance` of folds, or the `seed` of
    the deal), and what it gives. `max` is the highest similarity of a training and a test topic, `mean` that over all
    such pairs, `nearest_mean` that of each topic's nearest training topic, all by the topics that the documents came
    with; `authors` are those with a document that stays, `seen_authors` the share of documents whose author is on both
    sides; `detectable` the true difference of two models that is found four times in five, in standard deviations of
    their difference over topics; `as_wished` says whether authors and topics are where they were wished. NaN: unknown."""

    kind: str
    m: int | None
    balance: float | None
    seed: int | None
    documents: int
    topics: int
    max: float
    mean: float
    nearest_mean: float
    seen_authors: float
    smallest_fold: int
    detectable: float
    proven: bool = False
    authors: int | None = None
    as_wished: bool = True


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
        """The option of this kind with most documents below the line; where none is below, the least alike."""
        options = self.of(kind)
        clear = [option for option in options if option.max < self.line]
        if clear:
            return max(clear, key=lambda option: (option.documents, -option.max))
        return min(options, key=lambda option: (option.max, -option.documents))

    @property
    def least_leakage(self) -> Option:
        """The least-leakage folds of the balance wished."""
        return next(option for option in self.of("least-leakage") if option.balance == self.balance)

    @property
    def of_each_kind(self) -> dict[str, Option]:
        """One option of each kind that was tried: the first deal, of samples the one with most documents below the line of
        near twins, and the least-leakage folds of the balance wished."""
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
    random: int = RANDOM,
    progress: Progress | None = None,
) -> Design:
    """Random deals of all topics, the topics of every sampler at every m, HITS with the others merged, least-leakage folds at
    several balances: every one a partition of topics into k folds, measured alike."""
    _check(corpus, space, k)
    wishes = Wishes(possible_balance(corpus.topic_sizes, k)) if wishes is None else wishes
    pace, balances = Pace(), sorted({*BALANCES, wishes.balance})
    if progress is not None:
        progress(0, len(balances), "balances", None)
    chosen = least_leakage(corpus, space, k=k, wishes=wishes)
    measure = _Measure(corpus, space, k, wishes)
    everything = np.arange(len(space))
    options = [
        measure.option("random", dealt(everything, k=k, seed=seed + draw), seed=seed + draw) for draw in range(random)
    ]
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
    line = twin_line(space.similarity, kind=space.kind)
    for kind, m, sample in _samples(space, _sizes(k, int(space.placed.sum())), line, progress):
        folds = dealt(np.sort(sample.selected), k=k, seed=seed)
        fold_of = np.where(sample.assigned >= 0, folds[sample.assigned], -1)
        options.append(measure.option(kind, fold_of, m=m, seed=seed))
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
        raise SettingError(f"k = {k}, but {placed} topics can be placed; choose k from 2 to {placed}.")


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


def dealt(topics: Ints, *, k: int, seed: int) -> Ints:
    """The fold of each topic, as `topic_kfold` deals these; topics are codes, and a topic not among them gets none."""
    fold_of = np.full(int(topics.max()) + 1, -1, dtype=np.int64)
    for fold, part in enumerate(np.array_split(np.random.default_rng(seed).permutation(len(topics)), k)):
        fold_of[topics[part]] = fold
    return fold_of


def _sizes(k: int, placed: int) -> list[int]:
    """Values of m, evenly spread where there are many."""
    most = MOST_SIZES if placed <= MANY_TOPICS else FEW_SIZES
    sizes: list[int] = np.unique(np.linspace(k, placed, min(most, placed - k + 1)).round().astype(int)).tolist()
    return sizes


class _Measure:
    """Topics dealt into folds, measured as an option."""

    def __init__(self, corpus: Corpus, space: TopicSpace, k: int, wishes: Wishes) -> None:
        self._space, self._k, self._wishes, self._sizes = space, k, wishes, corpus.topic_sizes
        self._authors = topic_authors(corpus)

    def option(
        self,
        kind: str,
        fold_of: Ints,
        *,
        m: int | None = None,
        balance: float | None = None,
        seed: int | None = None,
        proven: bool = False,
    ) -> Option:
        kept = np.flatnonzero(fold_of >= 0)
        folds, sizes = fold_of[kept], self._sizes[kept]
        similarity = self._space.similarity[np.ix_(kept, kept)]
        across: Floats = np.where(folds[:, None] != folds, similarity, np.nan)
        effective = float(sizes.sum() ** 2 / (sizes**2).sum())
        seen = float("nan") if self._authors is None else seen_share(self._authors[kept], folds, self._k)
        return Option(
            kind=kind,
            m=m,
            balance=balance,
            seed=seed,
            documents=int(sizes.sum()),
            topics=len(kept),
            max=float(known_max(across)),
            mean=float(known_mean(across)),
            nearest_mean=float(known_mean(nearest_training(similarity, folds))),
            seen_authors=seen,
            smallest_fold=int(np.bincount(folds, weights=sizes, minlength=self._k).min()),
            detectable=_detectable(len(kept), min(effective, float(len(kept)))),
            proven=proven,
            authors=None if self._authors is None else int(np.unique(self._authors[kept].indices).size),
            as_wished=holds_for(self._wishes, dict(zip(self._space.names, fold_of.tolist(), strict=True)), seen),
        )


@lru_cache(maxsize=4_096)
def _detectable(topics: int, effective: float) -> float:
    return reliable_difference(1.0, topics, effective=effective, sides=2, paired=True)
