"""Each performance claim as a runnable ratio: `python -m bench.NAME`."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REAL = ROOT.parent / "shared" / "data"  # real corpora, which are not part of the project
NEWSGROUPS = REAL / "20newsgroups.parquet"
