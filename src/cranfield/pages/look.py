"""The one look: colours, type and distances of figures, reports, the explorer, pages and notebooks, each with its name.

Nothing else names a colour. Style sheets say ``var(--quiet)``, figures take theirs from `PALETTE` and `JUDGED`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

GROUND: Final = "#ffffff"
"""The ground of figures as they are saved and printed."""
IN_THE_DARK: Final = "invert(.92) hue-rotate(180deg)"
"""The filter by which a dark page shows figures: light and dark change places, and hues stay."""
INK: Final = "#1f2328"
"""Letters on paper."""
PALETTE: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Colours that everybody tells apart, of Okabe and Ito (2008), without the yellow, which is lost on white."""
LETTERS: Final = ("#0072B2", "#B85000")
"""The first colours of the palette, where words are written in them: with a contrast of 4.5 to 1 at least."""
RELEVANT, NOT_RELEVANT, UNJUDGED = "relevant", "judged not relevant", "unjudged"
JUDGED: Final = {RELEVANT: "#0072B2", NOT_RELEVANT: "#4d4d4d", UNJUDGED: "#F3C98B"}
"""The three states of a document: no two of the same lightness."""


@dataclass(frozen=True)
class Colour:
    """A colour on a light ground, on a dark one, and printed."""

    light: str
    dark: str
    printed: str


SHADES: Final[Mapping[str, Colour]] = {
    "ground": Colour(GROUND, "#14171c", GROUND),
    "ink": Colour(INK, "#e6e8ec", "#000000"),
    "quiet": Colour("#4b5360", "#aab2bf", "#333333"),
    "line": Colour("#cfd4dc", "#3a414c", "#999999"),
    "shade": Colour("#f4f6f9", "#1e232b", GROUND),
    "link": Colour("#0059a8", "#7cb8ff", "#000000"),
    "warn": Colour("#8a4b00", "#ffb86b", "#000000"),
    "holds": Colour("#0b7a44", "#5fd38d", "#000000"),
    "fails": Colour("#b03a00", "#ff9d6b", "#000000"),
    "best": Colour("rgba(46,160,67,.22)", "rgba(46,160,67,.34)", "#dddddd"),
    "veil": Colour("rgba(0,0,0,.4)", "rgba(0,0,0,.6)", "rgba(0,0,0,.4)"),
    "found": Colour("#ffe28a", "#ffe28a", "#dddddd"),
    "paper": Colour(GROUND, GROUND, GROUND),
    "paper-ink": Colour(INK, INK, INK),
    **{name.replace(" ", "-"): Colour(colour, colour, colour) for name, colour in JUDGED.items()},
}
"""What a colour is for, and the colour: letters on their ground have a contrast of 4.5 to 1 at least."""

_SIZES: Final[Mapping[str, str]] = {
    "display": "1.8rem", "title": "1.4rem", "heading": "1.1rem", "text": "1rem", "dense": ".9375rem", "note": ".875rem",
    "small": ".8125rem",
    "measure": "46rem", "page": "84rem", "gap": "1rem", "wide-gap": "1.5rem", "corner": ".3rem", "edge": "4px",
}  # fmt: skip
"""Sizes of letters from the largest to the smallest, the widths of a text and of a page, and distances."""


@cache
def look() -> str:
    """Return the style sheet that all pages share: the names above, and how text, tables and figures are set.

    >>> "--quiet: #4b5360" in look(), "--note: .875rem" in look()
    (True, True)
    """
    rules = files("cranfield.pages").joinpath("assets", "look.css").read_text(encoding="utf-8")
    light, dark, paper = (
        _named({name: getattr(each, ground) for name, each in SHADES.items()})
        for ground in ("light", "dark", "printed")
    )
    return f"""\
:root {{ color-scheme: light dark; {light} {_named(_SIZES)} }}
@media (prefers-color-scheme: dark) {{ :root {{ {dark} --turned: {IN_THE_DARK}; }} }}
@media print {{ :root {{ color-scheme: light; {paper} --turned: none; }} }}
{rules}"""


def _named(values: Mapping[str, str]) -> str:
    return " ".join(f"--{name}: {value};" for name, value in values.items())
