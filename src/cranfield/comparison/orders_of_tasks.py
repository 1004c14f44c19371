"""Several tasks: whom the standardised mean and Borda's count put first, with the mean, and how sure each order is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, named, percent
from cranfield.statistics.task_orders import TaskOrder, shares_of_the_spread, task_orders

_MUCH: Final = 3  # A task that makes up this many times its share of the differences is named


@dataclass(frozen=True, eq=False)
class OrdersOfTasks:
    """Runs on several tasks by one measure, in three orders: by the mean, by the standardised mean and by Borda."""

    measure: str
    runs: tuple[str, ...]
    tasks: tuple[str, ...]
    found: tuple[TaskOrder, ...]
    shares: Floats  # by task, of the differences between means

    @classmethod
    def of(
        cls,
        measure: str,
        runs: Sequence[str],
        tasks: Sequence[str],
        levels: Floats,
        *,
        families: Integers | None,
        items: Sequence[Floats],
        alpha: float,
        resamples: int,
        seed: int,
    ) -> Self:
        """Find the orders. Shapes: levels (runs, tasks), more being better; families and items as `task_orders`."""
        found = task_orders(levels, families=families, items=items, alpha=alpha, resamples=resamples, seed=seed)
        return cls(measure, tuple(runs), tuple(tasks), found, shares_of_the_spread(levels))

    def orders(self) -> pl.DataFrame:
        """Give a row for each way and run, the best first, as `Leaderboard.to_polars` describes them."""
        return pl.concat([self._rows(order) for order in self.found])

    def _rows(self, order: TaskOrder) -> pl.DataFrame:
        by = np.lexsort((np.arange(len(self.runs)), order.place))
        many = len(self.runs)
        low, high = (
            (1, many) if order.other_tasks is None else (order.other_tasks.best[by], order.other_tasks.worst[by])
        )
        items = order.other_items
        item_low, item_high = (None, None) if items is None else (items.best[by], items.worst[by])
        return pl.DataFrame(
            {
                "measure": [self.measure] * many, "by": [order.way] * many, "run": [self.runs[run] for run in by],
                "tasks": [len(self.tasks)] * many, "value": order.value[by], "rank": order.place[by],
                "rank_from": low, "rank_to": high, "item_rank_from": item_low, "item_rank_to": item_high,
            },
            schema_overrides=dict.fromkeys(("rank_from", "rank_to", "item_rank_from", "item_rank_to"), pl.Int64),
        )  # fmt: skip

    def sentences(self) -> Iterator[str]:
        """Say whom the other two put first, how much of the order depends on that, and what the mean follows."""
        if len(self.runs) < 2:
            return
        mean, *others = self.found
        firsts = ((order.way, np.flatnonzero(order.place == 1)) for order in self.found)
        first = {way: named([self.runs[run] for run in leading], most=3) for way, leading in firsts}
        same = {order.way: first[order.way] == first["mean"] for order in others}
        if len({first[order.way] for order in others}) == 1:
            how = ("put", " first, too") if all(same.values()) else ("would put", " first")
            yield f"The standardised mean and Borda {how[0]} {first['Borda']}{how[1]}."
        else:
            each = (
                f"{way} {'puts' if alike else 'would put'} {first[way]} first{', too' * alike}"
                for way, alike in same.items()
            )
            yield f"The {'; '.join(each)}."
        turned = np.logical_or.reduce([a.turned(b) for a in self.found for b in self.found if a is not b])
        pairs, many = len(self.runs) * (len(self.runs) - 1) // 2, int(np.triu(turned, 1).sum())
        sure = np.logical_or.reduce(
            [order.other_tasks.above & other.turned(order).T for order in self.found for other in self.found
             if order.other_tasks is not None] or [np.zeros_like(turned)]
        )  # fmt: skip
        if many:
            apart = int((sure | sure.T)[np.triu_indices(len(self.runs), 1)].sum())
            yield f"The order of {many:,} of {counted(pairs, 'pair')} of runs depends on this choice."
            if apart:
                yield f"{apart:,} of these {'differs' if apart == 1 else 'differ'} significantly by at least one order."
            else:
                yield "None of these pairs differs significantly by any of the three."
        else:
            yield "The order of all runs is the same by all three."
        yield from self._by_items(mean)
        top = int(np.nanargmax(self.shares)) if not np.isnan(self.shares).any() else 0
        if self.shares[top] * len(self.tasks) >= _MUCH:
            yield (
                f"One of {counted(len(self.tasks), 'task')}, {self.tasks[top]}, accounts for "
                f"{percent(min(1.0, self.shares[top].item()))} of the differences between means."
            )

    def _by_items(self, mean: TaskOrder) -> Iterator[str]:
        if mean.other_items is None or mean.other_tasks is None:
            return
        tasks, items = (int((each.best == 1).sum()) for each in (mean.other_tasks, mean.other_items))
        yield f"With other tasks, {counted(tasks, 'run')} may lead; with other items of these tasks, {items:,}."
