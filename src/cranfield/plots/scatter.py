"""Every run on every topic as a point: one measure across, another up."""

from __future__ import annotations

import json
from typing import Any, Final

from cranfield.plots.axes import ends_of, least_and_most
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, HALO, INK
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

SIDE: Final = 420
MOST_POINTS: Final = 25_000
"""More points than that are slow to brush."""
FEW_POINTS: Final = 300
"""So few are drawn larger, to be seen at all."""
CLICK: Final = 4
"""A drag shorter than that, in points, is a click."""
BRIGHT, PALE = 0.5, 0.05
"""How opaque points are, chosen or not."""
SCHEMA: Final = "https://vega.github.io/schema/vega/v6.json"


@plot(of="scores", measures=("Twist", "nDCG@10"))
def scatter(per_topic: pl.DataFrame) -> Drawing:
    """Which rankings are good by one measure and poor by another?

    A point is a ranking: a run on a topic, the first measure across, the second up; effort against
    gain, where the first is Twist. On a page, drag a rectangle to choose rankings, which leaves all
    others pale; a click beside the points ends that.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The Twist measure for IR
    evaluation", JASIST 67(3), Figures 7 to 10, which are of Twist and a gain, and have the sixteen
    fields of `effort_gain`, too.
    """
    measures = per_topic["measure"].unique(maintain_order=True).to_list()
    if len(measures) != 2:
        raise InputError(f"scatter is of two measures, not of {', '.join(measures)}; give two with -m")
    wide = per_topic.pivot("measure", index=["run", "topic"], values="value", maintain_order=True)
    every = wide.select("run", "topic", x=measures[0], y=measures[1]).with_row_index("n")
    there = every.filter(pl.col("x").is_finite() & pl.col("y").is_finite())
    if not there.height:
        raise InputError(f"no ranking has a value by both {' and '.join(measures)}")
    points = there.sample(MOST_POINTS, seed=7) if there.height > MOST_POINTS else there
    says = [f"A point is a run on a topic, {every.height:,} in all."]
    if there.height < every.height:
        says.append(f"{every.height - there.height:,} without a value by one of the measures are left out.")
    if points.height < there.height:
        says.append(f"{points.height:,} of them are drawn, by chance.")
    return Drawing(
        _vega(points, measures), f"{measures[1]} against {measures[0]}", _described(there, measures), tuple(says)
    )


def _described(points: pl.DataFrame, measures: list[str]) -> str:
    middle = {name: float(points[name].median()) for name in "xy"}  # type: ignore[arg-type]
    spans = "; ".join(
        "{} from {:.3f} to {:.3f}, half of them below {:.3f}".format(
            measure, *least_and_most(points[name]), middle[name]
        )
        for name, measure in zip("xy", measures, strict=True)
    )
    apart = points.filter((pl.col("x") > middle["x"]) != (pl.col("y") > middle["y"])).height
    return (
        f"Of {counted(points.height, 'ranking')}, {spans}. {apart / points.height:.0%} are in the upper half by one "
        "alone."
    )


def _vega(points: pl.DataFrame, measures: list[str]) -> dict[str, Any]:
    """Write the specification: Vega-Lite hands on no brush in the measures' units that a page could set, too.

    Signals that pages set: ``brush``, the chosen rectangle as [x from, x to, y from, y to]; and
    ``kept``, a text with a 1 at the place of each ranking that is not to be pale whatever the brush.
    The rows of ``picked`` are ringed.
    """
    x, y = measures
    domains = {"x": ends_of(points["x"]), "y": ends_of(points["y"])}
    return {
        "$schema": SCHEMA,
        "width": SIDE,
        "height": SIDE,
        "signals": _signals(),
        "data": [{"name": "rankings", "values": points.to_dicts()}, {"name": "picked", "values": []}],
        "scales": [
            {"name": name, "type": "linear", "domain": list(domains[name]), "range": side, "nice": False}
            for name, side in (("x", "width"), ("y", "height"))
        ],
        "axes": [
            {"scale": "x", "orient": "bottom", "title": x, "grid": True, "tickCount": 6},
            {"scale": "y", "orient": "left", "title": y, "grid": True, "tickCount": 6},
        ],
        "marks": [_field(), _brushed(), _points(points.height, x, y), *_rings()],
    }  # fmt: skip


def _signals() -> list[dict[str, Any]]:
    here = "[clamp(x(), 0, width), clamp(y(), 0, height)]"
    dragged = "[@field:pointerdown, window:pointerup] > window:pointermove!"
    dragged_from_point = dragged.replace("field", "points")
    corner = {
        "x": "invert('x', start[0]), invert('x', clamp(x(), 0, width))",
        "y": "invert('y', start[1]), invert('y', clamp(y(), 0, height))",
    }
    ends = ", ".join(f"{end}({corner[name]})" for name in "xy" for end in ("min", "max"))
    far = f"max(abs(x() - start[0]), abs(y() - start[1])) >= {CLICK}"
    return [
        {"name": "start", "on": [{"events": "@field:pointerdown, @points:pointerdown", "update": here}]},
        {
            "name": "brush", "value": None,
            "on": [
                {"events": f"{dragged}, {dragged_from_point}", "update": f"{far} ? [{ends}] : brush"},
                {"events": "@field:click", "update": f"{far} ? brush : null"},
            ],
        },
        {"name": "kept", "value": None},
    ]  # fmt: skip


def _field() -> dict[str, Any]:
    """Return the ground, which takes drags and clicks."""
    whole = {"x": {"value": 0}, "x2": {"signal": "width"}, "y": {"value": 0}, "y2": {"signal": "height"}}
    update = {**whole, "fill": {"value": "transparent"}, "cursor": {"value": "crosshair"}}
    return {"type": "rect", "name": "field", "aria": False, "encode": {"update": update}}


def _brushed() -> dict[str, Any]:
    ends = {"x": "x", "x2": "x", "y": "y", "y2": "y"}
    places = {
        channel: {"signal": f"brush ? scale('{scale}', brush[{i}]) : 0"}
        for i, (channel, scale) in enumerate(ends.items())
    }
    update = {
        **places, "fill": {"value": INK}, "stroke": {"value": INK}, "fillOpacity": {"signal": "brush ? 0.08 : 0"},
        "strokeOpacity": {"signal": "brush ? 0.6 : 0"},
    }  # fmt: skip
    return {"type": "rect", "interactive": False, "aria": False, "encode": {"update": update}}


def _points(many: int, x: str, y: str) -> dict[str, Any]:
    inside = "!brush || inrange(datum.x, [brush[0], brush[1]]) && inrange(datum.y, [brush[2], brush[3]])"
    values = {json.dumps(measure): f"format(datum.{name}, '.4f')" for name, measure in (("x", x), ("y", y))}
    said = " + ', ' + ".join(f"{measure} + ' ' + {value}" for measure, value in values.items())
    tip = ", ".join(f"{measure}: {value}" for measure, value in values.items())
    enter = {
        "shape": {"value": "circle"},
        "fill": {"value": COLOURS[0]},
        "cursor": {"value": "pointer"},
        "tooltip": {"signal": f"{{run: datum.run, topic: datum.topic, {tip}}}"},
        "ariaRoleDescription": {"value": "ranking"},
        "description": {"signal": f"datum.run + ' on ' + datum.topic + ': ' + {said}"},
    }
    update = {
        "x": {"scale": "x", "field": "x"},
        "y": {"scale": "y", "field": "y"},
        "size": {"value": 60 if many <= FEW_POINTS else 28},
        "fillOpacity": {"signal": f"({inside}) && (!kept || kept[datum.n] === '1') ? {BRIGHT} : {PALE}"},
    }
    return {
        "type": "symbol",
        "name": "points",
        "from": {"data": "rankings"},
        "encode": {"enter": enter, "update": update, "hover": {"size": {"value": 90}, "fillOpacity": {"value": 1}}},
    }


def _rings() -> list[dict[str, Any]]:
    """Return a ring around each ranking that is picked, and its number beside it."""
    place = {"x": {"scale": "x", "field": "x"}, "y": {"scale": "y", "field": "y"}}
    ring = {
        "shape": {"value": "circle"}, "size": {"value": 170}, "stroke": {"value": COLOURS[1]},
        "strokeWidth": {"value": 2.5}, "fill": {"value": "transparent"},
    }  # fmt: skip
    number = {
        "text": {"field": "nth"}, "dx": {"value": 10}, "dy": {"value": -8}, "fontWeight": {"value": "bold"},
        "fontSize": {"value": 13}, "fill": {"value": INK},
    }  # fmt: skip
    halo = {**number, "stroke": {"value": HALO}, "strokeWidth": {"value": 4}, "strokeJoin": {"value": "round"}}
    marks = [("symbol", ring), ("text", halo), ("text", number)]
    return [
        {"type": kind, "interactive": False, "from": {"data": "picked"}, "encode": {"enter": looks, "update": place}}
        for kind, looks in marks
    ]
