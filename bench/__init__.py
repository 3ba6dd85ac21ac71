"""Each performance claim as a runnable ratio: `python -m bench` runs all of them, `python -m bench.NAME` one."""

import os
import tempfile
from functools import cache
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parents[1]
REAL = ROOT.parent / "shared" / "data"  # real corpora, which are not part of the project
TINY_DOCUMENTS = 12  # of each topic
T = TypeVar("T")


def tiny() -> bool:
    """Return whether the input is tiny (`LEAKSCOPE_BENCH=tiny`): it shows that a bench still runs, not how fast."""
    return os.environ.get("LEAKSCOPE_BENCH") == "tiny"


def sized(usual: T, small: T) -> T:
    """Return the usual size or, on tiny input, the small one."""
    return small if tiny() else usual


def exit_code(*, exact: bool = True, measured: bool = True) -> int:
    """Return 1 if a claim fails. Exact claims hold on any input; measured ones mean nothing on a tiny one."""
    return 0 if exact and (measured or tiny()) else 1


@cache
def newsgroups() -> Path:
    """Return the file of 20 Newsgroups, which need not exist; for tiny input, a few documents of the bundled corpus."""
    if not tiny():
        return REAL / "20newsgroups.parquet"
    import pandas as pd

    frame = pd.read_csv(ROOT / "data" / "courier.csv", keep_default_na=False)
    file = Path(tempfile.mkdtemp(prefix="leakscope-bench-")) / "courier.parquet"
    frame.groupby("topic").head(TINY_DOCUMENTS).to_parquet(file)
    return file
