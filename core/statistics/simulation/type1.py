"""Shares of trials in which a test rejects, with intervals, counted batch by batch until done or stopped."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np

from ...arrays import Floats, record
from ...errors import SettingError
from ...progress import Pace, Progress
from ..fold_tests import FOLD_TESTS, TEST_LABELS, checked_tests
from .groups import GroupErrors, counted_trials, explicit_trials, group_errors
from .schemes import Plan, make_plan

Interval = tuple[float, float]

LEVEL = 0.05
MOST_TRIALS = 100_000
_Z95 = 1.959963984540054


@dataclass(slots=True)
class Tally:
    """Rejections so far, test by test; `undefined` counts trials whose scores do not vary, which never reject."""

    tests: tuple[str, ...] = tuple(FOLD_TESTS)
    trials: int = 0
    rejected: dict[str, int] = field(init=False)
    undefined: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self.rejected, self.undefined = dict.fromkeys(self.tests, 0), dict.fromkeys(self.tests, 0)

    def add(self, a: Floats, b: Floats) -> None:
        """Test every row (a trial) of two classifiers' scores over columns (folds)."""
        self.trials += len(a)
        for name in self.tests:
            p = FOLD_TESTS[name](a, b)
            undefined = np.isnan(p)
            self.undefined[name] += int(undefined.sum())
            self.rejected[name] += int((p[~undefined] < LEVEL).sum())

    @property
    def rates(self) -> dict[str, float]:
        """Rejections over trials; NaN before the first."""
        return {name: count / self.trials if self.trials else float("nan") for name, count in self.rejected.items()}

    @property
    def intervals(self) -> dict[str, Interval]:
        """A Wilson interval for each rate."""
        return {name: wilson(count, self.trials) for name, count in self.rejected.items()}

    @property
    def notes(self) -> tuple[str, ...]:
        """One sentence a test that could not be made in some trials."""
        return tuple(
            f"In {count:,} of {self.trials:,} trials the scores do not vary, so the {TEST_LABELS[name]} has no p there; "
            "they count as not rejected."
            for name, count in self.undefined.items()
            if count
        )


def wilson(successes: int, trials: int) -> Interval:
    """95 % interval (p̂ + z²/2n ± z√(p̂(1 − p̂)/n + z²/4n²))/(1 + z²/n) of a share (Wilson 1927); (0, 1) without trials."""
    if trials == 0:
        return 0.0, 1.0
    share, spread = successes / trials, _Z95**2 / trials
    middle = share + spread / 2
    half = _Z95 * sqrt(share * (1 - share) / trials + spread / (4 * trials))
    # At the ends the formula gives 0 and 1 exactly but for rounding.
    low = 0.0 if successes == 0 else (middle - half) / (1 + spread)
    return low, 1.0 if successes == trials else (middle + half) / (1 + spread)


def checked_trials(trials: int) -> int:
    """The number of trials, if it can be run."""
    if not 1 <= trials <= MOST_TRIALS:
        raise SettingError(f"{trials:,} trials; choose from 1 to {MOST_TRIALS:,}.")
    return trials


def checked_seed(seed: int) -> int:
    """The seed, if a generator takes it."""
    if seed < 0:
        raise SettingError(f"A seed of {seed}; choose 0 or more.")
    return seed


def as_mapping(rates: Mapping[str, float]) -> dict[str, float | None]:
    """Rates for JSON: None where undefined."""
    return {name: None if np.isnan(rate) else float(rate) for name, rate in rates.items()}


MOST_AT_ONCE = {"ncv": 500, "rrs": 500, "ers": 100}  # trials between two signs of life
MOST_CELLS = 3_000_000  # of the largest array a batch needs
REQUIRED = ("scheme", "labelled", "trials", "seed")
OPTIONAL = ("error", "correlation", "instances", "groups", "folds", "fixed_errors", "difference")
MEASURED = 30  # trials simulated instance by instance to measure the error correlation


@record
class Type1:
    """How often each test rejects at .05 in `trials` trials: Type I error, or power where `difference` is above 0.

    `intervals` are Wilson's at 95 %; `undefined` counts trials without variance (not rejected); `error` is A's true
    error rate; `error_correlation` the φ within groups measured on trials simulated instance by instance.
    """

    scheme: str
    labelled: float
    rates: Mapping[str, float]
    intervals: Mapping[str, Interval]
    undefined: Mapping[str, int]
    trials: int
    requested: int
    error: float
    difference: float
    error_correlation: float
    notes: tuple[str, ...]


def type1_stream(
    scheme: str,
    *,
    labelled: float,
    trials: int,
    seed: int,
    error: float = 0.1,
    correlation: float = 0.9,
    instances: int = 300,
    groups: int = 10,
    folds: int | None = None,
    fixed_errors: bool = False,
    difference: float = 0.0,
    tests: Sequence[str] = tuple(FOLD_TESTS),
) -> Iterator[Type1]:
    """The record after every few hundred trials, so that a page can draw rates as they settle (Neville et al. 2012, Table 6).

    Fewer trials with the same seed are the first of more. `folds` defaults to 10 for NCV and 30 for the others.
    Settings are checked before the first record is asked for.
    """
    plan = make_plan(scheme, instances, labelled=labelled, folds=folds)
    model = group_errors(
        error=error, correlation=correlation, groups=groups, difference=difference, fixed_errors=fixed_errors
    )
    notes = (*plan.notes, *_model_notes(model, error, instances))
    return _batches(plan, model, checked_trials(trials), checked_seed(seed), difference, checked_tests(tests), notes)


def type1_rates(
    scheme: str,
    *,
    labelled: float,
    trials: int,
    seed: int,
    error: float = 0.1,
    correlation: float = 0.9,
    instances: int = 300,
    groups: int = 10,
    folds: int | None = None,
    fixed_errors: bool = False,
    difference: float = 0.0,
    tests: Sequence[str] = tuple(FOLD_TESTS),
    progress: Progress | None = None,
) -> Type1:
    """How often the tests reject two equal classifiers, or with `difference` a B that errs so much more often (power).

    `progress` is called after every few hundred trials.
    """
    records = type1_stream(
        scheme, labelled=labelled, trials=trials, seed=seed, error=error, correlation=correlation,
        instances=instances, groups=groups, folds=folds, fixed_errors=fixed_errors, difference=difference, tests=tests,
    )  # fmt: skip
    pace = Pace()
    for record in records:
        if progress is not None:
            progress(record.trials, trials, "trials", pace.left(record.trials, trials - record.trials))
    return record


def simulate_type1(options: Mapping[str, Any], *, progress: Progress | None = None) -> dict[str, Any]:
    """`simulate type1`: rates, their intervals, trials and error correlation, ready for JSON.

    `options` holds scheme, labelled, trials and seed, and may hold any other choice of `type1_rates`; None is its
    default, and names that are no choice of it are passed over.
    """
    given = {name: options[name] for name in (*REQUIRED, *OPTIONAL) if options.get(name) is not None}
    missing = [name for name in REQUIRED if name not in given]
    if missing:
        raise SettingError(f"simulate type1 needs --{missing[0]}; add it.")
    scheme = str(given.pop("scheme"))
    found = type1_rates(scheme, progress=progress, **given)
    return {
        "rates": as_mapping(found.rates),
        "intervals": {name: list(interval) for name, interval in found.intervals.items()},
        "trials": found.trials,
        "error_correlation": as_mapping({"phi": found.error_correlation})["phi"],
        "notes": list(found.notes),
    }


def _batches(
    plan: Plan,
    model: GroupErrors,
    trials: int,
    seed: int,
    difference: float,
    tests: tuple[str, ...],
    notes: tuple[str, ...],
) -> Iterator[Type1]:
    phi = _measured_phi(plan, model, np.random.default_rng([seed, 0]), min(trials, MEASURED))
    width = model.groups + plan.instances if plan.scheme == "ers" else model.groups
    batch = max(1, min(MOST_AT_ONCE[plan.scheme], MOST_CELLS // (plan.folds * width)))
    tally = Tally(tests)
    while tally.trials < trials:
        rng = np.random.default_rng([seed, 1 + tally.trials // batch])
        a, b = counted_trials(plan, model, rng, trials=batch).rates
        left = trials - tally.trials  # whole batches are drawn and cut, so that fewer trials are the first of more
        tally.add(a[:left], b[:left])
        yield Type1(
            plan.scheme, plan.labelled, tally.rates, tally.intervals, dict(tally.undefined), tally.trials, trials,
            model.error, difference, phi, (*notes, *tally.notes),
        )  # fmt: skip


def _measured_phi(plan: Plan, model: GroupErrors, rng: np.random.Generator, trials: int) -> float:
    cells = (plan.folds + model.groups) * plan.instances
    few = max(1, min(trials, MOST_CELLS // cells))  # large networks tell as much in fewer trials
    phis = explicit_trials(plan, model, rng, trials=few)[1]
    return float(np.nanmean(phis)) if not np.isnan(phis).all() else float("nan")


def _model_notes(model: GroupErrors, error: float, instances: int) -> tuple[str, ...]:
    notes = []
    if abs(model.error - error) > 0.0005:
        notes.append(
            f"An error rate of {error:g} is no whole number of {model.groups} groups: {model.chosen} are chosen and the "
            f"classifiers really err at {model.error:.3f}, both alike."
        )
    if instances < 2 * model.groups:
        notes.append(f"{instances:,} instances in {model.groups} groups: most groups have no pair to be correlated.")
    return tuple(notes)
