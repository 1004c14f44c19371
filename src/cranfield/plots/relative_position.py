"""Relative position, document by document."""

from __future__ import annotations

from cranfield.plots.grammar import Spec, chart, dot, field, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, JUDGED, NOT_RELEVANT, RELEVANT, UNJUDGED, by_name
from cranfield.plots.walks import Walked, drawn, mean_of, of_topic, placed_in_words, rank_axis, side_by_side
from cranfield.plumbing.lazy import pl

SHAPES = {RELEVANT: "circle", NOT_RELEVANT: "square", UNJUDGED: "triangle-up"}


@plot(of="trace", measures=("CRP",))
def relative_position(
    example: pl.DataFrame, intervals: pl.DataFrame, effort: pl.DataFrame, *, last_rank: int | None = None
) -> Drawing:
    """By how many ranks is each document too early or too late?

    A point is a document: its rank across, its relative position (RP) up. A line is a grade: what RP
    a document of that grade has at each rank. It is 0 in the interval where the ideal list has
    documents of that grade (the bar on the line of 0), below 0 above it and above 0 below it. What
    is not relevant, unjudged documents among it, has its interval after all that is relevant. The
    ranks end where nothing happens any more, the same for all lists.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The Twist measure for IR
    evaluation", JASIST 67(3), definition 1 and Figure 1.
    """
    topic = example["topic"][0]
    bands = intervals.filter(topic=topic)
    values = mean_of(effort.filter(topic=topic))
    walked = drawn(example, bands, values, f"Twist on topic {topic}", last_rank)
    base, last = int(bands["first"].max()) - 1, walked.last  # type: ignore[arg-type]
    deepest = int(example["rank"].max())  # type: ignore[arg-type]
    bands = bands.filter(pl.col("first") <= last).with_columns(pl.min_horizontal(pl.col("last").fill_null(last), last))
    grade, first, end = (pl.col(column).cast(pl.String) for column in ("grade", "first", "last"))
    words = "grade ", grade.str.strip_suffix(".0"), ": ranks ", first, " to ", end
    ranked = pl.concat_str(pl.lit(word) if isinstance(word, str) else word for word in words)
    others = pl.concat_str(pl.lit("not relevant: from rank "), first)
    bands = bands.with_columns(kind=pl.when(pl.col("grade") > 0).then(ranked).otherwise(others))
    return Drawing(
        side_by_side([_panel(each, bands) for each in walked.alone]),
        f"Relative position (RP) of each document, topic {topic}",
        " ".join(_described(rows, last) for rows in walked.whole),
        (*walked.says, *of_topic(example), f"Documents down to rank {last} of {deepest}; R = {base}."),
    )


def _panel(walked: Walked, bands: pl.DataFrame) -> Spec:
    [rows], last = walked.parts, walked.last
    names = bands["kind"].to_list()
    ground = [COLOURS[(3, 2, 4, 1)[place % 4]] for place in range(len(names) - 1)] + ["#7a7a7a"]
    legend = {"orient": "bottom", "columns": 2}
    colour = field("kind:N", title="ideal list", scale=by_name(names, ground), legend=legend)
    early = pl.min_horizontal(pl.col("rank") - pl.col("first"), 0)
    late = pl.max_horizontal(pl.col("rank") - pl.col("last"), 0)
    every = bands.join(pl.DataFrame({"rank": range(1, last + 1)}), how="cross")
    lines = every.select("kind", "rank", rp=early + late)
    low, high = walked.limits("rp", "rp")
    limits = [min(low, -1.08), max(high, 1.08)]
    y = field("rp:Q", title="RP (ranks)", scale={"domain": limits, "nice": False})
    x = rank_axis(last, title="rank")
    paths = chart(mark("line", clip=True, strokeWidth=1.4), data=lines, x=x, y=y, color=colour)
    ends = bands.select("kind", "first", "last", left=pl.col("first") - 0.5, right=pl.col("last") + 0.5, rp=0.0)
    bars = chart(
        mark("rule", strokeWidth=7, opacity=0.75),
        data=ends,
        x=rank_axis(last, title="rank", of="left"),
        x2="right",
        y="rp:Q",
        color=colour,
        tooltip=["kind:N", "first:Q", "last:Q"],
    )
    states = list(SHAPES)
    dots = chart(
        dot(42, stroke="#ffffff", strokeWidth=0.5),
        data=rows.filter(pl.col("state").is_in(states)).select("rank", "rp", "state", "doc_id", "grade"),
        x=x,
        y=y,
        shape=field("state:N", title="document", scale=by_name(states, SHAPES.values()), legend=legend),
        fill=field("state:N", title="document", scale=by_name(states, JUDGED.values()), legend=legend),
        tooltip=["rank:Q", "rp:Q", "state:N", "doc_id:N", "grade:Q"],
    )
    title = {"text": walked.labels[0], "fontSize": 12.5, "limit": walked.width}
    return layer(bars, paths, dots, width=walked.width, height=300, title=title)


def _described(rows: pl.DataFrame, last: int) -> str:
    shown = rows.filter(pl.col("rank") <= last)
    least, most = int(shown["rp"].min()), int(shown["rp"].max())  # type: ignore[arg-type]
    return f"{rows['run'][0]}: {placed_in_words(shown)}, down to rank {last}; RP is from {least} to {most}."
