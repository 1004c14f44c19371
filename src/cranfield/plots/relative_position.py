"""Relative position, document by document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.plots.grammar import alt
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, JUDGED, NOT_RELEVANT, RELEVANT, UNJUDGED
from cranfield.plots.walks import drawn, of_topic, placed_in_words, rank_axis, side_by_side, width_of
from cranfield.plumbing.lazy import pl

if TYPE_CHECKING:
    from cranfield.plots.plot import VegaLite

DEEPEST = 1.5
"""How many recall bases down the documents are shown: below stands little, and far above 0."""
SHORTEST = 15
SHAPES = {RELEVANT: "circle", NOT_RELEVANT: "square", UNJUDGED: "triangle-up"}


@plot(of="trace", measures=("CRP",))
def relative_position(example: pl.DataFrame, intervals: pl.DataFrame) -> Drawing:
    """By how many ranks is each document too early or too late?

    A point is a document: its rank across, its relative position (RP) up. A line is a grade: what RP
    a document of that grade has at each rank. It is 0 in the interval where the ideal list has
    documents of that grade (the bar on the line of 0), below 0 above it and above 0 below it. What
    is not relevant, unjudged documents among it, has its interval after all that is relevant.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The Twist measure for IR
    evaluation", JASIST 67(3), definition 1 and Figure 1.
    """
    bands = intervals.filter(pl.col("topic") == example["topic"][0])
    parts, says = drawn(example, bands)
    base = int(bands["first"].max()) - 1  # type: ignore[arg-type]
    deepest = int(example["rank"].max())  # type: ignore[arg-type]
    last = min(deepest, max(SHORTEST, round(DEEPEST * base)))
    bands = bands.filter(pl.col("first") <= last).with_columns(pl.min_horizontal(pl.col("last").fill_null(last), last))
    grade, first, end = (pl.col(column).cast(pl.String) for column in ("grade", "first", "last"))
    words = "grade ", grade.str.strip_suffix(".0"), ": ranks ", first, " to ", end
    ranked = pl.concat_str(pl.lit(word) if isinstance(word, str) else word for word in words)
    others = pl.concat_str(pl.lit("not relevant: from rank "), first)
    bands = bands.with_columns(kind=pl.when(pl.col("grade") > 0).then(ranked).otherwise(others))
    says += of_topic(example)
    says.append(f"Documents down to rank {last} of {deepest}; R = {base}.")
    panels = [_panel(rows.filter(pl.col("rank") <= last), bands, last, width_of(len(parts))) for rows in parts]
    return Drawing(
        side_by_side(panels),
        f"Relative position (RP) of each document, topic {example['topic'][0]}",
        " ".join(_described(rows, last) for rows in parts),
        tuple(says),
    )


def _panel(rows: pl.DataFrame, bands: pl.DataFrame, last: int, width: int) -> VegaLite:
    names = bands["kind"].to_list()
    ground = [COLOURS[(3, 2, 4, 1)[place % 4]] for place in range(len(names) - 1)] + ["#7a7a7a"]
    legend = alt.Legend(orient="bottom", columns=2)
    colour = alt.Color("kind:N", title="ideal list", scale=alt.Scale(domain=names, range=ground), legend=legend)
    early = pl.min_horizontal(pl.col("rank") - pl.col("first"), 0)
    late = pl.max_horizontal(pl.col("rank") - pl.col("last"), 0)
    every = bands.join(pl.DataFrame({"rank": range(1, last + 1)}), how="cross")
    lines = every.select("kind", "rank", rp=early + late)
    low, high = min(-1.0, float(rows["rp"].min())), max(1.0, float(rows["rp"].max()))  # type: ignore[arg-type]
    limits = [low * 1.08, max(high, -0.15 * low) * 1.08]
    y = alt.Y("rp:Q", title="RP (ranks)", scale=alt.Scale(domain=limits, nice=False))
    x = rank_axis(last, title="rank")
    paths = alt.Chart(lines).mark_line(clip=True, strokeWidth=1.4).encode(x=x, y=y, color=colour)
    ends = bands.select("kind", "first", "last", left=pl.col("first") - 0.5, right=pl.col("last") + 0.5, rp=0.0)
    bars = alt.Chart(ends).mark_rule(strokeWidth=7, opacity=0.75).encode(
        x=rank_axis(last, title="rank", of="left"), x2="right:Q", y="rp:Q", color=colour,
        tooltip=["kind:N", "first:Q", "last:Q"],
    )  # fmt: skip
    states = list(SHAPES)
    shape, fill = (alt.Scale(domain=states, range=list(of.values())) for of in (SHAPES, JUDGED))
    documents = rows.filter(pl.col("state").is_in(states)).select("rank", "rp", "state", "doc_id", "grade")
    dots = alt.Chart(documents).mark_point(filled=True, size=42, opacity=1, stroke="#ffffff", strokeWidth=0.5).encode(
        x=x,
        y=y,
        shape=alt.Shape("state:N", title="document", scale=shape, legend=legend),
        fill=alt.Fill("state:N", title="document", scale=fill, legend=legend),
        tooltip=["rank:Q", "rp:Q", "state:N", "doc_id:N", "grade:Q"],
    )  # fmt: skip
    title = alt.Title(rows["run"][0], fontSize=12.5)
    return alt.layer(bars, paths, dots).properties(width=width, height=300, title=title)


def _described(rows: pl.DataFrame, last: int) -> str:
    shown = rows.filter(pl.col("rank") <= last)
    least, most = int(shown["rp"].min()), int(shown["rp"].max())  # type: ignore[arg-type]
    return f"{rows['run'][0]}: {placed_in_words(shown)}, down to rank {last}; RP is from {least} to {most}."
