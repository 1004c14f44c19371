"""Judgments by subtopic: the grades that documents have for the parts of a topic, its nuggets, its aspects."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Booleans, Floats, Integers, members, starts
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, QUERY, RELEVANCE, SUBTOPIC, VITAL, WEIGHT

Names = npt.NDArray[np.object_]


@dataclass(frozen=True, eq=False)
class SubtopicGrades:
    """The subtopics of some topics, and the grades of documents by subtopic: a judgment holds one for each."""

    topic: Integers
    name: Names  # Of each subtopic, its topic (rising) and what it is called
    judgment: Integers
    subtopic: Integers
    grade: Floats  # Of each grade its judgment (rising: the place in `Judgments.grade`), its subtopic, and the grade
    vital: Booleans | None = None
    weight: Floats | None = None
    """Of each subtopic, whether an answer must have it, and how much it counts; None where nobody said."""

    def __len__(self) -> int:
        return len(self.topic)

    @classmethod
    def one_a_topic(cls, topics: int, topic: Integers, grade: Floats) -> SubtopicGrades:
        """Take each topic for its only subtopic."""
        return cls(np.arange(topics), np.full(topics, "", object), np.arange(len(grade)), topic, grade)

    @classmethod
    def of_table(cls, table: pl.DataFrame, judged: pl.DataFrame, topics: tuple[str, ...]) -> SubtopicGrades:
        """Take them from a table."""
        said = [name for name in (VITAL, WEIGHT) if name in table.columns]
        for name in said:
            _refuse_two(table, name)
        there = table.group_by(QUERY, SUBTOPIC, maintain_order=True).agg(pl.col(said).first())
        codes = {topic: code for code, topic in enumerate(topics)}
        there = there.with_columns(pl.col(QUERY).replace_strict(codes, return_dtype=pl.Int64).alias("topic"))
        there = there.sort("topic", maintain_order=True).with_row_index("place")
        cells = table.filter(pl.col(DOCUMENT).is_not_null())
        cells = cells.join(judged.with_row_index("judgment"), on=[QUERY, DOCUMENT], how="left")
        cells = cells.join(there.select(QUERY, SUBTOPIC, "place"), on=[QUERY, SUBTOPIC], how="left")
        cells = cells.sort("judgment", "place")
        return cls(
            there["topic"].to_numpy(),
            there[SUBTOPIC].to_numpy().astype(object),
            cells["judgment"].to_numpy().astype(np.int64),
            cells["place"].to_numpy().astype(np.int64),
            cells[RELEVANCE].cast(pl.Float64).to_numpy(),
            there[VITAL].to_numpy() if VITAL in said else None,
            there[WEIGHT].to_numpy() if WEIGHT in said else None,
        )

    @property
    def several(self) -> bool:
        """Whether any document is judged under several subtopics, so that it has not one grade alone."""
        return bool((self.judgment[1:] == self.judgment[:-1]).any())

    def kind(self, judgments: int) -> Integers:
        """Number what each judgment says of the subtopics: equal where it is the same; 0 where nothing."""
        ends = np.searchsorted(self.judgment, np.arange(judgments + 1)).tolist()
        known: dict[tuple[bytes, bytes], int] = {(b"", b""): 0}
        said = ((self.subtopic[first:end].tobytes(), self.grade[first:end].tobytes()) for first, end in pairwise(ends))
        return np.array([known.setdefault(each, len(known)) for each in said], np.int64)

    def of_topics(self, code: Integers, place: Integers, topics: int, judgments: int) -> SubtopicGrades:
        """Keep those of some topics, in this order."""
        topic = _renumbered(code, topics).take(self.topic)
        kept = np.flatnonzero(topic >= 0)
        kept = kept[np.argsort(topic[kept], kind="stable")]
        judgment = _renumbered(place, judgments).take(self.judgment)
        cell = np.flatnonzero(judgment >= 0)
        cell = cell[np.argsort(judgment[cell], kind="stable")]
        return SubtopicGrades(
            topic[kept],
            self.name[kept],
            judgment[cell],
            _renumbered(kept, len(self)).take(self.subtopic[cell]),
            self.grade[cell],
            None if self.vital is None else self.vital[kept],
            None if self.weight is None else self.weight[kept],
        )

    def moved(self, now: Integers) -> SubtopicGrades:
        """Give each judgment the place that it has now; their order stays."""
        return replace(self, judgment=now.take(self.judgment))

    def under(self, grade: Floats) -> SubtopicGrades:
        """Leave out what is not judged any more."""
        largest = np.full(len(grade), np.nan)
        first = np.flatnonzero(np.append(True, self.judgment[1:] != self.judgment[:-1])[: len(self.judgment)])
        if len(first):
            largest[self.judgment[first]] = np.maximum.reduceat(self.grade, first)
        if not ((grade == largest) | np.isnan(grade)).all():
            raise InputError(
                "this tries other grades, which judgments by subtopic do not define; choose measures without subtopics"
            )
        kept = ~np.isnan(grade.take(self.judgment))
        if kept.all():
            return self
        return replace(self, judgment=self.judgment[kept], subtopic=self.subtopic[kept], grade=self.grade[kept])

    def with_all(self, judgment: Integers, topic: Integers, grade: float) -> SubtopicGrades:
        """Judge some more documents relevant to every subtopic of their topics: the most that they could be."""
        count = np.bincount(self.topic, minlength=int(topic.max(initial=-1)) + 1)
        which, nth = members(count.take(topic))
        judged = np.append(self.judgment, judgment.take(which))
        order = np.argsort(judged, kind="stable")
        return replace(
            self,
            judgment=judged[order],
            subtopic=np.append(self.subtopic, starts(count).take(topic).take(which) + nth)[order],
            grade=np.append(self.grade, np.full(len(which), grade))[order],
        )


def _renumbered(kept: Integers, of: int) -> Integers:
    """Say which of those that are kept each one is, from 0; -1 where it is not kept."""
    new = np.full(of, -1, np.int64)
    new[kept] = np.arange(len(kept))
    return new


def _refuse_two(table: pl.DataFrame, name: str) -> None:
    """Refuse a subtopic with two different values."""
    values = table.group_by(QUERY, SUBTOPIC, maintain_order=True).agg(pl.col(name).unique())
    several = values.filter(pl.col(name).list.len() > 1)
    if several.height:
        topic, subtopic, found = several.row(0)
        shown = " and ".join(map(str, sorted(found)))
        raise InputError(f"subtopic {subtopic} of topic {topic} has two values of {name}: {shown}")
