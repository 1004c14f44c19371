"""Lists under one cursor: what their documents cost, and what they gain, rank by rank."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import INK, QUIET
from cranfield.plots.walks import FULL_SCALE, OF_RUN, PLACED, STATES, Walked, drawn, end_of, levels, mean_of, shade_of
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl

if TYPE_CHECKING:
    from cranfield.plots.figure import Figure

SCHEMA: Final = "https://vega.github.io/schema/vega/v6.json"
WIDTH: Final = 420
NARROW: Final = 300
"""On a panel narrower than this, of a page, there is no room for how curves go on."""
LINE: Final = 10
"""Height of a line of a strip."""
CURVES: Final = {"crp": (0, 160), "gain": (216, 346)}
"""From where to where the curves go; below each is a strip, and one more below all."""
HEIGHT: Final = 424
SAID: Final = 52
"""Room below the axis for what is said of the rank under the cursor."""
BEFORE: Final = "before"
"""The name of the rows, like those of the steps, of what the lists were before they were changed."""
OTHERS: Final = "others"
"""The name of rows that a page fills: the extremes of other figures, so that all have the same axes."""
POINTS: Final = ("R", "min", "b_r", "b_w")
MORE, AS_MUCH, LESS = "more", "as much", "less"
LATE, RIGHT, EARLY = PLACED.colours
GAINED: Final = dict(zip((MORE, AS_MUCH, LESS), PLACED.colours.values(), strict=True))
COLUMNS: Final = (
    "run", "rank", "doc_id", "state", "rp", "crp", "crp_full_scale", "gain", "gain_ideal", "delta_gain",
)  # fmt: skip


class Strip(NamedTuple):
    """A strip below the curves: a line for each kind of rank, so that nobody needs the colours.

    Attributes
    ----------
    top
        Where it is.
    colours
        Of the kinds, from the top line down.
    kind
        Tells of what kind a rank is, from its row; what is none of the kinds is left out.
    shade
        The column that says how dark a tile is.
    """

    top: int
    colours: Mapping[str, str]
    kind: Callable[[Mapping[str, Any]], str]
    shade: str = ""


def _placed(row: Mapping[str, Any]) -> str:
    """Say where a document stands, as `walks.placed`; below the end of a list nothing is right."""
    return EARLY if row["rp"] < 0 else LATE if row["rp"] > 0 else RIGHT if row["state"] in STATES.colours else ""


def _gained(row: Mapping[str, Any]) -> str:
    """Say whether a document gains more than the ideal list's; below the end of a list nothing does as much."""
    gain = row["delta_gain"]
    return LESS if gain < 0 else MORE if gain > 0 else AS_MUCH if row["state"] in STATES.colours else ""


STRIPS: Final = (
    Strip(168, PLACED.colours, _placed, "shade"),
    Strip(354, GAINED, _gained),
    Strip(390, STATES.colours, lambda row: str(row["state"])),
)


@plot(of="trace", measures=("CRP", "DCG(gains={-1:-1,0:-1},base=2)"))
def crp_and_dcg(
    steps: pl.DataFrame,
    marks: pl.DataFrame,
    intervals: pl.DataFrame,
    effort: pl.DataFrame,
    *,
    last_rank: int | None = None,
) -> Drawing:
    """What does each document of a list cost, and what does it gain?

    Above, CRP by rank, where 0 is the ideal list: it falls where documents come too early and rises
    where they come too late, which the strip below says of each rank. Below, the measure of gain,
    with that of the ideal list, and a strip of Δgain: does the document gain more than the one that
    the ideal list has there, as much, or less? The last strip says whether it is relevant, judged
    not relevant, or unjudged. The ranks end where nothing happens any more, and all lists have the
    same axes. On a page one cursor goes through all of it, and through all lists.

    Paper: Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation",
    CLEF, Figures 2a and 2b.
    """
    if steps["topic"].n_unique() > 1:
        raise InputError(f"crp-and-dcg is of one topic; name it, such as topic {steps['topic'][0]}")
    measure = str(steps["measure"][0])
    walked = drawn(steps, intervals, mean_of(effort), f"Twist on topic {steps['topic'][0]}", last_rank)
    parts, last = walked.parts, walked.last
    end = int(steps["rank"].max())  # type: ignore[arg-type]
    told = "; ".join(
        f"{rows['run'][0]} ends at rank {end} with CRP {rows['crp'][-1]:g} and {measure} {rows['gain'][-1]:.4g}"
        for rows in walked.whole
    )
    high = walked.limits("crp", "crp_full_scale")[1]
    rows = [row for part, label in zip(parts, walked.labels, strict=True) for row in _rows(part, label, high)]
    data = {
        "steps": rows,
        BEFORE: [],
        OTHERS: [],
        "tiles": list(_tiles_of(rows)),
        "points": [point for part in parts for point in _points_of(part, marks)],
        "beyond": list(_beyond(walked)),
    }
    return Drawing(
        _vega(data, measure, last, min(len(parts), 2)),
        f"CRP and {measure} by rank, topic {steps['topic'][0]}",
        f"{told}.",
        (
            *walked.says,
            "Black: the ideal list; dashed: the full-scale list, cut off above what the lists reach. First strip: the "
            "darker, the farther too early or too late.",
        ),
    )


def with_former(figure: Figure, former: Figure) -> Figure:
    """Show in grey what the lists were, before something was changed that made them what the figure shows."""
    [was] = [part["values"] for part in former.spec["data"] if part["name"] == "steps"]
    data = [{**part, "values": was} if part["name"] == BEFORE else part for part in figure.spec["data"]]
    return replace(figure, spec={**figure.spec, "data": data})


def _rows(rows: pl.DataFrame, label: str, high: float) -> list[dict[str, Any]]:
    cut = pl.when(pl.col("crp_full_scale") <= high).then("crp_full_scale").alias("crp_full_scale")
    return rows.select(COLUMNS).with_columns(cut, shade=shade_of("rp"), label=pl.lit(label)).to_dicts()


def _tiles_of(rows: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Give the tiles of the strips: one for all ranks of a run that are alike, and follow each other."""
    for strip in STRIPS:
        tops = dict(zip(strip.colours, count(strip.top, LINE)))
        of_kind = ((row["run"], strip.kind(row), row.get(strip.shade, 1.0), row["rank"]) for row in rows)
        for (run, kind, shade), ranks in groupby(of_kind, itemgetter(0, 1, 2)):
            first, *others = (rank for *_, rank in ranks)
            if kind in tops:
                looks = {"top": tops[kind], "colour": strip.colours[kind], "shade": shade}
                yield {"run": run, "kind": kind, "first": first, "last": (others or [first])[-1], **looks}


def _points_of(rows: pl.DataFrame, marks: pl.DataFrame) -> list[dict[str, Any]]:
    """Return a row for each rank at which a run has points, with the names of all of them."""
    run, last = rows["run"][0], int(rows["rank"].max())  # type: ignore[arg-type]
    at = [(rank, mark) for of, mark, rank in marks.select("run", "mark", "rank").iter_rows() if of == run]
    at = [(rank, mark) for rank, mark in at if mark in POINTS and rank and rank <= last]
    if (end := end_of(rows)) is not None:
        at.append((end, "end of the list"))
    names: dict[int, list[str]] = {}
    for rank, mark in sorted(at, key=itemgetter(0)):
        names.setdefault(rank, []).append(mark)
    words = [" = ".join(each) for each in names.values()]
    found = zip(names, words, levels(list(names), words, WIDTH / last), strict=True)
    return [{"run": run, "rank": rank, "mark": mark, "level": level} for rank, mark, level in found]


def _beyond(walked: Walked) -> Iterator[dict[str, Any]]:
    """Give what is said at the edge of each curve: how it goes on."""
    for scale in CURVES:
        for part, text in zip(walked.parts, walked.beyond(scale), strict=True):
            if text:
                yield {"run": part["run"][0], "scale": scale, "value": part[scale][-1], "says": f"→ {text}"}


def _vega(data: dict[str, list[dict[str, Any]]], measure: str, last: int, columns: int) -> dict[str, Any]:
    """Write the specification: Vega-Lite knows no strips that share a cursor with the curves of several lists."""
    here = "clamp(round(invert('x', x(group('list')))), 1, last)"
    return {
        "$schema": SCHEMA,
        "width": WIDTH,
        "signals": [
            {"name": "last", "value": last},
            {
                "name": "cursor", "value": 0,
                "on": [
                    {"events": "@field:pointermove", "update": here},
                    {"events": "@field:pointerout", "update": "0"},
                ],
            },
        ],
        "data": [
            *({"name": name, "values": rows} for name, rows in data.items()),
            {"name": "both", "source": ["steps", BEFORE, OTHERS]},
        ],
        "scales": [
            _up("crp", ["crp", "crp_full_scale"]),
            _up("gain", ["gain", "gain_ideal"]),
            {
                "name": "x", "type": "linear", "range": [0, {"signal": "width"}], "zero": False,
                "domain": [0.5, {"signal": "last + 0.5"}],
            },
        ],
        "layout": {"columns": columns, "padding": {"row": 40, "column": 60}, "align": "each"},
        "marks": [_list(measure)],
    }  # fmt: skip


def _list(measure: str) -> dict[str, Any]:
    """Return the group of a list."""
    of_run = "datum.run === parent.run"
    whole = {"x": {"value": 0}, "x2": {"signal": "width"}, "y": {"value": 0}, "y2": {"value": HEIGHT + SAID}}
    said = (
        "'rank ' + datum.rank + ': ' + (datum.doc_id ? datum.doc_id + ', ' : '') + datum.state + '; RP ' + "
        "format(datum.rp, '.3~f') + ', CRP ' + format(datum.crp, '.4~f') + '; ' + format(datum.gain, '.4~f') + "
        "' of ' + format(datum.gain_ideal, '.4~f')"
    )
    return {
        "type": "group",
        "name": "list",
        "from": {"facet": {"name": "steps_of", "data": "steps", "groupby": ["run", "label"]}},
        "title": {"text": {"signal": "parent.label"}, "anchor": "start", "fontSize": 12.5, "offset": 34, "limit": 480},
        "encode": {"update": {"width": {"signal": "width"}, "height": {"value": HEIGHT}}},
        "data": [
            *(
                {"name": f"{name}_of", "source": name, "transform": [{"type": "filter", "expr": of_run}]}
                for name in ("tiles", "points", BEFORE)
            ),
            *(
                {
                    "name": f"beyond_{scale}", "source": "beyond",
                    "transform": [{"type": "filter", "expr": f"{of_run} && datum.scale === '{scale}'"}],
                }
                for scale in CURVES
            ),
            {
                "name": "here", "source": "steps_of",
                "transform": [{"type": "filter", "expr": "datum.rank === cursor"}],
            },
        ],
        "axes": [
            {"scale": "crp", "orient": "left", "title": "CRP (ranks)", "tickCount": 5, "grid": True, "gridScale": "x"},
            {"scale": "gain", "orient": "left", "title": measure.partition("(")[0], "tickCount": 5},
            {"scale": "x", "orient": "bottom", "title": "rank", "format": "d", "tickMinStep": 1, "labelOverlap": True},
        ],
        "marks": [
            *_curve("crp", ("crp", QUIET, []), of="before_of"),
            *_curve("gain", ("gain", QUIET, []), of="before_of"),
            *_curve("crp", ("crp_full_scale", FULL_SCALE.colour, FULL_SCALE.dash), ("crp", OF_RUN.colour, [])),
            *_curve("gain", ("gain_ideal", INK, []), ("gain", OF_RUN.colour, [])),
            _zero(),
            *(label for strip in STRIPS for label in _labels(strip)),
            _tiles(),
            *_points(),
            *map(_edge, CURVES),
            {
                "type": "rule", "interactive": False, "aria": False,
                "encode": {
                    "enter": {"stroke": {"value": INK}, "strokeWidth": {"value": 1}},
                    "update": {
                        "x": {"signal": "cursor ? scale('x', cursor) : 0"}, "y": {"value": 0}, "y2": {"value": HEIGHT},
                        "opacity": {"signal": "cursor ? 0.7 : 0"},
                    },
                },
            },
            {
                "type": "text", "interactive": False, "from": {"data": "here"},
                "encode": {
                    "enter": {"fontSize": {"value": 11}, "fill": {"value": INK}, "baseline": {"value": "top"}},
                    "update": {
                        "x": {"value": 0}, "y": {"value": HEIGHT + 38}, "text": {"signal": said},
                        "limit": {"signal": "width + 30"},
                    },
                },
            },
            {
                "type": "rect", "name": "field", "aria": False,
                "encode": {"enter": {"fill": {"value": "transparent"}}, "update": whole},
            },
        ],
    }  # fmt: skip


def _up(name: str, fields: list[str]) -> dict[str, Any]:
    top, bottom = CURVES[name]
    return {
        "name": name, "type": "linear", "zero": True, "nice": False, "range": [bottom, top],
        "domain": {"data": "both", "fields": fields},
    }  # fmt: skip


def _curve(scale: str, *lines: tuple[str, str, list[int]], of: str = "steps_of") -> list[dict[str, Any]]:
    return [
        {
            "type": "line", "interactive": False, "from": {"data": of},
            "encode": {
                "enter": {"stroke": {"value": colour}, "strokeWidth": {"value": 2}, "strokeDash": {"value": dash}},
                "update": {
                    "x": {"scale": "x", "field": "rank"}, "y": {"scale": scale, "field": field},
                    "defined": {"signal": f"isValid(datum.{field})"},
                },
            },
        }
        for field, colour, dash in lines
    ]  # fmt: skip


def _zero() -> dict[str, Any]:
    """Return the ideal list's CRP."""
    return {
        "type": "rule", "interactive": False, "aria": False,
        "encode": {
            "enter": {"stroke": {"value": INK}},
            "update": {"x": {"value": 0}, "x2": {"signal": "width"}, "y": {"scale": "crp", "value": 0}},
        },
    }  # fmt: skip


def _labels(strip: Strip) -> list[dict[str, Any]]:
    """Return what the lines of a strip are called."""
    return [
        {
            "type": "text", "interactive": False, "aria": False,
            "encode": {
                "enter": {
                    "x": {"value": -6}, "y": {"value": strip.top + LINE * (i + 0.5)}, "text": {"value": kind},
                    "align": {"value": "right"}, "baseline": {"value": "middle"}, "fontSize": {"value": 9.5},
                    "fill": {"value": INK},
                },
            },
        }
        for i, kind in enumerate(strip.colours)
    ]  # fmt: skip


def _tiles() -> dict[str, Any]:
    return {
        "type": "rect", "interactive": False, "from": {"data": "tiles_of"},
        "encode": {
            "update": {
                "x": {"signal": "scale('x', datum.first - 0.5)"}, "x2": {"signal": "scale('x', datum.last + 0.5)"},
                "y": {"field": "top"}, "height": {"value": LINE}, "fill": {"field": "colour"},
                "fillOpacity": {"field": "shade"},
            },
        },
    }  # fmt: skip


def _edge(scale: str) -> dict[str, Any]:
    """Return what is said at the edge of a curve."""
    return {
        "type": "text", "interactive": False, "from": {"data": f"beyond_{scale}"},
        "encode": {
            "enter": {"fontSize": {"value": 11}, "fill": {"value": INK}, "baseline": {"value": "middle"}},
            "update": {
                "x": {"signal": "width + 6"}, "y": {"scale": scale, "field": "value"},
                "text": {"signal": f"width < {NARROW} ? '→' : datum.says"},
            },
        },
    }  # fmt: skip


def _points() -> list[dict[str, Any]]:
    """Return the points of the paper's Figure 1: a line each, and what it is called."""
    return [
        {
            "type": "rule", "interactive": False, "from": {"data": "points_of"},
            "encode": {
                "enter": {"stroke": {"value": INK}, "strokeDash": {"value": [2, 2]}, "strokeWidth": {"value": 0.8}},
                "update": {
                    "x": {"scale": "x", "field": "rank"}, "y": {"value": 0}, "y2": {"value": CURVES["crp"][1]},
                },
            },
        },
        {
            "type": "text", "interactive": False, "from": {"data": "points_of"},
            "encode": {
                "enter": {
                    "baseline": {"value": "bottom"}, "align": {"value": "center"}, "fontStyle": {"value": "italic"},
                    "fontSize": {"value": 10.5}, "fill": {"value": INK},
                },
                "update": {
                    "x": {"scale": "x", "field": "rank"}, "y": {"signal": "-2 - 12 * datum.level"},
                    "text": {"field": "mark"},
                },
            },
        },
    ]  # fmt: skip
