"""What grows with more that is read, searched or judged: a line for each run, or for each method."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from cranfield.plots.axes import ALONE, BESIDE, amounts, ends_of, in_grey, strokes
from cranfield.plots.grammar import Spec, between, chart, concat, dot, field, grid, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, DASHES, INK, colours, shapes
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.wording import counted

_MOST_RUNS: Final = len(COLOURS)  # More lines are not told apart: up to this many have a colour
BANDS: Final = 3  # Bands of more systems would hide each other
FEW_SEARCHES: Final = 15  # Up to this many, each has a tick
_QRELS: Final = "qrels"  # Stands for a method in the tables where all judgments are made
_AT_WORST: Final = Scope().graded().continued()  # Of what it speaks that a run is certain to lead


@plot(of="scores", measures=("R@5", "R@10", "R@20", "R@50", "R@100"))
def cutoffs(cutoffs: pl.DataFrame, *, topic: str | None = None) -> Drawing:
    """How does a measure grow with its cutoff, or with the budget?

    A line joins a run's means over the topics by one measure at several cutoffs, or within several reading budgets:
    `R@5,10,20`, or `EvidenceR(budget=1000)` and `EvidenceR(budget=2000)`. The axis is logarithmic. Several measures
    have a panel each; one with a single cutoff is a row of points.
    """
    parts = cutoffs.partition_by("measure", maintain_order=True)
    measures, first = [part["measure"][0] for part in parts], parts[0]
    ends = first.filter(pl.col("at") == pl.col("at").max()).sort("value", descending=True, maintain_order=True)
    coloured = ends["run"].head(_MOST_RUNS).to_list()
    over = ", mean over topics" if topic is None else ""
    return Drawing(
        grid([_by_cutoff(part, coloured, over, alone=len(parts) == 1) for part in parts], columns=2, spacing=24),
        f"{', '.join(measures)} by {' and '.join(cutoffs['of'].unique(maintain_order=True))}",
        " ".join(_at_last_cutoff(part, coloured) for part in parts),
        f"In colour the {len(coloured)} runs that are highest by {measures[0]} at the last {first['of'][0]}, the "
        f"other {ends.height - _MOST_RUNS} in grey."
        if ends.height > _MOST_RUNS
        else "",
    )


def _by_cutoff(rows: pl.DataFrame, coloured: list[str], over: str, *, alone: bool) -> Spec:
    """Draw one measure: all runs in grey, and over them those that have a colour."""
    of, measure, places = rows["of"][0], rows["measure"][0], sorted(set(rows["at"]))
    x = field(
        "at:Q", title=f"{of}, logarithmic",
        scale={"type": "log", "nice": False, **({"padding": 12} if len(places) > 1 else {})},
        axis={"values": places, "format": ",~g", "labelOverlap": "greedy"},
    )  # fmt: skip
    y = field("value:Q", title=f"{measure}{over}", scale={"nice": True})
    tips = ["run:N", field("at:Q", title=of, format=","), field("value:Q .4f", title=measure)]
    rows = rows.select("run", "at", "value")
    shown = rows.filter(pl.col("run").is_in(coloured))
    return layer(
        *in_grey(rows, coloured, x, y, opacity=0.7),
        chart(mark("line"), data=shown, x=x, y=y, **strokes("run:N", coloured, title=None)),
        *(
            chart(dot(40, color=colour), data=shown.filter(run=run), x=x, y=y, tooltip=tips)
            for run, colour in zip(coloured, COLOURS, strict=False)
        ),
        **(ALONE if alone else BESIDE),
    )


def _at_last_cutoff(rows: pl.DataFrame, runs: list[str]) -> str:
    last = rows.filter(pl.col("at") == pl.col("at").max())
    values = dict(last.select("run", "value").iter_rows())
    more = f", and {counted(len(values) - len(runs), 'run')} more" if len(values) > len(runs) else ""
    told = ", ".join(f"{run} {values[run]:.3f}" for run in runs)
    return f"{rows['measure'][0]} at {rows['of'][0]} {last['at'][0]:,g}: {told}{more}."


@plot(of="budgets")
def budgets(leaders: pl.DataFrame, values: pl.DataFrame, *, topic: str | None = None) -> Drawing:
    """How good is each run within a budget, and which run leads?

    Each line is a run: the value of its lists, read until the next document does not fit into the budget. Lines that
    cross are runs whose order depends on the budget. Several measures have a panel each.

    Paper: none; a list cut by cost in place of rank.
    """
    measures = values["measure"].unique(maintain_order=True).to_list()
    first = values.filter(measure=measures[0], budget=values["budget"].to_numpy().max())
    order = first.sort("value", descending=True, maintain_order=True)["run"].to_list()
    coloured = [*dict.fromkeys([*leaders["run"], *order])][: len(COLOURS) - 1]
    over = "" if topic is not None else ", mean over topics"
    others, size = len(order) - len(coloured), ALONE if len(measures) == 1 else BESIDE
    views = [_within_budget(values.filter(measure=name).drop("measure"), coloured, name + over) for name in measures]
    return Drawing(
        grid([layer(*layers, **size) for layers in views], columns=2, spacing=24),
        f"{', '.join(measures)} by budget of documents read",
        " ".join(_leading(leaders)),
        f"In colour: runs that lead at some budget, and the best; the other {others} in grey." if others else "",
    )


def _within_budget(rows: pl.DataFrame, coloured: list[str], title: str) -> list[Spec]:
    x, y = amounts("budget", "budget for a list", rows), field("value:Q", title=title)
    shown = {"data": rows.filter(pl.col("run").is_in(coloured)), "x": x, "y": y}
    plain = field("run:N", title=None, scale=colours(coloured))
    return [
        *in_grey(rows, coloured, x, y, opacity=0.7),
        chart(mark("line"), **shown, **strokes("run:N", coloured, title=None)),
        chart(dot(36), **shown, color=plain, tooltip=["run:N", "budget:Q ,", "value:Q .4f"]),
    ]


def _leading(leaders: pl.DataFrame) -> Iterator[str]:
    """Say who leads at which budgets, measure by measure."""
    for (measure,), rows in leaders.group_by("measure", maintain_order=True):
        more = pl.when(pl.col("ties") > 1).then(pl.format(" and {} more", pl.col("ties") - 1)).otherwise(pl.lit(""))
        rows = rows.with_columns(run=pl.col("run") + more)  # noqa: PLW2901
        stretches = rows.with_columns(stretch=pl.col("run").rle_id()).group_by("stretch", maintain_order=True)
        said = []
        for _, stretch in stretches:
            low, high, run = stretch["budget"][0], stretch["budget"][-1], stretch["run"][0]
            at = f"at {low:,.12g}" if low == high else f"from {low:,.12g} to {high:,.12g}"
            value = " to ".join(f"{each:.3f}" for each in stretch["value"].gather([0, -1][: 1 + (low != high)]))
            said.append(f"{run} {at} ({value})")
        yield f"{measure} is highest for {', '.join(said)}, of {counted(rows.height, 'budget')}."


@plot(of="searches")
def gain_by_call(after: pl.DataFrame) -> Drawing:
    """How much is found after each of several searches for one question?

    Each line is the mean over topics of a measure of the union of the searches so far; the lists of topics
    with fewer searches are carried forward, so that a line that levels off may be one whose systems stopped
    searching. Bands, of up to three systems, are Student's t intervals over topics, each for one number of
    searches and not for the whole line. Each measure has a panel.
    """
    measures = after["measure"].unique(maintain_order=True).to_list()
    ends = after.filter(measure=measures[0]).group_by("run", maintain_order=True).agg(pl.col("value").last())
    best = ends.sort("value", descending=True, nulls_last=True, maintain_order=True)
    runs = best["run"].head(_MOST_RUNS).to_list()
    rows = after.filter(pl.col("run").is_in(runs)).filter(pl.col("value").is_not_null())
    of_measure = {measure: rows.filter(measure=measure) for measure in measures}
    says = ["Lists that ended earlier are carried forward."]
    if rows["low"].is_not_null().any():
        where, level = "Bands" if len(runs) <= BANDS else "Shown to a pointer", 100 * after["level"][0]
        says.append(f"{where}: {level:g}% t intervals over topics, each for one number of searches.")
    if ends.height > len(runs):
        says.append(f"The {len(runs)} of {ends.height} systems with the highest {measures[0]} at the end.")
    size = ALONE if len(measures) == 1 else {**BESIDE, "width": 330}
    panels = [layer(*_by_search(part, measure, runs), **size) for measure, part in of_measure.items()]
    return Drawing(
        grid(panels, columns=2, spacing=26),
        f"{', '.join(measures)} after each search",
        " ".join(f"{name}: {'; '.join(_first_and_last(part, runs))}." for name, part in of_measure.items()),
        *says,
    )


def _by_search(rows: pl.DataFrame, measure: str, runs: list[str]) -> Iterator[Spec]:
    last = int(rows["searches"].max() or 1)  # type: ignore[arg-type]
    low, high = ends_of(pl.concat([rows["value"], rows["low"].drop_nulls(), rows["high"].drop_nulls()]))
    x = field(
        "searches:Q",
        title="searches",
        scale=between(1, last) if last > 1 else {"zero": False},
        axis={"format": "d"} | ({"values": [*range(1, last + 1)]} if last <= FEW_SEARCHES else {"tickMinStep": 1}),
    )
    up = {"title": f"{measure}, mean over topics", "scale": between(low, high)}
    look = strokes("run:N", runs, title=None)
    line = {"data": rows, "x": x, "y": field("value:Q", **up), "color": look["color"]}
    band = rows.filter(pl.col("low").is_not_null())
    if band.height and len(runs) <= BANDS:
        area = mark("area", opacity=0.12) if last > 1 else mark("rule")
        yield chart(area, data=band, x=x, y=field("low:Q", **up), y2="high", color=look["color"])
    yield chart(mark("line"), **line, strokeDash=look["strokeDash"])
    yield chart(dot(40), **line, tooltip=[
        "run:N", field("searches:Q", title="searches"), field("value:Q .4f", title=measure), "low:Q .4f", "high:Q .4f",
        field("made:Q", title="topics with that many searches"),
    ])  # fmt: skip


def _first_and_last(rows: pl.DataFrame, runs: list[str]) -> Iterator[str]:
    for run in runs:
        of_run = rows.filter(run=run)
        if of_run.height:
            first, last = of_run["value"][0], of_run["value"][-1]
            searches = counted(of_run["searches"][-1], "search", "searches")
            yield f"{run} {first:.3f} after the first search and {last:.3f} after {searches}"


class Learnt(NamedTuple):
    """Columns method, budget and value; how the axis is called; what all judgments come to."""

    title: str
    rows: pl.DataFrame
    everything: Sequence[float] = ()


@plot(of="judging")
def learning_curve(
    relevant: pl.DataFrame, ranges: pl.DataFrame, ranking: pl.DataFrame, identification: pl.DataFrame
) -> Drawing:
    """How much does each method learn from a number of judgments?

    Panels show, against the number of judgments: the relevant documents found (documents that the qrels lack are passed
    over), the remaining residual, the number of runs that could still be the best (whose top is not below the highest
    base), and how similar the order of the runs is to that by all judgments. The steeper a curve begins, the more its
    method learns early; dotted lines show the values with all judgments of the qrels.

    Paper: Moffat, Webber and Zobel (2007), "Strategic system comparisons via targeted relevance
    judgments", SIGIR, Tables 2 and 4, as curves; the others are ours.
    """
    panels = list(_learnt(relevant, ranges, ranking))
    methods = ranking["method"].unique(maintain_order=True).to_list()
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
        f"{row['method']} has the best run, {row['best']}, ahead for good after "
        f"{counted(row['leads_from'], 'judgment')}"
        + ("" if row["certain_from"] is None else f", and, {_AT_WORST.whatever}, after {row['certain_from']:,}")
        for row in identification.filter(pl.col("leads_from").is_not_null()).iter_rows(named=True)
    ]
    return Drawing(
        concat(*(_by_judgments(panel, methods) for panel in panels), columns=2, spacing=26),
        "What each method learns, by number of judgments",
        ". ".join([*said, *found]) + ".",
        "Dotted horizontal lines: all judgments of the qrels, where documents that they lack are unjudged; in the "
        "sessions these are not relevant.",
        "" if relevant["relevant"].sum() else "No document is relevant.",
    )


def _learnt(relevant: pl.DataFrame, ranges: pl.DataFrame, ranking: pl.DataFrame) -> Iterator[Learnt]:
    """Make the four tables."""
    found = relevant.filter(missing="bypassed").select("method", "budget", value="relevant")
    yield Learnt("relevant documents found", found)
    over = ranges.group_by("method", "budget", maintain_order=True).agg(
        residual=pl.col("residual").mean(), rivals=(pl.col("top") >= pl.col("base").max()).sum()
    )
    for column, title in (("residual", "mean residual of the runs"), ("rivals", "runs that could still be the best")):
        rows = over.select("method", "budget", value=column)
        everything = rows.filter(method=_QRELS)["value"].drop_nulls().to_list()
        yield Learnt(title, rows.filter(pl.col("method") != _QRELS), everything)
    yield Learnt("τ_b with the order under all judgments", ranking.select("method", "budget", value="tau"))


def _by_judgments(panel: Learnt, methods: list[str]) -> Spec:
    patterns = pl.DataFrame({"method": methods, "dash": [DASHES[i % len(DASHES)] for i in range(len(methods))]})
    rows = panel.rows.join(patterns, on="method", maintain_order="left")
    both = {
        "data": rows,
        "x": amounts("budget", "judgments made", rows),
        "y": field("value:Q", title=panel.title, scale={"zero": True}),
        "color": field("method:N", title="method", scale=colours(methods)),
    }
    dash = field("dash:N", scale=None)  # as they are, so that the legend has shapes alone
    shape = field("method:N", title="method", scale=shapes(methods))
    tips = ["method:N", "budget:Q ,", field("value:Q .4g", title=panel.title)]
    layers = [chart(mark("line"), **both, strokeDash=dash), chart(dot(45), **both, shape=shape, tooltip=tips)]
    if panel.everything:
        everything = pl.DataFrame({"all": panel.everything[:1]})
        layers.append(chart(mark("rule", color=INK, strokeDash=[2, 3]), data=everything, y="all:Q"))
    return layer(*layers, width=320, height=220)
