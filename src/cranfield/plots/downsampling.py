"""Whether the runs keep their order when fewer documents are judged."""

from __future__ import annotations

from cranfield.plots.grammar import chart, field, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import STROKES, colours, dashes, shapes
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted


@plot(of="downsampling")
def downsampling(correlation: pl.DataFrame) -> Drawing:
    """Do the runs keep their order when fewer documents are judged?

    Kendall's tau-b of the order of the runs under part of the judgments with that under all of
    them, against the part that is left: the flatter and the closer to 1 a line, the more robust the
    measure.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The Twist measure for IR
    evaluation", JASIST 67(3), Figure 13.
    """
    shallow = "depth" in correlation.columns
    left = "depth" if shallow else "rate"
    names = correlation["measure"].unique(maintain_order=True).to_list()
    rows = correlation.with_columns(
        low=pl.col("tau") - pl.col("standard_error"), high=pl.col("tau") + pl.col("standard_error")
    )
    x = field(
        f"{left}:Q",
        title="pool depth" if shallow else "share of the judgments that are left",
        axis={"format": "~g" if shallow else ".0%", "values": sorted(set(correlation[left]))},
        scale={"reverse": True, "zero": False, "padding": 12},
    )
    both = {"x": x, "color": field("measure:N", scale=colours(names), legend=STROKES)}
    height = field("tau:Q", title="Kendall's tau-b with the order under all judgments", scale={"zero": False})
    tips = [f"{left}:Q", "measure:N", field("tau:Q", format=".4f"), field("standard_error:Q", format=".4f")]
    dash = field("measure:N", scale=dashes(names), legend=STROKES)
    lines = chart(mark("line"), **both, y=height, strokeDash=dash)
    bars = chart(mark("rule", strokeWidth=1.5), **both, where=["isValid(datum.low)"], y="low:Q", y2="high")
    # Points are not in the legend: Vega-Lite would put their shapes into that of the lines.
    looks = zip(names, colours(names)["range"], shapes(names)["range"], strict=True)
    points = [
        chart(
            mark("point", filled=True, size=60, opacity=1, color=colour, shape=shape),
            data=rows.filter(pl.col("measure") == name), x=x, y=height, tooltip=tips,
        )
        for name, colour, shape in looks
    ]  # fmt: skip
    least = correlation.filter(pl.col(left) == correlation[left].min())
    fewest = f"depth {least[left][0]}" if shallow else f"{least[left][0]:.0%}"
    repetitions = int(correlation["repetitions"].max() or 1)  # type: ignore[arg-type]
    over = f"Means over {counted(repetitions, 'random pool')}; the lines up and down are their standard errors."
    return Drawing(
        layer(lines, bars, *points, data=rows, width=520, height=320),
        "Order of the runs as judgments are taken away",
        f"At {fewest}: " + ", ".join(f"{m} {t:.3f}" for m, t in least.select("measure", "tau").iter_rows()) + ".",
        (over,) if repetitions > 1 else (),
    )
