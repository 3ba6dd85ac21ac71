"""HITS to m = 1,000 of 100,000 topics beside one matrix product of the same arithmetic, its memory, and its order.

The product is that of the chosen topics with all topics (1,000 × 384 by 384 × 100,000) in single precision. Topics are
made in families, once of length one (plain similarity) and once longer (corrected, where products are cut at 1). Memory
is the highest of a process that does nothing else.
"""

import argparse
import resource
import subprocess
import sys
import time

import numpy as np

from bench import exit_code, sized
from core.arrays import unit_rows
from core.topics import TopicPoints, hits_path, hits_path_to, path_in_blocks

MOST_TIMES, MOST_MEMORY = 6.0, 2 * 1024**3
FAMILIES = 300


def made_topics(topics: int, dimensions: int, *, kind: str) -> TopicPoints:
    """Topics of families, more or less like their family's middle; corrected ones are of 2 to 30 documents."""
    rng = np.random.default_rng(0)
    middles = rng.normal(size=(FAMILIES, dimensions)).astype(np.float32)
    points = rng.normal(size=(topics, dimensions)).astype(np.float32) * np.float32(0.7) + np.float32(0.35)
    points += middles[rng.integers(0, FAMILIES, topics)] * rng.uniform(0.2, 1.2, (topics, 1)).astype(np.float32)
    comparable = unit_rows(points.astype(np.float64))
    sizes = rng.integers(2, 31, topics)
    if kind == "corrected":
        comparable *= np.sqrt(1 + 0.7 / (0.3 * sizes))[:, None]  # ‖t‖/û with a coherence û² of 0.3
    return TopicPoints(tuple(f"{topic:06}" for topic in range(topics)), sizes, comparable, sizes, kind)


def least_seconds(work, repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def peak_memory(options: argparse.Namespace, kind: str) -> int:
    """Bytes that a process of its own takes at most to make the topics and walk the path."""
    arguments = ["--topics", options.topics, "--dimensions", options.dimensions, "--m", options.m, "--walk", kind]
    command = [sys.executable, "-m", "bench.large", *map(str, arguments)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def same_order(topics: TopicPoints, part: int) -> bool:
    """Whether blocks and the full matrix give one path on the first topics, to its end."""
    points = topics.points[:part]
    similarity = np.clip(points @ points.T, -1.0, 1.0)
    return np.array_equal(path_in_blocks(points, m=part).order, hits_path(similarity).order)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--topics", type=int, default=sized(100_000, 400))
    options.add_argument("--dimensions", type=int, default=384)
    options.add_argument("--m", type=int, default=sized(1_000, 20))
    options.add_argument("--part", type=int, default=sized(5_000, 100), help="topics on which the orders are compared")
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--walk", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.walk:
        hits_path_to(made_topics(chosen.topics, chosen.dimensions, kind=chosen.walk), m=chosen.m)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
        return 0
    equal = passed = True
    for kind in ("plain", "corrected"):
        memory = peak_memory(chosen, kind)
        topics = made_topics(chosen.topics, chosen.dimensions, kind=kind)
        same = same_order(topics, min(chosen.part, chosen.topics))
        single = topics.points.astype(np.float32)
        first = single[: chosen.m].copy()
        walk = least_seconds(lambda topics=topics: hits_path_to(topics, m=chosen.m), chosen.repeats)
        product = least_seconds(lambda first=first, single=single: first @ single.T, chosen.repeats)
        print(
            f"{kind}: HITS to {chosen.m:,} of {chosen.topics:,} topics in {walk / product:.1f} times one product "
            f"(at most {MOST_TIMES:.0f}), {memory / 1024**3:.2f} GiB (at most {MOST_MEMORY / 1024**3:.0f}); "
            f"order {'equal' if same else 'DIFFERENT'} on {chosen.part:,}"
        )
        equal &= same
        passed &= walk / product <= MOST_TIMES and memory <= MOST_MEMORY
    return exit_code(exact=equal, measured=passed)


if __name__ == "__main__":
    sys.exit(main())
