"""How large a difference is, and how sure: two runs topic by topic, or several against one baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cranfield.plots.axes import least_and_most
from cranfield.plots.few import best_middle_worst, labels_of, said_of, shortened
from cranfield.plots.grammar import Spec, chart, field, hconcat, independent, layer, mark, vconcat
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, GUIDE, INK, QUIET, named, panel_title
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted
from cranfield.statistics.conclusions import excludes_0
from cranfield.statistics.coverage import clause
from cranfield.statistics.on_paper import side

MOST_RUNS = 24
"""So many rows are still read one by one."""
MOST_LINES = 300
"""More lines than these are a cloud: of more topics, some are drawn."""
HEIGHT, ROW = 320, 30
MOST_LETTERS = 20
"""Longer names of two runs would touch below their lines."""
BEYOND = 0.5
"""By how much of the range of the scores an interval may widen the axis."""
KINDS = (("higher", COLOURS[0]), ("equal", GUIDE), ("lower", COLOURS[1]))
DRAWN = {"color": COLOURS[5], "opacity": 0.6}
"""How the mean difference is distributed."""


@plot(of="estimation")
def estimation(
    differences: pl.DataFrame, topics: pl.DataFrame, distribution: pl.DataFrame, settings: pl.DataFrame
) -> Drawing:
    """How much better is a run than a baseline, topic by topic and on average, and how sure is that?

    Of two runs, a line is a topic, from its score by the baseline to its score by the other; beside them, on an axis
    whose 0 is at the baseline's mean, stands the difference of the means: a point, its interval, and how the
    difference is distributed when topics are drawn again. Of more runs, a row is a run: on the left its mean
    difference, drawn in the same way, on the right its differences on the topics.

    Paper: Gardner and Altman (1986), "Confidence intervals rather than P values: estimation rather than
    hypothesis testing", BMJ 292; Ho, Tumkaya, Aryal, Choi and Claridge-Chang (2019), "Moving beyond P values: data
    analysis with estimation graphics", Nature Methods 16.
    """
    asked = dict(settings.iter_rows())
    level = f"{100 * float(asked['level']):g}%"
    measures = differences["measure"].unique(maintain_order=True).to_list()
    tables = (differences, topics, distribution)
    parts = [[table.filter(measure=measure) for table in tables] for measure in measures]
    first, baseline = parts[0][0], shortened(str(differences["baseline"][0]))
    pair, count = first.height == 1, parts[0][1]["topic"].n_unique()
    run = shortened(str(first["run"][0])) if pair else counted(first.height, "run")
    says = [*_read(run, baseline, count, pair=pair), *said_of(first.height, MOST_RUNS)]
    if count == 1:
        says.append("One topic alone has neither an interval nor a distribution.")
    else:
        alone = "" if pair else ", for one run at a time"
        says.append(f"Point and bar: mean difference and its {level} interval (Student's t){alone}.")
        says += filter(None, [clause("difference", count, float(asked["level"]))])
        says.append(
            f"Shaded: the mean difference over topics drawn again, {int(asked['resamples']):,} times (seed "
            f"{asked['seed']})."
        )
    return Drawing(
        vconcat(*((_pair if pair else _several)(*each) for each in parts), spacing=28),
        f"{', '.join(measures)}: {run} less {baseline}",
        " ".join(_described(each, level, count) for each, *_ in parts),
        tuple(filter(None, says)),
    )


def _read(run: str, baseline: str, topics: int, *, pair: bool) -> Iterator[str]:
    """Say how the figure is read."""
    if not pair:
        yield f"A row is a run, a tick its difference from {baseline} on a topic; right of 0 the run is higher."
        return
    yield f"A line is a topic, from {baseline} to {run}; the axis on the right has its 0 at the mean of {baseline}."
    if topics > MOST_LINES:
        yield f"Of {topics:,} topics {len(range(0, topics, _step(topics))):,} are drawn, evenly; means are of all."


def _step(topics: int) -> int:
    """Every so many topics one is drawn."""
    return 1 + (topics - 1) // MOST_LINES


def _pair(differences: pl.DataFrame, topics: pl.DataFrame, parts: pl.DataFrame) -> Spec:
    """Draw the topics of two runs as lines, and the difference of their means on an axis with 0 at the baseline's."""
    found = differences.row(0, named=True)
    means = dict(topics.group_by("run").agg(pl.col("value").mean()).iter_rows())
    if side(means[found["run"]] - found["mean"]):  # of a geometric mean logarithms are compared
        found["measure"] = f"logarithm of {found['measure']}"
    found |= {"mean": means[found["run"]], "baseline_mean": means[found["baseline"]]}
    low, high = least_and_most(topics["value"])
    room = BEYOND * (high - low) or 0.5
    base = found["baseline_mean"]
    if found["low"] is not None:
        low = min(low, max(base + found["low"], low - room))
        high = max(high, min(base + found["high"], high + room))
    low, high = (low, high) if low < high else (low - room, high + room)
    margin = 0.04 * (high - low)
    domain = [low - margin, high + margin]
    return hconcat(
        _lines(found, topics, domain),
        _floating(found, parts, [end - base for end in domain]),
        spacing=12,
    )


def _lines(found: dict[str, Any], topics: pl.DataFrame, domain: Sequence[float]) -> Spec:
    names = found["baseline"], found["run"]
    both = [topics.filter(run=name).select("topic", "value") for name in names]
    baseline, run = labels_of(names, MOST_LETTERS).values()
    wide = both[0].join(both[1], on="topic", suffix="_of_run", maintain_order="left")
    kinds = pl.Series(side((wide["value_of_run"] - wide["value"]).to_numpy())).replace_strict(
        {float(sign): kind for sign, (kind, _) in zip((1, 0, -1), KINDS, strict=True)}, return_dtype=pl.String
    )
    counts = {kind: int((kinds == kind).sum()) for kind, _ in KINDS}
    named_kinds = {kind: f"{kind} on {counted(count, 'topic')}" for kind, count in counts.items() if count}
    shown = {named_kinds[kind]: colour for kind, colour in KINDS if kind in named_kinds}
    wide = wide.with_columns(kind=kinds.replace(named_kinds)).gather_every(_step(wide.height))
    rows = pl.concat(
        [
            wide.select("topic", "kind", "value", run=pl.lit(baseline)),
            wide.select("topic", "kind", value="value_of_run", run=pl.lit(run)),
        ]
    )
    means = pl.DataFrame({"run": [baseline, run], "value": [found["baseline_mean"], found["mean"]]})
    x = field("run:N", sort=[baseline, run], title=None, axis={"labelAngle": 0, "labelLimit": 120})
    y = field("value:Q", title=found["measure"], scale={"domain": domain, "nice": False})
    below = {"orient": "bottom", "direction": "vertical", "title": None, "symbolType": "stroke", "symbolSize": 400}
    colour = field("kind:N", title=None, scale=named(shown, shown.values()), legend={**below, "symbolOpacity": 0.7})
    tips = ["topic:N", "run:N", field("value:Q", format=".4f", title=found["measure"])]
    return layer(
        chart(mark("line", strokeWidth=1.2, opacity=0.7), data=rows, x=x, y=y, color=colour, detail="topic:N"),
        chart(mark("point", filled=True, size=16, opacity=0.7), data=rows, x=x, y=y, color=colour, tooltip=tips),
        chart(mark("line", color=INK, strokeWidth=3), data=means, x=x, y=y),
        chart(mark("point", filled=True, color=INK, size=80, opacity=1), data=means, x=x, y=y, tooltip=tips[1:]),
        width=260,
        height=HEIGHT,
    )


def _floating(found: dict[str, Any], parts: pl.DataFrame, domain: Sequence[float]) -> Spec:
    """Draw the difference of means, its interval and its distribution, upwards."""
    scale = {"domain": [*domain], "nice": False}
    y = field(
        "difference:Q",
        title=f"difference of mean {found['measure']}",
        scale=scale,
        axis={"orient": "right", "grid": False},
    )
    highest = parts["share"].max() or 1
    rows = pl.DataFrame([found]).select("difference", "low", "high", zero=0.0)
    across = field("zero:Q", title=None, scale={"domain": [-0.2, 1.1], "nice": False}, axis=None)
    layers = [chart(mark("rule", color=INK, strokeDash=[4, 3], strokeWidth=1), data=rows, y={**y, "field": "zero"})]
    drawn = parts.filter(pl.col("from") < pl.col("to")).select(
        "from", "to", "share", zero=0.0, part=pl.col("share") / highest
    )
    if drawn.height:
        tips = [field(f"{name}:Q", format=form) for name, form in (("from", ".4f"), ("to", ".4f"), ("share", ".1%"))]
        bars = mark("rect", **DRAWN, clip=True)
        layers.append(chart(bars, data=drawn, x=across, x2="part", y={**y, "field": "from"}, y2="to", tooltip=tips))
    tips = [field(f"{name}:Q", format="+.4f") for name in ("difference", "low", "high")]
    if found["low"] is not None:
        line = mark("rule", color=INK, strokeWidth=2.5, clip=True)
        layers.append(chart(line, data=rows, x=across, y={**y, "field": "low"}, y2="high"))
    layers.append(
        chart(mark("point", filled=True, color=INK, size=80, opacity=1), data=rows, x=across, y=y, tooltip=tips)
    )
    return layer(*layers, width=170, height=HEIGHT, title=panel_title(_interval(found), 190))


def _interval(found: dict[str, Any]) -> str:
    """Write a difference with its interval."""
    ends = "" if found["low"] is None else f" [{found['low']:+.3f}, {found['high']:+.3f}]"
    return f"{found['difference']:+.3f}{ends}"


def _several(differences: pl.DataFrame, topics: pl.DataFrame, parts: pl.DataFrame) -> Spec:
    """Draw a row for each run: its mean difference, and beside it those on the topics."""
    shown = differences[best_middle_worst(differences.height, MOST_RUNS)]
    short = labels_of(shown["run"].to_list())
    rows = shown.with_row_index("row").with_columns(
        label=pl.concat_str(
            pl.col("difference").map_elements("{:+.3f}".format, return_dtype=pl.String),
            pl.lit(" "),
            pl.col("run").replace(short),
        ),
        short=pl.col("run").replace(short),
        middle=pl.col("row") + 0.62,
    )
    place = rows.select("run", "row")
    base = topics.filter(run=rows["baseline"][0]).select("topic", base="value")
    ticks = topics.join(place, on="run").join(base, on="topic")
    ticks = ticks.select("run", "topic", difference=pl.col("value") - pl.col("base"), middle=pl.col("row") + 0.5)
    highest = parts.group_by("run").agg(highest=pl.col("share").max())
    bins = parts.filter(pl.col("from") < pl.col("to")).join(place, on="run").join(highest, on="run")
    bins = bins.select(
        "run", "from", "to", "share",
        bottom=pl.col("row") + 0.5, top=pl.col("row") + 0.5 - 0.45 * pl.col("share") / pl.col("highest"),
    )  # fmt: skip
    height = ROW * rows.height
    down = {"title": None, "scale": {"domain": [0, rows.height], "reverse": True, "nice": False}, "axis": None}
    zero = chart(
        mark("rule", color=INK, strokeDash=[4, 3], strokeWidth=1), data=rows.head(1).select(zero=0.0), x="zero:Q"
    )
    measure = str(rows["measure"][0])
    axis = {"labelFlush": False, "tickCount": 6}
    x = field("difference:Q", title=f"mean difference by {measure}", axis=axis)
    tips = ["run:N", *(field(f"{name}:Q", format="+.4f") for name in ("difference", "low", "high"))]
    averages = [zero]
    if bins.height:
        of = [field(f"{name}:Q", format=form) for name, form in (("from", "+.4f"), ("to", "+.4f"), ("share", ".1%"))]
        ends = {"x": {**x, "field": "from"}, "x2": "to", "y": field("top:Q", **down), "y2": "bottom"}
        averages.append(chart(mark("rect", **DRAWN), data=bins, **ends, tooltip=["run:N", *of]))
        line = mark("rule", color=INK, strokeWidth=2)
        averages.append(chart(line, data=rows, x={**x, "field": "low"}, x2="high", y=field("middle:Q", **down)))
    point = mark("point", filled=True, color=INK, size=45, opacity=1)
    averages.append(chart(point, data=rows, x=x, y=field("middle:Q", **down), tooltip=tips))
    dashes = mark("tick", orient="vertical", size=ROW * 0.5, thickness=1.2, color=COLOURS[0], opacity=0.6)
    tips = ["run:N", "topic:N", field("difference:Q", format="+.4f")]
    x = field("difference:Q", title=f"differences by {measure} on {counted(base.height, 'topic')}", axis=axis)
    single = [zero, chart(dashes, data=ticks, x=x, y=field("middle:Q", **down), tooltip=tips)]
    return hconcat(
        *(
            layer(_names(rows, label, side), layer(*inner), width=width, height=height, resolve=independent("y"))
            for label, side, inner, width in (("label", "left", averages, 330), ("short", "right", single, 330))
        ),
        spacing=14,
    )


def _names(rows: pl.DataFrame, label: str, orient: str) -> Spec:
    """Name the rows beside the panel; the marks are none, so that nothing is in their way."""
    scale = {"paddingInner": 0, "paddingOuter": 0}
    axis = {"orient": orient, "labelLimit": 280, "grid": True, "tickBand": "extent"}
    y = field(f"{label}:N", sort=rows[label].to_list(), title=None, scale=scale, axis=axis)
    return chart(mark("rect", opacity=0, color=QUIET), data=rows, y=y)


def _described(rows: pl.DataFrame, level: str, topics: int) -> str:
    best, worst = rows.row(0, named=True), rows.row(-1, named=True)

    def told(row: dict[str, Any]) -> str:
        ends = "" if row["low"] is None else f" ({level} interval {row['low']:+.3f} to {row['high']:+.3f})"
        return (
            f"{row['run']} {row['difference']:+.3f}{ends}, better on {counted(row['better'], 'topic')} and worse on "
            f"{row['worse']} of {topics}"
        )

    of = f"By {best['measure']}, less {best['baseline']} (mean {best['baseline_mean']:.3f}): {told(best)}"
    if rows.height == 1:
        return f"{of}."
    above = 0 if best["low"] is None else rows.filter(excludes_0(pl.col("low"), pl.col("high"))).height
    return f"{of}; the last of {rows.height} is {told(worst)}. Intervals without 0: {above} of {rows.height}."
