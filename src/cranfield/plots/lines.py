"""What figures of lines share: a colour and a dash for each name, and grey for those that have none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from cranfield.plots.grammar import Spec, chart, field, mark
from cranfield.plots.theme import INK, QUIET, STROKES, colours, dashes
from cranfield.plumbing.lazy import pl

ALONE: Final = {"width": 520, "height": 320}
BESIDE: Final = {"width": 340, "height": 240}
"""The size of a panel that is alone, and of one of several."""

DASHED: Final = mark("rule", color=INK, strokeDash=[4, 3], strokeWidth=1)
"""A line at a value to hold others against."""


def strokes(of: str, names: Sequence[str], legend: Mapping[str, Any] | None = STROKES, **how: Any) -> dict[str, Any]:
    """Return the channels that give the line of each name its colour and its dash.

    >>> strokes("run:N", ["bm25"], None, title=None)["strokeDash"]["scale"]
    {'domain': ['bm25'], 'range': [[1, 0]]}
    """
    return {
        channel: field(of, **how, scale=scale(names), legend=legend)
        for channel, scale in (("color", colours), ("strokeDash", dashes))
    }


def in_grey(rows: pl.DataFrame, named: Sequence[str], x: Spec, y: Spec, by: str = "run", **looks: Any) -> list[Spec]:
    """Draw the lines of those that are not named, if there are any."""
    others = rows.filter(~pl.col(by).is_in(named))
    line = mark("line", color=QUIET, strokeWidth=1, **looks)
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
