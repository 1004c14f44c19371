"""Lists under one cursor: what their documents cost, and what they gain, rank by rank."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from cranfield.plots import walks
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.positions import GAINED, PALE_GREEN
from cranfield.plots.theme import FAINT, INK
from cranfield.plots.vega import SILENT, VEGA, at, linear, mark, signal, span
from cranfield.plots.walks import FULL_SCALE, OF_RUN, PLACED, STATES, Walked
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl

if TYPE_CHECKING:
    from cranfield.plots.figure import Figure

_WIDTH: Final = 420
_PRINTED: Final = 0.7  # What part of its width a panel has in a column of print
_NARROW: Final = 300  # On a panel narrower than this, of a page, there is no room for how curves go on
_LINE: Final = 10  # Height of a line of a strip
_CURVES: Final = {"crp": (0, 160), "gain": (216, 346)}
"""From where to where the curves go; below each is a strip, and one more below all."""
_HEIGHT: Final = 424
_SAID: Final = 52  # Room below the axis for the words about the rank under the cursor
BEFORE: Final = "before"
"""The name of the rows, like those of the steps, of what the lists were before they were changed."""
_OTHERS: Final = "others"
"""The name of rows that a page fills: the extremes of other figures, so that all have the same axes."""
_POINTS: Final = ("R", "min", "b_r", "b_w")
_COLUMNS: Final = (
    "run", "rank", "doc_id", "state", "rp", "crp", "crp_full_scale", "gain", "gain_ideal", "delta_gain",
)  # fmt: skip
UNTOUCHED: Final[dict[str, Any]] = {"interactive": False}


STRIPS: Final = ((168, PLACED, "rp"), (354, GAINED, "delta_gain"), (390, STATES, "state"))
"""Below the curves, a line for each kind of rank, so that nobody needs the colours: the top, the kinds, the column."""


@plot(of="trace", measures=("CRP", "DCG(gains={-2:-1,-1:-1,0:-1},base=2)"))
def crp_and_dcg(
    steps: pl.DataFrame, marks: pl.DataFrame, intervals: pl.DataFrame, effort: pl.DataFrame, *,
    last_rank: int | None = None,
) -> Drawing:  # fmt: skip
    """What does each document of a list cost, and what does it gain?

    Above, CRP by rank, where 0 is the ideal list: it falls where documents come too early and rises where they come too
    late; the strip below shows which for each rank. Below, the measure of gain, with that of the ideal list, and a
    strip of Δgain: does the document gain more than the ideal list's document at that rank, as much, or less? The last
    strip shows whether it is relevant, judged not relevant, or unjudged. The ranks end where nothing changes any more,
    and all lists have the same axes. On a page, one cursor moves through all panels and all lists.

    Paper: Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation",
    CLEF, Figures 2a and 2b.
    """
    if steps["topic"].n_unique() > 1:
        raise InputError(f"crp-and-dcg shows one topic; name it, such as topic {steps['topic'][0]}")
    measure = str(steps["measure"][0])
    lists = walks.drawn(steps, intervals, walks.mean_of(effort), f"Twist on topic {steps['topic'][0]}", last_rank)
    parts, last = lists.parts, lists.last
    end = int(steps["rank"].max())  # type: ignore[arg-type]
    told = "; ".join(
        f"{rows['run'][0]} ends at rank {end} with CRP {rows['crp'][-1]:g} and {measure} {rows['gain'][-1]:.4g}"
        for rows in lists.whole
    )
    high = lists.limits("crp", "crp_full_scale")[1]
    cut = pl.when(pl.col("crp_full_scale") <= high).then("crp_full_scale").alias("crp_full_scale")
    rows = [
        row
        for part, label in zip(parts, lists.labels, strict=True)
        for row in part.select(_COLUMNS).with_columns(cut, label=pl.lit(label)).to_dicts()
    ]
    data = {
        "steps": rows,
        BEFORE: [],
        _OTHERS: [],
        "tiles": list(_tiles_of(parts)),
        "points": [point for part in parts for point in _points_of(part, marks)],
        "beyond": list(_beyond(lists)),
    }
    return Drawing(
        _vega(data, measure, last, min(len(parts), 2)),
        f"Positions (CRP) and gain ({walks.short(measure)}) by rank, topic {steps['topic'][0]}",
        f"{told}.",
        *lists.says,
        "Black: the ideal list; dashed: the full-scale list, cut off above what the lists reach. First strip: the "
        f"darker, the farther too early or too late. {PALE_GREEN}",
        walks.in_full(measure),
    )


def with_former(figure: Figure, former: Figure) -> Figure:
    """Show in grey what the lists were, before something was changed that made them what the figure shows."""
    [was] = [part["values"] for part in former.spec["data"] if part["name"] == "steps"]
    data = [{**part, "values": was} if part["name"] == BEFORE else part for part in figure.spec["data"]]
    return replace(figure, spec={**figure.spec, "data": data})


def _tiles_of(parts: Iterable[pl.DataFrame]) -> Iterator[dict[str, Any]]:
    """Give the tiles of the strips: one for all ranks of a run that are the same, and follow each other."""
    for top, kinds, column in STRIPS:
        tops = {kind: top + _LINE * line for line, kind in enumerate(kinds.colours)}
        shade = walks.shade_of(column)
        for part in parts:
            rows = part.select("rank", kind=walks.within(column, kinds), shade=shade)
            there = rows.filter(pl.col("kind").is_in(list(tops)))
            for tile in walks.tiles(there, ["kind", "shade"]).iter_rows(named=True):
                kind = tile["kind"]
                looks = {"top": tops[kind], "colour": kinds.colours[kind], "shade": tile["shade"]}
                yield {"run": part["run"][0], "kind": kind, "first": tile["from"], "last": tile["to"], **looks}


def _points_of(rows: pl.DataFrame, marks: pl.DataFrame) -> list[dict[str, Any]]:
    """Return a row for each rank at which a run has points, with the names of all of them."""
    run, last = rows["run"][0], int(rows["rank"].max())  # type: ignore[arg-type]
    mine = marks.filter((pl.col("run") == run) & pl.col("mark").is_in(_POINTS) & pl.col("rank").is_between(1, last))
    points = list(mine.select("rank", "mark").iter_rows())
    if (end := walks.end_of(rows)) is not None:
        points.append((end, "end of the list"))
    names: dict[int, list[str]] = {}
    for rank, point in sorted(points, key=itemgetter(0)):
        names.setdefault(rank, []).append(point)
    words = [" = ".join(each) for each in names.values()]
    found = zip(names, words, walks.levels(list(names), words, _PRINTED * _WIDTH / last), strict=True)
    return [{"run": run, "rank": rank, "mark": point, "level": level} for rank, point, level in found]


def _beyond(lists: Walked) -> Iterator[dict[str, Any]]:
    """Give the words at the edge of each curve: how it goes on."""
    for scale in _CURVES:
        for part, text in zip(lists.parts, lists.beyond(scale), strict=True):
            if text:
                yield {"run": part["run"][0], "scale": scale, "value": part[scale][-1], "says": f"→ {' '.join(text)}"}


def _vega(data: dict[str, list[dict[str, Any]]], measure: str, last: int, columns: int) -> dict[str, Any]:
    """Write the specification: Vega-Lite knows no strips that share a cursor with the curves of several lists."""
    here = "clamp(round(invert('x', x(group('list')))), 1, last)"
    moved = [{"events": "@field:pointermove", "update": here}, {"events": "@field:pointerout", "update": "0"}]
    columns_of = {"crp": ["crp", "crp_full_scale"], "gain": ["gain", "gain_ideal"]}
    return {
        "$schema": VEGA,
        "width": _WIDTH,
        "signals": [{"name": "last", "value": last}, {"name": "cursor", "value": 0, "on": moved}],
        "data": [
            *({"name": name, "values": rows} for name, rows in data.items()),
            {"name": "both", "source": ["steps", BEFORE, _OTHERS]},
        ],
        "scales": [
            *(
                linear(name, zero=True, nice=False, range=[bottom, top],
                       domain={"data": "both", "fields": columns_of[name]})
                for name, (top, bottom) in _CURVES.items()
            ),
            linear("x", range=[0, signal("width")], zero=False, domain=[0.5, signal("last + 0.5")]),
        ],
        "layout": {"columns": columns, "padding": {"row": 40, "column": 60}, "align": "each"},
        "marks": [_list(measure)],
    }  # fmt: skip


def _list(measure: str) -> dict[str, Any]:
    """Return the group of a list."""
    of_run = "datum.run === parent.run"
    kept = {f"{name}_of": (name, of_run) for name in ("tiles", "points", BEFORE)}
    kept |= {f"beyond_{scale}": ("beyond", f"{of_run} && datum.scale === '{scale}'") for scale in _CURVES}
    kept["here"] = ("steps_of", "datum.rank === cursor")
    cursor = {"x": signal("cursor ? scale('x', cursor) : 0"), "y": 0, "y2": _HEIGHT}
    said = signal(
        "'rank ' + datum.rank + ': ' + (datum.doc_id ? datum.doc_id + ', ' : '') + datum.state + '; RP ' + "
        "format(datum.rp, '.3~f') + ', CRP ' + format(datum.crp, '.4~f') + '; ' + format(datum.gain, '.4~f') + "
        "' of ' + format(datum.gain_ideal, '.4~f')"
    )
    return {
        "type": "group",
        "name": "list",
        "from": {"facet": {"name": "steps_of", "data": "steps", "groupby": ["run", "label"]}},
        "title": {"text": signal("parent.label"), "anchor": "start", "fontSize": 12.5, "offset": 34, "limit": 480},
        "encode": {"update": {"width": signal("width"), "height": {"value": _HEIGHT}}},
        "data": [
            {"name": name, "source": source, "transform": [{"type": "filter", "expr": test}]}
            for name, (source, test) in kept.items()
        ],
        "axes": [
            {"scale": "crp", "orient": "left", "title": "CRP (ranks)", "tickCount": 5, "grid": True, "gridScale": "x"},
            {"scale": "gain", "orient": "left", "title": walks.short(measure), "tickCount": 5},
            {"scale": "x", "orient": "bottom", "title": "rank", "format": "d", "tickMinStep": 1, "labelOverlap": True},
        ],
        "marks": [
            *(_curve(scale, scale, FAINT, [], of="before_of") for scale in _CURVES),
            _curve("crp", "crp_full_scale", FULL_SCALE.colour, FULL_SCALE.dash),
            _curve("crp", "crp", OF_RUN.colour, []),
            _curve("gain", "gain_ideal", INK, []),
            _curve("gain", "gain", OF_RUN.colour, []),
            mark("rule", enter={"stroke": INK}, **SILENT,  # the ideal list's CRP
                  update={"x": 0, "x2": signal("width"), "y": {"scale": "crp", "value": 0}}),
            *(
                mark("text", **SILENT, enter={
                    "x": -6, "y": top + _LINE * (line + 0.5), "text": kind,
                    "align": "right", "baseline": "middle", "fontSize": 9.5, "fill": INK,
                })
                for top, kinds, _ in STRIPS for line, kind in enumerate(kinds.colours)
            ),
            mark("rect", "tiles_of", **UNTOUCHED, update={
                "x": signal("scale('x', datum.first - 0.5)"), "x2": signal("scale('x', datum.last + 0.5)"),
                "y": {"field": "top"}, "height": _LINE, "fill": {"field": "colour"}, "fillOpacity": {"field": "shade"},
            }),
            *_points(),
            *map(_edge, _CURVES),
            mark("rule", enter={"stroke": INK, "strokeWidth": 1}, **SILENT,
                  update={**cursor, "opacity": signal("cursor ? 0.7 : 0")}),
            mark("text", "here", enter={"fontSize": 11, "fill": INK, "baseline": "top"}, **UNTOUCHED,
                  update={"x": 0, "y": _HEIGHT + 38, "text": said, "limit": signal("width + 30")}),
            mark("rect", name="field", aria=False, enter={"fill": "transparent"}, update=span(_HEIGHT + _SAID)),
        ],
    }  # fmt: skip


def _curve(scale: str, column: str, colour: str, dash: list[int], of: str = "steps_of") -> dict[str, Any]:
    return mark(
        "line", of, **UNTOUCHED, enter={"stroke": colour, "strokeWidth": 2, "strokeDash": dash},
        update={"x": at("x", "rank"), "y": at(scale, column), "defined": signal(f"isValid(datum.{column})")},
    )  # fmt: skip


def _edge(scale: str) -> dict[str, Any]:
    """Return the words at the edge of a curve."""
    said = signal(f"width < {_NARROW} ? '→' : datum.says")
    return mark(
        "text", f"beyond_{scale}", **UNTOUCHED, enter={"fontSize": 11, "fill": INK, "baseline": "middle"},
        update={"x": signal("width + 6"), "y": at(scale, "value"), "text": said},
    )  # fmt: skip


def _points() -> Iterator[dict[str, Any]]:
    """Give the points of the paper's Figure 1: a line each, and what it is called."""
    rank, looks = at("x", "rank"), {"stroke": INK, "strokeDash": [2, 2], "strokeWidth": 0.8}
    yield mark("rule", "points_of", **UNTOUCHED, enter=looks, update={"x": rank, "y": 0, "y2": _CURVES["crp"][1]})
    looks = {"baseline": "bottom", "align": "center", "fontStyle": "italic", "fontSize": 10.5, "fill": INK}
    up = signal("-2 - 12 * datum.level")
    yield mark("text", "points_of", **UNTOUCHED, enter=looks, update={"x": rank, "y": up, "text": {"field": "mark"}})
