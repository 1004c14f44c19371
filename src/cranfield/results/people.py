"""Tables for people: four decimals, columns aligned, the best emphasised."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from cranfield.plumbing.escaping import isolated, printable
from cranfield.results.sheet import Marked, Ranged, Sheet, SheetColumn, shown


class Style(NamedTuple):
    """How one format writes cells."""

    escaped: Callable[[str], str] = str
    bold: Callable[[str], str] = str
    underlined: Callable[[str], str] = str  # What comes second
    marked: Callable[[str, str], str] = lambda marks, room: f" {marks}{' ' * len(room)}" if marks or room else ""
    """The marks that follow a value, and what fills them up, so that numbers align."""
    aside: Callable[[str], str] = str  # The range that follows a value
    aligned: bool = False  # Whether the ends of ranges stand one below the other


def written(sheet: Sheet, style: Style) -> list[list[str]]:
    """Write header and rows in a style."""
    return [list(row) for row in zip(*(written_column(column, style) for column in sheet.columns), strict=True)]


def written_column(column: SheetColumn, style: Style) -> list[str]:
    """Write the header and the cells of a column in a style."""
    values = [cell.value if isinstance(cell, Marked | Ranged) else cell for cell in column.cells]
    texts = [shown(value) for value in values]
    padded = any(isinstance(cell, Marked) or (isinstance(cell, Ranged) and style.aligned) for cell in column.cells)
    width = max(map(len, texts), default=0) if padded else 0
    cells = [
        " " * (width - len(text)) + _emphasis(column, row, style)(style.escaped(text)) + tail
        for row, (text, tail) in enumerate(zip(texts, _tails(column, style), strict=True))
    ]
    return [style.escaped(printable(column.name)), *cells]


def _emphasis(column: SheetColumn, row: int, style: Style) -> Callable[[str], str]:
    return style.bold if row in column.bold else style.underlined if row in column.underlined else str


def _tails(column: SheetColumn, style: Style) -> list[str]:
    """Write what follows the values: marks, ranges, mostly nothing."""
    ranges = [cell for cell in column.cells if isinstance(cell, Ranged)]
    widths = [0, 0]
    if style.aligned and ranges:
        widths = [max(len(shown(end)) for end in ends) for ends in zip(*((r.low, r.high) for r in ranges), strict=True)]
    return [_tail(cell, style, *widths) for cell in column.cells]


def _tail(cell: object, style: Style, low: int, high: int) -> str:
    if isinstance(cell, Marked):
        return style.marked(cell.marks, cell.room)
    if not isinstance(cell, Ranged):
        return ""
    ends = f"[{shown(cell.low):>{low}}, {shown(cell.high):>{high}}]"
    return style.escaped(ends) if cell.value is None else style.aside(style.escaped(f" {ends}"))


def plain(sheet: Sheet) -> str:
    """Write aligned columns of text, two spaces apart."""
    lines = [
        "  ".join(c.rjust(w) if of.numeric else c.ljust(w) for c, w, of in row).rstrip()
        for row in _laid_out(sheet, PLAIN)
    ]
    above = [isolated(printable(sentence)) for sentence in (*sheet.above, "")] if sheet.above else []
    return "\n".join([*above, *with_headings(lines, 1, headings_of(sheet, PLAIN))]) + "\n" + not_shown(sheet)


def markdown(sheet: Sheet) -> str:
    """A Markdown table, what is emphasised in bold."""
    header, *rows = (
        [c.rjust(max(w, 3)) if of.numeric and number else c.ljust(max(w, 3)) for c, w, of in row]
        for number, row in enumerate(_laid_out(sheet, MARKDOWN))
    )
    ends = [
        "-" * (len(c) + 1) + ":" if of.numeric else ":" + "-" * (len(c) + 1)
        for c, of in zip(header, sheet.columns, strict=True)
    ]
    lines = [f"| {' | '.join(header)} |", f"|{'|'.join(ends)}|", *(f"| {' | '.join(row)} |" for row in rows)]
    spanning = {row: f"| *{it}* {'| ' * (len(ends) - 1)}|" for row, it in headings_of(sheet, MARKDOWN).items()}
    return "\n".join(with_headings(lines, 2, spanning)) + "\n"


def markdown_table(sheet: Sheet) -> str:
    """Write a Markdown table and a paragraph with its legend, if there is any."""
    first, *others = [markdown_cell(isolated(printable(sentence))) for sentence in sheet.above] or [""]
    above = f"**{first}**\n\n" * bool(first) + "".join(f"- {sentence}\n" for sentence in others) + "\n" * bool(others)
    return above + markdown(sheet) + (f"\n{printable(sheet.legend)}\n" if sheet.legend else "")


def not_shown(sheet: Sheet) -> str:
    """Say how many rows there are besides; nothing where all are shown."""
    return f"... and {sheet.more} more row{'s' * (sheet.more > 1)}\n" if sheet.more else ""


def headings_of(sheet: Sheet, style: Style) -> dict[int, str]:
    """Write the headings of groups of rows, by the row before which they stand."""
    return {row: style.escaped(printable(heading)) for row, heading in sheet.headings}


def _laid_out(sheet: Sheet, style: Style) -> Iterator[list[tuple[str, int, SheetColumn]]]:
    """Give the header and each row, every cell with the width of its column, and the column."""
    rows = written(sheet, style)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return (list(zip(row, widths, sheet.columns, strict=True)) for row in rows)


def markdown_cell(text: str) -> str:
    """Escape what Markdown would read as markup or as the end of the cell."""
    edges = r"(?<![^\W_])_|_(?![^\W_])"  # within a word it is no markup
    return re.sub(rf"[\\|*`<]|{edges}|\[(?=[^]]*\][(\[])|&(?=#?\w+;)", r"\\\g<0>", text)


PLAIN = Style()
MARKDOWN = Style(
    markdown_cell,
    lambda text: f"**{text}**",
    lambda text: f"<u>{text}</u>",
    lambda marks, _: f"<sup>{markdown_cell(marks)}</sup>" if marks else "",
)


def with_headings(lines: Sequence[str], before: int, headings: Mapping[int, str]) -> Iterator[str]:
    """Put headings in front of their rows; this many lines stand before the first row."""
    for number, line in enumerate(lines):
        if (heading := headings.get(number - before)) is not None:
            yield heading
        yield line
