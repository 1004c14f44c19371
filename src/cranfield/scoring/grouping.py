"""Groups of topics: by language, by kind of question, by customer; several columns are several groupings."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Self, TypeAlias

from cranfield.formats.files import called
from cranfield.formats.topic_tables import TOPIC_NAMES, TopicTable, an_id, read_topic_table
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Taken, shown
from cranfield.plumbing.tables import Frame, match_columns
from cranfield.plumbing.wording import counted, named
from cranfield.scoring.weighting import TopicWeights

GroupsLike: TypeAlias = str | os.PathLike[str] | Frame | Mapping[Any, Any]
"""What groups are read from: a file, a DataFrame, ``{topic: group}``, or ``{grouping: {topic: group}}``."""

FEWEST: Final = 4
"""A group of fewer topics is too small: its mean is shown, and nothing is tested or said of how sure it is."""
GROUP: Final = "group"
"""What the only grouping is called where it has no name."""


class Group(NamedTuple):
    """Some topics."""

    # grouping, name: of which grouping it is, and what it is called there
    grouping: str
    name: str
    topics: tuple[str, ...]  # its topics, in the order in which they were asked about


@dataclass(frozen=True)
class TopicGroups(Taken):
    """To which groups each topic belongs.

    Examples
    --------
    >>> groups = TopicGroups.taken({"1": "de", "2": "fr", "3": "de"})
    >>> groups.of(["3", "2", "1"])
    (Group(grouping='group', name='de', topics=('3', '1')), Group(grouping='group', name='fr', topics=('2',)))
    """

    given: str  # how it was asked for: the path of a file, or what was given in words
    groupings: Mapping[str, Mapping[str, str]]  # for each grouping, the group of each topic that has one

    @classmethod
    def taken(cls, value: object) -> Self:
        """Read what was given: see `GroupsLike`.

        Of a file without names of columns each line is a topic and a group; in a table every column but the topic's
        is a grouping. An empty cell is no group.
        """
        if isinstance(value, cls):
            return value
        if isinstance(value, Mapping):
            nested = bool(value) and all(isinstance(each, Mapping) for each in value.values())
            found = {str(name): cls._grouping(each.items(), str(name)) for name, each in value.items()} if nested else {
                GROUP: cls._grouping(value.items(), GROUP)
            }  # fmt: skip
            return cls._of(counted(sum(map(len, found.values())), "assignment"), found)
        if value is None or (isinstance(value, bool | int | float | Sequence) and not isinstance(value, str)):
            raise InputError(f"groups must be a file, a DataFrame or a dict, not {shown(value)}")
        given: Any = value
        table = _named(read_topic_table(given, "groups"))
        topic = match_columns(table.columns, {"topic": TOPIC_NAMES}, source=table.source)["topic"]
        at = table.columns.index(topic)
        found = {}
        for place, name in enumerate(table.columns):
            if place != at:
                found[name] = cls._read(table, at, place)
        name = called(given) if isinstance(given, str | os.PathLike) else "a DataFrame"
        return cls._of(name, found)

    @classmethod
    def _of(cls, given: str, found: Mapping[str, Mapping[str, str]]) -> Self:
        if not any(found.values()):
            raise InputError(
                "no topic has a group; a column beside the topic's says of which group it is", source=given
            )
        return cls(given, found)

    @classmethod
    def _read(cls, table: TopicTable, at: int, place: int) -> dict[str, str]:
        found: dict[str, str] = {}
        for line, row in table.rows:
            try:
                _put(found, row[at], row[place], table.columns[place])
            except InputError as error:
                raise table.wrong(line, error.problem) from None
        return found

    @classmethod
    def _grouping(cls, pairs: Iterable[tuple[object, object]], grouping: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for topic, group in pairs:
            _put(found, topic, group, grouping)
        return found

    def __str__(self) -> str:
        return self.given

    def of(self, topics: Sequence[str]) -> tuple[Group, ...]:
        """Pick the groups of these topics: grouping by grouping, in the order in which groups are first named."""
        found = tuple(self._picked(topics))
        if not found:
            raise InputError(f"no topic of the qrels has a group; they have {named(list(topics))}", source=self.given)
        return found

    def _picked(self, topics: Sequence[str]) -> Iterator[Group]:
        for grouping, group_of in self.groupings.items():
            for name in dict.fromkeys(group_of.values()):
                some = tuple(topic for topic in topics if group_of.get(topic) == name)
                if some:
                    yield Group(grouping, name, some)

    def notes(self, topics: Sequence[str]) -> Iterator[str]:
        """Say which topics have no group, and which groups are too small."""
        for grouping, group_of in self.groupings.items():
            without = [topic for topic in topics if topic not in group_of]
            if without and len(without) < len(topics):
                verb = "has" if len(without) == 1 else "have"
                yield f"{counted(len(without), 'topic')} {verb} no {grouping}: {named(without)}"
        few = [f"{group.grouping} {group.name} ({len(group.topics)})" for group in self.of(topics) if is_small(group)]
        if few:
            yield f"too small to be tested, fewer than {FEWEST} topics: {named(few)}"


def counting(topics: Sequence[str], weights: TopicWeights | None) -> list[str]:
    """Leave out topics of weight 0, which count nowhere.

    >>> counting(["1", "2"], TopicWeights.taken({"1": 0, "2": 1}))
    ['2']
    """
    if weights is None:
        return list(topics)
    return [topic for topic, weight in zip(topics, weights.over(topics), strict=True) if weight > 0]


def is_small(group: Group) -> bool:
    """Whether a group has too few topics for anything but its mean."""
    return len(group.topics) < FEWEST


def _named(table: TopicTable) -> TopicTable:
    """Give the columns of lines of words their names: those of a first line that has them."""
    if table.columns:
        return table
    first = [str(cell) for cell in table.rows[0][1]]
    headed = first[0].casefold() in TOPIC_NAMES and len(table.rows) > 1
    if headed and len(set(first)) == len(first) > 1:
        for line, row in table.rows[1:]:
            if len(row) != len(first):
                raise table.wrong(line, f"{counted(len(row), 'word')}, where the first line has {len(first)}")
        return TopicTable(tuple(first), table.rows[1:], table.source)
    return table.picked({"topic": (), GROUP: ()}, {2: (0, 1)})


def _put(found: dict[str, str], topic: object, group: object, grouping: str) -> None:
    name = an_id(topic, "topic")
    if group is None or (isinstance(group, str) and not group.strip()):
        return
    if not isinstance(group, str | int | bool):
        raise InputError(f"a group is a name, not {shown(group)}")
    if found.setdefault(name, str(group)) != str(group):
        raise InputError(f"topic {name!r} has a second {grouping}: {found[name]} and {group}")
