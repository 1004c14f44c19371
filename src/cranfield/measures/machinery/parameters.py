"""Parameters of measures: what may be given for each, and those that many measures have."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Final, TypedDict, TypeVar, Unpack, cast

from cranfield.errors import MeasureError

_T = TypeVar("_T")


class Written:
    """A kind of value that is neither a number nor a text, and says in words how it is written."""

    __slots__ = ()
    written: ClassVar[str]


_NOUNS: Final = {int: "a whole number", float: "a number", bool: "True or False"}


class Limits(TypedDict, total=False):
    """What a value has to keep to, and whether a name shows the default too."""

    above: float
    at_least: float
    below: float
    at_most: float
    choices: tuple[object, ...]
    always_shown: bool


class Parameter:
    """What may be given for a parameter of a measure, and what it means."""

    def __init__(self, default: object, meaning: str, *, kind: type, **limits: Unpack[Limits]) -> None:
        self.default = default
        self.meaning = meaning
        self.kind = kind
        self.above, self.at_least = limits.get("above"), limits.get("at_least")
        self.below, self.at_most = limits.get("below"), limits.get("at_most")
        self.choices = limits.get("choices")
        self.always_shown = limits.get("always_shown", False)

    @property
    def range(self) -> str:
        """The legal values, in words.

        >>> Parameter(0.8, "persistence", kind=float, above=0, below=1).range
        'a number above 0 and below 1'
        """
        if self.choices:
            return " or ".join(repr(choice) for choice in self.choices)
        noun = self.kind.written if issubclass(self.kind, Written) else _NOUNS[self.kind]
        limits = [
            f"{words} {limit:g}"
            for words, limit in (
                ("above", self.above),
                ("at least", self.at_least),
                ("below", self.below),
                ("at most", self.at_most),
            )
            if limit is not None
        ]
        return " ".join([noun, " and ".join(limits)]).strip()

    def checked(self, name: str, value: object) -> object:
        """Return the value as this parameter's kind, or say what would be legal."""
        if value is None and self.default is None:
            return None
        try:
            return self._converted(value)
        except (TypeError, ValueError, OverflowError) as error:
            reason = f" ({error})" if self.kind not in {int, float, bool, str} else ""
            raise MeasureError(f"{name} must be {self.range}, not {value!r}{reason}") from None

    def _converted(self, value: Any) -> object:  # Any: whether int(value) can be had is found out by trying
        if self.choices:
            if value not in self.choices:
                raise ValueError
            return value
        if self.kind is bool or isinstance(value, bool):
            if not isinstance(value, bool) or self.kind is not bool:
                raise ValueError
            return value
        if self.kind is int and value != int(value):
            raise ValueError
        value = self.kind(value)
        if self.kind in {int, float} and not (
            math.isfinite(value)
            and (self.above is None or value > self.above)
            and (self.at_least is None or value >= self.at_least)
            and (self.below is None or value < self.below)
            and (self.at_most is None or value <= self.at_most)
        ):
            raise ValueError
        return value


def parameter(default: _T, meaning: str, *, kind: type = float, **limits: Unpack[Limits]) -> _T:
    """Declare a parameter of a measure: its default, what it means, its kind and its range.

    In types it is what it will be: the class has the default in its place as soon as it is made, an
    object its value.
    """
    return cast("_T", Parameter(default, meaning, kind=kind, **limits))


def cutoff() -> int | None:
    """Declare that the measure can look at the first k ranks only: ``Measure@k``."""
    return parameter(None, "how many ranks count, from the top", kind=int, at_least=1)


def level() -> float | None:
    """Declare that the measure takes documents as relevant or not: ``rel`` is the lowest relevant grade."""
    return parameter(None, "lowest grade that is relevant (without it, every grade above 0)", kind=float, above=0)


def condensed() -> bool:
    """Declare that the measure can be had over the judged documents alone."""
    return parameter(False, "drop unjudged documents from the ranking first", kind=bool)


def persistence() -> float:
    """Declare p, which names show even where it is the default."""
    return parameter(
        0.8, "persistence: the chance of going on to the next document", above=0, below=1, always_shown=True
    )
