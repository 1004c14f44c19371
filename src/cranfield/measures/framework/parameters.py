"""Parameters of measures: what may be given for each, and those that many measures have."""

from __future__ import annotations

import numbers
from typing import Any, ClassVar, Final, TypedDict, TypeVar, Unpack, cast

from cranfield.plumbing.errors import MeasureError
from cranfield.plumbing.options import LONGEST_LIST, Range

LARGEST_COLLECTION: Final = 10**12
"""No collection has more documents, and floating point counts them exactly."""

_LARGEST: Final = 1e50  # Nobody counts a document for more, and the fifth power of it is still a number in 64 bits

_REAL: Final[Any] = numbers.Real  # What int() and float() take, though its type does not say so

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
        if not (limits.get("choices") or kind in _NOUNS or (isinstance(kind, type) and issubclass(kind, Written))):
            raise MeasureError(f"a parameter's kind is int, float, bool or a kind of Written, not {kind!r}")
        self.limits = Range(
            at_least=limits.get("at_least"),
            above=limits.get("above"),
            at_most=limits.get("at_most", LONGEST_LIST if kind is int else None),
            below=limits.get("below"),
        )
        self.choices = limits.get("choices")
        self.always_shown = limits.get("always_shown", False)

    def __repr__(self) -> str:
        return f"Parameter({self.default!r}, {self.range})"

    @property
    def range(self) -> str:
        """The legal values, in words.

        >>> Parameter(0.8, "persistence", kind=float, above=0, below=1).range
        'a number above 0 and below 1'
        """
        if self.choices:
            return " or ".join(repr(choice) for choice in self.choices)
        noun = self.kind.written if issubclass(self.kind, Written) else _NOUNS[self.kind]
        return f"{noun} {self.limits.words}".strip()

    def checked(self, name: str, value: object) -> object:
        """Return the value as this parameter's kind, or say what would be legal."""
        if value is None and self.default is None:
            return None
        try:
            return self._converted(value)
        except (TypeError, ValueError, OverflowError) as error:
            reason = f" ({error})" if str(error) else ""
            raise MeasureError(f"{name} must be {self.range}, not {value!r}{reason}") from None

    def _converted(self, value: Any) -> object:  # Any: whether GainMap(value) can be had is found out by trying
        if self.choices:
            if value not in self.choices:
                raise ValueError
            return value
        if isinstance(value, bool) or self.kind is bool:
            if not isinstance(value, bool) or self.kind is not bool:
                raise ValueError
            return value
        return self._number(value) if self.kind in {int, float} else self.kind(value)

    def _number(self, value: Any) -> float:
        if not isinstance(value, _REAL):
            raise ValueError
        if broken := self.limits.broken_by(value):
            raise ValueError("" if broken in self.range else broken)
        if self.kind is float:
            return computable(float(value))
        if value % 1 != 0:
            raise ValueError
        return int(value)


def computable(value: float) -> float:
    """Return a number, unless its square, or one divided by it, need not be a number in 64 bits any more."""
    if value and not 1 / _LARGEST <= abs(value) <= _LARGEST:
        raise ValueError(f"0, or between {1 / _LARGEST:g} and {_LARGEST:g} in size")
    return value


def parameter(default: _T, meaning: str, *, kind: type = float, **limits: Unpack[Limits]) -> _T:
    """Declare a parameter of a measure: its default, what it means, its kind and its range.

    In types it is what it will be: the class has the default in its place as soon as it is made, an
    object its value.
    """
    return cast("_T", Parameter(default, meaning, kind=kind, **limits))


def cutoff() -> int | None:
    """Declare that the measure can look at the first k ranks only: ``Measure@k``."""
    return parameter(None, "the number of top ranks that count", kind=int, at_least=1)


def level() -> float | None:
    """Declare that the measure takes documents as relevant or not: ``rel`` is the lowest relevant grade."""
    return parameter(None, "lowest relevant grade (by default, every grade above 0)", kind=float, above=0)


def condensed() -> bool:
    """Declare that the measure can be had over the judged documents alone."""
    return parameter(False, "remove unjudged documents from the ranking first", kind=bool)


def persistence() -> float:
    """Declare p, which names show even where it is the default."""
    return parameter(
        0.8, "persistence: the chance of going on to the next document", above=0, below=1, always_shown=True
    )
