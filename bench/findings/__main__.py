"""What the models do under HITS and under random topics, as markdown; docs/findings.md holds the output.

    nice python -m bench.findings [--store /tmp/leakscope-findings] [--kept]

Every run of a model on a fold and every vector is kept in the store, so a stopped run goes on and a second one takes
seconds. `--kept` computes nothing: it prints what is there, and says what is missing. SCOTUS and 20 Newsgroups are read from
../shared/data; without them only the bundled corpus is reported.
"""

import argparse

from bench.findings.corpora import studies
from bench.findings.dials import report_dials
from bench.findings.plan import Bench, plan
from bench.findings.tables import report
from core.demo import RESULTS
from core.evaluation import ResultStore
from core.vectors import VectorStore


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--store", default="/tmp/leakscope-findings", help="folder for vectors and the answers of every run"
    )
    parser.add_argument("--kept", action="store_true", help="print what is in the store, and compute nothing")
    options = parser.parse_args()
    bench = Bench(ResultStore(options.store, shipped=RESULTS), options.kept)
    found = studies(VectorStore(f"{options.store}/vectors"), only_kept=options.kept)
    if not options.kept:
        for task in plan(bench, found):
            task()
    report_dials()
    for name, study in found.items():
        report(bench, name, study)


if __name__ == "__main__":
    main()
