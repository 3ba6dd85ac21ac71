"""What the shortcut test found, and what it allows one to say: the control speaks first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..arrays import Floats, Interval, record
from ..formats import listed, number

Leaning = Literal["leans", "does not", "cannot tell"]

ALPHA = 0.05
MARGIN = 0.02  # of a score: a smaller difference of HITS and random does not matter
LEVEL_GAPS = 0.005  # gaps of the two setups that differ by less are one gap
NO_LABELS = (
    "The labels do not separate these texts, so that HITS has nothing to choose and the test nothing to compare: it cannot tell "
    "who leans on topic."
)


@dataclass(frozen=True, slots=True)
class SystemResult:
    """One system: `gap` = HITS − random, Avg = their mean, Diff = |gap|; rank 1 is the highest Avg, the lowest Diff.

    Intervals are 95 %, and `reading` follows that of the gap. `p` is the paper's unpaired t-test over folds,
    `adjusted_p` the same after Holm's correction over the systems; see `ShortcutTest.placebo` for how often it errs.
    """

    name: str
    hits: float
    random: float
    gap: float
    avg: float
    diff: float
    rank_avg: float
    rank_diff: float
    gap_interval: Interval
    avg_interval: Interval
    diff_interval: Interval
    p: float
    adjusted_p: float
    undefined_folds: int
    reading: Leaning
    sentence: str

    @property
    def within_noise(self) -> bool:
        """Whether the gap's interval holds 0, or is unknown: the two setups are not told apart."""
        return not_apart(self.gap_interval)


@record
class ShortcutTest:
    """Every system's result, and `scores[system, fold]` by the metric, folds in the order asked (NaN: undefined).

    `power` is whether the `control`, a system made to lean on topic, is seen to lean; None where there is no control.
    `placebo` is how often the t-test calls one random setup different from the others.
    """

    metric: str
    results: tuple[SystemResult, ...]
    scores: Floats
    margin: float
    control: str | None
    power: bool | None
    placebo: float

    @property
    def sentence(self) -> str:
        """What the test as a whole allows one to say."""
        return whole_sentence(self.results, control=self.control, power=self.power, margin=self.margin)


def gap_interval(hits: float, random: float, drawn: Floats, samples: Floats) -> Interval:
    """Where HITS − random lies, 95 %: from the lower low to the higher high of two intervals.

    One is by the bootstrap over folds (`drawn` gaps). The other asks how far one more random setup would lie from the
    mean of these: gap ± t_{.975,R−1}·s·√(1 + 1/R), s over the means of the R random setups (`samples`), because HITS is
    one sample of topics and random samples differ as well. NaN for one random setup, which shows no such difference. Scores lie
    from 0 to 1, so no gap is past 1.
    """
    from scipy.special import stdtrit

    known = samples[~np.isnan(samples)]
    count, gap = len(known), hits - random
    if count < 2 or np.isnan(gap):
        return float("nan"), float("nan")
    half = stdtrit(count - 1, 1 - ALPHA / 2) * known.std(ddof=1) * np.sqrt(1 + 1 / count)
    low, high = percentiles(drawn)
    return max(float(min(low, gap - half)), -1.0), min(float(max(high, gap + half)), 1.0)


def percentiles(values: Floats) -> Interval:
    """The middle 95 % of what is defined."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return float("nan"), float("nan")
    low, high = np.quantile(defined, [ALPHA / 2, 1 - ALPHA / 2])
    return float(low), float(high)


def absolute(interval: Interval) -> Interval:
    """Where |gap| lies when the gap lies in this interval; resampling |gap| itself would never come near 0."""
    low, high = interval
    least = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return (least if not np.isnan(low) else low), max(abs(low), abs(high))


def not_apart(interval: Interval) -> bool:
    """Whether 0 is in the interval, or the interval unknown."""
    return not (interval[0] > 0 or interval[1] < 0)


def loses(interval: Interval) -> bool:
    """Whether all of the gap's interval lies below 0."""
    return interval[1] < 0


def within(interval: Interval, margin: float) -> bool:
    """Whether all of the gap's interval lies within ±margin."""
    return -margin <= interval[0] and interval[1] <= margin


def leaning_of(interval: Interval, *, power: bool | None, margin: float) -> Leaning:
    """One of three: "leans" where the gap's interval lies below 0; "does not" where all of it lies within ±margin; else "cannot tell".

    Where the control itself does not lose (`power` False) nothing can be told; without a control (None) a loss is a
    loss, but a test that might be blind cannot show that there is none.
    """
    if power is False:
        return "cannot tell"
    if loses(interval):
        return "leans"
    return "does not" if power and within(interval, margin) else "cannot tell"


def system_sentence(
    name: str, hits: float, random: float, interval: Interval, *, control: str | None, power: bool | None, margin: float
) -> str:
    """One system's scores under HITS and at random, and its reading with the reason."""
    if np.isnan(hits - random):
        return f"{name}: no fold of one of the setups has a defined score, so nothing can be compared."
    low, high = interval
    facts = f"{name}: {hits:.3f} under HITS, {random:.3f} at random, a difference of {number(hits - random, '+.3f')}"
    if np.isnan(low):
        return f"{facts}. One random setup does not show what samples vary by: cannot tell."
    facts += f" (95 % from {number(low, '+.3f')} to {number(high, '+.3f')})"
    if power is False:
        own = "it is the control, and" if name == control else f"the control {control}"
        return f"{facts}. Cannot tell here: {own} does not lose under HITS."
    if loses(interval):
        return f"{facts}. It loses {random - hits:.3f} under HITS: it leans on topic."
    if within(interval, margin):
        if power is None:
            return f"{facts}. Within {margin:g}, but no control shows that a loss could be seen here: cannot tell."
        return f"{facts}. It does not lean on topic: the difference is within {margin:g}."
    if low > 0:
        return (
            f"{facts}. It gains {hits - random:.3f} under HITS, which leaning on topic does not explain: cannot tell."
        )
    return f"{facts}. The interval holds 0 and reaches beyond {margin:g}: cannot tell."


def whole_sentence(results: Sequence[SystemResult], *, control: str | None, power: bool | None, margin: float) -> str:
    """Whether the control lets the test see anything here; if so, who leans on topic and who does not."""
    if power is None:
        lean = _names(results, "leans")
        known = (
            f" {listed(lean)} {_verb(lean, 'loses', 'lose')} under HITS."
            if lean
            else " No system clearly loses under HITS."
        )
        return (
            "No control is among the systems, so that a system which does not lose under HITS cannot be told from a "
            f"corpus on which nobody would.{known}"
        )
    (found,) = (result for result in results if result.name == control)
    if not power:
        shown = (
            "has no score to compare"
            if np.isnan(found.gap)
            else f"scores {found.hits:.3f} under HITS and {found.random:.3f} at random, which is no clear loss"
        )
        return f"This corpus cannot tell who leans on topic: the control {control}, made to lean on it, {shown}."
    others = [result for result in results if result.name != control]
    said = [f"The control {control} loses {-found.gap:.3f} under HITS, so that leaning on topic can be seen here."]
    lean, not_, open_ = (_names(others, reading) for reading in ("leans", "does not", "cannot tell"))
    if lean:
        said.append(f"{listed(lean)} {_verb(lean, 'leans', 'lean')} on topic.")
    if not_:
        said.append(f"{listed(not_)} {_verb(not_, 'does', 'do')} not, within {margin:g}.")
    if open_:
        said.append(f"For {listed(open_)} the test cannot tell.")
    return " ".join(said)


def pairs_caution(hits: float, random: float, *, pairing: str) -> str:
    """What to hold against the test where topic tells the pairs of HITS apart better than random ones, by their gaps; "" else."""
    if not hits - random > LEVEL_GAPS:
        return ""
    return (
        f"These pairs are drawn {pairing.lower()}: topic tells them apart better under HITS (gap {hits:.2f}) than at random "
        f"({random:.2f}), which lifts scores under HITS whatever leaks. Read the test at matched pairs."
    )


def _names(results: Sequence[SystemResult], reading: str) -> list[str]:
    return [result.name for result in results if result.reading == reading]


def _verb(names: Sequence[str], one: str, many: str) -> str:
    return one if len(names) == 1 else many
