"""What a run's scores say of its documents, and where one would cut."""

from __future__ import annotations

from typing import Any

from cranfield.plots.grammar import Spec, chart, concat, field, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import DASHES, INK, JUDGED, NOT_RELEVANT, RELEVANT, STROKES, UNJUDGED, named
from cranfield.plumbing.lazy import pl

MOST_RUNS = 9
"""More panels than that are too small, or too many for a page."""


@plot(of="score-distributions")
def score_distributions(histogram: pl.DataFrame, cuts: pl.DataFrame) -> Drawing:
    """Do a run's scores tell relevant documents from the others, and where would one cut?

    The scores of each list go from its lowest (0) to its highest (1). A step is the share of the
    relevant documents (whole line), of those judged not relevant (dashed) or of the unjudged ones
    (dotted, filled) that have such scores. The vertical line is the score at which all lists of the run
    would best have ended, in hindsight.
    """
    measure = cuts["measure"][0]
    best = cuts.sort("cut", descending=True, nulls_last=True, maintain_order=True)
    shown = best.head(MOST_RUNS).rows(named=True)
    count = {
        (row["run"], row["state"]): row["documents"]
        for row in histogram.group_by("run", "state").agg(pl.col("documents").sum()).iter_rows(named=True)
    }
    charts = [_panel(histogram.filter(run=row["run"]), row, count, alone=len(shown) == 1) for row in shown]
    says = [f"The vertical line: where all lists of a run would best have ended by {measure}, in hindsight."]
    if cuts.height > MOST_RUNS:
        says.append(f"The {MOST_RUNS} of {cuts.height} runs that are best then.")
    return Drawing(
        charts[0] if len(charts) == 1 else concat(*charts, columns=3, spacing=22),
        "Scores of documents that are relevant, not relevant, and unjudged",
        " ".join(map(_described, shown)),
        tuple(says),
    )


def _panel(rows: pl.DataFrame, cut: dict[str, Any], count: dict[tuple[str, str], int], *, alone: bool) -> Spec:
    width, height = (460, 260) if alone else (230, 140)
    states = [RELEVANT, NOT_RELEVANT, UNJUDGED]
    # Steps need a last point, where the last part ends.
    last = rows.group_by("state", maintain_order=True).last().with_columns(low=pl.col("high"))
    steps = pl.concat([rows, last.select(rows.columns)]).drop_nulls("share")
    place = {
        "x": field("low:Q", title="score, from the lowest to the highest of the list", scale={"domain": [0, 1]}),
        "y": field(
            "share:Q",
            title="share of its kind (√ scale)",
            axis={"format": "%", "values": [0, 0.01, 0.05, 0.2, 0.5, 1]},
            scale={"type": "sqrt", "domain": [0, 1]},
            stack=False,
        ),
    }
    shades = named(states, (JUDGED[state] for state in states))
    kind = {"data": steps, **place, "color": field("state:N", title=None, scale=shades, legend=STROKES)}
    dash = field("state:N", title=None, scale=named(states, DASHES[:3]), legend=STROKES)
    area = mark("area", interpolate="step-after", opacity=0.5)
    tips = [
        "state:N",
        *(field(f"{end}:Q", format=".2f") for end in ("low", "high")),
        "documents:Q",
        field("share:Q", format=".1%"),
    ]
    felt = {"data": rows.drop_nulls("share"), **place, "x2": "high", "y2": {"value": height}, "tooltip": tips}
    layers = [
        chart(area, **kind, where=[f"datum.state == '{UNJUDGED}'"]),
        chart(mark("line", interpolate="step-after"), **kind, strokeDash=dash),
        chart(mark("rect", opacity=0), **felt),
    ]
    if cut["threshold"] is not None:
        here = pl.DataFrame({"low": [cut["threshold"]]})
        layers.append(chart(mark("rule", color=INK, strokeWidth=2), data=here, x="low:Q"))
    numbers = ", ".join(f"{count[cut['run'], state]:,}" for state in states)
    below = [_where(cut), f"documents by kind: {numbers}"]
    title = {"text": cut["run"], "subtitle": below, "fontSize": 12, "subtitleFontSize": 10, "offset": 6}
    return layer(*layers, width=width, height=height, title=title)


def _where(cut: dict[str, Any]) -> str:
    where = "empty" if cut["threshold"] is None else f"cut at {cut['threshold']:.2f}"
    return f"{where}: {cut['measure']} {cut['cut']:.3f}, whole {cut['whole']:.3f}"


def _described(cut: dict[str, Any]) -> str:
    apart = cut["separation"]
    said = f"{cut['run']}, {_where(cut)}, {cut['length']:.1f} documents a list"
    return f"{said}." if apart is None else f"{said}; a relevant document scores higher in {apart:.0%} of the cases."
