"""Results as JSON and back: only records named here, every field of the type it was declared with. No pickle."""

import types
import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Literal, Union

import numpy as np

from ..errors import InputError
from ..splits import Wishes
from ..statistics.simulation import GroupSettings
from .kinds import SAVED

RECORDS: dict[str, type[Any]] = {
    kind.__name__: kind for kind in (Wishes, GroupSettings, *(kind for each in SAVED.values() for kind in each.of))
}  # of results, and those that name them
_ARRAYS = {"f": np.float64, "i": np.int64, "b": np.bool_}
_KNOWN: dict[Any, dict[str, Any]] = {}  # the declared types of every record that was read
_MOST_DEEP = 12  # records within records


def to_json(value: Any) -> Any:
    """A record, a mapping of records or a plain value; what kind it is stands with it."""
    if is_dataclass(value) and type(value).__name__ in RECORDS:
        return {"record": type(value).__name__, "fields": _plain(value)}
    if isinstance(value, Mapping):
        return {"mapping": [[key, to_json(each)] for key, each in value.items()]}
    if isinstance(value, tuple):
        return {"tuple": [to_json(each) for each in value]}
    return _scalar(value)


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
    if isinstance(value, np.ndarray) and value.dtype.kind == "b":
        return {"kind": "b", "shape": list(value.shape), "values": np.packbits(value.reshape(-1)).tobytes().hex()}
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
    return _scalar(value)


def _scalar(value: Any) -> Any:
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
    if wanted is float and (type(found) is float or (type(found) is int and abs(found) < 2**53)):
        return float(found)
    if wanted is int and type(found) is int and -1 <= found < 2**53:
        return found
    if wanted in (bool, str) and type(found) is wanted:
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
    """Numbers of the kind declared, in the shape that is given with them; no whole number is below −1, which is none."""
    (dtype,) = typing.get_args(arguments[1]) or (np.float64,)
    sound = isinstance(found, dict) and found.keys() == {"kind", "shape", "values"} and found["kind"] in ("f", "i", "b")
    if not sound or not isinstance(found["shape"], list) or not all(type(side) is int for side in found["shape"]):
        raise _wrong()
    shape, size = found["shape"], int(np.prod(found["shape"], dtype=object))
    other = not np.issubdtype(dtype, np.inexact) and not np.issubdtype(_ARRAYS[found["kind"]], dtype)
    if other or any(side < 0 for side in shape):
        raise _wrong()
    try:
        values = _bits(found["values"], size) if found["kind"] == "b" else _numbers(found["values"], found["kind"])
        if len(values) != size or (found["kind"] == "i" and size and values.min() < -1):
            raise _wrong()
        return values.reshape(shape)
    except (OverflowError, ValueError, TypeError) as problem:
        raise _wrong() from problem


def _bits(found: Any, size: int) -> Any:
    if not isinstance(found, str) or len(found) != 2 * -(-size // 8):
        raise _wrong()
    return np.unpackbits(np.frombuffer(bytes.fromhex(found), dtype=np.uint8), count=size).astype(np.bool_)


def _numbers(found: Any, kind: str) -> Any:
    if not isinstance(found, list) or not {type(number) for number in found} <= {int, float}:
        raise _wrong()
    if kind == "i" and not {type(number) for number in found} <= {int}:
        raise _wrong()
    return np.array(found, dtype=_ARRAYS[kind])


def size_of(value: Any) -> int:
    """How many numbers a result holds in arrays."""
    if isinstance(value, np.ndarray):
        return value.size // 32 if value.dtype.kind == "b" else value.size
    if is_dataclass(value) and not isinstance(value, type):
        return sum(size_of(getattr(value, each.name)) for each in _made(value))
    if isinstance(value, Mapping):
        return sum(map(size_of, value.values()))
    return sum(map(size_of, value)) if isinstance(value, tuple | list) else 1
