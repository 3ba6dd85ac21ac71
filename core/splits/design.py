"""Which split to use: the kinds of splits, what each option leaks and keeps, and the chosen one as files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from .. import __version__
from ..arrays import Bools, Floats, Ints, known_max, known_mean, record
from ..corpora import Corpus
from ..errors import SettingError, unknown
from ..formats import choose, percent
from ..notes import Note
from ..progress import Pace, Progress
from ..statistics import reliable_difference
from ..topics import (
    POLICIES,
    SAMPLERS,
    Bootstrap,
    Sample,
    TopicSpace,
    check_documents,
    documents_table,
    make_sample,
    may_be_one_topic,
    may_be_twins,
    twin_threshold,
    unlike_samplers,
)
from .least_leakage import least_leakage, nearest_training
from .packing import Constraints, holds_for, possible_balance, seen_share, topic_authors

MERGED = "hits"  # the sampler whose topics left out are merged as well, as its paper does (HITS §7.2)

RANDOM = 50  # random splits of all topics
MOST_SIZES, FEW_SIZES, MANY_TOPICS = 40, 12, 500  # values of m on the chart, and from how many topics there are few
BALANCES = (0.1, 0.2, 0.5, 1.0)
ENOUGH = 0.5  # of the documents: a sample that keeps fewer is recommended only where nothing else will do
LEAST_FOLD = 0.1  # of the mean size: folds with a smaller one are no answer, however little they leak

COLUMNS = {"fold": "Folds from 1 on, each the test side once.", "split": "Train and test: fold 1 is the test side."}
LEAKSCOPE = f"""@software{{leakscope,
  title = {{Leakscope}},
  author = {{{{The Leakscope maintainers}}}},
  version = {{{__version__}}},
  year = {{2026}}
}}
"""


@dataclass(frozen=True, slots=True)
class SplitKind:
    """One kind of split."""

    label: str  # before the m, balance or seed of a split
    key: str  # its name in a chart
    methods: str  # how a paper describes it
    sampler: str | None = None  # of SAMPLERS, for samples
    policy: str = "cutting"  # of POLICIES, for the topics left out
    reference: str = ""  # of the sampler

    @property
    def chooses(self) -> bool:
        """Return whether it keeps some topics unchanged and drops the others."""
        return self.sampler is not None and POLICIES[self.policy].joins is None


def split_kinds() -> dict[str, SplitKind]:
    """Return every kind by its name: random splits of all topics, every deterministic sampler, HITS with every merging policy, and
    least-leakage folds. Made again on every call, so that a sampler that was added is there."""
    return {
        "random": SplitKind(
            "All topics, random folds",
            "random folds",
            "Topics were assigned to {k} folds at random (seed {seed}).",
        ),
        **{name: _sampled_kind(name, "cutting") for name in unlike_samplers()},
        **{name: _sampled_kind(MERGED, name) for name, policy in POLICIES.items() if policy.joins is not None},
        "least-leakage": SplitKind(
            "Least-leakage folds",
            "Least leakage",
            "Topics were assigned to {k} folds so that the highest similarity of a training and a test topic is as low as "
            "possible. We required that {conditions}.",
        ),
    }


def split_kind(name: str) -> SplitKind:
    """Return the kind of that name."""
    kinds = split_kinds()
    if name not in kinds:
        raise unknown("kind of split", name, kinds)
    return kinds[name]


def _sampled_kind(sampler: str, policy: str) -> SplitKind:
    """Return the kind of split that keeps a sampler's topics and applies a policy to the others."""
    chosen, others = SAMPLERS[sampler], POLICIES[policy]
    label = chosen.label[:1].upper() + chosen.label[1:]
    about = chosen.about[:1].lower() + chosen.about[1:].rstrip(".")
    methods = chosen.methods or f"{{m}} topics were chosen ({chosen.label}: {about})"
    return SplitKind(
        f"{label}, {others.fate or policy}" if others.joins is not None else label,
        f"{label}, {policy}" if others.joins is not None else label,
        methods + others.methods + " were assigned to {k} folds at random (seed {seed}).",
        sampler,
        policy,
        chosen.reference,
    )


@dataclass(frozen=True, slots=True)
class Option:
    """One way to split, with what it costs and what it leaks; NaN: unknown."""

    kind: str  # of `split_kinds`
    m: int | None  # topics kept
    balance: float | None  # of least-leakage folds
    seed: int | None  # of a random split
    documents: int  # kept
    topics: int  # kept
    max: float  # highest similarity of a training and a test topic; of a sample, in any random split
    mean: float  # over all pairs of a training and a test topic
    nearest_mean: float  # over topics, of the nearest training topic
    seen_authors: float  # share of documents whose author is on both sides
    smallest_fold: int  # documents
    detectable: float  # difference of two models found with 80% power, in standard deviations over topics
    proven: bool = False
    authors: int | None = None  # with a document that stays
    meets_constraints: bool = True  # whether the constraints hold
    # Pairs that the folds, or some random split, separate; the last two are 0 without a bootstrap.
    near_twins: int = 0
    perhaps_twins: int = 0  # below the threshold, with an interval that reaches it
    perhaps_one: int = 0  # may be one topic with two labels

    @property
    def clear(self) -> bool:
        """Return whether it surely separates no near twins and nothing that may be one topic."""
        return self.max == self.max and self.near_twins == 0 and self.perhaps_one == 0


def random_folds(topics: Ints, *, k: int, seed: int) -> Ints:
    """Return the fold of each topic, as `topic_kfold` splits these; topics are codes, and a topic not among them gets none."""
    fold_of = np.full(int(topics.max()) + 1, -1, dtype=np.int64)
    for fold, part in enumerate(np.array_split(np.random.default_rng(seed).permutation(len(topics)), k)):
        fold_of[topics[part]] = fold
    return fold_of


class Measure:
    """Topics split into folds, measured as an option."""

    def __init__(
        self,
        corpus: Corpus,
        space: TopicSpace,
        k: int,
        constraints: Constraints,
        threshold: float,
        bootstrap: Bootstrap | None,
    ) -> None:
        self._space, self._k, self._constraints, self._sizes = space, k, constraints, corpus.topic_sizes
        self._authors = topic_authors(corpus)
        self._twins: Bools = space.similarity >= threshold
        self._possible_twins = may_be_twins(space, threshold, bootstrap) & ~self._twins
        self._possibly_one = may_be_one_topic(space, bootstrap)
        self._known: Floats = np.nan_to_num(space.similarity, nan=0.0)
        self._is_known = None if (known := ~np.isnan(space.similarity)).all() else known

    def random_splits(self, seeds: Iterable[int]) -> list[Option]:
        """Return all topics, split with each seed; what every split may separate is the same."""
        alone = np.arange(len(self._space))
        doubt = self._pairs_separated(alone)
        return [self.option("random", random_folds(alone, k=self._k, seed=seed), doubt, seed=seed) for seed in seeds]

    def sample(self, kind: str, sample: Sample, *, m: int, seed: int) -> Option:
        """Return the topics of a sample, split at random. Another seed would separate others, so near twins count wherever they are."""
        folds = random_folds(np.sort(sample.selected), k=self._k, seed=seed)
        fold_of = np.where(sample.assigned >= 0, folds[sample.assigned], -1)
        option = self.option(kind, fold_of, self._pairs_separated(sample.assigned), m=m, seed=seed)
        return replace(option, max=self._highest(sample.assigned))

    def _separated(self, unit_of: Ints) -> tuple[Ints, Bools]:
        """Return the topics in some unit (a fold or a group that stays together), and the pairs in different units."""
        kept = np.flatnonzero(unit_of >= 0)
        return kept, unit_of[kept][:, None] != unit_of[kept]

    def _highest(self, unit_of: Ints) -> float:
        kept, separated = self._separated(unit_of)
        return float(known_max(np.where(separated, self._space.similarity[np.ix_(kept, kept)], np.nan)))

    def _mean_across(self, kept: Ints, folds: Ints) -> float:
        """Return the mean similarity of two topics of different folds: that of all pairs without those inside folds."""
        parts = [kept, *(kept[folds == fold] for fold in np.unique(folds))]
        sums = [float(self._known[np.ix_(part, part)].sum()) for part in parts]
        if self._is_known is None:
            pairs = [len(part) ** 2 for part in parts]
        else:
            pairs = [int(self._is_known[np.ix_(part, part)].sum()) for part in parts]
        across = pairs[0] - sum(pairs[1:])
        return (sums[0] - sum(sums[1:])) / across if across else float("nan")

    def _pairs_separated(self, unit_of: Ints) -> dict[str, int]:
        """Return how many pairs across units are near twins, may be, or may be one topic."""
        kept, separated = self._separated(unit_of)
        counted = {"near_twins": self._twins, "perhaps_twins": self._possible_twins, "perhaps_one": self._possibly_one}
        return {name: int((pairs[np.ix_(kept, kept)] & separated).sum()) // 2 for name, pairs in counted.items()}

    def option(
        self,
        kind: str,
        fold_of: Ints,
        pairs_separated: Mapping[str, int] | None = None,
        *,
        m: int | None = None,
        balance: float | None = None,
        seed: int | None = None,
        proven: bool = False,
    ) -> Option:
        """Return folds as they are; `pairs_separated` are the pairs that other splits would separate too."""
        kept = np.flatnonzero(fold_of >= 0)
        folds, sizes = fold_of[kept], self._sizes[kept]
        nearest = nearest_training(self._space.similarity[np.ix_(kept, kept)], folds)
        effective = float(sizes.sum() ** 2 / (sizes**2).sum())
        seen = float("nan") if self._authors is None else seen_share(self._authors[kept], folds, self._k)
        return Option(
            kind=kind,
            m=m,
            balance=balance,
            seed=seed,
            documents=int(sizes.sum()),
            topics=len(kept),
            max=float(known_max(nearest)),
            mean=self._mean_across(kept, folds),
            nearest_mean=float(known_mean(nearest)),
            seen_authors=seen,
            smallest_fold=int(np.bincount(folds, weights=sizes, minlength=self._k).min()),
            detectable=_detectable(len(kept), min(effective, float(len(kept)))),
            proven=proven,
            authors=None if self._authors is None else int(np.unique(self._authors[kept].indices).size),
            meets_constraints=holds_for(
                self._constraints, dict(zip(self._space.names, fold_of.tolist(), strict=True)), seen
            ),
            **(self._pairs_separated(fold_of) if pairs_separated is None else pairs_separated),
        )


@lru_cache(maxsize=4_096)
def _detectable(topics: int, effective: float) -> float:
    return reliable_difference(1.0, topics, effective=effective, sides=2, paired=True)


def merging_threshold(threshold: float) -> float:
    """Return the similarity above which a topic is merged into a kept one: the near-twin threshold, at a slider's precision."""
    return float(np.clip(np.floor(100 * threshold + 1e-9) / 100, 0.0, 1.0))


@record
class Design:
    """The options for k folds of a corpus."""

    k: int
    documents: int  # of the corpus
    threshold: float  # from which topics are near twins
    balance: float  # asked for
    options: tuple[Option, ...]
    fold_of: Ints  # of each topic, under least-leakage folds of that balance
    notes: tuple[Note, ...]

    def of(self, kind: str) -> tuple[Option, ...]:
        """Return the options of one kind."""
        return tuple(option for option in self.options if option.kind == kind)

    def largest_clear(self, kind: str) -> Option:
        """Return this kind's clean option with most documents, or the least similar if none is clean."""
        options = self.of(kind)
        clear = [option for option in options if option.clear]
        if clear:
            return max(clear, key=lambda option: (option.documents, -option.max))
        return min(options, key=lambda option: (option.max, -option.documents))

    @property
    def least_leakage(self) -> Option:
        """Return the least-leakage folds of the chosen balance."""
        return next(option for option in self.of("least-leakage") if option.balance == self.balance)

    @property
    def of_each_kind(self) -> dict[str, Option]:
        """Return one option of each kind that was tried: the first split, of samples the one with most documents that is clear, and
        the least-leakage folds of the balance asked for."""
        tried = {option.kind for option in self.options}
        found = {kind: self.largest_clear(kind) for kind in split_kinds() if kind in tried}
        return found | {"random": self.of("random")[0], "least-leakage": self.least_leakage}


def design_options(
    corpus: Corpus,
    space: TopicSpace,
    *,
    k: int,
    seed: int = 0,
    constraints: Constraints | None = None,
    bootstrap: Bootstrap | None = None,
    random: int = RANDOM,
    progress: Progress | None = None,
) -> Design:
    """Return random splits of all topics, the topics of every sampler at every m, HITS with the others merged, least-leakage folds at
    several balances: every one a partition of topics into k folds, measured in the same way. `bootstrap`, intervals of the
    similarities, tells which pairs are in doubt."""
    _check_constraints(corpus, space, k)
    constraints = Constraints(possible_balance(corpus.topic_sizes, k)) if constraints is None else constraints
    pace, balances = Pace(), sorted({*BALANCES, constraints.balance})
    if progress is not None:
        progress(0, len(balances), "least-leakage folds", None)
    chosen = least_leakage(corpus, space, k=k, constraints=constraints)
    threshold = twin_threshold(space.similarity, kind=space.kind)
    measure = Measure(corpus, space, k, constraints, threshold, bootstrap)
    options = measure.random_splits(range(seed, seed + random))
    for done, balance in enumerate(balances):
        if progress is not None:
            progress(done, len(balances), "least-leakage folds", pace.left(done, len(balances) - done))
        try:
            found = (
                chosen
                if balance == constraints.balance
                else least_leakage(corpus, space, k=k, constraints=replace(constraints, balance=balance))
            )
        except SettingError:  # folds so even do not exist
            continue
        options.append(measure.option("least-leakage", found.fold_of, balance=balance, proven=found.proven))
    stopped: dict[str, set[int]] = {}  # the sizes at which a sampler's search came to its limit
    for kind, m, sample, whole in _samples_at_sizes(
        space, _sizes_to_sample(k, int(space.comparable.sum())), threshold, progress
    ):
        options.append(measure.sample(kind, sample, m=m, seed=seed))
        if not whole:
            stopped.setdefault(split_kind(kind).label, set()).add(m)
    notes = [Note("search stopped", (label, len(sizes))) for label, sizes in stopped.items()]
    return Design(
        k, len(corpus), threshold, constraints.balance, tuple(options), chosen.fold_of, (*chosen.folds.notes, *notes)
    )


def _check_constraints(corpus: Corpus, space: TopicSpace, k: int) -> None:
    """Refuse what cannot be split into k folds."""
    check_documents(corpus, space)
    comparable = int(space.comparable.sum())
    if comparable < 2:
        raise SettingError("Fewer than two topics have enough documents to compare. Add documents to them.")
    if comparable < k:
        raise SettingError(
            f"k = {k}, but {comparable} topics have enough documents to compare; {choose('k', 2, comparable)}."
        )


def _samples_at_sizes(
    space: TopicSpace, sizes: Sequence[int], threshold: float, progress: Progress | None
) -> Iterator[tuple[str, int, Sample, bool]]:
    """Yield of every m the sample of every kind that has one, and whether the search for it came to its end."""
    sampled = {name: kind for name, kind in split_kinds().items() if kind.sampler is not None}
    chosen = {name: SAMPLERS[name].at_each(space.similarity, sizes, progress=progress) for name in unlike_samplers()}
    for number, m in enumerate(sizes):
        for name, kind in sampled.items():
            selected, whole = chosen[kind.sampler or name][number]
            yield (
                name,
                m,
                make_sample(space.similarity, selected, policy=kind.policy, threshold=merging_threshold(threshold)),
                whole,
            )


def _sizes_to_sample(k: int, comparable: int) -> list[int]:
    """Return values of m, evenly spread where there are many."""
    most = MOST_SIZES if comparable <= MANY_TOPICS else FEW_SIZES
    sizes: list[int] = np.unique(np.linspace(k, comparable, min(most, comparable - k + 1)).round().astype(int)).tolist()
    return sizes


def option_folds(corpus: Corpus, space: TopicSpace, option: Option, *, k: int, constraints: Constraints) -> Ints:
    """Return the fold of each topic under an option; −1 for a topic that is left out."""
    kind = split_kind(option.kind)
    if option.kind == "least-leakage":
        balance = constraints.balance if option.balance is None else option.balance
        asked = Constraints(balance, constraints.seen_authors, constraints.together, constraints.apart)
        return least_leakage(corpus, space, k=k, constraints=asked).fold_of
    if kind.sampler is None:
        return random_folds(np.arange(len(space)), k=k, seed=option.seed or 0)
    selected = SAMPLERS[kind.sampler].selected(space.similarity, option.m or 0)
    sample = make_sample(space.similarity, selected, policy=kind.policy, threshold=policy_threshold(space, kind.policy))
    folds = random_folds(np.sort(sample.selected), k=k, seed=option.seed or 0)
    return np.where(sample.assigned >= 0, folds[sample.assigned], -1)


def policy_threshold(space: TopicSpace, policy: str) -> float:
    """Return the similarity above which topics are merged, if the policy needs one."""
    takes = POLICIES[policy].takes_threshold
    return merging_threshold(twin_threshold(space.similarity, kind=space.kind)) if takes else 0.0


def folds_table(corpus: Corpus, fold_of: Ints, *, column: str = "fold") -> pd.DataFrame:
    """Return the documents that a split keeps, each with its fold, or with the side that it is on while fold 1 is tested. A split
    that the corpus came with is left out: beside the folds it would be taken for theirs."""
    if column not in COLUMNS:
        raise unknown("column of folds", column, COLUMNS)
    folds = fold_of[corpus.topic_codes]
    cells = folds + 1 if column == "fold" else np.where(folds == 0, "test", "train")
    table = documents_table(corpus).drop(columns="split", errors="ignore").assign(**{column: cells})
    return table[folds >= 0].reset_index(drop=True)


def split_settings(
    corpus: Corpus,
    space: TopicSpace,
    option: Option,
    fold_of: Ints,
    *,
    k: int,
    constraints: Constraints,
    more: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the settings that make the split again, and each topic's fold."""
    measured = {name: None if value != value else value for name, value in asdict(option).items()}
    return {
        "leakscope": __version__,
        "corpus": corpus.name,
        "content": corpus.content_digest,
        "similarity": space.kind,
        "k": k,
        "option": measured | {"as_wished": option.meets_constraints},  # the names until 0.2 stay, for scripts
        "constraints": asdict(constraints),
        "wishes": asdict(constraints),
        "folds": {name: int(fold) + 1 if fold >= 0 else None for name, fold in zip(space.names, fold_of, strict=True)},
        **more,
    }


def references(option: Option) -> str:
    """Return BibTeX of what the paragraph cites."""
    cited = split_kind(option.kind).reference
    return (cited + "\n" if cited else "") + LEAKSCOPE


def option_label(option: Option) -> str:
    """Return one option in a few words, such as "HITS, m = 12"."""
    detail = {
        "random": f"seed {option.seed}",
        "least-leakage": f"balance {percent(option.balance)}" if option.balance is not None else "",
    }.get(option.kind, f"m = {option.m}")
    return f"{split_kind(option.kind).label}, {detail}"


def recommended(design: Design, *, meaningful: bool = True, cost_small: bool = True) -> Option:
    """Return the recommended option: of those that obey the constraints and separate no near twins nor one topic, the first of
    `_clear`; where there is none, least-leakage folds, which drop nothing. Where labels mean nothing, a random split.
    Otherwise a random split only where leakage is shown to cost little (`cost_small`)."""
    best = design.least_leakage
    if not meaningful:
        return next((option for option in design.of("random") if option.meets_constraints), best)
    clear = (option for option in _clear(design) if cost_small or option.kind != "random")
    return best if np.isnan(best.max) else next(clear, best)


def random_is_clear(design: Design) -> bool:
    """Return whether some random split meets the constraints and parts neither near twins nor what may be one topic."""
    return any(option.meets_constraints and option.clear for option in design.of("random"))


def _clear(design: Design) -> Iterator[Option]:
    """Yield the possible recommendations in order of cost: a random split; least-leakage folds; the largest sample, if it
    keeps half of the documents; folds less even than asked for; a smaller sample. Not one, though, that doubt alone makes
    small: a handful of documents for certainty's sake is no answer."""
    valid = [option for option in design.options if option.meets_constraints]
    yield from (option for option in valid if option.kind == "random" and option.clear)
    if design.least_leakage.clear:
        yield design.least_leakage
    samples = [option for option in valid if split_kind(option.kind).chooses]
    clear = max((option for option in samples if option.clear), key=_documents_first, default=None)
    if clear is not None and clear.documents >= ENOUGH * design.documents:
        yield clear
    uneven = [option for option in valid if (option.balance or 0.0) > design.balance and option.clear]
    least = LEAST_FOLD * design.documents / design.k
    yield from sorted(
        (option for option in uneven if option.smallest_fold >= least), key=lambda option: option.balance or 0.0
    )
    measured = max((option.documents for option in samples if not option.near_twins), default=0)
    if clear is not None and clear.documents >= ENOUGH * measured:
        yield clear


def _documents_first(option: Option) -> tuple[int, float]:
    return option.documents, -option.max
