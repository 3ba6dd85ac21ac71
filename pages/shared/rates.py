"""Rejection rates as points of a chart, and what the Trust lab's simulations have in common."""

from core.statistics.simulation import NetworkRates, Type1

QUIET = {"displayModeBar": False}
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
TESTS = {"paired": "paired t", "unpaired": "unpaired t", "wilcoxon": "Wilcoxon"}


def point(record: Type1 | NetworkRates, x: float, test: str) -> tuple[float, float, float, float]:
    """x, the rate of one test, and its Monte-Carlo interval."""
    low, high = record.intervals[test]
    return x, record.rates[test], low, high
