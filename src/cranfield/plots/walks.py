"""What figures of single lists share: a curve by rank, and strips below it that say what stands at each rank."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from cranfield.plots.grammar import alt
from cranfield.plots.theme import COLOURS, DASHES, INK, JUDGED, NOT_RELEVANT, RELEVANT, UNJUDGED
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

if TYPE_CHECKING:
    from cranfield.plots.plot import VegaLite

MOST_RUNS: Final = 6
"""More panels than these are not looked at."""
MOST_RANKS: Final = 250
"""More points of an average than these are not told apart, and slow."""
WIDTHS: Final = {1: 600, 2: 400}
"""Of a panel, by how many stand side by side."""
HEIGHT: Final = 230
STEP: Final = 13
"""Height of a line of a strip."""
LETTER: Final = 6.2
"""About how wide a letter of a label is."""
MEAN: Final = "all"
"""The topic of averages."""
LEGEND: Final = 34
"""How far above a curve its legend stands: between are the names of its points."""
AXIS: Final = 118
"""Room for the labels at the left, the same for all charts below each other, so that their ranks are."""


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
    """A curve of a panel: the column that it is of, its name, colour and dash."""

    column: str
    name: str
    colour: str
    dash: list[int]


OF_RUN: Final = Line("crp", "run", COLOURS[0], DASHES[0])
IDEAL: Final = Line("crp_ideal", "ideal list", INK, DASHES[0])
FULL_SCALE: Final = Line("crp_full_scale", "full-scale list (the ideal reversed)", "#7a7a7a", DASHES[1])


def drawn(ranks: pl.DataFrame, intervals: pl.DataFrame, most: int = MOST_RUNS) -> tuple[list[pl.DataFrame], list[str]]:
    """Return the rows of each run that is drawn, and what is to be said of the others.

    Raises
    ------
    InputError
        Where nothing relevant could be found, so that nothing can be misplaced.
    """
    if not intervals["last"].count():
        raise InputError(
            "no document is relevant here, so that none can stand too early or too late; name other topics"
        )
    parts = ranks.partition_by("run", maintain_order=True)
    says = [f"The first {most} of {len(parts)} runs; name fewer to choose."] if len(parts) > most else []
    if (each := _each(ranks)) > 1:
        says.append(f"One rank of {each} is drawn.")
    return parts[:most], says


def thinned(rows: pl.DataFrame) -> pl.DataFrame:
    """Leave out ranks of averages, where there are too many to be drawn."""
    return rows.filter(((pl.col("rank") - 1) % _each(rows) == 0) | (pl.col("rank") == pl.col("rank").max()))


def _each(rows: pl.DataFrame) -> int:
    """Say of how many ranks one is drawn."""
    return math.ceil(int(rows["rank"].max()) / MOST_RANKS) if is_mean(rows) else 1  # type: ignore[arg-type]


def is_mean(rows: pl.DataFrame) -> bool:
    """Tell averages from the ranks of a single topic."""
    return bool(rows["topic"][0] == MEAN)


def of_topic(example: pl.DataFrame) -> list[str]:
    """Say which topic it is, where there are several."""
    topics = int(example["topics"][0])
    if topics == 1:
        return []
    return [f"Of {topics} topics the one with the median recall base, {example['topic'][0]}; name another with topic."]


def of_full_scale(parts: Iterable[pl.DataFrame]) -> list[str]:
    """Say that the full-scale curve of CRP is cut off, where it is."""
    if any((rows["crp_full_scale"] > limits_of(rows, "crp", "crp_full_scale")[1]).any() for rows in parts):
        return ["The full-scale curve is cut off above what the run reaches."]
    return []


def side_by_side(charts: Sequence[VegaLite]) -> VegaLite:
    """Put the panels in two columns."""
    return with_own_legends(alt.concat(*charts, columns=2, spacing=26))


def width_of(panels: int) -> int:
    """Return the width of a panel, by how many there are."""
    return WIDTHS[min(panels, 2)]


def rank_axis(last: int, *, title: str | None = None, labels: bool = True, of: str = "rank") -> alt.X:
    """Return the axis of ranks, each of which has room for a tile."""
    axis = alt.Axis(tickMinStep=1, tickCount=10, labels=labels, ticks=labels, format="d")
    return alt.X(f"{of}:Q", title=title, axis=axis, scale=alt.Scale(domain=[0.5, last + 0.5], nice=False))


def left_axis(**others: Any) -> alt.Axis:
    """Return an axis at the left as wide as all others."""
    return alt.Axis(minExtent=AXIS, maxExtent=AXIS, titleX=-56, **others)


def curves(
    rows: pl.DataFrame,
    lines: Iterable[Line],
    title: str,
    limits: tuple[float, float],
    width: int,
    *,
    named: bool = False,
) -> alt.Chart:
    """Draw the curves of a run; what leaves the limits is cut off. Where points are named, there is room for that."""
    lines = list(lines)
    names = [line.name for line in lines]
    legend = alt.Legend(orient="top", symbolSize=260, columns=3, offset=LEGEND if named else 4)
    parts = [rows.select("rank", line=pl.lit(line.name), value=line.column) for line in lines]
    long = pl.concat([parts[0], *map(_corners, parts[1:])])
    chart = alt.Chart(long).mark_line(clip=True, point=rows.height == 1)
    found: alt.Chart = chart.encode(
        x=rank_axis(int(rows["rank"].max()), labels=False),  # type: ignore[arg-type]
        y=alt.Y("value:Q", title=title, scale=alt.Scale(domain=list(limits), nice=False), axis=left_axis()),
        color=alt.Color("line:N", title=None, scale=_scale(names, [line.colour for line in lines]), legend=legend),
        strokeDash=alt.StrokeDash(
            "line:N", title=None, scale=_scale(names, [line.dash for line in lines]), legend=legend
        ),
        tooltip=["line:N", "rank:Q", alt.Tooltip("value:Q", format=".4~f")],
    ).properties(width=width, height=HEIGHT)
    return found


def _corners(line: pl.DataFrame) -> pl.DataFrame:
    """Leave out the points of a line between which it is straight.

    >>> _corners(pl.DataFrame({"rank": [1, 2, 3, 4, 5], "value": [0, -1, -2, -2, -2]}))["rank"].to_list()
    [1, 3, 5]
    """
    step = pl.col("value").diff()
    return line.filter(step.ne_missing(step.shift(-1)))


def _scale(names: list[str], values: list[Any]) -> alt.Scale:
    return alt.Scale(domain=names, range=values)


def limits_of(rows: pl.DataFrame, run: str, lowest: str) -> tuple[float, float]:
    """Return between what the axis runs: all of the run, and of the other list what is below 0."""
    own, low = rows[run], min(0.0, float(rows[run].min()), float(rows[lowest].min()))  # type: ignore[arg-type]
    high = max(float(own.max()), -0.25 * low, 1.0)  # type: ignore[arg-type]
    return low * 1.04, high * 1.08


def points(marks: pl.DataFrame, names: Iterable[str], limits: tuple[float, float], last: int, width: int) -> VegaLite:
    """Mark the points of a curve: lines up and down, their names above, and where both curves are there."""
    found = marks.filter(pl.col("mark").is_in(list(names)) & (pl.col("rank") <= last)).sort("rank", maintain_order=True)
    here = found.group_by("rank", maintain_order=True).agg(pl.col("mark").str.join(" = "))
    heights = levels(here["rank"].to_list(), here["mark"].to_list(), width / last)
    here = here.with_columns(up=pl.Series([-8 - 13 * level for level in heights], dtype=pl.Float64))
    x = alt.X("rank:Q")
    rules = alt.Chart(here).mark_rule(color=INK, strokeWidth=0.8, strokeDash=[2, 2]).encode(x=x)
    layers: list[alt.Chart] = [rules]
    for up, part in zip(
        sorted(set(heights)), here.sort("up", descending=True).partition_by("up", maintain_order=True), strict=True
    ):
        words = alt.Chart(part).mark_text(baseline="bottom", dy=-4 - 13 * up, fontStyle="italic")
        layers.append(words.encode(x=x, y=alt.value(0), text="mark:N"))
    tips = ["mark:N", "rank:Q", alt.Tooltip("crp:Q", title="CRP"), alt.Tooltip("crp_full_scale:Q", title="full-scale")]
    for column, shape, elsewhere in (("crp", "circle", "b_w"), ("crp_full_scale", "square", "b_r")):
        inside = found.filter(pl.col(column).is_between(*limits) & (pl.col("mark") != elsewhere))
        colour = OF_RUN.colour if column == "crp" else FULL_SCALE.colour
        dots = alt.Chart(inside).mark_point(color=colour, shape=shape, filled=True, size=55, opacity=1)
        layers.append(dots.encode(x=x, y=f"{column}:Q", tooltip=tips))
    return alt.layer(*layers)


def levels(ranks: list[int], labels: list[str], scale: float) -> list[int]:
    """Say how many lines up each label stands, so that none covers another.

    >>> levels([10, 12, 100], ["R", "min = b", "N"], 1.0)
    [0, 1, 0]
    """
    ends: list[float] = []
    found = []
    for rank, label in zip(ranks, labels, strict=True):
        half = (LETTER * len(label) + 6) / 2
        level = next((i for i, end in enumerate(ends) if rank * scale - half > end), len(ends))
        ends[level : level + 1] = [rank * scale + half]
        found.append(level)
    return found


def strip(
    rows: pl.DataFrame, kinds: Kinds, kind: pl.Expr, width: int, *, title: str | None = None, documents: bool = False
) -> alt.Chart:
    """Say of each rank of which kind it is (with the document there); of averages, at how many of the topics."""
    last = int(rows["rank"].max())  # type: ignore[arg-type]
    if is_mean(rows):
        return _shares(rows, kinds, rank_axis(last, title=title, labels=title is not None), width)
    names, of_document = (
        list(kinds.colours),
        ("state", "doc_id", "grade", "rp", "crp", "delta_gain") if documents else (),
    )
    x = rank_axis(last, title=title, labels=title is not None, of="left")
    judged = pl.when(pl.col("state") != "unjudged").then("doc_id").alias("doc_id")  # the others are one tile together
    kept = (
        rows.with_columns(judged).select("rank", kind.alias("kind"), *of_document).filter(pl.col("kind").is_in(names))
    )
    found: alt.Chart = (
        alt.Chart(tiles(kept, ["kind", *of_document[:2]]))
        .mark_rect()
        .encode(
            x=x,
            x2="right:Q",
            y=alt.Y("kind:N", title=None, scale=alt.Scale(domain=names), axis=left_axis(ticks=False, domain=False)),
            color=alt.Color("kind:N", scale=_scale(names, list(kinds.colours.values())), legend=None),
            tooltip=["from:Q", "to:Q", "kind:N", *of_document[1:]],
        )
        .properties(width=width, height=STEP * len(names))
    )
    return found


def tiles(rows: pl.DataFrame, by: Iterable[str]) -> pl.DataFrame:
    """Put ranks together that follow each other and are alike; what they have in common, the tile has, too.

    >>> rows = pl.DataFrame({"rank": [1, 2, 3], "kind": ["right"] * 3, "doc_id": ["a", None, None], "rp": [0.0] * 3})
    >>> tiles(rows, ["kind", "doc_id"]).select("from", "to", "left", "right", "doc_id").rows()
    [(1, 1, 0.5, 1.5, 'a'), (2, 3, 1.5, 3.5, None)]
    """
    by = list(by)
    alike = pl.struct(by).rle_id(), pl.col("rank") - pl.int_range(pl.len())  # and none between them is missing
    found = rows.group_by(alike[0].alias("like"), alike[1].alias("gap"), maintain_order=True).agg(
        pl.col("rank").first().alias("from"), pl.col("rank").last().alias("to"), pl.exclude("rank").first()
    )
    return found.drop("like", "gap").with_columns(left=pl.col("from") - 0.5, right=pl.col("to") + 0.5)


def _shares(rows: pl.DataFrame, kinds: Kinds, x: alt.X, width: int) -> alt.Chart:
    names = list(kinds.colours)
    long = rows.select("rank", *kinds.shares).unpivot(index="rank", variable_name="kind", value_name="share")
    long = long.with_columns(
        pl.col("kind").replace(kinds.shares),
        place=pl.col("kind").replace_strict({n: i for i, n in enumerate(kinds.shares)}),
    )
    share = alt.Y(
        "share:Q", title="topics", stack="zero", scale=alt.Scale(domain=[0, 1]), axis=left_axis(format="%", tickCount=2)
    )
    colour = alt.Color(
        "kind:N", title=None, scale=_scale(names, list(kinds.colours.values())), legend=alt.Legend(orient="right")
    )
    tips = ["kind:N", "rank:Q", alt.Tooltip("share:Q", format=".1%")]
    found: alt.Chart = (
        alt.Chart(long)
        .mark_area(interpolate="step")
        .encode(x=x, y=share, color=colour, order="place:Q", tooltip=tips)
        .properties(width=width, height=3 * STEP)
    )
    return found


def below(chart: VegaLite, strips: Iterable[VegaLite], title: str) -> VegaLite:
    """Put strips below a curve, and a name above it."""
    stacked = alt.vconcat(chart, *strips, spacing=6).properties(title=alt.Title(title, fontSize=12.5))
    return with_own_legends(stacked)


def with_own_legends(chart: VegaLite) -> VegaLite:
    """Leave each part of a figure its own legend."""
    found: VegaLite = chart.resolve_scale(
        color="independent",
        strokeDash="independent",
        strokeWidth="independent",
        shape="independent",
        fill="independent",
    )
    return found


def by_sign(column: str, kinds: Kinds = PLACED) -> pl.Expr:
    """Name the kinds by whether a number is above, at or below 0."""
    late, right, early = kinds.colours
    return (
        pl.when(pl.col(column) > 0)
        .then(pl.lit(late))
        .when(pl.col(column) < 0)
        .then(pl.lit(early))
        .otherwise(pl.lit(right))
    )


def placed() -> pl.Expr:
    """Name where a document stands, beside its place in the ideal list; below the end of a list nothing is right.

    (What could stand there, and should have been found, is too early all the same: CRP counts it.)
    """
    nothing = ~pl.col("state").is_in(list(STATES.colours)) & (pl.col("rp") == 0)
    return pl.when(nothing).then(None).otherwise(by_sign("rp"))


def placed_in_words(rows: pl.DataFrame) -> str:
    """Count the documents of a list by where they stand; of unjudged ones nobody knows where they belong.

    >>> states = [RELEVANT, UNJUDGED, NOT_RELEVANT, "beyond the end"]
    >>> rows = pl.DataFrame({"state": states, "rp": [0.0, -1.0, 0.0, 0.0]})
    >>> placed_in_words(rows)
    'of 3 documents 0 too early, 2 right, 0 too late, 1 unjudged'
    """
    documents = rows.filter(pl.col("state").is_in(list(STATES.colours)))
    kinds = documents.filter(pl.col("state") != UNJUDGED).select(by_sign("rp")).to_series()
    counts = [f"{(kinds == name).sum()} {name}" for name in reversed(list(PLACED.colours))]
    unjudged = documents.height - len(kinds)
    return f"of {counted(documents.height, 'document')} {', '.join(counts)}, {unjudged} unjudged"


def told(marks: Iterable[Mapping[str, Any]]) -> str:
    """Say where the points of a curve are.

    >>> told([{"mark": "b_r", "rank": 14, "crp": 3.0}, {"mark": "b_w", "rank": None, "crp": None}])
    'b_r 14 (CRP 3), no b_w'
    """
    return ", ".join(
        f"no {each['mark']}" if each["rank"] is None else f"{each['mark']} {each['rank']} (CRP {each['crp']:g})"
        for each in marks
    )
