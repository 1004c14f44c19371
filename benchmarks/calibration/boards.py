"""Made leaderboards: systems on tasks, on the items of tasks, and with several attempts on each item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from benchmarks.calibration.cell import Cell
from benchmarks.truth import ranks_of
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.statistics.conclusions import Paired
from cranfield.statistics.intervals import t_interval
from cranfield.statistics.rank_intervals import RankIntervals, rank_intervals
from cranfield.statistics.task_orders import task_orders

SHARED: Final = 0.64
"""How much of the variance of a system's luck the tasks of a family share."""


class MadeBoard(NamedTuple):
    """Systems on tasks whose scales differ; the best is ahead of the last by so many standard deviations of luck."""

    systems: int
    tasks: int
    spread: float = 0.0
    families: int = 0

    def __str__(self) -> str:
        means = f"evenly apart, {self.spread:g} in all" if self.spread else "all equal"
        families = f", in {self.families} families" if self.families else ""
        return f"{self.systems} systems {means}, {self.tasks} tasks{families}"

    @property
    def true(self) -> Floats:
        """The true level of each system, in standard deviations of luck."""
        return np.linspace(0, self.spread, self.systems)

    def drawn(self, random: np.random.Generator) -> tuple[Floats, Integers | None]:
        """Draw tasks: levels of shape (systems, tasks), and their families."""
        luck, families = random.normal(size=(self.systems, self.tasks)), None
        if self.families:
            families = np.arange(self.tasks) % self.families
            shared = random.normal(size=(self.systems, self.families))[:, families]
            luck = SHARED**0.5 * shared + (1 - SHARED) ** 0.5 * luck
        scale = random.lognormal(0, 0.7, self.tasks)
        return (self.true[:, np.newaxis] + luck) * scale + random.normal(0, 2, self.tasks), families


MADE: Final = (
    MadeBoard(8, 10), MadeBoard(8, 41), MadeBoard(8, 41, spread=2), MadeBoard(8, 41, families=15),
    MadeBoard(20, 41, spread=3), MadeBoard(181, 41), MadeBoard(181, 41, spread=6),
)  # fmt: skip


def within(found: RankIntervals | None, true: Floats) -> bool:
    """Whether all systems lie between their ranks."""
    rank = ranks_of(true)
    return found is not None and bool(((found.best <= rank) & (rank <= found.worst)).all())


def boards(times: int, made: Sequence[MadeBoard] = MADE) -> Iterator[Cell]:
    """All true ranks within the likely ones, by each of three orders; a quarter as many draws of large boards."""
    for board in made:
        random, held = np.random.default_rng(11), []
        for seed in range(times if board.systems < 100 else max(times // 4, 4)):
            levels, families = board.drawn(random)
            orders = task_orders(levels, families=families, resamples=400, seed=seed)
            held.append([within(order.other_tasks, board.true) for order in orders])
        for order, each in zip(orders, np.array(held).T, strict=True):
            yield Cell.of("Boards of tasks: ranks, had other tasks been chosen", order.way, str(board), each)


def items_of_tasks(times: int) -> Iterator[Cell]:
    """All true ranks within the likely ones on six tasks that stay, of items that are solved or not."""
    for systems, items, spread in ((6, 25, 0.0), (6, 100, 0.0), (6, 100, 0.2), (20, 100, 0.0)):
        random, held = np.random.default_rng(12), []
        true = np.linspace(-spread / 2, spread / 2, systems)
        chance = np.linspace(0.3, 0.7, 6) + true[:, np.newaxis]
        for seed in range(times):
            drawn = [(random.random((systems, items)) < p[:, np.newaxis]).astype(np.float64) for p in chance.T]
            levels = np.stack([each.mean(axis=1) for each in drawn], axis=1)
            orders = task_orders(levels, items=drawn, resamples=400, seed=seed)[:2]
            held.append([within(order.other_items, true) for order in orders])
        means = f"evenly apart, {spread:g} in all" if spread else "all equal"
        for order, each in zip(orders, np.array(held).T, strict=True):
            where = f"{systems} systems {means}, 6 tasks of {items} items"
            yield Cell.of("Boards of tasks: ranks, had these tasks other items", order.way, where, each)


def repeated(times: int) -> Iterator[Cell]:
    """Eight equal systems, several attempts on each item, solved or not; items differ much in how often they are."""
    section = "Several attempts on an item, solved or not"
    for items in (25, 100):
        for attempts in (1, 3, 8):
            random = np.random.default_rng(13)
            mean, pair, board = list[bool](), list[bool](), list[bool]()
            for seed in range(4 * times):
                chance = random.beta(0.6, 0.6, (items, 1)).repeat(8, axis=1).T
                solved = random.binomial(attempts, chance) / attempts
                low, high = t_interval(solved[:1])
                mean.append(bool(low[0] <= 0.5 <= high[0]))
                pair.append(bool(Paired(solved[:1] - solved[1:2]).p()[0] > 0.05))
                if seed < times:
                    board.append(not rank_intervals(solved, resamples=400, seed=seed).above.any())
            where = f"{items} items, {attempts} attempt{'s' * (attempts > 1)}"
            yield Cell.of(section, "interval of a mean over items of means over attempts", where, mean)
            yield Cell.of(section, "two equal systems are not told apart", where, pair)
            yield Cell.of(section, "no two of eight equal systems are told apart", where, board)
