"""Shares of trials in which a test rejects, with intervals, counted batch by batch until done or stopped."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from core.errors import SettingError
from core.simulate.fold_tests import FOLD_TESTS, TEST_LABELS

Floats = NDArray[np.float64]
Progress = Callable[[int, int, float | None], None]
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


def ends(
    done: int, total: int, start: float, progress: Progress | None, should_stop: Callable[[], bool] | None
) -> bool:
    """Report how far work that began at `start` is, and say whether the user wants no more of it."""
    if progress is not None:
        progress(done, total, (time.monotonic() - start) / done * (total - done))
    return should_stop is not None and should_stop()


def stop_note(done: int, wanted: int, what: str = "trials") -> tuple[str, ...]:
    """What to say of an experiment that is not at its end."""
    return () if done >= wanted else (f"{done:,} of {wanted:,} {what} are done; the results are of those.",)


def as_mapping(rates: Mapping[str, float]) -> dict[str, float | None]:
    """Rates for JSON: None where undefined."""
    return {name: None if np.isnan(rate) else float(rate) for name, rate in rates.items()}
