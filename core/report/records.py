"""Results as JSON and back: only records named here, every field of the type it was declared with. No pickle."""

import types
import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Literal, Union

import numpy as np

from ..errors import InputError
from ..evaluation import Sources, SwapEffect
from ..splits import Design, SplitAudit, Wishes
from ..statistics.simulation import GroupSettings, Type1
from ..studies import ClosestAcross, EncoderComparison, PolicyComparison, SimilarityAgainstM, StabilityAgainstM
from ..topics import FoundTopics, Layout

RECORDS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        ClosestAcross, Design, EncoderComparison, FoundTopics, GroupSettings, Layout, PolicyComparison, SimilarityAgainstM,
        Sources, SplitAudit, StabilityAgainstM, SwapEffect, Type1, Wishes,
    )
}  # fmt: skip
_ARRAYS = {"f": np.float64, "i": np.int64, "b": np.bool_}
_KNOWN: dict[Any, dict[str, Any]] = {}  # the declared types of every record that was read
_MOST_DEEP = 12  # records within records


def to_json(value: Any) -> Any:
    """A record, a mapping of records or a plain value; what kind it is stands with it."""
    if is_dataclass(value) and type(value).__name__ in RECORDS:
        return {
            "record": type(value).__name__,
            "fields": {each.name: _plain(getattr(value, each.name)) for each in _made(value)},
        }
    if isinstance(value, Mapping):
        return {"mapping": [[key, to_json(each)] for key, each in value.items()]}
    if isinstance(value, tuple):
        return {"tuple": [to_json(each) for each in value]}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{type(value).__name__} is not saved")


def from_json(found: Any, *, deep: int = 0) -> Any:
    """What `to_json` wrote; anything else is refused."""
    if found is None or isinstance(found, bool | int | float | str):
        return found
    if deep > _MOST_DEEP or not isinstance(found, dict):
        raise _wrong()
    if found.keys() == {"record", "fields"}:
        kind = RECORDS.get(str(found["record"]))
        if kind is None:
            raise _wrong()
        return _record(kind, found["fields"])
    if found.keys() == {"tuple"} and isinstance(found["tuple"], list):
        return tuple(from_json(each, deep=deep + 1) for each in found["tuple"])
    if found.keys() == {"mapping"} and isinstance(found["mapping"], list):
        pairs = [pair for pair in found["mapping"] if isinstance(pair, list) and len(pair) == 2 and _is_key(pair[0])]
        if len(pairs) == len(found["mapping"]):
            return {key: from_json(each, deep=deep + 1) for key, each in pairs}
    raise _wrong()


def _wrong() -> InputError:
    return InputError("a result in it is not written as Leakscope writes one")


def _is_key(key: object) -> bool:
    return isinstance(key, str | int)


def _made(value: Any) -> list[Any]:
    """The fields that a record is made with."""
    return [each for each in fields(value) if each.init]


def _plain(value: Any) -> Any:
    """A field as JSON; its type is known from its record, so that nothing has to be said of it but an array's shape."""
    if isinstance(value, np.ndarray):
        return {"kind": value.dtype.kind, "shape": list(value.shape), "values": value.reshape(-1).tolist()}
    if isinstance(value, np.generic):
        return value.item()
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: _plain(getattr(value, each.name)) for each in _made(value)}
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return [[key, _plain(each)] for key, each in value.items()]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{type(value).__name__} is not saved")


def _types(kind: Any) -> dict[str, Any]:
    if kind not in _KNOWN:
        _KNOWN[kind] = typing.get_type_hints(kind)
    return _KNOWN[kind]


def _record(kind: type[Any], found: Any) -> Any:
    names = {each.name for each in fields(kind) if each.init}
    if not isinstance(found, dict) or found.keys() != names:
        raise _wrong()
    return kind(**{name: _typed(found[name], _types(kind)[name]) for name in names})


def _typed(found: Any, wanted: Any) -> Any:
    """A field of the type that its record declares."""
    origin, arguments = typing.get_origin(wanted), typing.get_args(wanted)
    if origin in (Union, types.UnionType):
        return None if found is None and type(None) in arguments else _first(found, arguments)
    if origin is np.ndarray:
        return _array(found, arguments)
    if origin is tuple:
        return _tuple(found, arguments)
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        if not isinstance(found, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in found):
            raise _wrong()
        return {_typed(key, arguments[0]): _typed(each, arguments[1]) for key, each in found}
    if origin is Literal:
        if found not in arguments:
            raise _wrong()
        return found
    if isinstance(wanted, type) and is_dataclass(wanted):
        return _record(wanted, found)
    if wanted is float and type(found) in (int, float):
        return float(found)
    if wanted in (int, bool, str) and type(found) is wanted:
        return found
    raise _wrong()


def _first(found: Any, kinds: tuple[Any, ...]) -> Any:
    for kind in kinds:
        if kind is not type(None):
            try:
                return _typed(found, kind)
            except InputError:
                continue
    raise _wrong()


def _tuple(found: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    if not isinstance(found, list):
        raise _wrong()
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return tuple(_typed(each, arguments[0]) for each in found)
    if len(found) != len(arguments):
        raise _wrong()
    return tuple(_typed(each, kind) for each, kind in zip(found, arguments, strict=True))


def _array(found: Any, arguments: tuple[Any, ...]) -> Any:
    """Numbers of the kind declared, in the shape that is given with them."""
    (dtype,) = typing.get_args(arguments[1]) or (np.float64,)
    sound = isinstance(found, dict) and found.keys() == {"kind", "shape", "values"} and found["kind"] in _ARRAYS
    if not sound or not isinstance(found["values"], list) or not isinstance(found["shape"], list):
        raise _wrong()
    numbers, shape = found["values"], found["shape"]
    if not {type(number) for number in numbers} <= {int, float, bool} or not all(type(side) is int for side in shape):
        raise _wrong()
    if any(side < 0 for side in shape) or int(np.prod(shape, dtype=object)) != len(numbers):
        raise _wrong()
    if not np.issubdtype(dtype, np.inexact) and not np.issubdtype(_ARRAYS[found["kind"]], dtype):
        raise _wrong()
    try:
        return np.array(numbers, dtype=_ARRAYS[found["kind"]]).reshape(shape)
    except (OverflowError, ValueError) as problem:
        raise _wrong() from problem
