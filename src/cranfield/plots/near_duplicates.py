"""Runs by how alike their lists are, as a tree."""

from __future__ import annotations

import math
from typing import Any, Final

from cranfield.plots.few import shortened
from cranfield.plots.grammar import chart, field, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.printing import AS_HIGH
from cranfield.plots.theme import COLOURS, GUIDE, INK
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

FEW_RUNS: Final = 60
"""Of more, rows are low, and letters small."""
ROW, LOW_ROW = 15, 11
"""Points from run to run, with few of them and with many."""
LETTERS, SMALL = 11, 9
WIDTH: Final = 420


@plot(of="near-duplicates")
def near_duplicates(runs: pl.DataFrame, merges: pl.DataFrame, summary: pl.DataFrame) -> Drawing:
    """Which runs are almost the same, and which are of one kind?

    A dendrogram: runs, and groups of them, are joined where the upright line stands, at the mean
    rank-biased overlap of the one with the other, the most alike on the left. Near-duplicates are in
    bold, and their lines in colour.

    Paper: Webber, Moffat and Zobel (2010), "A similarity measure for indefinite rankings", ACM TOIS
    28(4), for the overlap.
    """
    asked = summary.row(0, named=True)
    many, threshold, groups = runs.height, asked["threshold"], asked["groups"]
    step, letters = (ROW, LETTERS) if many <= FEW_RUNS else (LOW_ROW, SMALL)
    lines = pl.DataFrame(_lines(merges, many, threshold))
    least = math.floor(10 * max(0.0, float(merges["overlap"].to_numpy().min()))) / 10
    title = f"rank-biased overlap of their lists (p = {asked['p']:g}), mean over topics"
    scale = {"domain": [least, 1], "reverse": True, "nice": False, "zero": False}
    x = field("x:Q", title=title, scale=scale, axis={"tickCount": 6})
    y = field("y:Q", axis=None, scale={"domain": [-0.5, many - 0.5], "reverse": True, "nice": False})
    names = runs.select(
        "run", "nearest", "overlap", alike=pl.col("group").is_not_null(), y=pl.int_range(pl.len()),
        name=pl.Series([shortened(run) for run in runs["run"]], dtype=pl.String),
    )  # fmt: skip
    tips = ["run:N", field("nearest:N", title="most alike"), field("overlap:Q", format=".4f", title="its overlap")]
    joined = [field("x:Q", format=".4f", title="overlap"), field("runs:Q", title="runs that are together")]
    views = [
        chart(mark("rule", color=INK, strokeDash=[4, 3], strokeWidth=1), data=pl.DataFrame({"x": [threshold]}), x=x)
    ]
    for alike, looks in (
        (False, {"color": GUIDE, "strokeWidth": 1.2}),
        (True, {"color": COLOURS[1], "strokeWidth": 2}),
    ):
        some, weight = lines.filter(pl.col("alike") == alike), {"fontWeight": "bold" if alike else "normal"}
        word = mark("text", align="right", dx=-8, baseline="middle", fontSize=letters, color=INK, **weight)
        named = names.filter(pl.col("alike") == alike)
        if some.height:
            views.append(chart(mark("rule", **looks), data=some, x=x, x2="x2", y=y, y2="y2", tooltip=joined))
        if named.height:
            views.append(chart(word, data=named, x={"value": 0}, y=y, text="name:N", tooltip=tips))
    found = counted(asked["near"], "pair of runs has", "pairs of runs have")
    near = runs["group"].count()
    together = f", {counted(groups, 'group')} of them" if groups else ""
    return Drawing(
        layer(*views, width=WIDTH, height=step * many, view={"style": ["cell", AS_HIGH]}),
        "Near-duplicates among runs",
        f"{found} an overlap of {threshold:g} or more, of {asked['pairs']:,}. {counted(near, 'run')} "
        f"{'is' if near == 1 else 'are'} in a group of near-duplicates{together}. {_nearest(runs)}",
        (
            "Runs, and groups of them, are joined at their mean overlap, the most alike on the left. Dashed: "
            f"{threshold:g}, from which on they are called near-duplicates (in bold and colour).",
        ),
    )


def _lines(merges: pl.DataFrame, runs: int, threshold: float) -> list[dict[str, Any]]:
    """Return the lines of each joint: along from what is joined, and upright between the two."""
    at: list[tuple[float, float]] = [(1.0, float(run)) for run in range(runs)]  # the overlap, and the middle
    lines = []
    for first, second, overlap, together in merges.iter_rows():
        (left, top), (right, bottom) = at[first], at[second]
        looks = {"runs": together, "alike": overlap >= threshold}
        lines += [
            {"x": left, "x2": overlap, "y": top, "y2": top, **looks},
            {"x": right, "x2": overlap, "y": bottom, "y2": bottom, **looks},
            {"x": overlap, "x2": overlap, "y": top, "y2": bottom, **looks},
        ]
        at.append((overlap, (top + bottom) / 2))
    return lines


def _nearest(runs: pl.DataFrame) -> str:
    """Say which two are the most alike."""
    best = runs.sort("overlap", descending=True, nulls_last=True, maintain_order=True).row(0, named=True)
    if best["overlap"] is None:
        return "No two have a topic in common."
    return f"The most alike are {best['run']} and {best['nearest']}, with {best['overlap']:.3f}."
