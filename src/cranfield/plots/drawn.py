"""Specifications drawn: of Vega-Lite, or of Vega where that does not suffice, with neither a browser nor a network.

Pages and specifications are written as they are; pictures are drawn by vl-convert, whose engine
reserves more address space than some machines grant.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise
from types import ModuleType
from typing import Any, Final

from cranfield.formats.optional import library
from cranfield.pages import writer
from cranfield.plots.grammar import Spec
from cranfield.plumbing.limits import require_addresses, require_files, require_threads

_SCALE: Final = 2  # Points of a PNG for each point of the figure: it is sharp on a good screen
_PRINTED: Final = 300  # Points in an inch of a PNG for print
IN_CLOUDS: Final = 240  # Points in an inch of what is a picture in a PDF, whose dots are no finer
INCH: Final = 72
"""Points of a figure in an inch."""
MOST_POINTS_AS_LINES: Final = 2000
"""A figure with more points than these has its clouds as pictures in a PDF, where a point takes a kilobyte."""
CLOUD: Final = 200  # How many points of one panel are a cloud; fewer stay as they are
WHAT: Final = "drawing SVG, PNG or PDF"
_ADDRESSES: Final = 68 * 10**9
"""How many addresses are reserved by the engine (V8) when it starts: measured as VmPeak, 67.3 GB."""
THREADS: Final = 16
_FILES: Final = 32  # How many threads and open files are enough for it

_CLOUD: Final = re.compile(rf'(<g class="mark-symbol role-mark[^>]*>)((?:<path[^>]*/>){{{CLOUD},}})(</g>)')
_PLACE: Final = re.compile(r'transform="translate\(([-\d.e]+),([-\d.e]+)\)"')
_ALONE: Final = """\
<main class="alone">
<h1 class="heard">{title}</h1>
<noscript><p>The figure needs JavaScript; what can be seen in it is said here.</p></noscript>
{figure}
</main>"""
POINTED_AT: Final = re.compile(r'<path [^>]*\sopacity="0"[^>]*/>|<g class="[^"]*_voronoi"[^>]*>(?:<path[^>]*/>)*</g>')
"""What a pointer would find, and nobody sees in a picture."""
_MARGIN: Final = 12  # How far a mark reaches beyond the point that it stands for


def is_vega(spec: Spec) -> bool:
    """Tell whether a specification is for Vega; without a ``$schema`` it is for Vega-Lite."""
    return "/vega/" in spec.get("$schema", "")


def title_of(spec: Spec) -> str:
    """Return the title, or if it was left out the start of the description, which is the same."""
    title = spec.get("title", str(spec.get("description", "")).partition(". ")[0])
    text = title.get("text", "") if isinstance(title, Mapping) else title
    return str(text) if isinstance(text, str) else " ".join(map(str, text))


def command_of(spec: Spec) -> str:
    """Return the command that draws the figure again, or an empty string."""
    return str(spec.get("usermeta", {}).get("command", ""))


def as_vega(spec: Spec) -> dict[str, Any]:
    """Return a specification for Vega, which Vega-Lite is translated to."""
    if is_vega(spec):
        return dict(spec)
    found: dict[str, Any] = _engine().vegalite_to_vega(dict(spec))
    return found


def html(spec: Spec, scale: float = 1) -> bytes:
    """Write a page that needs no network, and draws the figure itself."""
    title, description = title_of(spec), str(spec.get("description", ""))
    caption = f"<p>{writer.text(description)}</p>"
    if command := command_of(spec):
        caption += f"<details><summary>The command that draws it</summary><pre>{writer.text(command)}</pre></details>"
    shown = writer.figure(spec, title=title, description=description, caption=caption)
    return writer.page(title, _ALONE.format(title=writer.text(title), figure=shown), figures=True).encode()


def as_json(spec: Spec, scale: float = 1) -> bytes:
    """Write the specification itself."""
    return (json.dumps(spec, indent=1, ensure_ascii=False) + "\n").encode()


def png(spec: Spec, scale: float = 1) -> bytes:
    """Draw points."""
    if scale == 1:
        return bytes(_converted(spec, "png", scale=_SCALE))
    return bytes(_converted(spec, "png", scale=scale, ppi=_PRINTED))


def svg(spec: Spec, scale: float = 1) -> bytes:
    """Draw lines and words."""
    drawn = POINTED_AT.sub("", _converted(spec, "svg"))
    return (drawn if scale == 1 else _scaled(drawn, scale, "pt")).encode()


def pdf(spec: Spec, scale: float = 1) -> bytes:
    """Draw lines and words for print, with the fonts in it; a cloud of very many marks is a picture."""
    drawn = svg(spec).decode()
    if sum(cloud[2].count("<path") for cloud in _CLOUD.finditer(drawn)) > MOST_POINTS_AS_LINES:
        drawn = _CLOUD.sub(lambda cloud: cloud[1] + _picture(cloud[2], scale) + cloud[3], drawn)
    return in_order(library("vl_convert", extra="plots").svg_to_pdf(_scaled(drawn, scale)))


def size(spec: Spec) -> tuple[float, float]:
    """Return how wide and how high it is, in points."""
    width, height = re.findall(r' (?:width|height)="([\d.]+)"', svg(spec).decode())[:2]
    return float(width), float(height)


WRITERS: Final[Mapping[str, Callable[[Spec, float], bytes]]] = {
    "html": html,
    "json": as_json,
    "pdf": pdf,
    "png": png,
    "svg": svg,
}
"""What a figure can be written as, by the suffix of the file."""


def _engine() -> ModuleType:
    """Return the library that draws, if its engine can start."""
    found = library("vl_convert", extra="plots")
    _require_room()
    return found


@cache
def _require_room() -> None:
    """Refuse to start the engine where it cannot have all this: it would end the process."""
    instead = "write .html or .json, which need none of it, or allow more"
    require_addresses(_ADDRESSES, WHAT, instead)
    require_threads(THREADS, WHAT, instead)
    require_files(_FILES, WHAT, instead)


def _converted(spec: Spec, to: str, **options: object) -> Any:
    language = "vega" if is_vega(spec) else "vegalite"
    return getattr(_engine(), f"{language}_to_{to}")(dict(spec), **options)


def _scaled(drawn: str, scale: float, unit: str = "") -> str:
    """Draw it smaller, lines as well as words."""

    def smaller(size: re.Match[str]) -> str:
        return f' {size[1]}="{float(size[2]) * scale:.2f}{unit}"'

    return re.sub(r' (width|height)="([\d.]+)"', smaller, drawn, count=2)


def _picture(marks: str, scale: float) -> str:
    """Draw marks as points, in a picture that takes their place among the lines and words."""
    across, down = zip(*((float(x), float(y)) for x, y in _PLACE.findall(marks)), strict=True)
    left, top = min(across) - _MARGIN, min(down) - _MARGIN
    width, height = max(across) + _MARGIN - left, max(down) + _MARGIN - top
    frame = f'viewBox="{left} {top} {width} {height}" width="{width}" height="{height}"'
    drawn = f'<svg xmlns="http://www.w3.org/2000/svg" {frame}>{marks}</svg>'
    points = library("vl_convert", extra="plots").svg_to_png(drawn, scale=scale * IN_CLOUDS / INCH)
    data = base64.b64encode(points).decode()
    box = f'x="{left}" y="{top}" width="{width}" height="{height}"'
    return f'<image {box} href="data:image/png;base64,{data}"/>'


_ENTRY: Final = re.compile(rb"(\d{10}) \d{5} n")
_REFERENCE: Final = re.compile(rb"\b(\d+) 0 R\b")
_HEAD: Final = re.compile(rb"(\d+) 0 obj\s(.*?)(stream\n.*|$)", re.DOTALL)
_ENTRIES: Final = re.compile(rb"(?:^ */\S+ \d+ 0 R\n)+", re.MULTILINE)
"""Entries of one dictionary, such as its fonts by name, a line each; their order means nothing."""
_TRAILER: Final = re.compile(rb"trailer\s(.*?)startxref", re.DOTALL)


def in_order(data: bytes) -> bytes:
    """Renumber the objects of a PDF in the order of their references from the root.

    vl-convert writes fonts in random order; renumbered, the same picture is the same file.
    """
    table = data.rindex(b"\nxref") + 1
    places = sorted(int(place) for place in _ENTRY.findall(data, table))
    found = (_HEAD.match(data[start:end]) for start, end in pairwise([*places, table]))
    objects = {int(each[1]): (_ENTRIES.sub(_in_lines, each[2]), each[3]) for each in found if each is not None}
    trailer = _TRAILER.search(data, table)
    numbers: dict[int, int] = {}
    waiting = _references(trailer[1]) if trailer else []
    while waiting:
        number = waiting.pop(0)
        if number in objects and number not in numbers:
            numbers[number] = len(numbers) + 1
            waiting += _references(objects[number][0])
    if trailer is None or len(numbers) < len(places):  # what is not understood is left as it is
        return data

    def renumbered(text: bytes) -> bytes:
        return _REFERENCE.sub(lambda found: b"%d 0 R" % numbers[int(found[1])], text)

    written, entries = data[: places[0]], b""
    for old, new in numbers.items():
        entries += b"%010d 00000 n \n" % len(written)
        head, stream = objects[old]
        written += (b"%d 0 obj\n%s%s" % (new, renumbered(head), stream)).rstrip() + b"\n\n"
    size = len(numbers) + 1
    index = b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, entries)
    return written + index + b"trailer\n%sstartxref\n%d\n%%%%EOF" % (renumbered(trailer[1]), len(written))


def _in_lines(entries: re.Match[bytes]) -> bytes:
    return b"".join(sorted(entries[0].splitlines(keepends=True)))


def _references(text: bytes) -> list[int]:
    return [int(number) for number in _REFERENCE.findall(text)]
