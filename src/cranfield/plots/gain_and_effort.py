"""Gain and the effort that it costs: the figures of Twist."""

from __future__ import annotations

from typing import Any, Final

from cranfield.plots.axes import ends_of
from cranfield.plots.grammar import Spec, between, chart, concat, dot, field, layer, mark, vconcat, when
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.printing import AS_LARGE
from cranfield.plots.theme import COLOURS, DASHES, FAINT, HALO, INK, by_name, colours, shapes
from cranfield.plots.walks import FULL_SCALE, OWN_LEGENDS, OWN_SCALES, limits_of
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.wording import counted, percent

_MOST_POINTS = 4000  # More points than that are one blot, and slow
_FEW_POINTS = 300  # So few are drawn larger, to be seen at all
_LOWEST = 0.045  # Fields that are lower than that part of the plot have no number, which would lie on that of the next
_PARTS = {
    "diagonal: both agree": "#0072B2",
    "high-high: good by gain alone": "#D55E00",
    "grey area: just above the diagonal": "#7a7a7a",
    "below the diagonal": "#ffffff",
}


_SIDE, _WIDTH, _HEIGHT = 300, 215, 150  # Of the plane of all rankings, and of the curves of each that is marked in it
_AXIS: Final = {"minExtent": 44, "maxExtent": 44}
"""An axis at the left as wide as the others, so that the panels stand below each other."""
PICKED: Final = {"param": "picked"}
SYMBOLS = {
    **{"CrossingRank": "min x", "BalancePoint": "β", "Recovery": "ρ"},
    **{"ForwardSpace": "σ+", "BackwardSpace": "σ−", "Space": "σ", "Twist": "τ"},
}
"""The rows of the paper's Figures 4, 5 and 6, without superscripts, which few fonts have."""
BROAD, _LOW, _LINE = 270, 140, 14
"""Width and height of the curve of an archetype, and the height of a line of the table below it."""
_COLUMNS = {"symbol": 0, "paper": 42, "median": 132, "so": 196}  # Where the columns of that table stand


@plot(of="effort-gain")
def effort_gain(points: pl.DataFrame, quadrants: pl.DataFrame, shares: pl.DataFrame) -> Drawing:
    """How much effort did the gain cost?

    A point is a run on a topic: the measure of effort across (the further right, the less effort), a measure of gain
    up. Columns have the bounds of the experiment, rows the quartiles of the gain; fields show their share of points.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The Twist measure for IR
    evaluation", JASIST 67(3), Figures 7 to 10.
    """
    effort = points.columns[2]
    drawn, found = _drawn(points), shares.rows(named=True)
    nothing = all((points[row["measure"]] == 0).all() for row in found)
    charts = [
        _plane_of_fields(
            drawn.select("run", "topic", effort=effort, gain=row["measure"]), quadrants.filter(measure=row["measure"]),
            row, effort,
        )
        for row in found
    ]  # fmt: skip
    return Drawing(
        concat(*charts, columns=2, spacing=28),
        f"Effort ({effort}) against gain",
        " ".join(_shares_said(row, points[row["measure"]]) for row in found),
        f"A point is a run on a topic, {points.height:,} in all; numbers are shares of the fields, where there is "
        "room.",
        f"A random sample of {drawn.height:,} is drawn; the shares are over all points." if drawn is not points else "",
        "No ranking gains anything, so the positions of the points say nothing about the runs." if nothing else "",
    )


def _size(points: pl.DataFrame) -> int:
    return 9 if points.height > _FEW_POINTS else 36


def _drawn(points: pl.DataFrame) -> pl.DataFrame:
    """Draw points by chance where there are too many; the seed draws the same ones each time."""
    return points.sample(_MOST_POINTS, seed=7) if points.height > _MOST_POINTS else points


def _shares_said(share: dict[str, Any], gain: pl.Series) -> str:
    """Sum up the shares. What gains nothing at huge effort is on the diagonal, too, and costs nobody anything."""
    nothing = int((gain == 0).sum())
    if nothing == gain.len():
        return f"{share['measure']}: no ranking gains anything, so there is nothing to compare with effort."
    of_these = f" ({percent(nothing / gain.len())} of all gain nothing)" if nothing else ""
    return (
        f"{share['measure']}: {percent(share['diagonal'])} of the points on the diagonal{of_these}, "
        f"{percent(share['high_high'])} high-high, {percent(share['good'])} of high gain at little effort."
    )


def _plane_of_fields(points: pl.DataFrame, quadrants: pl.DataFrame, share: dict[str, Any], effort: str) -> Spec:
    right, top = ends_of(points["effort"]), ends_of(points["gain"])
    fields = _fields(quadrants, *right, *top)
    box = {"x": "left:Q", "x2": "right", "y": "low:Q", "y2": "high"}
    part = field("part:N", title=None, scale=by_name(_PARTS, _PARTS.values()))
    many = points.height > _FEW_POINTS
    dots = chart(
        mark("point", filled=True, size=_size(points), opacity=0.35 if many else 0.7, color=COLOURS[6]),
        data=points,
        x=field("effort:Q", title=f"{effort} (less effort →)", scale=between(*right)),
        y=field("gain:Q", title=share["measure"], scale=between(*top)),
        tooltip=["run:N", "topic:N", "effort:Q", "gain:Q"],
    )
    boxes = mark("rect", opacity=0.14, stroke=INK, strokeWidth=0.6, strokeOpacity=1)
    nothing = points["gain"].max() == 0
    legible = fields.filter(pl.col("high") - pl.col("low") > _LOWEST * (top[1] - top[0]), not nothing)
    number = {"data": legible, "x": "across:Q", "y": "up:Q", "text": "share:Q .1%"}
    shares = f"diagonal {share['diagonal']:.1%}, high-high {share['high_high']:.1%}"
    title = f"{share['measure']}: {'no ranking gains anything' if nothing else shares}"
    return layer(
        dots,
        chart(boxes, data=fields, **box, color=part, tooltip=["share:Q .1%", "part:N"]),
        chart(mark("text", fontWeight="bold", stroke=HALO, strokeWidth=4, strokeJoin="round"), **number),
        chart(mark("text", fontWeight="bold"), **number),
        width=330, height=330, title={"text": title, "fontSize": 12},
    )  # fmt: skip


def _fields(quadrants: pl.DataFrame, left: float, right: float, low: float, high: float) -> pl.DataFrame:
    """Give each field its corners, its middle and its part; those at the edge end where the plot does."""
    place = pl.int_range(pl.len())
    row, column = 3 - place // 4, place % 4
    diagonal, high_high, grey, below = map(pl.lit, _PARTS)
    part = (
        pl.when(row == column).then(diagonal).when((row >= 2) & (column < 2)).then(high_high)
        .when(row > column).then(grey).otherwise(below)
    )  # fmt: skip
    return quadrants.select(
        left=pl.col("effort_from").fill_null(left),
        right=pl.col("effort_below").fill_null(right),
        low=pl.col("gain_above").fill_null(low),
        high=pl.col("gain_up_to").fill_null(high),
        share="share",
        part=part,
    ).with_columns(across=pl.mean_horizontal("left", "right"), up=pl.mean_horizontal("low", "high"))


@plot(of="effort-gain")
def effort_gain_curves(points: pl.DataFrame, quadrants: pl.DataFrame, chosen: pl.DataFrame) -> Drawing:
    """What do rankings of equal gain but different effort look like?

    Above, effort against gain: a point is a run on a topic. Among the rankings of huge gain (above the third quartile),
    one each of huge, high, medium and low effort is marked, with gains as similar as possible. Below, their curves:
    CRP, which shows where documents come too early or too late, with that of the full-scale list (dashed), and DCG with
    that of the ideal list (black). In HTML, click a marked point to keep only its curves, and double-click to bring all
    back.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The Twist measure for IR
    evaluation", JASIST 67(3), Figure 11.
    """
    effort, gain = points.columns[2], points.columns[-1]
    table = points.select("run", "topic", across=effort, up=gain)
    marked = chosen.unique(["run", "topic"], maintain_order=True).select("effort", "run", "topic")
    marked = marked.join(table, on=["run", "topic"], maintain_order="left").with_columns(
        name=pl.format("{} effort: {}, topic {}", "effort", "run", "topic")
    )
    names = marked["name"].to_list()
    rows = chosen.join(marked.select("run", "topic", "name"), on=["run", "topic"], maintain_order="left")
    # What full-scale lists have above what the rankings reach is left out.
    high = limits_of([rows], "crp", "crp_full_scale")[1]
    rows = rows.with_columns(pl.when(pl.col("crp_full_scale") <= high).then("crp_full_scale"))
    bounds = quadrants.select(across="effort_from").drop_nulls().unique(maintain_order=True)
    drawn = _drawn(table)
    sampled = f", {drawn.height:,} of them drawn, by chance" if drawn is not table else ""
    return Drawing(
        vconcat(
            _plane_of_chosen(drawn, marked, bounds, effort, gain),
            _curves_of_chosen(rows, names, "CRP (ranks)", ("crp", "crp_full_scale")),
            _curves_of_chosen(rows, names, "DCG", ("gain", "gain_ideal")),
            spacing=26, resolve=OWN_LEGENDS,
        ),
        f"Effort ({effort}) of rankings with similar {gain}",
        " ".join(f"{row['name']} has {gain} {row['up']:.3f} and {effort} {row['across']:.3f}."
                 for row in marked.iter_rows(named=True)),
        f"{counted(points.height, 'ranking')}{sampled}; some of similar, high {gain} are marked, one per effort.",
        "Black: the ideal list; dashed: the full-scale list, cut off above what the rankings reach.",
    )  # fmt: skip


def _plane_of_chosen(drawn: pl.DataFrame, marked: pl.DataFrame, bounds: pl.DataFrame, effort: str, gain: str) -> Spec:
    names = marked["name"].to_list()
    place = {"x": field("across:Q", title=f"{effort} (less effort →)"), "y": field("up:Q", title=gain, axis=_AXIS)}
    quiet = chart(mark("circle", size=_size(drawn), color=FAINT, opacity=0.8), data=drawn, **place)
    rules = chart(mark("rule", color=INK, strokeDash=[2, 2], strokeWidth=0.7), data=bounds, x="across:Q")
    legend = {"orient": "right", "title": "marked rankings", "columns": 1, "symbolSize": 110}
    clicked = {"type": "point", "fields": ["name"], "on": "click", "clear": "dblclick"}
    dots = chart(
        dot(150, stroke=INK, strokeWidth=1),
        data=marked,
        params=[{"name": "picked", "select": clicked}],
        **place,
        color=field("name:N", scale=colours(names), legend=legend),
        shape=field("name:N", scale=shapes(names), legend=legend),
        opacity=when(PICKED, 1, 0.3),
        tooltip=["run:N", "topic:N", field("across:Q", title=effort), field("up:Q", title=gain)],
    )
    return layer(quiet, rules, dots, width=_SIDE * 1.5, height=_SIDE)


def _curves_of_chosen(rows: pl.DataFrame, names: list[str], title: str, columns: tuple[str, str]) -> Spec:
    """Draw a panel for each marked ranking, which are left out unless they are picked, or nothing is."""
    own, other = columns
    x = _log_ranks(rows)
    dash, colour = (FULL_SCALE.dash, FULL_SCALE.colour) if own == "crp" else (DASHES[0], INK)
    beside = mark("line", strokeDash=dash, color=colour, strokeWidth=1.2)
    layers = [
        chart(beside, x=x, y=field(f"{other}:Q", title=title, axis=_AXIS)),
        chart(mark("line"), x=x, y=f"{own}:Q", color=field("name:N", scale=colours(names), legend=None)),
    ]
    if own == "crp":
        layers.insert(0, chart(mark("rule", color=INK), y={"datum": 0}))
    header = {"title": None, "labelFontSize": 10.5, "labelExpr": "split(datum.label, ': ')"}
    return {
        "data": rows.select("name", "rank", own, other),
        "transform": [{"filter": PICKED}],
        "facet": {"column": field("name:N", sort=names, header=header)},
        "spec": layer(*layers, width=_WIDTH, height=_HEIGHT),
        "spacing": 14,
    }


def _log_ranks(rows: pl.DataFrame) -> Spec:
    last = int(rows["rank"].max())  # type: ignore[arg-type]
    scale = {"type": "log", "domain": [1, max(last, 2)], "nice": False}
    return field("rank:Q", title="rank (logarithmic)", scale=scale, axis={"tickCount": 4, "format": "d"})


@plot(of="archetypes")
def archetypes(examples: pl.DataFrame, figures: pl.DataFrame) -> Drawing:
    """What do the curves of the runs look like, and do the parts of Twist have the values that the paper gives?

    Each panel shows the ranking of median Twist of one archetype that was found: its CRP (blue), that of the full-scale
    list (dashed), and R (dotted). Below it, over all rankings of the archetype, come the first crossing (min x), the
    balance point β, the recovery ratio ρ, the space ratios σ+, σ− and σ, and Twist τ: what the paper says, the median
    here, and for how many rankings it holds.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The Twist measure for IR
    evaluation", JASIST 67(3), Figures 3 to 6.
    """
    panels, said = [], []
    length = Scope(n=int(examples["rank"].to_numpy().max(initial=0))).length
    for rows in examples.partition_by("archetype", maintain_order=True):
        known = figures.filter(archetype=rows["archetype"][0])
        title = f"{rows['archetype'][0]} ({counted(int(known['rankings'][0]), 'ranking')})"
        below = f"{rows['run'][0]}, topic {rows['topic'][0]}, R = {rows['recall_base'][0]}"
        curve = {**_example(rows), "title": {"text": title, "subtitle": below, "fontSize": 12.5}}
        panels.append(vconcat(curve, _table(known), spacing=8))
        twist = known.filter(quantity="Twist")["median"][0]
        said.append(f"{title}: median Twist {twist:.3f}, for example {below}.")
    return Drawing(
        concat(*panels, columns=3, spacing=30, resolve=OWN_LEGENDS, usermeta=OWN_SCALES),
        f"Archetypes of rankings ({length}): cumulated relative position (CRP) by rank",
        " ".join(said),
        "Blue: the ranking of median Twist; dashed: the full-scale list; dotted: R. "
        "Each panel has its own scale: compare shapes. "
        "Below: what the paper says of every ranking of the archetype, the median here, and for how many it holds.",
    )


def _example(rows: pl.DataFrame) -> Spec:
    x, both = _log_ranks(rows), rows.select("rank", "crp", "full_scale")
    y = {"domain": list(limits_of([rows], "crp", "full_scale")), "nice": False}
    dashed = mark("line", clip=True, strokeDash=FULL_SCALE.dash, color=FULL_SCALE.colour, strokeWidth=1.4)
    line = mark("line", clip=True, color=COLOURS[0], point=rows.height == 1)
    here = pl.DataFrame({"rank": [rows["recall_base"][0]]}).filter(pl.col("rank") <= rows["rank"].max())
    return layer(
        chart(mark("rule", color=INK), data=pl.DataFrame({"crp": [0]}), y="crp:Q"),
        chart(mark("rule", color=INK, strokeDash=[2, 2]), data=here, x=x),
        chart(dashed, data=both, x=x, y=field("full_scale:Q", title="CRP (ranks)", scale=y)),
        chart(line, data=both, x=x, y=field("crp:Q", scale=y)),
        width=BROAD, height=_LOW,
    )  # fmt: skip


def _table(known: pl.DataFrame) -> Spec:
    """Write the columns of a table as text."""
    rows = [("", "paper", "median", "true of")]
    for of in known.iter_rows(named=True):
        ranks = of["quantity"] in ("CrossingRank", "BalancePoint")
        median = "none" if of["paper"] == "∞" else f"{of['median']:g}" if ranks else f"{of['median']:.3f}"
        so = "a limit" if of["as_said"] is None else f"{of['as_said']:,} of {of['rankings']:,}"
        rows.append((SYMBOLS[of["quantity"]], of["paper"], median, so))
    table = pl.DataFrame(rows, schema=list(_COLUMNS), orient="row").with_row_index("line")
    y = field("line:Q", axis=None, scale={"domain": [-0.5, len(rows) - 0.5], "reverse": True, "nice": False})
    words = mark("text", align="left", fontSize=10.5)
    columns = (chart(words, x={"value": left}, y=y, text=f"{column}:N") for column, left in _COLUMNS.items())
    bare = {"style": AS_LARGE, "strokeOpacity": 0}
    return layer(*columns, data=table, width=BROAD, height=_LINE * len(rows), view=bare)
