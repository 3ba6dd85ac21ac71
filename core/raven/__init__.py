"""RAVEN from any corpus: a HITS setup and random ones, in folds with their pairs, written, checked and read again."""

from core.raven.build import build_benchmark, setup_key
from core.raven.files import MOST_WRITTEN, ROOM, pair_lines
from core.raven.reading import read_benchmark
from core.raven.records import GROUPS, SIDES, Benchmark, BenchmarkFold, BenchmarkSetup, Settings, Side, pair_id
from core.raven.statistics import SetupStatistics, benchmark_statistics
from core.raven.writing import WrittenBenchmark, benchmark_zip, check_place, write_benchmark

__all__ = [
    "GROUPS",
    "MOST_WRITTEN",
    "ROOM",
    "SIDES",
    "Benchmark",
    "BenchmarkFold",
    "BenchmarkSetup",
    "Settings",
    "SetupStatistics",
    "Side",
    "WrittenBenchmark",
    "benchmark_statistics",
    "benchmark_zip",
    "build_benchmark",
    "check_place",
    "pair_id",
    "pair_lines",
    "read_benchmark",
    "setup_key",
    "write_benchmark",
]
