"""The README of a benchmark on disk: what is in it, its statistics, and how to answer it."""

from collections.abc import Mapping

import numpy as np

from core.raven.records import SIDES, Benchmark
from core.raven.statistics import COUNTED, benchmark_statistics

# A test runs these lines, with its own folder in the first of them.
FILL_IN = """\
benchmark = "path/to/this/folder"  # write elsewhere: an extra file in the folder would be taken for damage
import json
import pandas

documents = pandas.read_parquet(f"{benchmark}/documents.parquet").set_index("id")
text, topic = documents["text"].to_dict(), documents["topic"].to_dict()
with open("pairs.jsonl", "w") as target:
    for pair in pandas.read_parquet(f"{benchmark}/hits/fold-0/train/pairs.parquet").itertuples():
        two = (pair.first, pair.second)
        line = {"id": pair.id, "fandoms": [topic[one] for one in two], "pair": [text[one] for one in two]}
        target.write(json.dumps(line) + "\\n")
"""


def readme(benchmark: Benchmark, *, without_train_texts: bool) -> str:
    """What a person who is handed the folder needs to know."""
    settings = benchmark.settings
    seeds = ", ".join(map(str, settings.random_seeds))
    parts = [
        "# A RAVEN benchmark",
        f"Made by Leakscope from {_plain(benchmark.name)} ({benchmark.documents_given:,} documents) after Sawatphol, "
        "Udomcharoenchaikit and Nutanong, *Addressing Topic Leakage in Cross-Topic Evaluation for Authorship "
        "Verification*, TACL 12 (2024), §8.",
        f"One setup keeps the {settings.m} topics that HITS chooses, the others {settings.m} topics at random (seeds "
        f"{seeds}). Each has {settings.k} folds over topics, numbered from 0: no topic is on both sides of a fold, and "
        "no pair spans them.",
        "## What it holds",
        "Means over folds, rounded.",
        _table(benchmark),
        "## Files",
        "| file | content |\n|---|---|\n"
        "| `documents.parquet` | every document once: id, text, author, topic, and a column a setup with the number of "
        "the fold that tests it (empty: not in that setup; its other folds train on it) |\n"
        "| `SETUP/fold-N/SIDE/pairs.parquet` | pairs by document id, whether one author wrote both, and the cosine of "
        "the two texts' vectors |\n"
        "| `SETUP/fold-N/SIDE/pairs.jsonl` | the pairs with topics and texts, as PAN's software reads them |\n"
        "| `SETUP/fold-N/SIDE/truth.jsonl` | the truth about them, as PAN's software reads it |\n"
        "| `manifest.json` | settings, seeds, versions, topics of every fold, and a SHA-256 of every file |",
    ]
    if without_train_texts:
        parts += [
            "Training pairs have no `pairs.jsonl` here: with their texts, those of all folds would take several times "
            "as much room. To write one fold's:",
            "".join(f"    {line}\n" if line else "\n" for line in FILL_IN.splitlines()).rstrip(),
        ]
    parts += [
        "## How to answer it",
        "Train on each fold's training side, score its test pairs from 0 (two authors) to 1 (one author), 0.5 for no "
        'answer, and write a line a pair: `{"id": "…", "value": 0.7}`. One file for all folds or a file each will do: '
        "ids are unique in the benchmark. A CSV with the columns id and score, and setup and fold if you like, is read "
        "as well. Then",
        "    python -m core shortcut THIS_FOLDER first.jsonl second.jsonl",
        "gives each system's mean score under HITS and at random, their average (higher is better) and their absolute "
        "difference (lower means less reliance on topic).",
    ]
    return "\n\n".join(parts) + "\n"


def _table(benchmark: Benchmark) -> str:
    head = "| setup | " + " | ".join(f"{what}, {name}" for name in SIDES for what in COUNTED) + " |"
    lines = [head, "|---" * (1 + len(SIDES) * len(COUNTED)) + "|"]
    found = benchmark_statistics(benchmark)
    lines += [_row(each.key, each.means) for each in found]
    chance = [each.means for each in found if each.group == "random"]
    mean = {name: {what: float(np.mean([each[name][what] for each in chance])) for what in COUNTED} for name in SIDES}
    return "\n".join([*lines, _row("random, mean", mean)])


def _row(name: str, means: Mapping[str, Mapping[str, float]]) -> str:
    cells = (_rounded(means[side][what], what) for side in SIDES for what in COUNTED)
    return f"| {name} | " + " | ".join(cells) + " |"


def _rounded(value: float, what: str) -> str:
    # m topics in k folds are a handful: where k does not divide m, a whole number would misstate them.
    return f"{value:,.1f}".removesuffix(".0") if what == "topics" else f"{value:,.0f}"


def _plain(name: str) -> str:
    """A corpus's name as one line of text in which nothing is mark-up."""
    return "`" + " ".join(name.replace("`", "'").split()) + "`"
