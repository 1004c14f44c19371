"""A figure: something to look at, in a notebook, on a page or in print."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from cranfield.errors import InputError
from cranfield.formats import write_whole
from cranfield.formats.optional import library
from cranfield.plots.grammar import alt

if TYPE_CHECKING:
    from cranfield.formats.files import FilePath

SCALE: Final = 2
"""Points of a PNG for each point of the figure: it is sharp on a good screen."""


def _html(spec: Mapping[str, Any]) -> bytes:
    page: str = library("vl_convert", extra="plots").vegalite_to_html(dict(spec), bundle=True)
    return page.encode()


def _json(spec: Mapping[str, Any]) -> bytes:
    return (json.dumps(spec, indent=1, ensure_ascii=False) + "\n").encode()


def _pdf(spec: Mapping[str, Any]) -> bytes:
    return bytes(library("vl_convert", extra="plots").vegalite_to_pdf(dict(spec)))


def _png(spec: Mapping[str, Any]) -> bytes:
    return bytes(library("vl_convert", extra="plots").vegalite_to_png(dict(spec), scale=SCALE))


def _svg(spec: Mapping[str, Any]) -> bytes:
    drawn: str = library("vl_convert", extra="plots").vegalite_to_svg(dict(spec))
    return drawn.encode()


WRITERS: Final[Mapping[str, Callable[[Mapping[str, Any]], bytes]]] = {
    "html": _html,
    "json": _json,
    "pdf": _pdf,
    "png": _png,
    "svg": _svg,
}
"""What a figure can be written as, by the suffix of the file."""


@dataclass(frozen=True, eq=False, repr=False)
class Figure:
    """A figure, as the specification that Vega-Lite draws: a plain dict.

    A notebook shows it without a network. `save` writes a page to zoom and point at, a picture, or
    the specification itself.

    Attributes
    ----------
    name
        Which plot it is.
    spec
        The specification, its data and theme included.
    """

    name: str
    spec: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"Figure({self.name}: {self.description})"

    @property
    def description(self) -> str:
        """What can be seen, in words and numbers, for those who cannot look."""
        return str(self.spec["description"])

    @property
    def chart(self) -> alt.TopLevelMixin:
        """The chart as Altair has it, to be changed further."""
        chart: alt.TopLevelMixin = alt.Chart.from_dict(dict(self.spec))
        return chart

    def to_bytes(self, format: str) -> bytes:  # noqa: A002
        """Return it as ``"html"`` (one file that needs no network), ``"json"``, ``"pdf"``, ``"png"`` or ``"svg"``."""
        if format not in WRITERS:
            raise InputError(f"a figure cannot be written as {format or 'a file without a suffix'!r}; {_KNOWN}")
        return WRITERS[format](self.spec)

    def save(self, path: FilePath) -> None:
        """Write it, whole or not at all, as what the file's suffix says.

        Raises
        ------
        InputError
            Where the suffix is none of those of `to_bytes`, or what draws is not installed.
        """
        write_whole(path, self.to_bytes(format_of(path)))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Show itself in a notebook: a drawing, which needs neither scripts nor a network."""
        del include, exclude
        return {"image/svg+xml": self.to_bytes("svg").decode(), "text/plain": repr(self)}


def format_of(path: FilePath) -> str:
    """Read the format off the file's suffix.

    >>> format_of("found/leaderboard.svg")
    'svg'
    >>> format_of("leaderboard.csv")
    Traceback (most recent call last):
    ...
    cranfield.errors.InputError: leaderboard.csv: a figure is written to a file in .html, .json, .pdf, .png, .svg
    """
    suffix = PurePath(path).suffix.removeprefix(".").lower()
    if suffix not in WRITERS:
        raise InputError(_KNOWN, source=str(path))
    return suffix


_KNOWN: Final = f"a figure is written to a file in {', '.join(f'.{suffix}' for suffix in WRITERS)}"
