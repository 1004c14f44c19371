"""What is found as more is searched."""

from __future__ import annotations

from typing import Final

from cranfield.plots.axes import ends_of
from cranfield.plots.grammar import Spec, chart, concat, field, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, STROKES, colours, dashes, named
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

MOST_COLOURED: Final = len(COLOURS)
"""So many systems have a colour each."""
BANDS: Final = 3
"""Bands of more systems would hide each other."""
FEW: Final = 15
"""Up to so many searches each has a tick."""


@plot(of="searches")
def gain_by_call(after: pl.DataFrame) -> Drawing:
    """How much is found after each of several searches for one question?

    Each line is the mean over topics of a measure of the union of the searches so far; the lists of topics
    with fewer searches are carried forward, so that a line that levels off may be one whose systems stopped
    searching. Bands, of up to three systems, are Student's t intervals over topics, each for one number of
    searches and not for the whole line. Each measure has a panel.
    """
    measures = after["measure"].unique(maintain_order=True).to_list()
    first = after.filter(pl.col("measure") == measures[0])
    ends = first.group_by("run", maintain_order=True).agg(pl.col("value").last())
    best = ends.sort("value", descending=True, nulls_last=True, maintain_order=True)
    runs = best["run"].head(MOST_COLOURED).to_list()
    others = ends.height - len(runs)
    rows = after.filter(pl.col("run").is_in(runs)).filter(pl.col("value").is_not_null())
    of_measure = {measure: rows.filter(pl.col("measure") == measure) for measure in measures}
    panels = [_panel(part, measure, runs, alone=len(measures) == 1) for measure, part in of_measure.items()]
    level = f"{100 * after['level'][0]:g} %"
    says = ["Lists that ended earlier are carried forward."]
    if rows["low"].is_not_null().any():
        where = "Bands" if len(runs) <= BANDS else "Shown to a pointer"
        says.append(f"{where}: {level} t intervals over topics, each for one number of searches.")
    if others:
        says.append(f"The {len(runs)} of {ends.height} systems with the highest {measures[0]} at the end.")
    return Drawing(
        panels[0] if len(panels) == 1 else concat(*panels, columns=2, spacing=26),
        f"{', '.join(measures)} after each search",
        " ".join(_described(part, measure, runs) for measure, part in of_measure.items()),
        tuple(says),
    )


def _panel(rows: pl.DataFrame, measure: str, runs: list[str], *, alone: bool) -> Spec:
    last = int(rows["searches"].max() or 1)  # type: ignore[arg-type]
    low, high = ends_of(pl.concat([rows["value"], rows["low"].drop_nulls(), rows["high"].drop_nulls()]))
    x = field(
        "searches:Q",
        title="searches",
        scale={"domain": [1, last], "nice": False} if last > 1 else {"zero": False},
        axis={"format": "d"} | ({"values": [*range(1, last + 1)]} if last <= FEW else {"tickMinStep": 1}),
    )
    title = f"{measure}, mean over topics"
    scale = {"domain": [low, high], "nice": False}
    colour = named(runs, colours(runs)["range"])
    both = {
        "data": rows,
        "x": x,
        "y": field("value:Q", title=title, scale=scale),
        "color": field("run:N", title=None, scale=colour, legend=STROKES),
    }
    dash = field("run:N", title=None, scale=named(runs, dashes(runs)["range"]), legend=STROKES)
    layers = []
    band = rows.filter(pl.col("low").is_not_null())
    if band.height and len(runs) <= BANDS:
        layers.append(
            chart(
                mark("area", opacity=0.12) if last > 1 else mark("rule"),
                data=band,
                x=x,
                y=field("low:Q", title=title, scale=scale),
                y2="high",
                color=both["color"],
            )
        )
    tips = [
        "run:N",
        field("searches:Q", title="searches"),
        field("value:Q", format=".4f", title=measure),
        field("low:Q", format=".4f"),
        field("high:Q", format=".4f"),
        field("made:Q", title="topics with that many searches"),
    ]
    layers.append(chart(mark("line"), **both, strokeDash=dash))
    layers.append(chart(mark("point", filled=True, size=40, opacity=1), **both, tooltip=tips))
    width, height = (520, 320) if alone else (330, 240)
    return layer(*layers, width=width, height=height)


def _described(rows: pl.DataFrame, measure: str, runs: list[str]) -> str:
    parts = []
    for run in runs:
        of_run = rows.filter(pl.col("run") == run)
        if of_run.height:
            first, last = of_run["value"][0], of_run["value"][-1]
            searches = counted(of_run["searches"][-1], "search", "searches")
            parts.append(f"{run} {first:.3f} after the first search and {last:.3f} after {searches}")
    return f"{measure}: {'; '.join(parts)}."
