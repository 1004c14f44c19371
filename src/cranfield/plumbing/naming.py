"""What is what: columns of tables and parts of records that users call by names of their own, always ours=theirs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final, NamedTuple, Self, TypeAlias

from cranfield.plumbing.deprecations import FORMER_ORDER, warn_of
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Taken, shown
from cranfield.plumbing.surface import pairs_spelled
from cranfield.plumbing.tables import (
    ATTEMPT,
    CLUSTER,
    DOCUMENT,
    ITERATION,
    QUERY,
    RANK,
    RELEVANCE,
    RUN,
    SCORE,
    STRATUM,
    SUBTOPIC,
    TASK,
    VALUE,
    VITAL,
    WEIGHT,
)
from cranfield.plumbing.wording import did_you_mean

NamesLike: TypeAlias = Mapping[str, str | Sequence[str]] | str | Sequence[str]
"""``{ours: theirs}``, with several of theirs where files differ; or as in a shell, ``"ours=theirs"`` or a list."""

_SAME: Final[Mapping[str, str]] = {"topic": QUERY, "document": DOCUMENT, "grade": RELEVANCE}
"""Our other names for a part."""
PARTS: Final[Mapping[str, str]] = {
    **_SAME,
    **{
        part: part
        for part in (
            QUERY, DOCUMENT, SCORE, RANK, RUN, RELEVANCE, STRATUM, SUBTOPIC, ITERATION, VITAL, WEIGHT,
            "cost", "group", "start", "end", "text", "call", "tokens", "call_tokens",
            "clicks", "impressions", "impression", "propensity", "measure", VALUE, ATTEMPT, CLUSTER, TASK,
        )
    },
}  # fmt: skip
"""What a column may be, by each of our names: for everything that is read in tables, from runs and qrels to clicks."""
OF_RECORDS: Final = (
    "question", "topic", "relevant", "relevant_texts", "retrieved", "retrieved_texts", "scores", "grades", "system",
)  # fmt: skip
"""What a part of a record may be, where a record has all of a question: golden sets and answers."""
_FORMER: Final = frozenset({QUERY, DOCUMENT, SCORE, RANK, RUN, RELEVANCE, "clicks", "impressions"})
"""Parts that could be named in the former order, theirs=ours."""
_COMMA: Final = re.compile(r",(?=[^,=]+=)")  # A comma between two pairs; others are part of a name


@dataclass(frozen=True)
class OwnNames(Taken):
    """Names of a user's own, by ours: ``names["query_id"]`` is ``("search_term",)``."""

    names: Mapping[str, tuple[str, ...]]
    settled: bool = field(default=False, compare=False)
    """Whether it was seen that some input has each of them."""

    option: ClassVar[str]
    parameter: ClassVar[str]
    pair: ClassVar[str]
    example: ClassVar[str]
    parts: ClassVar[Mapping[str, str]]

    @classmethod
    def taken(cls, value: object) -> Self:
        """Read a `NamesLike`."""
        if isinstance(value, cls):
            return value
        found: dict[str, list[str]] = {}
        for left, right in cls._pairs(value):
            ours, theirs = cls._pair(left, right)
            of = found.setdefault(ours, [])
            of += [theirs] * (theirs not in of)
        return cls({ours: tuple(several) for ours, several in found.items()})

    def as_settled(self) -> Self:
        """Return the same as one that was looked for among the inputs."""
        return self if self.settled else replace(self, settled=True)

    @classmethod
    def _pairs(cls, value: object) -> Iterator[tuple[str, str]]:
        """Give the pairs as they are written."""
        if isinstance(value, str):
            value = [value]
        if isinstance(value, Mapping):
            for left, right in value.items():
                for each in [right] if isinstance(right, str) else right if isinstance(right, list | tuple) else [None]:
                    if not isinstance(left, str) or not isinstance(each, str) or not left.strip() or not each:
                        raise InputError(f"{cls.parameter} is {{ours: theirs}}, two names, not {shown(value)}")
                    yield left.strip(), each
            return
        if not isinstance(value, Iterable) or not all(isinstance(each, str) for each in value):
            raise InputError(f"{cls.parameter} is {{ours: theirs}}, not {shown(value)}")
        for text in value:
            for pair in _COMMA.split(text):
                left, _, right = pair.partition("=")
                if not left.strip() or not right.strip():
                    raise InputError(f"{cls.option} is {cls.pair}, such as {cls.example}, not {pair!r}")
                yield left.strip(), right.strip()

    @classmethod
    def _pair(cls, left: str, right: str) -> tuple[str, str]:
        """Say which of two names is ours, and what it is called first."""
        if left not in cls.parts:
            meant, known = did_you_mean(left, cls.parts), ", ".join(dict.fromkeys(cls.parts.values()))
            raise InputError(f"{cls.parameter}: {left!r} is not a known name{meant}: known are {known}")
        return cls.parts[left], right

    @classmethod
    def spelled(cls, *pairs: tuple[str, str]) -> str:
        """Spell what says that, where messages are read."""
        return pairs_spelled(cls.option, cls.parameter, pairs)

    def __str__(self) -> str:
        return ", ".join(f"{ours}={theirs}" for ours, several in self.names.items() for theirs in several)

    def __bool__(self) -> bool:
        return bool(self.names)

    def __hash__(self) -> int:
        return hash(str(self))


class ColumnNames(OwnNames):
    """What columns of tables are called."""

    option = "--columns"
    parameter = "columns"
    pair = "OURS=THEIRS"
    example = "query_id=search_term"
    parts = PARTS

    @classmethod
    def _pair(cls, left: str, right: str) -> tuple[str, str]:
        """Take the former order, theirs=ours, for a version more; a pair that may be either is refused."""
        former = right in _FORMER
        if former and left in _FORMER and left != right:
            raise InputError(
                f"columns {left}={right} may mean that {left} is in the column {right}, or, in the order of "
                f"former versions, the reverse; rename the column"
            )
        if not former or left in cls.parts:
            return super()._pair(left, right)
        warn_of(FORMER_ORDER, cls.spelled((right, left)))
        return right, left


class FieldPaths(OwnNames):
    """Where records have their parts: paths through objects by dots, and through each element of a list."""

    option = "--field"
    parameter = "fields"
    pair = "PART=PATH"
    example = "question=inputs.question"
    parts = {**PARTS, **{part: part for part in OF_RECORDS}}  # noqa: RUF012 - declared by the base


NO_COLUMNS: Final = ColumnNames({}, settled=True)
NO_FIELDS: Final = FieldPaths({}, settled=True)


class Naming(NamedTuple):
    """All names that a user gives; nothing said is false.

    >>> naming = Naming.of({"query_id": "search_term"}, {"relevant": "gold.ids"})
    >>> naming.names["topic"], naming.paths, bool(Naming())
    (('search_term',), {'relevant': ('gold.ids',)}, False)
    """

    columns: ColumnNames = NO_COLUMNS
    fields: FieldPaths = NO_FIELDS

    @classmethod
    def of(cls, columns: object = None, fields: object = None) -> Self:
        """Read both; None is nothing said."""
        return cls(
            NO_COLUMNS if columns is None else ColumnNames.taken(columns),
            NO_FIELDS if fields is None else FieldPaths.taken(fields),
        )

    @classmethod
    def asked(cls, options: Mapping[str, object]) -> Self:
        """Read both where they are among other options."""
        return cls.of(options.get("columns"), options.get("fields"))

    def __bool__(self) -> bool:
        return bool(self.columns) or bool(self.fields)

    @property
    def names(self) -> Mapping[str, tuple[str, ...]]:
        """What columns are called, by each of our names; a field of a record without objects in it is a column."""
        if not self:
            return NOTHING_NAMED
        found: dict[str, tuple[str, ...]] = {}
        for ours, theirs in (*self.fields.names.items(), *self.columns.names.items()):
            part = PARTS.get(ours)
            if part is not None:
                found[part] = tuple(dict.fromkeys((*theirs, *found.get(part, ()))))
        return found | {same: found[part] for same, part in _SAME.items() if part in found}

    @property
    def paths(self) -> Mapping[str, tuple[str, ...]]:
        """Where the parts of golden sets and answers are (`OF_RECORDS`)."""
        return {ours: theirs for ours, theirs in self.fields.names.items() if ours in OF_RECORDS}


NOTHING_NAMED: Final[Mapping[str, tuple[str, ...]]] = {}
NO_NAMES: Final = Naming()
