"""RAVEN from any corpus: a HITS setup and random ones, in folds with their pairs, written, checked and read again."""

from .benchmark import Benchmark, SetupStatistics, benchmark_statistics
from .build import FOLDS, build_benchmark, check_setups, workable_size
from .read import read_benchmark
from .write import benchmark_zip, free_path, packed_benchmark, write_benchmark
