"""Which runs are no worse at any rank and grade: the partial order."""

from __future__ import annotations

import numpy as np

from cranfield.plots.grammar import Spec, chart, field, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.printing import AS_LARGE
from cranfield.plots.theme import COLOURS, QUIET
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.scope import Scope, Sums
from cranfield.plumbing.wording import counted, percent

MOST_RUNS = 60
"""More names than that do not fit on a page."""
LETTER, LONGEST, GAP = 6.4, 26, 110
"""How wide a letter is, in points; how many letters of a name are shown; how wide the lines between names are."""
SWEEPS = 8
"""So often each layer is put in the order of those that it is tied to."""


@plot(of="dominance")
def dominance(runs: pl.DataFrame, order: pl.DataFrame, summary: pl.DataFrame) -> Drawing:
    """Which runs are no worse than others at any rank and grade?

    Each line leads from a run to one on its right that it dominates; what follows from two lines,
    one after the other, has none of its own. Of two runs that no way from left to right joins, each
    is better by some weights of ranks and gains of grades. On the left stand the runs that none
    dominates.
    """
    within = runs.sort("layer", maintain_order=True)["layer"].value_counts(sort=False).sort("layer")
    layers = max(1, int((within["count"].cum_sum() <= MOST_RUNS).sum()))
    shown = runs.filter(pl.col("layer") < layers).head(MOST_RUNS)
    names = shown["run"].to_list()
    edges = order.filter(pl.col("better").is_in(names), pl.col("worse").is_in(names))
    placed = _placed(shown, edges)
    judged = summary.row(0, named=True)
    undominated, settled = int(judged["undominated"]), judged["pairs"] - judged["equal"]
    share = 2 / (runs.height * (runs.height - 1))
    says = ["A line leads from a run to one that it dominates, on its right (not what follows from others)."]
    if shown.height < runs.height:
        says.append(f"Of the first {counted(layers, 'layer')}: {shown.height} of {counted(runs.height, 'run')}.")
    return Drawing(
        _panel(placed, edges),
        "No worse at any rank and grade",
        f"In {counted(settled, 'pair')} of runs ({percent(settled * share)}) one run is no worse "
        f"{Scope(Sums(judged['depth'])).by_all}; "
        f"{undominated} of {counted(runs.height, 'run')} {'is' if undominated == 1 else 'are'} undominated: "
        f"{', '.join(placed.filter(pl.col('layer') == 0)['run'].head(5))}{', ...' if undominated > 5 else ''}.",
        tuple(says),
    )


def _placed(runs: pl.DataFrame, edges: pl.DataFrame) -> pl.DataFrame:
    """Give each run a place within its layer, near those that it is joined to, so that few lines cross."""
    names = {run: number for number, run in enumerate(runs["run"])}
    layer = runs["layer"].to_numpy()
    joined = np.zeros((len(names), len(names)))
    for one, other in edges.iter_rows():
        joined[names[one], names[other]] = joined[names[other], names[one]] = 1
    place = np.zeros(len(names))
    for sweep in range(SWEEPS):
        for each in range(layer.max() + 1):
            here = np.flatnonzero(layer == each)
            degree = joined[here].sum(axis=1)
            middle = np.where(degree > 0, joined[here] @ place / np.maximum(degree, 1), place[here])
            ranks = np.argsort(np.argsort(middle if sweep else np.arange(len(here)), kind="stable"), kind="stable")
            place[here] = ranks - (len(here) - 1) / 2
    return runs.with_columns(place=place)


def _panel(runs: pl.DataFrame, edges: pl.DataFrame) -> Spec:
    ends = runs.select("run", "layer", "place")
    lines = edges.join(ends, left_on="better", right_on="run").join(ends, left_on="worse", right_on="run", suffix="_to")
    layers, reach = len(set(runs["layer"])), runs["place"].abs().to_numpy().max() + 0.8
    axis = {"tickMinStep": 1, "grid": False, "format": "d", "values": list(range(layers))}
    names = 16 + LETTER * min(LONGEST, int(runs["run"].str.len_chars().to_numpy().max()))
    width = names + GAP
    ground = {"domain": [-10 / width, layers - 1 + names / width], "nice": False}
    place = {
        "x": field("layer:Q", title="runs above it in the longest chain", axis=axis, scale=ground),
        "y": field("place:Q", axis=None, scale={"domain": [-reach, reach], "nice": False}),
    }
    rules = chart(
        mark("rule", color=QUIET, strokeWidth=1),
        data=lines.with_columns(pl.col("layer") + names / width, pl.col("layer_to") - 0.02),
        **place,
        x2="layer_to",
        y2="place_to",
        tooltip=["better:N", "worse:N"],
    )
    of_run = {"data": runs, **place, "tooltip": ["run:N", "better_than:Q", "worse_than:Q"]}
    words = chart(mark("text", align="left", dx=8, limit=names - 8), **of_run, text="run:N")
    points = chart(mark("point", filled=True, size=50, opacity=1, color=COLOURS[0]), **of_run)
    view = {"style": ["cell", AS_LARGE]}
    return layer(rules, words, points, view=view, width=width * layers - GAP, height=36 * reach)
