"""Precision over recall, and beside it the runs against the median: the sheet of TREC's appendix."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cranfield.plots.against_median import Placed, read
from cranfield.plots.axes import least_and_most
from cranfield.plots.few import labels_of, shortened, three_of
from cranfield.plots.grammar import Spec, chart, field, hconcat, independent, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, QUIET, STROKES, dashes, named
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

LEVELS = tuple(f"IPrec@{level / 10:g}" for level in range(11))
"""The eleven points."""
MOST_RUNS = 6
"""More lines than these cannot be told apart: of more runs three have a colour, the others are grey."""
_LEVEL = re.compile(r"IPrec(?:\(.*\))?@([\d.]+)$")


@plot(of="scores", measures=(*LEVELS, "AP"))
def recall_precision(
    means: pl.DataFrame, per_topic: pl.DataFrame, intervals: pl.DataFrame, *, run: str | None = None
) -> Drawing:
    """How precise are runs at each level of recall, and on which topics are they above the median?

    On the left, precision at eleven levels of recall, interpolated (the highest precision at that recall or
    beyond) and averaged over the topics. On the right, AP of each run less the median of all runs, topic by
    topic; see the figure `against-median`. Of a run that is asked for it is the sheet: its curve among those of all
    others.

    Paper: the sheets of results in the appendix of each TREC's proceedings, NIST; van Rijsbergen (1979),
    "Information retrieval", chapter 7, for the interpolation.
    """
    levels = {name: float(found[1]) for name in means["measure"].unique() if (found := _LEVEL.search(name))}
    every = Placed.by_measure(per_topic, intervals, run)
    others = [each for each in every if not _LEVEL.search(each.measure)]
    if len(levels) < 2:
        raise InputError(
            "recall-precision is drawn from IPrec at several levels of recall; name no measures, or IPrec@0, IPrec@0.5 "
            "and so on, and behind them the one by which runs are compared with the median"
        )
    rows = means.filter(pl.col("measure").is_in(list(levels)))
    rows = rows.select("run", "value", recall=pl.col("measure").replace_strict(levels, return_dtype=pl.Float64))
    standing = (others or every)[0]
    by, run = standing.measure, standing.run
    runs = standing.names
    coloured = [runs[place] for place in (range(len(runs)) if len(runs) <= MOST_RUNS else three_of(len(runs)))]
    coloured = coloured if run is None else [run]
    short = labels_of(runs, 44)
    curves = _curves(rows.sort("recall").with_columns(pl.col("run").replace(short)), [short[run] for run in coloured])
    says = [f"Interpolated precision, mean over topics{'; in grey all other runs' * (len(coloured) < len(runs))}."]
    if others:
        says += [*read(len(runs), standing.topics), standing.said()]
    shades = dict(zip(coloured, COLOURS, strict=False))
    sheet = hconcat(curves, standing.panels(shades), spacing=36, resolve=independent("color", "strokeDash"))
    return Drawing(
        sheet if others else curves,
        f"Recall and precision of {shortened(run, 44) if run is not None else counted(len(runs), 'run')}"
        + (f", and {by} against the median" if others and len(runs) > 1 else f", and {by} by topic" if others else ""),
        " ".join(filter(None, [_described(rows, coloured), standing.described() if others else ""])),
        tuple(filter(None, says)),
    )


def _curves(rows: pl.DataFrame, coloured: Sequence[str]) -> Spec:
    x = field("recall:Q", title="recall", scale={"domain": [0, 1], "nice": False}, axis={"labelFlush": False})
    y = field("value:Q", title="interpolated precision", scale={"domain": [0, 1], "nice": False})
    shades = field("run:N", title=None, scale=named(coloured, COLOURS[: len(coloured)]), legend=BELOW)
    strokes = field("run:N", title=None, scale=dashes(coloured), legend=BELOW)
    inked = rows.filter(pl.col("run").is_in(coloured))
    lines = [chart(mark("line"), data=inked, x=x, y=y, color=shades, strokeDash=strokes)]
    tips = ["run:N", field("recall:Q", format=".1f"), field("value:Q", format=".4f", title="precision")]
    points = mark("point", filled=True, size=26, opacity=1)
    lines.append(chart(points, data=inked, x=x, y=y, color=shades, tooltip=tips))
    quiet = rows.filter(~pl.col("run").is_in(coloured))
    if quiet.height:
        grey = mark("line", color=QUIET, strokeWidth=1, opacity=0.7)
        lines.insert(0, chart(grey, data=quiet, x=x, y=y, detail="run:N"))
    return layer(*lines, width=360, height=360)


BELOW = {**STROKES, "orient": "bottom", "direction": "vertical", "columns": 1}
"""The names of the runs stand below the curves, one below the other, however long they are."""


def _described(rows: pl.DataFrame, runs: Sequence[str]) -> str:
    first, last = least_and_most(rows["recall"])
    ends = {(run, at): value for run, value, at in rows.iter_rows()}
    said = ", ".join(f"{run} {ends[run, first]:.3f} and {ends[run, last]:.3f}" for run in runs)
    return f"Interpolated precision at recall {first:g} and {last:g}: {said}."
