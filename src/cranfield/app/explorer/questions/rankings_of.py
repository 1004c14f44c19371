"""What is asked of all rankings, every run on every topic, by two measures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from cranfield.app.explorer.questions.explored import Explored, remembered
from cranfield.app.explorer.questions.lists import ListsAsked, RankedList, lists
from cranfield.app.explorer.questions.runs import archetypes
from cranfield.lists.archetypes import Archetype, share_of_archetypes
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

MOST_PICKED: Final = 2
SHOWN_OF_EACH: Final = 10
ANSWERS_REMEMBERED: Final = 32
NO_LIST: Final = "no archetype"  # What a run is like on a topic that it lacks, or for which nothing is relevant
RANKING_KINDS: Final = (*map(str, Archetype), NO_LIST)


@dataclass(frozen=True)
class Choice:
    """Which rankings are chosen; what is None leaves all of them, and is no end of the values by the two measures."""

    run: str | None = None
    topic: str | None = None
    archetype: str | None = None  # what its curve of cumulated relative position is like
    x: tuple[float | None, float | None] = (None, None)
    y: tuple[float | None, float | None] = (None, None)

    def __post_init__(self) -> None:
        if self.archetype not in (None, *RANKING_KINDS):
            raise InputError(f"no archetype is called {self.archetype!r}; choose from {', '.join(RANKING_KINDS)}")

    def filters(self) -> pl.Expr:
        """Say of each row whether it is of the run, the topic and the archetype."""
        asked = {"run": self.run, "topic": self.topic, "archetype": self.archetype}
        chosen = (pl.col(name) == value for name, value in asked.items() if value is not None)
        return pl.all_horizontal(pl.lit(True), *chosen)

    def brush(self) -> pl.Expr:
        """Say of each row whether its values lie between the ends."""
        inside = (
            pl.col(name).is_between(-math.inf if low is None else low, math.inf if high is None else high)
            for name, (low, high) in (("x", self.x), ("y", self.y))
            if (low, high) != (None, None)
        )
        return pl.all_horizontal(pl.lit(True), *inside)


def usual_axes(explored: Explored, y: str | None = None) -> tuple[str, str]:
    """Return by what rankings are looked at where nobody says it: effort across, if it is known, and a gain up."""
    scores = zip(explored.measures, explored.scores.measures, strict=True)
    effort = [name for name, measure in scores if measure.of_misplacement]
    y = y or next((name for name in explored.measures if name not in effort), explored.measures[0])
    return next((name for name in (*effort, *explored.measures) if name != y), y), y


@remembered(ANSWERS_REMEMBERED)
def rankings_of(explored: Explored, x: str, y: str) -> pl.DataFrame:
    """Return run, topic, archetype, x and y: the values by two measures, in the order of the figure `scatter`."""
    across, up = explored.place(x), explored.place(y)
    scores = explored.scores
    run, topic = np.nonzero(scores.counted)
    found = pl.DataFrame(
        {
            "run": pl.Series(scores.runs, dtype=pl.String).gather(run),
            "topic": pl.Series(scores.topics, dtype=pl.String).gather(topic),
            "x": scores.values[across, run, topic],
            "y": scores.values[up, run, topic],
        }
    )
    of = found.join(archetypes(explored), on=["run", "topic"], how="left", maintain_order="left")
    return of.select("run", "topic", pl.col("archetype").fill_null(NO_LIST), "x", "y")


def chosen(rankings: pl.DataFrame, choice: Choice) -> pl.DataFrame:
    """Which rankings are chosen? The highest by the second measure stand first."""
    found = rankings.filter(choice.filters() & choice.brush())
    return found.sort("y", "x", descending=True, nulls_last=True, maintain_order=True)


def tallied(few: pl.DataFrame, every: pl.DataFrame, by: str) -> pl.DataFrame:
    """Count the chosen rankings by run or topic: columns run or topic, rankings, of (all of its rankings)."""
    here = few.group_by(by, maintain_order=True).agg(pl.len().alias("rankings"))
    there = every.group_by(by, maintain_order=True).agg(pl.len().alias("of"))
    both = here.join(there, on=by, maintain_order="left").select(by, "rankings", "of")
    return both.sort("rankings", descending=True, maintain_order=True)


def archetypes_of(few: pl.DataFrame, every: pl.DataFrame) -> pl.DataFrame:
    """What are the chosen rankings like, among all of them? Columns archetype, rankings, share, share_of_all."""
    here, there = (share_of_archetypes(table.filter(pl.col("archetype") != NO_LIST)) for table in (few, every))
    return here.with_columns(there["share"].alias("share_of_all")).filter(there["rankings"] > 0)


def picked(explored: Explored, runs: Sequence[str], topics: Sequence[str], n: int) -> list[tuple[str, RankedList]]:
    """Return the topics and the lists of rankings that are compared side by side."""
    if len(runs) != len(topics) or len(runs) > MOST_PICKED:
        asked = f"{counted(len(runs), 'run')} and {counted(len(topics), 'topic')}"
        raise InputError(f"at most {MOST_PICKED} rankings are picked, a run and a topic each, not {asked}")
    return [(topic, _list(explored, topic, run, n)) for run, topic in zip(runs, topics, strict=True)]


@remembered(ANSWERS_REMEMBERED)
def _list(explored: Explored, topic: str, run: str, n: int) -> RankedList:
    """Return a list, which is asked for again whenever another one is picked, or anything is chosen."""
    return lists(explored, ListsAsked(topic, (run,), n=n), SHOWN_OF_EACH)[0]
