"""Lists that end early: what they are worth, how long the best are, and how runs stand by them."""

from __future__ import annotations

from typing import Any

import numpy as np

from cranfield.plots.axes import in_grey, strokes
from cranfield.plots.grammar import Spec, chart, dot, field, grid, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, INK, colours, shapes
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

_FEW_RANKS = 100  # Longer lists are drawn with the first ranks stretched
TICKS = (0, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
_RELEVANT = "relevant documents"
_SHADE = "#7fb4d6"


@plot(of="truncation", measures=("ERRU", "RBPU(p=0.8)", "RBPU(p=0.98)", "RBU(p=0.8)", "RBU(p=0.98)", "DCGU", "OIE"))
def truncation_utility(prefixes: pl.DataFrame) -> Drawing:
    """What would lists be worth if they ended earlier, and which measures reward that they stop?

    Each line is the mean over all lists by one measure, divided by its largest absolute value, so 0 stays 0: where a
    line falls, the next documents cost more than they bring; below 0, no list at all would have been better. A dot
    marks where a line is highest. If there are more measures than colours to tell them apart, three are coloured: the
    one that peaks first, the median one, and the one that peaks last.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better
    and how to measure that", SIGIR, Figure 1.
    """
    every = prefixes["measure"].unique(maintain_order=True).to_list()
    largest = pl.col("value").abs().max().over("measure")
    rows = prefixes.with_columns(scaled=pl.when(largest > 0).then(pl.col("value") / largest).otherwise(0.0))
    best = rows.sort("value", descending=True, maintain_order=True).unique("measure", keep="first", maintain_order=True)
    longest = int(rows["length"][-1])
    order = best.sort("length", maintain_order=True)["measure"].to_list()
    names = every if len(every) <= len(COLOURS) else [order[0], order[(len(order) - 1) // 2], order[-1]]
    stretched = longest > _FEW_RANKS
    x = field(
        "length:Q",
        title="documents returned" + (", the first ones stretched" if stretched else ""),
        scale={"type": "symlog", "constant": 10, "nice": False} if stretched else {"nice": False},
        axis={"values": [n for n in TICKS if n <= longest]} if stretched else {"tickMinStep": 1},
    )
    y = field("scaled:Q", title="value, as a share of the largest", scale={"nice": True})
    look, of_named = strokes("measure:N", names, title=None), pl.col("measure").is_in(names)
    tips = ["measure:N", "length:Q", "value:Q .4g"]
    ends = {measure: (length, value) for measure, length, value in best.select("measure", "length", "value").rows()}
    peaks = (f"{each} is highest after {counted(ends[each][0], 'document')}, {ends[each][1]:.4g}" for each in every)
    return Drawing(
        layer(
            *in_grey(rows, names, x, y, by="measure"),
            chart(mark("rule", color=INK, strokeWidth=1), data=pl.DataFrame({"scaled": [0]}), y=y),
            chart(mark("line"), data=rows.filter(of_named), x=x, y=y, **look),
            chart(dot(55), data=best.filter(of_named), x=x, y=y, color=look["color"], tooltip=tips),
            width=520, height=300,
        ),
        "Value of lists that end early",
        f"On average over all lists {'; '.join(peaks)}.",
        "Mean over all lists, divided by its largest magnitude. Dot: where all lists would best end.",
        f"In colour: of {len(every)} measures, the one that peaks first, the median one, and the one that peaks last; "
        "the others in grey." if len(every) > len(names) else "",
    )  # fmt: skip


@plot(of="truncation")
def optimal_length(intervals: pl.DataFrame, summary: pl.DataFrame) -> Drawing:
    """What are the best lengths of the lists, and are they the numbers of relevant documents?

    A bar is the share of the lists for which that length is best by the measure; a stroke across it is the share of the
    topics with that many relevant documents. Bars on the left are lists that should have ended early, or been empty;
    the last bar holds all longer ones.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better
    and how to measure that", SIGIR, Figure 2.
    """
    order = intervals["interval"].to_list()
    rows = intervals.unpivot(index=["interval", _RELEVANT], variable_name="measure", value_name="share")
    rows = rows.drop_nulls("share")  # a collection has not the measures of another's relevance level
    highest = rows.select(pl.max_horizontal(pl.col("share", _RELEVANT).max())).item()
    found, lists = summary.rows(named=True), summary["rankings"][0]
    charts = [_lengths(rows.filter(measure=row["measure"]), row, order, highest) for row in found]
    marks = "Bar: share of lists. Stroke: share of topics with that many relevant documents."
    return Drawing(
        grid(charts, columns=min(4, len(charts)), spacing=20),
        f"Lengths of the optimal lists, by {summary['measure'][0] if len(charts) == 1 else 'measure'}",
        " ".join(
            f"{row['measure']}: {row['empty']:.1%} of {counted(lists, 'list is', 'lists are')} best empty, "
            f"{row['untouched']:.1%} whole; the median length is {row['median_length']:g}."
            for row in found
        ),
        f"{counted(lists, 'list')}. {marks}",
    )


def _lengths(rows: pl.DataFrame, found: dict[str, Any], order: list[str], highest: float) -> Spec:
    tips = ["interval:N", field("share:Q .1%", title="of the lists"), field("relevant:Q .1%", title="of the topics")]
    documents = field("interval:N", sort=order, title="documents", axis={"labelAngle": -60})
    interval = {"x": documents, "tooltip": tips}
    share = {"title": "share", "axis": {"format": "%", "tickCount": 4}, "scale": {"domain": [0, highest]}}
    below = f"{found['empty']:.0%} empty, {found['untouched']:.0%} whole, median {found['median_length']:g}"
    stroke = mark("tick", color=INK, thickness=2.5, orient="horizontal", size=14)
    return layer(
        chart(mark("bar", color=_SHADE), **interval, y=field("share:Q", **share)),
        chart(stroke, **interval, y=field("relevant:Q", **share)),
        data=rows.rename({_RELEVANT: "relevant"}), width=190, height=110,
        title={"text": found["measure"], "subtitle": below, "fontSize": 12, "subtitleFontSize": 10, "offset": 6},
    )  # fmt: skip


@plot(of="truncated-correlation")
def full_against_truncated(correlation: pl.DataFrame, systems: pl.DataFrame) -> Drawing:
    """Do runs keep their order if their lists end where they should?

    A point is a run: a measure of its whole lists across, and up its value when every list ends where the last of the
    cutting measures (by default OIE) is highest. There is a panel for the same measure of whole lists, if it is among
    them, for the two measures that rank the runs most similarly, and for the one that ranks them least similarly.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better
    and how to measure that", SIGIR, Figure 3.
    """
    cutting = correlation.columns[-1]
    alike = correlation.select("full", tau=cutting).sort("tau", descending=True, nulls_last=True, maintain_order=True)
    others = alike.filter(pl.col("full") != cutting)["full"].to_list()
    chosen = [*(name for name in alike["full"] if name == cutting), *others[:2], *others[2:][-1:]]
    collections = systems["collection"].unique(maintain_order=True).to_list()
    tau = dict(alike.iter_rows())
    charts = [_cut_against_whole(systems, cutting, full, tau[full], collections) for full in chosen]
    runs = systems.group_by("collection", maintain_order=True).agg(pl.col("run").n_unique()).rows()
    many = f"{runs[0][1]} in all" if len(runs) == 1 else ", ".join(f"{count} of {name}" for name, count in runs)
    says = [f"A point is a run, {many}; τ_b compares the two orders."]
    if len(chosen) < alike.height:
        says.append(f"{len(chosen)} of {alike.height} measures of whole lists: the same, two most similar, one least.")
    return Drawing(
        grid(charts, columns=2, spacing=26),
        f"Lists cut where {cutting} is highest, against whole ones",
        " ".join(f"{full} of whole lists: τ_b {tau[full]:.3f}." for full in chosen if tau[full] is not None),
        *says,
    )


def _cut_against_whole(
    systems: pl.DataFrame, cutting: str, full: str, tau: float | None, collections: list[str]
) -> Spec:
    cut = systems.filter(lists="truncated", measure=cutting).select("collection", "run", cut="value")
    whole = systems.filter(lists="full", measure=full).select("collection", "run", whole="value")
    rows = cut.join(whole, on=["collection", "run"], maintain_order="left")
    several = len(collections) > 1
    legend: Spec = {"title": None} | ({} if several else {"legend": None})
    points = chart(
        mark("point", filled=True, size=45, opacity=0.7),
        data=rows,
        x=field("whole:Q", title=f"{full}, whole lists", scale={"zero": False}),
        y=field("cut:Q", title=f"{cutting}, cut lists", scale={"zero": False}),
        color=field("collection:N", scale=colours(collections), **legend),
        shape=field("collection:N", scale=shapes(collections), **legend),
        tooltip=["run:N", "collection:N", "whole:Q .4f", "cut:Q .4f"],
    )
    mean = ", the mean over collections" if several else ""
    said = "no order" if tau is None or np.isnan(tau) else f"τ_b {tau:.2f}{mean}"
    return layer(points, width=280, height=210, title={"text": f"{full}: {said}", "fontSize": 12, "offset": 6})
