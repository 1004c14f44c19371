"""The tables of a comparison that people read: runs with the marks of those they beat, or pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final, TypeAlias

import numpy as np

from cranfield.arrays import Booleans, Floats
from cranfield.comparison.marks import BETTER, WORSE, Marking, daggers, marking
from cranfield.lazily import pl
from cranfield.presentation.html import in_html
from cranfield.presentation.people import in_columns, in_markdown, in_tabular, latex_cell, markdown_cell, shown

Cells: TypeAlias = list[list[str]]
"""Header and rows of a table, written."""


@dataclass(frozen=True)
class Style:
    """How one format writes the cells of the systems table.

    Attributes
    ----------
    escaped, bold
        Any text; the best mean of a measure.
    marked
        The superscript of a cell: its marks, and what fills them up so that numbers align.
    lay_out
        Header and rows as a table, and which columns hold numbers.
    """

    escaped: Callable[[str], str]
    bold: Callable[[str], str]
    marked: Callable[[str, str, Marking], str]
    lay_out: Callable[[Cells, Sequence[bool]], str]


def _beside(marks: str, room: str, marking: Marking) -> str:
    return f" {marks}{' ' * len(room)}" if marks or room else ""


def _raised_in_markdown(marks: str, room: str, marking: Marking) -> str:
    return f"<sup>{marks}</sup>" if marks else ""


def _raised_in_html(marks: str, room: str, marking: Marking) -> str:
    raised = f'<sup style="line-height:0">{marks}</sup>' if marks else ""
    hidden = f'<sup style="line-height:0;visibility:hidden" aria-hidden="true">{room}</sup>' if room else ""
    return raised + hidden


def _raised_in_latex(marks: str, room: str, marking: Marking) -> str:
    r"""Superscripts; a phantom of what is missing has its width.

    >>> _raised_in_latex("ab", "c", marking(3))
    '$^{ab}$\\hphantom{$^{c}$}'
    """
    raised = marking.in_latex(marks) if marks else ""
    return raised + (rf"\hphantom{{{marking.in_latex(room)}}}" if room else "")


STYLES: Final = {
    "table": Style(str, str, _beside, in_columns),
    "markdown": Style(markdown_cell, lambda text: f"**{text}**", _raised_in_markdown, in_markdown),
    "latex": Style(latex_cell, lambda text: rf"\textbf{{{text}}}", _raised_in_latex, in_tabular),
    "html": Style(escape, lambda text: f"<b>{text}</b>", _raised_in_html, in_html),
}


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
    baseline
        The place of the run that the others are marked against, if there is one.
    """

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    means: Floats
    direction: Floats
    beaten: Booleans
    baseline: int | None

    @property
    def marking(self) -> Marking:
        """How cells are marked."""
        return (marking if self.baseline is None else daggers)(len(self.runs))

    @property
    def numeric(self) -> list[bool]:
        """Which columns stand to the right as numbers do: not the label and the name of a run."""
        return [False, False, *[self.marking.to_the_right] * len(self.measures)]

    def written(self, style: Style) -> str:
        """Return the table as text."""
        return style.lay_out(self.cells(style), self.numeric)

    def table(self) -> pl.DataFrame:
        """Label, run, and for each measure the mean with its marks."""
        header, *rows = self.cells(STYLES["table"])
        return pl.DataFrame(rows, schema=dict.fromkeys(header, pl.String), orient="row")

    def cells(self, style: Style) -> Cells:
        """Header and rows: best means in bold, and marks."""
        labels = [self.marking.label(place) for place in range(len(self.runs))]
        columns = [["", *labels], ["run", *(style.escaped(shown(run)) for run in self.runs)]]
        columns += [[style.escaped(measure), *self._column(m, style)] for m, measure in enumerate(self.measures)]
        return [list(row) for row in zip(*columns, strict=True)]

    def _column(self, m: int, style: Style) -> list[str]:
        best = shown(float(self.means[m, (self.direction[m] * self.means[m]).argmax()]))
        means = [shown(float(mean)) for mean in self.means[m]]
        width = max(map(len, means))
        marks = [self._marks(m, run) for run in range(len(self.runs))]
        return [
            " " * (width - len(mean))
            + (style.bold(mean) if mean == best else mean)
            + style.marked(mine, self.marking.room(mine, marks), self.marking)
            for mean, mine in zip(means, marks, strict=True)
        ]

    def _marks(self, m: int, run: int) -> str:
        if self.baseline is None:
            return self.marking.several(np.flatnonzero(self.beaten[m, run]).tolist())
        if self.beaten[m, run, self.baseline]:
            return BETTER
        return WORSE if self.beaten[m, self.baseline, run] else ""


def pairs_table(differences: pl.DataFrame, level: float) -> pl.DataFrame:
    """Pair by pair: the difference with its interval, effect, wins, ties and losses, p, and what follows from it."""
    interval = f"{level:.0%}".replace("%", " %") + " interval"
    sure = ["certain"] if "certain" in differences.columns else []
    return differences.select(
        "measure",
        "run_a",
        "run_b",
        "mean_a",
        "mean_b",
        "difference",
        pl.format("[{}, {}]", *(_written("low", _number), _written("high", _number))).alias(interval),
        "effect",
        pl.format("{}/{}/{}", "wins", "ties", "losses").alias("w/t/l"),
        *(_written(name, probability) for name in ("p", "p_adjusted")),
        *(pl.when(name).then(pl.lit("yes")).otherwise(pl.lit("no")).alias(name) for name in ("significant", *sure)),
    )


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
