"""What lists are worth that end early."""

from __future__ import annotations

from cranfield.plots.grammar import alt
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import INK, colours, dashes, strokes
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

FEW = 100
"""Longer lists are drawn with the first ranks stretched."""
TICKS = (0, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


@plot(of="truncation", measures=("ERRU", "RBPU(p=0.8)", "RBPU(p=0.98)", "RBU(p=0.8)", "RBU(p=0.98)", "DCGU", "OIE"))
def truncation_utility(prefixes: pl.DataFrame) -> Drawing:
    """What would lists be worth if they ended earlier, and which measures reward that they stop?

    Each line is the mean over all lists by one measure, divided by its largest absolute value, so
    that 0 stays 0: where a line falls, the next documents cost more than they bring; below 0, no
    list would have been better than these. A dot marks where a line is highest.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better
    and how to measure that", SIGIR, Figure 1.
    """
    names = prefixes["measure"].unique(maintain_order=True).to_list()
    largest = pl.col("value").abs().max().over("measure")
    rows = prefixes.with_columns(scaled=pl.when(largest > 0).then(pl.col("value") / largest).otherwise(0.0))
    best = rows.sort("value", descending=True, maintain_order=True).unique("measure", keep="first", maintain_order=True)
    longest = int(rows["length"][-1])
    stretched = longest > FEW
    x = alt.X(
        "length:Q",
        title="documents returned" + (", the first ones stretched" if stretched else ""),
        scale=alt.Scale(type="symlog", constant=10, nice=False) if stretched else alt.Scale(nice=False),
        axis=alt.Axis(values=[n for n in TICKS if n <= longest]) if stretched else alt.Axis(tickMinStep=1),
    )
    y = alt.Y("scaled:Q", title="value, of the largest magnitude", scale=alt.Scale(nice=True))
    colour = alt.Color("measure:N", title=None, scale=colours(names), legend=strokes())
    dash = alt.StrokeDash("measure:N", title=None, scale=dashes(names), legend=strokes())
    tips = ["measure:N", "length:Q", alt.Tooltip("value:Q", format=".4g")]
    zero = alt.Chart(pl.DataFrame({"scaled": [0]})).mark_rule(color=INK, strokeWidth=1).encode(y=y)
    lines = alt.Chart(rows).mark_line().encode(x=x, y=y, color=colour, strokeDash=dash)
    dots = alt.Chart(best).mark_point(filled=True, size=55, opacity=1).encode(x=x, y=y, color=colour, tooltip=tips)
    ends = {row["measure"]: row for row in best.iter_rows(named=True)}
    return Drawing(
        alt.layer(zero, lines, dots).properties(width=520, height=300),
        "What lists are worth that end early",
        "; ".join(
            f"{name} is highest after {counted(ends[name]['length'], 'document')}, {ends[name]['value']:.4g}"
            for name in names
        )
        + ".",
        ("Mean over all lists, divided by its largest magnitude; a dot: the best end for all lists alike.",),
    )
