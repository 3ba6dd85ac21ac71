"""What a bar says of a job that has not begun: in the sidebar its name too, which nothing else says there."""

from types import SimpleNamespace
from typing import Any

import pytest

from pages.shared import jobs


@pytest.mark.parametrize(
    ("state", "name", "said"),
    [
        ("running", "", "Starting …"),
        ("running", "Encoding *all*", r"Encoding \*all\* · Starting …"),
        ("waiting", "Encoding", "Encoding · Waiting for 3 other jobs."),
    ],
)
def test_a_job_that_starts_is_named(monkeypatch: pytest.MonkeyPatch, state: str, name: str, said: str):
    drawn: list[tuple[float, str]] = []
    monkeypatch.setattr(jobs.st, "progress", lambda share, text: drawn.append((share, text)))
    monkeypatch.setattr(jobs, "jobs", lambda: SimpleNamespace(ahead_of=lambda job: 2))
    job: Any = SimpleNamespace(state=state, reached=SimpleNamespace(done=0, total=0, label="", seconds_left=None))
    jobs._bar(job, jobs.several, name=name)
    assert drawn == [(0.0, said)]


def test_the_time_left_is_a_range_that_moves_in_few_steps():
    assert [jobs.time_left(each) for each in (1, 7, 50, 70, 200, 5_000)] == [
        "less than 5 s left",
        "5–10 s left",
        "40–60 s left",
        "1–2 min left",
        "2–4 min left",
        "more than an hour left",
    ]
    assert len({jobs.time_left(each) for each in range(40, 60)}) == 1, "a pace that wavers does not make it jump"


@pytest.mark.parametrize(("since", "said"), [(1.0, "50% done"), (30.0, "50% done, 20–40 s left")])
def test_no_time_is_named_before_it_means_something(monkeypatch: pytest.MonkeyPatch, since: float, said: str):
    drawn: list[str] = []
    monkeypatch.setattr(jobs.st, "progress", lambda share, text: drawn.append(text))
    reached = SimpleNamespace(done=5, total=10, label="", seconds_left=30.0)
    job: Any = SimpleNamespace(state="running", started=0.0, moving=jobs.time.monotonic() - since, reached=reached)
    jobs._bar(job, jobs.several)
    assert drawn == [said]
