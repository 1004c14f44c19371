"""Tables for LaTeX: set by booktabs, in one column of an article or two, and no wider than these are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

from cranfield.plumbing.escaping import printable
from cranfield.results.people import Style, headings_of, with_headings, written
from cranfield.results.sheet import Marked, Sheet, SheetColumn, shown

_COLUMN: Final = 241.0
_PAGE: Final = 506.0  # How wide one column and both columns of an article are, in points, as in ACM's and IEEE's


class Typesetting(NamedTuple):
    """How a table is set: its environment, the size of its letters, and what is between columns."""

    environment: str
    size: str
    em: float  # How wide the letters are, in points: those of Computer Modern, which are wider than those of Times
    gap: int  # Points on either side of each column (tabcolsep)

    @property
    def room(self) -> float:
        """How wide a table may be there, in points."""
        return _COLUMN if self.environment == "table" else _PAGE


_SIZES: Final = (
    ("small", 9.0, 6), ("small", 9.0, 4), ("small", 9.0, 3),
    ("footnotesize", 8.27, 3), ("footnotesize", 8.27, 2),
)  # fmt: skip
TYPESETTINGS: Final = tuple(Typesetting(environment, *size) for environment in ("table", "table*") for size in _SIZES)
"""From the most legible one in one column to the narrowest one in two."""

_WIDTHS: Final = {
    character: width
    for width, characters in {
        0.29: "!',.:;[]`il", 0.32: "fj", 0.35: "-I", 0.4: "()_tr", 0.41: "s", 0.46: "cez", 0.49: "?",
        0.52: '"$*/0123456789\\^ago{}~', 0.53: "J", 0.55: "kqvxy", 0.58: "Sbdhnpu", 0.63: "Z", 0.65: "L", 0.68: "F",
        0.7: "EP", 0.75: "BCTw", 0.76: "R", 0.78: "<>", 0.79: "AHNUVXYD", 0.81: "&+=@KOQG", 0.86: "#%m", 0.95: "M",
        1.06: "W", 0.45: "†‡",
    }.items()
    for character in characters
}  # fmt: skip
"""How wide letters of Computer Modern are, in parts of an em."""
_BOLD, _RAISED = 1.17, 0.9  # How much wider bold letters are, and marks that are raised and small

LATEX_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "_": r"\_",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "–": "--",
    }
)
SIGNS_IN_MATHEMATICS = str.maketrans(
    {"†": r"\dagger", "‡": r"\ddagger", "≈": r"{\approx}", "≥": r"{\geq}", "≤": r"{\leq}"}
)
"""What LaTeX calls the signs of significance and equivalence."""
_SIGNS = str.maketrans(
    {"†": r"$\dagger$", "‡": r"$\ddagger$", "≈": r"$\approx$", "≥": r"$\geq$", "≤": r"$\leq$", "−": "$-$"}
)
"""The same among text, and what else sentences have."""
_NOT_SET: Final = re.compile("[«»ÐÞðþĄąĐđĘęĦħĮįĸĿŀŉŊŋŦŧŲųſ]|[^\x00-\u017fȘșȚț‐-―‖‘’“”†‡•…€™←→]")
"""What pdfLaTeX stops at, unless packages are loaded for it."""
_GREEK: Final = re.compile("GREEK (SMALL|CAPITAL) LETTER (FINAL )?([A-Z]+)")
_AS_IN_LATIN: Final = dict(zip(
    ("ALPHA", "BETA", "EPSILON", "ZETA", "ETA", "IOTA", "KAPPA", "MU", "NU", "OMICRON", "RHO", "TAU", "CHI"),
    "ABEZHIKMNOPTX", strict=True,
))  # fmt: skip
"""Capitals for which LaTeX has no names, since Latin has the same."""


def latex_text(text: str) -> str:
    r"""Escape LaTeX's special characters, and write those that pdfLaTeX does not know so that it sets something.

    Greek letters are set as in formulas; of others it prints the code, and XeLaTeX and LuaLaTeX print the letter.

    >>> print(latex_text("a_b"), latex_text("τ_ü"), latex_text("漢"))
    a\_b \ensuremath{\tau}\_ü \ifdefined\Umathchar 漢\else U+6F22\fi{}
    """
    escaped = text.translate(LATEX_ESCAPES)
    return escaped if escaped.isascii() else _NOT_SET.sub(_in_other_words, escaped.translate(_SIGNS))


def _in_other_words(found: re.Match[str]) -> str:
    greek = _GREEK.fullmatch(unicodedata.name(found[0], ""))
    if greek is None:
        return rf"\ifdefined\Umathchar {found[0]}\else {_code(found[0])}\fi{{}}"
    size, final, name = greek.groups()
    if name == "OMICRON" or (size == "CAPITAL" and name in _AS_IN_LATIN):
        return _AS_IN_LATIN[name] if size == "CAPITAL" else "o"
    name = {"LAMDA": "lambda"}.get(name, name.lower())
    return rf"\ensuremath{{\{'var' * bool(final)}{name.capitalize() if size == 'CAPITAL' else name}}}"


def _code(character: str) -> str:
    return f"U+{ord(character):04X}"


def latex_cell(text: str) -> str:
    r"""Escape a cell; a leading ``[`` or ``*`` would be an argument of ``\\``.

    >>> print(latex_cell("[a]_b"), latex_cell("*"))
    {[}a]\_b {*}
    """
    escaped = latex_text(text)
    return f"{{{escaped[0]}}}{escaped[1:]}" if text.startswith(("[", "*")) else escaped


def latex_marks(marks: str, room: str) -> str:
    r"""Raise marks, and add a phantom as wide as those missing; numbers become text, with a dash in ranges.

    >>> latex_marks("ab", "c"), latex_marks("1,3-5", ""), latex_marks("a≈b", "")
    ('$^{ab}$\\hphantom{$^{c}$}', '\\textsuperscript{1,3--5}', '$^{a{\\approx}b}$')
    """
    return (_raised(marks) if marks else "") + (rf"\hphantom{{{_raised(room)}}}" if room else "")


def _raised(marks: str) -> str:
    if any(mark.isdigit() for mark in marks):
        return rf"\textsuperscript{{{marks.replace('-', '--').translate(_SIGNS)}}}"
    return f"$^{{{marks.translate(SIGNS_IN_MATHEMATICS)}}}$"


LATEX = Style(latex_cell, lambda text: rf"\textbf{{{text}}}", lambda text: rf"\underline{{{text}}}", latex_marks)


def latex(sheet: Sheet) -> str:
    """Write a tabular with booktabs, emphasised cells in bold, heads over the columns that share them."""
    below = sheet._replace(columns=tuple(column._replace(name=column.below) for column in sheet.columns))
    header, *body = [" & ".join(row) + r" \\" for row in written(below, LATEX)]
    columns = "".join("r" if column.numeric else "l" for column in sheet.columns)
    spanning = {
        row: (r"\midrule" + "\n" if row else "") + rf"\multicolumn{{{len(columns)}}}{{l}}{{\emph{{{heading}}}}} \\"
        for row, heading in headings_of(sheet, LATEX).items()
    }
    begin, end = (rf"\begin{{tabular}}{{{columns}}}", r"\toprule"), (r"\bottomrule", r"\end{tabular}")
    return "\n".join([*begin, *_heads(sheet), header, r"\midrule", *with_headings(body, 0, spanning), *end, ""])


def _heads(sheet: Sheet) -> Iterator[str]:
    """Give a row of heads, and rules below them; nothing where no column has one."""
    cells, rules, first = [], [], 1
    for head, columns in sheet.heads:
        last = first + len(columns) - 1
        if head:
            cells.append(rf"\multicolumn{{{len(columns)}}}{{c}}{{{latex_cell(printable(head))}}}")
            rules.append(rf"\cmidrule(lr){{{first}-{last}}}")
        else:
            cells += [""] * len(columns)
        first = last + 1
    if cells:
        yield " & ".join(cells) + r" \\"
        yield " ".join(rules)


def latex_table(sheet: Sheet, caption: str | None = None) -> str:
    """Write the tabular in a table with its legend as the caption, or another one (in LaTeX); without any, alone.

    The table is in one column of the article, or across both, as its width asks for.
    """
    caption = latex_text(printable(sheet.legend)) if caption is None else caption
    wide = too_wide(sheet)
    said = f"% {wide}\n" if wide else ""
    if not caption:
        return said + latex(sheet)
    at = setting_of(sheet)
    head = rf"\caption{{{caption}}}", rf"\{at.size}", *([rf"\setlength{{\tabcolsep}}{{{at.gap}pt}}"] * (at.gap != 6))
    lines = (rf"\begin{{{at.environment}}}", r"\centering", *head, f"{latex(sheet)}\\end{{{at.environment}}}")
    return said + "\n".join(lines) + "\n"


def setting_of(sheet: Sheet) -> Typesetting:
    """Return the most legible setting in which the table fits, or the narrowest one, in which it does not."""
    return next((at for at in TYPESETTINGS if width_of(sheet, at) <= at.room), TYPESETTINGS[-1])


def too_wide(sheet: Sheet) -> str:
    """Say that a table is wider than a page, and what to do; nothing where it is not."""
    width = width_of(sheet, TYPESETTINGS[-1])
    if width <= _PAGE:
        return ""
    collections = "write a table for each collection, " if sheet.heads else ""
    return (
        f"This table is about {width:.0f} pt wide, and both columns of an article are {_PAGE:.0f} pt: {collections}"
        "split it by measure, or turn it (sidewaystable of the package rotating)."
    )


def width_of(sheet: Sheet, at: Typesetting) -> float:
    """Estimate how wide a table becomes, in points; it is rather a little narrower."""
    widths, total = iter([_column(column, at) for column in sheet.columns]), 0.0
    for head, columns in sheet.heads or [("", list(sheet.columns))]:
        total += max(sum(next(widths) for _ in columns), at.em * _text(head) + 2 * at.gap)
    return max(total, *(at.em * _text(heading) + 2 * at.gap for _, heading in sheet.headings), 0.0)


def _column(column: SheetColumn, at: Typesetting) -> float:
    cells = (_cell(cell, _BOLD if row in column.bold else 1) for row, cell in enumerate(column.cells))
    return at.em * max(_text(column.below), *cells, 0) + 2 * at.gap


def _cell(cell: object, wider: float) -> float:
    if isinstance(cell, Marked):
        return wider * _text(shown(cell.value)) + _RAISED * _text(cell.marks) + _RAISED * _text(cell.room) + 0.12
    return wider * _text(shown(cell))


def _text(text: str) -> float:
    """Estimate how wide a text is, in parts of an em: accents take no room, and what cannot be set its code."""
    width = 0.0
    for character in text:
        base = unicodedata.normalize("NFD", character)[0]
        if base in _WIDTHS or not _NOT_SET.match(character):
            width += _WIDTHS.get(base, 0.35 if base.isspace() else 1.0)
        else:
            width += 0.75 if _GREEK.match(unicodedata.name(character, "")) else _text(_code(character))
    return width
