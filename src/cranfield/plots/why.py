"""Two lists of one topic, and the lines between them: what makes the one better than the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from cranfield.pages.look import SHADES as LOOK
from cranfield.plots.grammar import Spec, between, chart, dot, field, layer, mark, when
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.printing import AS_HIGH
from cranfield.plots.theme import FAINT, INK, JUDGED, NOT_RELEVANT, UNJUDGED, by_name
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import called, counted

_MOST_LINES: Final = 15  # How many lines are drawn, of the documents that contribute most
_TOP: Final = 10  # How many ranks from the top are shown, whatever stands there
SLOT, _GAP = 18, 10  # Height of a rank, and of all the ranks that are left out between two others
HEAD: Final = 34
"""Room for the names of the lists."""
_WIDTH: Final = 240  # How far apart the lists are
STUB: Final = 0.14  # How far a line goes that leads to no other list, as a share of that
NOT_THERE: Final = "not retrieved"  # What stands at its end
AT_RANK, AT_NUMBER, AT_NAME = 12, 41, 86
"""How far from its list stand the rank of a document, what it contributes, and its id."""
_ROOM: Final = 190  # How wide an id may be
LONGEST_TITLE: Final = 40  # How many letters the name of a list may have above it; the title has it whole
THINNEST, THICKEST = 1, 9
AGAINST: Final = [5, 3]  # The dash of lines that speak for the worse list
_SHADES: Final = ("#56B4E9", "#0072B2", "#003F66")
"""Of relevant grades, the lowest first."""

_SHAPES: Final = {NOT_RELEVANT: "square", UNJUDGED: "diamond"}
"""Where colours are greys, too, what is not relevant is told from what is; relevant documents are circles."""


@plot(of="why", measures=("nDCG@10",))
def why(documents: pl.DataFrame, lists: pl.DataFrame) -> Drawing:
    """Why is one list better than another on a topic?

    Each list is a column of documents, rank by rank; ranks where nothing counts are left out. A line joins the two
    places of a document: its width is the contribution to the difference, its colour the grade. It is dashed where the
    document favours the worse list. A short line is a document that the other run did not retrieve, and says so. Two
    rings mark the documents of the worse list whose swap would improve it most.
    """
    about = lists.row(0, named=True)
    counting = documents.filter("counts")
    joined = counting.head(_MOST_LINES)
    ends = {name: set(joined[name].drop_nulls()) for name in ("rank_a", "rank_b")}
    if about["swap_list"]:
        ends[f"rank_{about['swap_list']}"] |= {about["swap_high"], about["swap_low"]}
    shown = {name: ends[name].union(rank for rank in documents[name].drop_nulls() if rank <= _TOP) for name in ends}
    height = _heights(sorted(set().union(*shown.values())))
    places = pl.concat([
        _places(documents, shown[f"rank_{run}"], list(joined["document"]), about, height, run) for run in "ab"
    ])  # fmt: skip
    return Drawing(
        _chart(about, places, _lines(joined, about, height), max(height.values()) + SLOT),
        _titled(about),
        _described(about, joined, counting.height),
        *_said(about, counting),
    )


def _heights(ranks: Sequence[int]) -> dict[int, float]:
    """Return the vertical position of each rank; gaps between ranks take little room."""
    height: dict[int, float] = {}
    at, following = float(HEAD), 1
    for rank in ranks:
        at += _GAP * (rank > following)
        height[rank] = at
        at, following = at + SLOT, rank + 1
    return height


def _places(
    documents: pl.DataFrame,
    shown: set[int],
    joined: list[str],
    about: Mapping[str, Any],
    height: Mapping[int, float],
    run: str,
) -> pl.DataFrame:
    """Return a row for each document of a list that is shown, by rank."""
    rank = pl.col(f"rank_{run}")
    said = pl.col("document").is_in(joined) & (pl.lit(run == "a") | pl.col("rank_a").is_null())
    swapped = rank.is_in([about["swap_high"], about["swap_low"]]) & (run == about["swap_list"])
    y = rank.replace_strict(height, return_dtype=pl.Float64)
    return documents.filter(rank.is_in(list(shown))).sort(rank).with_columns(
        x=pl.lit(0.0 if run == "a" else 1.0), y=y, rank=rank,
        number=pl.when(said).then("contribution"),  # once, at the first list that has the document
        ring=swapped.fill_null(value=False),
        length=pl.lit(documents[f"rank_{run}"].max(), pl.Int64),
        gap=pl.when(rank.diff() > 1).then(y - (y.diff() - _GAP / 2) / 2),
    )  # fmt: skip


def _lines(joined: pl.DataFrame, about: Mapping[str, Any], height: Mapping[int, float]) -> pl.DataFrame:
    """Return the points of each line, from the left list to the right one."""
    rows = []
    for row in joined.iter_rows(named=True):
        left, right = row["rank_a"], row["rank_b"]
        ends = [(0.0, left), (STUB, left)] if left else []
        ends += [(1 - STUB, right), (1.0, right)] if right else []
        against = about["better"] is not None and row["contribution"] < 0
        of = {"document": row["document"], "kind": row["kind"], "size": abs(row["contribution"]), "against": against}
        rows += [{**of, "place": place, "x": x, "y": height[rank]} for place, (x, rank) in enumerate(ends)]
    return pl.DataFrame(
        rows,
        schema={
            "document": pl.String,
            "kind": pl.String,
            "size": pl.Float64,
            "against": pl.Boolean,
            "place": pl.Int64,
            "x": pl.Float64,
            "y": pl.Float64,
        },
    )


def _chart(about: Mapping[str, Any], places: pl.DataFrame, lines: pl.DataFrame, deep: float) -> Spec:
    x = field("x:Q", scale={"domain": [0, 1]}, axis=None)
    y = field("y:Q", scale=between(deep, 0, zero=False), axis=None)
    colours = _colours(places)
    shapes = by_name(colours["domain"], (_SHAPES.get(kind, "circle") for kind in colours["domain"]))
    legend = {"orient": "bottom", "title": None, "symbolOpacity": 1}
    colour, shape = (field("kind:N", scale=scale, legend=legend) for scale in (colours, shapes))
    width = {"domain": [0, lines["size"].max() or 1], "range": [THINNEST, THICKEST]}
    rails = places.group_by("x", maintain_order=True).agg(
        y=pl.lit(HEAD - SLOT / 2), end=pl.max("y") + SLOT / 2, last=pl.max("rank"), length=pl.first("length")
    )
    ended = pl.col("length") == pl.col("last")
    below = rails.filter(~ended).select("x", y=pl.col("end") + _GAP / 2)
    left_out = pl.concat([places.filter(pl.col("gap").is_not_null()).select("x", y="gap"), below])
    end, rings = {**y, "field": "end"}, places.filter("ring")
    numbers = ["adds_a:Q +.4f", "adds_b:Q +.4f", "contribution:Q +.4f"]
    return layer(
        chart(mark("rule", color=FAINT), data=rails, x=x, y=y, y2="end"),
        chart(
            mark("line", interpolate="monotone", strokeCap="butt", opacity=0.85),
            data=lines, x=x, y=y, color=colour, detail="document:N", order="place:Q",
            size=field("size:Q", scale=width, legend=None),
            strokeDash=when("datum.against", AGAINST, [1, 0]),
        ),
        *_stubs(lines, x, y),
        chart(mark("text", text="⋮", fontSize=13), data=left_out, x=x, y=y),
        chart(mark("tick", orient="horizontal", size=16, thickness=2, color=INK), data=rails.filter(ended), x=x, y=end),
        chart(dot(44), data=places, x=x, y=y, color=colour, shape=shape,
              tooltip=["document:N", "kind:N", "rank_a:Q", "rank_b:Q", *numbers]),
        chart(mark("point", filled=False, size=190, opacity=1, color=INK, strokeWidth=1.6), data=rings, x=x, y=y),
        *(each for side in (0, 1) for each in _words(side, about, places.filter(x=side), x, y)),
        width=_WIDTH, height=deep, view={"stroke": None, "style": AS_HIGH},
    )  # fmt: skip


def _stubs(lines: pl.DataFrame, x: Spec, y: Spec) -> Iterator[Spec]:
    """Say where a line ends that its document is not in the other list."""
    ends = lines.filter(pl.col("x").is_in([STUB, 1 - STUB]) & (pl.len().over("document") == 2))
    for at, align, way in ((STUB, "left", 1), (1 - STUB, "right", -1)):
        text = mark("text", text=NOT_THERE, align=align, dx=5 * way, fontSize=10, color=LOOK["quiet"].light)
        yield chart(text, data=ends.filter(x=at).select("x", "y"), x=x, y=y)


def _colours(places: pl.DataFrame) -> dict[str, Any]:
    """Give a colour to each kind of document that there is: to grades, the highest first, and to the other two."""
    grades = places.filter(~pl.col("kind").is_in(list(JUDGED))).select("kind", "grade").unique()
    kinds = grades.sort("grade")["kind"].to_list()
    shades = _shades(len(kinds))
    colours = dict(zip(reversed(kinds), reversed(shades), strict=True))
    colours |= {kind: JUDGED[kind] for kind in (NOT_RELEVANT, UNJUDGED) if kind in places["kind"]}
    return by_name(colours, colours.values())


def _shades(many: int) -> list[str]:
    """Return distinct shades, from light to dark."""
    known = [[int(shade[place : place + 2], 16) for place in (1, 3, 5)] for shade in _SHADES]
    at = np.linspace(0, len(known) - 1, many) if many != 1 else [(len(known) - 1) / 2]
    channels = (np.interp(at, range(len(known)), channel).round().astype(int) for channel in zip(*known, strict=True))
    return [f"#{red:02X}{green:02X}{blue:02X}" for red, green, blue in zip(*channels, strict=True)]


def _words(side: int, about: Mapping[str, Any], places: pl.DataFrame, x: Spec, y: Spec) -> Iterator[Spec]:
    """Write next to a list its name and value, and of each document its rank, what it contributes, and its id."""
    align, way = ("right", -1) if side == 0 else ("left", 1)
    quiet, numbered = LOOK["quiet"].light, places["number"].count() > 0
    for column, at, looks in (
        ("rank:Q ,d", AT_RANK, {}),
        ("number:Q +.4f", AT_NUMBER, {}),
        ("document:N", AT_NAME if numbered else AT_NUMBER, {"limit": _ROOM, "color": quiet}),
    ):
        text = mark("text", align=align, baseline="middle", dx=way * at, fontSize=10.5, **looks)
        yield chart(text, data=places, where=[f"isValid(datum.{column.split(':')[0]})"], x=x, y=y, text=column)
    run = "ab"[side]
    name = about[run] if len(about[run]) <= LONGEST_TITLE else f"{about[run][: LONGEST_TITLE - 1]}…"
    head = pl.DataFrame({"x": [float(side)], "y": [10.0], "name": [f"{name}: {about[f'value_{run}']:.4f}"]})
    looks = {"align": align, "dx": way * AT_RANK, "fontWeight": 600, "fontSize": 12}
    yield chart(mark("text", **looks), data=head, x=x, y=y, text="name:N")


def _titled(about: Mapping[str, Any]) -> str:
    """Answer in a sentence."""
    if about["better"] is None:
        return f"{about['a']} and {about['b']} tie in {about['measure']} on topic {about['topic']}"
    other = about["b"] if about["better"] == about["a"] else about["a"]
    lead = abs(about["value_a"] - about["value_b"])
    return f"{about['better']} leads {other} by {lead:.4f} in {about['measure']} on topic {about['topic']}"


def _described(about: Mapping[str, Any], joined: pl.DataFrame, many: int) -> str:
    """Say what the title does not: what both lists have, how many documents contribute, and which most."""
    first = []
    for row in joined.head(3).iter_rows(named=True):
        a, b = (NOT_THERE if rank is None else f"rank {rank:,}" for rank in (row["rank_a"], row["rank_b"]))
        where = f"{row['kind']}, {a} in {about['a']}, {b} in {about['b']}"
        first.append(f"{called(row['document'], 'document')} ({where}) {row['contribution']:+z.4f}")
    values = f"{about['a']} has {about['value_a']:.4f}, {about['b']} {about['value_b']:.4f}."
    contribute = f"{counted(many, 'document')} {'contributes' if many == 1 else 'contribute'}"
    most = f"{contribute}, most of all {'; '.join(first)}." if first else "No document of either list contributes."
    return f"{values} {most} {about['advice']}".strip()


def _said(about: Mapping[str, Any], counting: pl.DataFrame) -> Iterator[str]:
    """Say what the marks are, and what was left out."""
    if not counting.height:
        yield f"No document of either list contributes anything to the difference of {about['measure']}."
        return
    yield f"Line and number: what a document contributes. {about['whose']}"
    if about["better"] is not None and (counting["contribution"][:_MOST_LINES] < 0).any():
        yield f"Dashed: in favour of {about['b' if about['better'] == about['a'] else 'a']}."
    if counting.height > _MOST_LINES:
        rest = counting["contribution"][_MOST_LINES:].sum()
        yield f"{counted(counting.height - _MOST_LINES, 'further document')} not drawn, {rest:+z.4f} together."
    if about["advice"]:
        yield f"Rings: {about['advice'][0].lower()}{about['advice'][1:]}" if about["swap_list"] else about["advice"]
