"""What takes time is remembered, until other files are read."""

from __future__ import annotations

from collections.abc import Callable
from functools import _lru_cache_wrapper, lru_cache
from typing import Final, TypeVar

Found = TypeVar("Found")

_ALL: Final[list[_lru_cache_wrapper[object]]] = []


def remembered(times: int) -> Callable[[Callable[..., Found]], _lru_cache_wrapper[Found]]:
    """Remember the last answers of a function, so many at the most, as `functools.lru_cache` does."""

    def of(function: Callable[..., Found]) -> _lru_cache_wrapper[Found]:
        cached = lru_cache(times)(function)
        _ALL.append(cached)
        return cached

    return of


def forget() -> None:
    """Forget all answers, and what they were about."""
    for each in _ALL:
        each.cache_clear()
