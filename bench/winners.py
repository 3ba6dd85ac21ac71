"""How often a best model is named: where one is two standard deviations ahead, and where all are equal.

Five models over ten folds by default, scores with normal noise. Beside the rule in use (every other model behind by a Wilcoxon
signed-rank test over folds) stands the rule before it: intervals of mean ranks that do not overlap, and a sign test.
"""

import argparse
import sys
from math import sqrt

import numpy as np
from scipy.stats import binom, t

from bench import exit_code, sized
from core.statistics import lead, rank_models

POWER, TYPE_1 = 0.85, 0.05  # the least and the most that pass


def earlier_winner(scores: np.ndarray) -> int | None:
    """Return the winner by the earlier rule: intervals of mean ranks apart, and a two-sided sign test at .05."""
    ranking, folds = rank_models(scores), scores.shape[1]
    half = t.ppf(0.975, folds - 1) * ranking.sd / sqrt(folds)
    best = int(np.argmin(ranking.mean))
    for model in range(len(scores)):
        if model == best:
            continue
        wins, losses = ((scores[best] > scores[model]).sum(), (scores[best] < scores[model]).sum())
        p = 2 * binom.cdf(min(wins, losses), wins + losses, 0.5)
        if ranking.mean[model] - half[model] <= ranking.mean[best] + half[best] or p > 0.05:
            return None
    return best


def rates(models: int, folds: int, ahead: float, trials: int) -> dict[str, float]:
    """Return the share of trials in which each rule names the first model (any model, where none is ahead)."""
    rng = np.random.default_rng(0)
    named = {"in use": 0, "before": 0}
    for _ in range(trials):
        scores = rng.normal(size=(models, folds))
        scores[0] += ahead
        for rule, winner in (("in use", lead(scores).winner), ("before", earlier_winner(scores))):
            named[rule] += winner == 0 if ahead else winner is not None
    return {rule: count / trials for rule, count in named.items()}


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--models", type=int, default=5)
    options.add_argument("--folds", type=int, default=10)
    options.add_argument("--trials", type=int, default=sized(2_000, 60))
    chosen = options.parse_args()
    power = rates(chosen.models, chosen.folds, 2.0, chosen.trials)
    false = rates(chosen.models, chosen.folds, 0.0, chosen.trials)
    print(f"{chosen.models} models, {chosen.folds} folds, {chosen.trials:,} trials")
    for rule in power:
        print(f"  {rule:8} power {power[rule]:.2f}   Type I {false[rule]:.3f}")
    usual = (chosen.models, chosen.folds) == (5, 10)
    better = not usual or power["in use"] >= max(POWER, power["before"])
    return exit_code(measured=false["in use"] <= TYPE_1 and better)


if __name__ == "__main__":
    sys.exit(main())
