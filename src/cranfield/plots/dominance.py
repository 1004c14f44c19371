"""Which runs are no worse at any rank and grade: the partial order."""

from __future__ import annotations

from typing import Final

import numpy as np

from cranfield.plots.few import LONGEST_SHOWN, shortened
from cranfield.plots.grammar import Spec, chart, field, layer, mark
from cranfield.plots.layered import layered
from cranfield.plots.plot import WIDEST, Drawing, plot
from cranfield.plots.printing import AS_LARGE
from cranfield.plots.theme import COLOURS, GUIDE, HALO, INK, RISING, named
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.scope import Scope, Sums
from cranfield.plumbing.wording import counted, percent

MOST_NODES: Final = 25
"""Lines between more runs than that cannot be followed."""
MOST_RUNS: Final = 60
"""More names than that do not fit on a page."""
LETTER, LEAST = 6.4, 70
"""How wide a letter is, in points; how wide a name is at least."""
ROW, GAP, DOWN = 40, 44, 1.3
"""Points from name to name in a layer below each other; between two names side by side; how much higher rows are where
they are the layers."""
JUDGED, SURE = "as judged", f"also {Scope().graded().whatever}"
KINDS: Final = {JUDGED: RISING[1], SURE: RISING[2]}


@plot(of="dominance")
def dominance(runs: pl.DataFrame, order: pl.DataFrame, summary: pl.DataFrame, pairs: pl.DataFrame) -> Drawing:
    """Which runs are no worse than others at any rank and grade?

    Of up to 25 runs each line leads from a run to one in a later layer that it dominates; what
    follows from two lines, one after the other, has none of its own. Of two runs that no way along
    the lines joins, each is better by some weights of ranks and gains of grades. In the first layer
    stand the runs that none dominates. Of more runs there is a matrix: the run of the row dominates
    that of the column where the cell is filled.
    """
    judged = summary.row(0, named=True)
    undominated, settled = int(judged["undominated"]), judged["pairs"] - judged["equal"]
    share = 2 / (runs.height * (runs.height - 1))
    first = runs.filter(pl.col("layer") == 0)["run"]
    if runs.height <= MOST_NODES:
        panel, says = _hasse(runs, order)
    else:
        panel, says = _matrix(runs, pairs)
    return Drawing(
        panel,
        "No worse at any rank and grade",
        f"In {counted(settled, 'pair')} of runs ({percent(settled * share)}) one run is no worse "
        f"{Scope(Sums(judged['depth'])).by_all}; "
        f"{undominated} of {counted(runs.height, 'run')} {'is' if undominated == 1 else 'are'} undominated: "
        f"{', '.join(first.head(5))}{', ...' if undominated > 5 else ''}.",
        tuple(says),
    )


def _hasse(runs: pl.DataFrame, edges: pl.DataFrame) -> tuple[Spec, list[str]]:
    """Draw nodes and lines: layers from left to right, or from top to bottom where there are more of them than runs."""
    number = {run: place for place, run in enumerate(runs["run"])}
    placed = layered(runs["layer"].to_numpy(), [(number[one], number[other]) for one, other in edges.iter_rows()])
    layers = int(runs["layer"].to_numpy().max()) + 1
    widest = int(runs["layer"].value_counts()["count"].to_numpy().max())
    across = layers <= max(widest, 4)
    names = LETTER * min(LONGEST_SHOWN, int(runs["run"].str.len_chars().to_numpy().max()))
    abreast = layers if across else widest
    step = min(names + GAP, max(LEAST, WIDEST / abreast))
    ends = [place for path in placed.paths for _, place in path] + placed.place.tolist()
    low, high = (min(ends) - 0.75, max(ends) + 0.75) if across else (min(ends) - 0.3, max(ends) + 1)
    along = {"scale": {"domain": [-0.5, layers - 0.5], "nice": False, "reverse": not across}}
    title, side = "runs above it in the longest chain", {"scale": {"domain": [low, high], "nice": False}, "axis": None}
    ticks = {"tickMinStep": 1, "grid": False, "format": "d", "values": list(range(layers))}
    layer_, place = field("layer:Q", title=title, axis=ticks, **along), field("place:Q", **side)
    at = {"x": layer_, "y": place} if across else {"x": place, "y": layer_}
    points = [
        {"line": line, "step": step_, "layer": each, "place": where, "better": better, "worse": worse}
        for line, (path, (better, worse)) in enumerate(zip(placed.paths, edges.iter_rows(), strict=True))
        for step_, (each, where) in enumerate(path)
    ]
    named_ = [shortened(run, int((step - 10) / LETTER)) for run in number]
    row = ROW if across else ROW * DOWN
    # A name stands on a ground of its own, which lines pass below.
    wide = np.array([LETTER * len(name) for name in named_]) / step
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
    lines = mark("line", color=GUIDE, strokeWidth=1.2, interpolate="monotone")
    layers_of = [
        chart(mark("rect", color=HALO, opacity=0.85), data=of_run["data"], x={**at["x"], "field": "left"}, x2="right",
              y={**at["y"], "field": "top"}, y2="foot"),
        chart(mark("text", **word, limit=step - 10, fontSize=11, color=INK), **of_run, **at, text="name:N"),
        chart(mark("point", filled=True, size=60, opacity=1, color=COLOURS[0]), **of_run, **at),
    ]  # fmt: skip
    if points:
        drawn = chart(lines, data=pl.DataFrame(points), **at, detail="line:N", order="step:Q",
                      tooltip=["better:N", "worse:N"])  # fmt: skip
        layers_of.insert(0, drawn)
    width, height = (step * layers, row * (high - low)) if across else (step * (high - low), row * layers)
    says = [f"A line leads from a run to one that it dominates, {'on its right' if across else 'below it'} (not what "
            "follows from others)."]  # fmt: skip
    if not points:
        says = ["No run dominates another, so that there are no lines."]
    return layer(*layers_of, view={"style": ["cell", AS_LARGE]}, width=width, height=height), says


def _matrix(runs: pl.DataFrame, pairs: pl.DataFrame) -> tuple[Spec, list[str]]:
    """Fill the cell of each run that dominates another: rows and columns by layers, whole ones as long as they fit."""
    ordered = runs.sort("layer", -pl.col("better_than"), maintain_order=True)
    sizes = ordered["layer"].value_counts(sort=False).sort("layer")
    layers = max(1, int((sizes["count"].cum_sum() <= MOST_RUNS).sum()))
    shown = ordered.filter(pl.col("layer") < layers).head(MOST_RUNS)
    names = shown["run"].to_list()
    kept = pairs.filter(pl.col("run_a").is_in(names), pl.col("run_b").is_in(names))
    sure = pl.col("surely") if "surely" in kept.columns else pl.lit("neither")
    cells = pl.concat(
        kept.filter(pl.col("dominates") == which).select(
            better=one,
            worse=other,
            holds=pl.when(sure.is_in([which, "both"])).then(pl.lit(SURE)).otherwise(pl.lit(JUDGED)),
        )
        for which, one, other in (("run_a", "run_a", "run_b"), ("run_b", "run_b", "run_a"))
    )
    axis = {"labelOverlap": False, "ticks": False, "domain": False}
    row = field("better:N", sort=names, scale={"domain": names}, title="dominates", axis=axis)
    column = field("worse:N", sort=names, scale={"domain": names}, title="dominated", axis={**axis, "orient": "top"})
    kinds = {kind: shade for kind, shade in KINDS.items() if kind in cells["holds"].to_list()}
    legend = {"orient": "bottom", "columns": 1, "symbolType": "square", "labelLimit": 600}
    fill = field("holds:N", title=None, scale=named(kinds, kinds.values()), legend=legend)
    begins = np.flatnonzero(np.diff(shown["layer"].to_numpy())) + 1
    edges = pl.DataFrame({"run": [names[place] for place in begins]}, schema={"run": pl.String})
    line = mark("rule", color=INK, strokeWidth=0.8)
    parts = [
        chart(mark("rect", stroke=HALO, strokeWidth=0.5), data=cells, x=column, y=row, color=fill,
              tooltip=["better:N", "worse:N", "holds:N"]),
        chart(line, data=edges, y={**field("run:N", sort=names, scale={"domain": names}, title="dominates", axis=axis),
              "bandPosition": 0}),
        chart(line, data=edges, x={**field("run:N", sort=names, scale={"domain": names}, title="dominated",
              axis={**axis, "orient": "top"}), "bandPosition": 0}),
    ]  # fmt: skip
    said = ["A filled cell: the run of the row dominates that of the column. Lines part the layers: runs in the first "
            "are undominated."]  # fmt: skip
    if shown.height < runs.height:
        said.append(f"Of the first {counted(layers, 'layer')}: {shown.height} of {counted(runs.height, 'run')}.")
    return layer(*parts, width={"step": 13}, height={"step": 13}, view={"style": ["cell", AS_LARGE]}), said
