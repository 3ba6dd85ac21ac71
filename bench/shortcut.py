"""Thirteen systems' answers to a benchmark of 14,400 test pairs, read from files and put to the topic shortcut test."""

import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from bench import exit_code, sized
from core.corpora import make_corpus
from core.evaluation import NamedVectors, shortcut_test, topical_reliance
from core.papers.hits_2024 import Benchmark, answer_sheet, build_benchmark, read_systems

SYSTEMS, LEAST_PAIRS, RESAMPLES, MOST_SECONDS = 13, 14_311, 2_000, 5.0
TOPICS, KEPT, AUTHORS, FOLDS = 20, 10, 8, 5


def synthetic() -> Benchmark:
    rng, each = np.random.default_rng(0), sized(120, 24)
    rows = range(TOPICS * each)
    corpus = make_corpus(
        [f"text {row}" for row in rows],
        [f"topic {row // each:02}" for row in rows],
        authors=[f"author {row % AUTHORS}" for row in rows],
    )
    vectors = rng.normal(size=(len(corpus), 16)).astype(np.float32) + 1
    return build_benchmark(corpus, NamedVectors(vectors, "synthetic"), m=KEPT, k=FOLDS)


def main() -> int:
    sheet = answer_sheet(synthetic())
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number in range(SYSTEMS):
            scores = rng.random(len(sheet.ids)).round(6).tolist()
            lines = zip(sheet.ids.index, scores, strict=True)
            if number % 2:
                file = Path(folder, f"system-{number}.csv")
                file.write_text("id,score\n" + "".join(f"{identity},{score}\n" for identity, score in lines))
            else:
                file = Path(folder, f"system-{number}.jsonl")
                file.write_text("".join(json.dumps({"id": each, "value": score}) + "\n" for each, score in lines))
            paths.append(str(file))
        start = time.process_time()
        systems = list(read_systems(sheet, paths))
        read = time.process_time()
        test = shortcut_test(sheet.pairs, systems, resamples=RESAMPLES)
        tested = time.process_time()
        topical_reliance(sheet.pairs, systems)
        end = time.process_time()
    print(f"answers     {len(systems)} systems × {len(sheet.ids):,} pairs in {len(sheet.pairs)} folds")
    print(f"read        {read - start:.2f} s")
    print(f"tested      {tested - read:.2f} s with {RESAMPLES:,} resamples")
    print(f"similarity  {end - tested:.2f} s")
    passed = end - start < MOST_SECONDS and len(sheet.ids) >= LEAST_PAIRS
    print(f"{'ok' if passed else 'FAILED'}: below {MOST_SECONDS:g} processor seconds wanted, {end - start:.2f} s taken")
    return exit_code(exact=len(test.results) == SYSTEMS, measured=passed)


if __name__ == "__main__":
    sys.exit(main())
