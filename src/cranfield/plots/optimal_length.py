"""Where lists would better have ended."""

from __future__ import annotations

from cranfield.plots.grammar import Spec, chart, concat, field, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import INK
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

RELEVANT = "relevant documents"
SHADE = "#7fb4d6"


@plot(of="truncation")
def optimal_length(intervals: pl.DataFrame, summary: pl.DataFrame) -> Drawing:
    """How long would the lists best have been, and is that as many as there are relevant documents?

    A bar is the share of the lists that would best have ended with so many documents by the
    measure; a stroke across it is the share of the topics with so many relevant documents. Bars on
    the left are lists that should have ended early, or never begun; in the last they go on.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better
    and how to measure that", SIGIR, Figure 2.
    """
    order = intervals["interval"].to_list()
    rows = intervals.unpivot(index=["interval", RELEVANT], variable_name="measure", value_name="share")
    rows = rows.drop_nulls("share")  # a collection has not the measures of another's relevance level
    highest = rows.select(pl.max_horizontal(pl.col("share", RELEVANT).max())).item()
    charts = [
        _panel(rows.filter(pl.col("measure") == row["measure"]), row, order, highest)
        for row in summary.iter_rows(named=True)
    ]
    columns = min(4, len(charts))
    lists = summary["rankings"][0]
    return Drawing(
        charts[0] if len(charts) == 1 else concat(*charts, columns=columns, spacing=20),
        f"Lengths of the optimal lists, by {summary['measure'][0] if len(charts) == 1 else 'measure'}",
        " ".join(
            f"{row['measure']}: {row['empty']:.1%} of {counted(lists, 'list is', 'lists are')} best empty, "
            f"{row['untouched']:.1%} as they are; the median length is {row['median_length']:g}."
            for row in summary.iter_rows(named=True)
        ),
        (
            f"{counted(lists, 'list')}. A bar: the share of the lists. A stroke: the share of topics with so many "
            "relevant.",
        ),
    )


def _panel(rows: pl.DataFrame, summary: dict[str, float], order: list[str], highest: float) -> Spec:
    interval = {
        "x": field("interval:N", sort=order, title="documents", axis={"labelAngle": -60}),
        "tooltip": [
            "interval:N",
            field("share:Q", format=".1%", title="of the lists"),
            field("relevant:Q", format=".1%", title="of the topics"),
        ],
    }
    share = {"title": "share", "axis": {"format": "%", "tickCount": 4}, "scale": {"domain": [0, highest]}}
    stroke = mark("tick", color=INK, thickness=2.5, orient="horizontal", size=14)
    return layer(
        chart(mark("bar", color=SHADE), **interval, y=field("share:Q", **share)),
        chart(stroke, **interval, y=field("relevant:Q", **share)),
        data=rows.rename({RELEVANT: "relevant"}),
        width=190,
        height=110,
        title={
            "text": str(summary["measure"]),
            "subtitle": f"{summary['empty']:.0%} empty, {summary['untouched']:.0%} whole, "
            f"median {summary['median_length']:g}",
            **{"fontSize": 12, "subtitleFontSize": 10, "offset": 6},
        },
    )
