"""PPM cross-entropy of two 20,000-character texts: the compiled trie against plain dictionaries, at least 30 times as fast."""

import csv
import sys
from collections import defaultdict
from collections.abc import Callable
from math import log2
from time import perf_counter, process_time

import numpy as np

from bench import ROOT, exit_code, sized
from core.models.verification import cross_entropies

ORDER, LENGTH, LEAST_RATIO = 5, 20_000, 30


def by_dictionaries(model: str, text: str) -> float:
    """PPM as the methods sheet words it; also what the tests compare with."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    totals: dict[str, int] = defaultdict(int)
    for place, character in enumerate(model):
        for length in range(min(place, ORDER) + 1):
            context = model[place - length : place]
            counts[context][character] += 1
            totals[context] += 1
    bits = 0.0
    for place, character in enumerate(text):
        for length in range(min(place, ORDER), -1, -1):
            context = text[place - length : place]
            if context in counts and character in counts[context]:
                bits -= log2(counts[context][character] / totals[context])
                break
        else:
            bits += 8.0
    return bits / len(text) if text else 8.0


def texts(count: int) -> list[str]:
    """Texts of LENGTH characters, joined from the bundled corpus."""
    with (ROOT / "data" / "courier.csv").open(encoding="utf-8", newline="") as file:
        joined = "\n".join(row["text"] for row in csv.DictReader(file))
    parts = [joined[start : start + LENGTH] for start in range(0, len(joined) - LENGTH, LENGTH)]
    return parts[:count]


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Wall and processor seconds of one run."""
    wall, processor = perf_counter(), process_time()
    work()
    return perf_counter() - wall, process_time() - processor


def main() -> int:
    documents = texts(sized(60, 2))
    one, two = np.array([0]), np.array([1])
    first, _ = timed(lambda: cross_entropies(documents[:2], one, two, characters=LENGTH))
    print(f"first call, with compiling: {first:.1f} s")
    fast = float(cross_entropies(documents[:2], one, two, characters=LENGTH)[0])
    slow = by_dictionaries(documents[0], documents[1])
    print(f"bits a character: {fast:.9f} compiled, {slow:.9f} by dictionaries, apart by {abs(fast - slow):.1e}")

    plain = timed(lambda: by_dictionaries(documents[0], documents[1]))
    compiled = timed(lambda: cross_entropies(documents[:2], one, two, characters=LENGTH))
    # Judged by processor time: both use one thread, and what else runs on the machine says nothing about either.
    for name, a, b in zip(("wall", "processor"), plain, compiled, strict=True):
        print(f"two texts, one run, {name} time: {a * 1e3:.1f} ms / {b * 1e3:.2f} ms = {a / b:.0f} times")
    ratio = plain[1] / compiled[1]

    models, targets = (axis.ravel() for axis in np.indices((len(documents), len(documents))))
    walls = []
    for threads in (1, 2):
        wall, processor = timed(
            lambda n=threads: cross_entropies(documents, models, targets, characters=LENGTH, threads=n)
        )
        walls.append(wall)
        print(f"{len(models):,} entries, {threads} thread(s): {wall:.2f} s, on {processor / wall:.2f} cores")
    print(f"1 thread / 2 threads: {walls[0] / walls[1]:.2f} (about 1 while other work holds a core)")

    equal = abs(fast - slow) <= 1e-9
    passed = ratio >= LEAST_RATIO and equal
    print(f"{'ok' if passed else 'FAILED'}: {ratio:.0f} times, at least {LEAST_RATIO} wanted, equal to 1e-9")
    return exit_code(exact=equal, measured=passed)


if __name__ == "__main__":
    sys.exit(main())
