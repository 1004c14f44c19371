"""What is asked of an evaluation: how runs are read and ranked, and how judgments are taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Any, Final, Literal, Self, TypeAlias, TypedDict, Unpack

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Count, Range, annotations_of, check_fields, checked
from cranfield.plumbing.tables import Repeated

Order: TypeAlias = Literal["score", "trec9", "stable", "rank", "file"]
Topics: TypeAlias = Literal["all", "shared"]
Missing: TypeAlias = Literal["zero", "empty"]
RelevanceLevel: TypeAlias = Annotated[float, Range(above=0)]
"""The lowest relevant grade."""


class AskedReading(TypedDict, total=False):
    """What may be asked of a reading; None is not asked."""

    order: Order | None
    depth: Count | None
    topics: Topics | None
    missing: Missing | None
    comments: bool | None
    repeated: Repeated | None


class Asked(AskedReading, total=False):
    """What commands ask of both; None is not asked."""

    rel: RelevanceLevel | None
    judged_only: bool | None


class AskedGrading(TypedDict, total=False):
    """What may be asked of a grading; None is not asked."""

    rel: RelevanceLevel | None
    judged_only: bool | None
    bounds: bool | None


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How runs are read and ranked: fixed when they are joined with the judgments.

    Attributes
    ----------
    order
        What ranks the documents of a topic: ``"score"`` (the highest first, in 64 bits; ties by
        document id, the last in byte order first), ``"trec9"`` (the same in 32 bits, as trec_eval
        does up to 9), ``"stable"`` (by score in 64 bits; ties stay in the order of the lines),
        ``"rank"`` (the rank column) or ``"file"`` (the order of the lines, whatever the scores).
    depth
        How many documents of each list are looked at; without it, all.
    topics
        What averages are over: ``"all"`` topics of the qrels, or those ``"shared"`` by qrels and
        run.
    missing
        What a topic is that a run lacks: ``"zero"`` gives it the value 0, ``"empty"`` takes it for
        an empty list.
    comments
        Whether lines that begin with ``#`` are skipped in files (an id may begin so).
    repeated
        What becomes of a document that a topic of a run has several times, as where passages of it
        were ranked: ``"refuse"``, or its highest score counts (``"max"``), the one that comes first
        (``"first"``), or the ``"sum"`` of all.

    Examples
    --------
    >>> Reading(order="score", depth=10).depth
    10
    >>> Reading(topics="some")
    Traceback (most recent call last):
    ...
    cranfield.InputError: topics must be 'all' or 'shared', not 'some'
    """

    order: Order = "score"
    depth: Count | None = None
    topics: Topics = "all"
    missing: Missing = "zero"
    comments: bool = False
    repeated: Repeated = "refuse"

    def __post_init__(self) -> None:
        check_fields(self)

    @classmethod
    def asked(cls, **options: Unpack[AskedReading]) -> Self:
        """Return the reading that was asked for: what is None was not asked, and is as it usually is."""
        return cls(**_given(options))

    def refuse_another(self, options: AskedReading) -> None:
        """Raise an error if another reading is asked for than this one, in which the runs were joined.

        >>> Reading(order="rank").refuse_another({"order": "score", "depth": None})
        Traceback (most recent call last):
        ...
        cranfield.InputError: the runs were joined with order='rank', not 'score'; join them anew for that
        """
        for name, value in _given(options).items():
            mine = getattr(self, name)
            if checked(name, value, annotations_of(type(self))[name]) != mine:
                raise InputError(f"the runs were joined with {name}={mine!r}, not {value!r}; join them anew for that")


@dataclass(frozen=True, kw_only=True)
class Grading:
    """How the judgments are taken: free, as often as one likes, once runs are joined.

    Attributes
    ----------
    rel
        The lowest relevant grade, for measures that have none of their own; without it, every grade
        above 0.
    judged_only
        Whether unjudged documents are dropped from the rankings first (condensed lists).
    bounds
        Whether it is asked how low and how high each value could be, had all documents been judged
        that any of the runs retrieved; not of lists without them.
    """

    rel: RelevanceLevel | None = None
    judged_only: bool = False
    bounds: bool = False

    def __post_init__(self) -> None:
        check_fields(self)
        if self.bounds and self.judged_only:
            raise InputError(
                "bounds say what unjudged documents could change, and judged_only drops these; ask for one of the two"
            )

    @classmethod
    def asked(cls, **options: Unpack[AskedGrading]) -> Self:
        """Return the grading that was asked for: what is None was not asked, and is as it usually is."""
        return cls(**_given(options))

    def but(self, **options: Unpack[AskedGrading]) -> Self:
        """Return the same with what is asked for otherwise (None: not asked)."""
        return replace(self, **_given(options))


@dataclass(frozen=True)
class Conditions:
    """Both halves: the conditions that a score was measured under."""

    reading: Reading = field(default_factory=Reading)
    grading: Grading = field(default_factory=Grading)

    def unusual(self) -> dict[str, object]:
        """Return what differs from what is usual.

        >>> Conditions(Reading(order="rank"), Grading(rel=2)).unusual()
        {'order': 'rank', 'rel': 2.0}
        """
        return {
            field.name: getattr(half, field.name)
            for half in (self.reading, self.grading)
            for field in fields(half)
            if getattr(half, field.name) != field.default
        }

    def described(self, *but: str) -> list[str]:
        """Return the same in words, without those that are named.

        >>> Conditions(Reading(topics="shared"), Grading(rel=2)).described("topics")
        ['rel=2']
        """
        unusual = {name: value for name, value in self.unusual().items() if name not in but}
        return [
            f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}" for name, value in unusual.items()
        ]


USUAL_READING: Final = Reading()
USUAL_GRADING: Final = Grading()

READING: Final = tuple(field.name for field in fields(Reading))
GRADING: Final = tuple(field.name for field in fields(Grading))
"""Names of the conditions of either half."""


def _given(options: Mapping[str, object]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}
