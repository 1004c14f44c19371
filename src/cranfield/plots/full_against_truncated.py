"""Runs by their whole lists, and by lists that end where they should."""

from __future__ import annotations

import numpy as np

from cranfield.plots.grammar import Spec, chart, concat, field, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import colours, shapes
from cranfield.plumbing.lazy import pl


@plot(of="truncated-correlation")
def full_against_truncated(correlation: pl.DataFrame, systems: pl.DataFrame) -> Drawing:
    """Do runs that end where they should stand as they do with their whole lists?

    A point is a run: a measure of its whole lists across, and up what it is worth when every list
    ends where the last of the measures by which lists are cut (OIE, if nothing else was asked) is
    highest. There is a panel for the same measure of whole lists, if it is among them, and for the
    two that rank the runs most and the one that ranks them least alike.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better
    and how to measure that", SIGIR, Figure 3.
    """
    cutting = correlation.columns[-1]
    alike = correlation.select("full", tau=cutting).sort("tau", descending=True, nulls_last=True, maintain_order=True)
    others = alike.filter(pl.col("full") != cutting)["full"].to_list()
    chosen = [*(name for name in alike["full"] if name == cutting), *others[:2], *others[2:][-1:]]
    collections = systems["collection"].unique(maintain_order=True).to_list()
    tau = dict(alike.iter_rows())
    charts = [_panel(systems, cutting, full, tau[full], collections) for full in chosen]
    says = [f"A point is a run, {_counted(systems, collections)}; tau-b is of their order."]
    if len(chosen) < alike.height:
        says.append(f"{len(chosen)} of {alike.height} measures of whole lists: the same, the most alike, the least.")
    return Drawing(
        charts[0] if len(charts) == 1 else concat(*charts, columns=2, spacing=26),
        f"Lists cut where {cutting} is highest, against whole ones",
        " ".join(f"{full} of whole lists: tau-b {tau[full]:.3f}." for full in chosen if tau[full] is not None),
        tuple(says),
    )


def _counted(systems: pl.DataFrame, collections: list[str]) -> str:
    runs = [systems.filter(collection=name)["run"].n_unique() for name in collections]
    if len(collections) == 1:
        return f"{runs[0]} in all"
    return ", ".join(f"{many} of {name}" for many, name in zip(runs, collections, strict=True))


def _panel(systems: pl.DataFrame, cutting: str, full: str, tau: float | None, collections: list[str]) -> Spec:
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
        tooltip=["run:N", "collection:N", field("whole:Q", format=".4f"), field("cut:Q", format=".4f")],
    )
    said = (
        "no order"
        if tau is None or np.isnan(tau)
        else f"τ_b {tau:.2f}" + (", the mean over collections" if several else "")
    )
    return layer(points, width=280, height=210, title={"text": f"{full}: {said}", "fontSize": 12, "offset": 6})
