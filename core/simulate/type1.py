"""Type I error and power of three tests under a resampling scheme, by simulated classifiers that err in groups."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.errors import SettingError
from core.simulate.fold_tests import FOLD_TESTS, checked_tests
from core.simulate.groups import GroupErrors, counted_trials, explicit_trials, group_errors
from core.simulate.rates import Interval, Progress, Tally, as_mapping, checked_seed, checked_trials, ends, stop_note
from core.simulate.schemes import Plan, make_plan

MOST_AT_ONCE = {"ncv": 500, "rrs": 500, "ers": 100}  # trials between two looks at `should_stop`
MOST_CELLS = 3_000_000  # of the largest array a batch needs
REQUIRED = ("scheme", "labelled", "trials", "seed")
OPTIONAL = ("error", "correlation", "instances", "groups", "folds", "fixed_errors", "difference")
MEASURED = 30  # trials simulated instance by instance to measure the error correlation


@dataclass(frozen=True, eq=False, slots=True)
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
    should_stop: Callable[[], bool] | None = None,
) -> Type1:
    """How often the tests reject two equal classifiers, or with `difference` a B that errs so much more often (power).

    `progress(done, total, seconds left)` is called after every few hundred trials; when `should_stop()` is true the record
    holds the trials done so far and says so.
    """
    records = type1_stream(
        scheme, labelled=labelled, trials=trials, seed=seed, error=error, correlation=correlation,
        instances=instances, groups=groups, folds=folds, fixed_errors=fixed_errors, difference=difference, tests=tests,
    )  # fmt: skip
    start = time.monotonic()
    for record in records:
        if ends(record.trials, trials, start, progress, should_stop):
            break
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
            model.error, difference, phi, (*notes, *tally.notes, *stop_note(tally.trials, trials)),
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
