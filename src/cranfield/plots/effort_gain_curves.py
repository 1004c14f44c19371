"""Rankings that gain alike and cost more or less effort, and what they look like rank by rank."""

from __future__ import annotations

from typing import Final

from cranfield.plots.grammar import Spec, chart, field, layer, mark, vconcat, when
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import INK, QUIET, colours, shapes
from cranfield.plots.walks import FULL_SCALE, OWN_LEGENDS, limits_of
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

MOST_POINTS = 4000
"""More points than that are one blot, and slow."""
SIDE, WIDTH, HEIGHT = 300, 215, 150
AXIS: Final = {"minExtent": 44, "maxExtent": 44}
"""An axis at the left as wide as the others, so that the panels stand below each other."""
PICKED: Final = {"param": "picked"}


@plot(of="effort-gain")
def effort_gain_curves(points: pl.DataFrame, quadrants: pl.DataFrame, chosen: pl.DataFrame) -> Drawing:
    """What do rankings of equal gain but different effort look like?

    Above, effort against gain: a point is a run on a topic. Of the rankings of huge gain (above the
    third quartile) one is marked for huge, high, medium and low effort each, as near as there is to
    the same gain. Below, their curves: CRP, which tells where documents come too early or too late,
    with that of the full-scale list (dashed), and DCG with that of the ideal list (black). In HTML a
    click on a marked point leaves its curves alone, a double click brings all back.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The Twist measure for IR
    evaluation", JASIST 67(3), Figure 11.
    """
    effort, gain = points.columns[2], points.columns[-1]
    table = points.select("run", "topic", across=pl.col(effort), up=pl.col(gain))
    marked = chosen.unique(["run", "topic"], maintain_order=True).select(pl.col("effort"), "run", "topic")
    marked = marked.join(table, on=["run", "topic"], maintain_order="left").with_columns(
        name=pl.concat_str(pl.col("effort"), pl.lit(" effort: "), pl.col("run"), pl.lit(", topic "), pl.col("topic"))
    )
    names = marked["name"].to_list()
    rows = chosen.join(marked.select("run", "topic", "name"), on=["run", "topic"], maintain_order="left")
    rows = _cut(rows)
    panels = [
        _panels(rows, names, "CRP (ranks)", ("crp", "crp_full_scale")),
        _panels(rows, names, "DCG", ("gain", "gain_ideal")),
    ]
    bounds = quadrants.select(across="effort_from").drop_nulls().unique(maintain_order=True)
    drawn = points.sample(MOST_POINTS, seed=7) if points.height > MOST_POINTS else points
    sampled = f", {drawn.height:,} of them drawn, by chance" if drawn.height < points.height else ""
    says = (
        f"{counted(points.height, 'ranking')}{sampled}; some of like, huge {gain} are marked, one for each effort.",
        "Black: the ideal list; dashed: the full-scale list, cut off above what the rankings reach.",
    )
    described = (
        f"{row['name']} has {gain} {row['up']:.3f} and {effort} {row['across']:.3f}." for row in marked.to_dicts()
    )
    plane = _plane(drawn, marked, bounds, (effort, gain))
    return Drawing(
        vconcat(plane, *panels, spacing=26, resolve=OWN_LEGENDS),
        f"Rankings of like {gain}, and the effort ({effort}) that they cost",
        " ".join(described),
        says,
    )


def _cut(rows: pl.DataFrame) -> pl.DataFrame:
    """Leave out what full-scale lists have above what the rankings reach."""
    high = limits_of([rows], "crp", "crp_full_scale")[1]
    return rows.with_columns(pl.when(pl.col("crp_full_scale") <= high).then("crp_full_scale"))


def _plane(drawn: pl.DataFrame, marked: pl.DataFrame, bounds: pl.DataFrame, axes: tuple[str, str]) -> Spec:
    names, (effort, gain) = marked["name"].to_list(), axes
    x, y = field("across:Q", title=f"{effort} (less effort →)"), field("up:Q", title=gain, axis=AXIS)
    table = drawn.select("run", "topic", across=pl.col(effort), up=pl.col(gain))
    quiet = chart(mark("circle", size=9, color=QUIET, opacity=0.8), data=table, x=x, y=y)
    rules = chart(mark("rule", color=INK, strokeDash=[2, 2], strokeWidth=0.7), data=bounds, x="across:Q")
    legend = {"orient": "right", "title": "marked rankings", "columns": 1, "symbolSize": 110}
    clicked = {"type": "point", "fields": ["name"], "on": "click", "clear": "dblclick"}
    dots = chart(
        mark("point", filled=True, size=150, opacity=1, stroke=INK, strokeWidth=1),
        data=marked,
        params=[{"name": "picked", "select": clicked}],
        x=x,
        y=y,
        color=field("name:N", scale=colours(names), legend=legend),
        shape=field("name:N", scale=shapes(names), legend=legend),
        opacity=when(PICKED, 1, 0.3),
        tooltip=["run:N", "topic:N", field("across:Q", title=effort), field("up:Q", title=gain)],
    )
    return layer(quiet, rules, dots, width=SIDE * 1.5, height=SIDE)


def _panels(rows: pl.DataFrame, names: list[str], title: str, columns: tuple[str, str]) -> Spec:
    """Draw a panel for each marked ranking, which are left out unless they are picked, or nothing is."""
    own, other = columns
    scale = {"type": "log", "domain": [1, max(2, int(rows["rank"].max()))], "nice": False}  # type: ignore[arg-type]
    x = field("rank:Q", title="rank (logarithmic)", scale=scale, axis={"tickCount": 4, "format": "d"})
    dash = FULL_SCALE.dash if other == "crp_full_scale" else [1, 0]
    colour = FULL_SCALE.colour if other == "crp_full_scale" else INK
    beside = mark("line", strokeDash=dash, color=colour, strokeWidth=1.2)
    layers = [
        chart(beside, x=x, y=field(f"{other}:Q", title=title, axis=AXIS)),
        chart(mark("line"), x=x, y=f"{own}:Q", color=field("name:N", scale=colours(names), legend=None)),
    ]
    if own == "crp":
        layers.insert(0, chart(mark("rule", color=INK), y={"datum": 0}))
    header = {"title": None, "labelFontSize": 10.5, "labelExpr": "split(datum.label, ': ')"}
    return {
        "data": rows.select("name", "rank", own, other),
        "transform": [{"filter": PICKED}],
        "facet": {"column": field("name:N", sort=names, header=header)},
        "spec": layer(*layers, width=WIDTH, height=HEIGHT),
        "spacing": 14,
    }
