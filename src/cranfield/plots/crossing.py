"""Where a list crosses back to the ideal one, and the space that it takes till then."""

from __future__ import annotations

from collections.abc import Iterator

from cranfield.plots.grammar import Spec, chart, field, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import by_name
from cranfield.plots.walks import (
    FULL_SCALE,
    HEIGHT,
    IDEAL,
    PLACED,
    Walked,
    below,
    by_sign,
    curves,
    drawn,
    ends,
    left_axis,
    mean_of,
    of_full_scale,
    of_topic,
    own_lines,
    points,
    rank_axis,
    side_by_side,
)  # fmt: skip
from cranfield.plumbing.lazy import pl

RATIOS = {"Recovery": "ρ", "ForwardSpace": "σ+", "BackwardSpace": "σ−", "Space": "σ", "Twist": "τ"}
"""How the paper writes what Twist is made of, without superscripts, which few fonts have."""
NEAR = 1.5
"""So many times as far as the run the full-scale list may go and stay in the panel of RP."""
STEPS = 130
"""Height of the panel of RP."""


@plot(of="trace", measures=("CRP",))
def crossing(
    example: pl.DataFrame,
    marks: pl.DataFrame,
    intervals: pl.DataFrame,
    effort: pl.DataFrame,
    *,
    last_rank: int | None = None,
) -> Drawing:
    """How soon does a list return to the ideal one, and how far does it stray till then?

    Above, CRP of the run and of the full-scale list (the ideal reversed): the closer the first
    crossing to the recall base R, the larger the recovery ratio ρ = R/β, β = max(R, crossing).
    Below, RP at every rank: the shaded areas are the steps back (too early) and forward (too late),
    whose sums the space ratios compare with those of the full-scale list, drawn as dashed line; an
    arrow says where that leaves the panel, and how far it goes. σ⁺ and σ⁻ are 1 less the quotients,
    σ their harmonic mean, τ, Twist, the mean of ρ and σ. The ranks end where nothing happens any more.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The Twist measure for IR
    evaluation", JASIST 67(3), Figure 2.
    """
    topic = example["topic"][0]
    effort = effort.filter(topic=topic)
    walked = drawn(example, intervals.filter(topic=topic), mean_of(effort), f"Twist on topic {topic}", last_rank)
    marks = marks.filter(topic=topic)
    runs = [rows["run"][0] for rows in walked.whole]
    ratios = {run: effort.filter(run=run).row(0, named=True) for run in runs}
    written = {run: ", ".join(f"{sign} {of[name]:.3f}" for name, sign in RATIOS.items()) for run, of in ratios.items()}
    panels = [_panel(each, marks, written[run]) for run, each in zip(runs, walked.alone, strict=True)]
    return Drawing(
        side_by_side(panels),
        f"First crossing, and the space covered, topic {topic}",
        " ".join(f"{_crossed(marks.filter(pl.col('run') == run), run)}; {text}." for run, text in written.items()),
        (*walked.says, *of_topic(example), *of_full_scale(walked)),
    )


def _panel(walked: Walked, marks: pl.DataFrame, ratios: str) -> Spec:
    limits, [rows] = walked.limits("crp", "crp_full_scale"), walked.parts
    at = points(walked, marks, ("R", "crossing"), limits)
    beside = [(rows, IDEAL), (rows, FULL_SCALE)]
    lines = curves([*own_lines(walked, "crp"), *beside], "CRP (ranks)", limits, rows_of_names=at.rows)
    above = layer(
        _areas(rows), lines, at.spec, *ends(walked, "crp", limits), width=walked.width, height=HEIGHT
    )  # fmt: skip
    return below(above, [_steps(walked)], walked.labels[0], ratios)


def _areas(rows: pl.DataFrame) -> Spec:
    """Shade what is below and what is above 0."""
    x = rank_axis(int(rows["rank"].max()), labels=False)  # type: ignore[arg-type]
    late, _, early = PLACED.colours.values()
    parts = {early: pl.min_horizontal("crp", 0.0), late: pl.max_horizontal("crp", 0.0)}
    areas = (
        (mark("area", color=colour, opacity=0.35, interpolate="step", clip=True), rows.select("rank", value=value))
        for colour, value in parts.items()
    )
    return layer(*(chart(area, data=part, x=x, y="value:Q") for area, part in areas))


def _steps(walked: Walked) -> Spec:
    """Draw the RP of the run up and down, that of the full-scale list as a line, which may leave the panel."""
    [rows], width, last = walked.parts, walked.width, walked.last
    worst = rows.select("rank", rp=pl.col("crp_full_scale").diff().fill_null(pl.col("crp_full_scale")))
    low, high = _limits(walked.limits("rp", "rp"), worst["rp"])
    x = rank_axis(last, title="rank")
    y = field("rp:Q", title="RP (ranks)", axis=left_axis(), scale={"domain": [low, high], "nice": False})
    dashed = mark("line", interpolate="step", color=FULL_SCALE.colour, strokeDash=FULL_SCALE.dash, clip=True)
    steps = rows.filter(pl.col("rp") != 0).select("rank", "rp", "state", "doc_id", kind=by_sign("rp"), zero=0.0)
    late, _, early = PLACED.colours
    scale = by_name((early, late), (PLACED.colours[early], PLACED.colours[late]))
    legend = {"orient": "top", "offset": 2, "symbolStrokeWidth": 4}
    rules = chart(
        mark("rule", strokeWidth=max(1.2, width / last)),
        data=steps,
        x=x,
        y=y,
        y2="zero",
        color=field("kind:N", title=None, scale=scale, legend=legend),
        tooltip=["rank:Q", "rp:Q", "kind:N", "state:N", "doc_id:N"],
    )
    arrows = _arrows(worst, low, high)
    return layer(rules, chart(dashed, data=worst, x=x, y=y), *arrows, width=width, height=STEPS)


def _limits(own: tuple[float, float], worst: pl.Series) -> tuple[float, float]:
    """Return between what the axis runs: the run's RP, and that of the full-scale list where it is little more.

    >>> _limits((-8.0, 4.0), pl.Series([-10.0, 987.0]))
    (-10.4, 4.0)
    """
    near = -NEAR * own[0] + 1, NEAR * own[1] + 1
    low, high = (1.04 * float(end or 0) for end in (worst.min(), worst.max()))  # type: ignore[arg-type]
    return min(own[0], low if -low <= near[0] else -1.0), max(own[1], high if high <= near[1] else 1.0)


def _arrows(worst: pl.DataFrame, low: float, high: float) -> Iterator[Spec]:
    """Mark where the full-scale list leaves the panel, and say how far it goes."""
    for outside, most, shape, up in (
        (worst.filter(pl.col("rp") > high), "max", "triangle-up", 6),
        (worst.filter(pl.col("rp") < low), "min", "triangle-down", STEPS - 6),
    ):
        if not outside.height:
            continue
        at = outside.filter(pl.col("rp") == getattr(pl.col("rp"), most)()).head(1)
        first, rank, rp = outside["rank"][0], at["rank"][0], at["rp"][0]
        here = outside.head(1).select("rank", says=pl.lit(f"full-scale list: {rp:+,.0f} at rank {rank:,}"))
        left = first > worst["rank"].max() / 2  # type: ignore[operator]
        dot = mark("point", shape=shape, filled=True, size=70, opacity=1, color=FULL_SCALE.colour)
        yield chart(dot, data=here, x="rank:Q", y={"value": up})
        words = mark("text", align="right" if left else "left", dx=-9 if left else 9, baseline="middle")
        yield chart(words, data=here, x="rank:Q", y={"value": up}, text="says:N")


def _crossed(marks: pl.DataFrame, run: str) -> str:
    base, first = (marks.filter(mark=mark)["rank"][0] for mark in ("R", "crossing"))
    return f"{run} " + ("never crosses" if first is None else f"first crosses at rank {first}") + f", R is {base}"
