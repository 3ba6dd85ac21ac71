"""What a test is, what it answers, and the columns that it is given."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, record
from ..errors import SettingError
from ..formats import share

Names: TypeAlias = tuple[str, str]
TableKind: TypeAlias = Literal["scores", "decisions"]
Claim: TypeAlias = Literal["difference", "equality"]
ErrorRate: TypeAlias = Literal["nominal", "clustered", "placebo"]

STRONG, SOME = 0.01, 0.05
CONFIDENCE = 0.95
DEFAULT_NAMES: Names = ("A", "B")
SIGNS_SAY = (
    "» or « strong evidence (p ≤ .01), > or < some (p ≤ .05), ~ too little to tell. This is one question asked in many ways: do "
    "not choose the smallest p."
)
# Values this close, as a share of the largest, are one value: ties must not hang on the last binary digit.
ROUNDING = 1e-12
DIGITS = 12


@dataclass(frozen=True, slots=True)
class Test:
    """One choice of test: what it asks and takes for granted, its sides and symbol, and the function that makes it.

    `run(a, b, names=…)` judges two columns of a table of its `kind`; with `needs_sizes` it also takes `train` and
    `test`, the sizes of the resamples, with `needs_weights` the `weights` of the rows, with `takes_margin` a `margin`.
    Sizes and weights belong to rows of scores: a decision has neither.
    A small p speaks for its `claim`. `error_rate` says how often it errs at .05: as often as it should ("nominal"), or
    more often where documents share a topic ("clustered": `true_rate` gives the rate) or where samples share documents
    ("placebo": `placebo_rate` does). `matched` is False for a test that leaves the matching of rows unused.
    """

    __test__ = False  # not for pytest

    name: str
    label: str
    about: str
    assumption: str
    sides: int
    run: Callable[..., "Significance"]
    symbol: str = "t"
    kind: TableKind = "scores"
    needs_sizes: bool = False
    needs_weights: bool = False
    takes_margin: bool = False
    claim: Claim = "difference"
    error_rate: ErrorRate = "nominal"
    matched: bool = True

    def __post_init__(self) -> None:
        if self.kind == "decisions" and (self.needs_sizes or self.needs_weights):
            raise SettingError(f"{self.label}: a decision has neither sizes nor a weight; make it a test of scores.")

    @property
    def promised_rate(self) -> float:
        """How often p ≤ .05 comes where it should not, if what the test takes for granted holds.

        Twice .05 for a one-sided p, which is taken for whichever system is found ahead; .05 for equality, which has no
        sides to choose from.
        """
        return SOME if self.claim == "equality" else 2 * SOME / self.sides

    def shown_rate(self, rates: Mapping[str, float]) -> str:
        """How often it errs at .05: as promised, or, where documents share a topic, by the `rates` of the run."""
        if self.error_rate != "clustered":
            return share(self.promised_rate)
        return share(rates[self.name]) if self.name in rates else "not known"


@dataclass(frozen=True, slots=True)
class Significance:
    """One test's answer; where the test does not apply, `problem` says why and the numbers are None, never NaN.

    `verdict` is one of » > ~ < « (A first), or = and ~ where the test's claim is equality. `direction` is 1 where A
    does better, −1 where B does, else 0. `interval` is the 95 % confidence interval of `effect`, `interval_90` the 90 % one
    where p goes with that: p ≤ .05 where it lies within a margin.
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
    interval_90: tuple[float, float] | None = None
    assumption: str = ""
    reading: str = ""
    problem: str = ""
    claim: Claim = "difference"

    def verdict_at(self, p: float) -> str:
        """The sign that goes with another p of this test, one corrected for several tests say."""
        return verdict_sign(p, self.direction, self.claim)


def verdict_sign(p: float, direction: int, claim: Claim = "difference") -> str:
    """A » B at p ≤ .01, A > B at p ≤ .05, A ~ B above that, and mirrored where B is ahead (Yang & Liu 1999).

    Where a small p speaks for equality: A = B at p ≤ .05, else A ~ B.
    """
    if claim == "equality":
        return "=" if p <= SOME else "~"
    if direction == 0 or p > SOME:
        return "~"
    ahead, behind = ("»", "«") if p <= STRONG else (">", "<")
    return ahead if direction > 0 else behind


@dataclass(frozen=True, slots=True)
class Effect:
    """How large a difference is: its value, what it measures, and the 95 % confidence interval."""

    value: float
    name: str
    interval: tuple[float, float]


def answered(
    test: Test,
    names: Names,
    *,
    n: int,
    statistic: float,
    p: float,
    direction: int,
    effect: Effect,
    fact: str,
    symbol: str = "",
) -> Significance:
    """The record of a test that applies; its reading is the fact and what it supports."""
    sign = verdict_sign(p, direction)
    winner, loser = names if direction >= 0 else names[::-1]
    shown = f"{shown_p(p)}, {'one' if test.sides == 1 else 'two'}-sided"
    conclusion = {
        "~": f"too little to tell the two apart ({shown}), which does not make them equal",
        ">": f"some evidence that {winner} is better than {loser} ({shown})",
        "»": f"strong evidence that {winner} is better than {loser} ({shown})",
    }[{"<": ">", "«": "»"}.get(sign, sign)]
    return Significance(
        test.name,
        n,
        statistic=statistic,
        symbol=symbol or test.symbol,
        p=p,
        sides=test.sides,
        verdict=sign,
        direction=direction,
        effect=effect.value,
        effect_name=effect.name,
        interval=effect.interval,
        assumption=test.assumption,
        reading=f"{fact}: {conclusion}.",
    )


def shown_p(p: float) -> str:
    """A p as a sentence shows it."""
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.4f}"


def refused(test: Test, n: int, problem: str) -> Significance:
    """The record of a test that has nothing to judge."""
    return Significance(
        test.name,
        n,
        symbol=test.symbol,
        sides=test.sides,
        assumption=test.assumption,
        reading=problem,
        problem=problem,
        claim=test.claim,
    )


def equal_rows(names: Names, rows: int) -> str:
    """Why two systems cannot be told apart: no row differs."""
    return f"{names[0]} and {names[1]} are equal in all {rows:,} rows."


@record
class MatchedScores:
    """Rows in which both systems have a value; `d` is a − b with rounding errors set to 0."""

    a: Floats
    b: Floats
    d: Floats

    def rounded(self, values: Floats) -> Floats:
        """Values on a grid of 10⁻¹² of the largest, on which equal numbers are equal."""
        result: Floats = np.round(values / self.scale, DIGITS)
        return result

    @property
    def scale(self) -> float:
        return max(float(np.abs(self.a).max(initial=0)), float(np.abs(self.b).max(initial=0))) or 1.0


def matched_scores(a: ArrayLike, b: ArrayLike) -> MatchedScores | str:
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
    return MatchedScores(one, two, d)


def column(values: ArrayLike) -> Floats:
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
