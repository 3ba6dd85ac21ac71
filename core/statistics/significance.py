"""Define what a test is, what it returns, and the columns it takes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, record
from ..errors import SettingError

Names: TypeAlias = tuple[str, str]
TableKind: TypeAlias = Literal["scores", "decisions"]
Claim: TypeAlias = Literal["difference", "equality"]
ErrorRate: TypeAlias = Literal["nominal", "clustered", "placebo"]

STRONG, SOME = 0.01, 0.05
CONFIDENCE = 0.95
DEFAULT_NAMES: Names = ("A", "B")
# Values this close, as a share of the largest, are one value: ties must not depend on the last binary digit.
ROUNDING = 1e-12
DIGITS = 12


@dataclass(frozen=True, slots=True)
class Test:
    """One choice of test.

    `error_rate` tells how often it errs at .05: as often as it should ("nominal"), or more often where documents share
    a topic ("clustered": `true_rate` gives the rate) or where samples share documents ("placebo": `placebo_rate` does).
    """

    __test__ = False  # not for pytest

    name: str
    label: str
    about: str  # what it asks
    assumption: str
    sides: int
    run: Callable[..., "Significance"]  # run(a, b, names=…) compares two columns of a table of its `kind`
    symbol: str = "t"
    kind: TableKind = "scores"
    needs_sizes: bool = False  # run also takes `train` and `test`, the sizes of the resamples (scores only)
    needs_weights: bool = False  # run also takes the `weights` of the rows (scores only)
    takes_margin: bool = False  # run also takes a `margin`
    claim: Claim = "difference"  # what a small p is evidence for
    error_rate: ErrorRate = "nominal"
    matched: bool = True  # False: the matching of rows goes unused

    def __post_init__(self) -> None:
        if self.kind == "decisions" and (self.needs_sizes or self.needs_weights):
            raise SettingError(f"{self.label}: a decision has neither sizes nor a weight; make it a test of scores.")

    @property
    def promised_rate(self) -> float:
        """Return the Type I error at a two-sided p ≤ .05 if the test's assumption holds.

        A one-sided p is read for whichever system is ahead, so it counts from .025 on.
        """
        return SOME

    def rate_in(self, rates: Mapping[str, float]) -> float | None:
        """Return how often it errs at .05: as promised or, where documents share a topic, the `rates` of a run."""
        return rates.get(self.name) if self.error_rate == "clustered" else self.promised_rate


@dataclass(frozen=True, slots=True)
class Significance:
    """One test's result; numbers are None, never NaN, where the test does not apply."""

    name: str
    n: int
    statistic: float | None = None
    symbol: str = ""
    p: float | None = None
    sides: int = 1
    verdict: str | None = None  # » > ~ < « (A first), or = and ~ where the claim is equality
    direction: int = 0  # 1 where A does better, −1 where B does
    effect: float | None = None
    effect_name: str = ""
    interval: tuple[float, float] | None = None  # 95% confidence interval of the effect
    interval_90: tuple[float, float] | None = None  # where p ≤ .05 means that this one is within a margin
    assumption: str = ""
    problem: str = ""  # why the test does not apply
    claim: Claim = "difference"

    def verdict_at(self, p: float) -> str:
        """Return the verdict for another p of this test, such as a corrected one."""
        return verdict_sign(p, self.direction, self.claim)

    @property
    def two_sided(self) -> "Significance":
        """Return the result as a two-sided test of a difference gives it; a test of equality stays as it is."""
        if self.p is None or self.sides == 2 or self.claim == "equality":
            return self
        p = min(1.0, 2 * self.p)
        return replace(self, p=p, sides=2, verdict=self.verdict_at(p))


def verdict_sign(p: float, direction: int, claim: Claim = "difference") -> str:
    """Return » at p ≤ .01, > at p ≤ .05, ~ above that, mirrored where B is ahead (Yang & Liu 1999).

    Where the claim is equality: = at p ≤ .05, else ~.
    """
    if claim == "equality":
        return "=" if p <= SOME else "~"
    if direction == 0 or p > SOME:
        return "~"
    ahead, behind = ("»", "«") if p <= STRONG else (">", "<")
    return ahead if direction > 0 else behind


@dataclass(frozen=True, slots=True)
class Effect:
    """How large a difference is."""

    value: float
    name: str  # what it measures
    interval: tuple[float, float] | None  # 95%; None where there are too few rows for one


def applied(
    test: Test,
    *,
    n: int,
    statistic: float,
    p: float,
    direction: int,
    effect: Effect,
    symbol: str = "",
) -> Significance:
    """Return the record of a test that applies."""
    return Significance(
        test.name,
        n,
        statistic=statistic,
        symbol=symbol or test.symbol,
        p=p,
        sides=test.sides,
        verdict=verdict_sign(p, direction),
        direction=direction,
        effect=effect.value,
        effect_name=effect.name,
        interval=effect.interval,
        assumption=test.assumption,
    )


def refused(test: Test, n: int, problem: str) -> Significance:
    """Return the record of a test that does not apply."""
    return Significance(
        test.name,
        n,
        symbol=test.symbol,
        sides=test.sides,
        assumption=test.assumption,
        problem=problem,
        claim=test.claim,
    )


def equal_rows(names: Names, rows: int) -> str:
    """Say that no row differs."""
    return f"{names[0]} and {names[1]} are equal in all {rows:,} rows."


@record
class MatchedScores:
    """Rows in which both systems have a value."""

    a: Floats
    b: Floats
    d: Floats  # a − b with rounding errors set to 0

    def rounded(self, values: Floats) -> Floats:
        """Round values to 10⁻¹² of the largest, so that equal numbers are equal."""
        result: Floats = np.round(values / self.scale, DIGITS)
        return result

    @property
    def scale(self) -> float:
        return max(float(np.abs(self.a).max(initial=0)), float(np.abs(self.b).max(initial=0))) or 1.0


def matched_scores(a: ArrayLike, b: ArrayLike) -> MatchedScores | str:
    """Return the two columns without rows that have an undefined value (NaN), or why they cannot be matched."""
    one, two = column(a), column(b)
    if len(one) != len(two):
        return f"{len(one):,} values against {len(two):,}: the rows cannot be matched; give both systems the same rows."
    both = ~(np.isnan(one) | np.isnan(two))
    one, two = one[both], two[both]
    if not len(one):
        return "No row has a value for both systems."
    d = one - two
    d[np.abs(d) <= ROUNDING * max(np.abs(one).max(), np.abs(two).max())] = 0.0
    return MatchedScores(one, two, d)


def column(values: ArrayLike) -> Floats:
    """Return one system's values as numbers; NaN stands for undefined."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise SettingError(f"Values of shape {array.shape}; give one list of numbers per system.")
    if np.isinf(array).any():
        raise SettingError("A value is infinite; give finite numbers.")
    return array


def sign_of(value: float) -> int:
    """Return 1, 0 or −1."""
    return int(np.sign(value))
