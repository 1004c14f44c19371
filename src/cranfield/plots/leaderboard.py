"""The runs by their mean, with how far the mean depends on the topics."""

from __future__ import annotations

from cranfield.plots.grammar import Spec, chart, concat, field, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, JUDGED, UNJUDGED
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

MOST_RUNS = 40
"""More rows than that do not fit on a page."""
FEW_TOPICS = 50
"""Of fewer, scores are too skew for Student's t: see the page on calibration."""


@plot(of="scores", measures=("AP",))
def leaderboard(intervals: pl.DataFrame) -> Drawing:
    """Which run is best on average, and how sure is that?

    A point is a run's mean over the topics, the line through it the 95% confidence interval of
    Student's t. Two runs whose intervals overlap may still differ, topic by topic: `compare` tests
    that. Where bounds are known, the broad bar behind spans what the mean could be, had the unjudged
    documents been judged.
    """
    parts = intervals.partition_by("measure", maintain_order=True)
    shown = [part.head(MOST_RUNS) for part in parts]
    runs, measures = parts[0].height, [str(part["measure"][0]) for part in parts]
    says = ["Mean over topics and its 95% confidence interval (Student's t); the best run first."]
    if intervals["low"].null_count():
        says[0] = "Mean over topics, the best run first; one topic alone has no confidence interval."
    elif min(intervals["topics"]) < FEW_TOPICS:
        says.append(f"Of fewer than {FEW_TOPICS} topics, 86 to 95 of 100 such intervals of real runs held the mean.")
    if "least" in intervals.columns:
        says.append("The broad bar spans what the mean could be, had all been judged.")
    if runs > MOST_RUNS:
        says.append(f"The best {MOST_RUNS} of {runs} runs.")
    charts = [_panel(part, measure) for part, measure in zip(shown, measures, strict=True)]
    return Drawing(
        charts[0] if len(charts) == 1 else concat(*charts, columns=3, spacing=24),
        f"Leaderboard by {', '.join(measures)}",
        " ".join(map(_described, parts)),
        tuple(says),
    )


def _panel(rows: pl.DataFrame, measure: str) -> Spec:
    tips = [field(f"{name}:Q", format=".4f") for name in ("mean", "low", "high")]
    of_run = {
        "y": field("run:N", sort=rows["run"].to_list(), title=None),
        "tooltip": ["run:N", *tips, "topics:Q"],
    }
    low = field("low:Q", title=measure, scale={"zero": False, "nice": True})
    bars = mark("rule", strokeWidth=2, color=COLOURS[5])
    points = mark("point", filled=True, size=45, color=COLOURS[0], opacity=1)
    layers = [
        chart(bars, **of_run, where=["isValid(datum.low)"], x=low, x2="high"),
        chart(points, **of_run, x="mean:Q"),
    ]
    if "least" in rows.columns:
        least = field("least:Q", title=measure, scale={"zero": False})
        layers.insert(0, chart(mark("bar", height=9, color=JUDGED[UNJUDGED]), **of_run, x=least, x2="most"))
    return layer(*layers, data=rows.drop("measure"), width=300, height={"step": 16})


def _described(rows: pl.DataFrame) -> str:
    best, worst = rows.row(0, named=True), rows.row(-1, named=True)
    sure = "" if best["low"] is None else f" (from {best['low']:.3f} to {best['high']:.3f})"
    if "least" in best:
        sure += f" (had all been judged from {best['least']:.3f} to {best['most']:.3f})"
    if rows.height == 1:
        return f"The {best['measure']} of {best['run']} is {best['mean']:.3f}{sure}."
    return (
        f"By {best['measure']} the best of {counted(rows.height, 'run')} is {best['run']} with "
        f"{best['mean']:.3f}{sure}, the last {worst['run']} with {worst['mean']:.3f}."
    )
