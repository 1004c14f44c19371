"""Figures for print: as wide as a journal's column or page, with letters that can be read there; in greys, if need be.

A figure is not made smaller letters and all. Its panels are, until the whole is so wide that
letters of 11 points are printed at 7.5.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from textwrap import wrap
from typing import Any, Final

from cranfield.plots.drawn import INCH, size
from cranfield.plots.grammar import Spec
from cranfield.plots.theme import GREYS
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.wording import ordinal

CENTIMETRES: Final = {"column": 8.4, "page": 17.5}  # How wide is what a journal prints: a column, or the whole page
ABREAST: Final[Mapping[str, tuple[tuple[int, int], ...]]] = {
    "column": ((1, 2), (1, 1)),
    "page": ((3, 4), (2, 3), (1, 3), (1, 1)),
}
"""At most how many panels side by side, and entries of a legend: the first with which it fits."""
_LETTERS, _PRINTED = 11, 7.5  # How large letters are in the theme, and in print, in points
_SCALE: Final = _PRINTED / _LETTERS
_SIZES: Final = (10.5, 12.0)
"""Letters are at least and at most of that size before they are printed, 7.2 to 8.2 points then."""
TALLEST: Final = 24 / 2.54 * INCH / _SCALE  # Before it is printed; panels are made lower until that is enough
_LEAST_WIDTH: Final = 0.25  # Panels that had to shrink below that part of their width do not fit
_LOWEST: Final = 0.6  # Panels keep that part of their height, unless the whole is too tall then
SMALLEST: Final = 0.92  # To that part of their size letters may shrink, where nothing else does
AS_HIGH, AS_LARGE = "as_high", "as_large"
"""Styles of views that hold words in lines, and stay as high, or at least as large, as they are."""
MARGIN: Final = 120
"""What is no wider than that next to a panel is a margin of it."""
TRIES: Final = 8
_LETTER: Final = 5.8  # How wide a letter is, on average, before it is printed

_COLOUR: Final = re.compile("#[0-9a-fA-F]{6}")
_CHANNELS: Final = {"x": 0, "x2": 0, "y": 1, "y2": 1}  # Of those that are places: along the width, or along the height


@dataclass(frozen=True)
class Printed:
    """A specification in the proportions of print, and the scale at which it is printed."""

    spec: Spec
    scale: float


def printed(spec: Spec, width: str) -> Printed:
    """Lay a figure out for a column or a page.

    Legends go below the panels, and panels below each other where they do not fit; then all shrink to the width. Panels
    with lines of text keep their size, lest words overlap; if they are too wide, the whole is scaled, or refused.
    """
    if width not in CENTIMETRES:
        raise InputError(f"a figure is printed as wide as a {' or a '.join(CENTIMETRES)}, not as {width!r}")
    wanted = CENTIMETRES[width] / 2.54 * INCH / _SCALE
    for panels, entries in ABREAST[width]:
        found, drawn = _fitted(_arranged(spec, wanted, panels, entries), wanted)
        if drawn <= wanted + 1:
            break
    if drawn > wanted / SMALLEST:
        raise InputError(
            f"what stands side by side here is too wide for a {width}, unless in letters that nobody can read; "
            f"draw fewer runs or measures, {'print it on a page, ' if width == 'column' else ''}or save it as it is"
        )
    return Printed(found, _SCALE * wanted / drawn)


def in_greys(spec: Spec) -> Spec:
    """Return the figure in greys: the theme's colours become distinct greys, others keep their lightness."""
    grey: Spec = _changed(spec, lambda _, value: _COLOUR.sub(_grey, value) if isinstance(value, str) else value)
    return {**grey, "config": {**grey.get("config", {}), "mark": {"color": GREYS["#0072B2"]}}}


def _grey(colour: re.Match[str]) -> str:
    if colour[0] in GREYS:
        return GREYS[colour[0]]
    red, green, blue = (int(colour[0][i : i + 2], 16) for i in (1, 3, 5))
    light = round(0.299 * red + 0.587 * green + 0.114 * blue)
    return f"#{light:02x}{light:02x}{light:02x}"


def _changed(part: Any, change: Callable[[str, Any], Any], key: str = "") -> Any:
    """Return it with every value changed, but for the data."""
    if isinstance(part, Mapping):
        return {
            name: each if name in {"datasets", "values"} else _changed(each, change, key if name == "value" else name)
            for name, each in part.items()
        }
    if isinstance(part, list | tuple):
        return [_changed(each, change, key) for each in part]
    return change(key, part)


def _arranged(spec: Spec, wanted: float, panels: int, entries: int) -> Spec:
    """Set legends and panels below each other, and letters and lines of words to what fits."""
    least, most = _SIZES
    found = _changed(
        spec, lambda key, value: min(max(value, least), most) if key.lower().endswith("fontsize") else value
    )
    found = _stacked(found, panels)
    legend = {"orient": "bottom", "columns": entries, "labelLimit": wanted - 60, "titleLimit": wanted}
    config = found.get("config", {})
    config |= {"legend": config.get("legend", {}) | legend, "axis": config.get("axis", {}) | {"labelOverlap": True}}
    letters = int(wanted / _LETTER)
    if title := found.get("title"):
        sentences = re.split(r"(?<=\.)\n", "\n".join(title["subtitle"]))  # which were broken elsewhere
        lines = [line for text in sentences for line in wrap(text, letters)]
        found["title"] = {"text": wrap(title["text"], int(letters * 0.9)), "subtitle": lines}
    legends = [{**each, "orient": "bottom", "direction": "horizontal"} for each in found.get("legends", ())]
    return {**found, "config": config, **({"legends": legends} if legends else {})}


def _stacked(view: dict[str, Any], panels: int) -> dict[str, Any]:
    """Set at most this many panels side by side; a margin stays at its panel's side."""
    if panels == 1 and "hconcat" in view and not any(_is_margin(each) for each in view["hconcat"]):
        view = {"vconcat" if name == "hconcat" else name: each for name, each in view.items()}
    if "concat" in view:
        view = {**view, "columns": min(panels, view.get("columns", panels))}
    return view | {
        inner: [_stacked(each, panels) for each in view[inner]]
        for inner in ("concat", "hconcat", "vconcat")
        if inner in view
    }


def _is_margin(view: dict[str, Any]) -> bool:
    """Say whether it is too narrow to be a panel of its own: its rows are those of the panel next to it."""
    return isinstance(view.get("width"), int | float) and view["width"] <= MARGIN


def _fitted(spec: Spec, wanted: float) -> tuple[Spec, float]:
    """Shrink or widen the panels until it is as wide as it should be, and no higher; return it, and how wide it is."""
    sized = cache(lambda across, down: size(_shrunk(spec, across, down)))
    across = _solved(lambda part: sized(part, _down(part))[0], wanted)
    down = _down(across)
    width, height = sized(across, down)
    if height > TALLEST and width <= wanted + 1:
        down = _solved(lambda part: sized(across, part)[1], TALLEST, first=down)
        across = _solved(lambda part: sized(part, down)[0], wanted, first=across)  # axes have other labels now
        width, _ = sized(across, down)
    return _shrunk(spec, across, down), width


def _down(across: float) -> float:
    """Return which part of their height panels keep that keep this part of their width."""
    return min(max(across, _LOWEST), 1)


def _solved(length: Callable[[float], float], wanted: float, first: float = 1) -> float:
    """Return the factor by which panels must be scaled to give the figure the wanted length; the smallest if none does.

    Axes and gaps do not scale, so the length is linear in the factor, and two tries show where to look. Where something
    else, such as a title, is longer, steps are at most a half or a doubling, between known too short and too long.
    """
    short, long, slope = _LEAST_WIDTH, math.inf, length(first) / first
    part, found = first, length(first)
    for _ in range(TRIES):
        if abs(found - wanted) <= 1 or (part == _LEAST_WIDTH and found > wanted):
            break
        short, long = (part, long) if found < wanted else (short, part)
        before, last = part, found
        part = min(max(part + (wanted - found) / slope, part / 2, _LEAST_WIDTH), part * 2)
        if not short <= part < long:
            part = (short + long) / 2
        found = length(part)
        if wanted < found > last - 1 and part < before:  # it is not the panels that are too long
            break
        if (found - last) * (part - before) > 0:
            slope = (found - last) / (part - before)
    return short if found > wanted + 1 and short > _LEAST_WIDTH else part


def _shrunk(view: Any, across: float, down: float, room: tuple[float | None, float | None] = (None, None)) -> Any:
    """Give panels a part of their width and of their height, and break the titles of their axes."""
    if isinstance(view, list):
        return [_shrunk(each, across, down, room) for each in view]
    if not isinstance(view, dict):
        return view
    style = (view.get("view") or {}).get("style", ())
    across = max(across, 1) if AS_LARGE in style else across
    down = 1 if AS_LARGE in style or AS_HIGH in style else down
    parts = across, down
    view = dict(view)
    for i, side in enumerate(("width", "height")):
        if isinstance(view.get(side), int | float):
            view[side] = view[side] * parts[i]
            room = (view[side], room[1]) if i == 0 else (room[0], view[side])
    if isinstance(view.get("width"), dict) and "step" in view["width"]:
        view["width"] = {"step": view["width"]["step"] * across}
        within = [each.get("encoding", {}).get("x", {}).get("sort") or () for each in (view, *view.get("layer", ()))]
        room = (view["width"]["step"] * max(map(len, within)), room[1])
    for inner in ("layer", "concat", "hconcat", "vconcat", "spec"):
        if inner in view:
            view[inner] = _shrunk(view[inner], across, down, room)
    if "encoding" in view:
        places = {name: (parts[i], room[i]) for name, i in _CHANNELS.items()}
        named = {"x": _named(view["encoding"]["x"], room[0])} if "x" in view["encoding"] else {}
        view["encoding"] = {
            name: _placed(channel, *places[name]) if name in places else _freed(channel)
            for name, channel in (view["encoding"] | named).items()
        }
    return view


def _named(channel: dict[str, Any], room: float | None) -> dict[str, Any]:
    """Name as many values of an axis as stand side by side, upright, and say in its title that it names no others."""
    values, axis = channel.get("sort"), channel.get("axis", {})
    if not room or not isinstance(values, list) or axis is None or axis.keys() & {"labelAngle", "labelOverlap"}:
        return channel
    every = math.ceil(_LETTERS * len(values) / room)
    axis = {**axis, "labelOverlap": False}
    if every < 2 or not axis.get("labels", True):
        return {**channel, "axis": axis}
    title = ", ".join(filter(None, [channel.get("title"), f"every {ordinal(every)} named"]))
    return {**channel, "title": title, "axis": {**axis, "values": values[::every]}}


def _placed(channel: dict[str, Any], part: float, room: float | None) -> dict[str, Any]:
    """Move a place that is given in points, and break the title of an axis that is longer than the axis."""
    if isinstance(channel.get("value"), int | float):
        return {**channel, "value": channel["value"] * part}
    if isinstance(channel.get("title"), str) and room is not None:
        return {**channel, "title": wrap(channel["title"], max(12, int(room / _LETTER)), break_long_words=False)}
    return channel


def _freed(channel: Any) -> Any:
    """Let a legend be where all are."""
    if isinstance(channel, dict) and isinstance(channel.get("legend"), dict):
        rest = {name: each for name, each in channel["legend"].items() if name not in {"orient", "columns", "offset"}}
        return {**channel, "legend": rest}
    return channel
