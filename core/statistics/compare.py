"""Every test that fits a table, for two systems or for all pairs of several with Holm's correction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..errors import InputError, SettingError, unknown
from .equivalence import EQUIVALENCE, MARGIN
from .significance import DEFAULT_NAMES, Names, Significance, TableKind, Test, column
from .signs import MACRO_SIGN, MICRO_SIGN, PROPORTIONS
from .t_tests import CORRECTED_T, MACRO_RANK_T, MACRO_T, PAIRED_T, UNPAIRED_T
from .weighted import WEIGHTED_T
from .wilcoxon import WILCOXON

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


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems, every test that applies, and each test's p and verdict after Holm's correction over all pairs."""

    a: str
    b: str
    tests: Mapping[str, Significance]
    adjusted: Mapping[str, float | None]
    verdicts: Mapping[str, str | None]


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
    """All tests that apply to per-category scores, or to per-decision correctness, by their names in TESTS.

    With the sizes of training and test sets the rows are taken for resamples, and the corrected t-test joins in.
    With the rows' weights, numbers of documents say, the weighted t-test does. `margin` is the difference that the
    equivalence test would not mind.
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
    """Every pair of systems in the order given; each test's p-values over the pairs are one family for Holm."""
    pairs = combinations(systems, 2)
    choices: dict[str, Any] = {"kind": kind, "margin": margin, "weights": weights}
    return adjusted_pairs([(a, b, compare(systems[a], systems[b], names=(a, b), **choices)) for a, b in pairs])


def adjusted_pairs(pairs: Sequence[tuple[str, str, Mapping[str, Significance]]]) -> tuple[Comparison, ...]:
    """The pairs with Holm's correction, test by test."""
    families = {name: holm([tests[name].p for *_, tests in pairs]) for name in (pairs[0][2] if pairs else ())}
    compared = []
    for index, (a, b, tests) in enumerate(pairs):
        adjusted = {name: families[name][index] for name in tests}
        verdicts = {name: None if p is None else tests[name].verdict_at(p) for name, p in adjusted.items()}
        compared.append(Comparison(a, b, tests, adjusted, verdicts))
    return tuple(compared)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """p_(i) → max over j ≤ i of min(1, (m − j + 1)·p_(j)), by rising p; None, a test that does not apply, stays (Holm 1979)."""
    given = sorted((p, index) for index, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    # By hand: statsmodels' multipletests collects all garbage on every call, 40 ms and more with a page's objects.
    for rank, (p, index) in enumerate(given):
        highest = max(highest, min(1.0, (len(given) - rank) * p))
        adjusted[index] = highest
    return adjusted


def _decisions(values: ArrayLike) -> Floats:
    array = column(values)
    strange = np.flatnonzero((array != 0) & (array != 1))  # NaN is neither
    if len(strange):
        row = strange[0]
        raise InputError(f"row {row + 1}: {array[row]:g} is no decision; write 1 for right and 0 for wrong.")
    return array
