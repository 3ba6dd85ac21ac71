"""The other side of the pipe, in this process: what comes in is carried out, and whatever happens a sentence goes out."""

import io
import pickle
from pathlib import Path

import psutil
import pytest

from core.engine.call import HEAD, Call, read_frame, unpacked
from core.engine.process import Worker, answer
from core.engine.worker import NICE, _carry_out
from tests.core.engine import tasks


def said(packed: bytes) -> list:
    """All that a worker answers to a frame."""
    stream = io.BytesIO()
    _carry_out(packed, stream)
    stream.seek(0)
    return [unpacked(frame) for frame in iter(lambda: read_frame(stream), None)]


def test_a_result_is_the_last_message():
    (message,) = said(pickle.dumps(Call(tasks.add, (2, 3))))
    assert (message.kind, message.content) == ("done", 5)


def test_a_function_that_yields_gives_parts():
    messages = said(pickle.dumps(Call(range_of, (3,))))
    assert [(message.kind, message.content) for message in messages] == [
        ("part", 0),
        ("part", 1),
        ("part", 2),
        ("done", None),
    ]


def range_of(parts):
    yield from range(parts)


def test_progress_is_told_at_most_ten_times_a_second_and_always_at_the_end():
    messages = said(pickle.dumps(Call(tasks.steps, (5_000,))))
    told = [message.content[0] for message in messages if message.kind == "progress"]
    assert told[0] == 0 and told[-1] == 5_000
    assert len(told) < 500
    assert messages[-1].content == 5_000


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (Call(tasks.refuse), "refused", tasks.REFUSAL),
        (Call(tasks.broken, (None, 1)), "failed", "ZeroDivisionError"),
        (Call(tasks.use_up_memory), "refused", "memory allowed for this work is used up"),
        (Call(tasks.unsendable), "failed", "The result cannot be sent"),
    ],
)
def test_whatever_happens_is_one_message(call, kind, words):
    (message,) = said(pickle.dumps(call))
    assert message.kind == kind
    assert words in str(message.content)


def test_work_that_nobody_can_import_here_is_a_sentence_and_not_the_end_of_the_worker():
    packed = pickle.dumps(Call(tasks.refuse)).replace(b"refuse", b"refine")
    (message,) = said(packed)
    assert message.kind == "failed"
    assert "The work cannot be read here" in message.content


def test_a_frame_that_was_cut_off_is_the_end():
    assert read_frame(io.BytesIO(b"")) is None
    assert read_frame(io.BytesIO(HEAD.pack(10) + b"short")) is None


@pytest.mark.parametrize(("asked", "level"), [("", NICE), ("3", 3), ("much", NICE)])
def test_a_worker_gives_way_to_whoever_serves_users(monkeypatch, asked, level):
    monkeypatch.setenv("LEAKSCOPE_NICE", asked)
    worker = Worker()
    try:
        assert answer(worker, Call(tasks.add, (2, 3))) == 5
        assert psutil.Process(worker.pid).nice() >= level
        group = Path(f"/proc/{worker.pid}/autogroup")
        if group.exists():
            assert group.read_text(encoding="ascii").split()[-1] == str(level)
    finally:
        worker.end()
