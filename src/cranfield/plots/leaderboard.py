"""The runs by their mean, which of them cannot be told from the best, and between which ranks each lies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from cranfield.plots.certain_and_open import FEW_RANKS
from cranfield.plots.few import ends_told
from cranfield.plots.grammar import Spec, chart, dot, field, grid, layer, mark, when
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, GUIDE, HALO, JUDGED, UNJUDGED
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.wording import confidence, counted, holm_over
from cranfield.statistics.intervals import clause

_MOST_RUNS: Final = 40  # More rows than that do not fit on a page
_WIDTH: Final = 300  # Points from end to end of the axis
_LARGE_MEAN: Final = 100  # Means from there on have one decimal
_ALIKE: Final = Scope().on_others().alike


@plot(of="scores", measures=("AP",))
def leaderboard(intervals: pl.DataFrame, behind: pl.DataFrame, *, rows: int = _MOST_RUNS) -> Drawing:
    """Which run is best on average, and which cannot be told from it?

    A dot is a run's mean over the topics. It is hollow for the best run, whose mean is the vertical line, and for those
    that are not significantly worse. The line through a dot is an interval of the paired difference from the best: it
    reaches the vertical line where the dot is hollow. The test corrects for all pairs of runs, since the best run is
    only known afterwards. Where bounds are known, the broad bar behind spans what the mean could be once the unjudged
    documents are judged.

    For a single run, the line is the 95% confidence interval of its mean.
    """
    tested = behind["below"].null_count() == 0
    apart = behind.drop("best")
    joined = intervals.join(apart, on=["measure", "run"], how="left", maintain_order="left", suffix="_apart")
    parts = {str(part["measure"][0]): part for part in joined.partition_by("measure", maintain_order=True)}
    runs = next(iter(parts.values())).height
    charts = [_panel(part.head(rows), measure, tested=tested) for measure, part in parts.items()]
    bounded = (
        f"Broad bar: what the run's own mean could be, {Scope().graded().whatever}. Bars may overlap where ranks are "
        "certain, since runs share unjudged documents."
    )
    clustered = "clusters" in behind.columns
    says = _paired(parts.values(), runs, clustered=clustered) if tested else _unpaired(intervals, runs)
    return Drawing(
        grid(charts, columns=3, spacing=24),
        f"Leaderboard by {', '.join(parts)}",
        " ".join(_described(part, tested=tested) for part in parts.values()),
        *says,
        bounded if "least" in intervals.columns else "",
        _first_of(runs, rows),
    )


def _first_of(runs: int, most: int = _MOST_RUNS) -> str:
    """Say that only the best of the runs are shown, where they are many."""
    return f"The best {most} of {runs} runs." if runs > most else ""


def _decimals(rows: pl.DataFrame) -> str:
    """Return how means are written: large ones have one decimal."""
    return ".4f" if rows["mean"].abs().to_numpy().max() < _LARGE_MEAN else ",.1f"


def _paired(parts: Iterable[pl.DataFrame], runs: int, *, clustered: bool) -> Sequence[str]:
    levels = [confidence(part["level"][0]) for part in parts]
    robust = "cluster-robust " * clustered
    return (
        f"Mean over topics, the best run first. Hollow: the best, and not significantly worse {_ALIKE} (two-sided "
        f"paired {robust}t-test{holm_over(runs * (runs - 1) // 2, 'pair of runs', 'pairs of runs')}, alpha = 0.05).",
        "Line: interval of the paired difference from the best, around the run's own mean "
        f"({' and '.join(dict.fromkeys(levels))}{' after correction' * (runs > 2)}).",
    )


def _unpaired(intervals: pl.DataFrame, runs: int) -> Sequence[str]:
    if intervals["low"].null_count():
        return ("Mean over topics, the best run first; one topic alone has no confidence interval.",)
    overlap = "Runs whose intervals overlap may still differ; where runs have different topics, nothing is tested."
    return (
        "Mean over topics and its 95% confidence interval (Student's t); the best run first.",
        clause("mean", min(intervals["topics"])),
        overlap if runs > 1 else "",
    )


def _panel(rows: pl.DataFrame, measure: str, *, tested: bool) -> Spec:
    best = float(rows["mean"][0])
    tips: list[Any] = ["mean:Q .4f"]
    if tested:
        names = {"difference": "difference from the best", "low_apart": "from", "high_apart": "to"}
        tips += [field(f"{name}:Q .4f", title=title) for name, title in names.items()]
        ends = {"left": pl.col("low_apart") + best, "right": pl.col("high_apart") + best}
        hollow = ~pl.col("below")
    else:
        tips += ["low:Q .4f", "high:Q .4f"]
        ends, hollow = {"left": pl.col("low"), "right": pl.col("high")}, pl.lit(value=False)
    rows = rows.drop("measure").with_columns(**ends, hollow=hollow)
    run = field("run:N", sort=rows["run"].to_list(), title=None)
    left = field("left:Q", title=measure, scale={"zero": False, "nice": True}, axis={"tickCount": 6})
    both = {"y": run, "tooltip": ["run:N", *tips, "topics:Q"]}
    lines, dots = mark("rule", strokeWidth=2, color=COLOURS[5]), dot(45, stroke=COLOURS[0], strokeWidth=1.6)
    layers = [
        chart(lines, where=["isValid(datum.left)"], x=left, x2="right", **both),
        chart(dots, x="mean:Q", y=run, fill=when("datum.hollow", HALO, COLOURS[0]), tooltip=both["tooltip"]),
        chart(mark("text", align="left", dx=8), x={"value": _WIDTH}, y=run, text=f"mean:Q {_decimals(rows)}"),
    ]
    if tested:
        upright = mark("rule", color=GUIDE, strokeWidth=1)
        layers.insert(0, chart(upright, data=pl.DataFrame({"mean": [best]}), x="mean:Q"))
    if "least" in rows.columns:
        bar = mark("bar", height=9, color=JUDGED[UNJUDGED])
        least = field("least:Q", title=measure, scale={"zero": False})
        layers.insert(0, chart(bar, x=least, x2="most", **both))
    return layer(*layers, data=rows, width=_WIDTH, height={"step": 16})


def _described(rows: pl.DataFrame, *, tested: bool) -> str:
    best, worst = rows.row(0, named=True), rows.row(-1, named=True)
    sure = ""
    if "least" in best:
        sure = f" (from {best['least']:.3f} to {best['most']:.3f} once all are judged)"
    elif not tested and best["low"] is not None:
        sure = f" (from {best['low']:.3f} to {best['high']:.3f})"
    if rows.height == 1:
        return f"The {best['measure']} of {best['run']} is {best['mean']:.3f}{sure}."
    first, last = ends_told(rows["run"].to_list(), rows["mean"].to_list())
    said = (
        f"By {best['measure']}, the best of {counted(rows.height, 'run')} {first}, with {best['mean']:.3f}{sure}, and "
        f"the last {last}, with {worst['mean']:.3f}"
    )
    if not tested:
        return f"{said}."
    others, worse = rows.height - 1, int(rows["below"].sum())
    which = f"{counted(others - worse, 'run is', 'runs are')} not"
    if worse in {0, others}:
        which = ("all others are" if others > 1 else "the other is") if worse else "no other is"
    return f"{said}; {which} significantly worse than the best {_ALIKE}."


@plot(of="leaderboard", measures=("nDCG@10",))
def rank_intervals(ranks: pl.DataFrame) -> Drawing:
    """Between which ranks does each run lie?

    The line is the interval of a run's rank, for all runs at once; the dot is its rank by the mean, which is printed on
    the right. The dot is hollow where the run may lead: no run is significantly better.

    Paper: Mogstad, Romano, Shaikh and Wilhelm (2024), "Inference for ranks with applications to mobility across
    neighbourhoods and academic achievement across countries", Review of Economic Studies 91(1).
    """
    parts = {str(part["measure"][0]): part for part in ranks.partition_by("measure", maintain_order=True)}
    runs = next(iter(parts.values())).height
    return Drawing(
        grid([_ranks(part.head(_MOST_RUNS), measure, runs) for measure, part in parts.items()], columns=3, spacing=24),
        f"Ranks by {', '.join(parts)}",
        " ".join(_ranked(part, measure) for measure, part in parts.items()),
        "Line: interval of the rank, all runs at once. Dot: rank by the mean. Hollow: may lead, as no run is "
        "significantly better.",
        _first_of(runs),
    )


def _ranks(rows: pl.DataFrame, measure: str, runs: int) -> Spec:
    rows = rows.drop("measure")
    run = field("run:N", sort=rows["run"].to_list(), title=None)
    tips = ["run:N", "mean:Q .4f", "rank:Q", field("rank_from:Q", title="from"), field("rank_to:Q", title="to")]
    both = {"y": run, "tooltip": tips}
    scale = {"domain": [0.5, max(runs, 2) + 0.5], "nice": False}
    ticks = {"values": list(range(1, runs + 1))} if runs <= FEW_RANKS else {"tickCount": 6}
    left = field("rank_from:Q", title=f"rank by {measure}", scale=scale, axis={"format": "d", **ticks})
    lines, dots = mark("rule", strokeWidth=2, color=COLOURS[5]), dot(45, stroke=COLOURS[0], strokeWidth=1.6)
    layers = [
        chart(lines, x=left, x2="rank_to", **both),
        chart(dots, x="rank:Q", fill=when("datum.may_lead", HALO, COLOURS[0]), **both),
        chart(mark("text", align="left", dx=8), x={"value": _WIDTH}, y=run, text=f"mean:Q {_decimals(rows)}"),
    ]
    return layer(*layers, data=rows, width=_WIDTH, height={"step": 16})


def _ranked(rows: pl.DataFrame, measure: str) -> str:
    first, may = rows.row(0, named=True), int(rows["may_lead"].sum())
    if rows.height == 1:
        return f"The {measure} of {first['run']} is {first['mean']:.3f}."
    lead = "leads" if may == 1 else f"is first of {may} that may lead"
    return (
        f"By {measure} {first['run']} {lead} {_ALIKE}, of {counted(rows.height, 'run')}, with "
        f"a mean of {first['mean']:.3f} and a rank from {first['rank_from']} to {first['rank_to']}."
    )
