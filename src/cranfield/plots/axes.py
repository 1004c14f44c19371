"""What figures share: where axes end, a colour and a dash for each name, grey for those that have none."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from cranfield.plots.grammar import Spec, chart, field, mark
from cranfield.plots.theme import FAINT, INK, STROKES, colours, dashes
from cranfield.plumbing.lazy import pl

ALONE: Final = {"width": 520, "height": 320}
BESIDE: Final = {"width": 340, "height": 240}
"""The size of a panel that is alone, and of one of several."""

DASHED: Final = mark("rule", color=INK, strokeDash=[4, 3], strokeWidth=1)
"""A line at a value to compare others with."""


def strokes(of: str, names: Sequence[str], legend: Mapping[str, Any] | None = STROKES, **how: Any) -> dict[str, Any]:
    """Return the channels that give the line of each name its colour and dash."""
    return {
        channel: field(of, **how, scale=scale(names), legend=legend)
        for channel, scale in (("color", colours), ("strokeDash", dashes))
    }


def in_grey(rows: pl.DataFrame, named: Sequence[str], x: Spec, y: Spec, by: str = "run", **looks: Any) -> list[Spec]:
    """Draw the lines of those that are not named, if there are any."""
    others = rows.filter(~pl.col(by).is_in(named))
    line = mark("line", color=FAINT, strokeWidth=1, **looks)
    return [chart(line, data=others, x=x, y=y, detail=f"{by}:N")] if others.height else []


def amounts(column: str, title: str, rows: pl.DataFrame) -> Spec:
    """Return an axis of so much that is read or judged: each amount has a tick, and several are set by their ratio."""
    several = rows[column].n_unique() > 1
    return field(
        f"{column}:Q",
        title=title + (", on a logarithmic scale" if several else ""),
        scale={"type": "log", "nice": False, "padding": 8} if several else {"zero": False},
        axis={"values": sorted(set(rows[column])), "format": ",", "grid": False, "labelOverlap": True},
    )


def ends_of(values: pl.Series) -> tuple[float, float]:
    """Return the ends of an axis: 0 and 1, or the extreme values if they lie beyond."""
    low, high = least_and_most(values)
    return min(0.0, low), max(1.0, high)


def least_and_most(values: pl.Series) -> tuple[float, float]:
    """Return the least and the largest value."""
    return float(values.min() or 0.0), float(values.max() or 0.0)  # type: ignore[arg-type]


def ticks_of(low: float, high: float, about: int = 5) -> list[float]:
    """Return round numbers on an axis, in steps of 1, 2 or 5 times a power of ten."""
    least = (high - low) / about
    power = 10.0 ** math.floor(math.log10(least))
    step = next(times * power for times in (1, 2, 5, 10) if times * power >= least * 0.75)
    first = math.ceil(low / step - 1e-9)  # an end that is a tick is one whatever rounding makes of it
    return [round(step * each, 12) for each in range(first, math.floor(high / step + 1e-9) + 1)]
