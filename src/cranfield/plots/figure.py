"""A figure: something to look at, in a notebook, on a page or in print."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from cranfield.formats import write_whole
from cranfield.formats.optional import library
from cranfield.plots.drawn import WRITERS, as_vega, command_of, is_vega, title_of
from cranfield.plots.grammar import Spec
from cranfield.plots.printing import in_greys, printed
from cranfield.plumbing.errors import InputError

if TYPE_CHECKING:
    import altair as alt

    from cranfield.formats.files import FilePath
VEGA_OF_NOTEBOOKS: Final = "https://vega.github.io/schema/vega/v5.json"
"""The version that JupyterLab and Visual Studio Code bring with them."""


@dataclass(frozen=True, eq=False, repr=False)
class Figure:
    """A figure, as the specification that Vega-Lite, or Vega, draws: a plain dict.

    A notebook shows it without a network. `save` writes a page to zoom and point at, a picture, or
    the specification itself.

    Attributes
    ----------
    name
        Which plot it is.
    spec
        The specification, its data and theme included.
    scale
        At which scale pictures of it are drawn: 1, unless it is for print.
    """

    name: str
    spec: Spec
    scale: float = 1

    def __repr__(self) -> str:
        return f"Figure({self.name}: {self.description})"

    @property
    def description(self) -> str:
        """What can be seen, in words and numbers, for those who cannot look."""
        return str(self.spec["description"])

    @property
    def title(self) -> str:
        """What is shown."""
        return title_of(self.spec)

    @property
    def subtitle(self) -> str:
        """What the marks mean, how many runs and topics there are, and how they were scored."""
        return " ".join(" ".join(self.spec.get("title", {}).get("subtitle", ())).split())

    @property
    def command(self) -> str:
        """What draws it once more, on the command line or in Python; empty where that is not known."""
        return command_of(self.spec)

    def drawn_by(self, command: str) -> Figure:
        """Return it with what draws it once more, which its page and its specification then say."""
        return replace(self, spec={**self.spec, "usermeta": {**self.spec.get("usermeta", {}), "command": command}})

    @property
    def chart(self) -> alt.TopLevelMixin:
        """The chart as Altair has it, to be changed further.

        Raises
        ------
        InputError
            Where Altair is not installed, or the figure is drawn by Vega, which Altair does not write.
        """
        if is_vega(self.spec):
            why = f"{self.name} is drawn by Vega and not by Vega-Lite"
            raise InputError(f"{why}: Altair has no chart of it; change spec")
        chart: alt.TopLevelMixin = library("altair").Chart.from_dict(dict(self.spec))
        return chart

    def to_bytes(self, format: str) -> bytes:  # noqa: A002
        """Return it as ``"html"`` (one file that needs no network), ``"json"``, ``"pdf"``, ``"png"`` or ``"svg"``."""
        if format not in WRITERS:
            raise InputError(f"a figure cannot be written as {format or 'a file without a suffix'!r}; {_KNOWN}")
        return WRITERS[format](self.spec, self.scale)

    def save(self, path: FilePath) -> None:
        """Write it, whole or not at all, as what the file's suffix says.

        Raises
        ------
        InputError
            Where the suffix is none of those of `to_bytes`, or what draws is not installed.
        """
        write_whole(path, self.to_bytes(format_of(path)))

    def for_print(self, width: str | None = None, *, grey: bool = False, titled: bool = True) -> Figure:
        """Return it as a journal prints it.

        Parameters
        ----------
        width
            ``"column"``, 8.4 cm, or ``"page"``, 17.5 cm; without it, as wide as it is. Panels are made
            narrower, and set below each other where need be; letters are of 7 to 8 points.
        grey
            In greys: lines are told apart by their dashes, points by their shapes.
        titled
            With title and subtitle. A paper says both below the figure: `title` and `subtitle` are the words.

        Raises
        ------
        InputError
            Where there is no such width.
        """
        spec = in_greys(self.spec) if grey else self.spec
        if not titled:
            spec = {name: part for name, part in spec.items() if name != "title"}
        if width is None:
            return replace(self, spec=spec)
        laid_out = printed(spec, width)
        return replace(self, spec=laid_out.spec, scale=laid_out.scale)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        """Show itself in a notebook, without a network: alive where Vega is known, or else as a drawing.

        Notebooks know Vega by its fifth version, and versions of Vega-Lite of their own; what
        Vega-Lite is translated to looks the same in all of them.
        """
        return {
            "application/vnd.vega.v5+json": as_vega(self.spec) | {"$schema": VEGA_OF_NOTEBOOKS},
            "image/svg+xml": self.to_bytes("svg").decode(),
            "text/plain": repr(self),
        }


def format_of(path: FilePath) -> str:
    """Return the format that the file's suffix names, or refuse it."""
    suffix = PurePath(path).suffix.removeprefix(".").lower()
    if suffix not in WRITERS:
        raise InputError(_KNOWN, source=str(path))
    return suffix


_KNOWN: Final = f"a figure is written to a file in {', '.join(f'.{suffix}' for suffix in WRITERS)}"
