"""Run every test that fits a table, over all pairs of systems with Holm's correction; compare HITS with random samples."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..errors import InputError, SettingError, unknown
from .power import reliable_difference, weighted_summary
from .sign_tests import MACRO_SIGN, MICRO_SIGN, PROPORTIONS, WILCOXON
from .significance import DEFAULT_NAMES, SOME, Names, Significance, TableKind, Test, column, matched_scores
from .t_tests import (
    CORRECTED_T,
    EQUIVALENCE,
    MACRO_RANK_T,
    MACRO_T,
    MARGIN,
    PAIRED_T,
    UNPAIRED_T,
    WEIGHTED_T,
    equivalence,
    unpaired_t_rows,
)

Row = TypeVar("Row", bound=Hashable)

TESTS: dict[str, Test] = {
    test.name: test
    for test in (
        MICRO_SIGN, MACRO_SIGN, MACRO_T, MACRO_RANK_T, PROPORTIONS, PAIRED_T, WEIGHTED_T, UNPAIRED_T, WILCOXON,
        EQUIVALENCE, CORRECTED_T
    )
}  # fmt: skip
KINDS: dict[TableKind, str] = {
    "scores": "a row a category, a fold or a topic, with any number as its score",
    "decisions": "a row a decision, 1 where the system is right and 0 where it is wrong",
}
_NAN = float("nan")
NO_SPREAD = 1e-12  # of differences that are one number


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems and every test that applies."""

    a: str
    b: str
    tests: Mapping[str, Significance]
    adjusted: Mapping[str, float | None]  # each test's p after Holm's correction over all pairs
    verdicts: Mapping[str, str | None]  # and the verdict that goes with it


def compare(
    a: ArrayLike,
    b: ArrayLike,
    *,
    kind: str,
    names: Names = DEFAULT_NAMES,
    train: float | None = None,
    test: float | None = None,
    margin: float = MARGIN,
    weights: ArrayLike | None = None,
) -> dict[str, Significance]:
    """Run all tests that apply to per-category scores, or to per-decision correctness, by their names in TESTS.

    With the sizes of training and test sets the rows count as resamples, and the corrected t-test is included; with the
    rows' weights (numbers of documents) the weighted t-test is. `margin` is that of the equivalence test.
    """
    if kind not in KINDS:
        raise unknown("kind of table", kind, KINDS)
    if (train is None) != (test is None):
        raise SettingError("Only one of the training and test sizes is given; the corrected t-test needs both.")
    if kind == "decisions":
        a, b = _decisions(a), _decisions(b)
    sizes = {} if train is None else {"train": train, "test": test}
    found = {}
    for name, choice in TESTS.items():
        if choice.kind != kind or (choice.needs_sizes and not sizes) or (choice.needs_weights and weights is None):
            continue
        more: dict[str, object] = dict(sizes) if choice.needs_sizes else {}
        more |= {"weights": weights} if choice.needs_weights else {}
        more |= {"margin": margin} if choice.takes_margin else {}
        found[name] = choice.run(a, b, names=names, **more)
    return found


def compare_all(
    systems: Mapping[str, ArrayLike],
    *,
    kind: str,
    margin: float = MARGIN,
    weights: ArrayLike | None = None,
) -> tuple[Comparison, ...]:
    """Compare every pair of systems in the order given; each test's two-sided p-values over the pairs are one family for Holm."""
    pairs = combinations(systems, 2)
    choices: dict[str, Any] = {"kind": kind, "margin": margin, "weights": weights}
    compared = [(a, b, compare(systems[a], systems[b], names=(a, b), **choices)) for a, b in pairs]
    return adjusted_pairs([(a, b, {name: test.two_sided for name, test in tests.items()}) for a, b, tests in compared])


def adjusted_pairs(pairs: Sequence[tuple[str, str, Mapping[str, Significance]]]) -> tuple[Comparison, ...]:
    """Return the pairs with Holm's correction, test by test."""
    families = {name: holm([tests[name].p for *_, tests in pairs]) for name in (pairs[0][2] if pairs else ())}
    compared = []
    for index, (a, b, tests) in enumerate(pairs):
        adjusted = {name: families[name][index] for name in tests}
        verdicts = {name: None if p is None else tests[name].verdict_at(p) for name, p in adjusted.items()}
        compared.append(Comparison(a, b, tests, adjusted, verdicts))
    return tuple(compared)


FEWEST_SIGNS = 6  # that agree: with five, p of a two-sided sign test is .0625


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """Which of A and B is ahead over rows that count equally; NaN where undefined."""

    outcome: Literal["a", "b", "equivalent", "unclear", "same", "nothing"]
    rows: int  # in which both have a value
    wins: int  # rows in which A is ahead
    losses: int  # in which B is
    p: float  # exact two-sided sign test over the rows that differ
    mean: float  # of A − B
    interval: tuple[float, float] | None  # 95%, of the mean
    interval_90: tuple[float, float] | None  # within the margin exactly where the two are equivalent
    within: bool  # the mean difference is within the margin, at .05
    margin: float | None
    detectable: float  # true difference that a two-sided paired t-test finds in 80% of studies
    effective: float  # rows of equal size that the rows' documents are worth (Kish 1965)
    problem: str = ""  # why nothing can be compared


def head_to_head(a: ArrayLike, b: ArrayLike, *, margin: float | None, sizes: ArrayLike | None = None) -> HeadToHead:
    """Judge whether A or B is better, or both equivalent within the margin, over rows that count equally.

    Better: the exact two-sided sign test over rows that differ, p ≤ .05. Equivalent: `equivalence` at .05; without a
    margin (single decisions) nothing is. `sizes` are the rows' numbers of documents.
    """
    from scipy.stats import binomtest

    matched = matched_scores(a, b)
    if isinstance(matched, str):
        return HeadToHead("nothing", 0, 0, 0, _NAN, _NAN, None, None, False, margin, _NAN, _NAN, matched)
    d = matched.d
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    equal = None if margin is None else equivalence(a, b, margin=margin)
    within = equal is not None and equal.p is not None and equal.p <= SOME
    p = float(binomtest(wins, wins + losses).pvalue) if wins + losses else _NAN
    outcome: Literal["a", "b", "equivalent", "unclear", "same"] = "equivalent" if within else "unclear"
    if not wins + losses:
        outcome = "same"
    elif p <= SOME:
        outcome = "a" if wins > losses else "b"
    spread = float(d.std(ddof=1)) if len(d) > 2 else 0.0
    return HeadToHead(
        outcome,
        len(d),
        wins,
        losses,
        p,
        float(d.mean()),
        None if equal is None else equal.interval,
        None if equal is None else equal.interval_90,
        within,
        margin,
        reliable_difference(spread, len(d), paired=True, sides=2)
        if margin is not None and spread > NO_SPREAD
        else _NAN,
        _NAN if sizes is None else weighted_summary(column(a) - column(b), sizes).effective,
    )


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return max over j ≤ i of min(1, (m − j + 1)·p_(j)) for the i-th smallest p (Holm 1979); None stays None."""
    given = sorted((p, index) for index, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    # statsmodels' multipletests calls gc.collect() every time: 40 ms and more with a page's objects.
    for rank, (p, index) in enumerate(given):
        highest = max(highest, min(1.0, (len(given) - rank) * p))
        adjusted[index] = highest
    return adjusted


def _decisions(values: ArrayLike) -> Floats:
    """Return a column of decisions, or raise InputError where a value is neither 0 nor 1."""
    array = column(values)
    strange = np.flatnonzero((array != 0) & (array != 1))  # NaN is neither
    if len(strange):
        row = strange[0]
        raise InputError(f"row {row + 1}: {array[row]:g} is not a decision; write 1 for right and 0 for wrong.")
    return array


@dataclass(frozen=True, slots=True)
class SetupComparison:
    """Means over folds in setups a and b, and the unpaired t-test of a − b."""

    mean_a: float
    mean_b: float
    statistic: float
    p: float  # two-sided
    adjusted: float  # p after Holm's correction over all rows compared at once

    @property
    def difference(self) -> float:
        """Return the mean of a minus the mean of b."""
        return self.mean_a - self.mean_b


@dataclass(frozen=True, slots=True)
class RankAmong:
    """The rank of a value among `n` samples."""

    n: int
    above: int  # samples above the value
    below: int
    p: float  # (1 + samples as low)/(n + 1)

    @property
    def sentence(self) -> str:
        """Return the rank in words, such as "below 17 of 20"."""
        if np.isnan(self.p):
            return "not comparable"
        if max(self.above, self.below) == 0:
            return f"level with all {self.n}"
        return f"below {self.above} of {self.n}" if self.above >= self.below else f"above {self.below} of {self.n}"


def compare_setups(a: Mapping[Row, ArrayLike], b: Mapping[Row, ArrayLike]) -> dict[Row, SetupComparison]:
    """Compare a's folds with b's in each row (a metric, or a model and a metric) of a table (Sawatphol et al. 2024, §7.1).

    Rows that only one setup has are left out, and so are undefined scores; statistic and p are NaN without spread. The
    test assumes independent folds, and folds that share documents are not: see `placebo_rate`.
    """
    rows = {row: _means_compared(a[row], b[row]) for row in a if row in b}
    adjusted = holm([None if np.isnan(p) else p for *_, p in rows.values()])
    return {
        row: SetupComparison(*found, adjusted=_NAN if p is None else p)
        for (row, found), p in zip(rows.items(), adjusted, strict=True)
    }


def placebo_counts(samples: Sequence[ArrayLike], *, alpha: float = 0.05) -> tuple[int, int]:
    """Return how many random samples the t-test of `compare_setups` calls different, and how many it could test.

    Each sample (a table with a row per model and a column per fold, or one row) is compared with all others together,
    row by row, as if it were HITS; a table counts once per row. Fewer than three samples give (0, 0).
    """
    tables = [np.atleast_2d(np.asarray(sample, dtype=np.float64)) for sample in samples]
    if len({table.shape[0] for table in tables}) > 1 or any(table.ndim != 2 for table in tables):
        raise SettingError("Samples with different numbers of models; give a table of the same models per sample.")
    if len(tables) < 3:
        return 0, 0
    p_values = []
    for index, table in enumerate(tables):
        others = np.concatenate([*tables[:index], *tables[index + 1 :]], axis=1)
        p_values += [_means_compared(ours, theirs)[-1] for ours, theirs in zip(table, others, strict=True)]
    known = [p for p in p_values if not np.isnan(p)]
    return sum(p < alpha for p in known), len(known)


def placebo_rate(samples: Sequence[ArrayLike], *, alpha: float = 0.05) -> float:
    """Return the share of random samples that the t-test of `compare_setups` calls different: its Type I error here.

    Samples differ only by chance, so the share should be α. NaN for fewer than three samples, or where nothing varies.
    """
    called, judged = placebo_counts(samples, alpha=alpha)
    return called / judged if judged else _NAN


def rank_among(value: float, samples: ArrayLike) -> RankAmong:
    """Return the one-sided Monte Carlo p = (1 + samples as low)/(n + 1) of a value among samples.

    Low is what HITS is meant to be. With n samples no p is below 1/(n + 1) (Davison & Hinkley 1997, §4.2). Undefined
    samples (NaN) are left out; for an undefined value, or no sample, p is NaN.
    """
    drawn = np.asarray(samples, dtype=np.float64).ravel()
    drawn = drawn[~np.isnan(drawn)]
    n = len(drawn)
    if np.isnan(value) or n == 0:
        return RankAmong(n, 0, 0, _NAN)
    apart = drawn - value
    tie = np.abs(apart) <= 1e-12 * max(1.0, abs(value))
    above, below = int(((apart > 0) & ~tie).sum()), int(((apart < 0) & ~tie).sum())
    return RankAmong(n, above, below, (1 + n - above) / (n + 1))


def _means_compared(a: ArrayLike, b: ArrayLike) -> tuple[float, float, float, float]:
    """Return both means, t and p of an unpaired t-test; NaN where undefined."""
    sides: list[Floats] = [np.asarray(side, dtype=np.float64).ravel() for side in (a, b)]
    one, two = (side[~np.isnan(side)] for side in sides)
    means = [float(side.mean()) if len(side) else _NAN for side in (one, two)]
    statistic = p = _NAN
    if min(len(one), len(two)) > 1:
        (statistic,), (p,) = unpaired_t_rows(one[None], two[None])
    return means[0], means[1], float(statistic), float(p)
