"""The tables of a comparison that people read: runs with the letters of those they beat, or pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, count, islice, product
from string import ascii_lowercase
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import polars as pl

from cranfield.arrays import Booleans
from cranfield.presentation.people import LATEX_ESCAPES, in_columns, in_markdown, in_tabular, shown

if TYPE_CHECKING:
    from cranfield.comparison.result import Comparison

BETTER, WORSE = "†", "‡"

Marks: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class Style:
    """How one format writes the cells of the systems table.

    Attributes
    ----------
    escaped, bold
        Any text; the best mean of a measure.
    marked
        The superscript of a cell: its marks, and those that are left out, whose room it keeps so that numbers align.
    lay_out
        Header and rows as a table.
    """

    escaped: Callable[[str], str]
    bold: Callable[[str], str]
    marked: Callable[[Marks, Marks], str]
    lay_out: Callable[[list[list[str]]], str]


def _beside(marks: Marks, missing: Marks) -> str:
    both = joined((*marks, *missing))
    return f" {joined(marks).ljust(len(both))}" if both else ""


def _raised_in_markdown(marks: Marks, missing: Marks) -> str:
    return f"<sup>{joined(marks)}</sup>" if marks else ""


def _raised_in_latex(marks: Marks, missing: Marks) -> str:
    r"""Superscripts as mathematics; a phantom of what is missing has its width.

    >>> _raised_in_latex(("a", "b"), ("c",))
    '$^{ab}$\\hphantom{$^{c}$}'
    """
    symbols = {BETTER: r"\dagger", WORSE: r"\ddagger"}
    shown_, hidden = (joined([symbols.get(mark, mark) for mark in some]) for some in (marks, missing))
    raised = f"$^{{{shown_}}}$" if marks else ""
    return raised + (rf"\hphantom{{$^{{{hidden}}}$}}" if missing else "")


STYLES: Final = {
    "table": Style(str, str, _beside, lambda cells: in_columns(cells, _numeric(cells))),
    "markdown": Style(
        lambda text: text.replace("|", r"\|"), lambda text: f"**{text}**", _raised_in_markdown,
        lambda cells: in_markdown(cells, _numeric(cells)),
    ),
    "latex": Style(
        lambda text: text.translate(LATEX_ESCAPES), lambda text: rf"\textbf{{{text}}}", _raised_in_latex,
        lambda cells: in_tabular(cells, _numeric(cells)),
    ),
}  # fmt: skip


def _numeric(cells: list[list[str]]) -> list[bool]:
    """The letter and the name of a run are text."""
    return [column > 1 for column in range(len(cells[0]))]


def labels(runs: int) -> list[str]:
    """Letters for so many runs.

    >>> labels(3), labels(28)[-3:]
    (['a', 'b', 'c'], ['z', 'aa', 'ab'])
    """
    words = chain.from_iterable(product(ascii_lowercase, repeat=length) for length in count(1))
    return ["".join(word) for word in islice(words, runs)]


def joined(marks: Sequence[str]) -> str:
    """Write letters one after the other, and with commas where some are longer than one.

    >>> joined(["a", "b"]), joined(["b", "aa"])
    ('ab', 'b,aa')
    """
    plain = all(len(mark) == 1 or mark.startswith("\\") for mark in marks)
    return ("" if plain else ",").join(marks)


def systems_table(comparison: Comparison) -> pl.DataFrame:
    """Runs by measures: letter, run, and for each measure the mean with its marks."""
    header, *rows = systems_cells(comparison, STYLES["table"])
    return pl.DataFrame(rows, schema=dict.fromkeys(header, pl.String), orient="row")


def systems_cells(comparison: Comparison, style: Style) -> list[list[str]]:
    """Header and rows of the systems table: best means in bold, and marks."""
    columns = [["", *labels(len(comparison.runs))], ["run", *map(style.escaped, comparison.runs)]]
    for m, marks in enumerate(_marks(comparison)):
        best = (np.argmax if comparison.higher_is_better[m] else np.argmin)(comparison.means[m])
        means = [shown(float(mean)) for mean in comparison.means[m]]
        width = max(map(len, means))
        cells = [
            " " * (width - len(mean))
            + (style.bold(mean) if mean == means[best] else mean)
            + style.marked(mine, missing)
            for mean, mine, missing in zip(means, marks, _missing(marks, comparison), strict=True)
        ]
        columns.append([style.escaped(comparison.measures[m]), *cells])
    return [list(row) for row in zip(*columns, strict=True)]


def _missing(marks: list[Marks], comparison: Comparison) -> list[Marks]:
    """By run: what other cells of the column are marked with, and this one is not; of two markers, room for one."""
    known = sorted({mark for mine in marks for mark in mine}, key=lambda mark: (len(mark), mark))
    if comparison.settings.baseline is not None:
        return [() if mine else tuple(known[:1]) for mine in marks]
    return [tuple(mark for mark in known if mark not in mine) for mine in marks]


def _marks(comparison: Comparison) -> list[list[Marks]]:
    """By measure and run: letters of the runs that it beats, or its marker against the baseline."""
    beaten = _beaten(comparison)
    names = labels(len(comparison.runs))
    baseline = comparison.settings.baseline
    if baseline is None:
        return [[tuple(names[j] for j in np.flatnonzero(row)) for row in measure] for measure in beaten]
    b = comparison.runs.index(baseline)
    return [
        [(BETTER,) if measure[i, b] else (WORSE,) if measure[b, i] else () for i in range(len(names))]
        for measure in beaten
    ]


def _beaten(comparison: Comparison) -> Booleans:
    """Array of shape (measures, runs, runs): whether the first run is significantly better than the second."""
    runs, shape = len(comparison.runs), (len(comparison.measures), len(comparison.pairs))
    place = {run: i for i, run in enumerate(comparison.runs)}
    a, b = np.array([[place[run] for run in pair] for pair in comparison.pairs]).T
    ahead = comparison.table["difference"].to_numpy().reshape(shape)
    ahead = ahead * np.where(comparison.higher_is_better, 1, -1)[:, None]
    significant = comparison.table["significant"].to_numpy().reshape(shape)
    beaten = np.zeros((len(comparison.measures), runs, runs), dtype=np.bool_)
    beaten[:, a, b] = significant & (ahead > 0)
    beaten[:, b, a] = significant & (ahead < 0)
    return beaten


def pairs_table(comparison: Comparison) -> pl.DataFrame:
    """Pair by pair: the difference with its interval, effect, wins, ties and losses, p, and what follows from it."""
    table = comparison.table
    level = f"{comparison.settings.level:.0%}".replace("%", " %") + " interval"
    sure = ["certain"] if "certain" in table.columns else []
    return table.select(
        "measure",
        "run_a",
        "run_b",
        "mean_a",
        "mean_b",
        "difference",
        pl.format("[{}, {}]", *(_written("low", _number), _written("high", _number))).alias(level),
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
