"""Compute what ships as dial_grid.csv: every sampler, model, task and kind of pairs on synthetic corpora over both dials.

    nice python -m data.dial_grid [--store FOLDER]

Three corpora a cell. Every run of a model on a fold is kept in the store, so a stopped run goes on.
"""

import argparse
import sys
from itertools import product

from core.demo import DIAL_GRID
from core.engine import each
from core.evaluation import ResultStore
from core.lesson import cell_scores, grid_rows, write_dial_grid

SHARED, LOYAL, CORPORA = (0.0, 0.4, 0.8), (0.0, 0.4, 0.8), 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", default="/tmp/leakscope-dial", help="folder for the answers of every run")
    store = ResultStore(parser.parse_args().store)
    cells = list(product(SHARED, LOYAL))
    tasks = [(*dials, seed) for seed in range(CORPORA) for dials in cells]
    found = {}
    for place, scores in each(cell_scores, tasks, shared=store):
        found[tasks[place]] = scores
        print(f"{len(found)} of {len(tasks)} corpora", file=sys.stderr, flush=True)
    rows = grid_rows({dials: [found[*dials, seed] for seed in range(CORPORA)] for dials in cells})
    write_dial_grid(DIAL_GRID, rows)
    print(f"{len(rows)} numbers in {DIAL_GRID.name}")


if __name__ == "__main__":
    main()
