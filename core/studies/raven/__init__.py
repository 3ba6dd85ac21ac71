"""RAVEN from any corpus: a HITS setup and random ones, in folds with their pairs, written, checked and read again."""

from .benchmark import Benchmark, build_benchmark
from .read import read_benchmark
from .statistics import benchmark_statistics
from .write import benchmark_zip, free_path, write_benchmark
