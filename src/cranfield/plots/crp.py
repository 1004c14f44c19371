"""Cumulated relative position, and what it is made of."""

from __future__ import annotations

from cranfield.plots.grammar import Spec, chart, field, hconcat, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.printing import AS_LARGE
from cranfield.plots.walks import (
    FULL_SCALE,
    HEIGHT,
    IDEAL,
    PLACED,
    STATES,
    Walked,
    below,
    curves,
    drawn,
    ends,
    is_mean,
    mean_of,
    of_full_scale,
    own_lines,
    panels_of,
    placed,
    placed_in_words,
    points,
    strip,
    strips_of,
    thinned,
    told,
)  # fmt: skip
from cranfield.plumbing.lazy import pl

POINTS = ("R", "min", "b_r", "b_w", "N")
"""The points of the paper's Figure 1."""


@plot(of="trace", measures=("CRP",))
def crp(
    ranks: pl.DataFrame,
    marks: pl.DataFrame,
    intervals: pl.DataFrame,
    effort: pl.DataFrame,
    *,
    last_rank: int | None = None,
) -> Drawing:
    """Where does a list lose against the ideal one, and where does it regain it?

    CRP at every rank: 0 is the ideal list; the curve falls where documents come too early and rises
    where they come too late. R is the recall base, min the turn-around, b the balance points of the
    run (r) and of the full-scale list (w), N the length of the lists. Below it each rank: is the
    document there too early, right or too late (the darker, the farther), and is it relevant,
    judged not relevant, or unjudged? Two lists share a panel, more have one each with the same
    axes; the ranks end where nothing happens any more. Of several topics the curves are averages,
    and the strips have shares of the topics.

    Paper: Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation",
    CLEF, Figures 1 and 2a.
    """
    walked, mean = drawn(ranks, intervals, mean_of(effort), "Twist", last_rank), is_mean(ranks)
    view = panels_of(walked, lambda each: _panel(each, marks))
    says = [*walked.says]
    if len(walked.whole) == 1 and not mean:
        view = hconcat(view, _values(marks, walked.parts[0]), spacing=18)
    if mean:
        says.append("Means over the topics. The points of the curve (R, min, b, N) are those of one topic: name it.")
    else:
        says.append("Strips: the darker, the farther too early or too late.")
    says += of_full_scale(walked)
    return Drawing(
        view,
        "Cumulated relative position (CRP) by rank" + ("" if mean else f", topic {ranks['topic'][0]}"),
        " ".join(_described(rows, marks) for rows in walked.whole),
        tuple(says),
    )


def _panel(walked: Walked, marks: pl.DataFrame) -> Spec:
    limits, [rows, *_] = walked.limits("crp", "crp_full_scale"), walked.parts
    beside = [(thinned(rows), line) for line in (IDEAL, FULL_SCALE)]
    at = None if is_mean(rows) else points(walked, marks, POINTS, limits)
    lines = curves([*own_lines(walked, "crp"), *beside], "CRP (ranks)", limits, rows_of_names=at.rows if at else 0)
    above = layer(
        lines, *([at.spec] if at else []), *ends(walked, "crp", limits), width=walked.width, height=HEIGHT
    )  # fmt: skip
    strips = strips_of(walked, lambda rows, title: _strips(rows, walked.width, title))
    return below(above, strips, walked.labels[0] if len(walked.labels) == 1 else "")


def _strips(rows: pl.DataFrame, width: int, title: str | None) -> list[Spec]:
    places = strip(rows, PLACED, placed(), width, shade="rp")
    return [places, strip(rows, STATES, pl.col("state"), width, title=title, documents=True)]


def _values(marks: pl.DataFrame, rows: pl.DataFrame) -> Spec:
    """List CRP at the points, of the run (r) and of the full-scale list (w)."""
    at = {row["mark"]: row for row in marks.filter(run=rows["run"][0]).iter_rows(named=True)}
    lines = []
    for point in POINTS:
        row = at[point]
        lines.append((0, f"{point} = {'never' if row['rank'] is None else row['rank']}"))
        if row["rank"] is not None and point in ("R", "min", "N"):
            values = {"r": row["crp"], "w": row["crp_full_scale"]}
            lines += [(14, f"CRP({whose}, {point}) = {value:g}") for whose, value in values.items()]
    table = pl.DataFrame(lines, schema=["indent", "text"], orient="row").with_row_index("line")
    y = field("line:Q", axis=None, scale={"domain": [0, 12], "reverse": True, "nice": False})
    x = field("indent:Q", axis=None, scale={"domain": [0, 150], "nice": False})
    words = chart(mark("text", align="left", baseline="top"), data=table, x=x, y=y, text="text:N")
    return layer(words, width=150, height=HEIGHT, view={"style": AS_LARGE, "strokeOpacity": 0})


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
