"""The whole HITS path against the one matrix product it needs, and against HITS as the paper's text reads.

The slow way computes the similarity of every topic to the selected set again at every step. Its cost grows with the
square of m, so it is timed at a smaller m and extrapolated; the orders are compared up to that m.
"""

import argparse
import sys
import time

import numpy as np

from bench import exit_code, sized
from core.arrays import unit_rows
from core.topics import hits_path


def as_the_paper_reads(directions: np.ndarray, m: int) -> list[int]:
    """Every similarity to the selected set, and every score, from scratch at every step (vectorised within a step)."""
    similarity = directions @ directions.T
    others = (similarity.sum(axis=1) - 1.0) / (len(directions) - 1)
    selected = [int(others.argmin())]
    while len(selected) < m:
        to_selected = directions @ directions[selected].T
        score = to_selected.mean(axis=1) * to_selected.max(axis=1)
        score[selected] = np.inf
        selected.append(int(score.argmin()))
    return selected


def median_seconds(work, repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--topics", type=int, default=sized(4_000, 200))
    options.add_argument("--dimensions", type=int, default=384)
    options.add_argument("--slow-m", type=int, default=sized(160, 40), help="m at which the slow way is timed")
    chosen = options.parse_args()
    rng = np.random.default_rng(0)
    directions = unit_rows(rng.normal(size=(chosen.topics, chosen.dimensions)) + 0.3)

    product = median_seconds(lambda: directions @ directions.T, 7)
    ours = median_seconds(lambda: hits_path(directions @ directions.T), 7)
    half = median_seconds(lambda: as_the_paper_reads(directions, chosen.slow_m // 2), 1) - product
    whole = median_seconds(lambda: as_the_paper_reads(directions, chosen.slow_m), 1) - product
    # Step j costs a·j + b, so m steps cost a·m²/2 + b·m; the two timings give a and b.
    m = chosen.slow_m
    a = (whole - 2 * half) / (m * m / 4)
    b = (whole - a * m * m / 2) / m
    slow = product + a * chosen.topics**2 / 2 + b * chosen.topics
    order = hits_path(directions @ directions.T).order[:m].tolist()
    same = order == as_the_paper_reads(directions, m)

    print(f"{chosen.topics:,} topics × {chosen.dimensions} dimensions")
    print(f"whole path / one matrix product      {ours / product:8.2f}   (at most 4)")
    print(f"as the paper reads / whole path      {slow / ours:8.0f}   (at least 100; extrapolated from m = {m})")
    print(f"orders identical up to m = {m}        {same}")
    return exit_code(exact=same, measured=ours <= 4 * product and slow >= 100 * ours)


if __name__ == "__main__":
    sys.exit(main())
