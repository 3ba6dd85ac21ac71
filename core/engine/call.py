"""What is carried between processes: a call there, progress, parts and a result back.

Frames of pickled messages on the pipes of a child that we started ourselves: nothing that came from a user's file is
ever unpickled.
"""

import inspect
import pickle
import struct
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any, Literal

from ..errors import LeakscopeError

HEAD = struct.Struct(">Q")
OUT_OF_MEMORY = "The memory allowed for this work is used up."
MessageKind = Literal["progress", "part", "done", "refused", "failed"]


@dataclass(frozen=True, slots=True)
class Call:
    """A function of a module, with what it is given; `progress=` is passed to it where it takes it.

    A function that yields gives its result in parts, each kept as it comes. `memory` is what a worker may hold in all
    while it carries this out, in bytes.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)
    memory: int | None = None

    def __call__(self, progress: Callable[..., None] | None = None) -> Any:
        """The result, computed here."""
        keywords = dict(self.keywords)
        if "progress" in inspect.signature(self.function).parameters:
            keywords["progress"] = progress
        return self.function(*self.arguments, **keywords)


@dataclass(frozen=True, slots=True)
class Message:
    """One frame from a worker: how far it is, a part, the end, or why there is none."""

    kind: MessageKind
    content: Any = None


def write_frame(stream: IO[bytes], content: object) -> None:
    """One object, with its length before it."""
    packed = pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(HEAD.pack(len(packed)))
    stream.write(packed)
    stream.flush()


def unpacked(packed: bytes) -> Any:
    """What a frame from our own process holds."""
    return pickle.loads(packed)  # noqa: S301 (from a child that we started, on a pipe whose other end it alone holds)


def read_frame(stream: IO[bytes]) -> bytes | None:
    """The next object, still packed; None where the other side has closed."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    length = HEAD.unpack(head)[0]
    packed = stream.read(length)
    return packed if len(packed) == length else None


def messages(call: Call, progress: Callable[..., None]) -> Iterator[Message]:
    """Everything that a call has to say, to its end; nothing is raised."""
    try:
        found = call(progress)
        if isinstance(found, Iterator):
            for part in found:
                yield Message("part", part)
            found = None
        yield Message("done", found)
    except LeakscopeError as problem:
        yield Message("refused", problem)
    except MemoryError:
        yield Message("refused", LeakscopeError(OUT_OF_MEMORY))
    except Exception:
        yield Message("failed", traceback.format_exc(limit=-6))
