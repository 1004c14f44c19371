"""Rankings that gain alike and cost more or less effort, and what they look like rank by rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.plots.grammar import alt
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import INK, QUIET, colours, shapes
from cranfield.plots.walks import FULL_SCALE, limits_of, with_own_legends
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

if TYPE_CHECKING:
    from cranfield.plots.plot import VegaLite

MOST_POINTS = 4000
"""More points than that are one blot, and slow."""
SIDE, WIDTH, HEIGHT = 300, 215, 150


@plot(of="effort-gain")
def effort_gain_curves(points: pl.DataFrame, quadrants: pl.DataFrame, chosen: pl.DataFrame) -> Drawing:
    """What do rankings look like that gain alike, and cost more or less effort?

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
    picked = alt.selection_point(fields=["name"], on="click", clear="dblclick", name="picked")
    rows = chosen.join(marked.select("run", "topic", "name"), on=["run", "topic"], maintain_order="left")
    rows = pl.concat(_cut(part) for part in rows.partition_by("name", maintain_order=True))
    panels = [
        _panels(rows, names, "CRP (ranks)", ("crp", "crp_full_scale"), picked),
        _panels(rows, names, "DCG", ("gain", "gain_ideal"), picked),
    ]
    bounds = quadrants.select(across="effort_from").drop_nulls().unique(maintain_order=True)
    drawn = points.sample(MOST_POINTS, seed=7) if points.height > MOST_POINTS else points
    sampled = f", {drawn.height:,} of them drawn, by chance" if drawn.height < points.height else ""
    says = (
        f"{counted(points.height, 'ranking')}{sampled}; some of like, huge {gain} are marked, one for each effort.",
        "Black: the ideal list; dashed: the full-scale list, cut off above what the ranking reaches.",
    )
    described = (
        f"{row['name']} has {gain} {row['up']:.3f} and {effort} {row['across']:.3f}." for row in marked.to_dicts()
    )
    plane = _plane(drawn, marked, bounds, (effort, gain), picked)
    return Drawing(
        with_own_legends(alt.vconcat(plane, *panels, spacing=26)),
        f"Rankings of like {gain}, and the effort ({effort}) that they cost",
        " ".join(described),
        says,
    )


def _cut(rows: pl.DataFrame) -> pl.DataFrame:
    """Leave out what the full-scale list has above what the ranking reaches."""
    high = limits_of(rows, "crp", "crp_full_scale")[1]
    return rows.with_columns(pl.when(pl.col("crp_full_scale") <= high).then("crp_full_scale"))


def _plane(
    drawn: pl.DataFrame, marked: pl.DataFrame, bounds: pl.DataFrame, axes: tuple[str, str], picked: alt.Parameter
) -> VegaLite:
    names, (effort, gain) = marked["name"].to_list(), axes
    x, y = alt.X("across:Q", title=f"{effort} (less effort →)"), alt.Y("up:Q", title=gain, axis=_axis())
    tips = ["run:N", "topic:N", alt.Tooltip("across:Q", title=effort), alt.Tooltip("up:Q", title=gain)]
    table = drawn.select("run", "topic", across=pl.col(effort), up=pl.col(gain))
    quiet = alt.Chart(table).mark_circle(size=9, color=QUIET, opacity=0.8).encode(x=x, y=y)
    rules = alt.Chart(bounds).mark_rule(color=INK, strokeDash=[2, 2], strokeWidth=0.7).encode(x="across:Q")
    legend = alt.Legend(orient="right", title="marked rankings", columns=1, symbolSize=110)
    dots = alt.Chart(marked).mark_point(filled=True, size=150, opacity=1, stroke=INK, strokeWidth=1).encode(
        x=x,
        y=y,
        color=alt.Color("name:N", scale=colours(names), legend=legend),
        shape=alt.Shape("name:N", scale=shapes(names), legend=legend),
        opacity=alt.condition(picked, alt.value(1), alt.value(0.3)),
        tooltip=tips,
    ).add_params(picked)  # fmt: skip
    return alt.layer(quiet, rules, dots).properties(width=SIDE * 1.5, height=SIDE)


def _axis() -> alt.Axis:
    """Return an axis at the left as wide as the others, so that the panels stand below each other."""
    return alt.Axis(minExtent=44, maxExtent=44)


def _panels(
    rows: pl.DataFrame, names: list[str], title: str, columns: tuple[str, str], picked: alt.Parameter
) -> VegaLite:
    """Draw a panel for each marked ranking, which are left out unless they are picked, or nothing is."""
    own, other = columns
    scale = alt.Scale(type="log", domain=[1, max(2, int(rows["rank"].max()))], nice=False)  # type: ignore[arg-type]
    x = alt.X("rank:Q", title="rank (logarithmic)", scale=scale, axis=alt.Axis(tickCount=4, format="d"))
    base = alt.Chart().encode(x=x)
    dash = FULL_SCALE.dash if other == "crp_full_scale" else [1, 0]
    colour = FULL_SCALE.colour if other == "crp_full_scale" else INK
    up = alt.Y(f"{other}:Q", title=title, axis=_axis())
    beside = base.mark_line(strokeDash=dash, color=colour, strokeWidth=1.2).encode(y=up)
    run = base.mark_line().encode(y=f"{own}:Q", color=alt.Color("name:N", scale=colours(names), legend=None))
    layers = [beside, run]
    if own == "crp":
        layers.insert(0, alt.Chart().mark_rule(color=INK).encode(y=alt.datum(0)))
    header = alt.Header(title=None, labelFontSize=10.5, labelExpr="split(datum.label, ': ')")
    data = rows.select("name", "rank", own, other)
    found: VegaLite = (
        alt.layer(*layers, data=data)
        .properties(width=WIDTH, height=HEIGHT)
        .facet(column=alt.Column("name:N", sort=names, header=header), spacing=14)
        .transform_filter(picked)
        .resolve_scale(y="independent")
    )
    return found
