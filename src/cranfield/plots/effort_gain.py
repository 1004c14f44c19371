"""Gain against effort, and the sixteen fields between."""

from __future__ import annotations

from typing import Any

from cranfield.plots.axes import ends_of
from cranfield.plots.grammar import Spec, chart, concat, field, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, HALO, INK, named
from cranfield.plumbing.lazy import pl

MOST_POINTS = 4000
"""More points than that are one blot, and slow."""
FEW_POINTS = 300
"""So few are drawn larger, to be seen at all."""
LOWEST = 0.045
"""Fields that are lower than that part of the plot have no number, which would lie on that of the next."""
PARTS = {
    "diagonal": ("#0072B2", "diagonal: both agree"),
    "high_high": ("#D55E00", "high-high: good by gain alone"),
    "gray": ("#7a7a7a", "grey area"),
    "below": ("#ffffff", "below the diagonal"),
}


@plot(of="effort-gain")
def effort_gain(points: pl.DataFrame, quadrants: pl.DataFrame, shares: pl.DataFrame) -> Drawing:
    """How much effort did the gain cost?

    A point is a run on a topic: the measure of effort across (the further right, the less effort),
    a measure of gain up. Columns are bounded as the experiment says, rows by the quartiles of the
    gain; each field has the share of the points that it holds.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The Twist measure for IR
    evaluation", JASIST 67(3), Figures 7 to 10.
    """
    effort = points.columns[2]
    drawn = points.sample(MOST_POINTS, seed=7) if points.height > MOST_POINTS else points
    says = [
        f"A point is a run on a topic, {points.height:,} in all; numbers are shares of the fields, where there is room."
    ]
    if drawn.height < points.height:
        says.append(f"{drawn.height:,} of them are drawn, by chance; the shares are of all.")
    if all((points[str(measure)] == 0).all() for measure in shares["measure"]):
        says.append("No ranking gains anything, so that where the points are says nothing of the runs.")
    charts = [
        _panel(
            drawn.select("run", "topic", pl.col(effort).alias("effort"), pl.col(row["measure"]).alias("gain")),
            quadrants.filter(pl.col("measure") == row["measure"]),
            row,
            effort,
        )
        for row in shares.iter_rows(named=True)
    ]
    described = (_said(row, points[str(row["measure"])]) for row in shares.iter_rows(named=True))
    return Drawing(
        concat(*charts, columns=2, spacing=28), f"Effort ({effort}) against gain", " ".join(described), tuple(says)
    )


def _said(share: dict[str, Any], gain: pl.Series) -> str:
    """Sum up the shares. What gains nothing at huge effort is on the diagonal, too, and costs nobody anything."""
    nothing = int((gain == 0).sum())
    if nothing == gain.len():
        return f"{share['measure']}: no ranking gains anything, so there is nothing to set against effort."
    of_these = f" ({nothing / gain.len():.0%} of all gain nothing)" if nothing else ""
    return (
        f"{share['measure']}: {share['diagonal']:.0%} of the points on the diagonal{of_these}, "
        f"{share['high_high']:.0%} high-high, {share['good']:.0%} of high gain at little effort."
    )


def _panel(points: pl.DataFrame, quadrants: pl.DataFrame, share: dict[str, object], effort: str) -> Spec:
    fields = _fields(quadrants, points)
    right, top = ends_of(points["effort"]), ends_of(points["gain"])
    names, ground = [says for _, says in PARTS.values()], [colour for colour, _ in PARTS.values()]
    boxes = chart(
        mark("rect", opacity=0.14, stroke=INK, strokeWidth=0.6, strokeOpacity=1),
        data=fields,
        x="left:Q",
        x2="right",
        y="low:Q",
        y2="high",
        color=field("part:N", title=None, scale=named(names, ground)),
        tooltip=[field("share:Q", format=".1%"), "part:N"],
    )
    many = points.height > FEW_POINTS
    dots = chart(
        mark("point", filled=True, size=9 if many else 36, opacity=0.35 if many else 0.7, color=COLOURS[6]),
        data=points,
        x=field("effort:Q", title=f"{effort} (less effort →)", scale={"domain": list(right), "nice": False}),
        y=field("gain:Q", title=str(share["measure"]), scale={"domain": list(top), "nice": False}),
        tooltip=["run:N", "topic:N", "effort:Q", "gain:Q"],
    )
    legible = fields.filter(pl.col("high") - pl.col("low") > LOWEST * (top[1] - top[0]))
    number = {"data": legible, "x": "across:Q", "y": "up:Q", "text": field("share:Q", format=".1%")}
    halo = chart(mark("text", fontWeight="bold", stroke=HALO, strokeWidth=4, strokeJoin="round"), **number)
    words = chart(mark("text", fontWeight="bold"), **number)
    title = f"{share['measure']}: diagonal {share['diagonal']:.1%}, high-high {share['high_high']:.1%}"
    return layer(dots, boxes, halo, words, width=330, height=330, title={"text": title, "fontSize": 12})


def _fields(quadrants: pl.DataFrame, points: pl.DataFrame) -> pl.DataFrame:
    """Give each field its corners, its middle and its part; those at the edge end where the plot does."""
    (left, right), (low, high) = ends_of(points["effort"]), ends_of(points["gain"])
    place = pl.int_range(pl.len())
    row, column = 3 - place // 4, place % 4
    part = (
        pl.when(row == column)
        .then(pl.lit(PARTS["diagonal"][1]))
        .when((row >= 2) & (column < 2))
        .then(pl.lit(PARTS["high_high"][1]))
        .when(row > column)
        .then(pl.lit(PARTS["gray"][1]))
        .otherwise(pl.lit(PARTS["below"][1]))
    )
    return quadrants.select(
        left=pl.col("effort_from").fill_null(left),
        right=pl.col("effort_below").fill_null(right),
        low=pl.col("gain_above").fill_null(low),
        high=pl.col("gain_up_to").fill_null(high),
        share="share",
        part=part,
    ).with_columns(across=pl.mean_horizontal("left", "right"), up=pl.mean_horizontal("low", "high"))
