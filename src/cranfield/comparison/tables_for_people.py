"""The tables of a comparison that people read: runs with the marks of those they beat, or pair by pair.

Behind a mean stand letters of the runs that it beats, numbers where they are many, a dagger; and what is equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase
from typing import Final

import numpy as np

from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import confidence
from cranfield.results.people import PLAIN, written
from cranfield.results.sheet import Marked, Ranged, Sheet, SheetColumn, best_rows

_BETTER, _WORSE = "†", "‡"
EQUIVALENT, NOT_WORSE = "≈", "≥"  # What stands alone next to a dagger, and before the labels of several runs


@dataclass(frozen=True)
class Marking:
    """One way of marking the cells of a table; all of a table are marked the same way."""

    noun: str  # What the labels of runs are
    label: Callable[[int], str]
    several: Callable[[Sequence[int]], str]  # What stands for several runs, by their places
    to_the_right: bool  # Whether means and marks stand to the right of their column; to the left, marks may be long
    room: Callable[[str, Sequence[str]], str]
    """What must follow some marks, unseen, so that all cells of a column to the right are as wide."""


def marking(runs: int) -> Marking:
    """Mark runs by letters (``acde``), while the letters suffice; else by ranges of numbers."""
    return _LETTERS if runs <= len(ascii_lowercase) else NUMBERS


def explained(runs: int, baseline: Sequence[str] | None, margin: float | None) -> tuple[str, str]:
    """Say what the marks of this many runs mean: those of significance, and of a margin, if there is one."""
    noun = marking(runs).noun
    marks = f"{noun.capitalize()}s: significantly better than the run of that {noun}"
    after, it = f"; {noun}s after ", " than it"
    match baseline:
        case (only,):
            marks = f"† significantly better than {only}, ‡ significantly worse"
            after, it = "; ", ""
        case (*several, last):
            marks += f", of those compared with {', '.join(several)} and {last}"
    if margin is None:
        return marks, ""
    equal = f"{after}{EQUIVALENT}: equivalent within {margin:g}"
    return marks, f"{equal}{after}{NOT_WORSE}: not worse{it} by more than {margin:g}" if baseline else equal


def daggers(runs: int) -> Marking:
    """Return how this many runs are marked against a baseline: each is better, or worse, or neither."""
    return replace(
        marking(runs),
        to_the_right=True,
        room=lambda marks, column: "" if marks else min(filter(None, column), default=""),
    )


def _ranges(places: Sequence[int]) -> str:
    """Write places as ranges of numbers from 1: ``3-7,12``."""
    numbers = np.asarray(places, dtype=np.intp) + 1
    parts = np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1) if len(numbers) else []
    return ",".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)


_LETTERS: Final = Marking(
    "letter",
    ascii_lowercase.__getitem__,
    lambda places: "".join(ascii_lowercase[place] for place in places),
    to_the_right=True,
    room=lambda marks, column: "".join(sorted(set("".join(column)) - set(marks))),
)
NUMBERS: Final = Marking("number", lambda place: str(place + 1), _ranges, to_the_right=False, room=lambda *_: "")

_ANSWERS: Final = ("significant", "not_worse", "equivalent", "certain")


@dataclass(frozen=True, eq=False)
class Systems:
    """What the table of systems shows; verdicts (beaten, equivalent, not_worse) have shape (measures, runs, runs)."""

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    means: Floats
    direction: Floats
    beaten: Booleans
    equivalent: Booleans
    not_worse: Booleans
    baseline: int | None  # The place of the run that the others are marked against, if there is one and no other
    copied: int = 0  # How many of the runs, the last, were copied from elsewhere: nothing is known of them but means

    @property
    def marking(self) -> Marking:
        """How cells are marked."""
        marks = (marking if self.baseline is None else daggers)(len(self.runs) - self.copied)
        if self.equivalent.any() or self.not_worse.any():  # marks of any length end where they end
            return replace(marks, to_the_right=False, room=lambda *_: "")
        return marks

    def sheet(self, caption: str = "") -> Sheet:
        """Label, run, and for each measure the mean with its marks, the best in bold."""
        columns = [SheetColumn("", self.labels), SheetColumn("run", self.runs)]
        for m, (measure, means) in enumerate(zip(self.measures, self.means.tolist(), strict=True)):
            best = best_rows(means, float(self.direction[m]))
            columns.append(SheetColumn(measure, self.marked(m, means), self.marking.to_the_right, best))
        return Sheet(tuple(columns), keys=2, caption=caption)

    @property
    def labels(self) -> list[str]:
        """The letter, or number, of each run that was compared."""
        return [self.marking.label(place) for place in range(len(self.runs) - self.copied)] + [""] * self.copied

    def table(self) -> pl.DataFrame:
        """Return the same with means and marks as text."""
        header, *rows = written(self.sheet(), PLAIN)
        return pl.DataFrame(rows, schema=dict.fromkeys(header, pl.String), orient="row")

    def marked(self, m: int, means: Sequence[float]) -> list[Marked]:
        """Put marks behind the means of a column."""
        marks = [self._marks(m, run) for run in range(len(self.runs))]
        return [Marked(mean, mine, self.marking.room(mine, marks)) for mean, mine in zip(means, marks, strict=True)]

    def _marks(self, m: int, run: int) -> str:
        signs = (("", self.beaten), (EQUIVALENT, self.equivalent), (NOT_WORSE, self.not_worse))
        if self.baseline is None:
            places = ((sign, np.flatnonzero(holds[m, run]).tolist()) for sign, holds in signs)
            return "".join(sign + self.marking.several(runs) for sign, runs in places if runs)
        worse = _WORSE if self.beaten[m, self.baseline, run] else ""
        return worse + "".join(sign or _BETTER for sign, holds in signs if holds[m, run, self.baseline])


def pairs_table(differences: pl.DataFrame, level: float) -> pl.DataFrame:
    """Pair by pair: the difference with its interval, effect, wins, ties and losses, p, and what follows from it."""
    answers = [name for name in _ANSWERS if name in differences.columns]
    needed = ["topics_needed"] if "topics_needed" in differences.columns else []
    ends = differences.select("low", "high").rows()  # pl.format of nulls alone is a panic of polars 1.35
    intervals = [None if None in each else "[{:.4f}, {:.4f}]".format(*each) for each in ends]
    counts = differences.select("wins", "ties", "losses").rows()
    tallies = [None if None in each else "{}/{}/{}".format(*each) for each in counts]
    return differences.select(
        *("measure", "run_a", "run_b", "mean_a", "mean_b", "difference"),
        pl.Series(_interval(level), intervals, pl.String),
        "effect",
        "size",
        pl.Series("w/t/l", tallies, pl.String),
        *(pl.col(name).map_elements(probability, return_dtype=pl.String) for name in ("p", "p_adjusted")),
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
    return f"{confidence(level)} interval"


def probability(p: float) -> str:
    """Write four decimals, but <.0001 rather than 0."""
    return "<.0001" if p < 0.0001 else f"{p:.4f}"
