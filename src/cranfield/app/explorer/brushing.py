"""Lines that are kept, as an address says it: what the pages with parallel coordinates share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isnan
from typing import Any

from cranfield.app.explorer.page import Query
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.parallel import Axis, axes, lines
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl

LOW, HIGH = "low.", "high."
"""``low.AP=0.2`` in an address keeps the lines that pass the axis AP at 0.2 or above."""


def axes_asked(explored: Explored, query: Query) -> list[Axis]:
    """Return all axes, and between which values lines are kept on each, whichever of the two is given first."""
    ends = ((_end(query, LOW + name, -inf), _end(query, HIGH + name, inf)) for name in axes(explored))
    return [Axis(name, *sorted(both)) for name, both in zip(axes(explored), ends, strict=True)]


def _end(query: Query, name: str, usual: float) -> float:
    text = query.text(name)
    try:
        found = usual if text is None else float(text)
    except ValueError:
        found = float("nan")
    if isnan(found):
        raise InputError(f"{name} is a number, not {text!r}")
    return found


@dataclass(frozen=True)
class Keeping:
    """What the template of kept lines is filled with.

    Attributes
    ----------
    line
        What a line is: a run, or a topic.
    axes
        The measures, each with the ends that are asked for, as the address says them.
    kept, lines
        The lines that are kept, a row each, and how many there are.
    titles
        What topics are about.
    brushed
        Whether any axis keeps less than all.
    others, ends
        What else the address says, and what the ends are called there.
    """

    line: str
    axes: list[tuple[str, str, str]]
    kept: list[tuple[Any, ...]]
    lines: int
    titles: Mapping[str, str]
    brushed: bool
    others: list[tuple[str, str]]
    ends: list[str]


def kept_lines(explored: Explored, query: Query, run: str | None = None) -> tuple[Keeping, pl.DataFrame]:
    """Return what the template of kept lines is filled with, and their table."""
    asked = axes_asked(explored, query)
    kept = lines(explored, run, asked)
    said = [(axis.measure, *(query.text(end + axis.measure) or "" for end in (LOW, HIGH))) for axis in asked]
    keeping = Keeping(
        line=kept.columns[0],
        axes=[(name, low, high) for name, low, high in said],
        kept=kept.rows(),
        lines=lines(explored, run).height,
        titles={name: explored.title_of(name) for name in kept["topic"]} if "topic" in kept.columns else {},
        brushed=any(not axis.free for axis in asked),
        others=[(name, value) for name, value in query.given.multi_items() if not name.startswith((LOW, HIGH))],
        ends=[end + axis.measure for axis in asked for end in (LOW, HIGH)],
    )
    return keeping, kept
