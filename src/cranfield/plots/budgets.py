"""Runs by budget."""

from __future__ import annotations

from collections.abc import Iterator

from cranfield.plots.grammar import Spec, chart, concat, field, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, DASHES, QUIET, STROKES, colours, named
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted


@plot(of="budgets")
def budgets(leaders: pl.DataFrame, values: pl.DataFrame, *, topic: str | None = None) -> Drawing:
    """How good is each run within a budget, and which run leads?

    Each line is a run: the value of its lists, read until the next document does not fit into the
    budget. Lines that cross are runs whose order depends on the budget. Several measures have a
    panel each.

    Paper: none; a list cut by cost in place of rank.
    """
    measures = values["measure"].unique(maintain_order=True).to_list()
    first = values.filter(measure=measures[0], budget=values["budget"].to_numpy().max())
    order = first.sort("value", descending=True, maintain_order=True)["run"].to_list()
    leading = leaders["run"].unique(maintain_order=True).to_list()
    coloured = [*dict.fromkeys([*leading, *order])][: len(COLOURS) - 1]
    over = "" if topic is not None else ", mean over topics"
    panels = [
        _panel(values.filter(measure=measure), coloured, f"{measure}{over}", alone=len(measures) == 1)
        for measure in measures
    ]
    others = len(order) - len(coloured)
    says = (f"In colour the runs that lead somewhere, and the best; the other {others} in grey.",) if others else ()
    return Drawing(
        panels[0] if len(panels) == 1 else concat(*panels, columns=2, spacing=24),
        f"{', '.join(measures)} within a budget",
        " ".join(_described(leaders)),
        says,
    )


def _panel(rows: pl.DataFrame, coloured: list[str], title: str, *, alone: bool) -> Spec:
    several = rows["budget"].n_unique() > 1
    x = field(
        "budget:Q",
        title="budget for a list" + (", on a logarithmic scale" if several else ""),
        scale={"type": "log", "nice": False, "padding": 8} if several else {"zero": False},
        axis={"values": sorted(set(rows["budget"])), "format": ",", "grid": False, "labelOverlap": True},
    )
    rows = rows.drop("measure")
    y = field("value:Q", title=title)
    tips = ["run:N", field("budget:Q", format=","), field("value:Q", format=".4f")]
    quiet, shown = rows.filter(~pl.col("run").is_in(coloured)), rows.filter(pl.col("run").is_in(coloured))
    views = []
    if quiet.height:
        views.append(chart(mark("line", color=QUIET, strokeWidth=1, opacity=0.7), data=quiet, x=x, y=y, detail="run:N"))
    dashed = [DASHES[i % len(DASHES)] for i in range(len(coloured))]
    look = {
        "color": field("run:N", title=None, scale=colours(coloured), legend=STROKES),
        "strokeDash": field("run:N", title=None, scale=named(coloured, dashed), legend=STROKES),
    }
    views.append(chart(mark("line"), data=shown, x=x, y=y, **look))
    point = mark("point", filled=True, size=36, opacity=1)
    views.append(
        chart(point, data=shown, x=x, y=y, color=field("run:N", title=None, scale=colours(coloured)), tooltip=tips)
    )
    return layer(*views, width=520 if alone else 340, height=320 if alone else 240)


def _described(leaders: pl.DataFrame) -> Iterator[str]:
    """Say who leads at which budgets, measure by measure."""
    for (measure,), rows in leaders.group_by("measure", maintain_order=True):
        more = pl.when(pl.col("ties") > 1).then(pl.format(" and {} more", pl.col("ties") - 1)).otherwise(pl.lit(""))
        rows = rows.with_columns(run=pl.col("run") + more)  # noqa: PLW2901
        stretches = rows.with_columns(stretch=pl.col("run").rle_id()).group_by("stretch", maintain_order=True)
        said = []
        for _, stretch in stretches:
            low, high, run = stretch["budget"][0], stretch["budget"][-1], stretch["run"][0]
            at = f"at {low:,.12g}" if low == high else f"from {low:,.12g} to {high:,.12g}"
            value = " to ".join(f"{each:.3f}" for each in stretch["value"].gather([0, -1][: 1 + (low != high)]))
            said.append(f"{run} {at} ({value})")
        yield f"{measure} is highest for {', '.join(said)}, of {counted(rows.height, 'budget')}."
