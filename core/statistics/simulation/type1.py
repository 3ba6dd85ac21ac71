"""How often tests reject two simulated classifiers: shares of trials, with intervals (Neville et al. 2012, Table 6)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from ...arrays import Floats, Interval, record
from ...errors import SettingError
from ...formats import listed, percent
from ...progress import Pace, Progress
from ..signs import wilson
from ..t_tests import paired_t_rows, unpaired_t_rows
from ..wilcoxon import wilcoxon_rows
from .groups import (
    MOST_CELLS,
    GroupErrors,
    GroupSettings,
    counted_trials,
    explicit_trials,
    group_errors,
    trials_at_once,
)
from .resampling import Plan, make_plan

LEVEL = 0.05
WIDE = 0.2  # an interval that reaches as far tells nothing of a rate that should be .05
MOST_TRIALS = 100_000
MEASURED = 30  # trials simulated instance by instance to measure the error correlation
PAPER = GroupSettings()


@dataclass(frozen=True, slots=True)
class SimulatedTest:
    """A two-sided test that simulations count: `run` gives statistic and p of two tables of scores, row by row."""

    label: str
    short: str  # stands in links to the Trust lab
    run: Callable[[Floats, Floats], tuple[Floats, Floats]]


SIMULATED_TESTS: Mapping[str, SimulatedTest] = {
    "paired": SimulatedTest("paired t-test", "paired t", paired_t_rows),
    "unpaired": SimulatedTest("unpaired t-test", "unpaired t", unpaired_t_rows),
    "wilcoxon": SimulatedTest("Wilcoxon signed-rank test", "Wilcoxon", wilcoxon_rows),
}


@record
class Type1:
    """How often each test rejects at .05 in `trials` trials: Type I error, or power where B truly errs more often.

    `intervals` are Wilson's at 95 %; `error_correlation` is the φ within groups measured on trials simulated instance
    by instance.
    """

    rates: Mapping[str, float]
    intervals: Mapping[str, Interval]
    trials: int
    error_correlation: float
    notes: tuple[str, ...]


def type1_rates(
    scheme: str,
    *,
    labelled: float,
    trials: int,
    seed: int,
    settings: GroupSettings = PAPER,
    progress: Progress | None = None,
) -> Type1:
    """How often the tests reject two equal classifiers, or with a `difference` a B that errs so much more often (power).

    Fewer trials with the same seed are the first of more; `progress` is called after every few hundred.
    """
    plan = make_plan(scheme, settings.instances, labelled=labelled, folds=settings.folds)
    model = group_errors(settings)
    check_run(trials, seed)
    phi = _measured_phi(plan, model, np.random.default_rng([seed, 0]), min(trials, MEASURED))
    batch = trials_at_once(plan, model)
    tally, pace = Tally(), Pace()
    while tally.trials < trials:
        rng = np.random.default_rng([seed, 1 + tally.trials // batch])
        a, b = counted_trials(plan, model, rng, trials=batch).rates
        left = trials - tally.trials  # whole batches are drawn and cut, so that fewer trials are the first of more
        tally.add(a[:left], b[:left])
        if progress is not None:
            progress(tally.trials, trials, "trials", pace.left(tally.trials, trials - tally.trials))
    notes = (*plan.notes, *_model_notes(model, settings), *tally.notes)
    return Type1(tally.rates, tally.intervals, trials, phi, notes)


def rejection_sentence(found: Mapping[str, tuple[float, Interval]], *, test: str) -> str:
    """How often a test at .05 calls two equal models different under each scheme: its rate, and whether that is more
    than it should be or cannot be told from it, by the rate's interval."""
    known = {scheme: each for scheme, each in found.items() if np.isfinite(each[0])}
    if not known:
        return "Nothing has been counted yet."
    rates = listed([f"{percent(rate)} of studies under {scheme}" for scheme, (rate, _) in known.items()])
    above = [scheme for scheme, (_, (low, _)) in known.items() if low > LEVEL]
    seldom = [scheme for scheme, (_, (_, high)) in known.items() if high < LEVEL]
    wide = [scheme for scheme, (_, (low, high)) in known.items() if low <= LEVEL and high > WIDE]
    level = [scheme for scheme in known if scheme not in (*above, *seldom, *wide)]
    parts = (
        ("too often", above),
        ("as far as can be told as often as it should", level),
        ("too seldom", seldom),
        ("in too few trials to tell whether that is too often", wide),
    )
    judged = "; ".join(f"under {listed(schemes)} {how}" for how, schemes in parts if schemes)
    return f"At .05 {test} calls two equally good models different in {rates}: {judged}."


@dataclass(slots=True)
class Tally:
    """Rejections so far, test by test; `undefined` counts trials whose scores do not vary, which never reject."""

    trials: int = 0
    rejected: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SIMULATED_TESTS, 0))
    undefined: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SIMULATED_TESTS, 0))

    def add(self, a: Floats, b: Floats) -> None:
        """Test every row (a trial) of two classifiers' scores over columns (folds)."""
        self.trials += len(a)
        for name, test in SIMULATED_TESTS.items():
            _, p = test.run(a, b)
            self.undefined[name] += int(np.isnan(p).sum())
            self.rejected[name] += int((p < LEVEL).sum())  # NaN is not below it

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
            f"In {count:,} of {self.trials:,} trials the scores do not vary, so the {SIMULATED_TESTS[name].label} has "
            "no p there; they count as not rejected."
            for name, count in self.undefined.items()
            if count
        )


def check_run(trials: int, seed: int) -> None:
    """Refuse a number of trials that cannot be run and a seed that no generator takes."""
    if not 1 <= trials <= MOST_TRIALS:
        raise SettingError(f"{trials:,} trials; choose from 1 to {MOST_TRIALS:,}.")
    if seed < 0:
        raise SettingError(f"A seed of {seed}; choose 0 or more.")


def _measured_phi(plan: Plan, model: GroupErrors, rng: np.random.Generator, trials: int) -> float:
    cells = (plan.folds + model.groups) * plan.instances
    few = max(1, min(trials, MOST_CELLS // cells))  # large networks tell as much in fewer trials
    phis = explicit_trials(plan, model, rng, trials=few)[1]
    return float(np.nanmean(phis)) if not np.isnan(phis).all() else float("nan")


def _model_notes(model: GroupErrors, settings: GroupSettings) -> tuple[str, ...]:
    notes = []
    if abs(model.error - settings.error) > 0.0005:
        notes.append(
            f"An error rate of {settings.error:g} is no whole number of {model.groups} groups: {model.chosen} are chosen "
            f"and the classifiers really err at {model.error:.3f}, both alike."
        )
    if settings.instances < 2 * model.groups:
        fact = f"{settings.instances:,} instances in {model.groups} groups"
        notes.append(f"{fact}: most groups have no pair to be correlated.")
    return tuple(notes)
