"""Scores on several tasks, each with items of its own or with one value: laid out so that tasks are what compares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from cranfield.formats.score_tables import UNNAMED_MEASURE, ScoreTable
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import ATTEMPT, CLUSTER, RUN, TASK, VALUE
from cranfield.plumbing.wording import counted, named
from cranfield.scoring.panel import direction_of

TASKS_IN: Final = ("topic", "measure")
"""What may hold the tasks where no column is one of tasks."""
_MEASURE: Final = "measure"
_ITEM: Final = "topic"  # The column of items, where tasks have their own
_OF_TASK: Final = (_MEASURE, TASK)


@dataclass(frozen=True, eq=False)
class OnTasks:
    """Scores by run and task, and by item where tasks have items."""

    scores: ScoreTable  # A table whose topics are the tasks; their clusters are families of tasks
    items: pl.DataFrame | None = None
    """Columns run, measure, task, topic (the item) and value; None where a task is a single value."""

    @classmethod
    def of(cls, scores: ScoreTable, tasks: str) -> Self:
        """Let the topics of a table be tasks: those of its column of tasks, its measures, or its topics as they are.

        A task's value is the mean over its items, and an item's that of its attempts. Items count that all runs have
        that have the task, and a run that lacks half of a task's items does not have the task.
        """
        table = scores.table
        if tasks == _MEASURE:
            less = [name for name in table[_MEASURE].unique(maintain_order=True) if direction_of(name) < 0]
            if less:
                raise InputError(f"tasks are measures where higher is better; lower is better for {named(less)}")
            unnamed = pl.lit(UNNAMED_MEASURE).alias(_MEASURE)
            table = table.drop(TASK, strict=False).rename({_MEASURE: TASK}).with_columns(unnamed)
        if TASK not in table.columns:
            return cls(scores)
        keys = [RUN, *_OF_TASK, _ITEM]
        twice = table.filter(table.select(*keys, *({ATTEMPT} & {*table.columns})).is_duplicated())
        if twice.height:
            run, measure, task, item = twice.select(keys).row(0)
            raise InputError(f"{measure} of run {run} on {item} of task {task} is there more than once")
        family = [pl.col(CLUSTER).first()] if CLUSTER in table.columns else []
        several = table.group_by(TASK, maintain_order=True).agg(*(pl.col(CLUSTER).n_unique() for _ in family))
        if family and (torn := several.filter(pl.col(CLUSTER) > 1)[TASK].to_list()):
            raise InputError(f"in several clusters, which are families of tasks here: {named(torn)}")
        by_item = table.drop_nulls(VALUE).group_by(keys, maintain_order=True).agg(pl.col(VALUE).mean(), *family)
        had = by_item.filter(2 * pl.len().over(RUN, *_OF_TASK) > pl.col(_ITEM).n_unique().over(_OF_TASK))
        runs_with = pl.col(RUN).n_unique()
        shared = had.filter(runs_with.over(*_OF_TASK, _ITEM) == runs_with.over(_OF_TASK))
        by_task = shared.group_by(RUN, TASK, _MEASURE, maintain_order=True).agg(pl.col(VALUE).mean(), *family)
        notes = (*scores.notes, *_left_out(by_item, had, shared))
        return cls(ScoreTable(by_task.rename({TASK: "topic"}), notes), shared)

    def counting(self, table: pl.DataFrame, tasks: Sequence[str]) -> pl.DataFrame:
        """Return the rows of a table that count: of these tasks, and of items that all runs have."""
        if self.items is None:
            return table.filter(pl.col("topic").is_in(list(tasks)))
        if TASK not in table.columns:  # measures are the tasks
            return table.filter(pl.col(_MEASURE).is_in(list(tasks)))
        kept = self.items.filter(pl.col(TASK).is_in(list(tasks)))
        return table.join(kept, on=[RUN, *_OF_TASK, _ITEM], how="semi", maintain_order="left")

    def of_tasks(self, measure: str, runs: Sequence[str], tasks: Sequence[str]) -> list[Floats]:
        """Return what runs have on the items of each task, (runs, items); none where unknown, or a run lacks a task."""
        if self.items is None:
            return []
        rows = self.items.filter(pl.col(_MEASURE) == measure, pl.col(RUN).is_in(list(runs)))
        place = pl.Series(list(runs), dtype=pl.String)
        rows = rows.with_columns(
            pl.col(RUN).replace_strict(place, np.arange(len(runs)), return_dtype=pl.Int64).alias("place")
        ).sort("place", _ITEM)
        parts = rows.partition_by(TASK, as_dict=True)
        if any(parts[(task,)]["place"].n_unique() < len(runs) for task in tasks):
            return []
        return [parts[(task,)][VALUE].to_numpy().reshape(len(runs), -1) for task in tasks]


def _left_out(by_item: pl.DataFrame, had: pl.DataFrame, shared: pl.DataFrame) -> Iterator[str]:
    """Say which runs do not have a task of which they have some items, and which items do not count."""
    few = by_item.join(had, on=[RUN, *_OF_TASK], how="anti").unique([RUN, TASK], maintain_order=True)
    if few.height:
        each = named([f"{run} on {task}" for run, task in few.select(RUN, TASK).iter_rows()])
        yield f"left out of a task, with fewer than half of its items: {each}"
    lacked = had.join(shared, on=[*_OF_TASK, _ITEM], how="anti").unique([*_OF_TASK, _ITEM], maintain_order=True)
    if lacked.height:
        several = lacked[TASK].unique(maintain_order=True).to_list()
        yield f"{counted(lacked.height, 'item')} left out, since some run lacks them, of {named(several)}"
    if gone := had.join(shared, on=_OF_TASK, how="anti")[TASK].unique(maintain_order=True).to_list():
        yield f"left out, since runs share none of their items: {named(gone)}"
