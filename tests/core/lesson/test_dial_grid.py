"""The grid of made corpora: what ships is what is computed, and it is read as it was written."""

import numpy as np
import pytest

from core.corpora import dial_corpus
from core.demo import DIAL_GRID
from core.errors import InputError, SettingError
from core.lesson import DialRow, dial_scores, grid_rows, read_dial_grid, write_dial_grid


@pytest.fixture(scope="module")
def grid():
    return read_dial_grid(DIAL_GRID)


@pytest.mark.slow
def test_what_ships_is_what_is_computed(grid):
    """One cell, one model: all of it takes half an hour."""
    corpora = (dial_corpus(shared=0.8, loyal=0.8, seed=seed) for seed in range(grid.rows[0].corpora))
    scores = [dial_scores(corpus, models={"attribution": ("topic_fit",)}) for corpus in corpora]
    fresh = grid_rows({(0.8, 0.8): scores})
    assert {row.metric for row in fresh} == {"accuracy", "max_similarity", "mean_similarity", "seen_authors"}
    for row in fresh:
        shipped = grid.row(
            0.8, 0.8, task=row.task, model=row.model, metric=row.metric, sampler=row.sampler, pairs=row.pairs
        )
        assert (shipped.mean, shipped.sd) == pytest.approx((row.mean, row.sd), abs=2e-3), row.key
        assert (shipped.change, shipped.change_sd) == pytest.approx((row.change, row.change_sd), abs=2e-3), row.key


def test_every_cell_has_every_number(grid):
    keys = {row.key for row in grid.rows}
    assert len(grid.rows) == len(keys) * len(grid.shared) * len(grid.loyal)
    assert {(task, pairs) for task, pairs, model, *_ in keys if model} == {
        ("attribution", ""),
        ("verification", "matched"),
        ("verification", "paper"),
    }
    assert {sampler for *_, sampler in keys} == {"hits", "minimax", "random"}
    assert all(row.change == 0 and row.change_sd == 0 for row in grid.rows if row.sampler == "random")
    assert all(row.corpora >= 2 and np.isfinite([row.mean, row.sd, row.change]).all() for row in grid.rows)


def test_what_the_dials_do(grid):
    """HITS takes from topic-based scores where alike topics share authors, and there alone."""

    def change(shared, loyal, **choices):
        return grid.row(shared, loyal, **choices)

    attribution = {"task": "attribution", "model": "topic_fit", "metric": "accuracy"}
    leak = {"task": "folds", "model": "", "metric": "max_similarity"}
    both, neither = change(0.8, 0.8, **attribution), change(0, 0, **attribution)
    assert both.change < -0.05 and both.change < neither.change - 2 * neither.change_sd / np.sqrt(neither.corpora)
    assert change(0.8, 0.8, **leak).change < -0.1 < change(0, 0, **leak).change
    gap = [grid.row(0.8, 0.8, task="folds", model="", metric="gap", pairs=pairs).mean for pairs in ("matched", "paper")]
    assert gap[0] == 0 < gap[1]


def test_what_the_grid_has_not_is_refused(grid):
    with pytest.raises(SettingError, match=r"no accuracy of luck under hits at shared 0.1, loyal 0; shared may be 0, "):
        grid.row(0.1, 0, task="attribution", model="luck", metric="accuracy")


def test_it_is_read_as_it_was_written(tmp_path):
    row = DialRow(0.4, 0.8, "attribution", "", "max_ent", "accuracy", "hits", 0.25, 0.01, -0.125, 0.02, 3)
    write_dial_grid(tmp_path / "grid.csv", [row])
    (read,) = read_dial_grid(tmp_path / "grid.csv").rows
    assert [getattr(read, name) for name in DialRow.__slots__] == [getattr(row, name) for name in DialRow.__slots__]
    (tmp_path / "grid.csv").write_text("shared,loyal\n0,x\n")
    with pytest.raises(InputError, match="restore it with `python -m data.dial_grid`"):
        read_dial_grid(tmp_path / "grid.csv")
    with pytest.raises(InputError, match=r"absent.csv"):
        read_dial_grid(tmp_path / "absent.csv")
