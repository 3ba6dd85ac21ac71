"""RAVEN from any corpus: a HITS setup and random ones, in folds with their pairs, written, checked and read again."""

from .benchmark import Benchmark, benchmark_statistics
from .build import build_benchmark
from .read import read_benchmark
from .write import benchmark_zip, check_place, write_benchmark

__all__ = [
    "Benchmark",
    "benchmark_statistics",
    "benchmark_zip",
    "build_benchmark",
    "check_place",
    "read_benchmark",
    "write_benchmark",
]
