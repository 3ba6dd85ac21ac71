"""The group simulation against the papers' loops (Neville et al. 2012, Tables 1, 6 and 7) written plainly in Python.

10 × 1,000 trials at five labelled shares, 30 resamples, both t-tests. The loops take their p-values from scipy.stats,
are timed on fewer trials and extrapolated, for every trial costs the same; their time without the tests is printed too.
Ours is timed whole. The loops leave out what ours does besides: Wilcoxon's test, and the error correlation measured on
30 trials a share.
"""

import argparse
import random
import sys
import time
from math import sqrt

import numpy as np

from bench import exit_code, sized
from core.papers.neville_2012 import type1_rates

SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
INSTANCES, GROUPS, FOLDS, ERROR, CORRELATION = 300, 10, 30, 0.1, 0.9


def errors_of_a_fold(test: list[int], group: list[int], chance: random.Random) -> tuple[int, int]:
    """Table 7: each classifier misclassifies its own random groups often and the others seldom."""
    chosen = round(GROUPS * ERROR)
    inside = ERROR + CORRELATION * (1 - ERROR)
    outside = ERROR * (1 - inside) / (1 - ERROR)
    groups_a = set(chance.sample(range(GROUPS // 2), chosen))
    groups_b = set(chance.sample(range(GROUPS // 2, GROUPS), chosen))
    a = b = 0
    for instance in test:
        if chance.random() < (inside if group[instance] in groups_a else outside):
            a += 1
        if chance.random() < (inside if group[instance] in groups_b else outside):
            b += 1
    return a, b


def trial(labelled: float, chance: random.Random) -> tuple[list[int], list[int]]:
    """Table 6: both classifiers' errors in every fold of one trial of random resampling."""
    group = [chance.randrange(GROUPS) for _ in range(INSTANCES)]
    tested = INSTANCES - round(labelled * INSTANCES)
    a, b = [], []
    for _ in range(FOLDS):
        in_a, in_b = errors_of_a_fold(chance.sample(range(INSTANCES), tested), group, chance)
        a.append(in_a)
        b.append(in_b)
    return a, b


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "--trials", type=int, default=sized(10_000, 40), help="trials a share (the papers': 10 × 1,000)"
    )
    options.add_argument(
        "--slow-trials", type=int, default=sized(600, 2), help="trials a share in which the loops are timed"
    )
    chosen = options.parse_args()
    from scipy.stats import ttest_ind, ttest_rel

    type1_rates("rrs", labelled=0.5, trials=1, seed=0)  # imports are no part of either time
    start = time.process_time()
    ours = [type1_rates("rrs", labelled=share, trials=chosen.trials, seed=0).rates for share in SHARES]
    fast = time.process_time() - start

    simulating = testing = 0.0
    rejected = np.zeros((len(SHARES), 2))
    chance = random.Random(0)
    for row, share in enumerate(SHARES):
        for _ in range(chosen.slow_trials):
            start = time.process_time()
            a, b = trial(share, chance)
            between = time.process_time()
            rejected[row] += (ttest_rel(a, b).pvalue < 0.05, ttest_ind(a, b).pvalue < 0.05)
            simulating += between - start
            testing += time.process_time() - between
    slow = (simulating + testing) * chosen.trials / chosen.slow_trials
    without_tests = simulating * chosen.trials / chosen.slow_trials
    loops = rejected / chosen.slow_trials

    print(f"{chosen.trials:,} trials × {len(SHARES)} shares × {FOLDS} resamples of {INSTANCES} instances, RRS")
    print("labelled   paired: loops   ours      unpaired: loops   ours")
    same = True
    for share, theirs, rates in zip(SHARES, loops, ours, strict=True):
        print(f"{share:8.1f} {theirs[0]:15.3f} {rates['paired']:6.3f} {theirs[1]:20.3f} {rates['unpaired']:6.3f}")
        for loop_rate, rate in zip(theirs, (rates["paired"], rates["unpaired"]), strict=True):
            error = sqrt(rate * (1 - rate) * (1 / chosen.slow_trials + 1 / chosen.trials))
            same &= bool(abs(loop_rate - rate) <= 3.5 * error)  # ten comparisons: one in 200 runs goes beyond
    print(f"rates equal within Monte-Carlo error (3.5 standard errors)   {same}")
    print(f"loops {slow:8.1f} s of CPU (extrapolated from {chosen.slow_trials:,} trials a share), ours {fast:.2f} s")
    print(f"loops / ours                       {slow / fast:8.0f}   (at least 100)")
    print(f"loops without tests / ours with    {without_tests / fast:8.0f}")
    return exit_code(measured=same and slow >= 100 * fast)


if __name__ == "__main__":
    sys.exit(main())
