"""How far long work is: the seconds left follow the pace of the last half of the work."""

import pytest

from core import progress
from core.progress import Pace


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands until it is set."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_nothing_is_said_before_the_first_step(clock):
    assert Pace().left(0, 10) is None


@pytest.mark.parametrize("every", [1, 3, 7])
def test_an_even_pace_gives_the_time_that_is_left(clock, every):
    pace = Pace()
    for done in range(every, 100, every):
        clock[0] = done * 0.5
        assert pace.left(done, 100 - done) == pytest.approx((100 - done) * 0.5)


def test_a_slow_start_is_forgotten_once_as_much_again_is_done(clock):
    pace = Pace()
    for done in range(1, 11):  # ten steps of ten seconds
        clock[0] += 10
        pace.left(done, 0)
    for done in range(11, 21):  # and ten of one second
        clock[0] += 1
        left = pace.left(done, 80)
    assert left == pytest.approx(80)


def test_what_comes_before_the_first_step_is_no_pace(clock):
    pace, clock[0] = Pace(), 70.0  # a model is loaded
    pace.left(8, 292)
    for done, now in ((16, 74.0), (24, 78.0)):
        clock[0] = now
        assert pace.left(done, 300 - done) == pytest.approx((300 - done) / 2)


def test_one_slow_step_moves_the_estimate_by_no_more_than_its_share(clock):
    pace = Pace()
    for done in range(1, 41):
        clock[0] += 21 if done == 40 else 1
        left = pace.left(done, 10)
    assert left == pytest.approx(10 * 40 / 20)


def test_nothing_is_said_of_work_that_began_once_more(clock):
    pace = Pace()
    for done in (10, 20, 5):
        clock[0] += 1
        left = pace.left(done, 10)
    assert left is None


def test_a_step_takes_as_long_however_often_it_is_asked_meanwhile(clock):
    pace = Pace()
    for second in range(1, 61):
        clock[0] = second
        left = pace.left(second // 10, 10)
    assert left == pytest.approx(100)


def test_asking_twice_gives_the_same(clock):
    pace, clock[0] = Pace(), 5.0
    assert pace.left(5, 5) == pace.left(5, 5) == pytest.approx(5)
