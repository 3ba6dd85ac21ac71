"""What LUAR's frozen layers make of texts: run once a text, and on disk where it is much."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from errno import ENOSPC
from io import FileIO
from tempfile import TemporaryFile, gettempdir
from threading import Lock
from typing import Any

from ...arrays import Ints, digest
from ...errors import SettingError
from ...vectors import excerpts_of
from .luar_network import frozen_states
from .neural import Tensor

TOKENS, EXCERPTS = 32, 16  # of an excerpt, and at most of a text
CACHED = 400_000_000  # bytes that outlast a fit: the next fold asks for most of it again
HELD = 800_000_000  # bytes of one fit's in memory: those of SCOTUS would be 2 GB

_store: OrderedDict[str, Tensor] = OrderedDict()
_stored = 0
_lock = Lock()


def frozen(text: str, layers: int) -> Tensor:
    """What the layers below the trained ones make of a text's excerpts."""
    return frozen_states(excerpts_of([text], tokens=TOKENS, most=EXCERPTS)[0], layers)


def states_of(text: str, layers: int) -> Tensor:
    """The frozen layers' output for a text's excerpts; the last CACHED bytes of it stay for the next fold."""
    global _stored
    key = digest([text, layers])
    with _lock:
        found = _store.get(key)
    if found is not None:
        return found
    found = frozen(text, layers)
    with _lock:
        if key not in _store:
            _store[key], _stored = found, _stored + found.nbytes
        while _stored > CACHED:
            _stored -= _store.popitem(last=False)[1].nbytes
    return found


class States:
    """The states of many texts by row: some in memory, the others read from a file whenever asked for.

    Read, not mapped: mapped pages would count as this process' memory.
    """

    def __init__(self, file: FileIO) -> None:
        self._file, self._end, self._room = file, 0, HELD
        self._here: dict[int, Tensor] = {}
        self._there: dict[int, tuple[int, tuple[int, ...], Any]] = {}  # where in the file, shape and type

    def add(self, row: int, states: Tensor) -> None:
        """Hold a text's states, in memory while there is room."""
        if states.nbytes <= self._room:
            self._here[row] = states
            self._room -= states.nbytes
        else:
            self._there[row] = self._end, tuple(states.shape), states.dtype
            self._write(states)

    def __getitem__(self, row: int) -> Tensor:
        if row in self._here:
            return self._here[row]
        import torch

        start, shape, dtype = self._there[row]
        states = torch.empty(shape, dtype=dtype)
        self._file.seek(start)
        self._file.readinto(states.view(torch.uint8).numpy())
        return states

    def tokens(self, row: int) -> int:
        """Of each of a text's excerpts, without reading them."""
        return int((self._here[row].shape if row in self._here else self._there[row][1])[1])

    def _write(self, states: Tensor) -> None:
        import torch

        rest = memoryview(states.contiguous().view(torch.uint8).numpy()).cast("B")
        self._end += len(rest)
        try:
            while len(rest):
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            if error.errno != ENOSPC:
                raise
            raise SettingError(
                f"LUAR keeps what its frozen layers make of the training texts in {gettempdir()}, which is full; set TMPDIR to a "
                "folder with more room, or use fewer documents."
            ) from None


@contextmanager
def states_of_all(texts: Sequence[str], rows: Ints, layers: int) -> Iterator[States]:
    """The states of these rows' texts, the first HELD bytes in memory and the rest in an unnamed file that ends with the block."""
    with TemporaryFile(buffering=0) as file:
        states = States(file)
        for row in rows.tolist():
            states.add(row, states_of(texts[row], layers))
        yield states
