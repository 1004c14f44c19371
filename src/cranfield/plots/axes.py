"""Where axes end."""

from __future__ import annotations

import math

from cranfield.plumbing.lazy import pl


def ends_of(values: pl.Series) -> tuple[float, float]:
    """Return where an axis ends: at 0 and 1, unless values lie beyond.

    >>> ends_of(pl.Series([0.2, 0.7])), ends_of(pl.Series([-1.0, 3.0]))
    ((0.0, 1.0), (-1.0, 3.0))
    """
    low, high = least_and_most(values)
    return min(0.0, low), max(1.0, high)


def least_and_most(values: pl.Series) -> tuple[float, float]:
    """Return the ends of the values themselves.

    >>> least_and_most(pl.Series([0.2, 0.7]))
    (0.2, 0.7)
    """
    return float(values.min() or 0.0), float(values.max() or 0.0)  # type: ignore[arg-type]


def ticks_of(low: float, high: float, about: int = 5) -> list[float]:
    """Return some round numbers on an axis: steps of 1, 2 or 5 times a power of ten.

    >>> ticks_of(0, 1), ticks_of(0.29, 0.51), ticks_of(0, 2352)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.3, 0.35, 0.4, 0.45, 0.5], [0.0, 500.0, 1000.0, 1500.0, 2000.0])
    """
    least = (high - low) / about
    power = 10.0 ** math.floor(math.log10(least))
    step = next(times * power for times in (1, 2, 5, 10) if times * power >= least * 0.75)
    first = math.ceil(low / step - 1e-9)
    return [round(step * each, 12) for each in range(first, math.floor(high / step + 1e-9) + 1)]
