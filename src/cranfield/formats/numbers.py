"""What a score, a rank and a label may look like, in text and in columns of numbers: one rule for every format."""

from __future__ import annotations

from typing import Final

from cranfield.plumbing.lazy import pl

# What Python's float() takes, less NaN, underscores and digits that are not ASCII.
_NUMBER: Final = r"^[+-]?(?i:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf(?:inity)?)$"
_COMMA: Final = r"^[+-]?[0-9]+,[0-9]+$"
_WHOLE: Final = r"^[+-]?[0-9]+$"


class BadCell(Exception):  # noqa: N818 - never seen by a user: the reader turns it into an InputError
    """A cell that cannot be what its column says: its row (from 0), and what is wrong with it."""

    def __init__(self, row: int, problem: str) -> None:
        super().__init__(row, problem)
        self.row = row
        self.problem = problem


def scores(cells: pl.Series) -> pl.Series:
    """Read a column of scores as 64-bit floats; infinities are scores, NaN is not.

    >>> scores(pl.Series(["2", ".5", "-1e3", "inf"])).to_list()
    [2.0, 0.5, -1000.0, inf]
    >>> scores(pl.Series(["2", "1_000"]))
    Traceback (most recent call last):
    ...
    cranfield.formats.numbers.BadCell: (1, "the score '1_000' is not a number")
    """
    return floats(cells, "score")


def are_scores(cells: pl.Series) -> pl.Series:
    """Say of texts which ones `scores` would read."""
    return cells.str.contains(_NUMBER)


def are_ranks(cells: pl.Series) -> pl.Series:
    """Say of texts which ones are written as `ranks` are."""
    return cells.str.contains(_WHOLE)


def ranks(cells: pl.Series) -> pl.Series:
    """Read a column of ranks as 64-bit whole numbers."""
    return whole(cells, "rank")


def whole(cells: pl.Series, what: str = "") -> pl.Series:
    """Read a column of whole numbers, of 64 bits; errors call each of them as the column is called, or so."""
    what = what or cells.name
    if cells.dtype == pl.String:
        refuse(cells.is_null(), cells, f"the {what} is missing")
        refuse(~cells.str.contains(_WHOLE), cells, f"the {what} {{!r}} is not a whole number")
        return _fitting(cells, cells, what)
    numbers = floats(cells, what)
    refuse(numbers != numbers.floor(), cells, f"the {what} {{!r}} is not a whole number")
    return _fitting(cells if cells.dtype.is_integer() else numbers, cells, what)


def labels(cells: pl.Series) -> pl.Series:
    """Read a column of grades: whole numbers where all are written so, floats otherwise.

    >>> labels(pl.Series(["2", "-1", "+1"])).to_list()
    [2, -1, 1]
    >>> labels(pl.Series(["2", "0.5"])).to_list()
    [2.0, 0.5]
    """
    if cells.dtype.is_integer() or cells.dtype == pl.Boolean:
        refuse(cells.is_null(), cells, "the label is missing")
        return _fitting(cells, cells, "label")
    if cells.dtype == pl.String and cells.str.contains(_WHOLE).all(ignore_nulls=False):
        return whole(cells, "label")
    numbers = floats(cells, "label")
    refuse(numbers.is_infinite(), cells, "the label {!r} is not a finite number")
    return numbers


_YES_OR_NO: Final = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def yes_or_no(cells: pl.Series) -> pl.Series:
    """Read a column of booleans, as words or numbers; null is no."""
    texts = cells.cast(pl.String).str.to_lowercase().fill_null("no")
    refuse(~texts.is_in(list(_YES_OR_NO)), cells, "{!r} is neither true nor false")
    return texts.replace_strict(_YES_OR_NO, return_dtype=pl.Boolean)


def amounts(cells: pl.Series, what: str = "") -> pl.Series:
    """Read a column of finite numbers from 0 on, such as tokens; errors call them as the column is called, or so."""
    what = what or cells.name
    numbers = floats(cells, what)
    refuse(numbers.is_infinite() | (numbers < 0), cells, f"the {what} {{!r}} must be a number, 0 or more")
    return numbers


def floats(cells: pl.Series, what: str) -> pl.Series:
    """Read a column of numbers as 64-bit floats."""
    refuse(cells.is_null(), cells, f"the {what} is missing")
    if cells.dtype == pl.String:
        commas = cells.str.contains(_COMMA)
        refuse(commas, cells, f"the {what} {{!r}} is not a number: decimals have a point, not a comma")
        refuse(~are_scores(cells), cells, f"the {what} {{!r}} is not a number")
        return cells.cast(pl.Float64)
    if not (cells.dtype.is_numeric() or cells.dtype == pl.Boolean):
        raise BadCell(0, f"the {what} is not a number: the column holds {cells.dtype}")
    numbers = cells.cast(pl.Float64)
    refuse(numbers.is_nan(), cells, f"the {what} is not a number (NaN)")
    return numbers


def _fitting(numbers: pl.Series, cells: pl.Series, what: str) -> pl.Series:
    fitting = numbers.cast(pl.Int64, strict=False)
    refuse(fitting.is_null(), cells, f"the {what} {{!r}} does not fit 64 bits")
    return fitting


def refuse(wrong: pl.Series, cells: pl.Series, problem: str) -> None:
    """Raise for the first cell that is wrong, shown in the place of ``{!r}`` or ``{:g}``."""
    if wrong.any():
        row = wrong.arg_max() or 0
        cell = cells[row]
        raise BadCell(row, problem.format(cell[:37] + "..." if isinstance(cell, str) and len(cell) > 40 else cell))
