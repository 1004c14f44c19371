"""What figures of single lists share: a curve by rank, and strips below it that say what stands at each rank."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from cranfield.plots.few import apart, said_of_three, three_of
from cranfield.plots.grammar import Spec, between, chart, concat, field, independent, layer, mark, vconcat
from cranfield.plots.printing import AS_HIGH
from cranfield.plots.theme import COLOURS, DASHES, INK, JUDGED, LETTERS, NOT_RELEVANT, RELEVANT, UNJUDGED, by_name
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

_MOST_RUNS: Final = 6  # More panels than these are not looked at: of more runs three are drawn
_TOGETHER: Final = 2  # Up to this many lists have one panel
_LEAST_RANKS: Final = 20  # At least this many ranks are drawn, if they exist
MOST_RANKS: Final = 250
"""More points of an average than these are not told apart, and slow."""
_ALONE, _BESIDE = 600, 400  # Width of a panel that is alone, and of one of several
HEIGHT: Final = 230
_STEP: Final = 13  # Height of a line of a strip
_LETTER: Final = 6.2  # About how wide a letter of a label is
OF_DOCUMENT: Final = ("state:N", "doc_id:N", "grade:Q", "rp:Q", "crp:Q", "delta_gain:Q")  # The words about a document
MEAN: Final = "all"  # The topic of averages
NAME: Final = 13
"""Height of a row of names of points, which stand between a curve and its legend."""
_TWO_LINES: Final = 50
"""From the words at the end of one curve to the next: two lines each, in panels that print makes lower, too."""
_NARROW: Final = 0.32
"""Names of points leave room for panels that are printed, or shown on a telephone, so much narrower."""
_FAR: Final = 1000
PALEST: Final = 0.3
"""How dark a tile of a strip is at an RP of 1, and where it is right by default; it is wholly dark from `_FAR` on."""
_AXIS: Final = 84  # Room for the labels at the left, the same for all charts below each other, so that their ranks are
_OF_STRIPS: Final = {
    "ticks": False, "domain": False, "labelOverlap": False,  # in print, too
    "labelExpr": f"datum.label == '{NOT_RELEVANT}' ? 'not relevant' : datum.label",
}  # fmt: skip
"""The axis of a strip: unjudged documents have a line of their own, next to those that are not relevant."""
OWN_LEGENDS: Final = independent("color", "strokeDash", "strokeWidth", "shape", "fill")
"""Leaves each part of a figure its own legend."""
OWN_SCALES: Final = {"scales": "own"}
"""Says in ``usermeta`` that the panels of a figure are not there to be compared by their axes."""


class Kinds(NamedTuple):
    """What a strip tells apart: the colours by name, from the top line down, and the columns with their shares."""

    colours: Mapping[str, str]
    shares: Mapping[str, str]


PLACED: Final = Kinds(
    {"too late": COLOURS[5], "right": COLOURS[2], "too early": COLOURS[1]},
    {"late": "too late", "right": "right", "early": "too early"},
)
"""The paper's blue, green and red, of which everybody tells apart at least where they stand."""
STATES: Final = Kinds(
    {RELEVANT: JUDGED[RELEVANT], NOT_RELEVANT: JUDGED[NOT_RELEVANT], UNJUDGED: JUDGED[UNJUDGED]},
    {"relevant": RELEVANT, "not_relevant": NOT_RELEVANT, "unjudged": UNJUDGED},
)


class Line(NamedTuple):
    """A curve of a panel; every rank can be pointed at if it is of a run of its `own`."""

    column: str
    name: str
    colour: str
    dash: list[int]
    own: bool = False


_OF_RUNS: Final = COLOURS[:2]  # Colours of the lists that have a panel together
OF_RUN: Final = Line("crp", "run", COLOURS[0], DASHES[0])
IDEAL_LINE: Final = Line("crp_ideal", "ideal list", INK, DASHES[2])
FULL_SCALE: Final = Line("crp_full_scale", "full-scale list (the ideal reversed)", "#7a7a7a", DASHES[1])


@dataclass(frozen=True)
class Walked:
    """Lists that are drawn side by side, down to the rank after which nothing happens."""

    whole: tuple[pl.DataFrame, ...]  # The rows of each run, of all ranks
    labels: tuple[str, ...]
    last: int  # The last rank that is drawn, the same for all
    says: tuple[str, ...]  # What is to be said of runs and ranks that are not drawn
    every: tuple[pl.DataFrame, ...] = ()
    """The rows of all lists that have a panel next to this one: their axes are the same."""

    @property
    def parts(self) -> tuple[pl.DataFrame, ...]:
        """The rows of each run that are drawn."""
        return self._drawn(self.whole)

    @property
    def width(self) -> int:
        """How wide a panel is."""
        return _BESIDE if len(self.every) > 1 else _ALONE

    @property
    def alone(self) -> list[Walked]:
        """Each list by itself, with the axes of all."""
        each = zip(self.whole, self.labels, strict=True)
        return [replace(self, whole=(rows,), labels=(label,), every=self.whole) for rows, label in each]

    def beyond(self, column: str) -> list[tuple[str, str] | None]:
        """Say of each run, in two lines, what follows below the last rank that is drawn: None, or what it ends with."""
        return [_beyond(rows.filter(pl.col("rank") >= self.last).select("rank", column)) for rows in self.whole]

    def limits(self, column: str, lowest: str) -> tuple[float, float]:
        """Return between what the axis of all panels runs."""
        return limits_of(self._drawn(self.every or self.whole), column, lowest)

    def _drawn(self, whole: Iterable[pl.DataFrame]) -> tuple[pl.DataFrame, ...]:
        return tuple(rows.filter(pl.col("rank") <= self.last) for rows in whole)

    def panels(self, panel: Callable[[Walked], Spec]) -> Spec:
        """Draw one or two lists in one panel, more in one each, with the same axes."""
        if len(self.whole) <= _TOGETHER:
            return panel(self)
        return side_by_side([panel(each) for each in self.alone])

    def curves(
        self,
        column: str,
        title: str,
        limits: tuple[float, float],
        beside: Iterable[Line],
        at: tuple[Spec, int] | None,
        *ground: Spec,
    ) -> Spec:
        """Draw the curves of the runs and other lines upon a ground, the `points` on them, and how they go on."""
        others = [(thinned(self.parts[0]), line) for line in beside]
        marked, names = ([at[0]], at[1]) if at else ([], 0)
        lines = _curves([*self._own(column), *others], title, limits, names)
        size = {"width": self.width, "height": HEIGHT}
        return layer(*ground, lines, *marked, *self._ends(column, *limits), **size)

    def _own(self, column: str) -> list[tuple[pl.DataFrame, Line]]:
        """Return the curves of the runs that have a panel together."""
        if len(self.whole) == 1:
            return [(thinned(self.parts[0]), Line(column, "run", _OF_RUNS[0], DASHES[0], own=True))]
        looks = zip(self.parts, self.labels, _OF_RUNS, (DASHES[0], DASHES[3]), strict=True)
        return [(thinned(rows), Line(column, label, colour, dash, own=True)) for rows, label, colour, dash in looks]

    def _ends(self, column: str, low: float, high: float) -> list[Spec]:
        """Say at the edge how the curves of a panel go on."""
        found = [
            (text, HEIGHT * (high - float(rows[column][-1])) / (high - low), colour)
            for text, rows, colour in zip(self.beyond(column), self.parts, LETTERS, strict=False)
            if text
        ]
        heights = spaced([min(max(up, 7.0), HEIGHT - 7.0) for _, up, _ in found], _TWO_LINES, HEIGHT)
        here = {"data": pl.DataFrame({"rank": [self.last + 0.5]}), "x": "rank:Q"}
        return [
            chart(
                mark("text", align="left", baseline="middle", dx=6, dy=-NAME / 2, color=colour),
                **here, y={"value": up}, text={"value": [f"→ {first}", second]},
            )
            for ((first, second), _, colour), up in zip(found, heights, strict=True)
        ]  # fmt: skip

    def strips(self, above: Spec, kinds: Kinds, column: str) -> Spec:
        """Put strips below curves: of each list that has a panel together the kinds of its ranks, and of documents."""
        found: list[Spec] = []
        for rows, label, colour in zip(map(thinned, self.parts), self.labels, LETTERS, strict=False):
            title = "rank" if label == self.labels[-1] else None  # the last strip has the ranks
            first = strip(rows, kinds, column, self.width)
            head = {"text": label, "fontSize": 11, "color": colour, "anchor": "start", "frame": "group", "offset": 3}
            found.append({**first, "title": head} if len(self.whole) > 1 else first)
            found.append(strip(rows, STATES, "state", self.width, title))
        return below(above, found, self.labels[0] if len(self.labels) == 1 else "")


def drawn(
    ranks: pl.DataFrame, intervals: pl.DataFrame, values: pl.DataFrame, by: str, last_rank: int | None = None
) -> Walked:
    """Choose the runs that are drawn, of many the best, the median and the worst, and the last rank."""
    if not intervals["last"].count():
        nowhere = "no document is relevant here, so none can come too early or too late"
        raise InputError(f"{nowhere}; name other topics")
    parts, says = ranks.partition_by("run", maintain_order=True), []
    labels = [rows["run"][0] for rows in parts]
    if len(parts) > _MOST_RUNS:
        known = dict(values.select("run", "value").iter_rows())
        worth = [known.get(label) or 0.0 for label in labels]
        order = sorted(range(len(parts)), key=lambda i: -worth[i])
        in_order = [worth[i] for i in order]
        says.append(f"{said_of_three(in_order, by)} Name runs to choose others.")
        three = [order[place] for place in three_of(len(order))]
        which = (" (best)", " (median)", " (worst)") if apart(in_order) else ("", "", "")
        parts = [parts[i] for i in three]
        labels = [labels[i] + name for i, name in zip(three, which, strict=True)]
    # The recall base: what is not relevant comes after it.
    base = 0 if is_mean(ranks) else int(intervals["first"].max()) - 1  # type: ignore[arg-type]
    last = last_of(parts, base, last_rank)
    if (each := _each(last, mean=is_mean(ranks))) > 1:
        says.append(f"One rank of {each} is drawn.")
    return Walked(tuple(parts), tuple(labels), last, tuple(says))


def last_of(parts: Iterable[pl.DataFrame], base: int, asked: int | None = None) -> int:
    """Return the last rank to draw: the smaller of 3R and the end of the lists, or a tenth beyond the last event.

    An event is a relevant document, or a document at a rank where it should not be.
    """
    every = pl.concat([rows.select("rank", "rp", "state") for rows in parts])
    deepest = int(every["rank"].max())  # type: ignore[arg-type]
    if asked is not None:
        return min(asked, deepest)
    happens = int(every.filter((pl.col("rp") != 0) | (pl.col("state") == RELEVANT))["rank"].max() or 1)  # type: ignore[arg-type]
    ended = int(every.filter(pl.col("state").is_in(list(STATES.colours)))["rank"].max() or 1)  # type: ignore[arg-type]
    return min(deepest, max(_LEAST_RANKS, min(3 * base, ended), math.ceil(1.1 * happens)))


def _beyond(rows: pl.DataFrame) -> tuple[str, str] | None:
    """Describe the curve below the first row, in two lines; None if that is the last."""
    if rows.height == 1:
        return None
    values = rows.to_series(1).to_numpy()
    first, last, end = float(values[0]), float(values[-1]), int(rows["rank"][-1])
    flat = abs(values - first).max() <= 1e-9 * max(1.0, abs(first))
    return ("flat", f"to {end:,}") if flat else (f"{last:,.4g}", f"at {end:,}")


def mean_of(effort: pl.DataFrame, measure: str = "Twist") -> pl.DataFrame:
    """Return how good each run is by one of its measures, a mean over its topics."""
    return effort.group_by("run", maintain_order=True).agg(value=pl.col(measure).mean())


def end_of(rows: pl.DataFrame) -> int | None:
    """Return the rank at which a list ends, if that can be seen."""
    documents = rows.filter(pl.col("state").is_in(list(STATES.colours))).height
    return documents if not is_mean(rows) and documents < rows.height else None


def thinned(rows: pl.DataFrame) -> pl.DataFrame:
    """Leave out ranks of averages, where there are too many to be drawn."""
    each = _each(int(rows["rank"].max()), mean=is_mean(rows))  # type: ignore[arg-type]
    return rows.filter(((pl.col("rank") - 1) % each == 0) | (pl.col("rank") == pl.col("rank").max()))


def _each(last: int, *, mean: bool) -> int:
    """Say of how many ranks one is drawn."""
    return math.ceil(last / MOST_RANKS) if mean else 1


def is_mean(rows: pl.DataFrame) -> bool:
    """Tell averages from the ranks of a single topic."""
    return bool(rows["topic"][0] == MEAN)


def short(measure: str) -> str:
    """Return the name of a measure without its parameters, as titles have it."""
    return measure.partition("(")[0]


def in_full(measure: str) -> str:
    """Give the parameters that a title leaves out."""
    name, bracket, given = measure.partition("(")
    return f"{name}: {given.removesuffix(')').replace(',base', ', base')}." if bracket else ""


def of_topic(example: pl.DataFrame) -> str:
    """Say which topic it is, where there are several."""
    topics, topic = example.select("topics", "topic").row(0)
    said = f"Topic {topic} is shown, with the median recall base of {topics} topics; name another with topic."
    return said if topics > 1 else ""


def of_full_scale(walked: Walked) -> str:
    """Say that the full-scale curve of CRP is cut off, where it is."""
    high = walked.limits("crp", "crp_full_scale")[1]
    cut = any((rows["crp_full_scale"] > high).any() for rows in walked.parts)
    return "The full-scale curve is cut off above what the lists reach." if cut else ""


def side_by_side(charts: Sequence[Spec]) -> Spec:
    """Put the panels in two columns."""
    return concat(*charts, columns=2, spacing=26, resolve=OWN_LEGENDS)


def rank_axis(last: int, *, title: str | None = None, labels: bool = True, of: str = "rank") -> Spec:
    """Return the axis of ranks, each of which has room for a tile."""
    axis = {"tickMinStep": 1, "tickCount": 10, "labels": labels, "ticks": labels, "format": "d"}
    return field(f"{of}:Q", title=title, axis=axis, scale=between(0.5, last + 0.5))


def left_axis(**others: Any) -> Spec:
    """Return an axis at the left as wide as all others."""
    return {"minExtent": _AXIS, "maxExtent": _AXIS, "titleX": -56, **others}


def _curves(
    given: Sequence[tuple[pl.DataFrame, Line]], title: str, limits: tuple[float, float], rows_of_names: int
) -> Spec:
    """Draw curves; what leaves the limits is cut off. Where points are marked, their names have rows above."""
    names = [line.name for _, line in given]
    legend = {"orient": "top", "symbolSize": 260, "columns": 4, "offset": 4 + NAME * rows_of_names}
    parts = [rows.select("rank", line=pl.lit(line.name), value=line.column) for rows, line in given]
    long = pl.concat([part if line.own else _corners(part) for part, (_, line) in zip(parts, given, strict=True)])
    last = max(int(rows["rank"].max()) for rows, _ in given)  # type: ignore[arg-type]
    colours, dashes = ([getattr(line, look) for _, line in given] for look in ("colour", "dash"))
    return chart(
        mark("line", clip=True, point=last == 1),
        data=long,
        x=rank_axis(last, labels=False),
        y=field("value:Q", title=title, scale=between(*limits), axis=left_axis()),
        color=field("line:N", title=None, scale=by_name(names, colours), legend=legend),
        strokeDash=field("line:N", title=None, scale=by_name(names, dashes), legend=legend),
        tooltip=["line:N", "rank:Q", "value:Q .4~f"],
    )


def spaced(places: Sequence[float], least: float, end: float) -> list[float]:
    """Move places that are too close together, each as little as possible, none beyond the end."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    found, edge = dict.fromkeys(order, 0.0), -math.inf
    for i in order:
        edge = found[i] = max(places[i], edge + least)
    edge = float(end + least)
    for i in reversed(order):
        edge = found[i] = min(found[i], edge - least)
    return [found[i] for i in range(len(places))]


def _corners(line: pl.DataFrame) -> pl.DataFrame:
    """Drop the points of a line that lie on straight stretches."""
    step = pl.col("value").diff()
    return line.filter(step.ne_missing(step.shift(-1)))


def limits_of(parts: Iterable[pl.DataFrame], column: str, lowest: str) -> tuple[float, float]:
    """Return between what an axis runs: all of the runs, and of another list what is below 0."""
    every = pl.concat([rows.select(own=column, other=lowest) for rows in parts])
    own, other = every["own"], every["other"]
    low = min(0.0, float(own.min()), float(other.min()))  # type: ignore[arg-type]
    high = max(float(own.max()), -0.25 * low, 1.0)  # type: ignore[arg-type]
    return low * 1.04, high * 1.08


def points(
    walked: Walked, marks: pl.DataFrame, names: Iterable[str], dots: tuple[float, float] | None
) -> tuple[Spec, int]:
    """Mark the points of curves: lines up and down, their names above, and dots on those of CRP within the limits.

    Points that all lists have in common are black, those of one list of two in its colour. Next to what is drawn stands
    how many rows the names take above the panel.
    """
    last = walked.last
    kept = marks.filter(pl.col("mark").is_in(list(names)))
    found = []
    for rows, colour in zip(walked.parts, LETTERS, strict=False):
        mine = kept.filter(run=rows["run"][0])
        found.append(mine.select("mark", pl.col("rank").cast(pl.Int64), colour=pl.lit(colour)))
        if (end := end_of(rows)) is not None:
            found.append(pl.DataFrame({"mark": ["end of the list"], "rank": [end], "colour": [colour]}))
    every = pl.concat(found).filter(pl.col("rank") <= last)
    common = pl.when(pl.len() == len(walked.whole)).then(pl.lit(INK)).otherwise(pl.col("colour").first())
    every = every.group_by("rank", "mark", maintain_order=True).agg(colour=common).sort("rank", maintain_order=True)
    here = every.group_by("rank", "colour", maintain_order=True).agg(pl.col("mark").str.join(" = "))
    heights = levels(here["rank"].to_list(), here["mark"].to_list(), _NARROW * walked.width / last)
    here = here.with_columns(up=pl.Series(heights, dtype=pl.Int64))
    layers = [
        chart(mark("rule", color=part["colour"][0], strokeWidth=0.8, strokeDash=[2, 2]), data=part, x="rank:Q")
        for part in here.partition_by("colour", maintain_order=True)
    ]
    for part in here.partition_by("up", "colour", maintain_order=True):
        up, ink = part.select("up", "colour").row(0)
        words = mark("text", baseline="bottom", dy=-4 - NAME * up, fontStyle="italic", color=ink)
        layers.append(chart(words, data=part, x="rank:Q", y={"value": 0}, text="mark:N"))
    tips = ["mark:N", "rank:Q", field("crp:Q", title="CRP"), field("crp_full_scale:Q", title="full-scale")]
    on_curves = [("crp", "circle", "b_w", rows, colour) for rows, colour in zip(walked.parts, _OF_RUNS, strict=False)]
    on_curves.insert(1, ("crp_full_scale", "square", "b_r", walked.parts[0], FULL_SCALE.colour))
    low, high = dots or (0.0, 0.0)
    for column, shape, elsewhere, rows, ink in on_curves if dots else ():
        mine = kept.filter((pl.col("run") == rows["run"][0]) & (pl.col("rank") <= last))
        inside = mine.filter(pl.col(column).is_between(low, high) & (pl.col("mark") != elsewhere))
        dot = mark("point", color=ink, shape=shape, filled=True, size=55, opacity=1)
        layers.append(chart(dot, data=inside, x="rank:Q", y=f"{column}:Q", tooltip=tips))
    return layer(*layers), max(heights, default=-1) + 1


def levels(ranks: Sequence[int], labels: Sequence[str], scale: float) -> list[int]:
    """Return how many lines up each label goes, so that none covers another."""
    taken: list[float] = []
    found = []
    for rank, label in zip(ranks, labels, strict=True):
        half = (_LETTER * len(label) + 6) / 2
        level = next((i for i, end in enumerate(taken) if rank * scale - half > end), len(taken))
        taken[level : level + 1] = [rank * scale + half]
        found.append(level)
    return found


def strip(rows: pl.DataFrame, kinds: Kinds, column: str, width: int, title: str | None = None) -> Spec:
    """Say of each rank of which kind it is; of averages, at how many of the topics."""
    last = int(rows["rank"].max())  # type: ignore[arg-type]
    if is_mean(rows):
        return _shares(rows, kinds, rank_axis(last, title=title, labels=title is not None), width)
    names, tips = list(kinds.colours), OF_DOCUMENT if column == "state" else ("rp:Q", "state:N")[column != "rp" :]
    by = _names_of(tips)[:2]
    x = rank_axis(last, title=title, labels=title is not None, of="left")
    judged = pl.when(pl.col("state") != UNJUDGED).then("doc_id").alias("doc_id")  # the others are one tile together
    every = rows.with_columns(judged, kind=within(column, kinds), shade=shade_of(column))
    kept = every.filter(pl.col("kind").is_in(names))
    kept = kept.select("rank", "kind", *dict.fromkeys([column, *_names_of(tips)]), "shade")
    drawn_tiles = chart(
        mark("rect"),
        data=tiles(kept, ["kind", "shade", *by]),
        x=x,
        x2="right",
        y=field("kind:N", title=None, scale={"domain": names}, axis=left_axis(**_OF_STRIPS)),
        color=field("kind:N", scale=by_name(names, kinds.colours.values()), legend=None),
        opacity=field("shade:Q", scale=None),
        tooltip=["from:Q", "to:Q", "kind:N", *(tip for tip in tips if tip != "state:N")],
    )
    return {**drawn_tiles, "width": width, "height": _STEP * len(names), "view": {"style": ["cell", AS_HIGH]}}


def _names_of(tips: Iterable[str]) -> list[str]:
    return [tip.partition(":")[0] for tip in tips]


def shade_of(column: str) -> pl.Expr:
    """Return how dark a tile is: of RP from `PALEST` at 1 to wholly at `_FAR`, on a logarithmic scale.

    What is right, or gains as much, is dark down to the ideal list's last relevant document, whatever the relevance
    level of the states. Below it everything not relevant is right, too: it is pale.
    """
    if column == "state":
        return pl.lit(1.0)
    away = pl.col(column).abs().clip(1, _FAR).log() / math.log(_FAR) if column == "rp" else pl.lit(1.0)
    ideal = -pl.col("crp_full_scale") if column == "rp" else pl.col("gain_ideal")  # rises where something is relevant
    at_0 = pl.when(ideal.diff().fill_null(ideal) > 0).then(1.0).otherwise(PALEST)
    return pl.when(pl.col(column) == 0).then(at_0).otherwise(PALEST + (1 - PALEST) * away)


def tiles(rows: pl.DataFrame, by: Iterable[str]) -> pl.DataFrame:
    """Merge consecutive ranks that are the same in these columns into tiles with those columns."""
    by = list(by)
    alike = pl.struct(by).rle_id(), pl.col("rank") - pl.int_range(pl.len())  # and none between them is missing
    found = rows.group_by(alike[0].alias("like"), alike[1].alias("gap"), maintain_order=True).agg(
        pl.col("rank").first().alias("from"), pl.col("rank").last().alias("to"), pl.exclude("rank").first()
    )
    return found.drop("like", "gap").with_columns(left=pl.col("from") - 0.5, right=pl.col("to") + 0.5)


def _shares(rows: pl.DataFrame, kinds: Kinds, x: Spec, width: int) -> Spec:
    names = list(kinds.colours)
    long = rows.select("rank", *kinds.shares).unpivot(index="rank", variable_name="kind", value_name="share")
    place = pl.col("kind").replace_strict({name: i for i, name in enumerate(kinds.shares)})
    axis = left_axis(format="%", tickCount=2)
    areas = chart(
        mark("area", interpolate="step"),
        data=long.with_columns(pl.col("kind").replace(kinds.shares), place=place),
        x=x,
        y=field("share:Q", title="topics", stack="zero", scale={"domain": [0, 1]}, axis=axis),
        color=field("kind:N", title=None, scale=by_name(names, kinds.colours.values()), legend={"orient": "right"}),
        order="place:Q",
        tooltip=["kind:N", "rank:Q", "share:Q .1%"],
    )
    return {**areas, "width": width, "height": 3 * _STEP}


def below(above: Spec, strips: Iterable[Spec], title: str, *more: str) -> Spec:
    """Put strips below a curve, and a name above it, with lines that describe it."""
    head = {
        "text": title,
        "fontSize": 12.5,
        "limit": _AXIS + above["width"],
        **({"subtitle": list(more)} if more else {}),
    }
    return vconcat(above, *strips, spacing=6, title=head if title else None, resolve=OWN_LEGENDS)


def by_sign(column: str, kinds: Kinds = PLACED) -> pl.Expr:
    """Name the kinds by whether a number is above, at or below 0."""
    late, right, early = map(pl.lit, kinds.colours)
    value = pl.col(column)
    return pl.when(value > 0).then(late).when(value < 0).then(early).otherwise(right)


def within(column: str, kinds: Kinds = PLACED) -> pl.Expr:
    """Name the kinds of ranks: by state, or by sign; below the end of a list nothing is right, and a 0 has no name.

    (What could stand there, and should have been found, is too early all the same: CRP counts it.)
    """
    there = pl.col("state").is_in(list(STATES.colours)) | (pl.col(column) != 0)
    return pl.col("state") if column == "state" else pl.when(there).then(by_sign(column, kinds))


def placed_in_words(rows: pl.DataFrame) -> str:
    """Count the documents of a list by where they stand; of unjudged ones nobody knows where they belong."""
    documents = rows.filter(pl.col("state").is_in(list(STATES.colours)))
    kinds = documents.filter(pl.col("state") != UNJUDGED).select(by_sign("rp")).to_series()
    counts = [f"{(kinds == name).sum()} {name}" for name in reversed(list(PLACED.colours))]
    unjudged = documents.height - len(kinds)
    return f"of {counted(documents.height, 'document')} {', '.join(counts)}, {unjudged} unjudged"


def told(marks: Iterable[Mapping[str, Any]]) -> str:
    """List the points of a curve with their ranks and CRP, such as ``b_r 14 (CRP 3), no b_w``."""
    return ", ".join(
        f"no {each['mark']}" if each["rank"] is None else f"{each['mark']} {each['rank']} (CRP {each['crp']:g})"
        for each in marks
    )
