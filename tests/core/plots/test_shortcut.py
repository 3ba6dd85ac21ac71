"""The chart of the shortcut test: no bar presses the others flat, no name stands on another."""

import numpy as np
import pytest

from core.evaluation import ShortcutTest, SystemResult
from core.plots import shortcut as plots


def result(name: str, avg: float, diff: float, top: float) -> SystemResult:
    told = {"hits": avg, "random": avg - diff, "gap": diff, "avg": avg, "diff": diff, "rank_avg": 1.0, "rank_diff": 1.0}
    spans = {"gap_interval": (-top, top), "avg_interval": (avg - 0.01, avg + 0.01), "diff_interval": (0.0, top)}
    return SystemResult(name, undefined_folds=0, reading="cannot tell", p=1.0, adjusted_p=1.0, **told, **spans)


def drawn(*results: SystemResult):
    test = ShortcutTest("overall", results, np.zeros((len(results), 2)), 0.02, None, None, 0.0, 2)
    return plots.avg_against_diff(test, "Overall")


def test_one_long_bar_is_cut_and_that_is_said():
    figure = drawn(*(result(f"m{n}", 0.5 + 0.1 * n, 0.01, 0.03) for n in range(3)), result("wild", 0.2, 0.05, 1.0))
    assert figure.layout.yaxis.range[1] == pytest.approx(1.08 * 0.2)
    assert "bars cut at the top go on" in figure.layout.annotations[0].text
    figure = drawn(result("a", 0.5, 0.01, 0.03), result("b", 0.6, 0.02, 0.04))
    assert figure.layout.yaxis.range[1] == pytest.approx(1.08 * 0.04)
    assert "cut" not in figure.layout.annotations[0].text


def test_names_of_near_marks_stand_on_different_sides():
    figure = drawn(*(result(f"m{n}", 0.5 + 0.001 * n, 0.01, 0.03) for n in range(4)), result("far", 0.9, 0.01, 0.03))
    sides = [mark.textposition for mark in figure.data]
    assert len(set(sides[:4])) == 4 and sides[4] == "top right"
