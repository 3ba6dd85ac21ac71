"""HITS against random samples: the paper's t-test with how often it errs here, and a rank among the samples drawn."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..errors import SettingError
from .compare import holm
from .t_tests import unpaired_t_rows

Row = TypeVar("Row", bound=Hashable)

_NAN = float("nan")


@dataclass(frozen=True, slots=True)
class SetupComparison:
    """Means over folds in setups a and b, and the unpaired t-test of their difference a − b (two-sided p).

    `adjusted` is p after Holm's correction over all rows compared at once.
    """

    mean_a: float
    mean_b: float
    statistic: float
    p: float
    adjusted: float

    @property
    def difference(self) -> float:
        """Mean of a minus mean of b."""
        return self.mean_a - self.mean_b


@dataclass(frozen=True, slots=True)
class RankAmong:
    """Where a value lies among `n` samples: so many of them `above` it and `below` it; p = (1 + as low)/(n + 1)."""

    n: int
    above: int
    below: int
    p: float

    @property
    def sentence(self) -> str:
        """Such as "below 17 of 20"."""
        if np.isnan(self.p):
            return "not comparable"
        if max(self.above, self.below) == 0:
            return f"level with all {self.n}"
        return f"below {self.above} of {self.n}" if self.above >= self.below else f"above {self.below} of {self.n}"


def compare_setups(a: Mapping[Row, ArrayLike], b: Mapping[Row, ArrayLike]) -> dict[Row, SetupComparison]:
    """For each row of a table, a metric or a model and a metric, a's folds against b's (Sawatphol et al. 2024, §7.1).

    Rows that only one setup has are left out, and so are undefined scores; statistic and p are NaN where no spread is
    left. The test takes folds for independent; folds that share documents are not: see `placebo_rate`.
    """
    rows = {row: _compared(a[row], b[row]) for row in a if row in b}
    adjusted = holm([None if np.isnan(p) else p for *_, p in rows.values()])
    return {
        row: SetupComparison(*found, adjusted=_NAN if p is None else p)
        for (row, found), p in zip(rows.items(), adjusted, strict=True)
    }


def placebo_counts(samples: Sequence[ArrayLike], *, alpha: float = 0.05) -> tuple[int, int]:
    """How many random samples the t-test of `compare_setups` calls different, and of how many it could judge.

    Each sample (a table with a row a model and a column a fold, or one row) is set against all others together, row
    by row, as if it were HITS; a table counts once a row. Fewer than three samples judge nothing.
    """
    tables = [np.atleast_2d(np.asarray(sample, dtype=np.float64)) for sample in samples]
    if len({table.shape[0] for table in tables}) > 1 or any(table.ndim != 2 for table in tables):
        raise SettingError("Samples with different numbers of models; give a table of the same models a sample.")
    if len(tables) < 3:
        return 0, 0
    p_values = []
    for index, table in enumerate(tables):
        others = np.concatenate([*tables[:index], *tables[index + 1 :]], axis=1)
        p_values += [_compared(ours, theirs)[-1] for ours, theirs in zip(table, others, strict=True)]
    known = [p for p in p_values if not np.isnan(p)]
    return sum(p < alpha for p in known), len(known)


def placebo_rate(samples: Sequence[ArrayLike], *, alpha: float = 0.05) -> float:
    """How often the t-test of `compare_setups` errs here: the share of random samples that it calls different.

    No sample differs from the others but by chance, so the share should be α. NaN for fewer than three samples, or where
    nothing varies.
    """
    called, judged = placebo_counts(samples, alpha=alpha)
    return called / judged if judged else _NAN


def rank_among(value: float, samples: ArrayLike) -> RankAmong:
    """p = (1 + samples as low)/(n + 1): were the value one more such sample, how often would it be so low?

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


def _compared(a: ArrayLike, b: ArrayLike) -> tuple[float, float, float, float]:
    sides: list[Floats] = [np.asarray(side, dtype=np.float64).ravel() for side in (a, b)]
    one, two = (side[~np.isnan(side)] for side in sides)
    means = [float(side.mean()) if len(side) else _NAN for side in (one, two)]
    statistic = p = _NAN
    if min(len(one), len(two)) > 1:
        (statistic,), (p,) = unpaired_t_rows(one[None], two[None])
    return means[0], means[1], float(statistic), float(p)
