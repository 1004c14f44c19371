"""Where axes end."""

from __future__ import annotations

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
