"""A measure at several cutoffs, or within several budgets."""

from __future__ import annotations

from typing import Final

from cranfield.plots.grammar import Spec, chart, concat, field, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, QUIET, STROKES, colours, dashes
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

MOST_RUNS: Final = len(COLOURS)
"""More lines are not told apart."""


@plot(of="scores", measures=("R@5", "R@10", "R@20", "R@50", "R@100"))
def cutoffs(cutoffs: pl.DataFrame, *, topic: str | None = None) -> Drawing:
    """How does a measure grow with its cutoff, or with the budget?

    A line joins a run's means over the topics by one measure at several cutoffs, or within several budgets of text
    that is read: `R@5,10,20`, or `EvidenceR(budget=1000)` and `EvidenceR(budget=2000)`. The axis is logarithmic.
    Several measures have a panel each; one with a single cutoff is a row of points.
    """
    measures = cutoffs["measure"].unique(maintain_order=True).to_list()
    first = cutoffs.filter(pl.col("measure") == measures[0])
    ends = first.filter(pl.col("at") == pl.col("at").max()).sort("value", descending=True, maintain_order=True)
    coloured, others = ends["run"].head(MOST_RUNS).to_list(), max(ends.height - MOST_RUNS, 0)
    over = ", mean over topics" if topic is None else ""
    parts = cutoffs.partition_by("measure", maintain_order=True)
    size = (520, 320) if len(parts) == 1 else (340, 240)
    charts = [_panel(part, coloured, over, size) for part in parts]
    says = []
    if others:
        says.append(
            f"In colour the {len(coloured)} runs that are highest by {measures[0]} at the last "
            f"{first['of'][0]}, the other {others} in grey."
        )
    return Drawing(
        charts[0] if len(charts) == 1 else concat(*charts, columns=2, spacing=24),
        f"{', '.join(measures)} by {' and '.join(cutoffs['of'].unique(maintain_order=True))}",
        " ".join(_described(part, coloured) for part in parts),
        tuple(says),
    )


def _panel(rows: pl.DataFrame, coloured: list[str], over: str, size: tuple[int, int]) -> Spec:
    """Draw one measure: all runs in grey, and over them those that have a colour."""
    of, measure, places = rows["of"][0], rows["measure"][0], sorted(set(rows["at"]))
    x = field(
        "at:Q", title=f"{of}, logarithmic",
        scale={"type": "log", "nice": False, **({"padding": 12} if len(places) > 1 else {})},
        axis={"values": places, "format": ",~g", "labelOverlap": "greedy"},
    )  # fmt: skip
    y = field("value:Q", title=f"{measure}{over}", scale={"nice": True})
    tips = ["run:N", field("at:Q", title=of, format=","), field("value:Q", format=".4f", title=measure)]
    grey = rows.filter(~pl.col("run").is_in(coloured)).select("run", "at", "value")
    shown = rows.filter(pl.col("run").is_in(coloured)).select("run", "at", "value")
    colour = field("run:N", title=None, scale=colours(coloured), legend=STROKES)
    dash = field("run:N", title=None, scale=dashes(coloured), legend=STROKES)
    quiet = mark("line", color=QUIET, strokeWidth=1, opacity=0.7)
    layers = [chart(quiet, data=grey, x=x, y=y, detail="run:N")] if grey.height else []
    layers += [
        chart(mark("line"), data=shown, x=x, y=y, color=colour, strokeDash=dash),
        *(
            chart(
                mark("point", filled=True, size=40, opacity=1, color=colours(coloured)["range"][place]),
                data=shown.filter(pl.col("run") == run), x=x, y=y, tooltip=tips,
            )
            for place, run in enumerate(coloured)
        ),
    ]  # fmt: skip
    return layer(*layers, width=size[0], height=size[1])


def _described(rows: pl.DataFrame, runs: list[str]) -> str:
    last = rows.filter(pl.col("at") == pl.col("at").max())
    values = dict(last.select("run", "value").iter_rows())
    more = f", and {counted(len(values) - len(runs), 'run')} more" if len(values) > len(runs) else ""
    told = ", ".join(f"{run} {values[run]:.3f}" for run in runs)
    return f"{rows['measure'][0]} at {rows['of'][0]} {last['at'][0]:,g}: {told}{more}."
