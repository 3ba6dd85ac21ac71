"""Calls and frames: what goes through a pipe comes out as it went in."""

import io

from hypothesis import given
from hypothesis import strategies as st

from core.engine import Call
from core.engine.call import messages, read_frame, unpacked, write_frame
from tests.core.engine import tasks


@given(st.lists(st.one_of(st.text(), st.binary(), st.integers(), st.lists(st.floats(allow_nan=False))), max_size=5))
def test_frames_come_out_in_order_and_equal(contents):
    stream = io.BytesIO()
    for content in contents:
        write_frame(stream, content)
    stream.seek(0)
    assert [unpacked(frame) for frame in iter(lambda: read_frame(stream), None)] == contents


def test_a_call_passes_progress_only_to_what_takes_it():
    seen = []
    assert Call(tasks.steps, (2,))(lambda *told: seen.append(told)) == 2
    assert [told[0] for told in seen] == [0, 1, 2]
    assert Call(tasks.add, (1,), {"two": 1})(seen.append) == 2


def test_parts_before_a_refusal_are_told():
    found = list(messages(Call(two_then_refused), lambda *told: None))
    assert [message.kind for message in found] == ["part", "part", "refused"]
    assert str(found[-1].content) == tasks.REFUSAL


def two_then_refused():
    yield 1
    yield 2
    tasks.refuse()
