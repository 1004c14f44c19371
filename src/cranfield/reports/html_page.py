"""A document as one file of HTML that needs no network: words, tables with their rows as CSV, figures alive."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from cranfield.formats.optional import library
from cranfield.pages.writer import data, figure, page, still
from cranfield.plumbing.escaping import printable
from cranfield.reports.elements import Block, Folded, Links, Picture, ReportDocument, ReportTable, Statement, Words
from cranfield.results.html import bare_table
from cranfield.results.output_formats import render
from cranfield.results.sheet import Sheet

if TYPE_CHECKING:
    import jinja2

_KINDS: Final[Mapping[type, str]] = {
    Words: "words", ReportTable: "table", Picture: "picture", Statement: "statement", Folded: "folded", Links: "links",
}  # fmt: skip


def html(document: ReportDocument, *, drawn: bool = False) -> str:
    """Write a document as one page.

    Figures are drawn by Vega, which is included if there are any; with ``drawn`` they are static pictures, a tenth the
    size.
    """
    picture = _drawn if drawn else _picture
    return page(
        document.title,
        _numbered(_template().render(document=document, kind=_kind, picture=picture, drawn=drawn)),
        figures=not drawn and any(document.pictures()),
        styles=[_asset("page.css")],
        scripts=[_asset("page.js")],
    )


def _numbered(text: str) -> str:
    """Number regions of one name from the second on, as those who jump from one to the next hear their names alone."""
    seen = Counter[str]()

    def name(found: re.Match[str]) -> str:
        seen[found[2]] += 1
        return f'{found[1]}{found[2]}{f" ({seen[found[2]]})" * (seen[found[2]] > 1)}"'

    return re.sub(r'(role="region" aria-label=")([^"]*)"', name, text)


def require() -> None:
    """Refuse to begin where what sets pages is not installed."""
    library("jinja2", extra="plots")


def framed(document: ReportDocument) -> str:
    """Write a document for a notebook: in an iframe, so that its style and scripts stay its own."""
    sandbox = "allow-scripts allow-downloads"
    return f'<iframe srcdoc="{escape(html(document))}" sandbox="{sandbox}" width="100%" height="800"></iframe>'


def _kind(block: Block) -> str:
    return _KINDS[type(block)]


def _table(sheet: Sheet) -> str:
    return bare_table(sheet._replace(caption=""), caption=sheet.legend)


def _csv(table: ReportTable) -> str:
    """Write the rows that readers take away."""
    return data(str(render(table.rows, "csv")))


def _picture(picture: Picture, caption: str) -> str:
    shown = picture.figure
    return figure(shown.spec, title=shown.title, description=shown.description, caption=caption)


def _drawn(picture: Picture, caption: str) -> str:
    shown = picture.figure
    return still(shown.to_bytes("svg"), title=shown.title, description=shown.description, caption=caption)


@cache
def _asset(name: str) -> str:
    return files("cranfield.reports").joinpath("assets", name).read_text(encoding="utf-8")


@cache
def _template() -> jinja2.Template:
    engine: Any = library("jinja2", extra="plots")
    environment = engine.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=engine.StrictUndefined
    )
    environment.filters |= {"table": _table, "csv": _csv, "data": data, "printable": printable}
    template: jinja2.Template = environment.from_string(_asset("page.html.jinja"))
    return template
