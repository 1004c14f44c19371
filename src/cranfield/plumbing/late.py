"""Fields of records that are made when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

_T = TypeVar("_T")


@dataclass(frozen=True)
class Later(Generic[_T]):
    """What makes a value that has not been asked for yet."""

    make: Callable[[], _T]


def late() -> Any:
    """Let a field of a dataclass take a value, or a `Later`: whoever reads it finds a value.

    Two threads that are the first to ask make it twice, and both have the same.

    >>> @dataclass(frozen=True)
    ... class Page:
    ...     text: str = late()
    >>> Page("a").text, Page(Later(lambda: "a" * 3)).text
    ('a', 'aaa')
    """
    return _Late()


class _Late:
    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, record: object | None, owner: type) -> object:
        if record is None:  # the class has no value, so that the field has no default
            raise AttributeError(self.name)
        value = vars(record)[self.name]
        if isinstance(value, Later):
            value = vars(record)[self.name] = value.make()
        return value

    def __set__(self, record: object, value: object) -> None:
        vars(record)[self.name] = value
