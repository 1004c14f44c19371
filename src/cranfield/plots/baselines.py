"""Runs against a baseline: how large the difference is, how sure, and how many topics it costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from cranfield.plots.axes import DASHED, least_and_most, ticks_of
from cranfield.plots.few import best_middle_worst, labels_of, said_of, said_of_three, shortened, step_of, three_of
from cranfield.plots.grammar import Spec, between, chart, concat, field, hconcat, independent, layer, mark, vconcat
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, FAINT, GUIDE, HALO, INK, JUDGED, UNJUDGED, by_name, panel_title
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import confidence, counted, named
from cranfield.statistics.conclusions import excludes_0
from cranfield.statistics.intervals import clause
from cranfield.statistics.on_paper import EQUAL, side

_MOST_ROWS = 24  # Rows up to this many are read one by one
_MOST_LINES = 300  # More lines than these are a cloud: of more topics, some are drawn
_HEIGHT, _ROW = 320, 30
_MOST_LETTERS = 20  # Longer names of two runs would touch below their lines
_BEYOND = 0.5  # By how much of the range of the scores an interval may widen the axis
_SIGNS = {1.0: ("higher", COLOURS[0]), 0.0: ("equal", GUIDE), -1.0: ("lower", COLOURS[1])}
_DRAWN = {"color": COLOURS[5], "opacity": 0.6}  # How the mean difference is distributed


def _tips(level: str) -> list[Any]:
    """Name the difference and the ends of its interval, with their level."""
    ends = (field(f"{end}:Q +.4f", title=f"{end} ({level} interval)") for end in ("low", "high"))
    return ["difference:Q +.4f", *ends]


@plot(of="estimation")
def estimation(
    differences: pl.DataFrame, topics: pl.DataFrame, distribution: pl.DataFrame, settings: pl.DataFrame
) -> Drawing:
    """How much better is a run than a baseline, topic by topic and on average, and how sure is that?

    For two runs, a line is a topic, from its score by the baseline to its score by the other run. Next to them, on an
    axis whose 0 is at the baseline's mean, is the difference of the means: a point, its interval, and its distribution
    when topics are resampled. For more runs, a row is a run: its mean difference on the left, drawn in the same way,
    and its differences by topic on the right.

    Paper: Gardner and Altman (1986), "Confidence intervals rather than P values: estimation rather than
    hypothesis testing", BMJ 292; Ho, Tumkaya, Aryal, Choi and Claridge-Chang (2019), "Moving beyond P values: data
    analysis with estimation graphics", Nature Methods 16.
    """
    asked = dict(settings.iter_rows())
    level = confidence(float(asked["level"]))
    measures = differences["measure"].unique(maintain_order=True).to_list()
    parts = [[table.filter(measure=name) for table in (differences, topics, distribution)] for name in measures]
    first, baseline = parts[0][0], shortened(str(differences["baseline"][0]))
    pair, count = first.height == 1, parts[0][1]["topic"].n_unique()
    run = shortened(str(first["run"][0])) if pair else counted(first.height, "run")
    says = [f"A row is a run, and a tick is its difference from {baseline} on a topic; right of 0 the run is higher."]
    if pair:
        zero = f"0 on the right axis is the mean of {baseline}"
        says = [f"A line is a topic, from {baseline} to {run}; {zero}."]
        if count > _MOST_LINES:
            drawn = len(range(0, count, step_of(count, _MOST_LINES)))
            says.append(f"{drawn:,} of {count:,} topics are drawn, evenly spaced; means are over all.")
    says += said_of(first.height, _MOST_ROWS)
    if count == 1:
        says.append("With one topic there is neither an interval nor a distribution.")
    else:
        alone = "" if pair else ", for one run at a time"
        says.append(f"Point and bar: mean difference and its {level} interval (Student's t){alone}.")
        says.append(clause("difference", count, float(asked["level"])))
        times = f"{int(asked['resamples']):,} resamples (seed {asked['seed']})"
        says.append(f"Shaded: bootstrap distribution of the mean difference, {times}.")
    if topics["value"].n_unique() == 1:
        says.append("All values are equal.")
    return Drawing(
        vconcat(*((_pair if pair else _several)(*each, level=level) for each in parts), spacing=28),
        f"{', '.join(measures)}: {run} minus {baseline}",
        " ".join(_estimated(each, level, count) for each, *_ in parts),
        *says,
    )


def _pair(differences: pl.DataFrame, topics: pl.DataFrame, parts: pl.DataFrame, *, level: str) -> Spec:
    """Draw the topics of two runs as lines, and the difference of their means on an axis with 0 at the baseline's."""
    found = differences.row(0, named=True)
    means = dict(topics.group_by("run").agg(pl.col("value").mean()).iter_rows())
    if side(means[found["run"]] - found["mean"]):  # of a geometric mean logarithms are compared
        found["measure"] = f"logarithm of {found['measure']}"
    found |= {"mean": means[found["run"]], "baseline_mean": means[found["baseline"]]}
    low, high = least_and_most(topics["value"])
    room = _BEYOND * (high - low) or 0.5
    base = found["baseline_mean"]
    if found["low"] is not None:
        low = min(low, max(base + found["low"], low - room))
        high = max(high, min(base + found["high"], high + room))
    low, high = (low, high) if low < high else (low - room, high + room)
    margin = 0.04 * (high - low)
    domain = [low - margin, high + margin]
    return hconcat(
        _lines(found, topics, domain), _floating(found, parts, [end - base for end in domain], level), spacing=12
    )


def _lines(found: dict[str, Any], topics: pl.DataFrame, domain: Sequence[float]) -> Spec:
    names = found["baseline"], found["run"]
    both = [topics.filter(run=name).select("topic", "value") for name in names]
    baseline, run = labels_of(names, _MOST_LETTERS).values()
    wide = both[0].join(both[1], on="topic", suffix="_of_run", maintain_order="left")
    signs = pl.Series(side((wide["value_of_run"] - wide["value"]).to_numpy()))
    kinds = {
        sign: (f"{kind} on {counted(count, 'topic')}", colour)
        for sign, (kind, colour) in _SIGNS.items()
        if (count := int((signs == sign).sum()))
    }
    said = signs.replace_strict({sign: kind for sign, (kind, _) in kinds.items()}, return_dtype=pl.String)
    wide = wide.with_columns(kind=said).gather_every(step_of(wide.height, _MOST_LINES))
    rows = pl.concat([
        wide.select("topic", "kind", "value", run=pl.lit(baseline)),
        wide.select("topic", "kind", value="value_of_run", run=pl.lit(run)),
    ])  # fmt: skip
    means = pl.DataFrame({"run": [baseline, run], "value": [found["baseline_mean"], found["mean"]]})
    x = field("run:N", sort=[baseline, run], title=None, axis={"labelAngle": 0, "labelLimit": 120})
    y = field("value:Q", title=found["measure"], scale={"domain": domain, "nice": False})
    below: dict[str, Any] = {"orient": "bottom", "direction": "vertical", "title": None}
    below |= {"symbolType": "stroke", "symbolSize": 400, "symbolOpacity": 0.7}
    colour = field("kind:N", title=None, scale=by_name(*zip(*kinds.values(), strict=True)), legend=below)
    tips = ["topic:N", "run:N", field("value:Q .4f", title=found["measure"])]
    return layer(
        chart(mark("line", strokeWidth=1.2, opacity=0.7), data=rows, x=x, y=y, color=colour, detail="topic:N"),
        chart(mark("point", filled=True, size=16, opacity=0.7), data=rows, x=x, y=y, color=colour, tooltip=tips),
        chart(mark("line", color=INK, strokeWidth=3), data=means, x=x, y=y),
        chart(mark("point", filled=True, color=INK, size=80, opacity=1), data=means, x=x, y=y, tooltip=tips[1:]),
        width=260,
        height=_HEIGHT,
    )


def _floating(found: dict[str, Any], parts: pl.DataFrame, domain: Sequence[float], level: str) -> Spec:
    """Draw the difference of means, its interval and its distribution, upwards."""
    scale, axis = between(*domain), {"orient": "right", "grid": False}
    y = field("difference:Q", title=f"difference of mean {found['measure']}", scale=scale, axis=axis)
    highest = parts["share"].max() or 1
    rows = pl.DataFrame([found]).select("difference", "low", "high", zero=0.0)
    across = field("zero:Q", title=None, scale=between(-0.2, 1.1), axis=None)
    layers = [chart(DASHED, data=rows, y={**y, "field": "zero"})]
    drawn = parts.filter(pl.col("from") < pl.col("to")).select(
        "from", "to", "share", zero=0.0, part=pl.col("share") / highest
    )
    if drawn.height:
        tips = ["from:Q .4f", "to:Q .4f", "share:Q .1%"]
        bars = mark("rect", **_DRAWN, clip=True)
        layers.append(chart(bars, data=drawn, x=across, x2="part", y={**y, "field": "from"}, y2="to", tooltip=tips))
    ends = ""
    if found["low"] is not None:
        ends = f" [{found['low']:+z.3f}, {found['high']:+z.3f}], {level}"
        line = mark("rule", color=INK, strokeWidth=2.5, clip=True)
        layers.append(chart(line, data=rows, x=across, y={**y, "field": "low"}, y2="high"))
    point = mark("point", filled=True, color=INK, size=80, opacity=1)
    layers.append(chart(point, data=rows, x=across, y=y, tooltip=_tips(level)))
    return layer(*layers, width=170, height=_HEIGHT, title=panel_title(f"{found['difference']:+z.3f}{ends}", 190))


def _several(differences: pl.DataFrame, topics: pl.DataFrame, parts: pl.DataFrame, *, level: str) -> Spec:
    """Draw a row for each run: its mean difference, and next to it those on the topics."""
    shown = differences[best_middle_worst(differences.height, _MOST_ROWS)]
    short = labels_of(shown["run"].to_list())
    written = pl.col("difference").map_elements("{:+z.3f}".format, return_dtype=pl.String)
    names = pl.col("run").replace(short)
    rows = shown.with_row_index("row").with_columns(
        label=pl.format("{} {}", written, names), short=names, middle=pl.col("row") + 0.62
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
    down = {"title": None, "scale": {"domain": [0, rows.height], "reverse": True, "nice": False}, "axis": None}
    averages = single = [chart(DASHED, data=rows.head(1).select(zero=0.0), x="zero:Q")]
    measure, middle = rows["measure"][0], field("middle:Q", **down)
    axis = {"labelFlush": False, "tickCount": 6}
    x = field("difference:Q", title=f"mean difference by {measure}", axis=axis)
    if bins.height:
        ends = {"x": {**x, "field": "from"}, "x2": "to", "y": field("top:Q", **down), "y2": "bottom"}
        tips = ["run:N", "from:Q +.4f", "to:Q +.4f", "share:Q .1%"]
        line = mark("rule", color=INK, strokeWidth=2)
        averages = [
            *averages,
            chart(mark("rect", **_DRAWN), data=bins, **ends, tooltip=tips),
            chart(line, data=rows, x={**x, "field": "low"}, x2="high", y=middle),
        ]
    point = mark("point", filled=True, color=INK, size=45, opacity=1)
    averages = [*averages, chart(point, data=rows, x=x, y=middle, tooltip=["run:N", *_tips(level)])]
    dashes = mark("tick", orient="vertical", size=_ROW * 0.5, thickness=1.2, color=COLOURS[0], opacity=0.6)
    tips = ["run:N", "topic:N", "difference:Q +.4f"]
    x = field("difference:Q", title=f"differences by {measure} on {counted(base.height, 'topic')}", axis=axis)
    single = [*single, chart(dashes, data=ticks, x=x, y=middle, tooltip=tips)]
    panels = (("label", "left", averages), ("short", "right", single))
    looks = {"width": 330, "height": _ROW * rows.height, "resolve": independent("y")}
    both = (layer(_names(rows, label, side), layer(*inner), **looks) for label, side, inner in panels)
    return hconcat(*both, spacing=14)


def _names(rows: pl.DataFrame, label: str, orient: str) -> Spec:
    """Name the rows next to the panel; the marks are none, so that nothing is in their way."""
    scale = {"paddingInner": 0, "paddingOuter": 0}
    axis = {"orient": orient, "labelLimit": 280, "grid": True, "tickBand": "extent", "labelOverlap": False}
    y = field(f"{label}:N", sort=rows[label].to_list(), title=None, scale=scale, axis=axis)
    return chart(mark("rect", opacity=0, color=FAINT), data=rows, y=y)


def _estimated(rows: pl.DataFrame, level: str, topics: int) -> str:
    best, worst = rows.row(0, named=True), rows.row(-1, named=True)

    def told(row: dict[str, Any]) -> str:
        ends = "" if row["low"] is None else f" ({level} interval {row['low']:+z.3f} to {row['high']:+z.3f})"
        return (
            f"{row['run']} {row['difference']:+z.3f}{ends}, better on {counted(row['better'], 'topic')} and worse on "
            f"{row['worse']} of {topics}"
        )

    of = f"By {best['measure']}, minus {best['baseline']} (mean {best['baseline_mean']:.3f}): {told(best)}"
    if rows.height == 1:
        return f"{of}."
    above = 0 if best["low"] is None else rows.filter(excludes_0(pl.col("low"), pl.col("high"))).height
    return f"{of}; the last of {rows.height} is {told(worst)}. {above} of {rows.height} intervals exclude 0."


_MOST_RUNS = 6  # Up to this many histograms are read side by side: of more runs, three
_MOST_BARS = 30
HURT, _WORSE, _SAME, _BETTER, HELPED = "hurt", "worse", "equal", "better", "helped"
_KINDS = {HURT: COLOURS[1], _WORSE: JUDGED[UNJUDGED], _SAME: GUIDE, _BETTER: COLOURS[5], HELPED: COLOURS[0]}
"""In greys, too, each of another lightness than its neighbour."""
FEWEST_BARS = 11  # An axis holds at least this many, lest one bar is the whole figure
_OF_BAR = 0.15  # How far from 0 the bar of equal topics reaches, as a part of the bar next to it


@plot(of="risk")
def risk(runs: pl.DataFrame, topics: pl.DataFrame, settings: pl.DataFrame) -> Drawing:
    """How many topics does a run hurt against a baseline, and by how much?

    A histogram of the differences from the baseline by topic: left of 0 the run is worse. Topics that lose more than
    the margin are hurt, topics that gain more are helped; all panels have the same scales.

    Paper: Wang, Bennett and Collins-Thompson (2012), "Robust ranking models via risk-sensitive optimization",
    SIGIR; Dinçer, Macdonald and Ounis (2014), "Hypothesis testing for the risk-sensitive evaluation of
    retrieval systems", SIGIR.
    """
    asked = dict(settings.iter_rows())
    margin, alpha = float(asked["margin"]), float(asked["alpha"])
    baseline, measures = shortened(runs["baseline"][0]), runs["measure"].unique(maintain_order=True).to_list()
    others = runs.filter(measure=measures[0]).height
    places = three_of(others) if others > _MOST_RUNS else list(range(others))
    parts = [(runs.filter(measure=name)[places], topics.filter(measure=name)) for name in measures]
    found = [each for part in parts for each in _histograms(*part, margin)]
    highest = max(top for each in found for top in each.bars["count"])
    panels = [_histogram(each, margin, highest, alone=len(found) == 1) for each in found]
    return Drawing(
        concat(*panels, columns=min(3, len(panels)), spacing=24),
        f"Topics hurt and helped against {baseline}, by {', '.join(measures)}",
        " ".join(_hurt(each.row, each.topics, margin) for each in found),
        f"Topics by their difference from {baseline}; hurt or helped: by more than {margin:g} (dashed).",
        f"URisk: mean gain minus {1 + alpha:g} times the mean loss; TRisk: the same in standard errors.",
        said_of_three(runs.filter(measure=measures[0])["urisk"].to_list(), "URisk") if others > _MOST_RUNS else "",
    )


class _Histogram(NamedTuple):
    """One run: its row and its topics, the largest loss first; its bars, and how far the axis reaches."""

    row: dict[str, Any]
    topics: pl.DataFrame
    bars: pl.DataFrame
    reach: float


def _histograms(runs: pl.DataFrame, topics: pl.DataFrame, margin: float) -> Iterator[_Histogram]:
    """Give those of the runs by one measure, with the same bars."""
    of_runs = [topics.filter(run=run) for run in runs["run"]]
    edges = _edges(max(abs(end) for rows in of_runs for end in rows["difference"]), margin)
    for row, rows in zip(runs.iter_rows(named=True), of_runs, strict=True):
        yield _Histogram(row, rows, _bars(rows, margin, edges), edges[-1])


def _edges(largest: float, margin: float) -> list[float]:
    """Return where bars end, from 0 up, at the margin for certain; on the other side of 0 they end the same way.

    Steps are 1, 2 or 5 times a power of ten, for at most `_MOST_BARS` bars, or that part of the margin which is next
    below.
    """
    least = 2 * largest / _MOST_BARS or margin / 2 or 1.0
    power = 10.0 ** math.floor(math.log10(least) + 1e-9)
    step = next(times * power for times in (1, 2, 5, 10) if times * power >= least * (1 - 1e-9))
    if margin >= step:
        step = margin / math.ceil(margin / step - 1e-9)
    first = [0.0, margin] if 0 < margin < step else [0.0]
    more = max(math.ceil((largest - first[-1]) / step - 1e-9), FEWEST_BARS // 2 + 1 - len(first))
    return [float(f"{edge:.6g}") for edge in (*first, *(first[-1] + step * (1 + i) for i in range(more)))]


def _bars(rows: pl.DataFrame, margin: float, edges: Sequence[float]) -> pl.DataFrame:
    """Count the topics of each bar: columns kind, count, topics, left, right. Each bar is of one kind.

    A difference that is an edge belongs to the bar towards 0. Equal topics have a narrow bar on 0, and the bars at
    its sides begin where it ends.
    """
    d = pl.col("difference")
    away = d.abs() - EQUAL
    kind = (
        pl.when(away < 0).then(pl.lit(_SAME)).when(d < 0).then(pl.when(away > margin).then(pl.lit(HURT))
        .otherwise(pl.lit(_WORSE))).otherwise(pl.when(away > margin).then(pl.lit(HELPED)).otherwise(pl.lit(_BETTER)))
    )  # fmt: skip
    place = np.searchsorted(edges, rows.select(away).to_series().to_numpy(), side="left").clip(1, len(edges) - 1)
    of_bar = rows.with_columns(kind=kind, place=pl.Series(place)).with_columns(
        place=pl.when(kind == _SAME).then(0).otherwise("place")
    )
    found = of_bar.group_by("kind", "place", maintain_order=True).agg(count=pl.len(), topics="topic")
    half = _OF_BAR * edges[1] * found["kind"].is_in([_SAME]).any()
    ends = []
    for row in found.iter_rows(named=True):
        inner, outer = edges[max(row["place"] - 1, 0)] or half, edges[row["place"]]
        way = -1 if row["kind"] in {HURT, _WORSE} else 1
        ends.append((-half, half) if row["kind"] == _SAME else sorted((way * inner, way * outer)))
    left, right = zip(*ends, strict=True)
    return found.select(
        "kind", "count", pl.col("topics").map_elements(lambda each: named(each.to_list()), return_dtype=pl.String),
        left=pl.Series(left), right=pl.Series(right),
    )  # fmt: skip


def _histogram(found: _Histogram, margin: float, highest: int, *, alone: bool) -> Spec:
    row, reach = found.row, found.reach
    width, height = (520, 260) if alone else (320, 180)
    x = {"title": f"difference by {row['measure']}", "scale": between(-reach, reach)}
    x["axis"] = {"values": ticks_of(-reach, reach)}
    y = {"title": "topics", "scale": {"domain": [0, highest], "nice": True}, "axis": {"tickMinStep": 1, "format": "d"}}
    legend = {"orient": "bottom", "direction": "horizontal", "symbolType": "square", "symbolStrokeWidth": 0}
    ends = {"x": field("left:Q", **x), "x2": "right", "y": field("count:Q", **y), "y2": {"datum": 0}}
    margins = pl.DataFrame({"at": [-margin, margin] if 0 < margin < reach else [0.0]})
    at = field("at:Q", **x)
    won = f"better {row['wins']} ({row['helped']} helped), equal {row['ties']}, "
    below = f"{won}worse {row['losses']} ({row['hurt']} hurt)", _risked(row)
    return layer(
        chart(
            mark("rect", stroke=HALO, strokeWidth=1), data=found.bars, **ends,
            color=field("kind:N", title=None, scale=by_name(_KINDS, _KINDS.values()), legend=legend),
            tooltip=["kind:N", "count:Q", "topics:N", "left:Q +.4f", "right:Q +.4f"],
        ),
        chart(mark("rule", color=INK, strokeWidth=1), data=pl.DataFrame({"at": [0.0]}), x=at),
        chart(mark("rule", color=INK, strokeDash=[3, 3], strokeWidth=1), data=margins, x=at),
        width=width, height=height, title=panel_title(shortened(row["run"], width // 8), width, *below),
    )  # fmt: skip


def _risked(row: dict[str, Any]) -> str:
    return f"URisk {row['urisk']:+z.4f}" + ("" if row["trisk"] is None else f", TRisk {row['trisk']:+z.2f}")


def _hurt(row: dict[str, Any], rows: pl.DataFrame, margin: float) -> str:
    topic, least = rows.select("topic", "difference").row(0)  # the largest loss is first
    worst = f"; worst on topic {topic}, {least:+z.3f}" if row["losses"] else ""
    return (
        f"By {row['measure']} {row['run']} is better than {row['baseline']} on {row['wins']} of "
        f"{counted(rows.height, 'topic')}, equal on {row['ties']} and worse on {row['losses']}, "
        f"{row['hurt']} of them by more than {margin:g}{worst}; {_risked(row)}."
    )
