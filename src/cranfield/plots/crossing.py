"""Where a list crosses back to the ideal one, and the space that it takes till then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.plots.grammar import alt
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.walks import (
    FULL_SCALE,
    IDEAL,
    OF_RUN,
    PLACED,
    below,
    by_sign,
    curves,
    drawn,
    left_axis,
    limits_of,
    of_full_scale,
    of_topic,
    points,
    rank_axis,
    side_by_side,
    width_of,
)  # fmt: skip
from cranfield.plumbing.lazy import pl

if TYPE_CHECKING:
    from cranfield.plots.plot import VegaLite

RATIOS = {"Recovery": "ρ", "ForwardSpace": "σ+", "BackwardSpace": "σ−", "Space": "σ", "Twist": "τ"}
"""How the paper writes what Twist is made of, without superscripts, which few fonts have."""


@plot(of="trace", measures=("CRP",))
def crossing(example: pl.DataFrame, marks: pl.DataFrame, intervals: pl.DataFrame, effort: pl.DataFrame) -> Drawing:
    """How soon does a list return to the ideal one, and how far does it stray till then?

    Above, CRP of the run and of the full-scale list (the ideal reversed): the closer the first
    crossing to the recall base R, the larger the recovery ratio ρ = R/β, β = max(R, crossing).
    Below, RP at every rank: the shaded areas are the steps back (too early) and forward (too late),
    whose sums the space ratios compare with those of the full-scale list, drawn as dashed line. σ⁺
    and σ⁻ are 1 less the quotients, σ their harmonic mean, τ, Twist, the mean of ρ and σ.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The Twist measure for IR
    evaluation", JASIST 67(3), Figure 2.
    """
    topic = example["topic"][0]
    parts, says = drawn(example, intervals.filter(pl.col("topic") == topic))
    width = width_of(len(parts))
    of_run = {run: pl.col("run").eq(run) & pl.col("topic").eq(topic) for run in (rows["run"][0] for rows in parts)}
    ratios = {run: effort.filter(here).row(0, named=True) for run, here in of_run.items()}
    written = {run: ", ".join(f"{sign} {of[name]:.3f}" for name, sign in RATIOS.items()) for run, of in ratios.items()}
    panels = [
        _panel(rows, marks.filter(of_run[run]), f"{run}: {written[run]}", width)
        for run, rows in zip(of_run, parts, strict=True)
    ]
    says += of_topic(example)
    says += of_full_scale(parts)
    return Drawing(
        side_by_side(panels),
        f"First crossing, and the space covered, topic {topic}",
        " ".join(f"{_crossed(marks.filter(of_run[run]), run)}; {text}." for run, text in written.items()),
        tuple(says),
    )


def _panel(rows: pl.DataFrame, marks: pl.DataFrame, title: str, width: int) -> VegaLite:
    limits, last = limits_of(rows, "crp", "crp_full_scale"), int(rows["rank"].max())  # type: ignore[arg-type]
    lines = curves(rows, (OF_RUN, IDEAL, FULL_SCALE), "CRP (ranks)", limits, width, named=True)
    above = alt.layer(_areas(rows), lines, points(marks, ("R", "crossing"), limits, last, width))
    return below(above, [_steps(rows, width)], title)


def _areas(rows: pl.DataFrame) -> VegaLite:
    """Shade what is below and what is above 0."""
    x = rank_axis(int(rows["rank"].max()), labels=False)  # type: ignore[arg-type]
    late, _, early = PLACED.colours.values()
    parts = {early: pl.min_horizontal("crp", 0.0), late: pl.max_horizontal("crp", 0.0)}
    return alt.layer(
        *(
            alt.Chart(rows.select("rank", value=value))
            .mark_area(color=colour, opacity=0.35, interpolate="step", clip=True)
            .encode(x=x, y="value:Q")
            for colour, value in parts.items()
        )
    )


def _steps(rows: pl.DataFrame, width: int) -> VegaLite:
    """Draw the RP of the run up and down, that of the full-scale list as a line."""
    last = int(rows["rank"].max())  # type: ignore[arg-type]
    x, y = rank_axis(last, title="rank"), alt.Y("rp:Q", title="RP (ranks)", axis=left_axis())
    worst = rows.select("rank", rp=pl.col("crp_full_scale").diff().fill_null(pl.col("crp_full_scale")))
    line = alt.Chart(worst).mark_line(interpolate="step", color=FULL_SCALE.colour, strokeDash=FULL_SCALE.dash)
    steps = rows.filter(pl.col("rp") != 0).select("rank", "rp", "state", "doc_id", kind=by_sign("rp"), zero=0.0)
    late, _, early = PLACED.colours
    colours = [PLACED.colours[kind] for kind in (early, late)]
    legend = alt.Legend(orient="top", offset=2, symbolStrokeWidth=4)
    rules = alt.Chart(steps).mark_rule(strokeWidth=max(1.2, width / last)).encode(
        x=x,
        y=y,
        y2="zero:Q",
        color=alt.Color("kind:N", title=None, scale=alt.Scale(domain=[early, late], range=colours), legend=legend),
        tooltip=["rank:Q", "rp:Q", "kind:N", "state:N", "doc_id:N"],
    )  # fmt: skip
    return alt.layer(rules, line.encode(x=x, y=y)).properties(width=width, height=130)


def _crossed(marks: pl.DataFrame, run: str) -> str:
    base, first = (marks.filter(pl.col("mark") == mark)["rank"][0] for mark in ("R", "crossing"))
    return f"{run} " + ("never crosses" if first is None else f"first crosses at rank {first}") + f", R is {base}"
