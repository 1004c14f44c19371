"""Gain with losses, and where it is lost."""

from __future__ import annotations

from cranfield.plots.grammar import Spec, layer
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, DASHES, INK
from cranfield.plots.walks import (
    HEIGHT,
    PLACED,
    STATES,
    Kinds,
    Line,
    below,
    by_sign,
    curves,
    drawn,
    is_mean,
    side_by_side,
    strip,
    thinned,
    width_of,
)  # fmt: skip
from cranfield.plumbing.lazy import pl

OF_RUN = Line("gain", "run", COLOURS[0], DASHES[0])
IDEAL = Line("gain_ideal", "ideal list", INK, DASHES[0])
GAINED = Kinds(
    dict(zip(("more", "as much", "less"), PLACED.colours.values(), strict=True)),
    {"more": "more", "as_much": "as much", "less": "less"},
)
"""Than the document of the ideal list at that rank; in the colours of what comes too late, right and too early."""


@plot(of="trace", measures=("DCG(gains={-1:-1,0:-1},base=2)",))
def delta_gain(ranks: pl.DataFrame, intervals: pl.DataFrame) -> Drawing:
    """At which ranks is gain lost against the ideal list?

    The measure of gain at every rank, of the run and of the ideal list; by default DCG with the
    gains -1, 1, 2 and 3, so that what is judged not relevant costs something. Below it Δgain: does
    the document at that rank gain more than the one that the ideal list has there (it comes too
    late), as much, or less (a better one belongs there)? And is it relevant, judged not relevant,
    or unjudged, which gains nothing? Of several topics all are averages.

    Paper: Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation",
    CLEF, Figure 2b.
    """
    parts, says = drawn(ranks, intervals)
    width, mean = width_of(len(parts)), is_mean(ranks)
    if mean:
        says.append("Means over the topics; below them at how many the document gains more, as much or less.")
    return Drawing(
        side_by_side([_panel(rows, width) for rows in map(thinned, parts)]),
        f"{ranks['measure'][0]} by rank, and Δgain" + ("" if mean else f", topic {ranks['topic'][0]}"),
        " ".join(map(_described, parts)),
        tuple(says),
    )


def _panel(rows: pl.DataFrame, width: int) -> Spec:
    columns = rows.select("gain", "gain_ideal")
    low, high = min(0.0, *columns.min().row(0)), max(*columns.max().row(0))
    lines = curves(rows, (OF_RUN, IDEAL), str(rows["measure"][0]), (low * 1.05, high * 1.05 or 1.0))
    above = layer(lines, width=width, height=HEIGHT)
    gained = strip(rows, GAINED, by_sign("delta_gain", GAINED), width)
    judged = strip(rows, STATES, pl.col("state"), width, title="rank", documents=True)
    return below(above, (gained, judged), rows["run"][0])


def _described(rows: pl.DataFrame) -> str:
    last, least = rows.row(-1, named=True), rows.row(rows["delta_gain"].arg_min(), named=True)
    return (
        f"{rows['run'][0]} has {last['gain']:.2f} at rank {last['rank']}, the ideal list {last['gain_ideal']:.2f}; "
        f"most is lost at rank {least['rank']}, where Δgain is {least['delta_gain']:.2f}."
    )
