"""Groups of topics: by language, by kind of question, by customer; several columns are several groupings.

Scores, comparisons and gates pick their groups by `TopicGroups.of`, and say by `of_groups` of which each row is.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Self, TypeAlias

from cranfield.formats import frames
from cranfield.formats.files import called
from cranfield.formats.records import placed
from cranfield.formats.topic_tables import TOPIC_NAMES, TopicTable, an_id, read_topic_table
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import NO_NAMES, Naming
from cranfield.plumbing.options import Taken, shown
from cranfield.plumbing.tables import Frame, match_columns
from cranfield.plumbing.wording import counted, named
from cranfield.scoring.weighting import TopicWeights

GroupsLike: TypeAlias = str | os.PathLike[str] | Frame | Mapping[Any, Any]
"""What groups are read from: a file, a DataFrame, ``{topic: group}``, or ``{grouping: {topic: group}}``."""

FEWEST_IN_GROUP: Final = 4
"""A group of fewer topics is too small: its mean is shown, and nothing is tested or said of how sure it is."""
GROUP: Final = "group"
"""What the only grouping is called where it has no name."""


class Group(NamedTuple):
    """Some topics, in the order in which they were asked about: a group of some grouping."""

    grouping: str
    name: str
    topics: tuple[str, ...]

    @property
    def small(self) -> bool:
        """Whether it has too few topics for anything but its mean."""
        return len(self.topics) < FEWEST_IN_GROUP


@dataclass(frozen=True)
class TopicGroups(Taken):
    """To which groups each topic belongs."""

    given: str  # How it was asked for: the path of a file, or what was given in words
    groupings: Mapping[str, Mapping[str, str]]  # For each grouping, the group of each topic that has one

    @classmethod
    def taken(cls, value: object, naming: Naming = NO_NAMES) -> Self:
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
        if frames.is_series(value):
            found = {GROUP: cls._grouping(frames.by_index(value), GROUP)}
            return cls._of(counted(len(found[GROUP]), "assignment"), found)
        if value is None or (isinstance(value, bool | int | float | Sequence) and not isinstance(value, str)):
            raise InputError(f"groups must be a file, a DataFrame or a dict, not {shown(value)}")
        given: Any = value
        table = _named(read_topic_table(given, "groups", naming))
        parts = {"topic": TOPIC_NAMES}, {GROUP: ()}
        columns = match_columns(
            table.columns, parts[0], optional=parts[1], source=table.source, columns=naming.names, first=table.first
        )
        at = table.columns.index(columns["topic"])
        found = {}
        for place, name in enumerate(table.columns):
            if place != at and name == columns.get(GROUP, name):
                found[name] = cls._read(table, at, place)
        name = called(given) if isinstance(given, str | os.PathLike) else "a DataFrame"
        return cls._of(name, found)

    @classmethod
    def _of(cls, given: str, found: Mapping[str, Mapping[str, str]]) -> Self:
        if not any(found.values()):
            raise InputError("no topic has a group; add a column of groups next to the topics", source=given)
        return cls(given, found)

    @classmethod
    def _read(cls, table: TopicTable, at: int, place: int) -> dict[str, str]:
        found: dict[str, str] = {}
        for line, row in table.rows:
            with placed(table.source, line):
                _put(found, row[at], row[place], table.columns[place])
        return found

    @classmethod
    def _grouping(cls, pairs: Iterable[tuple[object, object]], grouping: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for topic, group in pairs:
            _put(found, topic, group, grouping)
        return found

    def __str__(self) -> str:
        return self.given

    def of(self, topics: Sequence[str], weights: TopicWeights | None = None) -> tuple[Group, ...]:
        """Pick the groups of these topics, in the order they are first named; topics of weight 0 are in none."""
        if weights is not None:
            topics = [topic for topic, weight in zip(topics, weights.over(topics), strict=True) if weight > 0]
        found = tuple(self._picked(topics))
        if not found:
            raise InputError(f"no topic of the qrels has a group; they have {named(list(topics))}", source=self.given)
        return found

    def _picked(self, topics: Sequence[str]) -> Iterator[Group]:
        for grouping, group_of in self.groupings.items():
            for name in dict.fromkeys(group_of.values()):
                if some := tuple(topic for topic in topics if group_of.get(topic) == name):
                    yield Group(grouping, name, some)

    def notes(self, topics: Sequence[str], weights: TopicWeights | None = None) -> Iterator[str]:
        """Say which topics have no group, and which groups are too small, or left out since no topic counts."""
        for grouping, group_of in self.groupings.items():
            without = [topic for topic in topics if topic not in group_of]
            if without and len(without) < len(topics):
                verb = "has" if len(without) == 1 else "have"
                yield f"{counted(len(without), 'topic')} {verb} no {grouping}: {named(without)}"
        counting = {(group.grouping, group.name): group for group in self.of(topics, weights)}
        if gone := [" ".join(group[:2]) for group in self.of(topics) if group[:2] not in counting]:
            yield f"left out, as all topics have weight 0: {named(gone)}"
        few = [f"{' '.join(name)} ({len(group.topics)})" for name, group in counting.items() if group.small]
        if few:
            yield f"too small to be tested, fewer than {FEWEST_IN_GROUP} topics: {named(few)}"


def of_groups(rows: pl.DataFrame, groups: Sequence[Group]) -> pl.DataFrame:
    """Put in front of rows, equally many of each group, what the group is, how large, and whether it is too small."""
    told = [(each.grouping, each.name, len(each.topics), each.small) for each in groups]
    labels = pl.DataFrame(told, schema=["grouping", "group", "of_topics", "too_small"], orient="row")
    return pl.concat([labels.select(pl.all().repeat_by(rows.height // len(groups)).explode()), rows], how="horizontal")


def means_by_group(found: Mapping[Group, pl.DataFrame], directions: Mapping[str, float]) -> pl.DataFrame:
    """Put the means of groups together, and mark the worst of each grouping; small groups have no intervals."""
    rows = of_groups(pl.concat(found.values()), tuple(found))
    rows = rows.with_columns(pl.when(~pl.col("too_small")).then(end).alias(end) for end in ("low", "high"))
    worth = pl.col("mean") * pl.col("measure").replace_strict(directions, return_dtype=pl.Float64)
    of, large = ["grouping", "measure", "run"], ~pl.col("too_small")
    least, most = (end.over(of) for end in (worth.filter(large).min(), worth.filter(large).max()))
    worst = (large & (most > least) & (worth == least)).fill_null(value=False)
    columns = ("grouping", "group", "measure", "run", "topics", "mean", "low", "high", "worst", "too_small")
    return rows.with_columns(worst=worst).select(columns)


def groupings_of(groups: Sequence[Group]) -> str:
    """Name the groupings, and how many groups each has."""
    names = [group.grouping for group in groups]
    return named([f"{name} ({counted(names.count(name), 'group')})" for name in dict.fromkeys(names)])


def worst_groups(rows: pl.DataFrame) -> Iterator[str]:
    """Name the worst group of each grouping, by measure and run."""
    for (grouping, measure), some in rows.filter("worst").group_by("grouping", "measure", maintain_order=True):
        cells = some.select("run", "group", "mean").iter_rows()
        where = [f"{run} in {group} ({mean:.4f})" for run, group, mean in cells]
        yield f"worst mean {measure} by {grouping}: {named(where)}"


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
