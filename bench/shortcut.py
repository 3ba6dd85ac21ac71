"""Thirteen systems' answers to a benchmark of 14,400 test pairs, read from files and put to the topic shortcut test."""

import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from core.corpora import make_corpus
from core.evaluation import NamedVectors
from core.studies import answer_sheet, read_systems, shortcut_test, topical_reliance
from core.studies.raven import Benchmark, build_benchmark

SYSTEMS, LEAST_PAIRS, MOST_SECONDS = 13, 14_311, 5.0
TOPICS, KEPT, EACH, AUTHORS, FOLDS = 20, 10, 120, 8, 5


def made_up() -> Benchmark:
    rng = np.random.default_rng(0)
    rows = range(TOPICS * EACH)
    corpus = make_corpus(
        [f"text {row}" for row in rows],
        [f"topic {row // EACH:02}" for row in rows],
        authors=[f"author {row % AUTHORS}" for row in rows],
    )
    vectors = rng.normal(size=(len(corpus), 16)).astype(np.float32) + 1
    return build_benchmark(corpus, NamedVectors(vectors, "made up"), m=KEPT, k=FOLDS)


def main() -> int:
    sheet = answer_sheet(made_up())
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
        start = time.perf_counter()
        systems = list(read_systems(sheet, paths))
        read = time.perf_counter()
        test = shortcut_test(sheet.pairs, systems)
        tested = time.perf_counter()
        topical_reliance(sheet.pairs, systems)
        end = time.perf_counter()
    print(f"answers     {len(systems)} systems × {len(sheet.ids):,} pairs in {len(sheet.pairs)} folds")
    print(f"read        {read - start:.2f} s")
    print(f"tested      {tested - read:.2f} s with {test.resamples:,} resamples")
    print(f"similarity  {end - tested:.2f} s")
    passed = end - start < MOST_SECONDS and len(sheet.ids) >= LEAST_PAIRS and len(test.results) == SYSTEMS
    print(f"{'ok' if passed else 'FAILED'}: below {MOST_SECONDS:g} s wanted, {end - start:.2f} s taken")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
