"""Fields of records that are made when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

_T_co = TypeVar("_T_co", covariant=True)


@dataclass(frozen=True)
class Later(Generic[_T_co]):
    """What makes a value that has not been asked for yet."""

    make: Callable[[], _T_co]


def late(*usual: Any) -> Any:
    """Let a field of a dataclass take a value, or a `Later`: whoever reads it finds a value; one may be the usual one.

    Two threads that are the first to ask make it twice, and both have the same.

    >>> @dataclass(frozen=True)
    ... class Page:
    ...     text: str = late()
    >>> Page("a").text, Page(Later(lambda: "a" * 3)).text
    ('a', 'aaa')
    """
    return _Late(usual)


class _Late:
    def __init__(self, usual: tuple[Any, ...]) -> None:
        self.usual = usual

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, record: object | None, owner: type) -> object:
        if record is None:  # a dataclass asks for the default of the field
            if not self.usual:
                raise AttributeError(self.name)
            return self.usual[0]
        value = vars(record)[self.name]
        if isinstance(value, Later):
            value = vars(record)[self.name] = value.make()
        return value

    def __set__(self, record: object, value: object) -> None:
        vars(record)[self.name] = value
