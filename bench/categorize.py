"""Five categorizers on Reuters-21578 ApteMod beside the published table; SVM and NB under 30 s, all under 10 minutes.

python -m bench.categorize [FILE]      FILE: ../shared/data/reuters_aptemod.parquet
"""

import sys
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from bench import REAL, exit_code, tiny
from core.corpora import LabelledCorpus, make_labelled, read_labelled
from core.models.categorization import CATEGORIZERS
from core.papers import PUBLISHED, categorize

FILE = REAL / "reuters_aptemod.parquet"
MOST_SECONDS, MOST_SECONDS_FAST = 600, 30
NEAR_MICRO = {"nnet": 0.03}
NEAR_MICRO_OTHERS, NEAR_MACRO = 0.02, 0.05


def main() -> int:
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    if not file.exists() and not tiny():
        print(f"skipped: {file} is not there")
        return 0
    wall, processor = perf_counter(), process_time()
    record = categorize(
        tiny_corpus() if tiny() else read_labelled(file),
        progress=lambda done, all, name, left: print(f"{done}/{all} {name}", file=sys.stderr),
    )
    wall, processor = perf_counter() - wall, process_time() - processor
    print(f"{record.training:,}/{record.test:,} documents, {len(record.categories)} categories, {record.words:,} words")
    failed = []
    for name, system in record.systems.items():
        e, paper = system.effectiveness, PUBLISHED[name]
        assert paper.macro_f1 is not None and paper.error is not None
        print(
            f"{CATEGORIZERS[name].label:5} miR {e.micro_recall:.4f} miP {e.micro_precision:.4f} miF1 {e.micro_f1:.4f} "
            f"({e.micro_f1 - paper.micro_f1:+.4f}) maF1 {e.macro_f1:.4f} ({e.macro_f1 - paper.macro_f1:+.4f}) "
            f"error {e.error:.5f} ({e.error - paper.error:+.5f}) {system.seconds:.1f} s of CPU"
        )
        if abs(e.micro_f1 - paper.micro_f1) > NEAR_MICRO.get(name, NEAR_MICRO_OTHERS):
            failed.append(f"{name}: micro F1")
        if abs(e.macro_f1 - paper.macro_f1) > NEAR_MACRO:
            failed.append(f"{name}: macro F1")
        if name in ("svm", "nb") and system.seconds > MOST_SECONDS_FAST:
            failed.append(f"{name}: seconds")
    for pair in record.pairs:
        signs = "  ".join(f"{name} {test.verdict} {test.p or 0:.2g}" for name, test in pair.tests.items())
        shares = "  ".join(f"{name} {test.verdict}" for name, test in record.measures[pair.a, pair.b].items())
        print(f"{pair.a:4} {pair.b:4}  {signs}  | {shares}")
    for highest in (60, None):
        curve = record.curve(highest=highest, intervals=6)
        print("training documents up to", *(f"{edge:6.0f}" for edge in curve.edges[1:]))
        print("categories             ", *(f"{count:6d}" for count in curve.categories))
        for name, values in curve.f1.items():
            print(f"{name:23}", *(f"{value:6.3f}" for value in values))
    print(f"all: {processor:.0f} s of CPU, {wall:.0f} s")
    if processor > MOST_SECONDS:
        failed.append("seconds")
    print(f"FAILED: {', '.join(failed)}" if failed else "ok")
    return exit_code(measured=not failed)


def tiny_corpus() -> LabelledCorpus:
    """Return 80 synthetic texts, each on one or two of four topics."""
    rng = np.random.default_rng(0)
    topics = [
        sorted(rng.choice(["barley", "copper", "dollar", "energy"], rng.integers(1, 3), replace=False))
        for _ in range(80)
    ]
    texts = [" ".join(f"{topic}{'abc'[rng.integers(3)]}" for topic in names for _ in range(6)) for names in topics]
    return make_labelled(texts, topics, ["train"] * 60 + ["test"] * 20)


if __name__ == "__main__":
    sys.exit(main())
