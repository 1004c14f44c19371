"""Runs topic by topic: all of them, two, and what becomes of their order without each topic."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cranfield.plots.few import ends_told, labels_of, shortened, step_of
from cranfield.plots.grammar import Spec, chart, dot, field, hconcat, independent, layer, mark, stack, vconcat, when
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, GUIDE, INK, RISING, by_name, panel_title, quoted
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, named, ordinal
from cranfield.statistics.on_paper import settled

_MOST_RUNS = 60
MOST_COLUMNS = 100  # More rows and columns than these do not fit on a page
_MOST_LABELS = 60  # More ids of topics than these would not be legible below the bars


@plot(of="scores", measures=("AP",))
def heatmap(per_topic: pl.DataFrame, places: pl.DataFrame) -> Drawing:
    """Which topics are hard for all runs, and which for some?

    A cell is a run on a topic, the darker the better. The best run is at the top, and the topic
    with the best mean on the left: runs differ where the pattern breaks.
    """
    names = (table["measure"].unique(maintain_order=True) for table in (per_topic, places))
    parts = [_Cells(a, per_topic.filter(measure=a), places.filter(measure=b)) for a, b in zip(*names, strict=True)]
    runs, topics = per_topic["run"].n_unique(), per_topic["topic"].n_unique()
    each = step_of(topics, MOST_COLUMNS)
    return Drawing(
        stack([part.drawn() for part in parts], spacing=24, resolve=independent("color")),
        f"{', '.join(part.measure for part in parts)} by run and topic",
        " ".join(part.described() for part in parts),
        "A cell is a run on a topic: darker is better. The best run and topic come first.",
        f"The best {_MOST_RUNS} of {runs} runs." if runs > _MOST_RUNS else "",
        f"Every {ordinal(each)} of {topics} topics in that order." if each > 1 else "",
        *(f"{part.measure} is {part.rows['value'][0]:.3f} everywhere." for part in parts if part.is_level),
    )


class _Cells(NamedTuple):
    """The values of runs on topics by a measure, and the places of the runs."""

    measure: str
    rows: pl.DataFrame
    places: pl.DataFrame

    @property
    def is_level(self) -> bool:
        return self.rows.height > 1 and self.rows["value"].n_unique() == 1

    @property
    def higher(self) -> bool:
        """Whether more is better."""
        return bool(self.places["better"][0] == "higher")

    @property
    def runs(self) -> pl.DataFrame:
        """Runs and their averages, the best first."""
        return self.places.sort("place", maintain_order=True)

    @property
    def topics(self) -> pl.DataFrame:
        """Topics and their means over the runs, the best first."""
        means = self.rows.group_by("topic", maintain_order=True).agg(value=pl.col("value").mean())
        return means.sort("value", descending=self.higher, maintain_order=True)

    def drawn(self) -> Spec:
        topics, runs = self.topics["topic"].to_list(), self.runs["run"].to_list()
        topics, runs = topics[:: step_of(len(topics), MOST_COLUMNS)], runs[:_MOST_RUNS]
        kept = pl.col("topic").is_in(topics), pl.col("run").is_in(runs)
        shown = self.rows.filter(*kept).select("run", "topic", "value")
        least, most = float(shown["value"].min() or 0), float(shown["value"].max() or 0)  # type: ignore[arg-type]
        ends = [least, most if most > least else least + 1]  # what is the same everywhere is light, not in between
        shades = RISING if self.higher or most == least else RISING[::-1]
        cells = chart(
            mark("rect"),
            data=shown,
            x=field("topic:N", sort=topics, title="topic"),
            y=field("run:N", sort=runs, title=None, axis={"labelOverlap": False}),  # a row is as high in print
            color=field("value:Q", title=self.measure, scale=by_name(ends, shades)),
            tooltip=["run:N", "topic:N", field("value:Q .4f", title=self.measure)],
        )
        return {**cells, "width": {"step": 12}, "height": {"step": 12}}

    def described(self) -> str:
        topics, runs = self.topics, self.runs
        easiest, hardest = ends_told(topics["topic"].to_list(), topics["value"].to_list())
        best, _ = ends_told(runs["run"].to_list(), runs["value"].to_list())
        return (
            f"By {self.measure}, the easiest of {counted(topics.height, 'topic')} {easiest} (mean "
            f"{topics['value'][0]:.3f}) and the hardest {hardest} ({topics['value'][-1]:.3f}); the best of "
            f"{counted(runs.height, 'run')} {best} ({runs['value'][0]:.3f})."
        )


@plot(of="scores", measures=("AP",))
def differences(per_topic: pl.DataFrame) -> Drawing:
    """On which topics is one run better than the other, and by how much?

    A bar is a topic: the value of the first run minus that of the second, the largest first. A mean difference may come
    from many topics or from few; `compare` tests it.
    """
    runs = per_topic["run"].unique(maintain_order=True).to_list()
    if len(runs) != 2:
        raise InputError(f"differences needs two runs, not {len(runs)}; name two")
    parts = {part["measure"][0]: _wide(part, runs) for part in per_topic.partition_by("measure", maintain_order=True)}
    return Drawing(
        stack([_bars(part, measure, runs) for measure, part in parts.items()], spacing=24),
        f"{runs[0]} minus {runs[1]}, topic by topic",
        " ".join(_higher_on(part, measure, runs) for measure, part in parts.items()),
        f"A bar is a topic: above 0 {runs[0]} is higher, below it {runs[1]}; the dashed line is the mean.",
    )


def _wide(rows: pl.DataFrame, runs: list[str]) -> pl.DataFrame:
    """Return a row for each topic: its id, both values, and their difference; the largest first."""
    first, second = (rows.filter(run=run).select("topic", "value") for run in runs)
    both = first.join(second, on="topic", suffix="_of_other", maintain_order="left")
    difference = pl.Series(settled((both["value"] - both["value_of_other"]).to_numpy()))
    found = both.select("topic", first="value", second="value_of_other", difference=difference)
    return found.sort("difference", descending=True, maintain_order=True)


def _bars(rows: pl.DataFrame, measure: str, runs: list[str]) -> Spec:
    labels = rows.height <= _MOST_LABELS
    title = counted(rows.height, "topic") + ("" if labels else ", without their ids")
    values = zip(("first", "second", "difference"), (*map(quoted, runs), "difference"), strict=True)
    level = {} if (rows["difference"] != 0).any() else {"scale": {"domain": [-1, 1]}}
    bars = chart(
        mark("bar"),
        x=field("topic:N", sort=rows["topic"].to_list(), title=title, axis={"labels": labels, "ticks": labels}),
        y=field("difference:Q", title=f"difference by {measure}", **level),
        color=when("datum.difference >= 0", COLOURS[0], COLOURS[1]),
        tooltip=["topic:N", *(field(f"{name}:Q .4f", title=title) for name, title in values)],
    )
    mean = chart(mark("rule", strokeDash=[4, 3]), y=field("difference:Q", aggregate="mean"))
    return layer(bars, mean, data=rows, width=max(240, min(900, 12 * rows.height)), height=220)


def _higher_on(rows: pl.DataFrame, measure: str, runs: list[str]) -> str:
    difference = rows["difference"]
    above, below = int((difference > 0).sum()), int((difference < 0).sum())
    most, least = ((rows["topic"][row], difference[row]) for row in (0, -1))
    return (
        f"By {measure} {runs[0]} is higher on {counted(above, 'topic')}, {runs[1]} on {below}, and they are equal on "
        f"{rows.height - above - below}; the mean difference is {np.mean(difference.to_numpy()):.3f}, from "
        f"{least[1]:.3f} (topic {least[0]}) to {most[1]:.3f} (topic {most[0]})."
    )


_MOST_TOPICS = 40  # More rows than that do not fit on a page: those without which most changes
_ROW = 16
_MOST_LETTERS = 22  # Of an id of a topic, next to its row
_WIDTH = 400
_AFTER = 0.6  # As a part of what the leads span: room behind them for the names of other leaders
TURNS, DECIDES, _OTHER = "another run leads without it", "one of the fewest that turn the lead", "any other topic"
_KINDS = {TURNS: (COLOURS[1], "diamond"), DECIDES: (COLOURS[0], "circle"), _OTHER: (GUIDE, "square")}


@plot(of="influence")
def influence(measures: pl.DataFrame, topics: pl.DataFrame) -> Drawing:
    """Which topics decide the order of the runs?

    A row is a topic that is left out. The left panel shows the lead of the best run over the second without it; the
    dashed line is the lead on all topics, and left of 0 the second is ahead. The right panel shows Kendall's τ_b
    between the orders of all runs without the topic and on all topics.
    """
    parts = [(row, topics.filter(measure=row["measure"])) for row in measures.iter_rows(named=True)]
    runs, count = int(measures["runs"][0]), int(measures["topics"][0])
    return Drawing(
        vconcat(*(_without_each(found, rows) for found, rows in parts), spacing=28),
        f"Influence of each topic on the order of {counted(runs, 'run')} by {', '.join(measures['measure'])}",
        " ".join(_decided(found, rows) for found, rows in parts),
        "A row is a topic left out: it shows what this order rests on, not what others would show.",
        "Dashed: the lead on all topics; left of 0 the second run is ahead.",
        f"The {_MOST_TOPICS} of {count:,} topics that move the lead most." if count > _MOST_TOPICS else "",
        *(
            f"By {of['measure']} {of['leader']} and {of['second']} are level."
            for of, _ in parts
            if not of["difference"]
        ),
    )


def _without_each(found: dict[str, Any], rows: pl.DataFrame) -> Spec:
    if rows.height > _MOST_TOPICS:
        kept = rows.with_row_index().sort(pl.col("influence").abs(), descending=True, maintain_order=True)
        rows = kept.head(_MOST_TOPICS).sort("index").drop("index")
    kind = pl.when("turns").then(pl.lit(TURNS)).when("decisive").then(pl.lit(DECIDES)).otherwise(pl.lit(_OTHER))
    rows = rows.drop("measure").with_columns(
        label=pl.col("topic").replace(labels_of(rows["topic"].to_list(), _MOST_LETTERS)),
        short=pl.col("leads").map_elements(lambda run: shortened(run, 18), return_dtype=pl.String),
        kind=kind,
        all=pl.lit(found["difference"]),
        zero=0.0,
    )
    shown = [name for name in _KINDS if name in rows["kind"].unique()]
    tips = ["topic:N", "difference:Q +.4f", "without:Q +.4f", "influence:Q +.4f", "leads:N", "swaps:Q", "tau:Q .4f"]
    # One legend for colour and shape: both are of the same field, in the same order.
    legend = {"orient": "bottom", "direction": "vertical", "symbolSize": 60, "symbolOpacity": 1} if shown[1:] else None
    looks = {
        "color": field("kind:N", title=None, scale=by_name(shown, [_KINDS[name][0] for name in shown]), legend=legend),
        "shape": field("kind:N", title=None, scale=by_name(shown, [_KINDS[name][1] for name in shown]), legend=legend),
    }
    y = field("label:N", sort=rows["label"].to_list(), title=None, axis={"labelLimit": 160, "grid": True})
    point, height = dot(50), _ROW * rows.height
    one, turning = rows.head(1).select("zero", "all"), rows.filter("turns")
    values = [*rows["without"], *rows["all"], 0.0]
    low, high = min(values), max(values)
    low, high = (low, high) if low < high else (-1.0, 1.0)
    scale = {"domain": [low, high + (_AFTER * (high - low) if turning.height else 0.0)], "nice": True}
    axis = {"labelFlush": False, "tickCount": 6}
    x = field("without:Q", title=f"lead by {found['measure']} without the topic", scale=scale, axis=axis)
    leader, second = (shortened(found[name], 22) for name in ("leader", "second"))
    behind = []
    if turning.height:  # who leads without the topic is named behind its row
        places = turning.with_columns(behind=pl.max_horizontal("all", "without"), says=pl.format("then {}", "short"))
        words = mark("text", align="left", dx=9, fontSize=10, limit=_WIDTH * _AFTER / (1 + _AFTER) - 24, clip=True)
        behind = [chart(words, data=places, y=y, x={**x, "field": "behind"}, text="says:N")]
    lead = layer(
        chart(mark("rule", color=INK, strokeWidth=1), data=one, x={**x, "field": "zero"}),
        chart(mark("rule", color=INK, strokeWidth=1, strokeDash=[4, 3]), data=one, x={**x, "field": "all"}),
        chart(mark("rule", color=GUIDE), data=rows, y=y, x={**x, "field": "all"}, x2="without"),
        chart(point, data=rows, y=y, x=x, **looks, tooltip=tips),
        *behind,
        width=_WIDTH, title=panel_title(f"{found['measure']}: {leader} minus {second}", _WIDTH), height=height,
    )  # fmt: skip
    known = rows.filter(pl.col("tau").is_not_null())
    if found["runs"] <= 2 or not known.height:
        return hconcat(lead)
    scale, axis = {"zero": False, "nice": False, "padding": 8}, {"labelFlush": False, "tickCount": 4}
    x = field("tau:Q", title=f"τ_b of the orders by {found['measure']}", scale=scale, axis=axis)
    right = {**y, "axis": {"labelLimit": 160, "grid": True, "orient": "right"}}
    orders = chart(point, data=known, y=right, x=x, **looks, tooltip=tips)
    title = panel_title(f"All {found['runs']} runs", 240)
    return hconcat(lead, {**orders, "width": 240, "title": title, "height": height}, spacing=14)


def _decided(found: dict[str, Any], rows: pl.DataFrame) -> str:
    of = f"By {found['measure']} on {counted(found['topics'], 'topic')}"
    if not found["difference"]:
        return f"{of} {found['leader']} and {found['second']} are level."
    said = f"{of} {found['leader']} is ahead of {found['second']} by {found['difference']:.4f}."
    turning = rows.filter("turns")
    if turning.height:
        pairs = turning.select("topic", "leads").head(5).iter_rows()
        each = named([f"{topic} (then {leads})" for topic, leads in pairs], 5)
        more = f", the first of them {each}" if turning.height > 5 else f": {each}"
        said += f" Without {counted(turning.height, 'topic')}, each alone, another run leads{more}."
    else:
        said += " It leads whichever single topic is left out."
    if found["decisive"] is None:
        return f"{said} It is better than {found['second']} on every topic."
    few = named(rows.filter("decisive")["topic"].to_list(), 8)
    said += f" Its lead over {found['second']} is gone without {counted(found['decisive'], 'topic')}: {few}."
    if found["lowest_tau"] is not None and found["runs"] > 2:
        said += f" The lowest τ_b without a topic is {found['lowest_tau']:.3f}."
    return said
