"""Cumulated relative position, and what it is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.plots.grammar import alt
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.walks import (
    FULL_SCALE,
    HEIGHT,
    IDEAL,
    OF_RUN,
    PLACED,
    STATES,
    below,
    curves,
    drawn,
    is_mean,
    limits_of,
    of_full_scale,
    placed,
    placed_in_words,
    points,
    side_by_side,
    strip,
    thinned,
    told,
    width_of,
)  # fmt: skip
from cranfield.plumbing.lazy import pl

if TYPE_CHECKING:
    from cranfield.plots.plot import VegaLite

POINTS = ("R", "min", "b_r", "b_w", "N")
"""The points of the paper's Figure 1."""


@plot(of="trace", measures=("CRP",))
def crp(ranks: pl.DataFrame, marks: pl.DataFrame, intervals: pl.DataFrame) -> Drawing:
    """Where does a list lose against the ideal one, and where does it regain it?

    CRP at every rank: 0 is the ideal list; the curve falls where documents come too early and rises
    where they come too late. R is the recall base, min the turn-around, b the balance points of the
    run (r) and of the full-scale list (w), N the length of the lists. Below it each rank: is the
    document there too early, right or too late, and is it relevant, judged not relevant, or
    unjudged? Of several topics the curves are averages, and the strips have shares of the topics.

    Paper: Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation",
    CLEF, Figures 1 and 2a.
    """
    parts, says = drawn(ranks, intervals)
    width = width_of(len(parts))
    panels = [_panel(rows, marks.filter(pl.col("run") == rows["run"][0]), width) for rows in map(thinned, parts)]
    mean = is_mean(ranks)
    if len(parts) == 1 and not mean:
        panels = [alt.hconcat(panels[0], _values(marks, parts[0]), spacing=18)]
    if mean:
        says.append("Means over the topics. The points of the curve (R, min, b, N) are those of one topic: name it.")
    says += of_full_scale(parts)
    return Drawing(
        side_by_side(panels),
        "Cumulated relative position (CRP) by rank" + ("" if mean else f", topic {ranks['topic'][0]}"),
        " ".join(_described(rows, marks) for rows in parts),
        tuple(says),
    )


def _panel(rows: pl.DataFrame, marks: pl.DataFrame, width: int) -> VegaLite:
    limits, last = limits_of(rows, "crp", "crp_full_scale"), int(rows["rank"].max())  # type: ignore[arg-type]
    mean = is_mean(rows)
    drawn_curves = curves(rows, (OF_RUN, IDEAL, FULL_SCALE), "CRP (ranks)", limits, width, named=not mean)
    chart = alt.layer(drawn_curves, *([] if mean else [points(marks, POINTS, limits, last, width)]))
    places = strip(rows, PLACED, placed(), width)
    judged = strip(rows, STATES, pl.col("state"), width, title="rank", documents=True)
    return below(chart, (places, judged), rows["run"][0])


def _values(marks: pl.DataFrame, rows: pl.DataFrame) -> VegaLite:
    """List CRP at the points, of the run (r) and of the full-scale list (w)."""
    at = {row["mark"]: row for row in marks.filter(pl.col("run") == rows["run"][0]).iter_rows(named=True)}
    lines = []
    for mark in POINTS:
        row = at[mark]
        lines.append((0, f"{mark} = {'never' if row['rank'] is None else row['rank']}"))
        if row["rank"] is not None and mark in ("R", "min", "N"):
            values = {"r": row["crp"], "w": row["crp_full_scale"]}
            lines += [(14, f"CRP({whose}, {mark}) = {value:g}") for whose, value in values.items()]
    table = pl.DataFrame(lines, schema=["indent", "text"], orient="row").with_row_index("line")
    y = alt.Y("line:Q", axis=None, scale=alt.Scale(domain=[0, 12], reverse=True, nice=False))
    x = alt.X("indent:Q", axis=None, scale=alt.Scale(domain=[0, 150], nice=False))
    words = alt.Chart(table).mark_text(align="left", baseline="top").encode(x=x, y=y, text="text:N")
    return alt.layer(words).properties(width=150, height=HEIGHT, view=alt.ViewConfig(stroke=None))


def _described(rows: pl.DataFrame, marks: pl.DataFrame) -> str:
    run, last = rows["run"][0], rows.row(-1, named=True)
    if is_mean(rows):
        lowest = rows.row(rows["crp"].arg_min(), named=True)
        return (
            f"{run} is lowest at rank {lowest['rank']}, where its CRP is {lowest['crp']:.1f}, and ends at rank "
            f"{last['rank']} with {last['crp']:.1f}, where the full-scale list has {last['crp_full_scale']:.1f}."
        )
    of_run = marks.filter((pl.col("run") == run) & pl.col("mark").is_in(POINTS))
    return f"{run}: {told(of_run.iter_rows(named=True))}; {placed_in_words(rows)}."
