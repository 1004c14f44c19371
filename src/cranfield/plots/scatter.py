"""Every run on every topic as a point: one measure across, another up."""

from __future__ import annotations

import json
from typing import Any, Final

from cranfield.plots.axes import ends_of, least_and_most
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, HALO, INK
from cranfield.plots.vega import SILENT, VEGA, at, linear, mark, signal, span
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, percent

_SIDE: Final = 420
MOST_POINTS: Final = 25_000  # More points than that are slow to brush
_FEW_POINTS: Final = 300  # So few are drawn larger, to be seen at all
CLICK: Final = 4  # A drag shorter than that, in points, is a click
BRIGHT, PALE = 0.5, 0.05  # How opaque points are, chosen or not


@plot(of="scores", measures=("Twist", "nDCG@10"))
def scatter(per_topic: pl.DataFrame) -> Drawing:
    """Which rankings are good by one measure and poor by another?

    A point is a ranking: a run on a topic, with the first measure across and the second up (effort against gain if the
    first is Twist). On a page, drag a rectangle to choose rankings, and others turn pale; click outside to end this.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The Twist measure for IR evaluation", JASIST
    67(3), Figures 7 to 10, which are of Twist and a gain, and have the sixteen fields of `effort_gain`, too.
    """
    measures = per_topic["measure"].unique(maintain_order=True).to_list()
    if len(measures) != 2:
        raise InputError(f"scatter needs two measures, not {', '.join(measures)}; give two with -m")
    wide = per_topic.pivot("measure", index=["run", "topic"], values="value", maintain_order=True)
    every = wide.select("run", "topic", x=measures[0], y=measures[1]).with_row_index("n")
    there = every.filter(pl.col("x").is_finite() & pl.col("y").is_finite())
    if not there.height:
        raise InputError(f"no ranking has a value by both {' and '.join(measures)}")
    points = there.sample(MOST_POINTS, seed=7) if there.height > MOST_POINTS else there
    lacking = every.height - there.height
    return Drawing(
        _vega(points, measures),
        f"{measures[1]} against {measures[0]}",
        _described(there, measures),
        f"A point is a run on a topic, {every.height:,} in all.",
        f"{lacking:,} without a value by one of the measures are left out." if lacking else "",
        f"A random sample of {points.height:,} is drawn." if points.height < there.height else "",
    )


def _described(points: pl.DataFrame, measures: list[str]) -> str:
    middle = {name: float(points[name].median()) for name in "xy"}  # type: ignore[arg-type]
    said = "{} from {:.3f} to {:.3f}, half of them below {:.3f}".format
    spans = "; ".join(
        said(measure, *least_and_most(points[name]), middle[name]) for name, measure in zip("xy", measures, strict=True)
    )
    apart = points.filter((pl.col("x") > middle["x"]) != (pl.col("y") > middle["y"])).height
    return (
        f"Of {counted(points.height, 'ranking')}, {spans}. {percent(apart / points.height)} are in the upper half by "
        "only one."
    )


def _vega(points: pl.DataFrame, measures: list[str]) -> dict[str, Any]:
    """Write the specification: Vega-Lite hands on no brush in the measures' units that a page could set, too.

    Signals that pages set: ``brush``, the chosen rectangle as [x from, x to, y from, y to]; and ``kept``, a text with a
    1 at the place of each ranking that is not to be pale whatever the brush. The rows of ``picked`` are ringed.
    """
    sides = zip("xy", ("width", "height"), strict=True)
    places = {
        channel: signal(f"brush ? scale('{channel[0]}', brush[{i}]) : 0")
        for i, channel in enumerate(("x", "x2", "y", "y2"))
    }
    return {
        "$schema": VEGA,
        "width": _SIDE,
        "height": _SIDE,
        "signals": _signals(),
        "data": [{"name": "rankings", "values": points.to_dicts()}, {"name": "picked", "values": []}],
        "scales": [linear(name, domain=list(ends_of(points[name])), range=side, nice=False) for name, side in sides],
        "axes": [
            {"scale": name, "orient": orient, "title": measure, "grid": True, "tickCount": 6}
            for name, orient, measure in zip("xy", ("bottom", "left"), measures, strict=True)
        ],
        "marks": [
            mark("rect", name="field", aria=False, update={**span(), "fill": "transparent", "cursor": "crosshair"}),
            mark("rect", **SILENT, update={
                **places, "fill": INK, "stroke": INK, "fillOpacity": signal("brush ? 0.08 : 0"),
                "strokeOpacity": signal("brush ? 0.6 : 0"),
            }),
            _points(points.height, *measures),
            *_rings(),
        ],
    }  # fmt: skip


def _signals() -> list[dict[str, Any]]:
    here = "[clamp(x(), 0, width), clamp(y(), 0, height)]"
    dragged = ", ".join(f"[@{of}:pointerdown, window:pointerup] > window:pointermove!" for of in ("field", "points"))
    ends = ", ".join(
        f"{end}(invert('{name}', start[{i}]), invert('{name}', clamp({name}(), 0, {side})))"
        for i, (name, side) in enumerate((("x", "width"), ("y", "height")))
        for end in ("min", "max")
    )
    far = f"max(abs(x() - start[0]), abs(y() - start[1])) >= {CLICK}"
    brushed = [
        {"events": dragged, "update": f"{far} ? [{ends}] : brush"},
        {"events": "@field:click", "update": f"{far} ? brush : null"},
    ]
    return [
        {"name": "start", "on": [{"events": "@field:pointerdown, @points:pointerdown", "update": here}]},
        {"name": "brush", "value": None, "on": brushed},
        {"name": "kept", "value": None},
    ]


def _points(many: int, x: str, y: str) -> dict[str, Any]:
    inside = "!brush || inrange(datum.x, [brush[0], brush[1]]) && inrange(datum.y, [brush[2], brush[3]])"
    values = {json.dumps(measure): f"format(datum.{name}, '.4f')" for name, measure in (("x", x), ("y", y))}
    said = " + ', ' + ".join(f"{measure} + ' ' + {value}" for measure, value in values.items())
    tip = ", ".join(f"{measure}: {value}" for measure, value in values.items())
    return mark(
        "symbol",
        "rankings",
        name="points",
        enter={
            "shape": "circle",
            "fill": COLOURS[0],
            "cursor": "pointer",
            "tooltip": signal(f"{{run: datum.run, topic: datum.topic, {tip}}}"),
            "ariaRoleDescription": "ranking",
            "description": signal(f"datum.run + ' on ' + datum.topic + ': ' + {said}"),
        },
        update={
            "x": at("x", "x"),
            "y": at("y", "y"),
            "size": 60 if many <= _FEW_POINTS else 28,
            "fillOpacity": signal(f"({inside}) && (!kept || kept[datum.n] === '1') ? {BRIGHT} : {PALE}"),
        },
        hover={"size": 90, "fillOpacity": 1},
    )


def _rings() -> list[dict[str, Any]]:
    """Return a ring around each ranking that is picked, and its number next to it."""
    ring = {"shape": "circle", "size": 170, "stroke": COLOURS[1], "strokeWidth": 2.5, "fill": "transparent"}
    number = {"text": {"field": "nth"}, "dx": 10, "dy": -8, "fontWeight": "bold", "fontSize": 13, "fill": INK}
    halo = {**number, "stroke": HALO, "strokeWidth": 4, "strokeJoin": "round"}
    place = {"x": at("x", "x"), "y": at("y", "y")}
    marks = (("symbol", ring), ("text", halo), ("text", number))
    return [mark(kind, "picked", interactive=False, enter=looks, update=place) for kind, looks in marks]
