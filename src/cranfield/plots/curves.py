"""A measure at every rank."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cranfield.plots.axes import ALONE, BESIDE, in_grey
from cranfield.plots.grammar import Spec, chart, field, grid, layer, mark, when
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, DASHES, FAINT, INK, STROKES, by_name, colours, dashes
from cranfield.plots.walks import MOST_RANKS
from cranfield.plumbing.lazy import pl

_FIRST: Final = 50  # Down to this rank every one is drawn: curves bend there


@plot(of="curves", measures=("nDCG",))
def curves(means: pl.DataFrame, distances: pl.DataFrame, beside: pl.DataFrame, *, topic: str | None = None) -> Drawing:
    """How does a measure grow down the list, and how far from the ideal list does each run stay?

    Each line is a run's mean over the topics at every rank; the black one is that of the ideal list. Its vertical
    distance from another is the difference in value after the same number of documents, its horizontal distance the
    number of further documents needed for the same value: pointing at a curve shows both. A dotted line marks the rank
    from which the ideal no longer rises. Several measures have a panel each; IPrec at several relevance levels gives
    the precision-recall curves by grade.

    Paper: Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques", TOIS
    20(4), Figures 1 to 4.
    """
    axis, measures = means.columns[2], means["measure"].unique(maintain_order=True).to_list()
    lists = beside["list"].unique(maintain_order=True).to_list()
    found = distances.select("measure", axis, "run", "reference", "below", "per_cent", "later")
    rows = means.drop("topic").join(found, on=["measure", axis, "run"], how="left", maintain_order="left")
    first = rows.filter(pl.col("measure") == measures[0], ~pl.col("run").is_in(lists))
    ends = _ends(first).sort("value", descending=True, maintain_order=True)
    coloured, others = ends["run"].head(len(COLOURS) - 1).to_list(), max(ends.height - len(COLOURS) + 1, 0)
    over = ", mean over topics" if topic is None else ""
    panel = _Panel(axis, coloured, lists, rows[axis].n_unique() == 1, over)
    size = ALONE if len(measures) == 1 else BESIDE
    levels = dict(beside.filter(list=lists[0]).select("measure", "levels_off").iter_rows())
    rows = rows.filter(_drawn(rows[axis]))
    parts = {measure: rows.filter(measure=measure) for measure in measures}
    charts = [layer(*panel.layers(part, levels[name], size["height"]), **size) for name, part in parts.items()]
    highest = f"whose {measures[0]} is highest" if len(measures) > 1 else "that are highest"
    which = f"In colour: the {len(coloured)} runs {highest} {_where(rows)}, the other {others} in grey."
    return Drawing(
        grid(charts, columns=2, spacing=24),
        f"{', '.join(measures)} at every {axis if axis == 'rank' else f'level of {axis}'}",
        " ".join(_described(part, [*coloured, lists[0]], levels[name], over) for name, part in parts.items()),
        which if others else "",
    )


@dataclass(frozen=True)
class _Panel:
    """What the panels of all measures have in common."""

    axis: str  # Rank, or recall
    coloured: Sequence[str]
    lists: Sequence[str]  # What stands next to the runs, the ideal first
    alone: bool  # Whether there is one rank, so that there are points and no lines
    over: str  # The words about the values

    def layers(self, rows: pl.DataFrame, level: int | None, height: int) -> Iterator[Spec]:
        """Give the lines, in grey and in colour, where the ideal levels off, and what is shown to a pointer."""
        runs = [*self.coloured, *self.lists]
        measure = rows["measure"][0]
        rows = rows.drop("measure").with_columns(at=pl.col(self.axis) - pl.col("later"))
        across = self._scale(rows[self.axis], nice=False)
        step = {"tickMinStep": 1 if self.axis == "rank" else 0.1}
        x = field(f"{self.axis}:Q", title=self.axis, axis=step, scale=across)
        # Of what is shown to a pointer there is nothing at first, of which no scale could be made.
        values = pl.concat([rows["value"], rows["reference"], pl.Series([0.0])]).drop_nulls()
        y = field("value:Q", title=f"{measure}{self.over}", scale=self._scale(values, nice=True))
        points = self.alone and {"color": FAINT}
        yield from in_grey(rows.select("run", self.axis, "value"), runs, x, y, opacity=0.7, point=points)
        # The lists are black and the first of them is whole, the runs are neither: colours and
        # dashes are those of others.
        colour, dash = colours(self.coloured)["range"], dashes(runs[: len(self.coloured) + 1])["range"]
        inks, ends = [INK] * len(self.lists), [dash[0], *DASHES[2:]][: len(self.lists)]
        inked, dashed = (
            field("run:N", title=None, scale=by_name(runs, values), legend=STROKES)
            for values in ([*colour, *inks], [*dash[1:], *ends])
        )
        of_run = {"data": rows.filter(pl.col("run").is_in(runs)), "x": x, "y": y, "color": inked}
        yield chart(mark("line", point=self.alone), **of_run, strokeDash=dashed)
        if level is not None and level > 1:
            yield from self._level(level, int(rows[self.axis][-1]), height)
        yield from self._pointed_at(of_run, across)

    def _scale(self, values: pl.Series, *, nice: bool) -> Spec:
        low, high = values.to_numpy().min(), values.to_numpy().max()
        return {"domain": [float(low), float(high)], "nice": nice, "zero": False} if low < high else {"zero": False}

    def _level(self, level: int, last: int, height: int) -> Iterator[Spec]:
        """Mark the rank beyond which there is nothing to be gained."""
        rows = pl.DataFrame({self.axis: [level], "says": [f"{self.lists[0]} levels off at rank {level}"]})
        here = {"data": rows, "x": f"{self.axis}:Q"}
        yield chart(mark("rule", color=INK, strokeDash=[2, 3], strokeWidth=1), **here)
        left = level > last / 2
        words = mark("text", align="right" if left else "left", dx=-5 if left else 5)
        yield chart(words, **here, y={"value": height - 10}, text="says:N")

    def _pointed_at(self, of_run: dict[str, Any], across: Spec) -> Iterator[Spec]:
        """Show the nearest point of a curve, in all panels, and its distances to the ideal: upwards and to the left."""
        nearest = {"type": "point", "on": "pointerover", "nearest": True, "fields": ["run", self.axis]}
        here = {"param": "nearest", "empty": False}
        rule = mark("rule", color=INK, strokeWidth=1)
        yield chart(rule, **of_run, where=[here, "isValid(datum.reference)"], y2="reference")
        left = of_run | {"x": field("at:Q", scale=across), "x2": self.axis}
        yield chart(rule, **left, where=[here, "isValid(datum.at)"])
        # Of what is nearest Vega-Lite tells numbers alone, so that the name stands beside the point.
        name = mark("text", align="left", dx=7, dy=10, fontWeight="bold")
        yield chart(name, **of_run, where=[here], text="run:N")
        ideal = self.lists[0]
        yield chart(
            mark("point", filled=True, size=60),
            **of_run,
            params=[{"name": "nearest", "select": nearest}],
            opacity=when(here, 1, 0),
            tooltip=[
                f"{self.axis}:Q",
                "value:Q .4f",
                field("below:Q .4f", title=f"below {ideal}, points"),
                field("per_cent:Q .1f", title=f"below {ideal} (%)"),
                field("later:Q", title=f"documents more than {ideal} for as much"),
            ],
        )


def _drawn(at: pl.Series) -> pl.Series:
    """Keep the ranks that are drawn: of more than `MOST_RANKS` the first `_FIRST`, and some of the others."""
    each = math.ceil(float(at.to_numpy().max()) / MOST_RANKS)
    return (at <= _FIRST) | (at % each == 0) | (at == at.max())


def _ends(rows: pl.DataFrame) -> pl.DataFrame:
    """Sum each run up: by its value at the last rank or, over recall, where all come to nothing, by the mean."""
    value = pl.col("value")
    return rows.group_by("run", maintain_order=True).agg(value.last() if "rank" in rows.columns else value.mean())


def _where(rows: pl.DataFrame) -> str:
    return f"at rank {rows['rank'][-1]}" if "rank" in rows.columns else "on average over the levels"


def _described(rows: pl.DataFrame, runs: Sequence[str], level: int | None, over: str) -> str:
    ends = dict(_ends(rows).iter_rows())
    said = f"{rows['measure'][0]} {_where(rows)}{over}: " + ", ".join(f"{run} {ends[run]:.3f}" for run in runs) + "."
    return said + (f" The {runs[-1]} levels off at rank {level}." if level is not None and level > 1 else "")
