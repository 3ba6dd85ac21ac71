"""What a test answers, in one record, and the tests there are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, record
from ..errors import SettingError

Names: TypeAlias = tuple[str, str]

STRONG, SOME = 0.01, 0.05
CONFIDENCE = 0.95
DEFAULT_NAMES: Names = ("A", "B")
# Values this close, as a share of the largest, are one value: ties must not hang on the last binary digit.
ROUNDING = 1e-12
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Test:
    """One choice of test: its symbol, what it asks, what it takes for granted, and whether it looks one way or both."""

    __test__ = False  # not for pytest

    label: str
    about: str
    assumption: str
    sides: int
    symbol: str


TESTS: dict[str, Test] = {
    "s": Test(
        "Micro sign test (s)",
        "Of the decisions that only one system gets right, how many does each get?",
        "decisions are independent; those of one document, or of documents on one topic, are not quite",
        1,
        "Z",
    ),
    "S": Test(
        "Macro sign test (S)",
        "In how many categories is each system ahead, by however much?",
        "categories are independent and count alike, rare ones too",
        1,
        "Z",
    ),
    "T": Test(
        "Macro t-test (T)",
        "Is the mean difference over the categories that differ above 0?",
        "differences are independent and roughly normal; one unstable rare category can decide",
        1,
        "t",
    ),
    "Tprime": Test(
        "Macro t-test on ranks (T′)",
        "The same after all scores are ranked together.",
        "differences of ranks are independent and roughly normal",
        1,
        "t",
    ),
    "p": Test(
        "Proportions (p)",
        "Do two shares differ, such as recall, precision or accuracy?",
        "two separate samples of independent trials; on one shared test set the pairing goes unused",
        1,
        "Z",
    ),
    "paired_t": Test(
        "Paired t-test",
        "Is the mean difference over all rows other than 0?",
        "differences are independent and roughly normal; overlapping training or test sets break this",
        2,
        "t",
    ),
    "unpaired_t": Test(
        "Unpaired t-test",
        "Do the means differ, rows not matched?",
        "two independent samples with equal spread; on shared rows it wastes the matching",
        2,
        "t",
    ),
    "wilcoxon": Test(
        "Wilcoxon signed rank",
        "Is the typical difference other than 0, by the ranks of the differences?",
        "differences are independent and symmetric round their middle",
        2,
        "W",
    ),
    "corrected_t": Test(
        "Corrected resampled t-test",
        "The paired t-test with the variance widened for training sets that overlap.",
        "the widening stands for the correlation of overlapping folds, which nothing measures exactly",
        2,
        "t",
    ),
}


@dataclass(frozen=True, slots=True)
class Significance:
    """One test's answer; where the test does not apply, `problem` says why and the numbers are None, never NaN.

    `verdict` is one of » > ~ < « (A first). `direction` is 1 where A does better, −1 where B does, else 0.
    `interval` is the 95 % confidence interval of `effect`; `standardized` is Cohen's d where there is one.
    """

    name: str
    n: int
    statistic: float | None = None
    symbol: str = ""
    p: float | None = None
    sides: int = 1
    verdict: str | None = None
    direction: int = 0
    effect: float | None = None
    effect_name: str = ""
    interval: tuple[float, float] | None = None
    standardized: float | None = None
    assumption: str = ""
    reading: str = ""
    problem: str = ""


def verdict_sign(p: float, direction: int) -> str:
    """A » B at p ≤ .01, A > B at p ≤ .05, A ~ B above that, and mirrored where B is ahead (Yang & Liu 1999)."""
    if direction == 0 or p > SOME:
        return "~"
    ahead, behind = ("»", "«") if p <= STRONG else (">", "<")
    return ahead if direction > 0 else behind


def answered(
    name: str,
    *,
    n: int,
    statistic: float,
    p: float,
    direction: int,
    effect: float,
    effect_name: str,
    interval: tuple[float, float],
    fact: str,
    names: Names,
    symbol: str = "",
    standardized: float | None = None,
) -> Significance:
    """The record of a test that applies; its reading is the fact and what it supports."""
    test = TESTS[name]
    sign = verdict_sign(p, direction)
    winner, loser = names if direction >= 0 else names[::-1]
    shown = f"p {'< 0.0001' if p < 0.0001 else f'= {p:.4f}'}, {'one' if test.sides == 1 else 'two'}-sided"
    conclusion = {
        "~": f"too little to tell the two apart ({shown}), which does not make them equal",
        ">": f"some evidence that {winner} is better than {loser} ({shown})",
        "»": f"strong evidence that {winner} is better than {loser} ({shown})",
    }[{"<": ">", "«": "»"}.get(sign, sign)]
    return Significance(
        name,
        n,
        statistic=statistic,
        symbol=symbol or test.symbol,
        p=p,
        sides=test.sides,
        verdict=sign,
        direction=direction,
        effect=effect,
        effect_name=effect_name,
        interval=interval,
        standardized=standardized,
        assumption=test.assumption,
        reading=f"{fact}: {conclusion}.",
    )


def refused(name: str, n: int, problem: str) -> Significance:
    """The record of a test that has nothing to judge."""
    test = TESTS[name]
    return Significance(
        name, n, symbol=test.symbol, sides=test.sides, assumption=test.assumption, reading=problem, problem=problem
    )


@record
class Pairs:
    """Rows in which both systems have a value; `d` is a − b with rounding errors set to 0."""

    a: Floats
    b: Floats
    d: Floats

    def rounded(self, values: Floats) -> Floats:
        """Values on a grid of 10⁻¹² of the largest, on which equal numbers are equal."""
        result: Floats = np.round(values / self.scale, _DIGITS)
        return result

    @property
    def scale(self) -> float:
        return max(float(np.abs(self.a).max(initial=0)), float(np.abs(self.b).max(initial=0))) or 1.0


def paired_values(a: ArrayLike, b: ArrayLike) -> Pairs | str:
    """The two columns matched, rows with an undefined value (NaN) left out; or why they cannot be matched."""
    one, two = column(a), column(b)
    if len(one) != len(two):
        return f"{len(one):,} values against {len(two):,}: the rows cannot be matched; give both systems the same rows."
    both = ~(np.isnan(one) | np.isnan(two))
    one, two = one[both], two[both]
    if not len(one):
        return "No row has a value for both systems."
    d = one - two
    d[np.abs(d) <= ROUNDING * max(np.abs(one).max(), np.abs(two).max())] = 0.0
    return Pairs(one, two, d)


def column(values: ArrayLike | Sequence[float]) -> Floats:
    """One system's values as numbers; NaN is allowed and stands for undefined."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise SettingError(f"Values of shape {array.shape}; give one list of numbers a system.")
    if np.isinf(array).any():
        raise SettingError("A value is infinite; give finite numbers.")
    return array


def sign_of(value: float) -> int:
    """1, 0 or −1."""
    return int(np.sign(value))
