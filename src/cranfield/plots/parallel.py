"""Many measures side by side: each topic of a run, or each run, is a line across them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from cranfield.plots.axes import ends_of, least_and_most, ticks_of
from cranfield.plots.few import ends_told
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import HALO, INK
from cranfield.plots.vega import SILENT, VEGA, at, linear, mark, signal
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, named, percent

_GAP: Final = 105  # Points between two axes
_NARROW: Final = 90  # Axes that are nearer than that have titles that would overlap
_LOW: Final = 300
_ROW: Final = 13  # Points that a name takes on the first axis
_MOST_NAMES: Final = 60  # More names than these would not be legible on it
COLOURS_OF_LINES: Final = ("#7cc3ea", "#0072B2", "#00263d")
"""From little to much; the lightest of them is still seen on white."""
_IN_TITLE: Final = 4  # How many measures fit in a title
_APART: Final = 0.01  # Lines that differ by less than that part of an axis are not ordered by it
_ROUND_FROM: Final = 1000  # Numbers from there on have no decimals
BRUSH: Final = 3  # A brush shorter than that is a click


@plot(
    of="scores",
    measures=("NumRel", "RecoveryValue(whose=full-scale)", "RecoveryValue", "BalanceRatio", "CRPMin", "CRPN"),
)
def parallel(per_topic: pl.DataFrame, means: pl.DataFrame) -> Drawing:
    """Which topics, or runs, are high by one measure and low by another?

    For one run, a line is a topic; for several, a line is a run with its means. An axis is a measure; lines are
    ordered, on the axis on the left, and coloured by the first measure that tells them apart. A measure that is the
    same for all has no axis. On a page, drag along an axis to keep the lines that pass there, along several axes to
    keep those that pass all of them; double-click to free an axis. The default measures are those of the paper: the
    recall base R, ρ_w, which shows how hard the topic is, and the four indicators ρ, b_ratio, CRP_min and CRP_N. Values
    above 1 or below 0 are drawn in place: that axis is longer, and says so. For several runs, each axis spans their
    means.

    Paper: Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation", CLEF, Figure 3.
    """
    runs = means["run"].unique(maintain_order=True).to_list()
    line, long = ("topic", per_topic) if len(runs) == 1 else ("run", means)
    measures = long["measure"].unique(maintain_order=True).to_list()
    if len(measures) == 1:
        raise InputError(f"parallel needs two measures or more, not only {measures[0]}; give more with -m")
    wide = long.select(line, "measure", "value").pivot("measure", index=line, values="value", maintain_order=True)
    # Lines are apart on an axis where they differ by a part of it: what is of topics is the same for all runs, but for
    # topics they lack.
    spans = {name: (least_and_most(wide[name]), ends_of(wide[name])) for name in measures}
    varied = [name for name, ((low, high), end) in spans.items() if high - low > _APART * (end[1] - end[0])]
    shown = varied if len(varied) > 1 else measures
    ends = [ends_of(wide[name]) if line == "topic" else _own_ends(wide[name]) for name in measures]
    first = next(iter(varied), measures[0])
    wide = wide.sort(first, descending=True, nulls_last=True, maintain_order=True)
    other = [
        f"{name} (to {_number(high)})" if low == 0 else f"{name} (from {_number(low)} to {_number(high)})"
        for name, (low, high) in zip(measures, ends, strict=True)
        if name in shown and (low, high) != (0, 1)
    ]
    whose = f"a topic of {runs[0]}" if line == "topic" else "a run, its means over the topics"
    axes = f"Axes run from 0 to 1{', except ' if other else ''}{', '.join(other)}."
    same = [f"{name} ({_number(least_and_most(wide[name])[0])})" for name in measures if name not in shown]
    left_out = f"No axis, since all {line}s agree within {percent(_APART)} of it: {', '.join(same)}."
    return Drawing(
        _vega(wide, measures, ends, [measures.index(name) for name in shown], first),
        f"{counted(wide.height, line)} by {named(shown) if len(shown) <= _IN_TITLE else f'{len(shown)} measures'}",
        _described(wide, shown, first),
        f"A line is {whose}, ordered and coloured by {first}.",
        axes if line == "topic" else "Each axis spans the values on it.",
        left_out if same else "",
    )


def _number(value: float) -> str:
    """Write the end of an axis."""
    return f"{value:,.0f}" if abs(value) >= _ROUND_FROM else f"{value:.4g}"


def _own_ends(values: pl.Series) -> tuple[float, float]:
    """Return the ends of an axis: a little beyond the means of the runs, but within what the measure can be."""
    low, high = least_and_most(values)
    if high <= low:
        return ends_of(values)
    room = (high - low) / 20
    return low if low == 0 else low - room, high if high == 1 else high + room


def _described(wide: pl.DataFrame, measures: list[str], first: str) -> str:
    line = wide.columns[0]
    spans = [f"{name} from {low:.3f} to {high:.3f}" for name in measures for low, high in [least_and_most(wide[name])]]
    ends = wide.select(line, first)
    (_, most), (_, least) = ends.row(0), ends.row(-1)
    top, bottom = ends_told(ends[line].to_list(), ends[first].to_list())
    apart = f" By {first} the highest {top} ({most:.3f}), the lowest {bottom} ({least:.3f})." if most != least else ""
    return f"Of {counted(wide.height, line)}, {'; '.join(spans)}.{apart}"


def _vega(
    rows: pl.DataFrame, measures: list[str], ends: list[tuple[float, float]], shown: list[int], first: str
) -> dict[str, Any]:
    """Write the specification: brushes can be on several axes at once, of which Vega-Lite has no idea.

    All measures have a scale and a brush, so that an address can name them, those too that have no axis.
    """
    line = rows.columns[0]
    names, (least, most) = rows[line].to_list(), least_and_most(rows[first])
    labelled = len(names) <= _MOST_NAMES
    places = ["-1", *map(str, shown)]
    # Names of measures have brackets and points, which names of fields cannot have.
    data = rows.select(
        line, pl.col(line).alias("name"), *(pl.col(name).alias(f"v{i}") for i, name in enumerate(measures))
    ).with_columns(
        (1 - pl.int_range(pl.len()) / max(len(names) - 1, 1)).alias("at-1"),
        *(((pl.col(f"v{i}") - low) / (high - low)).alias(f"at{i}") for i, (low, high) in enumerate(ends)),
    )
    kept = " && ".join(
        f"(!brush{i} || span(brush{i}) < {BRUSH} || inrange((1 - datum.at{i}) * height, extent(brush{i})))"
        for i in range(len(measures))
    )
    formula = {"type": "formula", "as": "kept", "expr": kept}
    fold = {"type": "fold", "fields": [f"at{place}" for place in places]}
    number = {"type": "formula", "as": "place", "expr": "slice(datum.key, 2)"}
    return {
        "$schema": VEGA,
        "width": _GAP * len(shown),
        "height": max(_LOW, _ROW * len(names)) if labelled else _LOW + 60,
        "signals": [_brush(i) for i in range(len(measures))],
        "data": [
            {"name": "lines", "values": data.to_dicts(), "transform": [formula]},
            {"name": "points", "source": "lines", "transform": [fold, number]},
        ],
        "scales": [
            {"name": "across", "type": "point", "domain": places, "range": "width"},
            linear("up", domain=[0, 1], range="height"),
            {"name": "names", "type": "point", "domain": names, "range": [0, signal("height")]},
            linear("colour", range=list(COLOURS_OF_LINES), interpolate="rgb",
                   domain=[least, (least + most) / 2, most]),
            *(linear(f"axis{i}", zero=False, domain=list(each), range="height") for i, each in enumerate(ends)),
        ],
        "axes": [
            {
                "scale": "names", "orient": "left", "title": line if labelled else f"{line}s, by {first}",
                "labels": labelled, "ticks": labelled, "titleAnchor": "middle", "labelOverlap": True,
                "labelSeparation": 0,
            },
            *(_axis(i, measures[i], ends[i]) for i in shown),
        ],
        "legends": [{"fill": "colour", "title": first, "type": "gradient"}],
        "marks": [
            {
                "type": "group",
                "from": {"facet": {"name": "one", "data": "points", "groupby": "name"}},
                "marks": [_line(measures, line, measures.index(first))],
            },
            *(_grounds(i, ends[i]) for i in shown),
            *(each for i in shown for each in _handle(i)),
        ],
    }  # fmt: skip


def _axis(i: int, measure: str, ends: tuple[float, float]) -> dict[str, Any]:
    """Return an axis, with the name of its measure above it, broken before its parameters."""
    name, bracket, rest = measure.partition("(")
    lines = [name, bracket + rest] if bracket else [name]
    return {
        "scale": f"axis{i}", "orient": "left", "values": ticks_of(*ends), "zindex": 1,
        "encode": {"labels": {"update": {"text": signal("format(datum.value, '~g')")}}},
        "offset": {"scale": "across", "value": str(i), "mult": -1},
        "title": lines, "titleX": 0, "titleBaseline": "bottom", "titleY": -10 - 13 * (len(lines) - 1),
        "titleAngle": _unless_narrow(0, -35), "titleAlign": _unless_narrow("center", "left"),
    }  # fmt: skip


def _grounds(i: int, ends: tuple[float, float]) -> dict[str, Any]:
    """Return a halo around each number of an axis, as tight as can be, so that lines below it are seen."""
    halo = {
        "x": {"scale": "across", "value": str(i), "offset": -7}, "y": at(f"axis{i}", "at"),
        "text": signal("format(datum.at, '~g')"), "align": "right", "baseline": "middle", "fontSize": 11,
        "stroke": HALO, "strokeWidth": 3, "strokeJoin": "round", "fill": HALO,
    }  # fmt: skip
    return {
        "type": "group",
        "interactive": False,
        "data": [{"name": f"numbers{i}", "values": [{"at": tick} for tick in ticks_of(*ends)]}],
        "marks": [mark("text", f"numbers{i}", aria=False, update=halo)],
    }


def _unless_narrow(usual: object, narrow: object) -> dict[str, str]:
    """Choose by how far the axes are apart: where they are near, their titles are aslant."""
    near = f"bandspace(domain('across').length) && width < {_NARROW} * (domain('across').length - 1)"
    return signal(f"{near} ? {json.dumps(narrow)} : {json.dumps(usual)}")


def _brush(i: int) -> dict[str, Any]:
    """Return the signal of the brush of an axis: where it begins and ends, or nothing."""
    here = "clamp(y(), 0, height)"
    dragged = f"[@handle{i}:pointerdown, window:pointerup] > window:pointermove!"
    events = [
        {"events": f"@handle{i}:pointerdown", "update": f"[{here}, {here}]"},
        {"events": dragged, "update": f"[brush{i}[0], {here}]"},
        {"events": f"@handle{i}:dblclick", "update": "null"},
    ]
    return {"name": f"brush{i}", "value": None, "on": events}


def _handle(i: int) -> Iterator[dict[str, Any]]:
    """Give the marks of an axis: what is brushed, and what takes drags."""
    x = {"scale": "across", "value": str(i)}
    brushed = f"brush{i} && span(brush{i}) >= {BRUSH}"
    yield mark("rect", **SILENT, update={
        "x": {**x, "offset": -7}, "x2": {**x, "offset": 7}, "fill": INK,
        "y": signal(f"{brushed} ? brush{i}[0] : 0"), "y2": signal(f"{brushed} ? brush{i}[1] : 0"),
        "opacity": signal(f"{brushed} ? 0.2 : 0"),
    })  # fmt: skip
    yield mark("rect", name=f"handle{i}", aria=False, update={
        "x": {**x, "offset": -16}, "x2": {**x, "offset": 16}, "y": 0, "y2": signal("height"),
        "fill": "transparent", "cursor": "ns-resize",
        "tooltip": "drag to keep the lines that pass here, double-click to bring all back",
    })  # fmt: skip


def _line(measures: list[str], line: str, first: int) -> dict[str, Any]:
    values = {name: f"format(datum.v{i}, '.4f')" for i, name in enumerate(measures)}
    tip = ", ".join(f"{json.dumps(name)}: {value}" for name, value in values.items())
    said = " + '; ' + ".join(f"{json.dumps(name + ': ')} + {value}" for name, value in values.items())
    return mark("line", "one", update={
        "x": at("across", "place"),
        "y": at("up", "value"),
        "defined": signal("isValid(datum.value)"),
        "stroke": at("colour", f"v{first}"),
        "strokeWidth": 1.6,
        "strokeOpacity": signal("datum.kept ? 0.85 : 0.06"),
        "tooltip": signal(f"{{{json.dumps(line)}: datum.name, {tip}}}"),
        "ariaRoleDescription": "line of a " + line,
        "description": signal(f"datum.name + ': ' + {said}"),
    }, hover={"strokeWidth": 4})  # fmt: skip
