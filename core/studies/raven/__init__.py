"""RAVEN from any corpus: a HITS setup and random ones, in folds with their pairs, written, checked and read again."""

from .benchmark import Benchmark
from .build import build_benchmark
from .counts import SetupStatistics, benchmark_statistics
from .read import read_benchmark
from .workable import FOLDS, workable_size
from .write import benchmark_zip, free_path, packed_benchmark, write_benchmark
