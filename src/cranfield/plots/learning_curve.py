"""What is learnt as more is judged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from cranfield.plots.grammar import Spec, chart, concat, field, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import DASHES, INK, colours, shapes
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.wording import counted

QRELS: Final = "qrels"
"""Stands for a method in the tables where all judgments are made."""
AT_WORST: Final = Scope().graded().continued()
"""Of what it speaks that a run is certain to lead."""


class _Panel(NamedTuple):
    """Columns method, budget and value; how the axis is called; what all judgments come to."""

    title: str
    rows: pl.DataFrame
    everything: float | None = None


@plot(of="judging")
def learning_curve(
    relevant: pl.DataFrame, ranges: pl.DataFrame, ranking: pl.DataFrame, identification: pl.DataFrame
) -> Drawing:
    """How much is learnt from a number of judgments, by which method?

    Against the number of judgments stand the relevant documents found (documents that the qrels
    lack are passed over), the residual that is left, the number of runs that could still be the
    best (whose top is not below the highest base), and how alike the order of the runs is to that
    under all judgments. The steeper a curve begins, the more its method learns early; the dashed
    lines are what all judgments of the qrels come to.

    Paper: Moffat, Webber and Zobel (2007), "Strategic system comparisons via targeted relevance
    judgments", SIGIR, Tables 2 and 4, as curves; the others are ours.
    """
    panels = list(_panels(relevant, ranges, ranking))
    methods = ranking["method"].unique(maintain_order=True).to_list()
    runs = ranges["run"].n_unique()
    last = max(ranking["budget"].to_list())
    said = [
        f"After {counted(last, 'judgment')} {method}: "
        + ", ".join(
            f"{panel.title} {value:.4g}"
            for panel in panels
            for value in panel.rows.filter(method=method, budget=last)["value"].drop_nulls()
        )
        for method in methods
    ]
    found = [
        f"{row['method']} has the best run, {row['best']}, in front for good after "
        f"{counted(row['leads_from'], 'judgment')}"
        + ("" if row["certain_from"] is None else f", and, {AT_WORST.whatever}, after {row['certain_from']:,}")
        for row in identification.filter(pl.col("leads_from").is_not_null()).iter_rows(named=True)
    ]
    return Drawing(
        concat(*(_drawn(panel, methods) for panel in panels), columns=2, spacing=26),
        "What is learnt from so many judgments",
        ". ".join([*said, *found]) + ".",
        (
            f"Of {counted(runs, 'run')}. Dashed: under all judgments of the qrels, where what they lack is unjudged; "
            "in the sessions it is not relevant.",
        ),
    )


def _panels(relevant: pl.DataFrame, ranges: pl.DataFrame, ranking: pl.DataFrame) -> Iterator[_Panel]:
    """Make the four tables."""
    found = relevant.filter(missing="bypassed").select("method", "budget", value="relevant")
    yield _Panel("relevant documents found", found)
    over = ranges.group_by("method", "budget", maintain_order=True).agg(
        residual=pl.col("residual").mean(),
        rivals=(pl.col("top") >= pl.col("base").max()).sum(),
    )
    for column, title in (("residual", "mean residual of the runs"), ("rivals", "runs that could still be the best")):
        rows = over.select("method", "budget", value=column)
        everything = rows.filter(method=QRELS)["value"].to_list()
        yield _Panel(title, rows.filter(pl.col("method") != QRELS), everything[0] if everything else None)
    yield _Panel("tau-b with the order under all judgments", ranking.select("method", "budget", value="tau"))


def _drawn(panel: _Panel, methods: list[str]) -> Spec:
    patterns = pl.DataFrame({"method": methods, "dash": [DASHES[i % len(DASHES)] for i in range(len(methods))]})
    rows = panel.rows.join(patterns, on="method", maintain_order="left")
    several = rows["budget"].n_unique() > 1
    budget = field(
        "budget:Q",
        title="judgments made" + (", on a logarithmic scale" if several else ""),
        scale={"type": "log", "nice": False, "padding": 8} if several else {"zero": False},
        axis={"values": sorted(set(rows["budget"])), "format": ",", "grid": False, "labelOverlap": True},
    )
    both = {
        "data": rows,
        "x": budget,
        "y": field("value:Q", title=panel.title, scale={"zero": True}),
        "color": field("method:N", title=None, scale=colours(methods)),
    }
    dash = field("dash:N", scale=None)  # as they are, so that the legend has shapes alone
    shape = field("method:N", title=None, scale=shapes(methods))
    tips = ["method:N", field("budget:Q", format=","), field("value:Q", format=".4g", title=panel.title)]
    layers = [
        chart(mark("line"), **both, strokeDash=dash),
        chart(mark("point", filled=True, size=45, opacity=1), **both, shape=shape, tooltip=tips),
    ]
    if panel.everything is not None:
        everything = pl.DataFrame({"all": [panel.everything]})
        layers.append(chart(mark("rule", color=INK, strokeDash=[2, 3]), data=everything, y="all:Q"))
    return layer(*layers, width=320, height=220)
