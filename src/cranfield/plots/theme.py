"""How all figures look: colours that everybody tells apart, dashes and shapes with them, letters, room.

The ground is white, in print and in a notebook; a dark page turns light and dark round (`look.IN_THE_DARK`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final

from cranfield.pages import look

COLOURS: Final = look.PALETTE
LETTERS: Final = look.LETTERS
INK: Final = look.INK
HALO: Final = look.GROUND
RELEVANT, NOT_RELEVANT, UNJUDGED = look.RELEVANT, look.NOT_RELEVANT, look.UNJUDGED
JUDGED: Final = look.JUDGED
DASHES: Final = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross")
FAINT: Final = "#c4c9d1"
"""What is there to compare with, and has no name in the legend."""
GUIDE: Final = "#7a8492"
"""Lines that lead from one thing to another."""
TINT: Final = "#dfeaf3"
"""A part of the ground that is set off."""
DIVERGING: Final = ("#D55E00", "#f7f7f7", "#0072B2")
"""Below, at and above the middle."""
RISING: Final = ("#f3f6fa", "#56B4E9", "#003f66")
"""From little to much."""
DARK_FROM, DARK_ABOVE = 0.73, 0.93
"""From there on of `RISING`, from 0 to 1, and of `DIVERGING`, from -1 to 1, letters are white; below they are black."""

GREYS: Final = {
    "#0072B2": "#1f1f1f", "#D55E00": "#8f8f8f", "#009E73": "#5a5a5a", "#CC79A7": "#bdbdbd", "#E69F00": "#757575",
    "#56B4E9": "#a6a6a6", "#B85000": "#5a5a5a", "#4d4d4d": "#8f8f8f", "#F3C98B": "#dcdcdc",
}  # fmt: skip
"""What the colours are in greys, those that follow each other far apart; the three states of a document too."""

_FONT: Final = {"font": "Helvetica, Arial, sans-serif"}
_SHEET: Final = {"background": look.GROUND, "padding": 12}
_FRAME: Final = {"stroke": "#b8bec8"}
_TITLE: Final = {
    "anchor": "start", "fontSize": 15, "fontWeight": 600, "color": INK, "offset": 12,
    "subtitleFontSize": 11.5, "subtitleColor": look.SHADES["quiet"].light,
    "subtitlePadding": 5, "subtitleLineHeight": 15,
}  # fmt: skip
_GUIDES: Final = {
    "axis": {
        "labelFontSize": 11, "titleFontSize": 11.5, "titleFontWeight": "normal", "labelColor": INK,
        "titleColor": INK, "gridColor": "#eceff3", "domainColor": "#8a919e", "tickColor": "#8a919e",
        "labelLimit": 260, "maxExtent": 300, "labelSeparation": 4,  # the title stands clear of the longest label
    },
    "legend": {
        "labelFontSize": 11, "titleFontSize": 11.5, "titleFontWeight": "normal", "labelColor": INK,
        "titleColor": INK, "labelLimit": 320, "symbolStrokeWidth": 2,
    },
}  # fmt: skip
_LINE: Final = {"strokeWidth": 2}

CONFIG: Final[dict[str, object]] = {
    **_SHEET, **_FONT, **_GUIDES, "view": _FRAME, "title": _TITLE,
    "header": {"labelFontSize": 12, "titleFontSize": 12, "labelColor": INK},
    "line": _LINE, "text": {"color": INK, "fontSize": 11},
}  # fmt: skip
"""The theme, as Vega-Lite has it."""
CONFIG_OF_VEGA: Final[dict[str, object]] = {
    **_SHEET, **_GUIDES, "title": _TITLE,
    "style": {
        "guide-label": _FONT, "guide-title": _FONT, "group-subtitle": _FONT,
        "group-title": {**_FONT, "fontSize": 15, "fontWeight": 600, "fill": INK},
        "cell": _FRAME, "line": _LINE, "text": {**_FONT, "fontSize": 11},
    },
}  # fmt: skip
"""What Vega-Lite makes of the theme, for figures that are written for Vega itself."""


def quoted(name: str) -> str:
    r"""Write a name as the title of a tooltip, which Vega-Lite makes part of an expression: backslashes double."""
    return name.replace("\\", "\\\\")


def by_name(names: Iterable[object], values: Iterable[object]) -> dict[str, Any]:
    """Return a scale that gives each name its value."""
    return {"domain": list(names), "range": list(values)}


SIGNED: Final = by_name([-1, 0, 1], DIVERGING)
SHARES: Final = by_name([0, 0.5, 1], RISING)
"""The scales of shades of what lies between -1 and 1, and between 0 and 1."""


def _in_turn(looks: Sequence[object], names: Sequence[str]) -> dict[str, Any]:
    return by_name(names, (looks[i % len(looks)] for i in range(len(names))))


colours, dashes, shapes = (partial(_in_turn, looks) for looks in (COLOURS, DASHES, SHAPES))
"""Scales of names: no two of 28 have the same colour and dash, and no two of 35 the same colour and shape."""
STROKES: Final = {"title": None, "symbolType": "stroke", "symbolSize": 700, "symbolOpacity": 1}
"""A legend that names lines by pieces of them, long enough for a dash to be seen."""


def panel_title(text: str, width: float, *below: str) -> dict[str, Any]:
    """Return the title of a panel, limited to its width, and the lines below it."""
    lines = {"subtitle": [*below]} if below else {}
    return {"text": text, **lines, "anchor": "start", "fontSize": 12, "offset": 6, "limit": width}
