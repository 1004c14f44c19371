"""Tables on a terminal: with rules and emphasis, and never wider than the window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from cranfield.plumbing.escaping import isolated, printable
from cranfield.results.people import Style, not_shown, written
from cranfield.results.sheet import NEXT, Marked, Sheet, SheetColumn, shown

if TYPE_CHECKING:
    from rich.console import Console

_BETWEEN = 3  # Characters that rich puts between two columns
_SHORTEST: Final = 12  # No name is shortened to fewer characters
_HEADER: Final = 32
"""Above numbers, a name has this many characters if it needs them: a run's, where means stand side by side."""
_PIECES: Final = 2  # Names are halved: what tells runs of a team apart often stands at their ends


def show(sheet: Sheet, *, captioned: bool = True, console: Console | None = None) -> None:
    """Print a table with its caption below; in several parts where the window is too narrow for all columns.

    The key columns are repeated in each part. Names that are wider than the window has room for lose their middle, and
    stand whole in a key below; text that has blanks is broken between words.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = console or Console(emoji=False, highlight=False)
    sheet, names = _fitting(sheet, console.width)
    _open(sheet.above, names, console)
    cells = [[Text.from_markup(cell, emoji=False) for cell in row] for row in written(sheet, _style())]
    for header, column in zip(cells[0], sheet.columns, strict=True):
        marks = (len(f" {cell.marks}{cell.room}") for cell in column.cells if isinstance(cell, Marked))
        header.pad_right(max(marks, default=0))  # it stands above the numbers
    widths = [max(cell.cell_len for cell in column) for column in zip(*cells, strict=True)]
    for row in cells:
        for cell, width, column in zip(row, widths, sheet.columns, strict=True):
            if column.to_the_right:  # not by rich, which takes the room that marks are given off their end
                cell.pad_left(width - cell.cell_len)
    for number, columns in enumerate(_parts(widths, sheet.keys, console.width)):
        if number:
            console.print()
        part = Table(box=box.SIMPLE_HEAD, header_style="bold", show_edge=False, pad_edge=False)
        for place in columns:
            whole = not _sentences(sheet.columns[place], console.width)  # which are broken into lines, not cut
            part.add_column(cells[0][place], no_wrap=whole, overflow="fold")
        headings = dict(sheet.headings)
        for place, row in enumerate(cells[1:]):
            if place in headings:
                part.add_section()
                part.add_row(Text(printable(headings[place]), style="italic"))
            part.add_row(*(row[column] for column in columns))
        console.print(part)
    key = [f"{short}: {name}" for short, name in names.items()]
    for texts in (key, [text for text in (not_shown(sheet).strip(), sheet.legend if captioned else "") if text]):
        console.print("\n" * bool(texts), end="")
        for text in texts:
            console.print(Text(isolated(printable(text)), style="dim"))


def _open(sentences: Sequence[str], names: Mapping[str, str], console: Console) -> None:
    """Print the sentences above a table, the first in bold; names as the table has them, and commands to be copied."""
    from rich.text import Text

    for number, sentence in enumerate(sentences):
        said, command = sentence, sentence.startswith(NEXT)
        for short, name in () if command else sorted(names.items(), key=lambda each: -len(each[1])):
            said = said.replace(name, short)
        console.print(Text(isolated(printable(said)), style="" if number else "bold"), soft_wrap=command)
    console.print("\n" * bool(sentences), end="")


def _sentences(column: SheetColumn, width: int) -> bool:
    """Whether cells are long, and have blanks to be broken at."""
    texts = [shown(cell) for cell in column.cells if isinstance(cell, str | list)]
    return any(" " in text and len(text) > width // 2 for text in texts)


def _fitting(sheet: Sheet, width: int) -> tuple[Sheet, dict[str, str]]:
    """Shorten names that the window has no room for; with the key, by short names what they are."""
    wide = [_wide(column) for column in sheet.columns]
    names = [not column.numeric and not _sentences(column, width) for column in sheet.columns]
    most = [width] * len(wide)
    next_to = min(max(wide[sheet.keys :], default=0), width // 2) + _BETWEEN  # in the narrowest part of the table
    for at in sorted(range(sheet.keys), key=wide.__getitem__, reverse=True):  # the widest gives way first
        over = sum(wide[: sheet.keys]) + _BETWEEN * sheet.keys + next_to - width
        if names[at] and over > 0:
            wide[at] = most[at] = max(min(_SHORTEST, wide[at]), wide[at] - over)
    left = max(_SHORTEST, width - sum(wide[: sheet.keys]) - _BETWEEN * sheet.keys)
    most[sheet.keys :] = [left] * len(wide[sheet.keys :])
    key: dict[str, str] = {}
    columns = []
    for column, room, of_names in zip(sheet.columns, most, names, strict=True):
        above = max([_HEADER, *(len(shown(cell)) for cell in column.cells)]) if column.numeric else room
        cells = [_shortened(cell, room, key) if of_names and isinstance(cell, str) else cell for cell in column.cells]
        columns.append(column._replace(name=_shortened(column.name, min(above, room), key), cells=cells))
    return sheet._replace(columns=tuple(columns)), key


def _wide(column: SheetColumn) -> int:
    """How wide a column is, its header included."""
    return max(len(column.name), *(len(shown(cell)) for cell in column.cells if isinstance(cell, str)), 8)


def _shortened(name: str, room: int, key: dict[str, str]) -> str:
    """Take characters out of the middle of a name, and note in the key what it was."""
    if len(name) <= room:
        return name
    known = {whole: short for short, whole in key.items()}
    if name in known:
        return known[name]
    half, again = (room - 1) // _PIECES, 1
    short = f"{name[: room - 1 - half]}…{name[-half:]}"
    while short in key:  # another name has the same ends
        again += 1
        mark = f"…{again}…"
        half = (room - len(mark)) // _PIECES
        short = f"{name[: room - len(mark) - half]}{mark}{name[-half:]}"
    key[short] = name
    return short


def _style() -> Style:
    from rich.markup import escape

    return Style(
        escaped=escape,
        bold=lambda text: f"[bold green]{text}[/]",
        underlined=lambda text: f"[underline]{text}[/]",
        marked=lambda marks, room: f" [cyan]{marks}[/]{' ' * len(room)}" if marks or room else "",
        aside=lambda text: f"[dim]{text}[/]",
        aligned=True,
    )


def _parts(widths: Sequence[int], index: int, width: int) -> list[list[int]]:
    """Share the columns out over as many parts as the width asks for."""
    widths = [_BETWEEN + each for each in widths]
    fixed = list(range(index))
    parts: list[list[int]] = []
    left = 0
    for column in range(index, len(widths)):
        if not parts or widths[column] > left:
            parts.append([*fixed])
            left = width - sum(widths[:index])
        parts[-1].append(column)
        left -= widths[column]
    return parts or [fixed]
