"""What may be given for an option: its kind and range, declared once, in its annotation, and checked in one place."""

from __future__ import annotations

import math
import numbers
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from reprlib import Repr
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Self, TypeAlias, Union, get_args, get_origin, get_type_hints

from cranfield.plumbing.errors import InputError

ENOUGH: Final = 10**9
"""Nobody wants more ranks, repetitions or resamples than these."""
LONGEST_LIST: Final = 10**7
"""No list is longer. Measures may go through all ranks down to their cutoff, in arrays of that length."""
SEED: Final = 7
"""Default seed of random choices."""
SELF: Final = "self"
"""Excludes the document that has the topic's id."""
COMMON: Final = "common"
"""Keeps the topics that all runs have."""


@dataclass(frozen=True)
class Range:
    """The numbers that an option takes; infinity and NaN are never among them.

    >>> Range(above=0, at_most=1).words
    'above 0 and at most 1'
    """

    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    below: float | None = None

    @property
    def words(self) -> str:
        """The limits in words, without a last one that is only there for the machine's sake."""
        at_most = None if self.at_most is not None and self.at_most >= LONGEST_LIST else self.at_most
        limits = (("above", self.above), ("at least", self.at_least), ("below", self.below), ("at most", at_most))
        return " and ".join(f"{words} {limit:g}" for words, limit in limits if limit is not None)

    def broken_by(self, value: Any) -> str | None:  # of any kind of number
        """Say what a number should have been, unless it keeps to the limits.

        >>> Range(at_least=1, at_most=9).broken_by(0)
        'at least 1 and at most 9'
        """
        if not _finite(value):
            return self.words or "a finite number"
        if self.at_most is not None and value > self.at_most:
            return f"at most {self.at_most:,}" if self.at_most >= LONGEST_LIST else self.words
        below = (self.above is not None and value <= self.above) or (
            self.at_least is not None and value < self.at_least
        )
        return self.words if below or (self.below is not None and value >= self.below) else None


@dataclass(frozen=True)
class Columns:
    """The columns that a table has, whatever else it has.

    >>> Columns("query_id", "doc_id").words
    'with the columns query_id, doc_id'
    """

    names: tuple[str, ...]

    def __init__(self, *names: str) -> None:
        object.__setattr__(self, "names", names)

    @property
    def words(self) -> str:
        """What is asked for, in words."""
        return f"with the columns {', '.join(self.names)}"

    def broken_by(self, table: Any) -> str | None:  # a DataFrame
        """Say what there should have been, unless all columns are there."""
        return None if set(self.names) <= set(table.columns) else self.words


class Taken(ABC):
    """A kind of value that says itself what may be given for it: a file, say, which is read."""

    @classmethod
    @abstractmethod
    def taken(cls, value: object) -> Self:
        """Return the value that is meant, or raise an error that says what would be right."""


@dataclass(frozen=True)
class OrInMemory(Range):
    """A path, or what the file would hold, which whoever reads it looks at.

    >>> OrInMemory().takes({"bm25": {"401": 1}}), OrInMemory().takes(7)
    (True, False)
    """

    @property
    def words(self) -> str:
        """What may be given in place of a path."""
        return "or a table in memory"

    def takes(self, value: object) -> bool:
        """Say whether something is no path, but may hold a table."""
        return isinstance(value, Mapping) or hasattr(type(value), "columns")


def _finite(value: Any) -> bool:
    """Tell whether floating point has the number."""
    try:
        return math.isfinite(value)
    except OverflowError:  # of a whole number of hundreds of digits
        return False


LeaderboardFormat: TypeAlias = Literal["tot", "ir_measures", "trec_eval", "ranking", "jsonl"]
"""A format in which TREC's AutoJudge tools keep scores of runs."""
Tolerance: TypeAlias = Literal["pass", "warn", "fail"]
"""What becomes of a run of which it cannot be said whether it is worse."""
Count: TypeAlias = Annotated[int, Range(at_least=1, at_most=ENOUGH)]
"""How many: of ranks, of repetitions, of resamples."""
Whole: TypeAlias = Annotated[int, Range(at_least=0, at_most=ENOUGH)]
"""How many, none among them."""
Seed: TypeAlias = Annotated[int, Range(at_least=0, at_most=2**63 - 1)]
"""Where random choices start."""
Share: TypeAlias = Annotated[float, Range(above=0, at_most=1)]
"""A part of a whole that is not nothing."""
Level: TypeAlias = Annotated[float, Range(above=0, below=1)]
"""A probability that is neither impossible nor certain."""
Number: TypeAlias = Annotated[float, Range()]
"""Any finite number."""
Positive: TypeAlias = Annotated[float, Range(above=0)]
"""Any finite number above 0."""
NotNegative: TypeAlias = Annotated[float, Range(at_least=0)]
"""Any finite number from 0 on."""
Folds: TypeAlias = Annotated[int, Range(at_least=2, at_most=ENOUGH)]
"""Into how many parts topics are dealt, to learn on all but one of them."""
Depth: TypeAlias = Annotated[int, Range(at_least=1, at_most=100_000)]
"""Down to which rank a curve is shown, or a list is made: nobody reads further down."""

# Words with one meaning in all of the package. They stand here, and not where they are heeded, so
# that the command line can show them without loading what computes.
Order: TypeAlias = Literal["score", "trec9", "stable", "rank", "file"]
"""What ranks the documents of a topic."""
Topics: TypeAlias = Literal["all", "shared"]
"""What averages are over."""
Missing: TypeAlias = Literal["zero", "empty"]
Lacked: TypeAlias = Literal["zero", "empty", "left out"]
"""How a missing topic counts."""
RelevanceLevel: TypeAlias = Annotated[float, Range(above=0)]
"""The lowest relevant grade."""
Average: TypeAlias = Literal["ratios", "vectors"]
"""How a normalised measure is averaged: the mean of the topics' ratios, or the ratio of the mean vectors."""
TopicAverage: TypeAlias = Literal["mean", "median", "geometric", "harmonic"]
"""How the values of the topics become one."""
Beside: TypeAlias = Literal["full-scale", "worst", "reranked"]
"""Reference lists next to the ideal one: its reverse, no judged document, each run's own in the best order."""
ReferenceKind: TypeAlias = Literal["ideal", "full-scale", "worst", "reranked"]
"""The lists that a run can be compared with; the last is made of the run's own documents."""
Interleaved: TypeAlias = Literal["team-draft", "balanced"]
"""How two rankings were made one list that users saw."""
Layout: TypeAlias = Literal["systems", "pairs"]
"""What a row of a comparison's table is: a run, or a measure and a pair of runs."""
RuleName: TypeAlias = Literal["best", "depth", "score", "share", "top", "drop", "budget"]
"""The rules that end a list, and the one of them that does best."""
CorrelationKind: TypeAlias = Literal["tau_b", "tau_a", "tau_ap", "tau_ap_symmetric", "spearman", "pearson"]
"""Coefficients of how similar two orders of runs are: the names of `VECTORS`."""
OrderKind: TypeAlias = Literal[CorrelationKind, "rbo"]
"""The same, and rank-biased overlap."""
Ties: TypeAlias = Literal["w", "a", "b"]
"""What a tie means to RBO: the items share a rank (w), or their order is not known (a), which is corrected for (b)."""
Design: TypeAlias = Literal["uniform", "stratified", "proportional", "prior", "weighted"]
"""How a sample of documents to judge is drawn."""
Weights: TypeAlias = Literal["linear", "quadratic"]
"""How the disagreement of two assessors grows with the distance of their grades."""
Combining: TypeAlias = Literal["errors", "mean"]
"""How the labels of several judges become one: by what each judge's errors seem to be, or by their mean place."""
Classes: TypeAlias = Annotated[int, Range(at_least=2, at_most=10)]
"""Into how many classes documents may be sorted."""
Scope: TypeAlias = Literal["topic", "system"]
"""Where it is looked how the runs stand: on the topic of a document, or on all."""

NOUNS: Final = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    Path: "a path",
    os.PathLike: "a path",
    bool: "True or False",
}
"""What the kinds of values are called."""

_SHORT: Final = Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 100
_WRITTEN: Final = (NoneType, bool, int, float, str, bytes, list, tuple, dict, set, frozenset, type)


def shown(value: object) -> str:
    """Return a value as a message shows it: what has many lines or letters by its kind, or cut.

    >>> shown("x"), shown([1, 2]), shown(object()), len(shown("x" * 10_000))
    ("'x'", '[1, 2]', 'an object', 100)
    """
    kind = type(value).__name__
    if not isinstance(value, (*_WRITTEN, numbers.Number)):
        return f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"
    try:
        return _SHORT.repr(value)
    except ValueError:  # a whole number of thousands of digits
        return f"so long a number ({kind})"


def checked(name: str, value: object, annotation: object) -> Any:  # of the annotation's type
    """Return a value as the annotation of its option says, or raise an error that says what would be right.

    >>> checked("depth", 10, Count | None), checked("order", "Rank", Literal["score", "rank"])
    (10, 'rank')
    >>> checked("depth", 0, Count | None)
    Traceback (most recent call last):
    ...
    cranfield.InputError: depth must be at least 1, not 0
    """
    if value is None and NoneType in get_args(annotation):
        return None
    one, several = one_of(annotation)
    if several:
        values = (value,) if isinstance(value, str) or not isinstance(value, Iterable) else value
        return tuple(checked(f"each of the {name}", each, one) for each in values)
    kind, limits = kind_of(one)
    if isinstance(kind, type) and issubclass(kind, Taken):
        return kind.taken(value)
    if get_origin(kind) is Literal:
        words = get_args(kind)
        if isinstance(value, str) and value not in words:  # its letters may be of any case
            value = next((each for each in words if each.casefold() == value.strip().casefold()), value)
        if not isinstance(value, str) or value not in words:
            raise InputError(f"{name} must be {' or '.join(map(repr, words))}, not {shown(value)}")
        return value
    return _plain(name, value, kind, limits)


def _plain(name: str, value: object, kind: type, limits: Range) -> object:
    refused = f"{name} must be {f'{NOUNS[kind]} {limits.words}'.strip()}, not {shown(value)}"
    if kind is Path:
        if isinstance(limits, OrInMemory) and limits.takes(value):
            return value
        if not isinstance(value, str | os.PathLike):
            raise InputError(refused)
        return Path(value)
    if kind in {str, bool}:
        if not isinstance(value, kind):
            raise InputError(refused)
        return value
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InputError(refused)
    if kind is int and value % 1 != 0 and _finite(value):
        raise InputError(refused)
    if broken := limits.broken_by(value):
        raise InputError(f"{name} must be {broken}, not {shown(value)}")
    return kind(value)


def one_of(annotation: object) -> tuple[object, bool]:
    """Return the annotation of one value, without ``None``, and whether there may be several.

    >>> one_of(tuple[int, ...] | None)
    (<class 'int'>, True)
    """
    if get_origin(annotation) in {Union, UnionType}:
        annotation = next(kind for kind in get_args(annotation) if kind is not NoneType)
    return (get_args(annotation)[0], True) if get_origin(annotation) is tuple else (annotation, False)


def is_plain(one: object) -> bool:
    """Tell whether `checked` knows a kind of one value."""
    kind, _ = kind_of(one)
    return kind in NOUNS or get_origin(kind) is Literal


def kind_of(one: object) -> tuple[Any, Range]:
    """Return the kind of one value, and its range.

    >>> kind_of(Share)
    (<class 'float'>, Range(at_least=None, above=0, at_most=1, below=None))
    """
    kind, limits = get_args(one) if get_origin(one) is Annotated else (one, Range())
    return (Path if isinstance(limits, OrInMemory) else kind), limits


def annotations_of(declared: Any) -> dict[str, object]:
    """Return the annotations of a function's parameters or a class's fields, ranges included."""
    return _annotations(declared)


@cache
def _annotations(declared: Any) -> dict[str, object]:
    return get_type_hints(declared, include_extras=True)


def check_fields(settings: object) -> None:
    """Check every field of a dataclass of settings against its annotation; for its ``__post_init__``."""
    for name, annotation in annotations_of(type(settings)).items():
        object.__setattr__(settings, name, checked(name, getattr(settings, name), annotation))
