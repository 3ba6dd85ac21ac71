"""Documents per second of SBERT, ours against SentenceTransformer.encode, and of reading stored vectors.

    python -m bench.embed [--documents 600] [--rounds 3]

The two encoders take turns on the same texts in one process, because a shared machine is noisy: the claim is the median
of the turns' ratios, not the rates. Processor time is printed beside it, since it depends less on what else runs.
Cosines are against SentenceTransformer, which computes in float32.
"""

import argparse
import hashlib
import sys
import tempfile
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bench import ROOT, exit_code, newsgroups, sized
from core.vectors import SIZE, VectorStore, folder, make_encoder

Matrix = NDArray[np.float32]
Result = TypeVar("Result")


LEAST_RATIO, LEAST_COSINE = 2.0, 0.999


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=sized(600, 4), help="texts in the sample")
    parser.add_argument("--rounds", type=int, default=sized(3, 1), help="turns of each encoder")
    options = parser.parse_args()
    texts = read_texts()
    if texts is None:
        print("skipped: neither ../shared/data/20newsgroups.parquet nor data/courier.csv is here")
        return 0
    sample = [texts[row] for row in np.random.default_rng(0).permutation(len(texts))[: options.documents]]
    ratio, cosine = encoding(sample, options.rounds)
    reading(texts)
    passed = ratio >= LEAST_RATIO
    print(
        f"{'ok' if passed and cosine >= LEAST_COSINE else 'FAILED'}: {LEAST_RATIO:g} times the processor time and a cosine of "
        f"{LEAST_COSINE} wanted"
    )
    return exit_code(exact=cosine >= LEAST_COSINE, measured=passed)


def read_texts() -> list[str] | None:
    """The texts of 20 Newsgroups, or of the bundled corpus where those are absent."""
    import pandas as pd

    file, courier = newsgroups(), ROOT / "data/courier.csv"
    if file.exists():
        frame = pd.read_parquet(file, columns=["text"])
    elif courier.exists():
        frame = pd.read_csv(courier, usecols=["text"], keep_default_na=False)
    else:
        return None
    return [str(text) for text in frame["text"]]


def encoding(texts: list[str], rounds: int) -> tuple[float, float]:
    """Both encoders by turns on the same texts: the median ratio of processor time, and the least cosine."""
    from sentence_transformers import SentenceTransformer

    theirs = SentenceTransformer(str(folder()), device="cpu", local_files_only=True)
    encoder = make_encoder("sbert")

    def ours() -> Matrix:
        matrix = np.empty((len(texts), SIZE), dtype=np.float32)
        for rows, vectors in encoder.batches(texts):
            matrix[rows] = vectors
        return matrix

    def reference() -> Matrix:
        return np.asarray(theirs.encode(texts))

    theirs.encode(texts[:8])
    list(encoder.batches(texts[:8]))
    turns = []
    for _ in range(rounds):
        expected, *slow = timed(reference)
        found, *fast = timed(ours)
        turns.append((slow, fast))
    clock, processor = len(texts) / np.array(turns).transpose(2, 1, 0)  # each: theirs and ours, a column a round
    print(f"texts                       {len(texts):,}, {rounds} rounds by turns, medians")
    print(f"SentenceTransformer.encode  {np.median(clock[0]):.1f} documents/s")
    print(f"ours                        {np.median(clock[1]):.1f} documents/s")
    for name, rates in (("ratio by the clock", clock), ("ratio by processor time", processor)):
        ratios = rates[1] / rates[0]
        print(f"{name:27s} {np.median(ratios):.2f} (rounds from {ratios.min():.2f} to {ratios.max():.2f})")
    cosine = float((expected * found).sum(axis=1).min())
    print(f"least cosine                {cosine:.6f}")
    return float(np.median(processor[1] / processor[0])), cosine


def reading(texts: list[str]) -> None:
    """Reading a whole corpus back from a new store."""
    hashes = [
        hashlib.sha256(f"{row} {text}".encode("utf-8", "surrogatepass")).digest() for row, text in enumerate(texts)
    ]
    vectors = np.random.default_rng(0).normal(size=(len(hashes), SIZE)).astype(np.float32)
    with tempfile.TemporaryDirectory() as place:
        store = VectorStore(place)
        for start in range(0, len(hashes), 64):
            store.put_many("bench", hashes[start : start + 64], vectors[start : start + 64])
        rates = []
        for _ in range(5):
            found, seconds, _ = timed(lambda: store.get_many("bench", hashes))
            rates.append(len(hashes) / seconds)
        if len(found.rows) != len(hashes):
            raise SystemExit(f"the store gave back {len(found.rows):,} of {len(hashes):,} vectors")
    print(f"reading the store           {np.median(rates):,.0f} documents/s ({len(hashes):,} rows)")


def timed(work: Callable[[], Result]) -> tuple[Result, float, float]:
    """What `work` returns, with its seconds by the clock and of processor time."""
    clock, processor = time.perf_counter(), time.process_time()
    return work(), time.perf_counter() - clock, time.process_time() - processor


if __name__ == "__main__":
    sys.exit(main())
