"""What the tests of benchmarks share: a small corpus with vectors, its benchmark, and answers to it as files."""

import csv
import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from core.corpora import Corpus, make_corpus
from core.evaluation import NamedVectors
from core.papers.hits_2024 import AnswerSheet, Benchmark, build_benchmark

TOPICS, EACH, AUTHORS, KEPT, FOLDS = 7, 9, 3, 4, 2
SEEDS = (0, 1)


@cache
def small_corpus() -> Corpus:
    """Seven topics of nine texts by three authors; names and texts hold what breaks careless writers."""
    rows = range(TOPICS * EACH)
    return make_corpus(
        [f'{row}: "quoted",\u2028a new line\nand an é, 𝄞 \\ {"x" * (row % 5)}' for row in rows],
        [f"topic {row // EACH}" for row in rows],
        authors=["" if row == 4 else f"author {row % AUTHORS}" for row in rows],
        ids=[f"d{row:02}" for row in rows],
        name="small | corpus",
    )


@cache
def small_vectors() -> np.ndarray:
    rng = np.random.default_rng(5)
    centres = np.repeat(rng.normal(size=(TOPICS, 6)) + 1, EACH, axis=0)
    return (centres + rng.normal(scale=0.3, size=(TOPICS * EACH, 6))).astype(np.float32)


@cache
def small_benchmark(pairs: str = "matched") -> Benchmark:
    return build_benchmark(
        small_corpus(), NamedVectors(small_vectors(), "test"), m=KEPT, k=FOLDS, seed=3, random_seeds=SEEDS, pairs=pairs
    )


def written_corpus(folder: Path) -> tuple[str, str]:
    """The corpus as CSV and its vectors as .npy."""
    corpus, file, vectors = small_corpus(), folder / "small.csv", folder / "small.npy"
    with file.open("w", newline="", encoding="utf-8") as target:
        rows = csv.writer(target)
        rows.writerow(["id", "text", "topic", "author"])
        rows.writerows(zip(corpus.ids, corpus.texts, corpus.topics, corpus.authors, strict=True))
    np.save(vectors, small_vectors())
    return str(file), str(vectors)


def answers_file(
    file: Path, sheet: AnswerSheet, score: Callable[[int], float] = lambda index: 0.3, *, only: Sequence[str] = ("",)
) -> str:
    """A PAN file of answers to every pair of the setups whose names begin with one of `only`."""
    setups = [each.setup for each in sheet.pairs for _ in range(len(each))]
    chosen = [(each, index) for each, index in sheet.ids.index.items() if setups[index].startswith(tuple(only))]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps({"id": each, "value": score(index)}) + "\n" for each, index in chosen))
    return str(file)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
