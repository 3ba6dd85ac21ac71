"""One way to split, measured: what it keeps, what it parts, what it can show."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from ..arrays import Bools, Floats, Ints, known_max, known_mean
from ..corpora import Corpus
from ..statistics import reliable_difference
from ..topics import Resampled, Sample, TopicSpace, may_be_one_topic, may_be_twins
from .least_nearest import nearest_training
from .packing import seen_share, topic_authors
from .wishes import Wishes, holds_for


@dataclass(frozen=True, slots=True)
class Option:
    """One way to split: how it is made (`kind` of `split_kinds`; `m` topics kept, or the `balance` of folds, or the `seed` of
    the deal), and what it gives. `max` is the highest similarity of a training and a test topic (of a sample, in whatever
    deal of its topics), `mean` that over all such pairs, `nearest_mean` that of each topic's nearest training topic, all by
    the topics that the documents came with; `authors` are those with a document that stays, `seen_authors` the share of
    documents whose author is on both sides; `detectable` the true difference of two models that is found four times in
    five, in standard deviations of their difference over topics; `as_wished` says whether authors and topics are where
    they were wished. NaN: unknown.

    Of the pairs that the folds part, or where topics are dealt at random some deal of them would: `near_twins` are near
    twins, `perhaps_twins` lie below the line with an interval that reaches it, and `perhaps_one` cannot be told from one
    topic cut in two. What is in doubt is 0 where documents were not drawn anew."""

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
    near_twins: int = 0
    perhaps_twins: int = 0
    perhaps_one: int = 0

    @property
    def clear(self) -> bool:
        """Whether it is known to part no near twins, and nothing that may be one topic."""
        return self.max == self.max and self.near_twins == 0 and self.perhaps_one == 0


def dealt(topics: Ints, *, k: int, seed: int) -> Ints:
    """The fold of each topic, as `topic_kfold` deals these; topics are codes, and a topic not among them gets none."""
    fold_of = np.full(int(topics.max()) + 1, -1, dtype=np.int64)
    for fold, part in enumerate(np.array_split(np.random.default_rng(seed).permutation(len(topics)), k)):
        fold_of[topics[part]] = fold
    return fold_of


class Measure:
    """Topics dealt into folds, measured as an option."""

    def __init__(
        self, corpus: Corpus, space: TopicSpace, k: int, wishes: Wishes, line: float, resampled: Resampled | None
    ) -> None:
        self._space, self._k, self._wishes, self._sizes = space, k, wishes, corpus.topic_sizes
        self._authors = topic_authors(corpus)
        self._twins: Bools = space.similarity >= line
        self._perhaps_twins = may_be_twins(space, line, resampled) & ~self._twins
        self._perhaps_one = may_be_one_topic(space, resampled)

    def deals(self, seeds: Iterable[int]) -> list[Option]:
        """All topics, dealt with each seed; what every deal may part is the same."""
        alone = np.arange(len(self._space))
        doubt = self._pairs_parted(alone)
        return [self.option("random", dealt(alone, k=self._k, seed=seed), doubt, seed=seed) for seed in seeds]

    def sample(self, kind: str, sample: Sample, *, m: int, seed: int) -> Option:
        """The topics of a sample, dealt. Another seed would part others of them, so that near twins count wherever they are."""
        folds = dealt(np.sort(sample.selected), k=self._k, seed=seed)
        fold_of = np.where(sample.assigned >= 0, folds[sample.assigned], -1)
        option = self.option(kind, fold_of, self._pairs_parted(sample.assigned), m=m, seed=seed)
        return replace(option, max=self._highest(sample.assigned))

    def _parted(self, unit_of: Ints) -> tuple[Ints, Bools]:
        """The topics that are in some unit, a fold or what is dealt as one, and which two of them are in two."""
        kept = np.flatnonzero(unit_of >= 0)
        return kept, unit_of[kept][:, None] != unit_of[kept]

    def _highest(self, unit_of: Ints) -> float:
        kept, parted = self._parted(unit_of)
        return float(known_max(np.where(parted, self._space.similarity[np.ix_(kept, kept)], np.nan)))

    def _pairs_parted(self, unit_of: Ints) -> dict[str, int]:
        """How many pairs of two units are near twins, or may be, or may be one topic."""
        kept, parted = self._parted(unit_of)
        counted = {"near_twins": self._twins, "perhaps_twins": self._perhaps_twins, "perhaps_one": self._perhaps_one}
        return {name: int((pairs[np.ix_(kept, kept)] & parted).sum()) // 2 for name, pairs in counted.items()}

    def option(
        self,
        kind: str,
        fold_of: Ints,
        pairs_parted: Mapping[str, int] | None = None,
        *,
        m: int | None = None,
        balance: float | None = None,
        seed: int | None = None,
        proven: bool = False,
    ) -> Option:
        """Folds as they are; `pairs_parted` are those that other deals would part as well."""
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
            max=self._highest(fold_of),
            mean=float(known_mean(across)),
            nearest_mean=float(known_mean(nearest_training(similarity, folds))),
            seen_authors=seen,
            smallest_fold=int(np.bincount(folds, weights=sizes, minlength=self._k).min()),
            detectable=_detectable(len(kept), min(effective, float(len(kept)))),
            proven=proven,
            authors=None if self._authors is None else int(np.unique(self._authors[kept].indices).size),
            as_wished=holds_for(self._wishes, dict(zip(self._space.names, fold_of.tolist(), strict=True)), seen),
            **(self._pairs_parted(fold_of) if pairs_parted is None else pairs_parted),
        )


@lru_cache(maxsize=4_096)
def _detectable(topics: int, effective: float) -> float:
    return reliable_difference(1.0, topics, effective=effective, sides=2, paired=True)
