"""Shapes of what is asked and answered, as dataclasses: read from JSON, refused in words, written as JSON Schema."""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, Field, asdict, dataclass, fields, is_dataclass
from functools import cache
from typing import Any, ClassVar, Final, Literal, TypeVar, Union, dataclass_transform

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import NO_TEXT
from cranfield.plumbing.options import shown

LONGEST_TEXT: Final = 100_000
LARGEST_WHOLE: Final = 2**1023  # From here on, a whole number may not be one of floating point
_WORDS: Final = {
    str: "text", int: "a whole number", float: "a number", bool: "true or false", list: "a list", dict: "an object"
}  # fmt: skip
_SCHEMAS: Final = {str: "string", int: "integer", float: "number", bool: "boolean"}

Kind = TypeVar("Kind")


@dataclass_transform(frozen_default=True)
class JsonShape:
    """What is answered, or kept, or a part of that: each is a frozen dataclass, and may be called otherwise outside."""

    called: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __init_subclass__(cls, called: str = "") -> None:
        cls.called = called or cls.__name__
        dataclass(frozen=True)(cls)


def called(shape: type) -> str:
    """Return what a shape is called outside."""
    return str(getattr(shape, "called", shape.__name__))


def read(shape: type[Kind], given: object, *, texts: bool = False) -> Kind:
    """Make a dataclass of JSON, or say what is wrong with it; numbers in an address are texts.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Asked:
    ...     topic: str
    ...     n: int = 1
    >>> read(Asked, {"topic": "7"}), read(Asked, {"topic": "7", "n": "2"}, texts=True).n
    (Asked(topic='7', n=1), 2)
    >>> read(Asked, {"topic": "7", "m": 2})
    Traceback (most recent call last):
    ...
    cranfield.InputError: unknown field 'm'; known are topic, n
    """
    if not isinstance(given, Mapping):
        raise InputError(f"the body must be a JSON object, not {shown(given)}")
    declared = {_key(each.name): each for each in fields(shape)}  # type: ignore[arg-type]
    for name in given:
        if name not in declared:
            raise InputError(f"unknown field {shown(name)}; known are {', '.join(declared) or 'none'}")
    for name, each in declared.items():
        if name not in given and each.default is MISSING and each.default_factory is MISSING:
            raise InputError(f"{name} is missing")
    hints: dict[str, Any] = _hints(shape)  # type: ignore[arg-type]
    own = {name: declared[name].name for name in given}
    return shape(**{own[name]: _value(hints[own[name]], value, name, texts) for name, value in given.items()})


def written(answer: object) -> Any:
    """Turn an answer into what JSON can hold."""
    return asdict(answer) if is_dataclass(answer) and not isinstance(answer, type) else answer


def _key(name: str) -> str:
    """Return what a field is called in JSON: ``from_`` is a word of Python's there, and not here."""
    return name.rstrip("_")


@cache
def _hints(shape: Any) -> dict[str, Any]:
    return typing.get_type_hints(shape)


def _value(kind: Any, value: Any, name: str, texts: bool) -> Any:
    origin, among = typing.get_origin(kind), typing.get_args(kind)
    if origin in {Union, types.UnionType}:
        [kind] = [each for each in among if each is not type(None)]
        return None if value is None else _value(kind, value, name, texts)
    if origin is Literal:
        if value in among:
            return value
        raise InputError(f"{name} is {', '.join(map(str, among))}, not {shown(value)}")
    if origin in {list, dict}:
        return _several(origin, among[-1], value, name, texts)
    if is_dataclass(kind) and isinstance(kind, type):
        return read(kind, value)
    if texts and kind in {int, float}:
        return _number(kind, value, name)
    return _plain(kind, value, name)


def _several(kind: type, of: Any, value: Any, name: str, texts: bool) -> Any:
    if isinstance(value, list) and kind is list:
        return [_value(of, each, name, texts) for each in value]
    if isinstance(value, Mapping) and kind is dict:
        return {key: _value(of, each, name, texts) for key, each in value.items()}
    raise InputError(f"{name} is {_WORDS[kind]}, not {shown(value)}")


def _number(kind: type, value: str, name: str) -> Any:
    try:
        return _plain(kind, kind(value), name)
    except ValueError:
        raise InputError(f"{name} is {_WORDS[kind]}, not {shown(value)}") from None


def _plain(kind: type, value: Any, name: str) -> Any:
    fits = isinstance(value, kind) and not (kind is not bool and isinstance(value, bool))
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        fits = abs(value) < LARGEST_WHOLE  # a larger one is no number of 64 bits
    if not fits or (isinstance(value, int | float) and not abs(value) < math.inf):
        raise InputError(f"{name} is {_WORDS[kind]}, not {shown(value)}")
    if isinstance(value, str) and NO_TEXT.search(value):
        raise InputError(f"{name} holds half of a character, which cannot be written")
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        raise InputError(f"{name} has {len(value):,} characters; at most {LONGEST_TEXT:,} are allowed")
    return value


def schema(kind: Any) -> dict[str, Any]:
    """Return the JSON Schema of a shape, other shapes by reference."""
    origin, among = typing.get_origin(kind), typing.get_args(kind)
    if origin in {Union, types.UnionType}:
        [kind] = [each for each in among if each is not type(None)]
        inner = schema(kind)
        return {"type": [inner["type"], "null"]} if set(inner) == {"type"} else {"oneOf": [inner, {"type": "null"}]}
    if origin is Literal:
        return {"type": "string", "enum": list(among)}
    if origin is list:
        return {"type": "array", "items": schema(among[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": schema(among[1])}
    if isinstance(kind, type) and is_dataclass(kind):
        return {"$ref": f"#/components/schemas/{called(kind)}"}
    return {"type": _SCHEMAS[kind]} if kind in _SCHEMAS else {}


def properties(shape: type) -> dict[str, Any]:
    """Return the JSON Schema of one shape itself."""
    hints = _hints(shape)
    declared = fields(shape)
    needed = [_key(each.name) for each in declared if each.default is MISSING and each.default_factory is MISSING]
    return {
        "type": "object",
        "properties": {_key(each.name): schema(hints[each.name]) for each in declared},
        "required": needed,
        "additionalProperties": False,
    }


def shapes_in(kind: Any) -> list[type]:
    """List the shapes that a shape holds, itself among them."""
    if isinstance(kind, type) and is_dataclass(kind):
        return [kind, *(each for part in fields(kind) for each in shapes_in(_hints(kind)[part.name]))]
    return [each for part in typing.get_args(kind) for each in shapes_in(part)]
