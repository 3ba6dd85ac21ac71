"""What must hold of a result that came from a file: a sentence for each law that it breaks.

A checksum says that a file is whole and types that it is written as ours are; neither says that lengths agree, that
codes have names, or that shares are shares. Pages take all of that for granted.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Laws = Iterator[tuple[bool, str]]  # whether it holds, and what is wrong where it does not


def is_share(*values: Any) -> bool:
    """Whether all known values are from 0 to 1."""
    return all(bool(np.all(np.isnan(each) | ((each >= 0) & (each <= 1)))) for each in map(np.asarray, values))


def alike(*values: Any) -> bool:
    """Whether all known values can be similarities: corrected ones may pass 1, and noise takes them below −1."""
    return all(bool(np.all(np.isnan(each) | (np.abs(each) <= 100))) for each in map(np.asarray, values))


def shaped(array: NDArray[Any], *shape: int) -> bool:
    """Whether an array has this shape."""
    return array.shape == shape


def in_range(codes: NDArray[Any], low: int, high: int) -> bool:
    """Whether every code is at least `low` and below `high`."""
    return bool(((codes >= low) & (codes < high)).all())
