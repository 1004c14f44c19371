"""What lists are worth that end early."""

from __future__ import annotations

from cranfield.plots.grammar import chart, field, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, INK, QUIET, STROKES, colours, dashes
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
    list would have been better than these. A dot marks where a line is highest. Of more measures than
    can be told apart three have a colour: the one that is highest soonest, the median and the latest.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better
    and how to measure that", SIGIR, Figure 1.
    """
    every = prefixes["measure"].unique(maintain_order=True).to_list()
    largest = pl.col("value").abs().max().over("measure")
    rows = prefixes.with_columns(scaled=pl.when(largest > 0).then(pl.col("value") / largest).otherwise(0.0))
    best = rows.sort("value", descending=True, maintain_order=True).unique("measure", keep="first", maintain_order=True)
    longest = int(rows["length"][-1])
    names, says = every, []
    if len(every) > len(COLOURS):
        order = best.sort("length", maintain_order=True)["measure"].to_list()
        names = [order[0], order[(len(order) - 1) // 2], order[-1]]
        says.append(
            f"In colour, of {len(every)} measures, the one that is highest soonest, the median one and the latest; "
            "the others in grey."
        )
    stretched = longest > FEW
    x = field(
        "length:Q",
        title="documents returned" + (", the first ones stretched" if stretched else ""),
        scale={"type": "symlog", "constant": 10, "nice": False} if stretched else {"nice": False},
        axis={"values": [n for n in TICKS if n <= longest]} if stretched else {"tickMinStep": 1},
    )
    y = field("scaled:Q", title="value, of the largest magnitude", scale={"nice": True})
    both = {"x": x, "y": y, "color": field("measure:N", title=None, scale=colours(names), legend=STROKES)}
    dash = field("measure:N", title=None, scale=dashes(names), legend=STROKES)
    tips = ["measure:N", "length:Q", field("value:Q", format=".4g")]
    zero = chart(mark("rule", color=INK, strokeWidth=1), data=pl.DataFrame({"scaled": [0]}), y=y)
    of_named = pl.col("measure").is_in(names)
    others = rows.filter(~of_named)
    quiet = [chart(mark("line", color=QUIET, strokeWidth=1), data=others, x=x, y=y, detail="measure:N")]
    lines = chart(mark("line"), data=rows.filter(of_named), **both, strokeDash=dash)
    points = mark("point", filled=True, size=55, opacity=1)
    dots = chart(points, data=best.filter(of_named), **both, tooltip=tips)
    ends = {row["measure"]: row for row in best.iter_rows(named=True)}
    return Drawing(
        layer(*(quiet if others.height else ()), zero, lines, dots, width=520, height=300),
        "What lists are worth that end early",
        "; ".join(
            f"{name} is highest after {counted(ends[name]['length'], 'document')}, {ends[name]['value']:.4g}"
            for name in every
        )
        + ".",
        ("Mean over all lists, divided by its largest magnitude; a dot: the best end for all lists alike.", *says),
    )
