"""What becomes of the order of the runs without each topic."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cranfield.plots.few import labels_of, shortened
from cranfield.plots.grammar import Spec, chart, field, hconcat, layer, mark, vconcat
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, GUIDE, INK, named, panel_title
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted
from cranfield.plumbing.wording import named as listed

MOST_TOPICS = 40
"""More rows than that do not fit on a page: those without which most changes."""
ROW = 16
MOST_LETTERS = 22
"""Of an id of a topic, beside its row."""
WIDTH = 400
AFTER = 0.6
"""As a part of what the leads span: room behind them for the names of other leaders."""
TURNS, DECIDES, OTHER = "another run leads without it", "one of the fewest that decide together", "any other topic"
KINDS = {TURNS: (COLOURS[1], "diamond"), DECIDES: (COLOURS[0], "circle"), OTHER: (GUIDE, "square")}


@plot(of="influence")
def influence(measures: pl.DataFrame, topics: pl.DataFrame) -> Drawing:
    """Which topics decide the order of the runs?

    A row is a topic that is left out. On the left stands by how much the best run is then ahead of the second; the
    dashed line is the lead on all topics, and left of 0 the second is ahead. On the right stands Kendall's tau-b of
    the order of all runs without the topic with that on all topics.
    """
    parts = [(row, topics.filter(measure=row["measure"])) for row in measures.iter_rows(named=True)]
    several = measures["runs"][0] > 2
    count = int(measures["topics"][0])
    says = [
        "A row is a topic that is left out: what the order on these topics rests on, not what others would show.",
        "Dashed: the lead on all topics; left of 0 the second run is ahead.",
    ]
    if count > MOST_TOPICS:
        says.append(f"Of {count:,} topics the {MOST_TOPICS} that move the lead most.")
    return Drawing(
        vconcat(*(_panels(found, rows, several=several) for found, rows in parts), spacing=28),
        f"Influence of each topic on the order of {counted(int(measures['runs'][0]), 'run')} by "
        f"{', '.join(measures['measure'])}",
        " ".join(_described(found, rows) for found, rows in parts),
        tuple(says),
    )


def _panels(found: dict[str, Any], rows: pl.DataFrame, *, several: bool) -> Spec:
    if rows.height > MOST_TOPICS:
        kept = rows.with_row_index().sort(pl.col("influence").abs(), descending=True, maintain_order=True)
        rows = kept.head(MOST_TOPICS).sort("index").drop("index")
    kind = pl.when("turns").then(pl.lit(TURNS)).when("decisive").then(pl.lit(DECIDES)).otherwise(pl.lit(OTHER))
    ids = labels_of(rows["topic"].to_list(), MOST_LETTERS)
    rows = rows.drop("measure").with_columns(
        label=pl.col("topic").replace(ids),
        short=pl.col("leads").map_elements(lambda run: shortened(run, 18), return_dtype=pl.String),
    )
    rows = rows.with_columns(kind=kind, all=pl.lit(found["difference"]), zero=0.0)
    shown = [name for name in KINDS if name in rows["kind"].unique()]
    tips = [
        "topic:N",
        *(field(f"{name}:Q", format="+.4f") for name in ("difference", "without", "influence")),
        "leads:N",
        "swaps:Q",
        field("tau:Q", format=".4f"),
    ]
    # One legend for colour and shape: both are of the same field, in the same order.
    legend = {"orient": "bottom", "direction": "vertical", "symbolSize": 60, "symbolOpacity": 1} if shown[1:] else None
    looks = {
        "color": field("kind:N", title=None, scale=named(shown, [KINDS[name][0] for name in shown]), legend=legend),
        "shape": field("kind:N", title=None, scale=named(shown, [KINDS[name][1] for name in shown]), legend=legend),
    }
    y = field("label:N", sort=rows["label"].to_list(), title=None, axis={"labelLimit": 160, "grid": True})
    size = {"height": ROW * rows.height}
    point = mark("point", filled=True, size=50, opacity=1)
    dashed, whole = (mark("rule", color=INK, strokeWidth=1, **dash) for dash in ({"strokeDash": [4, 3]}, {}))
    one = rows.head(1).select("zero", "all")
    turning = rows.filter("turns")
    low, high = _ends(rows)
    room = AFTER * (high - low) if turning.height else 0.0
    scale = {"domain": [low, high + room], "nice": True}
    x = field(
        "without:Q",
        title=f"lead by {found['measure']} without the topic",
        scale=scale,
        axis={"labelFlush": False, "tickCount": 6},
    )
    leader, second = (shortened(found[name], 22) for name in ("leader", "second"))
    lead = layer(
        chart(whole, data=one, x={**x, "field": "zero"}),
        chart(dashed, data=one, x={**x, "field": "all"}),
        chart(mark("rule", color=GUIDE), data=rows, y=y, x={**x, "field": "all"}, x2="without"),
        chart(point, data=rows, y=y, x=x, **looks, tooltip=tips),
        *_then(turning, y, x),
        width=WIDTH,
        title=panel_title(f"{found['measure']}: {leader} less {second}", WIDTH),
        **size,
    )
    known = rows.filter(pl.col("tau").is_not_null())
    if not several or not known.height:
        return hconcat(lead)
    x = field(
        "tau:Q", title=f"tau-b of the orders by {found['measure']}", scale={"zero": False, "nice": False, "padding": 8}
    )
    x["axis"] = {"labelFlush": False, "tickCount": 4}
    orders = chart(
        point,
        data=known,
        y={**y, "axis": {"labelLimit": 160, "grid": True, "orient": "right"}},
        x=x,
        **looks,
        tooltip=tips,
    )
    title = panel_title(f"All {found['runs']} runs", 240)
    return hconcat(lead, {**orders, "width": 240, "title": title, **size}, spacing=14)


def _ends(rows: pl.DataFrame) -> tuple[float, float]:
    """Return between which values leads lie, with 0."""
    values = [*rows["without"], *rows["all"], 0.0]
    low, high = min(values), max(values)
    return (low, high) if low < high else (-1.0, 1.0)


def _then(turning: pl.DataFrame, y: Spec, x: Spec) -> Iterator[Spec]:
    """Name who leads without a topic, behind its row."""
    if turning.height:
        behind = turning.with_columns(behind=pl.max_horizontal("all", "without"), says=pl.format("then {}", "short"))
        limit = WIDTH * AFTER / (1 + AFTER) - 24
        words = mark("text", align="left", dx=9, fontSize=10, limit=limit, clip=True)
        yield chart(words, data=behind, y=y, x={**x, "field": "behind"}, text="says:N")


def _described(found: dict[str, Any], rows: pl.DataFrame) -> str:
    of = f"By {found['measure']} on {counted(found['topics'], 'topic')}"
    if not found["difference"]:
        return f"{of} {found['leader']} and {found['second']} are level."
    said = f"{of} {found['leader']} is ahead of {found['second']} by {found['difference']:.4f}."
    turning = rows.filter("turns")
    if turning.height:
        pairs = turning.select("topic", "leads").head(5).iter_rows()
        each = listed([f"{topic} (then {leads})" for topic, leads in pairs], 5)
        more = f", the first of them {each}" if turning.height > 5 else f": {each}"
        said += f" Without {counted(turning.height, 'topic')}, each alone, another run leads{more}."
    else:
        said += " Whichever single topic is left out, it leads."
    if found["decisive"] is None:
        return f"{said} It is better than {found['second']} on every topic."
    few = listed(rows.filter("decisive")["topic"].to_list(), 8)
    lowest = (
        ""
        if found["lowest_tau"] is None or found["runs"] < 3
        else f" The lowest tau-b without a topic is {found['lowest_tau']:.3f}."
    )
    return (
        f"{said} Its lead over {found['second']} is gone without {counted(found['decisive'], 'topic')}: {few}.{lowest}"
    )
