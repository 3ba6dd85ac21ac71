"""Paces: what was measured is scaled by size, the newest counts most, and a damaged file is no pace."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.engine import jobs, remember_pace, seconds_for


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path / "cache"))


def test_seconds_grow_with_units():
    remember_pace("encoder", 100, 20)
    assert seconds_for("encoder", 1) == pytest.approx(0.2)
    assert seconds_for("encoder", 1_000) == pytest.approx(200)


def test_what_was_never_measured_is_unknown():
    assert seconds_for("nobody", 5) is None
    assert seconds_for("nobody", 5, otherwise=2) == 10


def test_the_newest_measurement_counts_half():
    for seconds in (10, 20):
        remember_pace("model", 10, seconds)
    assert seconds_for("model", 1) == pytest.approx(1.5)


@settings(max_examples=25)
@given(st.lists(st.floats(0.1, 1_000), min_size=1, max_size=8))
def test_a_pace_lies_within_what_was_measured(measured):
    name = str(measured)
    for seconds in measured:
        remember_pace(name, 1, seconds)
    assert min(measured) * 0.999 <= seconds_for(name, 1) <= max(measured) * 1.001


@pytest.mark.parametrize(("units", "seconds"), [(0, 1), (-1, 1), (5, 0.01)])
def test_noise_and_nothing_are_not_noted(units, seconds):
    remember_pace("noise", units, seconds)
    assert seconds_for("noise", 1) is None


@pytest.mark.parametrize("content", ["", "[1]", "{", '{"a": "x"}', '{"a": -1}', '{"a": null}'])
def test_a_file_that_is_not_ours_is_no_pace(content):
    jobs._paces_file().parent.mkdir(parents=True)
    jobs._paces_file().write_text(content)
    assert seconds_for("a", 1) is None
    remember_pace("a", 1, 3)
    assert seconds_for("a", 1) == 3


def test_a_folder_that_cannot_be_written_is_no_error(monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CACHE", "/proc/nowhere")
    remember_pace("a", 1, 3)
    assert seconds_for("a", 1) is None


def test_the_file_stays_small():
    jobs._paces_file().parent.mkdir(parents=True)
    jobs._paces_file().write_text(json.dumps({str(number): 1.0 for number in range(2 * jobs.MOST_PACES)}))
    remember_pace("new", 1, 1)
    assert len(json.loads(jobs._paces_file().read_text())) == jobs.MOST_PACES
    assert seconds_for("new", 1) == 1
