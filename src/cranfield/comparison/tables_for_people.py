"""The tables of a comparison that people read: runs with the marks of those they beat, or pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from cranfield.comparison.marks import BETTER, EQUIVALENT, NOT_WORSE, WORSE, Marking, daggers, marking, ragged
from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.plumbing.lazy import pl
from cranfield.results.people import PLAIN, written
from cranfield.results.sheet import Marked, Ranged, Sheet, SheetColumn, best_rows

_ANSWERS: Final = ("significant", "not_worse", "equivalent", "certain")


@dataclass(frozen=True, eq=False)
class Systems:
    """What the table of systems shows: a row for each run, a column for each measure.

    Attributes
    ----------
    runs, measures
        Names.
    means
        Array of shape (measures, runs).
    direction
        For each measure 1, or -1 where less is better.
    beaten
        Array of shape (measures, runs, runs): whether the first run is significantly better than
        the second.
    equivalent
        An array like that: whether both are as good, within the margin that was asked for.
    not_worse
        An array like that: whether the first is worse by no more than the margin, where no other
        mark says more.
    baseline
        The place of the run that the others are marked against, if there is one and no other.
    copied
        How many of the runs, the last, were copied from elsewhere: nothing is known of them but means.
    """

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    means: Floats
    direction: Floats
    beaten: Booleans
    equivalent: Booleans
    not_worse: Booleans
    baseline: int | None
    copied: int = 0

    @property
    def marking(self) -> Marking:
        """How cells are marked."""
        marks = (marking if self.baseline is None else daggers)(len(self.runs) - self.copied)
        return ragged(marks) if self.equivalent.any() or self.not_worse.any() else marks

    def sheet(self, caption: str = "") -> Sheet:
        """Label, run, and for each measure the mean with its marks, the best in bold."""
        measures = [self._column(m, measure) for m, measure in enumerate(self.measures)]
        return Sheet((SheetColumn("", self.labels), SheetColumn("run", self.runs), *measures), keys=2, caption=caption)

    @property
    def labels(self) -> list[str]:
        """The letter, or number, of each run that was compared."""
        return [self.marking.label(place) for place in range(len(self.runs) - self.copied)] + [""] * self.copied

    def table(self) -> pl.DataFrame:
        """Return the same with means and marks as text."""
        header, *rows = written(self.sheet(), PLAIN)
        return pl.DataFrame(rows, schema=dict.fromkeys(header, pl.String), orient="row")

    def _column(self, m: int, measure: str) -> SheetColumn:
        means = self.means[m].tolist()
        return SheetColumn(
            measure, self.marked(m, means), self.marking.to_the_right, best_rows(means, float(self.direction[m]))
        )

    def marked(self, m: int, means: Sequence[float]) -> list[Marked]:
        """Put marks behind the means of a column."""
        marks = [self._marks(m, run) for run in range(len(self.runs))]
        return [Marked(mean, mine, self.marking.room(mine, marks)) for mean, mine in zip(means, marks, strict=True)]

    def _marks(self, m: int, run: int) -> str:
        signs = (("", self.beaten), (EQUIVALENT, self.equivalent), (NOT_WORSE, self.not_worse))
        if self.baseline is None:
            places = ((sign, np.flatnonzero(holds[m, run]).tolist()) for sign, holds in signs)
            return "".join(sign + self.marking.several(runs) for sign, runs in places if runs)
        worse = WORSE if self.beaten[m, self.baseline, run] else ""
        return worse + "".join(sign or BETTER for sign, holds in signs if holds[m, run, self.baseline])


def pairs_table(differences: pl.DataFrame, level: float) -> pl.DataFrame:
    """Pair by pair: the difference with its interval, effect, wins, ties and losses, p, and what follows from it."""
    answers = [name for name in _ANSWERS if name in differences.columns]
    needed = ["topics_needed"] if "topics_needed" in differences.columns else []
    return differences.select(
        "measure",
        "run_a",
        "run_b",
        "mean_a",
        "mean_b",
        "difference",
        pl.format("[{}, {}]", *(_written("low", _number), _written("high", _number))).alias(_interval(level)),
        "effect",
        "size",
        pl.format("{}/{}/{}", "wins", "ties", "losses").alias("w/t/l"),
        *(_written(name, probability) for name in ("p", "p_adjusted")),
        *(pl.when(name).then(pl.lit("yes")).otherwise(pl.lit("no")).alias(name) for name in answers),
        *needed,
    )


def pairs_sheet(differences: pl.DataFrame, level: float, caption: str) -> Sheet:
    """Return the same as people see it: intervals are ranges, whose ends stand one below the other on a screen."""
    sheet = Sheet.of(pairs_table(differences, level), keys=3, caption=caption)
    ends = differences.select("low", "high").rows()
    ranges = [None if low is None or high is None else Ranged(low, high) for low, high in ends]
    columns = (each._replace(cells=ranges) if each.name == _interval(level) else each for each in sheet.columns)
    return sheet._replace(columns=tuple(columns))


def _interval(level: float) -> str:
    return f"{level:.0%}".replace("%", " %") + " interval"


def _written(column: str, write: Callable[[float], str]) -> pl.Expr:
    return pl.col(column).map_elements(write, return_dtype=pl.String)


def _number(value: float) -> str:
    return f"{value:.4f}"


def probability(p: float) -> str:
    """Four decimals, and never 0.

    >>> probability(0.04321), probability(0.0000123)
    ('0.0432', '<.0001')
    """
    return "<.0001" if p < 0.0001 else f"{p:.4f}"
