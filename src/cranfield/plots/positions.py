"""Lists rank by rank: what cumulated relative position (CRP) is made of, and the gain that it costs."""

from __future__ import annotations

from collections.abc import Iterator

from cranfield.plots import walks
from cranfield.plots.grammar import Spec, between, chart, dot, field, hconcat, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.printing import AS_LARGE
from cranfield.plots.theme import COLOURS, DASHES, INK, JUDGED, NOT_RELEVANT, RELEVANT, UNJUDGED, by_name
from cranfield.plots.walks import FULL_SCALE, IDEAL_LINE, PLACED, Kinds, Line, Walked
from cranfield.plumbing.lazy import pl

_POINTS = ("R", "min", "b_r", "b_w", "N")  # The points of the paper's Figure 1
IDEAL_GAIN = Line("gain_ideal", "ideal list", INK, DASHES[0])
GAINED = Kinds(
    dict(zip(("more", "as much", "less"), PLACED.colours.values(), strict=True)),
    {"more": "more", "as_much": "as much", "less": "less"},
)
"""Than the document of the ideal list at that rank; in the colours of what comes too late, right and too early."""
_RATIOS = {"Recovery": "ρ", "ForwardSpace": "σ+", "BackwardSpace": "σ−", "Space": "σ", "Twist": "τ"}
"""How the paper writes what Twist is made of, without superscripts, which few fonts have."""
PALE_GREEN = "Pale green: not relevant, below all relevant documents of the ideal list."
_NEAR = 1.5  # This many times as far as the run the full-scale list may go and stay in the panel of RP
_STEPS = 130  # Height of the panel of RP
_SHAPES = {RELEVANT: "circle", NOT_RELEVANT: "square", UNJUDGED: "triangle-up"}


@plot(of="trace", measures=("CRP",))
def crp(
    ranks: pl.DataFrame, marks: pl.DataFrame, intervals: pl.DataFrame, effort: pl.DataFrame, *,
    last_rank: int | None = None,
) -> Drawing:  # fmt: skip
    """Where does a list lose against the ideal one, and where does it regain it?

    CRP at every rank: 0 is the ideal list; the curve falls where documents come too early and rises where they come too
    late. R is the recall base, min the turn-around, b the balance points of the run (r) and of the full-scale list (w),
    N the length of the lists. The strips below show for each rank whether its document comes too early, right or too
    late (the darker, the farther), and whether it is relevant, judged not relevant, or unjudged. Two lists share a
    panel; more have a panel each, with the same axes. The ranks end where nothing changes any more. For several topics,
    the curves are averages and the strips show shares of the topics.

    Paper: Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation",
    CLEF, Figures 1 and 2a.
    """
    walked, mean = walks.drawn(ranks, intervals, walks.mean_of(effort), "Twist", last_rank), walks.is_mean(ranks)

    def panel(walked: Walked) -> Spec:
        limits = walked.limits("crp", "crp_full_scale")
        at = None if mean else walks.points(walked, marks, _POINTS, limits)
        above = walked.curves("crp", "CRP (ranks)", limits, (IDEAL_LINE, FULL_SCALE), at)
        return walked.strips(above, PLACED, "rp")

    view = walked.panels(panel)
    if len(walked.whole) == 1 and not mean:
        view = hconcat(view, _values(marks, walked.parts[0]), spacing=18)
    how = f"Strips: the darker, the farther too early or too late. {PALE_GREEN}"
    if mean:
        how = "Means over the topics. A single topic has the points R, min, b and N: name one."
    return Drawing(
        view,
        "Cumulated relative position (CRP) by rank" + ("" if mean else f", topic {ranks['topic'][0]}"),
        " ".join(_regained(rows, marks) for rows in walked.whole),
        *walked.says,
        how,
        walks.of_full_scale(walked),
    )


def _values(marks: pl.DataFrame, rows: pl.DataFrame) -> Spec:
    """List CRP at the points, of the run (r) and of the full-scale list (w)."""
    at = {row["mark"]: row for row in marks.filter(run=rows["run"][0]).iter_rows(named=True)}
    lines = []
    for point in _POINTS:
        row = at[point]
        lines.append((0, f"{point} = {'never' if row['rank'] is None else row['rank']}"))
        if row["rank"] is not None and point in ("R", "min", "N"):
            values = {"r": row["crp"], "w": row["crp_full_scale"]}
            lines += [(14, f"CRP({whose}, {point}) = {value:g}") for whose, value in values.items()]
    table = pl.DataFrame(lines, schema=["indent", "text"], orient="row").with_row_index("line")
    y = field("line:Q", axis=None, scale={"domain": [0, 12], "reverse": True, "nice": False})
    x = field("indent:Q", axis=None, scale=between(0, 150))
    words = chart(mark("text", align="left", baseline="top"), data=table, x=x, y=y, text="text:N")
    return layer(words, width=150, height=walks.HEIGHT, view={"style": AS_LARGE, "strokeOpacity": 0})


def _regained(rows: pl.DataFrame, marks: pl.DataFrame) -> str:
    run, last = rows["run"][0], rows.row(-1, named=True)
    if walks.is_mean(rows):
        lowest = rows.row(rows["crp"].arg_min(), named=True)
        return (
            f"The mean CRP of {run} is lowest at rank {lowest['rank']} ({lowest['crp']:.1f}) and ends at rank "
            f"{last['rank']} with {last['crp']:.1f}; the full-scale list has {last['crp_full_scale']:.1f} there."
        )
    of_run = marks.filter((pl.col("run") == run) & pl.col("mark").is_in(_POINTS))
    return f"{run}: {walks.told(of_run.iter_rows(named=True))}; {walks.placed_in_words(rows)}."


@plot(of="trace", measures=("DCG(gains={-2:-1,-1:-1,0:-1},base=2)",))
def delta_gain(
    ranks: pl.DataFrame, marks: pl.DataFrame, intervals: pl.DataFrame, *, last_rank: int | None = None
) -> Drawing:
    """At which ranks is gain lost against the ideal list?

    The measure of gain at every rank, of the run and of the ideal list; by default DCG with the gains -1, 1, 2 and 3,
    so documents judged not relevant cost something. Below it Δgain: does the document at that rank gain more than the
    ideal list's document there (it comes too late), as much, or less (a better one belongs there)? And is it relevant,
    judged not relevant, or unjudged, which gains nothing? Two lists share a panel; more have a panel each, with the
    same axes. The ranks end as in the figure of CRP. For several topics all values are averages.

    Paper: Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation", CLEF, Figure 2b.
    """
    measure, mean = str(ranks["measure"][0]), walks.is_mean(ranks)
    final = ranks.group_by("run", maintain_order=True).agg(value=pl.col("gain").last())
    walked = walks.drawn(ranks, intervals, final, f"{walks.short(measure)} at rank {int(ranks['rank'][-1])}", last_rank)

    def panel(walked: Walked) -> Spec:
        low, high = walked.limits("gain", "gain")
        top = max(float(each["gain_ideal"].max()) for each in walked.parts)  # type: ignore[arg-type]
        at = None if mean else walks.points(walked, marks, ("R",), None)
        limits = low, max(high, top * 1.08)
        above = walked.curves("gain", walks.short(measure), limits, (IDEAL_GAIN,), at)
        return walked.strips(above, GAINED, "delta_gain")

    of_means = "Means over the topics; strips: share of topics whose document gains more, as much or less."
    return Drawing(
        walked.panels(panel),
        f"{walks.short(measure)} by rank, and where it falls behind the ideal list"
        + ("" if mean else f", topic {ranks['topic'][0]}"),
        " ".join(map(_most_lost, walked.whole)),
        *walked.says,
        of_means if mean else PALE_GREEN,
        walks.in_full(measure),
    )


def _most_lost(rows: pl.DataFrame) -> str:
    last, least = rows.row(-1, named=True), rows.row(rows["delta_gain"].arg_min(), named=True)
    loses = f"most at rank {least['rank']}, where Δgain is {least['delta_gain']:.2f}"
    run = "On average " * walks.is_mean(rows) + rows["run"][0]
    return (
        f"{run} has {last['gain']:.2f} at rank {last['rank']}, the ideal list {last['gain_ideal']:.2f}; "
        f"it loses {loses if least['delta_gain'] < 0 else 'nothing at any rank'}."
    )


@plot(of="trace", measures=("CRP",))
def crossing(
    example: pl.DataFrame, marks: pl.DataFrame, intervals: pl.DataFrame, effort: pl.DataFrame, *,
    last_rank: int | None = None,
) -> Drawing:  # fmt: skip
    """How soon does a list return to the ideal one, and how far does it stray till then?

    Above, CRP of the run and of the full-scale list (the ideal reversed): the closer the first crossing to the recall
    base R, the larger the recovery ratio ρ = R/β, β = max(R, crossing). Below, RP at every rank: the shaded areas are
    the steps back (too early) and forward (too late), whose sums the space ratios compare with those of the full-scale
    list (the dashed line); an arrow shows where that line leaves the panel, and how far it goes. σ⁺ and σ⁻ are 1 minus
    the quotients, σ is their harmonic mean, and Twist (τ) is the mean of ρ and σ. The ranks end where nothing changes
    any more.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The Twist measure for IR
    evaluation", JASIST 67(3), Figure 2.
    """
    topic = example["topic"][0]
    intervals, effort, marks = (table.filter(topic=topic) for table in (intervals, effort, marks))
    walked = walks.drawn(example, intervals, walks.mean_of(effort), f"Twist on topic {topic}", last_rank)
    runs = [rows["run"][0] for rows in walked.whole]
    ratios = {of["run"]: of for of in effort.iter_rows(named=True)}
    written = {run: ", ".join(f"{sign} {ratios[run][name]:.3f}" for name, sign in _RATIOS.items()) for run in runs}
    found = {(run, mark): rank for run, mark, rank in marks.select("run", "mark", "rank").iter_rows()}
    first = {run: found[run, "crossing"] for run in runs}
    crossed = {run: "never crosses" if rank is None else f"first crosses at rank {rank}" for run, rank in first.items()}
    return Drawing(
        walks.side_by_side([_crossed(each, marks, written[each.whole[0]["run"][0]]) for each in walked.alone]),
        f"First crossing, and the space covered, topic {topic}",
        " ".join(f"{run} {crossed[run]}, R is {found[run, 'R']}; {text}." for run, text in written.items()),
        *walked.says,
        walks.of_topic(example),
        walks.of_full_scale(walked),
    )


def _crossed(walked: Walked, marks: pl.DataFrame, ratios: str) -> Spec:
    """Draw CRP, what is below and what is above 0 shaded, and the steps below it."""
    limits, [rows] = walked.limits("crp", "crp_full_scale"), walked.parts
    x = walks.rank_axis(int(rows["rank"].max()), labels=False)  # type: ignore[arg-type]
    late, _, early = PLACED.colours.values()
    areas = (
        chart(
            mark("area", color=colour, opacity=0.35, interpolate="step", clip=True),
            data=rows.select("rank", value=value), x=x, y="value:Q",
        )
        for colour, value in ((early, pl.min_horizontal("crp", 0.0)), (late, pl.max_horizontal("crp", 0.0)))
    )  # fmt: skip
    at = walks.points(walked, marks, ("R", "crossing"), limits)
    above = walked.curves("crp", "CRP (ranks)", limits, (IDEAL_LINE, FULL_SCALE), at, layer(*areas))
    return walks.below(above, [_steps(walked)], walked.labels[0], ratios)


def _steps(walked: Walked) -> Spec:
    """Draw the RP of the run up and down, that of the full-scale list as a line, which may leave the panel."""
    [rows], width, last = walked.parts, walked.width, walked.last
    worst = rows.select("rank", rp=pl.col("crp_full_scale").diff().fill_null(pl.col("crp_full_scale")))
    low, high = _limits(walked.limits("rp", "rp"), worst["rp"])
    x = walks.rank_axis(last, title="rank")
    y = field("rp:Q", title="RP (ranks)", axis=walks.left_axis(), scale=between(low, high))
    dashed = mark("line", interpolate="step", color=FULL_SCALE.colour, strokeDash=FULL_SCALE.dash, clip=True)
    steps = rows.filter(pl.col("rp") != 0).select("rank", "rp", "state", "doc_id", kind=walks.by_sign("rp"), zero=0.0)
    late, _, early = PLACED.colours
    scale = by_name((early, late), (PLACED.colours[early], PLACED.colours[late]))
    legend = {"orient": "top", "offset": 2, "symbolStrokeWidth": 4}
    rules = chart(
        mark("rule", strokeWidth=max(1.2, width / last)),
        data=steps, x=x, y=y, y2="zero",
        color=field("kind:N", title=None, scale=scale, legend=legend),
        tooltip=["rank:Q", "rp:Q", "kind:N", "state:N", "doc_id:N"],
    )  # fmt: skip
    arrows = _arrows(worst, low, high)
    return layer(rules, chart(dashed, data=worst, x=x, y=y), *arrows, width=width, height=_STEPS)


def _limits(own: tuple[float, float], worst: pl.Series) -> tuple[float, float]:
    """Return the ends of the axis: the run's RP, and the full-scale list's where it is little more."""
    near = -_NEAR * own[0] + 1, _NEAR * own[1] + 1
    low, high = (1.04 * float(end or 0) for end in (worst.min(), worst.max()))  # type: ignore[arg-type]
    return min(own[0], low if -low <= near[0] else -1.0), max(own[1], high if high <= near[1] else 1.0)


def _arrows(worst: pl.DataFrame, low: float, high: float) -> Iterator[Spec]:
    """Mark where the full-scale list leaves the panel, and say how far it goes."""
    for outside, furthest, shape, up in (
        (worst.filter(pl.col("rp") > high), pl.col("rp").max(), "triangle-up", 6),
        (worst.filter(pl.col("rp") < low), pl.col("rp").min(), "triangle-down", _STEPS - 6),
    ):
        if not outside.height:
            continue
        rank, rp = outside.filter(pl.col("rp") == furthest).select("rank", "rp").row(0)
        words = outside.head(1).select("rank", says=pl.lit(f"full-scale list: {rp:+,.0f} at rank {rank:,}"))
        here = {"data": words, "x": "rank:Q", "y": {"value": up}}
        left = outside["rank"][0] > worst["rank"].max() / 2  # type: ignore[operator]
        yield chart(mark("point", shape=shape, filled=True, size=70, opacity=1, color=FULL_SCALE.colour), **here)
        beside = {"align": "right", "dx": -9} if left else {"align": "left", "dx": 9}
        yield chart(mark("text", **beside, baseline="middle"), **here, text="says:N")


@plot(of="trace", measures=("CRP",))
def relative_position(
    example: pl.DataFrame, intervals: pl.DataFrame, effort: pl.DataFrame, *, last_rank: int | None = None
) -> Drawing:
    """By how many ranks is each document too early or too late?

    A point is a document: its rank across, its relative position (RP) up. A line is a grade: the RP of a document of
    that grade at each rank. It is 0 in the interval where the ideal list has documents of that grade (the bar on the
    line of 0), negative at ranks above the interval and positive below it. Documents that are not relevant, the
    unjudged among them, have their interval after all relevant ones. The ranks end where nothing changes any more, the
    same for all lists.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The Twist measure for IR
    evaluation", JASIST 67(3), definition 1 and Figure 1.
    """
    topic = example["topic"][0]
    bands = intervals.filter(topic=topic)
    walked = walks.drawn(
        example, bands, walks.mean_of(effort.filter(topic=topic)), f"Twist on topic {topic}", last_rank
    )
    base, last = int(bands["first"].max()) - 1, walked.last  # type: ignore[arg-type]
    bands = bands.filter(pl.col("first") <= last).with_columns(pl.min_horizontal(pl.col("last").fill_null(last), last))
    grade = pl.col("grade").cast(pl.String).str.strip_suffix(".0")
    ranked = pl.format("grade {}: ranks {} to {}", grade, "first", "last")
    others = pl.format("not relevant: from rank {}", "first")
    bands = bands.with_columns(kind=pl.when(pl.col("grade") > 0).then(ranked).otherwise(others))
    deepest = f"Documents down to rank {last} of {int(example['rank'].max())}; R = {base}."  # type: ignore[arg-type]
    return Drawing(
        walks.side_by_side([_by_grade(each, bands) for each in walked.alone]),
        f"Relative position (RP) of each document, topic {topic}",
        " ".join(_from_to(rows, last) for rows in walked.parts),
        *walked.says,
        walks.of_topic(example),
        deepest,
    )


def _by_grade(walked: Walked, bands: pl.DataFrame) -> Spec:
    [rows], last, names = walked.parts, walked.last, bands["kind"].to_list()
    ground = [COLOURS[(3, 2, 4, 1)[place % 4]] for place in range(len(names) - 1)] + ["#7a7a7a"]
    legend = {"orient": "bottom", "columns": 2}
    colour = field("kind:N", title="ideal list", scale=by_name(names, ground), legend=legend)
    early = pl.min_horizontal(pl.col("rank") - pl.col("first"), 0)
    late = pl.max_horizontal(pl.col("rank") - pl.col("last"), 0)
    every = bands.join(pl.DataFrame({"rank": range(1, last + 1)}), how="cross")
    lines = every.select("kind", "rank", rp=early + late)
    low, high = walked.limits("rp", "rp")
    y = field("rp:Q", title="RP (ranks)", scale=between(min(low, -1.08), max(high, 1.08)))
    x, left = (walks.rank_axis(last, title="rank", of=of) for of in ("rank", "left"))
    ends = bands.select("kind", "first", "last", left=pl.col("first") - 0.5, right=pl.col("last") + 0.5, rp=0.0)
    bar, tips = mark("rule", strokeWidth=7, opacity=0.75), ["kind:N", "first:Q", "last:Q"]
    states = list(_SHAPES)
    documents = rows.filter(pl.col("state").is_in(states)).select("rank", "rp", "state", "doc_id", "grade")
    return layer(
        chart(bar, data=ends, x=left, x2="right", y="rp:Q", color=colour, tooltip=tips),
        chart(mark("line", clip=True, strokeWidth=1.4), data=lines, x=x, y=y, color=colour),
        chart(
            dot(42, stroke="#ffffff", strokeWidth=0.5),
            data=documents, x=x, y=y,
            shape=field("state:N", title="document", scale=by_name(states, _SHAPES.values()), legend=legend),
            fill=field("state:N", title="document", scale=by_name(states, JUDGED.values()), legend=legend),
            tooltip=["rank:Q", "rp:Q", "state:N", "doc_id:N", "grade:Q"],
        ),
        width=walked.width, height=300, title={"text": walked.labels[0], "fontSize": 12.5, "limit": walked.width},
    )  # fmt: skip


def _from_to(rows: pl.DataFrame, last: int) -> str:
    least, most = rows.select(least=pl.col("rp").min().cast(int), most=pl.col("rp").max().cast(int)).row(0)
    return f"{rows['run'][0]}: {walks.placed_in_words(rows)}, down to rank {last}; RP is from {least} to {most}."
