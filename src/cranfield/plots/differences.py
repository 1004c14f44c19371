"""Two runs, topic by topic."""

from __future__ import annotations

import numpy as np

from cranfield.plots.grammar import Spec, chart, field, layer, mark, vconcat, when
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, quoted
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted
from cranfield.statistics.on_paper import settled

MOST_LABELS = 60
"""More ids of topics than these would not be legible below the bars."""


@plot(of="scores", measures=("AP",))
def differences(per_topic: pl.DataFrame) -> Drawing:
    """On which topics is one run better than the other, and by how much?

    A bar is a topic: the value of the first run less that of the second, the largest first. A mean
    difference may come from many topics, or from few; `compare` tests it.
    """
    runs = per_topic["run"].unique(maintain_order=True).to_list()
    if len(runs) != 2:
        raise InputError(f"differences is of two runs, not of {len(runs)}; name two")
    parts = [_wide(part, runs) for part in per_topic.partition_by("measure", maintain_order=True)]
    measures = per_topic["measure"].unique(maintain_order=True).to_list()
    charts = [_panel(part, measure, runs) for part, measure in zip(parts, measures, strict=True)]
    return Drawing(
        charts[0] if len(charts) == 1 else vconcat(*charts, spacing=24),
        f"{runs[0]} less {runs[1]}, topic by topic",
        " ".join(_described(part, measure, runs) for part, measure in zip(parts, measures, strict=True)),
        (f"A bar is a topic: above 0 {runs[0]} is higher, below it {runs[1]}; the dashed line is the mean.",),
    )


def _wide(rows: pl.DataFrame, runs: list[str]) -> pl.DataFrame:
    """Return a row for each topic: its id, both values, and their difference; the largest first."""
    first, second = (rows.filter(pl.col("run") == run).select("topic", value=pl.col("value")) for run in runs)
    both = first.join(second, on="topic", suffix="_of_other", maintain_order="left")
    found = both.select(
        "topic",
        first="value",
        second="value_of_other",
        difference=pl.Series(settled((both["value"] - both["value_of_other"]).to_numpy())),
    )
    return found.sort("difference", descending=True, maintain_order=True)


def _panel(rows: pl.DataFrame, measure: str, runs: list[str]) -> Spec:
    labels = rows.height <= MOST_LABELS
    topics = counted(rows.height, "topic")
    values = zip(("first", "second", "difference"), (*map(quoted, runs), "difference"), strict=True)
    bars = chart(
        mark("bar"),
        x=field(
            "topic:N",
            sort=rows["topic"].to_list(),
            title=topics if labels else f"{topics}, without their ids",
            axis={"labels": labels, "ticks": labels},
        ),
        y=field("difference:Q", title=f"difference by {measure}"),
        color=when("datum.difference >= 0", COLOURS[0], COLOURS[1]),
        tooltip=["topic:N", *(field(f"{name}:Q", format=".4f", title=title) for name, title in values)],
    )
    mean = chart(mark("rule", strokeDash=[4, 3]), y=field("difference:Q", aggregate="mean"))
    return layer(bars, mean, data=rows, width=max(240, min(900, 12 * rows.height)), height=220)


def _described(rows: pl.DataFrame, measure: str, runs: list[str]) -> str:
    difference = rows["difference"]
    above, below = int((difference > 0).sum()), int((difference < 0).sum())
    most, least = ((rows["topic"][row], difference[row]) for row in (0, -1))
    return (
        f"By {measure} {runs[0]} is higher on {counted(above, 'topic')}, {runs[1]} on {below}, and "
        f"{rows.height - above - below} are equal; the mean difference is {np.mean(difference.to_numpy()):.3f}, from "
        f"{least[1]:.3f} (topic {least[0]}) to {most[1]:.3f} (topic {most[0]})."
    )
