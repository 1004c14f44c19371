"""Which runs cannot be told apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from cranfield.plots.grammar import Spec, chart, field, layer, mark, vconcat
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.printing import AS_HIGH
from cranfield.plots.theme import COLOURS, INK
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

MOST_RUNS = 24
"""More names than that on both sides of the diagram take more than a page."""
WIDTH, BAR, LINE = 420, 9, 17
"""Points from end to end of the axis, from bar to bar, and from name to name."""


@plot(of="comparison", measures=("AP",))
def critical_difference(places: pl.DataFrame, differences: pl.DataFrame, critical: pl.DataFrame) -> Drawing:
    """Which runs cannot be told apart?

    The runs stand on an axis of mean ranks over the topics, the best one on the right. A bar joins
    runs of which no two differ significantly. After Nemenyi's test these are the runs that lie
    closer together than the critical difference, whose length is shown; a comparison by another
    test draws itself in the same way, by means where the test does not go by ranks.

    Paper: Demšar (2006), "Statistical comparisons of classifiers over multiple data sets", JMLR 7,
    Figure 1.
    """
    charts, described = [], []
    for part in places.partition_by("measure", maintain_order=True):
        measure = part["measure"][0]
        found = differences.filter(pl.col("measure") == measure)
        if found.height < part.height * (part.height - 1) // 2:
            raise InputError("critical-difference is of all pairs of runs; compare them without a baseline")
        least = critical.filter(pl.col("measure") == measure).row(0, named=True)
        diagram = _Diagram.of(part, found, least["critical_difference"])
        charts.append(diagram.chart(str(measure), least["alpha"]))
        described.append(diagram.described(str(measure)))
    runs = places["run"].n_unique()
    says = ["A bar joins runs of which no two differ significantly; the best run is on the right."]
    if runs > MOST_RUNS:
        says.append(f"The best {MOST_RUNS} of {runs} runs, compared with all.")
    of = "mean rank" if places["mean_rank"].count() else "mean"
    return Drawing(
        charts[0] if len(charts) == 1 else vconcat(*charts, spacing=30),
        f"Runs by {of}, and which cannot be told apart",
        " ".join(described),
        tuple(says),
    )


class _Diagram(NamedTuple):
    """Runs on an axis, the best first, and the groups that cannot be told apart, as places of their first and last."""

    runs: Sequence[str]
    values: Sequence[float]
    ranked: bool
    reverse: bool
    groups: Sequence[tuple[int, int]]
    critical: float | None

    @classmethod
    def of(cls, places: pl.DataFrame, differences: pl.DataFrame, critical: float | None) -> _Diagram:
        ranked = places["mean_rank"].count() > 0
        lower = ranked or places["better"][0] == "lower"
        by = "mean_rank" if ranked else "mean"
        rows = places.sort(by, descending=not lower, maintain_order=True)
        runs = rows["run"].to_list()
        significant = differences.filter("significant").select("run_a", "run_b").rows()
        apart = {frozenset(pair) for pair in significant}
        return cls(runs, rows[by].to_list(), ranked, lower, groups_of(runs, apart), critical)

    def chart(self, measure: str, alpha: float) -> Spec:
        runs, values = self.runs[:MOST_RUNS], self.values[:MOST_RUNS]
        shown = [(first, min(last, len(runs) - 1)) for first, last in self.groups if first < len(runs) - 1]
        groups = [group for place, group in enumerate(shown) if not (place and shown[place - 1][1] >= group[1])]
        levels = _levels(groups)
        top = 14 + BAR * (max(levels, default=-1) + 1) + 8
        right = (len(runs) + 1) // 2
        rows = [place if place < right else len(runs) - 1 - place for place in range(len(runs))]
        height = top + LINE * right + 30
        low, high = min(values), max(values)
        room = (high - low) * 0.04 or 0.5
        ends = low - room, high + room
        title = f"mean rank by {measure} among {counted(len(self.runs), 'run')}" if self.ranked else f"mean {measure}"
        scale = {"domain": list(ends), "nice": False, "reverse": self.reverse}
        axis = {"orient": "top", "grid": False, "tickCount": 8}
        down = {"domain": [0, height], "reverse": True, "nice": False}
        at = _At(partial(field, title=title, scale=scale, axis=axis), partial(field, scale=down, axis=None))
        edge = ends if self.reverse else ends[::-1]  # right and left
        names = [
            {"run": run, "x": value, "y": 0, "down": top + LINE * row, "edge": edge[place >= right]}
            | {"name": f"{run}  {value:.2f}" if self.ranked else f"{run}  {value:.4f}", "right": place < right}
            for place, (run, value, row) in enumerate(zip(runs, values, rows, strict=True))
        ]
        bars = [
            {"x": min(ends_) - room / 5, "x2": max(ends_) + room / 5, "y": 14 + BAR * level, "runs": last - first + 1}
            for (first, last), level in zip(groups, levels, strict=True)
            for ends_ in ((values[first], values[last]),)
        ]
        layers = [*_names(pl.DataFrame(names), at), *_bars(bars, at)]
        if self.critical is not None:
            start, fits = ends[1] if self.reverse else ends[0], self.critical <= ends[1] - ends[0]
            along = (-1 if self.reverse else 1) * (self.critical if fits else 0)
            says = f"critical difference {self.critical:.3g} at {alpha:g}" + ("" if fits else ", beyond this axis")
            layers += _scale({"x": start, "x2": start + along, "y": height - 6, "says": says}, at)
        bare = {"style": AS_HIGH, "strokeOpacity": 0}
        return layer(*layers, width=WIDTH, height=height, view=bare)

    def described(self, measure: str) -> str:
        """Say who is first, and who cannot be told from it."""
        of = "mean rank" if self.ranked else "mean"
        said = (
            f"By {measure} the best of {counted(len(self.runs), 'run')} is {self.runs[0]} with a {of} of "
            f"{self.values[0]:.3f}"
        )
        first = next((last for start, last in self.groups if start == 0), 0)
        others = counted(first, "other")
        said += f"; {others} cannot be told from it" if first else "; it differs from all others"
        return said + (f". The critical difference is {self.critical:.3f}." if self.critical is not None else ".")


def groups_of(runs: Sequence[str], apart: set[frozenset[str]]) -> list[tuple[int, int]]:
    """Find the longest stretches of runs in order of which no two are significantly apart.

    >>> groups_of(["a", "b", "c", "d"], {frozenset("ac"), frozenset("ad")})
    [(0, 1), (1, 3)]
    """
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
    """Put each group on the first level where no other has one of its runs.

    >>> _levels([(0, 2), (1, 3), (3, 4)])
    [0, 1, 0]
    """
    levels: list[int] = []
    for place, (first, _) in enumerate(groups):
        taken = {levels[other] for other in range(place) if groups[other][1] >= first}
        levels.append(next(level for level in range(place + 1) if level not in taken))
    return levels


class _At(NamedTuple):
    """Where a field is drawn, across and down: on the same axes in all layers."""

    across: Callable[[str], Spec]
    down: Callable[[str], Spec]


def _names(rows: pl.DataFrame, at: _At) -> Iterator[Spec]:
    """Lead from each run's place on the axis down, and out to its name."""
    x, y, below, edge = at.across("x:Q"), at.down("y:Q"), at.down("down:Q"), at.across("edge:Q")
    thin = mark("rule", color="#8a919e", strokeWidth=1)
    yield chart(thin, data=rows, x=x, y=y, y2="down")
    yield chart(thin, data=rows, x=x, x2="edge", y=below)
    points = mark("point", filled=True, size=36, color=COLOURS[0], opacity=1)
    yield chart(points, data=rows, x=x, y=y, tooltip=["run:N", field("x:Q", format=".4f", title="place")])
    name = {"data": rows, "x": edge, "y": below, "text": "name:N"}
    yield chart(mark("text", align="left", dx=5), **name, where=["datum.right"])
    yield chart(mark("text", align="right", dx=-5), **name, where=["!datum.right"])


def _bars(bars: Sequence[dict[str, Any]], at: _At) -> Iterator[Spec]:
    if bars:
        thick, rows = mark("rule", color=INK, strokeWidth=5, strokeCap="round"), pl.DataFrame(bars)
        yield chart(thick, data=rows, x=at.across("x:Q"), x2="x2", y=at.down("y:Q"), tooltip=["runs:Q"])


def _scale(row: dict[str, Any], at: _At) -> Iterator[Spec]:
    """Show how long the critical difference is."""
    here = {"data": pl.DataFrame([row]), "x": at.across("x:Q"), "y": at.down("y:Q")}
    yield chart(mark("rule", color=COLOURS[1], strokeWidth=3), **here, x2="x2")
    yield chart(mark("text", align="left", dy=-9, color=COLOURS[1]), **here, text="says:N")
