"""All runs on all topics."""

from __future__ import annotations

from cranfield.plots.grammar import Spec, chart, field, independent, mark, vconcat
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import RISING, named
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

MOST_RUNS = 60
MOST_TOPICS = 100
"""More rows and columns than these do not fit on a page."""


@plot(of="scores", measures=("AP",))
def heatmap(per_topic: pl.DataFrame) -> Drawing:
    """Which topics are hard for all runs, and which for some?

    A cell is a run on a topic, the darker the higher. The best run is at the top, and the topic
    with the highest mean on the left: what breaks the pattern is where runs differ.
    """
    parts = per_topic.partition_by("measure", maintain_order=True)
    measures = per_topic["measure"].unique(maintain_order=True).to_list()
    runs, topics = per_topic["run"].n_unique(), per_topic["topic"].n_unique()
    says = ["A cell is a run on a topic; the best run first, the topic with the highest mean first."]
    if runs > MOST_RUNS:
        says.append(f"The best {MOST_RUNS} of {runs} runs.")
    if topics > MOST_TOPICS:
        says.append(f"Every {-(-topics // MOST_TOPICS)}th of {topics} topics in that order.")
    charts = [_panel(part, measure) for part, measure in zip(parts, measures, strict=True)]
    return Drawing(
        charts[0] if len(charts) == 1 else vconcat(*charts, spacing=24, resolve=independent("color")),
        f"{', '.join(measures)} by run and topic",
        " ".join(_described(part, measure) for part, measure in zip(parts, measures, strict=True)),
        tuple(says),
    )


def _by_mean(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return runs or topics and their means, the highest first."""
    means = rows.group_by(name, maintain_order=True).agg(mean=pl.col("value").mean())
    return means.sort("mean", descending=True, maintain_order=True)


def _panel(rows: pl.DataFrame, measure: str) -> Spec:
    topics, runs = (_by_mean(rows, name)[name].to_list() for name in ("topic", "run"))
    topics, runs = topics[:: -(-len(topics) // MOST_TOPICS)], runs[:MOST_RUNS]
    shown = rows.filter(pl.col("topic").is_in(topics), pl.col("run").is_in(runs)).select("run", "topic", "value")
    least, most = float(shown["value"].min() or 0), float(shown["value"].max() or 0)  # type: ignore[arg-type]
    ends = [least, most if most > least else least + 1]  # what is the same everywhere is light, not in between
    cells = chart(
        mark("rect"),
        data=shown,
        x=field("topic:N", sort=topics, title="topic", axis={"labelOverlap": True}),
        y=field("run:N", sort=runs, title=None),
        color=field("value:Q", title=measure, scale=named(ends, RISING)),
        tooltip=["run:N", "topic:N", field("value:Q", format=".4f", title=measure)],
    )
    return {**cells, "width": {"step": 12}, "height": {"step": 12}}


def _described(rows: pl.DataFrame, measure: str) -> str:
    topics, runs = _by_mean(rows, "topic"), _by_mean(rows, "run")
    return (
        f"By {measure} the easiest of {counted(topics.height, 'topic')} is {topics['topic'][0]} with a mean of "
        f"{topics['mean'][0]:.3f}, the hardest {topics['topic'][-1]} with {topics['mean'][-1]:.3f}; the best of "
        f"{counted(runs.height, 'run')} is {runs['run'][0]} with {runs['mean'][0]:.3f}."
    )
