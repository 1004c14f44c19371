"""How often, and how much, a run is worse than a baseline."""

from __future__ import annotations

import math
from typing import Any

from cranfield.plots.few import few_of, said_of
from cranfield.plots.grammar import Spec, chart, concat, field, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, INK, named, panel_title
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, shortened
from cranfield.plumbing.wording import named as listed
from cranfield.statistics.on_paper import EQUAL

MOST_RUNS = 6
"""So many histograms are read beside each other: of more runs, three."""
MOST_BARS = 30
HURT, WORSE, SAME, BETTER, HELPED = "hurt", "worse", "equal", "better", "helped"
KINDS = {HURT: COLOURS[1], WORSE: "#F3C98B", SAME: "#5b6270", BETTER: COLOURS[5], HELPED: COLOURS[0]}
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
    parts = [(runs.filter(measure=measure), topics.filter(measure=measure)) for measure in measures]
    others = parts[0][0].height
    places = few_of(others, 3) if others > MOST_RUNS else list(range(others))
    steps = {measure: _step(float(rows["difference"].abs().max() or 0), margin)  # type: ignore[arg-type]
             for measure, (_, rows) in zip(measures, parts, strict=True)}  # fmt: skip
    shown = [row for of_measure, _ in parts for row in of_measure[places].iter_rows(named=True)]
    stacks = [_stacked(topics.filter(measure=row["measure"], run=row["run"]), margin, steps[row["measure"]])
              for row in shown]  # fmt: skip
    highest = max(max(bars["to"]) for bars in stacks)
    reach = {
        measure: max(
            FEWEST_BARS / 2 * steps[measure],
            *(max(bars["right"].max(), -bars["left"].min())  # type: ignore[operator, type-var]
              for row, bars in zip(shown, stacks, strict=True) if row["measure"] == measure),
        )
        for measure in measures
    }  # fmt: skip
    panels = [
        _panel(row, bars, margin, reach[row["measure"]], highest, alone=len(shown) == 1)
        for row, bars in zip(shown, stacks, strict=True)
    ]
    says = [
        f"Topics by their difference from {shortened(baseline)}; hurt and helped: by more than {margin:g} (dashed).",
        f"URisk: mean gain less {1 + alpha:g} times the mean loss; TRisk: the same in standard errors.",
        said_of(others, 3, "URisk") if others > MOST_RUNS else "",
    ]
    return Drawing(
        concat(*panels, columns=min(3, len(panels)), spacing=24),
        f"Topics hurt and helped against {shortened(baseline)}, by {', '.join(measures)}",
        " ".join(_described(row, margin) for row in shown),
        tuple(filter(None, says)),
    )


def _step(largest: float, margin: float) -> float:
    """Return how wide a bar is: 1, 2 or 5 times a power of ten, so that there are no more than `MOST_BARS`.

    >>> _step(0.6, 0.1), _step(0.0, 0.1), _step(800, 0.1)
    (0.05, 0.1, 100.0)
    """
    least = 2 * largest / MOST_BARS or margin or 1.0
    power = 10.0 ** math.floor(math.log10(least) + 1e-9)
    return next(float(f"{times * power:.6g}") for times in (1, 2, 5, 10) if times * power >= least * (1 - 1e-9))


def _stacked(rows: pl.DataFrame, margin: float, step: float) -> pl.DataFrame:
    """Count the topics of each bar and kind: columns left, right, kind, from, to, count, topics.

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


def _panel(row: dict[str, Any], bars: pl.DataFrame, margin: float, reach: float, highest: int, *, alone: bool) -> Spec:
    width, height = (520, 260) if alone else (320, 180)
    x = {"title": f"difference by {row['measure']}", "scale": {"domain": [-reach, reach], "nice": False}}
    y = {"title": "topics", "scale": {"domain": [0, highest], "nice": True}, "axis": {"tickMinStep": 1, "format": "d"}}
    legend = {"orient": "bottom", "direction": "horizontal", "symbolType": "square", "symbolStrokeWidth": 0}
    rows = chart(
        mark("rect", stroke="#ffffff", strokeWidth=1),
        data=bars,
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
    return layer(rows, zero, dashed, width=width, height=height, title=panel_title(row["run"], width, *below))


def _described(row: dict[str, Any], margin: float) -> str:
    trisk = "" if row["trisk"] is None else f", TRisk {row['trisk']:+.2f}"
    worst = "" if row["worst_topic"] is None else f"; worst on topic {row['worst_topic']}, {row['worst']:+.3f}"
    return (
        f"By {row['measure']} {row['run']} is better than {row['baseline']} on {row['wins']} of "
        f"{counted(row['topics'], 'topic')}, equal on {row['ties']} and worse on {row['losses']}, "
        f"{row['hurt']} of them by more than {margin:g}{worst}; URisk {row['urisk']:+.4f}{trisk}."
    )
