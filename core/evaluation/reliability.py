"""Do a verifier's answers mean what they say: of pairs answered .8, are eight in ten by one author?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints, record
from ..models import UNANSWERED, checked_answers
from .baselines import share_interval
from .run import Evaluation

BINS = 10
DRAWS, MANY = 1_000, 20_000  # draws of the truth; from so many pairs on a fifth of them will do


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The answers from `low` on to `high`: how many, their mean, the share by one author and Wilson's 95 % interval of it."""

    low: float
    high: float
    count: int
    mean: float
    share: float
    share_low: float
    share_high: float


@record
class Reliability:
    """Every bin that holds an answer, and the expected calibration error (Naeini et al. 2015).

    `chance` is what the error would come to on average if every answer were exactly right as a probability, `chance_high`
    what it would exceed once in twenty times; answers of exactly ½ are none, and `unanswered` counts them.
    """

    bins: tuple[ReliabilityBin, ...]
    ece: float
    chance: float
    chance_high: float
    answered: int
    unanswered: int

    def sentence(self, model: str) -> str:
        """The error of the model of this label beside what chance alone gives."""
        if not self.answered:
            return f"{model} answered nothing, so that there is nothing to hold against the truth."
        off = f"{model}'s answers are off by {100 * self.ece:.1f} points on average"
        if self.ece <= self.chance_high:
            return (
                f"{off}, no more than chance: exact probabilities of {self.answered:,} pairs would seem off by "
                f"{100 * self.chance:.1f}, and once in twenty times by more than {100 * self.chance_high:.1f}."
            )
        return (
            f"{off}, on the whole {self._side()}; exact probabilities of {self.answered:,} pairs would seem off by "
            f"{100 * self.chance:.1f}."
        )

    def _side(self) -> str:
        """Which way answers are off: towards one of the two answers, or towards or away from ½, whichever is more."""
        high = sum(each.count * (each.mean - each.share) for each in self.bins)
        sure = sum(each.count * (each.mean - each.share) * (1 if each.mean > UNANSWERED else -1) for each in self.bins)
        if abs(high) >= abs(sure):
            return f"too ready to say {'one author' if high > 0 else 'two authors'}"
        return "too sure of themselves" if sure > 0 else "not sure enough"


def reliability(evaluation: Evaluation, model: str) -> Reliability:
    """One model's answers to the pairs of all folds that could be run."""
    truth, answers = [np.empty(0, dtype=np.int64)], [np.empty(0)]
    for run, questions, _ in evaluation.answered(model):
        truth.append(questions.truth)
        answers.append(run.answers)
    return reliability_of(np.concatenate(truth), np.concatenate(answers))


def reliability_of(same: ArrayLike, scores: ArrayLike, *, seed: int = 0) -> Reliability:
    """ECE = Σ n_b/n · |share_b − mean_b| over bins of equal width; its size by chance from 1,000 draws of the truth.

    The error is never below 0, so it is above 0 by chance, the more the fewer pairs there are: exact answers a to n_b
    pairs are off by about √(2a(1 − a)/(π·n_b)).
    """
    truth, values = checked_answers(same, scores)
    given = values != UNANSWERED
    truth, values = truth[given], values[given]
    where = np.minimum((values * BINS).astype(np.int64), BINS - 1)  # 1 lies in the last
    count = np.bincount(where, minlength=BINS)
    total: Floats = np.bincount(where, weights=values, minlength=BINS).astype(np.float64)
    ones = np.bincount(where, weights=truth, minlength=BINS)
    if not len(values):
        return Reliability((), np.nan, np.nan, np.nan, 0, int((~given).sum()))
    drawn = _errors_by_chance(where, values, total, seed)
    found = [
        ReliabilityBin(
            index / BINS,
            (index + 1) / BINS,
            int(count[index]),
            float(total[index] / count[index]),
            float(ones[index] / count[index]),
            *share_interval(int(ones[index]), 0, int(count[index])),
        )
        for index in np.flatnonzero(count).tolist()
    ]
    ece = float(np.abs(ones - total).sum() / len(values))
    high = float(np.quantile(drawn, 0.95))
    return Reliability(tuple(found), ece, float(drawn.mean()), high, len(values), int((~given).sum()))


def _errors_by_chance(where: Ints, values: Floats, total: Floats, seed: int) -> Floats:
    """The error of so many draws of the truth from the answers themselves; a draw at a time, for pairs may be many."""
    rng = np.random.default_rng(seed)
    errors = np.empty(DRAWS if len(values) < MANY else DRAWS // 5)
    for draw in range(len(errors)):
        ones = np.bincount(where[rng.random(len(values)) < values], minlength=len(total))
        errors[draw] = np.abs(ones - total).sum() / len(values)
    return errors
