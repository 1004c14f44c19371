"""Which runs cannot be told apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from cranfield.plots.few import ends_told, shortened
from cranfield.plots.grammar import Spec, between, chart, field, hconcat, layer, mark, stack
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.printing import AS_HIGH
from cranfield.plots.theme import COLOURS, FAINT, GUIDE, INK, TINT
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

MOST_ROUND = 24  # Lines from more runs than that to names on both sides cannot be followed: each has a row of its own
_MOST_RUNS = 60  # More rows than that nobody reads
_WIDTH, BAR, _LINE = 420, 9, 17  # Points from end to end of the axis, from bar to bar, and from name to name
_ROW = 14  # Points from row to row
_LETTERS = 28  # How many letters of a name are shown next to the diagram


@plot(of="comparison", measures=("AP",))
def critical_difference(places: pl.DataFrame, differences: pl.DataFrame, critical: pl.DataFrame) -> Drawing:
    """Which runs cannot be told apart?

    Runs are placed on an axis of mean ranks over the topics, the best on the right; more than 24 runs get a row each,
    the best at the top. A bar joins runs of which no two differ significantly. After Nemenyi's test these are the runs
    closer together than the critical difference, whose length is shown. A comparison by another test is drawn in the
    same way, by means where the test does not use ranks.

    Paper: Demšar (2006), "Statistical comparisons of classifiers over multiple data sets", JMLR 7, Figure 1.
    """
    charts, described, counts, runs = [], [], [], places["run"].n_unique()
    test = str(critical["test"][0]).split(" with ")[-1]  # of the pairs, where another test comes first
    many = runs > MOST_ROUND
    shaded = many and critical["critical_difference"].count() > 0
    for part in places.partition_by("measure", maintain_order=True):
        measure = part["measure"][0]
        found = differences.filter(measure=measure)
        if found.height < part.height * (part.height - 1) // 2:
            raise InputError("critical-difference needs all pairs of runs; compare them without a baseline")
        least = critical.filter(measure=measure).row(0, named=True)
        diagram = _Diagram.of(part, found, least["critical_difference"])
        charts.append((diagram.rows if many else diagram.chart)(str(measure), least["alpha"]))
        described.append(diagram.described(str(measure)))
        if least["usual"] is not None:
            counts.append(f"{diagram.alike} by {measure} ({least['usual']} by the usual test)")
    tinted = " Tinted: within the critical difference of the best." if shaded else ""
    usual = (
        f"Runs that do not differ significantly from the best: {', '.join(counts)}. The usual test is the paired "
        "t-test with Holm's correction over all pairs."
    )
    of = "mean rank" if places["mean_rank"].count() else "mean"
    return Drawing(
        stack(charts, spacing=30),
        f"Runs that do not differ significantly, by {of} ({test})",
        " ".join(described),
        "A bar joins runs of which no two differ significantly; the best run is "
        f"{'at the top' if many else 'on the right'}.{tinted}",
        usual if counts else "",
        f"The best {_MOST_RUNS} of {runs} runs, compared with all; where a bar has an arrow, it continues below."
        if runs > _MOST_RUNS
        else "",
    )


class _Diagram(NamedTuple):
    """Runs on an axis, the best first, and the groups that cannot be told apart, as places of their first and last."""

    runs: Sequence[str]
    values: Sequence[float]
    ranked: bool
    reverse: bool
    groups: Sequence[tuple[int, int]]
    critical: float | None
    alike: int  # From how many other runs the best cannot be told

    @classmethod
    def of(cls, places: pl.DataFrame, differences: pl.DataFrame, critical: float | None) -> _Diagram:
        ranked = places["mean_rank"].count() > 0
        lower = ranked or places["better"][0] == "lower"
        by = "mean_rank" if ranked else "mean"
        rows = places.sort(by, descending=not lower, maintain_order=True)
        runs = rows["run"].to_list()
        significant = differences.filter("significant").select("run_a", "run_b").rows()
        apart = {frozenset(pair) for pair in significant}
        alike = sum(frozenset((runs[0], other)) not in apart for other in runs[1:])
        return cls(runs, rows[by].to_list(), ranked, lower, groups_of(runs, apart), critical, alike)

    def rows(self, measure: str, alpha: float) -> Spec:
        """Give each run a row, and each group an upright bar next to the rows."""
        runs, values = self.runs[:_MOST_RUNS], self.values[:_MOST_RUNS]
        last = len(runs) - 1
        groups = [group for group in self.groups if group[0] <= last]
        levels = _levels(groups)
        of = pl.DataFrame({"run": runs, "x": values})
        _, ends = _ends(values)
        said = "" if self.critical is None else f"; critical difference {self.critical:.3g} at {alpha:g}"
        scale, title = between(*ends, reverse=self.reverse), self.titled(measure) + said
        x = partial(field, title=title, scale=scale, axis={"tickCount": 8})
        run = field("run:N", sort=list(runs), title=None, axis={"labelOverlap": False})
        far = ends[1] if self.reverse else ends[0]
        thin = mark("rule", color=FAINT, strokeWidth=1)
        layers = [
            chart(thin, data=of.with_columns(edge=pl.lit(far)), x=x("edge:Q"), x2="x", y=run),
            chart(mark("point", filled=True, size=40, color=COLOURS[0], opacity=1), data=of, x=x("x:Q"), y=run,
                  tooltip=["run:N", field("x:Q .4f", title=measure)]),
        ]  # fmt: skip
        if self.critical is not None:
            end = values[0] + (self.critical if self.reverse else -self.critical)
            near = pl.DataFrame({"x": [values[0]], "x2": [min(max(end, ends[0]), ends[1])]})
            layers.insert(0, chart(mark("rect", color=TINT), data=near, x=x("x:Q"), x2="x2"))
        dots = layer(*layers, width=_WIDTH - 100, height={"step": _ROW}, view={"style": ["cell", AS_HIGH]})
        if not groups:
            return dots
        down = {"domain": [-0.5, last + 0.5], "reverse": True, "nice": False}
        columns = max(levels) + 1
        bars = pl.DataFrame([
            {"x": level, "y": first - 0.3, "y2": min(end, last) + 0.3, "runs": end - first + 1, "on": end > last}
            for (first, end), level in zip(groups, levels, strict=True)
        ])  # fmt: skip
        here = {
            "data": bars,
            "x": field("x:Q", axis=None, scale=between(-0.5, columns - 0.5)),
            "tooltip": [field("runs:Q", title="runs that do not differ significantly")],
        }
        y = partial(field, axis=None, scale=down)
        beside = layer(
            chart(mark("rule", color=INK, strokeWidth=4, strokeCap="round"), **here, y=y("y:Q"), y2="y2"),
            chart(mark("point", shape="triangle-down", filled=True, color=INK, size=50, opacity=1), **here, y=y("y2:Q"),
                  where=["datum.on"]),
            width=BAR * columns, height=_ROW * len(runs), view={"style": AS_HIGH, "strokeOpacity": 0},
        )  # fmt: skip
        return hconcat(dots, beside, spacing=10)

    def titled(self, measure: str) -> str:
        """Say what the axis shows."""
        return f"mean rank by {measure} among {counted(len(self.runs), 'run')}" if self.ranked else f"mean {measure}"

    def chart(self, measure: str, alpha: float) -> Spec:
        """Lead from each run's place on one axis to its name."""
        runs, values, groups = self.runs, self.values, self.groups
        levels = _levels(groups)
        top = 14 + BAR * (max(levels, default=-1) + 1) + 8
        right = (len(runs) + 1) // 2
        rows = [place if place < right else len(runs) - 1 - place for place in range(len(runs))]
        height = top + _LINE * right + 30
        room, ends = _ends(values)
        scale, axis = between(*ends, reverse=self.reverse), {"orient": "top", "grid": False, "tickCount": 8}
        across = partial(field, title=self.titled(measure), scale=scale, axis=axis)
        down = partial(field, scale={"domain": [0, height], "reverse": True, "nice": False}, axis=None)
        edge = ends if self.reverse else ends[::-1]  # right and left
        names = [
            {"run": run, "x": value, "y": 0, "down": top + _LINE * row, "edge": edge[place >= right]}
            | {"name": f"{shortened(run, _LETTERS)}  {value:{'.2f' if self.ranked else '.4f'}}", "right": place < right}
            for place, (run, value, row) in enumerate(zip(runs, values, rows, strict=True))
        ]
        bars = [
            {"x": min(ends_) - room / 5, "x2": max(ends_) + room / 5, "y": 14 + BAR * level, "runs": last - first + 1}
            for (first, last), level in zip(groups, levels, strict=True)
            for ends_ in ((values[first], values[last]),)
        ]
        layers = list(_names(pl.DataFrame(names), across, down))
        x, y = across("x:Q"), down("y:Q")
        if bars:
            thick = mark("rule", color=INK, strokeWidth=5, strokeCap="round")
            layers.append(chart(thick, data=pl.DataFrame(bars), x=x, x2="x2", y=y, tooltip=["runs:Q"]))
        if self.critical is not None:
            start, fits = ends[1] if self.reverse else ends[0], self.critical <= ends[1] - ends[0]
            along = (-1 if self.reverse else 1) * (self.critical if fits else 0)
            says = f"critical difference {self.critical:.3g} at {alpha:g}" + ("" if fits else ", beyond this axis")
            row = {"x": start, "x2": start + along, "y": height - 6, "says": says}
            here = {"data": pl.DataFrame([row]), "x": x, "y": y}
            layers.append(chart(mark("rule", color=COLOURS[1], strokeWidth=3), **here, x2="x2"))
            layers.append(chart(mark("text", align="left", dy=-9, color=INK), **here, text="says:N"))
        bare = {"style": AS_HIGH, "strokeOpacity": 0}
        return layer(*layers, width=_WIDTH, height=height, view=bare)

    def described(self, measure: str) -> str:
        """Say who is first, and who cannot be told from it."""
        of = "mean rank" if self.ranked else "mean"
        first = next((last for start, last in self.groups if start == 0), 0)
        best, _ = ends_told(self.runs, self.values)
        level = f"{counted(first, 'other does', 'others do')} not differ significantly from it"
        others = level if first else "it differs significantly from all others"
        return (
            f"By {measure}, the best of {counted(len(self.runs), 'run')} {best}, with a {of} of "
            f"{self.values[0]:.3f}; {others}."
            + (f" The critical difference is {self.critical:.3f}." if self.critical is not None else "")
        )


def groups_of(runs: Sequence[str], apart: set[frozenset[str]]) -> list[tuple[int, int]]:
    """Find the longest stretches of ordered runs in which no two differ significantly."""
    found: list[tuple[int, int]] = []
    for first in range(len(runs)):
        last = first
        while last + 1 < len(runs) and not any(
            frozenset((run, runs[last + 1])) in apart for run in runs[first : last + 1]
        ):
            last += 1
        if last > first and not (found and found[-1][1] >= last):
            found.append((first, last))
    return found


def _levels(groups: Sequence[tuple[int, int]]) -> list[int]:
    """Put each group on the first level on which it shares no run with another."""
    levels: list[int] = []
    for place, (first, _) in enumerate(groups):
        taken = {levels[other] for other in range(place) if groups[other][1] >= first}
        levels.append(next(level for level in range(place + 1) if level not in taken))
    return levels


def _ends(values: Sequence[float]) -> tuple[float, list[float]]:
    """Return the room beyond the values on their axis, and where that ends."""
    low, high = min(values), max(values)
    room = (high - low) * 0.04 or 0.5
    return room, [low - room, high + room]


def _names(rows: pl.DataFrame, across: Callable[[str], Spec], down: Callable[[str], Spec]) -> Iterator[Spec]:
    """Lead from each run's place on the axis down, and out to its name."""
    x, y, below, edge = across("x:Q"), down("y:Q"), down("down:Q"), across("edge:Q")
    thin = mark("rule", color=GUIDE, strokeWidth=1)
    yield chart(thin, data=rows, x=x, y=y, y2="down")
    yield chart(thin, data=rows, x=x, x2="edge", y=below)
    points = mark("point", filled=True, size=36, color=COLOURS[0], opacity=1)
    yield chart(points, data=rows, x=x, y=y, tooltip=["run:N", field("x:Q .4f", title="place")])
    name = {"data": rows, "x": edge, "y": below, "text": "name:N"}
    yield chart(mark("text", align="left", dx=5), **name, where=["datum.right"])
    yield chart(mark("text", align="right", dx=-5), **name, where=["!datum.right"])
