"""What is asked of lines across several measures: which of them pass between two values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Final

from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.remembering import remembered
from cranfield.plots import plot_named
from cranfield.plumbing.lazy import pl
from cranfield.scoring.scores import Scores

FIGURE: Final = "parallel"


@dataclass(frozen=True)
class Axis:
    """A measure across which lines run, and between which of its values they are kept, both included.

    >>> Axis("AP", low=0.5).free
    False
    """

    measure: str
    low: float = -inf
    high: float = inf

    @property
    def free(self) -> bool:
        """Whether it keeps all lines."""
        return (self.low, self.high) == (-inf, inf)


@remembered(1)
def _scores(explored: Explored) -> Scores:
    return explored.runs.scores(plot_named(FIGURE).measures)


def axes(explored: Explored) -> tuple[str, ...]:
    """Return the measures across which lines run, from left to right: those of the figure in its paper."""
    return tuple(map(str, _scores(explored).measures))


def lines(explored: Explored, run: str | None = None, within: Sequence[Axis] = ()) -> pl.DataFrame:
    """Which lines are kept?

    A row for each line that passes every axis between its two values: columns topic (of one run) or
    run (of several, with its means), and one for each of the `axes`.
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
