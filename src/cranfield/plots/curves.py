"""A measure at every rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cranfield.plots.grammar import alt
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, DASHES, INK, QUIET, colours, dashes, strokes
from cranfield.plumbing.lazy import pl


@plot(of="curves", measures=("nDCG",))
def curves(means: pl.DataFrame, distances: pl.DataFrame, beside: pl.DataFrame) -> Drawing:
    """How does a measure grow down the list, and how far from the ideal list does each run stay?

    Each line is a run's mean over the topics at every rank, the black one that of the ideal list.
    Vertical distance says how much less there is after as many documents, horizontal distance how
    many more documents are needed for as much: whoever points at a curve is told both. A dotted
    line marks the rank from which on the ideal does not rise. Several measures have a panel each;
    of IPrec at several relevance levels these are the precision-recall curves by grade.

    Paper: Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques", TOIS
    20(4), Figures 1 to 4.
    """
    axis, measures = means.columns[2], means["measure"].unique(maintain_order=True).to_list()
    lists = beside["list"].unique(maintain_order=True).to_list()
    rows = means.drop("topic").join(
        distances.select("measure", axis, "run", "reference", "below", "per_cent", "later"),
        on=["measure", axis, "run"],
        how="left",
        maintain_order="left",
    )
    first = rows.filter(pl.col("measure") == measures[0], ~pl.col("run").is_in(lists))
    ends = _ends(first).sort("value", descending=True, maintain_order=True)
    named, others = ends["run"].head(len(COLOURS) - 1).to_list(), max(ends.height - len(COLOURS) + 1, 0)
    panel = _Panel(axis, named, lists, rows[axis].n_unique() == 1)
    width, height = (520, 320) if len(measures) == 1 else (340, 240)
    levels = dict(beside.filter(pl.col("list") == lists[0]).select("measure", "levels_off").iter_rows())
    charts = [
        alt.layer(*panel.layers(rows.filter(pl.col("measure") == measure), levels[measure], height)).properties(
            width=width, height=height
        )
        for measure in measures
    ]
    says = []
    if others:
        highest = f"{measures[0]} is highest" if len(measures) > 1 else "are highest"
        whose = "whose " if len(measures) > 1 else "that "
        says.append(f"In colour the {len(named)} runs {whose}{highest} {_where(rows)}, the other {others} in grey.")
    return Drawing(
        charts[0] if len(charts) == 1 else alt.concat(*charts, columns=2, spacing=24),
        f"{', '.join(measures)} at every {axis if axis == 'rank' else f'level of {axis}'}",
        " ".join(_described(rows.filter(pl.col("measure") == m), [*named, lists[0]], levels[m]) for m in measures),
        tuple(says),
    )


@dataclass(frozen=True)
class _Panel:
    """What the panels of all measures have in common.

    Attributes
    ----------
    axis
        Rank, or recall.
    named, lists
        Runs that have a colour, and what stands beside the runs, the ideal first.
    alone
        Whether there is one rank, so that there are points and no lines.
    """

    axis: str
    named: Sequence[str]
    lists: Sequence[str]
    alone: bool

    def layers(self, rows: pl.DataFrame, level: int | None, height: int) -> Iterator[alt.Chart]:
        """Give the lines, in grey and in colour, where the ideal levels off, and what is shown to a pointer."""
        runs = [*self.named, *self.lists]
        measure = rows["measure"][0]
        rows = rows.drop("measure").with_columns(at=pl.col(self.axis) - pl.col("later"))
        x = alt.X(
            f"{self.axis}:Q",
            title=self.axis,
            axis=alt.Axis(tickMinStep=1 if self.axis == "rank" else 0.1),
            scale=self._scale(rows[self.axis], nice=False),
        )
        # Of what is shown to a pointer there is nothing at first, of which no scale could be made.
        values = pl.concat([rows["value"], rows["reference"], pl.Series([0.0])]).drop_nulls()
        y = alt.Y("value:Q", title=f"{measure}, mean over topics", scale=self._scale(values, nice=True))
        quiet = rows.filter(~pl.col("run").is_in(runs)).select("run", self.axis, "value")
        if quiet.height:
            grey = alt.Chart(quiet).mark_line(color=QUIET, strokeWidth=1, opacity=0.7, point=self._points(QUIET))
            yield grey.encode(x=x, y=y, detail="run:N")
        # The lists are black and the first of them is whole, the runs are neither: colours and
        # dashes are those of others.
        colour, dash = colours(self.named).to_dict()["range"], dashes(runs[: len(self.named) + 1]).to_dict()["range"]
        inks, ends = [INK] * len(self.lists), [dash[0], *DASHES[2:]][: len(self.lists)]
        base = alt.Chart(rows.filter(pl.col("run").is_in(runs))).encode(
            x=x,
            y=y,
            color=alt.Color(
                "run:N", title=None, scale=alt.Scale(domain=runs, range=[*colour, *inks]), legend=strokes()
            ),
        )
        scale = alt.Scale(domain=runs, range=[*dash[1:], *ends])
        lines: alt.Chart = base.mark_line(point=self._points(None))
        yield lines.encode(strokeDash=alt.StrokeDash("run:N", title=None, scale=scale, legend=strokes()))
        if level is not None and level > 1:
            yield from self._level(level, int(rows[self.axis][-1]), height)
        yield from self._pointed_at(base, self._scale(rows[self.axis], nice=False))

    def _scale(self, values: pl.Series, *, nice: bool) -> alt.Scale:
        low, high = values.to_numpy().min(), values.to_numpy().max()
        return (
            alt.Scale(domain=[float(low), float(high)], nice=nice, zero=False) if low < high else alt.Scale(zero=False)
        )

    def _points(self, colour: str | None) -> bool | alt.OverlayMarkDef:
        return (alt.OverlayMarkDef(color=colour) if colour else True) if self.alone else False

    def _level(self, level: int, last: int, height: int) -> Iterator[alt.Chart]:
        """Mark the rank beyond which there is nothing to be gained."""
        mark = alt.Chart(pl.DataFrame({self.axis: [level], "says": [f"{self.lists[0]} levels off at rank {level}"]}))
        yield mark.mark_rule(color=INK, strokeDash=[2, 3], strokeWidth=1).encode(x=f"{self.axis}:Q")
        left = level > last / 2
        words = mark.mark_text(align="right" if left else "left", dx=-5 if left else 5)
        yield words.encode(x=f"{self.axis}:Q", y=alt.value(height - 10), text="says:N")

    def _pointed_at(self, base: alt.Chart, across: alt.Scale) -> Iterator[alt.Chart]:
        """Show the nearest point of a curve, in all panels, and its distances to the ideal: upwards and to the left."""
        nearest = alt.selection_point("nearest", on="pointerover", nearest=True, empty=False, fields=["run", self.axis])
        shown = base.transform_filter(nearest).mark_rule(color=INK, strokeWidth=1)
        yield shown.encode(y2="reference:Q").transform_filter("isValid(datum.reference)")
        x = alt.X("at:Q", scale=across)
        yield shown.encode(x=x, x2=f"{self.axis}:Q").transform_filter("isValid(datum.at)")
        # Of what is nearest Vega-Lite tells numbers alone, so that the name stands beside the point.
        name: alt.Chart = base.mark_text(align="left", dx=7, dy=10, fontWeight="bold")
        yield name.encode(text="run:N").transform_filter(nearest)
        ideal = self.lists[0]
        dots: alt.Chart = base.mark_point(filled=True, size=60).add_params(nearest)
        yield dots.encode(
            opacity=alt.condition(nearest, alt.value(1), alt.value(0)),
            tooltip=[
                f"{self.axis}:Q",
                alt.Tooltip("value:Q", format=".4f"),
                alt.Tooltip("below:Q", format=".4f", title=f"below {ideal}, points"),
                alt.Tooltip("per_cent:Q", format=".1f", title=f"below {ideal}, per cent"),
                alt.Tooltip("later:Q", title=f"documents more than {ideal} for as much"),
            ],
        )


def _ends(rows: pl.DataFrame) -> pl.DataFrame:
    """Sum each run up: by its value at the last rank or, over recall, where all come to nothing, by the mean."""
    value = pl.col("value")
    return rows.group_by("run", maintain_order=True).agg(value.last() if "rank" in rows.columns else value.mean())


def _where(rows: pl.DataFrame) -> str:
    return f"at rank {rows['rank'][-1]}" if "rank" in rows.columns else "on average over the levels"


def _described(rows: pl.DataFrame, runs: Sequence[str], level: int | None) -> str:
    ends = dict(_ends(rows).iter_rows())
    said = f"{rows['measure'][0]} {_where(rows)}: " + ", ".join(f"{run} {ends[run]:.3f}" for run in runs) + "."
    return said + (f" The {runs[-1]} levels off at rank {level}." if level is not None and level > 1 else "")
