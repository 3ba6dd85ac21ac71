"""Several calls as one job: every result once, refusals alone, one bar for all."""

import pytest

from core.engine import Call, Refusal, carry_out
from tests.core.engine import tasks


@pytest.mark.parametrize("spread", [False, True])
def test_every_call_is_answered_and_a_refused_one_leaves_the_others_alone(spread, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CORES", "2")
    calls = [Call(tasks.add, (1,)), Call(tasks.refuse), Call(tasks.add, (2,), {"two": 3})]
    assert dict(carry_out(calls, spread=spread)) == {0: 1, 1: Refusal(tasks.REFUSAL), 2: 5}


def test_an_error_that_is_nobodys_input_surfaces():
    with pytest.raises(ZeroDivisionError):
        list(carry_out([Call(tasks.broken, (None, 1))]))


@pytest.mark.parametrize(("calls", "spread"), [(1, False), (3, False), (3, True)])
def test_progress_rises_to_the_whole(calls, spread):
    seen = []
    work = [Call(tasks.steps, (4,)) for _ in range(calls)]
    list(carry_out(work, spread=spread, progress=lambda *told: seen.append(told)))
    done = [told[0] for told in seen]
    assert done == sorted(done)
    assert {told[1] for told in seen} == {seen[-1][1]}
    assert done[-1] == seen[-1][1]
    assert all(left is None or left >= 0 for *_, left in seen)


def test_nothing_is_computed_before_it_is_asked_for():
    found = carry_out([Call(tasks.add, (1,)), Call(tasks.broken, (None, 1))])
    assert next(found) == (0, 1)
    found.close()
