"""How wide intervals are by how many expert labels there are."""

from __future__ import annotations

from typing import Final

from cranfield.plots.grammar import Spec, chart, concat, field, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, INK, QUIET, STROKES, named, panel_title
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.wording import counted

NOBODY: Final = "(none)"
SAMPLE: Final = "sample alone"
MOST_JUDGES: Final = len(COLOURS) - 1
"""More judges are not told apart; the last colour is that of the sample alone."""
ROOM: Final = 1.08
"""By so much axes go beyond what they show."""
ENDS: Final = {"width": "on these topics", "like_width": Scope().on_others().alike}


@plot(of="expert-labels")
def interval_width(widths: pl.DataFrame, needed: pl.DataFrame) -> Drawing:
    """How many expert labels make an interval narrow, and how many does a cheap judge save?

    A line joins the mean widths of 95 % intervals by samples of several sizes: in ink from the sample alone, in colour
    with the labels of each cheap judge. On the left only the draw is chance; on the right the topics are, too, so that
    lines end at the width by all judgments, which is dashed. Both axes are logarithmic.
    """
    panels, said = [], []
    ends = _ends(widths["labels"])
    for (measure,), rows in widths.group_by("measure", maintain_order=True):
        coloured, wide = _narrowest(rows), _ends(pl.concat([rows[column].drop_nulls() for column in ENDS]))
        for column, of in ENDS.items():
            if rows[column].null_count() == 0 and (rows[column] > 0).any():
                all_ = needed.filter(measure=measure)["all_width"][0] if column == "like_width" else None
                panels.append(_panel(rows, column, coloured, f"{measure}, {of}", all_, [ends, wide]))
        said.append(_described(rows))
    if not panels:
        raise InputError("every sample holds all candidates, so that no interval has a width; ask for smaller samples")
    judges = widths["judge"].n_unique() - 1
    says = ["Mean over runs and samples."]
    if judges > MOST_JUDGES:
        others = judges - MOST_JUDGES
        says.append(f"In colour the {MOST_JUDGES} judges with the narrowest intervals, the other {others} in grey.")
    return Drawing(
        panels[0] if len(panels) == 1 else concat(*panels, columns=2, spacing=28),
        "Width of intervals by expert labels",
        " ".join(said),
        tuple(says),
    )


def _narrowest(rows: pl.DataFrame) -> list[str]:
    """Name the judges that have a colour, the narrowest intervals first."""
    by_judge = rows.filter(pl.col("judge") != NOBODY).group_by("judge", maintain_order=True)
    order = by_judge.agg(pl.col("width").log1p().mean()).sort("width", maintain_order=True)
    return order["judge"].head(MOST_JUDGES).to_list()


def _ends(values: pl.Series) -> list[float]:
    """Return the ends of a logarithmic axis."""
    there = values.to_numpy()
    there = there[there > 0]
    return [float(there.min()) / ROOM, float(there.max()) * ROOM] if len(there) else [1.0, 2.0]


def _panel(
    rows: pl.DataFrame, column: str, coloured: list[str], title: str, all_: float | None, domains: list[list[float]]
) -> Spec:
    measure = rows["measure"][0]
    rows = rows.select("judge", "labels", width=column).filter(pl.col("width") > 0)
    rows = rows.with_columns(pl.col("judge").replace({NOBODY: SAMPLE}))
    sizes = sorted({round(each) for each in rows["labels"]})
    across, up = ({"type": "log", "nice": False, "domain": domain} for domain in domains)
    x = field(
        "labels:Q", title="expert labels a topic, logarithmic", scale=across,
        axis={"values": sizes, "format": ",", "labelOverlap": "greedy"},
    )  # fmt: skip
    y = field("width:Q", title=f"width for {measure}, logarithmic", scale=up, axis={"tickCount": 6, "format": "~g"})
    shown = [SAMPLE, *coloured]
    looks = named(shown, [INK, *COLOURS[: len(coloured)]])
    quiet = rows.filter(~pl.col("judge").is_in(shown))
    told = rows.filter(pl.col("judge").is_in(shown))
    tips = ["judge:N", field("labels:Q", format=".1f"), field("width:Q", format=".4f")]
    colour = field("judge:N", title=None, scale=looks, legend=STROKES)
    views = []
    if quiet.height:
        views.append(chart(mark("line", color=QUIET, strokeWidth=1), data=quiet, x=x, y=y, detail="judge:N"))
    if all_:
        line = mark("rule", color=INK, strokeDash=[4, 3], strokeWidth=1)
        views.append(chart(line, data=pl.DataFrame({"width": [all_]}), y=y))
    views.append(chart(mark("line"), data=told, x=x, y=y, color=colour))
    dots = field("judge:N", title=None, scale=looks)
    views.append(chart(mark("point", filled=True, size=34, opacity=1), data=told, x=x, y=y, color=dots, tooltip=tips))
    return layer(*views, width=320, height=260, title=panel_title(title, 320))


def _described(rows: pl.DataFrame) -> str:
    most = rows.filter(pl.col("per_topic") == pl.col("per_topic").max()).sort("width", maintain_order=True)
    alone, best = most.filter(judge=NOBODY).row(0, named=True), most.row(0, named=True)
    said = (
        f"With {alone['labels']:.1f} expert labels a topic, 95 % intervals of {alone['measure']} for these topics are "
        f"{alone['width']:.3f} wide from the sample alone"
    )
    if best["judge"] != NOBODY:
        said += f", and {best['width']:.3f} with {best['judge']}, the narrowest of {counted(most.height - 1, 'judge')}"
    return f"{said}."
