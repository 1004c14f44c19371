"""Lines across several measures, a run or a topic each, and which are kept, as an address says it."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final, NamedTuple

from cranfield.app.explorer.page import Query
from cranfield.app.explorer.questions.explored import Explored, remembered
from cranfield.plots import plot_named
from cranfield.plumbing.lazy import pl
from cranfield.scoring.scores import Scores

BRUSHED_FIGURE: Final = "parallel"
_LOW, HIGH = "low.", "high."  # ``low.AP=0.2`` in an address keeps the lines that pass the axis AP at 0.2 or above


class Axis(NamedTuple):
    """A measure on a parallel axis, and the values (both included) between which its lines are kept."""

    measure: str
    low: float = -inf
    high: float = inf

    @property
    def free(self) -> bool:
        """Whether it keeps all lines."""
        return (self.low, self.high) == (-inf, inf)


@remembered(1)
def _scores(explored: Explored) -> Scores:
    return explored.runs.scores(plot_named(BRUSHED_FIGURE).measures)


def axes(explored: Explored) -> tuple[str, ...]:
    """Return the measures across which lines run, from left to right: those of the figure in its paper."""
    return tuple(map(str, _scores(explored).measures))


def lines(explored: Explored, run: str | None = None, within: Sequence[Axis] = ()) -> pl.DataFrame:
    """Which lines are kept?

    A row for each line that passes every axis between its two values: columns topic (of one run) or run (of several,
    with its means), and one for each of the `axes`.
    """
    scores = _scores(explored)
    number = 0 if len(scores.runs) == 1 else None if run is None else scores.runs.index(explored.run(run))
    if number is None:
        line, names, values = "run", list(scores.runs), scores.averages
    else:
        there = scores.counted[number]
        line, names = "topic", [topic for topic, counts in zip(scores.topics, there, strict=True) if counts]
        values = scores.values[:, number, there]
    table = pl.DataFrame({line: names, **dict(zip(axes(explored), values, strict=True))})
    return table.filter(*(pl.col(axis.measure).is_between(axis.low, axis.high) for axis in within))


def kept_lines(explored: Explored, query: Query, run: str | None = None) -> tuple[dict[str, object], pl.DataFrame]:
    """Return what the template of kept lines is filled with, and their table; either end of an axis may come first."""
    ends = {name: (query.value(_LOW + name, -inf), query.value(HIGH + name, inf)) for name in axes(explored)}
    asked = [Axis(name, *sorted(both)) for name, both in ends.items()]
    kept = lines(explored, run, asked)
    keeping = {
        "line": kept.columns[0],  # what a line is: a run, or a topic
        "axes": [(axis.measure, *(query.text(end + axis.measure) or "" for end in (_LOW, HIGH))) for axis in asked],
        "kept": kept.rows(),
        "lines": lines(explored, run).height,
        "titles": {name: explored.title_of(name) for name in kept["topic"]} if "topic" in kept.columns else {},
        "brushed": any(not axis.free for axis in asked),
        "others": [each for each in query.given.multi_items() if not each[0].startswith((_LOW, HIGH))],
        "ends": [end + axis.measure for axis in asked for end in (_LOW, HIGH)],
    }
    return keeping, kept
