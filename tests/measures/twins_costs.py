"""Slow twins of measures of cost and of distraction, from their definitions; here each document costs 1."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

Grades = Sequence[float | None]
TWINS: dict[str, Callable[..., float]] = {}


def twin_of(name: str) -> Callable[[Callable[..., float]], Callable[..., float]]:
    def note(twin: Callable[..., float]) -> Callable[..., float]:
        TWINS[name] = twin
        return twin

    return note


@twin_of("Cost")
def cost(ranking: Grades, unretrieved: Sequence[float], *, cutoff: int | None) -> float:
    return float(len(ranking[:cutoff]))


@twin_of("GainPerCost")
def gain_per_cost(ranking: Grades, unretrieved: Sequence[float], *, units: float, cutoff: int | None) -> float:
    top = max([g for g in [*ranking, *unretrieved] if g is not None and g > 0], default=1)
    read = ranking[:cutoff]
    return units * sum(max(g or 0, 0) / top for g in read) / len(read) if read else 0.0


@twin_of("MeanUtility")
def mean_utility(ranking: Grades, unretrieved: Sequence[float], *, harm: float, cutoff: int | None) -> float:
    scale = max([1, *(g for g in [*ranking, *unretrieved] if g is not None)])
    utilities = [0 if g is None else g / scale if g > 0 else harm * max(g / scale, -1) for g in ranking[:cutoff]]
    return sum(utilities) / len(utilities) if utilities else 0.0


@twin_of("UDCG")
def udcg(ranking: Grades, unretrieved: Sequence[float], *, harm: float, cutoff: int | None) -> float:
    if not ranking:
        return 0.0
    return 1 / (1 + math.exp(-mean_utility(ranking, unretrieved, harm=harm, cutoff=cutoff)))
