"""Runs by a judge and by the experts."""

from __future__ import annotations

from typing import Any, Final

from cranfield.plots.axes import ends_of
from cranfield.plots.grammar import Spec, chart, concat, field, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, GUIDE, HALO, named, panel_title
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

MOST_PANELS: Final = 12
"""More panels do not fit on a page."""
KINDS: Final = ("a run", "sorted by this judge's labels")


@plot(of="assessors")
def judge_leaderboard(leaderboards: pl.DataFrame) -> Drawing:
    """Which runs does a judge score higher than the experts, and what becomes of a run that is sorted by its labels?

    A point is a run: its score by the qrels across, by the judge up. On the line both say the same; above it the judge
    gives more. The square is the circular run, which the judge's own labels sort. A panel for each judge and measure.
    """
    parts = leaderboards.partition_by("measure", "assessor", maintain_order=True)
    shown, several = parts[:MOST_PANELS], leaderboards["measure"].n_unique() > 1
    size = 320 if len(shown) == 1 else 220
    panels = [_panel(part, size, several=several) for part in shown]
    says = ["A point is a run; above the line the judge gives more than the qrels."]
    if leaderboards["circular"].any():
        says.append("The square is a run that is sorted by this judge's labels.")
    if len(parts) > MOST_PANELS:
        says.append(f"The first {MOST_PANELS} of {len(parts)} panels.")
    return Drawing(
        panels[0] if len(panels) == 1 else concat(*panels, columns=3, spacing=26),
        f"{', '.join(leaderboards['measure'].unique(maintain_order=True))} by judge and by the qrels",
        " ".join(_described(part) for part in shown),
        tuple(says),
    )


def _panel(rows: pl.DataFrame, size: int, *, several: bool) -> Spec:
    first = rows.row(0, named=True)
    low, high = ends_of(pl.concat([rows["by_qrels"], rows["by_assessor"]]))
    scale = {"domain": [low, high], "nice": False}
    rows = rows.select(
        "run", "by_qrels", "by_assessor", "place_by_qrels", "place_by_assessor",
        kind=pl.when("circular").then(pl.lit(KINDS[1])).otherwise(pl.lit(KINDS[0])),
    )  # fmt: skip
    x = field("by_qrels:Q", title="by the qrels", scale=scale)
    y = field("by_assessor:Q", title="by the judge", scale=scale)
    line = pl.DataFrame({"by_qrels": [low, high], "by_assessor": [low, high]})
    there = [kind for kind in KINDS if (rows["kind"] == kind).any()]
    legend = {"title": None, "orient": "bottom", "direction": "horizontal"}
    looks = {
        "color": field("kind:N", title=None, legend=legend, scale=named(there, COLOURS[: len(there)])),
        "shape": field("kind:N", title=None, legend=legend, scale=named(there, ["circle", "square"][: len(there)])),
    }
    tips = [
        "run:N",
        *(field(f"by_{who}:Q", format=".4f") for who in ("qrels", "assessor")),
        *(field(f"place_by_{who}:Q") for who in ("qrels", "assessor")),
    ]
    title = f"{first['assessor']}, {first['measure']}" if several else first["assessor"]
    return layer(
        chart(mark("line", color=GUIDE, strokeDash=[4, 3], strokeWidth=1), data=line, x=x, y=y),
        chart(
            mark("point", filled=True, size=46, opacity=0.8, stroke=HALO, strokeWidth=0.5), data=rows, x=x, y=y,
            tooltip=tips, **looks,
        ),
        width=size, height=size, title=panel_title(title, size),
    )  # fmt: skip


def _described(rows: pl.DataFrame) -> str:
    first = rows.row(0, named=True)
    runs = rows.filter(~pl.col("circular"))
    above = int((runs["by_assessor"] > runs["by_qrels"]).sum())
    of = f"{above} of {counted(runs.height, 'run')}"
    said = f"{first['assessor']} scores {of} higher by {first['measure']} than the qrels"
    made: list[dict[str, Any]] = rows.filter("circular").to_dicts()
    for row in made:
        said += (
            f"; the run sorted by its labels is number {row['place_by_assessor']} by it with {row['by_assessor']:.3f}, "
            f"and number {row['place_by_qrels']} by the qrels with {row['by_qrels']:.3f}"
        )
    return f"{said}."
