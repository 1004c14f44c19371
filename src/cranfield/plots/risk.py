"""How often, and how much, a run is worse than a baseline."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from cranfield.plots.few import said_of_three, shortened, three_of
from cranfield.plots.grammar import Spec, chart, concat, field, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, GUIDE, HALO, INK, JUDGED, UNJUDGED, named, panel_title
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted
from cranfield.plumbing.wording import named as listed
from cranfield.statistics.on_paper import EQUAL

MOST_RUNS = 6
"""So many histograms are read beside each other: of more runs, three."""
MOST_BARS = 30
HURT, WORSE, SAME, BETTER, HELPED = "hurt", "worse", "equal", "better", "helped"
KINDS = {HURT: COLOURS[1], WORSE: JUDGED[UNJUDGED], SAME: GUIDE, BETTER: COLOURS[5], HELPED: COLOURS[0]}
"""In greys, too, each of another lightness than its neighbour."""
FEWEST_BARS = 11
"""An axis holds so many at least, lest one bar is the whole figure."""
STACKED = (SAME, WORSE, HURT, BETTER, HELPED)
"""From below, where a bar has several."""


@plot(of="risk")
def risk(runs: pl.DataFrame, topics: pl.DataFrame, settings: pl.DataFrame) -> Drawing:
    """How many topics does a run hurt against a baseline, and by how much?

    A histogram of the differences from the baseline, topic by topic: on the left of 0 the run is worse. Who loses more
    than the margin is hurt, who gains more is helped; all panels have the same scales.

    Paper: Wang, Bennett and Collins-Thompson (2012), "Robust ranking models via risk-sensitive optimization",
    SIGIR; Dinçer, Macdonald and Ounis (2014), "Hypothesis testing for the risk-sensitive evaluation of
    retrieval systems", SIGIR.
    """
    asked = dict(settings.iter_rows())
    margin, alpha = float(asked["margin"]), float(asked["alpha"])
    baseline, measures = str(runs["baseline"][0]), runs["measure"].unique(maintain_order=True).to_list()
    others = runs.filter(measure=measures[0]).height
    places = three_of(others) if others > MOST_RUNS else list(range(others))
    found = [
        each
        for measure in measures
        for each in _histograms(runs.filter(measure=measure)[places], topics.filter(measure=measure), margin)
    ]
    highest = max(top for each in found for top in each.bars["to"])
    panels = [_panel(each, margin, highest, alone=len(found) == 1) for each in found]
    says = [
        f"Topics by their difference from {shortened(baseline)}; hurt and helped: by more than {margin:g} (dashed).",
        f"URisk: mean gain less {1 + alpha:g} times the mean loss; TRisk: the same in standard errors.",
        said_of_three(runs.filter(measure=measures[0])["urisk"].to_list(), "URisk") if others > MOST_RUNS else "",
    ]
    return Drawing(
        concat(*panels, columns=min(3, len(panels)), spacing=24),
        f"Topics hurt and helped against {shortened(baseline)}, by {', '.join(measures)}",
        " ".join(_described(each.row, each.topics, margin) for each in found),
        tuple(filter(None, says)),
    )


class _Histogram(NamedTuple):
    """One run: its row and its topics, the largest loss first; its bars, and how far the axis reaches."""

    row: dict[str, Any]
    topics: pl.DataFrame
    bars: pl.DataFrame
    reach: float


def _histograms(runs: pl.DataFrame, topics: pl.DataFrame, margin: float) -> Iterator[_Histogram]:
    """Give those of the runs by one measure, with bars of one width."""
    of_runs = [topics.filter(run=run) for run in runs["run"]]
    largest = max(abs(end) for rows in of_runs for end in rows["difference"])
    step = _step(largest, margin)
    reach = step * max(FEWEST_BARS / 2, math.floor(largest / step + 0.5) + 0.5)
    for row, rows in zip(runs.iter_rows(named=True), of_runs, strict=True):
        yield _Histogram(row, rows, _stacked(rows, margin, step), reach)


def _step(largest: float, margin: float) -> float:
    """Return how wide a bar is: 1, 2 or 5 times a power of ten, so that there are no more than `MOST_BARS`.

    >>> _step(0.6, 0.1), _step(0.0, 0.1), _step(800, 0.1)
    (0.05, 0.1, 100.0)
    """
    least = 2 * largest / MOST_BARS or margin or 1.0
    power = 10.0 ** math.floor(math.log10(least) + 1e-9)
    return next(float(f"{times * power:.6g}") for times in (1, 2, 5, 10) if times * power >= least * (1 - 1e-9))


def _stacked(rows: pl.DataFrame, margin: float, step: float) -> pl.DataFrame:
    """Count the topics of each bar and kind: columns kind, count, topics, left, right, bottom, to.

    Bars stand around the multiples of the step, so that equal topics stand in the middle.
    """
    d = pl.col("difference")
    kind = (
        pl.when(d < -margin - EQUAL).then(pl.lit(HURT)).when(d > margin + EQUAL).then(pl.lit(HELPED))
        .when(d <= -EQUAL).then(pl.lit(WORSE)).when(d >= EQUAL).then(pl.lit(BETTER)).otherwise(pl.lit(SAME))
    )  # fmt: skip
    place = (d / step).round(9).round(0, "half_away_from_zero").cast(pl.Int64)
    found = rows.with_columns(place=place, kind=kind).group_by("place", "kind", maintain_order=True).agg(
        count=pl.len(), topics="topic"
    )  # fmt: skip
    order = pl.col("kind").replace_strict({name: i for i, name in enumerate(STACKED)}, return_dtype=pl.Int64)
    found = found.sort("place", order).with_columns(to=pl.col("count").cum_sum().over("place"))
    return found.select(
        "kind",
        "count",
        "to",
        pl.col("topics").map_elements(lambda names: listed(names.to_list()), return_dtype=pl.String),
        left=(pl.col("place") - 0.5) * step,
        right=(pl.col("place") + 0.5) * step,
        bottom=pl.col("to") - pl.col("count"),
    )


def _panel(found: _Histogram, margin: float, highest: int, *, alone: bool) -> Spec:
    row, reach = found.row, found.reach
    width, height = (520, 260) if alone else (320, 180)
    x = {"title": f"difference by {row['measure']}", "scale": {"domain": [-reach, reach], "nice": False}}
    y = {"title": "topics", "scale": {"domain": [0, highest], "nice": True}, "axis": {"tickMinStep": 1, "format": "d"}}
    legend = {"orient": "bottom", "direction": "horizontal", "symbolType": "square", "symbolStrokeWidth": 0}
    rows = chart(
        mark("rect", stroke=HALO, strokeWidth=1),
        data=found.bars,
        x=field("left:Q", **x),
        x2="right",
        y=field("bottom:Q", **y),
        y2="to",
        color=field("kind:N", title=None, scale=named(KINDS, KINDS.values()), legend=legend),
        tooltip=["kind:N", "count:Q", "topics:N", field("left:Q", format="+.4f"), field("right:Q", format="+.4f")],
    )
    margins = pl.DataFrame({"at": [-margin, margin] if 0 < margin < reach else [0.0]})
    zero = chart(mark("rule", color=INK, strokeWidth=1), data=pl.DataFrame({"at": [0.0]}), x=field("at:Q", **x))
    dashed = chart(mark("rule", color=INK, strokeDash=[3, 3], strokeWidth=1), data=margins, x=field("at:Q", **x))
    trisk = "" if row["trisk"] is None else f", TRisk {row['trisk']:+.2f}"
    below = (
        f"better {row['wins']} ({row['helped']} helped), equal {row['ties']}, "
        f"worse {row['losses']} ({row['hurt']} hurt)",
        f"URisk {row['urisk']:+.4f}{trisk}",
    )
    return layer(
        rows,
        zero,
        dashed,
        width=width,
        height=height,
        title=panel_title(shortened(row["run"], width // 8), width, *below),
    )


def _described(row: dict[str, Any], rows: pl.DataFrame, margin: float) -> str:
    trisk = "" if row["trisk"] is None else f", TRisk {row['trisk']:+.2f}"
    topic, least = rows.select("topic", "difference").row(0)  # the largest loss is first
    worst = f"; worst on topic {topic}, {least:+.3f}" if row["losses"] else ""
    return (
        f"By {row['measure']} {row['run']} is better than {row['baseline']} on {row['wins']} of "
        f"{counted(rows.height, 'topic')}, equal on {row['ties']} and worse on {row['losses']}, "
        f"{row['hurt']} of them by more than {margin:g}{worst}; URisk {row['urisk']:+.4f}{trisk}."
    )
