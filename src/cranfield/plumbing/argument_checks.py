"""The door: what a public function or class is given is checked against its annotations before it is used.

`cranfield.public` leads every public name through here, so that what an argument must be stands once, in its
annotation, and what is wrong is worded in one way. What the package does within itself passes no door. Kinds that say
what they look like rather than what they are (runs and judgments in all their forms, arrays, measures) are open: those
who read them say better what is wrong.
"""

from __future__ import annotations

import collections.abc
import os
from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from inspect import Parameter, signature
from itertools import chain, repeat
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    ParamSpec,
    TypeAlias,
    TypeVar,
    Union,
    Unpack,
    get_args,
    get_origin,
    get_type_hints,
)

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.late import Later
from cranfield.plumbing.options import NOUNS, checked, is_plain, shown
from cranfield.plumbing.unpacked import explained, spelled_out

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")
_Fits: TypeAlias = Callable[[Any], bool]
_Passes: TypeAlias = Callable[[Any], Any]

_NUMBERS: Final = {int: Integral, float: Real}
_SEVERAL: Final = {getattr(collections.abc, name) for name in ("Iterable", "Collection", "Sequence", "Set")}


def looking(function: Callable[_Given, _Found]) -> Callable[_Given, _Found]:
    """Have a function look at what it is given. Its module and name stay: it is public there."""
    door = _Door(function)

    @wraps(function)
    def opened(*args: _Given.args, **options: _Given.kwargs) -> _Found:
        return function(*door.taken(args), **door.named(options))

    return opened


@cache
def guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that looks at what it is given; it is called, and sent elsewhere, by its public name."""
    opened = looking(function)
    opened.__module__ = "cranfield"
    opened.__doc__ = explained(function, function.__doc__)
    _sign(opened, function)
    return opened


@cache
def guard(kind: type) -> None:
    """Have a class look at what it is made of: by its own ``__init__``, or that of the class it is derived from."""
    home = next(base for base in kind.__mro__ if "__init__" in vars(base))
    if home is not kind:
        return guard(home) if home.__module__.startswith("cranfield.") else None
    make = vars(kind)["__init__"]
    door = _Door(make, skip=1)

    @wraps(make)
    def opened(self: object, *args: Any, **options: Any) -> None:
        make(self, *door.taken(args), **door.named(options))

    kind.__doc__ = explained(make, kind.__doc__)
    _sign(opened, make)
    setattr(kind, "__init__", opened)  # noqa: B010 - mypy would have it that nobody does so
    return None


def _sign(opened: Callable[..., Any], function: Callable[..., Any]) -> None:
    if (signed := spelled_out(function)) is not None:
        setattr(opened, "__signature__", signed)  # noqa: B010 - of which mypy knows nothing


class _Door:
    """What is asked of each argument; found out at the first call."""

    def __init__(self, function: Callable[..., Any], skip: int = 0) -> None:
        self.function = function
        self.skip = skip
        self.closed = False
        self._asked: tuple[dict[str, _Passes | None], tuple[_Passes | None, ...], _Passes | None] | None = None

    def taken(self, args: tuple[Any, ...]) -> Iterable[Any]:
        """Look at what is given by place."""
        if not args:
            return args
        _, places, more = self._asked or self._ask()
        return [
            value if passes is None else passes(value)
            for value, passes in zip(args, chain(places, repeat(more)), strict=False)
        ]

    def named(self, options: dict[str, Any]) -> dict[str, Any]:
        """Look at what is given by name; a name that there is not is refused as Python does it."""
        if options:
            asked, _, _ = self._asked or self._ask()
            for name, value in options.items():
                if name not in asked and self.closed:
                    raise TypeError(self._unexpected(name, asked))
                if (passes := asked.get(name)) is not None:
                    options[name] = passes(value)
        return options

    def _unexpected(self, name: str, asked: Iterable[str]) -> str:
        from difflib import get_close_matches

        close = get_close_matches(name, asked, n=1)
        hint = f". Did you mean {close[0]!r}?" if close else ""
        called = self.function.__qualname__.removesuffix(".__init__")
        return f"{called}() got an unexpected keyword argument {name!r}{hint}"

    def _ask(self) -> tuple[dict[str, _Passes | None], tuple[_Passes | None, ...], _Passes | None]:
        hints = get_type_hints(self.function, include_extras=True)
        asked: dict[str, _Passes | None] = {}
        places, more = list[_Passes | None](), None
        for name, parameter in list(signature(self.function).parameters.items())[self.skip :]:
            if parameter.kind is Parameter.VAR_KEYWORD:
                self.closed = get_origin(hints.get(name)) is Unpack
                asked |= {each: _passing(each, hint) for each, hint in _unpacked(hints.get(name)).items()}
                continue
            passes = _passing(name, hints.get(name, Any))
            if parameter.kind is Parameter.VAR_POSITIONAL:
                more = passes
                continue
            asked[name] = passes
            if parameter.kind is not Parameter.KEYWORD_ONLY:
                places.append(passes)
        self._asked = asked, tuple(places), more
        return self._asked


def _unpacked(hint: Any) -> dict[str, object]:
    """Return what may be given by other names: ``**options: Unpack[Asked]``."""
    told = get_args(hint)
    return get_type_hints(told[0], include_extras=True) if told else {}


def _passing(name: str, annotation: Any) -> _Passes | None:
    """Return what lets a value pass as it is, or as what it was meant to be, or raises an error; None is for all."""
    fits = fitting(annotation)
    if fits is None:
        return None
    origins = [get_origin(_unaliased(kind)) for kind in _alternatives(annotation)]
    several, a_path = any(origin in _SEVERAL for origin in origins), os.PathLike in origins

    def passes(value: Any) -> Any:
        if a_path and isinstance(value, str | os.PathLike) and not _can_be_named(value):
            raise InputError(f"{name} must be a path, but no file can be named {shown(os.fspath(value))}")
        if several and isinstance(value, collections.abc.Iterator):  # once it was looked at, it would be gone
            value = list(value)
        if isinstance(value, Later) or fits(value):  # what is made later cannot be looked at
            return value
        kinds = [kind for kind in _alternatives(annotation) if kind is not NoneType]
        if len(kinds) == 1 and is_plain(kinds[0]):
            return checked(name, value, kinds[0])
        if len(kinds) == 1 and fits(tuples := _as_tuples(value, kinds[0])):
            return tuples
        raise InputError(f"{name} must be {wanted(annotation)}, not {shown(value)}")

    return passes


def _can_be_named(path: str | os.PathLike[str]) -> bool:
    """Say whether a file can have such a name: without a zero byte, and of whole characters, or of bytes."""
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def fitting(annotation: Any) -> _Fits | None:  # noqa: PLR0911 - a way for each kind of annotation
    """Return what tells whether a value is of a kind; None where it is not told by looking at it.

    >>> from collections.abc import Sequence
    >>> fits = fitting(Sequence[float] | None)
    >>> fits([1, 2.5]), fits(None), fits(["a"]), fits(7)
    (True, True, False, False)
    """
    annotation = _unaliased(annotation)
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin in {Union, UnionType}:
        kinds = [fitting(kind) for kind in parts]
        told = [kind for kind in kinds if kind is not None]
        return None if None in kinds else lambda value: any(fits(value) for fits in told)
    if origin is Annotated:
        inner = fitting(parts[0])
        return lambda value: (inner is None or inner(value)) and parts[1].broken_by(value) is None
    if origin is Literal:
        return lambda value: isinstance(value, str) and value in parts
    if origin is type:
        return lambda value: isinstance(value, type) and issubclass(value, parts[0])
    if origin is tuple:
        return _of_tuple(parts)
    if origin is not None and issubclass(origin, Mapping):
        return _of_mapping(*map(fitting, parts))
    if origin in _SEVERAL:
        return _of_several(fitting(parts[0]))
    return callable if origin is collections.abc.Callable else _of_class(origin or annotation)


def _unaliased(annotation: Any) -> Any:
    """Return what an alias that is a value of its own stands for: from 2.5 on, numpy's ``NDArray[...]`` is one.

    >>> import numpy as np
    >>> from numpy.typing import NDArray
    >>> get_origin(_unaliased(NDArray[np.float64]))
    <class 'numpy.ndarray'>
    """
    origin = get_origin(annotation)
    if hasattr(origin, "__value__"):
        return origin.__value__[get_args(annotation)]
    return getattr(annotation, "__value__", annotation)


def _of_class(kind: Any) -> _Fits | None:
    if kind in {int, float}:
        number = _NUMBERS[kind]
        return lambda value: isinstance(value, number) and not isinstance(value, bool)
    if not isinstance(kind, type) or kind in {object, Any} or getattr(kind, "_is_protocol", False):
        return None
    return lambda value: isinstance(value, kind)


def _of_tuple(parts: tuple[Any, ...]) -> _Fits:
    if parts[-1] is Ellipsis:
        each = _of_several(fitting(parts[0]))
        return lambda value: isinstance(value, tuple) and each(value)
    kinds = [fitting(part) for part in parts]
    return lambda value: (
        isinstance(value, tuple)
        and len(value) == len(kinds)
        and all(fits is None or fits(each) for fits, each in zip(kinds, value, strict=True))
    )


def _of_several(fits: _Fits | None) -> _Fits:
    """Several of a kind: all are looked at, unless they come one by one and would be gone."""

    def several(value: Any) -> bool:
        if isinstance(value, bytes | Mapping) or not isinstance(value, Iterable):
            return False
        return fits is None or not isinstance(value, collections.abc.Sized) or all(map(fits, value))

    return several


def _of_mapping(key: _Fits | None, value: _Fits | None) -> _Fits:
    return lambda given: (
        isinstance(given, Mapping)
        and (key is None or all(map(key, given)))
        and (value is None or all(map(value, given.values())))
    )


def _as_tuples(value: Any, annotation: Any) -> Any:
    """Return lists as the tuples that they stand for, as JSON has them."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if not (origin is tuple or origin in _SEVERAL) or not isinstance(value, list | tuple):
        return value
    if origin in _SEVERAL:
        return tuple(_as_tuples(each, parts[0]) for each in value)
    kinds = repeat(parts[0]) if parts[-1] is Ellipsis else chain(parts, repeat(Any))
    return tuple(_as_tuples(each, kind) for each, kind in zip(value, kinds, strict=False))


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) in {Union, UnionType} else (annotation,)


def wanted(annotation: Any) -> str:  # noqa: PLR0911 - the same
    """Say what would be right.

    >>> wanted(str | tuple[int, ...] | None), wanted(dict[str, float])
    ('a text or a list (each a whole number)', 'a dict (of a text to a number)')
    """
    kinds = [kind for kind in _alternatives(annotation) if kind is not NoneType]
    if len(kinds) != 1:
        return " or ".join(dict.fromkeys(map(wanted, kinds))) or "None"
    one = _unaliased(kinds[0])
    origin, parts = get_origin(one), get_args(one)
    if origin is Annotated:
        return f"{'an array' if fitting(parts[0]) is None else wanted(parts[0])} {parts[1].words}".strip()
    if origin is Literal:
        return " or ".join(map(repr, parts))
    if origin is tuple and parts[-1] is not Ellipsis:
        return f"a tuple ({', '.join(map(wanted, parts))})"
    if origin is tuple or origin in _SEVERAL:
        return "a list" if fitting(parts[0]) is None else f"a list (each {wanted(parts[0])})"
    if origin is not None and issubclass(origin, Mapping):
        return "a dict" if None in map(fitting, parts) else f"a dict (of {' to '.join(map(wanted, parts))})"
    if origin is collections.abc.Callable:
        return "a function"
    kind = parts[0] if origin is type else origin or kinds[0]
    name = NOUNS[kind] if kind in NOUNS else f"a {kind.__module__.partition('.')[0]}.{kind.__name__}"
    return f"{'a class derived from ' if origin is type else ''}{name}"
