"""Values to JSON and back, and whether two values are the same: for everything that results are made of."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache, singledispatch
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

import numpy as np

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import storable
from cranfield.plumbing.lazy import pl

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_T = TypeVar("_T")

Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
"""What JSON can hold."""
Written: TypeAlias = dict[str, Any]
"""An object of JSON that stands for something: whoever reads it knows what should be in it, and fails without it."""

_TAG: Final = "@"  # The key under which JSON says what an object stands for

_READERS: Final[dict[str, Callable[[Written], object]]] = {}


@cache
def _dtypes() -> dict[str, pl.DataType | type[pl.DataType]]:
    plain = (pl.String, pl.Float64, pl.Float32, pl.Boolean, pl.Int64, pl.Int32, pl.UInt32, pl.UInt64, pl.Null)
    return {str(dtype): dtype for dtype in (*plain, pl.List(pl.String), pl.List(pl.Float64))}


def record(kind: type[_T]) -> type[_T]:
    """Make a dataclass or a named tuple known, so that it can be part of what is written and read back."""
    _READERS[kind.__name__] = lambda written: kind(**{name: restored(value) for name, value in written.items()})
    return kind


def kind(name: str, of: type, write: Callable[[_T], str], read: Callable[[str], _T]) -> None:
    """Make another type known: how its objects are written, and read back."""
    plain.register(of, lambda value: {_TAG: name, "value": write(value)})
    _READERS[name] = lambda written: read(written["value"])


@singledispatch
def plain(value: object) -> Json:
    """Write a value as JSON can hold it, with what `restored` needs to make the same value of it.

    >>> plain(np.array([1.0, np.nan]))
    {'@': 'array', 'dtype': 'float64', 'shape': [2], 'values': [1.0, 'nan']}
    """
    if is_dataclass(value) and not isinstance(value, type) and type(value).__name__ in _READERS:
        return _written_record(value, contents(value))
    if value is None or isinstance(value, bool | int):
        return value
    return _written_table(value) if isinstance(value, pl.DataFrame) else storable(str(value))


@plain.register(float)
def _(value: float) -> Json:
    return value if math.isfinite(value) else {_TAG: "float", "value": str(value)}


@plain.register(np.generic)
def _(value: np.generic) -> Json:
    return plain(value.item())


@plain.register(np.ndarray)
def _(value: np.ndarray) -> Json:
    values = _finite(value.ravel().tolist())
    return {_TAG: "array", "dtype": str(value.dtype), "shape": list(value.shape), "values": values}


def _written_record(value: object, parts: Mapping[str, object]) -> Json:
    return {_TAG: type(value).__name__} | {name: plain(inner) for name, inner in parts.items()}


def _written_table(value: pl.DataFrame) -> Json:
    columns = {name: _finite(value[name].to_list()) for name in value.columns}
    return {_TAG: "table", "dtypes": {name: str(dtype) for name, dtype in value.schema.items()}, "columns": columns}


@plain.register(Mapping)
def _(value: Mapping[object, object]) -> Json:
    named = {key: plain(inner) for key, inner in value.items() if isinstance(key, str)}
    if len(named) == len(value) and _TAG not in named:
        return named
    return {_TAG: "pairs", "pairs": [[plain(key), plain(inner)] for key, inner in value.items()]}


@plain.register(list)
def _(value: list[object]) -> Json:
    return [plain(inner) for inner in value]


@plain.register(tuple)
def _(value: tuple[object, ...]) -> Json:
    if type(value).__name__ in _READERS and hasattr(value, "_asdict"):
        return _written_record(value, value._asdict())
    return [plain(inner) for inner in value]


def restored(written: object) -> Any:
    """Read what `plain` wrote; a list becomes a tuple.

    >>> restored(plain({"a": (1, float("inf"))}))
    {'a': (1, inf)}
    """
    if isinstance(written, list):
        return tuple(restored(inner) for inner in written)
    if not isinstance(written, dict):
        return written
    if _TAG not in written:
        return {key: restored(inner) for key, inner in written.items()}
    if written[_TAG] not in _READERS:
        raise InputError(f"unknown kind of result {written[_TAG]!r}")
    return _READERS[written[_TAG]]({key: value for key, value in written.items() if key != _TAG})


def _table(written: Written) -> pl.DataFrame:
    columns = []
    for name, written_dtype in written["dtypes"].items():
        dtype, values = _dtypes()[written_dtype], written["columns"][name]
        if dtype.is_float():
            values = [None if value is None else float(value) for value in values]
        columns.append(pl.Series(name, values, dtype=dtype))
    return pl.DataFrame(columns)


_READERS.update(
    {
        "float": lambda written: float(written["value"]),
        "array": lambda written: np.array(written["values"], dtype=written["dtype"]).reshape(written["shape"]),
        "table": _table,
        "pairs": lambda written: {restored(key): restored(inner) for key, inner in written["pairs"]},
    }
)


def same(one: object, other: object) -> bool:
    """Tell whether two values are the same: names, settings and numbers, NaN being the same as NaN.

    >>> same({"a": np.array([1.0, np.nan])}, {"a": np.array([1.0, np.nan])})
    True
    """
    one, other = (_bare(value) for value in (one, other))
    return type(one) is type(other) and _same(one, other)


def _bare(value: object) -> object:
    """Return a number or mapping of any kind as the plain one."""
    if isinstance(value, Mapping):
        return dict(value)
    return value.item() if isinstance(value, np.generic) else value


@singledispatch
def _same(one: object, other: object) -> bool:
    """Compare two values of one type."""
    if is_dataclass(one) and is_dataclass(other):
        return same(contents(one), contents(other))
    if isinstance(one, pl.DataFrame) and isinstance(other, pl.DataFrame):
        return one.schema == other.schema and one.equals(other, null_equal=True)
    return bool(one == other)


@_same.register(float)
def _(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other))


@_same.register(np.ndarray)
def _(one: np.ndarray, other: np.ndarray) -> bool:
    return bool(np.array_equal(one, other, equal_nan=one.dtype.kind == other.dtype.kind == "f"))


@_same.register(dict)
def _(one: dict[object, object], other: dict[object, object]) -> bool:
    return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)


@_same.register(list)
@_same.register(tuple)
def _(one: Sequence[object], other: Sequence[object]) -> bool:
    return len(one) == len(other) and all(map(same, one, other))


def contents(value: DataclassInstance | type[DataclassInstance]) -> dict[str, object]:
    """Return what a dataclass is made of."""
    return {each.name: getattr(value, each.name) for each in fields(value) if each.init}


def _finite(values: Iterable[Json]) -> list[Json]:
    return [str(value) if isinstance(value, float) and not math.isfinite(value) else value for value in values]
