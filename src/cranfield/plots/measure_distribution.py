"""Between which values the runs lie by each measure."""

from __future__ import annotations

from cranfield.plots.grammar import Spec, chart, field, layer, mark, vconcat
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.printing import AS_HIGH
from cranfield.plots.theme import COLOURS, INK
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

SHADE = "#bcd7ea"


@plot(of="correlation")
def measure_distribution(means: pl.DataFrame, *, topic: str | None = None) -> Drawing:
    """How are the values of the runs distributed by each measure?

    A stroke is the mean of a run over the topics. The light bar holds the middle half of the runs,
    the black stroke in it is the median. Where strokes are crowded, small differences decide the
    order of the runs.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The Twist measure for IR
    evaluation", JASIST 67(3), Figure 12.
    """
    names = means["measure"].unique(maintain_order=True).to_list()
    mean = pl.col("mean")
    middle = means.group_by("measure", maintain_order=True).agg(
        low=mean.quantile(0.25, "linear"), median=mean.median(), high=mean.quantile(0.75, "linear")
    )
    over = "mean over topics" if topic is None else "value"
    beyond = set(means.filter((mean > 1) | (mean < 0))["measure"])
    charts = [
        _row(
            means.filter(pl.col("measure") == name),
            middle.filter(pl.col("measure") == name),
            own_axis=name in beyond,
            axis={"labels": shown, "ticks": shown, "tickCount": 8, "title": over if last else None},
        )
        for name in names
        for last in (name == names[-1],)
        for shown in (last or bool(beyond),)
    ]
    runs = means["run"].n_unique()
    described = (
        f"{row['measure']}: median {row['median']:.3f}, the middle half from {row['low']:.3f} to {row['high']:.3f}."
        for row in middle.iter_rows(named=True)
    )
    return Drawing(
        vconcat(*charts, spacing=14 if beyond else 4),
        "Where the runs lie by each measure",
        " ".join(described),
        (f"A stroke is one of {counted(runs, 'run')}, by its {over}; the bar is their middle half, with the median.",),
    )


def _row(means: pl.DataFrame, middle: pl.DataFrame, *, own_axis: bool, axis: Spec) -> Spec:
    """Draw one measure: from 0 to 1, or on an axis of its own where its values go beyond."""
    scale = {} if own_axis else {"domain": [0, 1]}
    row = field("measure:N", title=None)
    low, mean = (field(f"{name}:Q", scale=scale, axis=axis) for name in ("low", "mean"))
    bar = chart(mark("bar", color=SHADE, height=22), data=middle, x=low, x2="high", y=row)
    stroke = mark("tick", color=COLOURS[0], thickness=1.5, height=16, opacity=0.6)
    strokes = chart(stroke, data=means, x=mean, y=row, tooltip=["run:N", field("mean:Q", format=".4f")])
    median = chart(mark("tick", color=INK, thickness=3, height=26), data=middle, x="median:Q", y=row)
    return layer(bar, strokes, median, width=460, height=34, view={"style": ["cell", AS_HIGH]})
