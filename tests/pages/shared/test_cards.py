"""What a bar says of a job that has not begun: in the sidebar its name too, which nothing else says there."""

from types import SimpleNamespace
from typing import Any

import pytest

from pages.shared import cards


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
    monkeypatch.setattr(cards.st, "progress", lambda share, text: drawn.append((share, text)))
    monkeypatch.setattr(cards, "jobs", lambda: SimpleNamespace(ahead_of=lambda job: 2))
    job: Any = SimpleNamespace(state=state, reached=SimpleNamespace(done=0, total=0, label="", seconds_left=None))
    cards._bar(job, cards.several, name=name)
    assert drawn == [(0.0, said)]
