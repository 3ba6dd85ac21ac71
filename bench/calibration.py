"""The search for two thresholds from cumulative counts against scoring each of the 4,753 choices with the metrics.

Scoring them one by one takes long, so an evenly spaced sample of the choices is timed and the rest extrapolated;
that both find the same optimum is checked in full on fewer pairs.
"""

import argparse
import sys
import time

import numpy as np

from bench import exit_code, sized
from core.models import verification_scores
from core.models.verification import GRID, ROUNDING, Thresholds, apply_thresholds, choose_thresholds

CHOICES = [(p1, p2) for p1 in GRID.tolist() for p2 in GRID.tolist() if p1 < p2]


def a_case(pairs: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Similarities of pairs as a character n-gram model gives them: same-author pairs somewhat higher."""
    rng = np.random.default_rng(seed)
    same = rng.random(pairs) < 0.5
    return np.clip(rng.normal(0.35 + 0.12 * same, 0.12), 0.0, 1.0), same


def overall(scores: np.ndarray, same: np.ndarray, choice: tuple[float, float]) -> float:
    return verification_scores(same, apply_thresholds(scores, Thresholds(*choice, 0.0))).overall


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pairs", type=int, default=sized(10_000, 500))
    options.add_argument("--sample", type=int, default=sized(200, 5), help="choices timed one by one")
    options.add_argument("--checked-pairs", type=int, default=sized(400, 40))
    chosen = options.parse_args()

    scores, same = a_case(chosen.pairs, seed=0)
    choose_thresholds(scores, same)
    times = []
    for _ in range(15):
        start = time.perf_counter()
        choose_thresholds(scores, same)
        times.append(time.perf_counter() - start)
    ours = float(np.median(times))
    sample = [CHOICES[i] for i in np.linspace(0, len(CHOICES) - 1, chosen.sample).astype(int)]
    start = time.perf_counter()
    for choice in sample:
        overall(scores, same, choice)
    slow = (time.perf_counter() - start) / len(sample) * len(CHOICES)

    fewer, truth = a_case(chosen.checked_pairs, seed=1)
    reached = np.array([overall(fewer, truth, choice) for choice in CHOICES])
    first = CHOICES[int(np.argmax(reached >= np.nanmax(reached) - ROUNDING))]
    found = choose_thresholds(fewer, truth)
    agrees = (found.p1, found.p2) == first and abs(found.overall - np.nanmax(reached)) <= ROUNDING

    print(f"{chosen.pairs:,} pairs, {len(CHOICES):,} choices of thresholds")
    print(f"from counts                          {ours * 1e3:8.2f} ms")
    print(f"one by one                           {slow:8.2f} s    (extrapolated from {len(sample)} choices)")
    print(f"one by one / from counts             {slow / ours:8.0f}   (at least 500)")
    print(f"same optimum on {chosen.checked_pairs:,} pairs, all choices {agrees!s:>5}")
    return exit_code(exact=agrees, measured=slow >= 500 * ours)


if __name__ == "__main__":
    sys.exit(main())
