"""Records nobody can change, seeds that depend on names alone, and means of what is known."""

import json
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from core.arrays import Floats, canonical, digest, known_max, known_mean, record, seeded, unit_rows


@record
class Pair:
    first: Floats
    name: str = "pair"


def test_a_records_arrays_and_fields_cannot_be_changed():
    made = Pair(np.zeros(3))
    with pytest.raises(ValueError, match="read-only"):
        made.first[0] = 1
    with pytest.raises(FrozenInstanceError):
        made.name = "other"
    assert made != Pair(np.zeros(3)) and made == made


def test_seeds_depend_on_seed_and_name_and_take_any_name():
    draws = {(seed, name): seeded(seed, name).random() for seed in (0, 1) for name in ("a", "b", "half \ud800 a pair")}
    assert len(set(draws.values())) == 6
    assert seeded(1, "b").random() == draws[1, "b"]


def test_digests_and_keys_are_of_content_alone():
    assert digest(["a", 1]) == digest(["a", 1]) != digest(["a", 2])
    assert canonical("x", 1, b=2, a=1) == canonical("x", 1, a=1, b=2)
    assert json.loads(canonical("x", 1, a=None)) == {"name": "x", "version": 1, "a": None}


def test_rows_of_zeros_stay_zero():
    assert unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist() == [[0.6, 0.8], [0.0, 0.0]]


def test_what_is_not_known_counts_for_nothing():
    table = np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, np.nan]])
    assert known_mean(table, axis=1)[0] == 2 and np.isnan(known_mean(table, axis=1)[1])
    assert known_mean(table) == 2 and known_max(table) == 3
    assert np.isnan(known_mean(np.empty(0))) and np.isnan(known_max(np.empty(0)))
    assert known_max(np.array([-2.0, -1.0])) == -1
