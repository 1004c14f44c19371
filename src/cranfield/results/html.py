"""Tables for notebooks: what a person would set, as HTML that needs nothing else and is legible on light and dark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from cranfield.pages.look import SHADES
from cranfield.pages.writer import text
from cranfield.results.people import Style, not_shown, written_column
from cranfield.results.sheet import ROWS_SHOWN, Marked, Sheet, SheetColumn

LONG: Final = 40  # Text of more characters may be broken into lines

# The colour of text comes from the notebook; greys and greens that let the ground through suit any.
_LOOK: Final = """\
.cranfield{margin:.5em 0;overflow-x:auto}
.cranfield table{border-collapse:collapse;border:0;margin:0;font-variant-numeric:tabular-nums}
.cranfield th,.cranfield td{padding:.25em .5em;border:0;text-align:left;vertical-align:baseline;white-space:pre}
.cranfield th{font-weight:normal}
.cranfield thead th{font-weight:600;vertical-align:bottom}
.cranfield thead tr>*{border-bottom:1px solid rgba(127,127,127,.8)}
.cranfield tbody tr:last-child>*{border-bottom:1px solid rgba(127,127,127,.8)}
.cranfield tbody tr:hover{background:rgba(127,127,127,.15)}
.cranfield .number{text-align:right;padding-left:1em}
.cranfield .marks{padding-left:0}
.cranfield .long{white-space:normal;min-width:20em}
.cranfield b{margin:0 -.2em;padding:.1em .2em;border-radius:.2em;background:@best}
.cranfield .heading th{font-style:italic;padding-top:.6em}
.cranfield .heads th{text-align:center}
.cranfield sup{line-height:0}
.cranfield i{font-style:normal;opacity:.7}
.cranfield figcaption{max-width:60em;padding:.4em .5em;font-size:.9em;opacity:.8}
.cranfield p{margin:0}
.cranfield ul{margin:0 0 .6em;padding:0 0 0 1.2em;max-width:60em}""".replace("@best", SHADES["best"].light)

_STYLE: Final = Style(
    escaped=escape,
    bold=lambda text: f"<b>{text}</b>",
    underlined=lambda text: f"<u>{text}</u>",
    marked=lambda marks, room: "",  # marks have a column of their own
    aside=lambda text: f"<i>{text}</i>",
    aligned=True,
)


def html_table(sheet: Sheet, *, below: Sequence[str] = (), above: Sequence[str] = (), rows: int = ROWS_SHOWN) -> str:
    """Write a table as HTML, the best in bold; of many rows the first, and sentences above and below it."""
    sheet = sheet.first(rows)
    lines = [f'<figure class="cranfield"><style>\n{_LOOK}\n</style>']
    above = (*above, *sheet.above)
    if above:
        lines.append(f"<ul>{''.join(f'<li>{text(sentence.strip())}</li>' for sentence in above)}</ul>")
    lines.append(bare_table(sheet))
    lines.append("<figcaption>")
    lines += [f"<p>{text(sentence.strip())}</p>" for sentence in (not_shown(sheet), sheet.legend, *below) if sentence]
    return "\n".join([*lines, "</figcaption></figure>"])


def bare_table(sheet: Sheet, *, caption: str = "") -> str:
    """Write only the table, without styles; numbers have the class ``number``, marks ``marks``."""
    by_column = [list(_parts(column._replace(name=column.below))) for column in sheet.columns]
    parts = [part for each in by_column for part in each]
    header, *rows = zip(*(cells for cells, _ in parts), strict=True)
    stands = [stand for _, stand in parts]
    named = f"<caption>{text(caption.strip())}</caption>" if caption else ""
    heads = _heads(sheet, list(map(len, by_column)))
    names = _row(header, stands, headers=len(stands), scope="col")
    lines = [f"<table>{named}<thead>{heads}{names}</thead><tbody>"]
    headings = dict(sheet.headings)
    for number, row in enumerate(rows):
        if number in headings:
            lines.append(
                f'<tr class="heading"><th scope="rowgroup" colspan="{len(stands)}">{text(headings[number])}</th></tr>'
            )
        lines.append(_row(row, stands, headers=sheet.keys, scope="row"))
    return "\n".join([*lines, "</tbody></table>"])


def _heads(sheet: Sheet, widths: Sequence[int]) -> str:
    """Write the heads over columns, each as wide as its columns with their marks; nothing where there are none."""
    left = iter(widths)
    spans = [(head, sum(next(left) for _ in columns)) for head, columns in sheet.heads]
    cells = [
        f'<th scope="colgroup" colspan="{span}">{text(head)}</th>' if head else f'<td colspan="{span}"></td>'
        for head, span in spans
    ]
    return f'<tr class="heads">{"".join(cells)}</tr>' if cells else ""


def _parts(column: SheetColumn) -> Iterator[tuple[list[str], str]]:
    """Yield header, cells and CSS class of a column; marks are a column of their own, so that cells align."""
    cells = written_column(column, _STYLE)
    marks = [cell.marks if isinstance(cell, Marked) else "" for cell in column.cells]  # a value that lacks has none
    marked, long = any(isinstance(cell, Marked) for cell in column.cells), max(map(len, cells)) > LONG
    yield cells, "number" if column.to_the_right or marked else "long" if long else ""
    if any(marks):
        yield ["", *(f"<sup>{escape(each)}</sup>" if each else "" for each in marks)], "marks"


def _row(cells: Sequence[str], stands: Sequence[str], *, headers: int, scope: str) -> str:
    """Write a row; this many of its cells, from the left, are headers of their row or column."""
    inner = []
    for place, (cell, stand) in enumerate(zip(cells, stands, strict=True)):
        header = place < headers and cell
        tag, of_scope = ("th", f' scope="{scope}"') if header else ("td", "")
        of_class = f' class="{stand}"' if stand else ""
        inner.append(f"<{tag}{of_scope}{of_class}>{cell}</{tag}>")
    return f"<tr>{''.join(inner)}</tr>"
