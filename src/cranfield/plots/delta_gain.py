"""Gain with losses, and where it is lost."""

from __future__ import annotations

from cranfield.plots.grammar import Spec, layer
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import DASHES, INK
from cranfield.plots.walks import (
    HEIGHT,
    PLACED,
    STATES,
    Kinds,
    Line,
    Walked,
    below,
    by_sign,
    curves,
    drawn,
    ends,
    is_mean,
    own_lines,
    panels_of,
    points,
    strip,
    strips_of,
    thinned,
    within,
)  # fmt: skip
from cranfield.plumbing.lazy import pl

IDEAL = Line("gain_ideal", "ideal list", INK, DASHES[0])
GAINED = Kinds(
    dict(zip(("more", "as much", "less"), PLACED.colours.values(), strict=True)),
    {"more": "more", "as_much": "as much", "less": "less"},
)
"""Than the document of the ideal list at that rank; in the colours of what comes too late, right and too early."""


@plot(of="trace", measures=("DCG(gains={-1:-1,0:-1},base=2)",))
def delta_gain(
    ranks: pl.DataFrame, marks: pl.DataFrame, intervals: pl.DataFrame, *, last_rank: int | None = None
) -> Drawing:
    """At which ranks is gain lost against the ideal list?

    The measure of gain at every rank, of the run and of the ideal list; by default DCG with the
    gains -1, 1, 2 and 3, so that what is judged not relevant costs something. Below it Δgain: does
    the document at that rank gain more than the one that the ideal list has there (it comes too
    late), as much, or less (a better one belongs there)? And is it relevant, judged not relevant,
    or unjudged, which gains nothing? Two lists share a panel, more have one each with the same axes;
    the ranks end as in the figure of CRP. Of several topics all are averages.

    Paper: Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation",
    CLEF, Figure 2b.
    """
    measure, mean = str(ranks["measure"][0]), is_mean(ranks)
    final = ranks.group_by("run", maintain_order=True).agg(value=pl.col("gain").last())
    walked = drawn(ranks, intervals, final, f"{measure} at rank {int(ranks['rank'][-1])}", last_rank)
    says = [*walked.says]
    if mean:
        says.append("Means over the topics; below them at how many the document gains more, as much or less.")
    return Drawing(
        panels_of(walked, lambda each: _panel(each, marks)),
        f"{measure} by rank, and Δgain" + ("" if mean else f", topic {ranks['topic'][0]}"),
        " ".join(map(_described, walked.whole)),
        tuple(says),
    )


def _panel(walked: Walked, marks: pl.DataFrame) -> Spec:
    low, high = walked.limits("gain", "gain")
    [rows, *_], top = walked.parts, max(float(each["gain_ideal"].max()) for each in walked.parts)  # type: ignore[arg-type]
    limits = low, max(high, top * 1.08)
    at = None if is_mean(rows) else points(walked, marks, ("R",), None)
    beside = [(thinned(rows), IDEAL)]
    lines = curves(
        [*own_lines(walked, "gain"), *beside],
        str(rows["measure"][0]).partition("(")[0],
        limits,
        rows_of_names=at.rows if at else 0,
    )
    above = layer(
        lines, *([at.spec] if at else []), *ends(walked, "gain", limits), width=walked.width, height=HEIGHT
    )  # fmt: skip
    strips = strips_of(walked, lambda rows, title: _strips(rows, walked.width, title))
    return below(above, strips, walked.labels[0] if len(walked.labels) == 1 else "")


def _strips(rows: pl.DataFrame, width: int, title: str | None) -> list[Spec]:
    gained = strip(rows, GAINED, within(by_sign("delta_gain", GAINED), "delta_gain"), width)
    return [gained, strip(rows, STATES, pl.col("state"), width, title=title, documents=True)]


def _described(rows: pl.DataFrame) -> str:
    last, least = rows.row(-1, named=True), rows.row(rows["delta_gain"].arg_min(), named=True)
    return (
        f"{rows['run'][0]} has {last['gain']:.2f} at rank {last['rank']}, the ideal list {last['gain_ideal']:.2f}; "
        f"most is lost at rank {least['rank']}, where Δgain is {least['delta_gain']:.2f}."
    )
