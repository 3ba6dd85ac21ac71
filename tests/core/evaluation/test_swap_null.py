"""Where labels mean nothing the twin buys nothing: the interval says so as often as it should."""

from bench.swap import covers

REPETITIONS, LEAST = 18, 15  # of 95 % intervals fewer than 15 of 18 cover in 1 of 90 cases; bench/swap.py takes 100


def test_the_interval_covers_nothing_where_there_is_nothing(monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CORES", "1")
    assert sum(covers(seed) for seed in range(1_000, 1_000 + REPETITIONS)) >= LEAST
