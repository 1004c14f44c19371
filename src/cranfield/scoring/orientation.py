"""Which way is better: the one place that looks whether a measure is better the higher or the lower."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np

from cranfield.measures.framework.measure import Measure
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import CranfieldError
from cranfield.plumbing.wording import named
from cranfield.statistics.on_paper import leaders, levelled


def direction(measure: Measure) -> float:
    """Return 1 where the higher value is the better one, -1 where the lower is."""
    return 1.0 if measure.higher_is_better else -1.0


def directions(measures: Sequence[Measure]) -> Floats:
    """Return the direction of each measure, as an array to multiply values with."""
    return np.array([direction(measure) for measure in measures])


def best_first(values: Floats) -> list[int]:
    """Return the order of values, of which more is better: the best first, those equal on paper as they stand.

    >>> best_first(np.array([0.3, 0.5, 0.1 + 0.2]))
    [1, 0, 2]
    """
    order: list[int] = np.argsort(-levelled(values), kind="stable").tolist()
    return order


def best_named(names: Sequence[str], values: Floats) -> list[str | None]:
    """Name the best on each topic, of values (runs, topics): a few that share the lead; None where all do."""
    return [
        None
        if first.all() and len(names) > 1
        else named([names[run] for run in np.flatnonzero(first).tolist()], most=3)
        for first in leaders(values.T)
    ]


def oriented(measure: Measure, values: Floats) -> Floats:
    """Turn values round where less is better, so that more always is; done again, it gives the values back."""
    return values if direction(measure) > 0 else -values


def flattering(measures: Iterable[Measure]) -> tuple[str, ...]:
    """Name the measures by which 0 is the best value, so that a topic that a run lacks speaks for it; counts are none.

    >>> from cranfield.measures import AP, ESL, NumRet
    >>> flattering([AP(), ESL(), NumRet()])
    ('ESL',)
    """
    lower = (each for each in measures if not (each.text or each.higher_is_better or each.summary == "sum"))
    return tuple(str(each) for each in lower if each.limits[0] == 0)


def punishing(measures: Sequence[Measure], grades: Floats, rel: float | None) -> tuple[str, ...]:
    """Name the measures by which a list has 0, and that is bad, where nothing is relevant: whatever it retrieves.

    Relevant is what has the grade ``rel``; a measure that heeds no level may count a grade below it.
    """
    below = max((float(grade) for grade in grades if 0 < grade < (rel or 0)), default=0.0)
    return tuple(str(measure) for measure in measures if _punishes(measure, below))


@cache
def _punishes(measure: Measure, below: float) -> bool:
    if measure.text or measure.summary == "sum" or not measure.of_quality or not measure.higher_is_better:
        return False
    try:
        return all(measure.of(grades) == 0 for grades in ([0.0], [below], []))
    except CranfieldError:  # it needs more than a list: costs, strata, subtopics with weights
        return False
