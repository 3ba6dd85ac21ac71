"""A note on a result: what to read it with, as a code and the numbers and names in it; core/questions/notes.py has the words."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Note:
    """What a result should be read with. Values are in the order in which the sentence of its code takes them."""

    code: str
    values: tuple[Any, ...] = ()
