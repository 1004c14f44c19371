"""Runs in order by other things than means: which dominate others, and which are almost the same."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np

from cranfield.plots.axes import DASHED
from cranfield.plots.few import LONGEST_SHOWN, shortened
from cranfield.plots.grammar import Spec, between, chart, dot, field, layer, mark
from cranfield.plots.plot import WIDEST, Drawing, plot
from cranfield.plots.printing import AS_HIGH, AS_LARGE
from cranfield.plots.theme import COLOURS, GUIDE, HALO, INK, RISING, by_name
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.scope import Scope, Sums
from cranfield.plumbing.wording import counted, percent

MOST_NODES: Final = 25  # Lines between more runs than that cannot be followed
_MOST_RUNS: Final = 60  # More names than that do not fit on a page
_LETTER, _NARROWEST = 6.4, 70  # How wide a letter is, in points; how wide a name is at least
_ROW, _GAP, DOWN = 40, 44, 1.3
"""Points from name to name in a layer below each other; between two names side by side; how much higher rows are where
they are the layers."""
_JUDGED, _SURE = "as judged", f"also {Scope().graded().whatever}"
_KINDS: Final = {_JUDGED: RISING[1], _SURE: RISING[2]}


@plot(of="dominance")
def dominance(runs: pl.DataFrame, order: pl.DataFrame, summary: pl.DataFrame, pairs: pl.DataFrame) -> Drawing:
    """Which runs are no worse than others at any rank and grade?

    For up to 25 runs, each line leads from a run to one in a later layer that it dominates; lines that follow from two
    others are left out. If no path along the lines joins two runs, each of them is better for some weights of ranks and
    gains of grades. The first layer holds the runs that none dominates. For more runs there is a matrix: a filled cell
    means that the run of the row dominates that of the column.
    """
    judged = summary.row(0, named=True)
    undominated, settled = int(judged["undominated"]), judged["pairs"] - judged["equal"]
    share = 2 / (runs.height * (runs.height - 1))
    first = runs.filter(layer=0)["run"]
    panel, says = _hasse(runs, order) if runs.height <= MOST_NODES else _matrix(runs, pairs)
    return Drawing(
        panel,
        "No worse at any rank and grade",
        f"In {counted(settled, 'pair')} of runs ({percent(settled * share)}) one run is no worse "
        f"{Scope(Sums(judged['depth'])).by_all}; "
        f"{undominated} of {counted(runs.height, 'run')} {'is' if undominated == 1 else 'are'} undominated: "
        f"{', '.join(first.head(5))}{', ...' if undominated > 5 else ''}.",
        *says,
    )


def _hasse(runs: pl.DataFrame, edges: pl.DataFrame) -> tuple[Spec, list[str]]:
    """Draw nodes and lines: layers from left to right, or from top to bottom where there are more of them than runs."""
    number = {run: place for place, run in enumerate(runs["run"])}
    placed = layered(runs["layer"].to_numpy(), [(number[one], number[other]) for one, other in edges.iter_rows()])
    layers = int(runs["layer"].to_numpy().max()) + 1
    widest = int(runs["layer"].value_counts()["count"].to_numpy().max())
    across = layers <= max(widest, 4)
    names = _LETTER * min(LONGEST_SHOWN, int(runs["run"].str.len_chars().to_numpy().max()))
    step = min(names + _GAP, max(_NARROWEST, WIDEST / (layers if across else widest)))
    ends = [place for path in placed.paths for _, place in path] + placed.place.tolist()
    low, high = (min(ends) - 0.75, max(ends) + 0.75) if across else (min(ends) - 0.3, max(ends) + 1)
    ticks = {"tickMinStep": 1, "grid": False, "format": "d", "values": list(range(layers))}
    along = {"domain": [-0.5, layers - 0.5], "nice": False, "reverse": not across}
    layer_ = field("layer:Q", title="runs above it in the longest chain", axis=ticks, scale=along)
    place = field("place:Q", scale=between(low, high), axis=None)
    at = {"x": layer_, "y": place} if across else {"x": place, "y": layer_}
    points = [
        {"line": line, "step": step_, "layer": each, "place": where, "better": better, "worse": worse}
        for line, (path, (better, worse)) in enumerate(zip(placed.paths, edges.iter_rows(), strict=True))
        for step_, (each, where) in enumerate(path)
    ]
    named_ = [shortened(run, int((step - 10) / _LETTER)) for run in number]
    row = _ROW if across else _ROW * DOWN
    # A name stands on a ground of its own, which lines pass below.
    wide = np.array([_LETTER * len(name) for name in named_]) / step
    x, y = (runs["layer"].to_numpy(), placed.place) if across else (placed.place, runs["layer"].to_numpy())
    left = x - wide / 2 if across else x + 7 / step
    middle = y + 12 / row if across else y
    of_run = {
        "data": runs.with_columns(
            place=placed.place, name=pl.Series(named_, dtype=pl.String), left=left, right=left + wide,
            top=middle + 6.5 / row, foot=middle - 6.5 / row,
        ),
        "tooltip": ["run:N", field("better_than:Q", title="dominates"), field("worse_than:Q", title="dominated by")],
    }  # fmt: skip
    word = {"align": "center", "dy": -12} if across else {"align": "left", "dx": 9}
    layers_of = [
        chart(mark("rect", color=HALO, opacity=0.85), data=of_run["data"], x={**at["x"], "field": "left"}, x2="right",
              y={**at["y"], "field": "top"}, y2="foot"),
        chart(mark("text", **word, limit=step - 10, fontSize=11, color=INK), **of_run, **at, text="name:N"),
        chart(dot(60, color=COLOURS[0]), **of_run, **at),
    ]  # fmt: skip
    says = ["No run dominates another, so there are no lines."]
    if points:
        lines, tips = mark("line", color=GUIDE, strokeWidth=1.2, interpolate="monotone"), ["better:N", "worse:N"]
        drawn = {"data": pl.DataFrame(points), **at, "detail": "line:N", "order": "step:Q", "tooltip": tips}
        layers_of.insert(0, chart(lines, **drawn))
        where = "on its right" if across else "below it"
        says = [f"A line leads from a run to one that it dominates, {where}; implied lines are left out."]
    width, height = (step * layers, row * (high - low)) if across else (step * (high - low), row * layers)
    return layer(*layers_of, view={"style": ["cell", AS_LARGE]}, width=width, height=height), says


def _matrix(runs: pl.DataFrame, pairs: pl.DataFrame) -> tuple[Spec, list[str]]:
    """Fill the cell of each run that dominates another: rows and columns by layers, whole ones as long as they fit."""
    ordered = runs.sort("layer", -pl.col("better_than"), maintain_order=True)
    sizes = ordered["layer"].value_counts(sort=False).sort("layer")
    layers = max(1, int((sizes["count"].cum_sum() <= _MOST_RUNS).sum()))
    shown = ordered.filter(pl.col("layer") < layers).head(_MOST_RUNS)
    names = shown["run"].to_list()
    kept = pairs.filter(pl.col("run_a").is_in(names), pl.col("run_b").is_in(names))
    sure = pl.col("surely") if "surely" in kept.columns else pl.lit("neither")
    cells = pl.concat(
        kept.filter(dominates=which).select(
            better=one,
            worse=other,
            holds=pl.when(sure.is_in([which, "both"])).then(pl.lit(_SURE)).otherwise(pl.lit(_JUDGED)),
        )
        for which, one, other in (("run_a", "run_a", "run_b"), ("run_b", "run_b", "run_a"))
    )
    axis = {"labelOverlap": False, "ticks": False, "domain": False}
    both = {"sort": names, "scale": {"domain": names}}
    row = field("better:N", **both, title="dominates", axis=axis)
    column = field("worse:N", **both, title="dominated", axis={**axis, "orient": "top"})
    kinds = {kind: shade for kind, shade in _KINDS.items() if kind in cells["holds"].to_list()}
    legend = {"orient": "bottom", "columns": 1, "symbolType": "square", "labelLimit": 600}
    fill = field("holds:N", title=None, scale=by_name(kinds, kinds.values()), legend=legend)
    begins = np.flatnonzero(np.diff(shown["layer"].to_numpy())) + 1
    edges = pl.DataFrame({"run": [names[place] for place in begins]}, schema={"run": pl.String})
    line, edge = mark("rule", color=INK, strokeWidth=0.8), {"field": "run", "bandPosition": 0}
    parts = [
        chart(mark("rect", stroke=HALO, strokeWidth=0.5), data=cells, x=column, y=row, color=fill,
              tooltip=["better:N", "worse:N", "holds:N"]),
        chart(line, data=edges, y={**row, **edge}),
        chart(line, data=edges, x={**column, **edge}),
    ]  # fmt: skip
    lines = "Lines part the layers: runs in the first are undominated."
    said = [f"A filled cell: the run of the row dominates that of the column. {lines}"]
    if shown.height < runs.height:
        first = "layer" if layers == 1 else f"{layers} layers"
        said.append(f"{shown.height} of {counted(runs.height, 'run')}: those in the first {first}.")
    return layer(*parts, width={"step": 13}, height={"step": 13}, view={"style": ["cell", AS_LARGE]}), said


MOST_JOINED: Final = 60  # Of more runs those are drawn that are joined at the highest overlap
HIGH_ROW: Final = 15  # Points from run to run
_WIDTH: Final = 420


@plot(of="near-duplicates")
def near_duplicates(runs: pl.DataFrame, merges: pl.DataFrame, summary: pl.DataFrame) -> Drawing:
    """Which runs are almost the same, and which are of one kind?

    A dendrogram: runs, and groups of runs, are joined at a vertical line, placed at their mean rank-biased overlap, the
    most similar on the left. Near-duplicates are in bold, and their lines in colour.

    Paper: Webber, Moffat and Zobel (2010), "A similarity measure for indefinite rankings", ACM TOIS
    28(4), for the overlap.
    """
    asked = summary.row(0, named=True)
    threshold, groups = asked["threshold"], asked["groups"]
    kept = _joined_first(merges, runs.height)
    many, shown = len(kept), runs[kept]
    lines = pl.DataFrame(_lines(merges, runs.height, kept, threshold))
    least = math.floor(10 * max(0.0, float(merges["overlap"].to_numpy().min()))) / 10
    title = f"rank-biased overlap of their lists (p = {asked['p']:g}), mean over topics"
    scale = {"domain": [least, 1], "reverse": True, "nice": False, "zero": False}
    x = field("x:Q", title=title, scale=scale, axis={"tickCount": 6})
    y = field("y:Q", axis=None, scale={"domain": [-0.5, many - 0.5], "reverse": True, "nice": False})
    names = shown.select(
        "run", "nearest", "overlap", alike=pl.col("group").is_not_null(), y=pl.int_range(pl.len()),
        name=pl.Series([shortened(run) for run in shown["run"]], dtype=pl.String),
    )  # fmt: skip
    tips = ["run:N", field("nearest:N", title="most similar"), field("overlap:Q .4f", title="its overlap")]
    joined = [field("x:Q .4f", title="overlap"), field("runs:Q", title="runs that are together")]
    views = [chart(DASHED, data=pl.DataFrame({"x": [threshold]}), x=x)]
    word = mark("text", align="right", dx=-8, baseline="middle", fontSize=11, color=INK)
    for alike, colour, width, weight in ((False, GUIDE, 1.2, "normal"), (True, COLOURS[1], 2, "bold")):
        line = mark("rule", color=colour, strokeWidth=width)
        views += [
            chart(line, data=lines.filter(alike=alike), x=x, x2="x2", y=y, y2="y2", tooltip=joined),
            chart({**word, "fontWeight": weight}, data=names.filter(alike=alike), x={"value": 0}, y=y, text="name:N",
                  tooltip=tips),
        ]  # fmt: skip
    found = f"{asked['near']:,} of {counted(asked['pairs'], 'pair')} of runs {'has' if asked['near'] == 1 else 'have'}"
    near = runs["group"].count()
    together = f", {counted(groups, 'group')} of them" if groups else ""
    return Drawing(
        layer(
            *(view for view in views if view["data"].height),
            width=_WIDTH,
            height=HIGH_ROW * many,
            view={"style": ["cell", AS_HIGH]},
        ),
        "Near-duplicates among runs",
        f"{found} an overlap of {threshold:g} or more. {counted(near, 'run')} "
        f"{'is' if near == 1 else 'are'} in a group of near-duplicates{together}. {_nearest(runs)}",
        "Runs, and groups of runs, are joined at their mean overlap, the most similar on the left. Dashed: "
        f"{threshold:g}; from there on, runs count as near-duplicates (bold and coloured).",
        f"The {many} of {runs.height} runs joined first." if many < runs.height else "",
    )


def _joined_first(merges: pl.DataFrame, runs: int) -> list[int]:
    """Return the places of the runs that are drawn: those that join another run, or a group, at the highest overlap."""
    overlap = dict.fromkeys(range(runs), 0.0)
    for first, second, at, _ in merges.iter_rows():
        overlap |= {run: at for run in (first, second) if run < runs}
    return sorted(sorted(overlap, key=lambda run: -overlap[run])[:MOST_JOINED])


def _lines(merges: pl.DataFrame, runs: int, kept: Sequence[int], threshold: float) -> list[dict[str, Any]]:
    """Return the lines of each joint: along from what is joined, and upright between the two."""
    rows = {run: float(row) for row, run in enumerate(kept)}
    # The overlap, and the middle; of a run that is not drawn nothing, and of a group with it what the others have.
    at = [(1.0, rows[run]) if run in rows else None for run in range(runs)]
    lines = []
    for first, second, overlap, together in merges.iter_rows():
        one, other = at[first], at[second]
        if one is None or other is None:
            at.append(one or other)
            continue
        (left, top), (right, bottom) = one, other
        looks = {"runs": together, "alike": overlap >= threshold}
        lines += [
            {"x": left, "x2": overlap, "y": top, "y2": top, **looks},
            {"x": right, "x2": overlap, "y": bottom, "y2": bottom, **looks},
            {"x": overlap, "x2": overlap, "y": top, "y2": bottom, **looks},
        ]
        at.append((overlap, (top + bottom) / 2))
    return lines


def _nearest(runs: pl.DataFrame) -> str:
    """Say which two are the most similar."""
    best = runs.sort("overlap", descending=True, nulls_last=True, maintain_order=True).row(0, named=True)
    if best["overlap"] is None:
        return "No two have a topic in common."
    return f"The most similar are {best['run']} and {best['nearest']}, with {best['overlap']:.3f}."


SWEEPS: Final = 24  # So often each layer is put in the order of those that it is tied to
BEND: Final = 0.35  # How much room a line takes in a layer that it passes, next to the 1 of a node


@dataclass(frozen=True, eq=False)
class Layered:
    """Where nodes stand within their layers, and through which places lines go."""

    place: Floats  # Array of shape (nodes,): within the layer, the middle at 0, neighbours at least 1 apart
    paths: list[list[tuple[int, float]]]  # For each line its points, (layer, place), from node to node


def layered(layer: Integers, edges: Sequence[tuple[int, int]]) -> Layered:
    """Place nodes so that few lines cross, and none goes through a node.

    A line that passes layers has a place of its own in each of them. Layers are then ordered, again and again, by the
    mean place of what their members are tied to in the layer before, and in the one behind; of all the orders that come
    by, the one in which the fewest lines cross is taken. (Sugiyama, Tagawa and Toda, 1981.)

    Shapes: layer (nodes,).

    The line from 0 to 3 passes the layer of 2:
    """
    of = list(map(int, layer))
    chains = []
    for one, other in edges:
        between = range(len(of), len(of) + of[other] - of[one] - 1)
        of += range(of[one] + 1, of[other])
        chains.append([one, *between, other])
    level, steps = np.array(of), np.array([pair for chain in chains for pair in pairwise(chain)])
    size = np.where(np.arange(len(of)) < len(layer), 1.0, BEND)
    members = [np.flatnonzero(level == each) for each in range(level.max(initial=-1) + 1)]
    best, fewest = _spread(members, size), None
    place = best
    for sweep in range(SWEEPS if len(steps) else 0):
        downwards = sweep % 2 == 0
        for here in range(1, len(members)) if downwards else range(len(members) - 2, -1, -1):
            members[here] = _by_middle(members[here], place, steps if downwards else steps[:, ::-1])
            place = _spread(members, size)
        crossed = _crossings(level, place, steps)
        if fewest is None or crossed < fewest:
            best, fewest = place, crossed
    return Layered(best[: len(layer)], [[(of[node], float(best[node])) for node in chain] for chain in chains])


def _spread(members: Sequence[Integers], size: Floats) -> Floats:
    """Put the members of each layer side by side, in their order, around 0."""
    place = np.zeros(len(size))
    for nodes in members:
        room = size[nodes]
        middle = np.cumsum(room) - room / 2
        place[nodes] = middle - room.sum() / 2
    return place


def _by_middle(nodes: Integers, place: Floats, steps: Integers) -> Integers:
    """Order the nodes of a layer by the mean place of what leads to them; those that nothing leads to stay."""
    middle = place[nodes].copy()
    for i, node in enumerate(nodes):
        before = steps[steps[:, 1] == node, 0]
        if len(before):
            middle[i] = place[before].mean()
    return nodes[np.argsort(middle, kind="stable")]


def _crossings(level: Integers, place: Floats, steps: Integers) -> int:
    """Count the pairs of lines that cross between two layers."""
    total = 0
    for each in np.unique(level[steps[:, 0]]):
        here = steps[level[steps[:, 0]] == each]
        start, end = place[here[:, 0]], place[here[:, 1]]
        total += int(((start[:, None] < start) & (end[:, None] > end)).sum())
    return total
