"""Judges: where two of them part, what one makes of runs, and how many expert labels it saves."""

from __future__ import annotations

from typing import Any, Final

from cranfield.plots.axes import DASHED, ends_of, in_grey
from cranfield.plots.grammar import Spec, between, chart, dot, field, grid, layer, mark, when
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, DARK_FROM, GUIDE, HALO, INK, SHARES, STROKES, by_name, panel_title
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.tables import SORTED_BY_LABELS
from cranfield.plumbing.wording import counted, percent

MOST_PAIRS = 12  # More matrices than that do not fit on a page
MOST_GRADES = 20
"""Nor does a matrix of more grades."""


@plot(of="assessors")
def assessor_confusion(confusion: pl.DataFrame, agreement: pl.DataFrame) -> Drawing:
    """Which grades do two assessors confuse?

    A row is a grade of one assessor, a column a grade of the other, and the number counts the documents with both; the
    darker a cell, the larger its share of the row. In framed cells both agree; away from them, above or below, one
    assessor is more generous.
    """
    if (grades := confusion["grade_a"].n_unique()) > MOST_GRADES:
        raise InputError(f"{grades:,} different grades do not fit a matrix, which has at most {MOST_GRADES}")
    pairs = agreement.rows(named=True)
    shown = pairs[:MOST_PAIRS]
    charts = [_matrix(_of_pair(confusion, pair), pair) for pair in shown]
    return Drawing(
        grid(charts, columns=3, spacing=28),
        "Where the grades of assessors disagree",
        " ".join(_parting(_of_pair(confusion, pair), pair) for pair in shown),
        "Numbers of documents; the darker, the larger the share of the row. Framed: the same grade.",
        f"{_summed_up(pairs[0])}." if len(pairs) == 1 else "",
        f"The first {MOST_PAIRS} of {len(pairs)} pairs of assessors." if len(pairs) > MOST_PAIRS else "",
    )


def _of_pair(confusion: pl.DataFrame, pair: dict[str, Any]) -> pl.DataFrame:
    """Return the counts of a pair, and the share of each in its row."""
    found = confusion.filter(assessor_a=pair["assessor_a"], assessor_b=pair["assessor_b"])
    row = pl.col("documents").sum().over("grade_a")
    return found.select(
        *(pl.col(name).map_elements(lambda grade: f"{grade:g}", pl.String) for name in ("grade_a", "grade_b")),
        "documents",
        share=pl.when(row > 0).then(pl.col("documents") / row),
        same=pl.col("grade_a") == pl.col("grade_b"),
    )


def _matrix(rows: pl.DataFrame, pair: dict[str, Any]) -> Spec:
    grades = rows["grade_a"].unique(maintain_order=True).to_list()
    cell = {
        "x": field("grade_b:N", sort=grades, title=pair["assessor_b"], axis={"labelAngle": 0, "orient": "top"}),
        "y": field("grade_a:N", sort=grades, title=pair["assessor_a"], axis={"titleLimit": max(26 * len(grades), 60)}),
        "tooltip": ["grade_a:N", "grade_b:N", "documents:Q", field("share:Q .1%", title="of the row")],
        # Without it, Vega-Lite makes an expression of the titles, which are names of assessors.
        "description": "documents:Q ,",
    }
    share = field("share:Q", title="share of the row", scale=SHARES, legend={"format": "%"})
    ink = when(f"datum.share > {DARK_FROM}", HALO, COLOURS[-1])
    return layer(
        chart(mark("rect", stroke=HALO), **cell, color=share),
        chart(mark("rect", filled=False, stroke=INK, strokeWidth=1.5), **cell, where=["datum.same"]),
        chart(mark("text", fontSize=10), **cell, text="documents:Q ,", color=ink),
        data=rows, width={"step": 44}, height={"step": 26},
        title={"text": _summed_up(pair), "fontSize": 11, "fontWeight": "normal", "offset": 6},
    )  # fmt: skip


def _summed_up(pair: dict[str, Any]) -> str:
    kappa = "" if pair["kappa"] is None else f", κ {pair['kappa']:.2f}"
    return f"{counted(pair['documents'], 'document')}, {percent(pair['same_grade'])} the same{kappa}"


def _parting(rows: pl.DataFrame, pair: dict[str, Any]) -> str:
    apart = rows.filter(~pl.col("same")).sort("documents", descending=True, maintain_order=True)
    said = (
        f"{pair['assessor_a']} and {pair['assessor_b']} gave the same grade to {percent(pair['same_grade'])} of "
        f"{counted(pair['documents'], 'document')}"
    )
    if not apart.height or not apart["documents"][0]:
        return f"{said}."
    most = apart.row(0, named=True)
    return f"{said}; they disagree most often on {most['grade_a']} and {most['grade_b']}, for {most['documents']:,}."


MOST_PANELS: Final = 12  # More panels do not fit on a page
_KINDS: Final = ("a run", "sorted by this judge's labels", "made with the judge")
_SHAPES: Final = ("circle", "square", "triangle-up")


@plot(of="assessors")
def judge_leaderboard(leaderboards: pl.DataFrame) -> Drawing:
    """Which runs does a judge score higher than the experts, and how does a run sorted by its labels fare?

    A point is a run: its score by the qrels across, by the judge up. On the line both scores are the same; above it the
    judge's is higher. The square is the circular run, sorted by the judge's own labels. Triangles are other runs made
    with the judge. A panel for each judge and measure.
    """
    parts = leaderboards.partition_by("measure", "assessor", maintain_order=True)
    shown, several = parts[:MOST_PANELS], leaderboards["measure"].n_unique() > 1
    made = leaderboards["run"] == SORTED_BY_LABELS
    size = 320 if len(shown) == 1 else 220
    return Drawing(
        grid([_by_judge(part, size, several=several) for part in shown], columns=3, spacing=26),
        f"{', '.join(leaderboards['measure'].unique(maintain_order=True))} by judge and by the qrels",
        " ".join(_higher(part) for part in shown),
        "A point is a run; above the line the judge scores it higher than the qrels do.",
        "Square: the run sorted by this judge's labels." if made.any() else "",
        "Triangles: runs made with the judge." if (leaderboards["circular"] & ~made).any() else "",
        f"The first {MOST_PANELS} of {len(parts)} panels." if len(parts) > MOST_PANELS else "",
    )


def _by_judge(rows: pl.DataFrame, size: int, *, several: bool) -> Spec:
    first = rows.row(0, named=True)
    low, high = ends_of(pl.concat([rows["by_qrels"], rows["by_assessor"]]))
    scale = between(low, high)
    rows = rows.select(
        "run", "by_qrels", "by_assessor", "place_by_qrels", "place_by_assessor",
        kind=pl.when(pl.col("run") == SORTED_BY_LABELS).then(pl.lit(_KINDS[1]))
        .when("circular").then(pl.lit(_KINDS[2])).otherwise(pl.lit(_KINDS[0])),
    )  # fmt: skip
    place = {
        "x": field("by_qrels:Q", title="by the qrels", scale=scale),
        "y": field("by_assessor:Q", title="by the judge", scale=scale),
    }
    line = pl.DataFrame({"by_qrels": [low, high], "by_assessor": [low, high]})
    there = [place for place, kind in enumerate(_KINDS) if (rows["kind"] == kind).any()]
    kinds = [_KINDS[place] for place in there]
    legend = {"title": None, "orient": "bottom", "direction": "horizontal"}
    looks = {
        "color": field("kind:N", title=None, legend=legend, scale=by_name(kinds, [COLOURS[place] for place in there])),
        "shape": field("kind:N", title=None, legend=legend, scale=by_name(kinds, [_SHAPES[place] for place in there])),
    }
    tips = ["run:N", "by_qrels:Q .4f", "by_assessor:Q .4f", "place_by_qrels:Q", "place_by_assessor:Q"]
    title = f"{first['assessor']}, {first['measure']}" if several else first["assessor"]
    points = mark("point", filled=True, size=46, opacity=0.8, stroke=HALO, strokeWidth=0.5)
    return layer(
        chart(mark("line", color=GUIDE, strokeDash=[4, 3], strokeWidth=1), data=line, **place),
        chart(points, data=rows, **place, tooltip=tips, **looks),
        width=size, height=size, title=panel_title(title, size),
    )  # fmt: skip


def _higher(rows: pl.DataFrame) -> str:
    first = rows.row(0, named=True)
    runs = rows.filter(pl.col("run") != SORTED_BY_LABELS)
    of = f"{(runs['by_assessor'] > runs['by_qrels']).sum()} of {counted(runs.height, 'run')}"
    said = f"{first['assessor']} scores {of} higher by {first['measure']} than the qrels"
    for row in rows.filter(run=SORTED_BY_LABELS).to_dicts():
        said += (
            f"; the run sorted by its labels is number {row['place_by_assessor']} by the judge "
            f"({row['by_assessor']:.3f}) and number {row['place_by_qrels']} by the qrels ({row['by_qrels']:.3f})"
        )
    return f"{said}."


ORDER_TITLES: Final = {
    "tau_b": "Kendall's τ_b", "tau_ap": "τ_AP", "spearman": "Spearman's rho", "top": "Share of the best in both",
}  # fmt: skip
"""What the statistics of two orders are called."""


@plot(of="assessors")
def judge_orders(orders: pl.DataFrame) -> Drawing:
    """How similar is each judge's leaderboard to the experts', and how sure is that?

    A dot is the value for these runs on these topics. The thick line is its 95% interval over topics, the thin one its
    95% interval over runs, where known. A panel for each statistic and measure.
    """
    rows = orders.filter(among="all").drop_nulls("value")
    if not rows.height:
        raise InputError("one of the two leaderboards ties all runs, so their orders cannot be compared")
    parts = rows.partition_by("measure", "statistic", maintain_order=True)
    shown, several = parts[:MOST_PANELS], rows["measure"].n_unique() > 1
    return Drawing(
        grid([_alike(part, several=several) for part in shown], columns=2, spacing=26),
        f"Judges' leaderboards compared with the qrels', by {', '.join(rows['measure'].unique(maintain_order=True))}",
        " ".join(_most_alike(part) for part in shown),
        "Thick: 95% interval over topics; thin: over runs.",
        f"The first {MOST_PANELS} of {len(parts)} panels." if len(parts) > MOST_PANELS else "",
    )


def _alike(rows: pl.DataFrame, *, several: bool) -> Spec:
    first = rows.row(0, named=True)
    low, high = ends_of(pl.concat([rows[name].drop_nulls() for name in ("value", "low", "runs_low")]))
    title = ORDER_TITLES[first["statistic"]]
    judge = field("assessor:N", title=None, sort=rows["assessor"].to_list())
    ends = {"scale": between(low, high), "title": None}
    thin = mark("rule", color=INK, strokeWidth=1)
    thick = mark("rule", color=COLOURS[0], strokeWidth=5, opacity=0.55)
    known = {of: rows.drop_nulls(f"{of}low") for of in ("", "runs_")}
    lines = [
        chart(what, data=known[of], x=field(f"{of}low:Q", **ends), x2=f"{of}high", y=judge)
        for of, what in (("", thick), ("runs_", thin)) if known[of].height
    ]  # fmt: skip
    tips = ["assessor:N", *(f"{name}:Q .3f" for name in ("value", "low", "high", "runs_low", "runs_high")), "runs:Q"]
    return layer(
        *lines,
        chart(dot(50, color=INK), data=rows, x=field("value:Q", **ends), y=judge, tooltip=tips),
        width=300, height={"step": 24}, title=panel_title(f"{title}, {first['measure']}" if several else title, 300),
    )  # fmt: skip


def _most_alike(rows: pl.DataFrame) -> str:
    most = rows.row(int(rows["value"].arg_max() or 0), named=True)
    said = f"{ORDER_TITLES[most['statistic']]} by {most['measure']} is {most['value']:.2f} for {most['assessor']}"
    if most["low"] is not None:
        said += f" ({most['low']:.2f} to {most['high']:.2f} over topics)"
    return f"{said}, the highest of {counted(rows.height, 'judge')}." if rows.height > 1 else f"{said}."


NOBODY: Final = "(none)"
"""What the judge is called who says the same of every document."""
SAMPLE: Final = "sample alone"
MOST_JUDGES: Final = len(COLOURS) - 1  # More judges are not told apart; the last colour is that of the sample alone
_ROOM: Final = 1.08  # By so much axes go beyond what they show
ENDS: Final = {"width": "on these topics", "like_width": Scope().on_others().alike}


@plot(of="expert-labels")
def interval_width(widths: pl.DataFrame, needed: pl.DataFrame) -> Drawing:
    """How many expert labels does a narrow interval take, and how many does a cheap judge save?

    A line joins the mean widths of 95% intervals from samples of several sizes: in ink from the sample only, in colour
    with the labels of each cheap judge. On the left only the draw is random; on the right the topics are, too, so lines
    end at the width with all judgments, which is dashed. Both axes are logarithmic.
    """
    panels, said, dashed = [], [], False
    ends = _log_ends(widths["labels"])
    for (measure,), rows in widths.group_by("measure", maintain_order=True):
        by_judge = rows.filter(pl.col("judge") != NOBODY).group_by("judge", maintain_order=True)
        narrowest = by_judge.agg(pl.col("width").log1p().mean()).sort("width", maintain_order=True)
        coloured = narrowest["judge"].head(MOST_JUDGES).to_list()
        of_all = needed.filter(measure=measure)["all_width"].cast(pl.Float64)
        wide = _log_ends(pl.concat([*(rows[column].drop_nulls() for column in ENDS), of_all.drop_nulls()]))
        for column, of in ENDS.items():
            if rows[column].null_count() == 0 and (rows[column] > 0).any():
                all_ = of_all[0] if column == "like_width" else None
                dashed |= bool(all_)
                panels.append(_widths(rows, column, coloured, f"{measure}, {of}", all_, [ends, wide]))
        said.append(_width_at_most_labels(rows))
    if not panels:
        raise InputError("every sample holds all candidates, so every interval has width 0; ask for smaller samples")
    others = widths["judge"].n_unique() - 1 - MOST_JUDGES
    alone = widths["judge"].n_unique() == 1
    says = [f"Mean over runs and samples{', without a cheap judge' if alone else ''}."]
    if dashed:
        says.append("Dashed: the width with all judgments.")
    if others > 0:
        says.append(f"In colour the {MOST_JUDGES} judges with the narrowest intervals, the other {others} in grey.")
    title = "Width of intervals by number of expert labels"
    return Drawing(grid(panels, columns=2, spacing=28), title, " ".join(said), *says)


def _log_ends(values: pl.Series) -> list[float]:
    """Return the ends of a logarithmic axis."""
    there = values.to_numpy()
    there = there[there > 0]
    return [float(there.min()) / _ROOM, float(there.max()) * _ROOM] if len(there) else [1.0, 2.0]


def _widths(
    rows: pl.DataFrame, column: str, coloured: list[str], title: str, all_: float | None, domains: list[list[float]]
) -> Spec:
    measure = rows["measure"][0]
    rows = rows.select("judge", "labels", width=column).filter(pl.col("width") > 0)
    rows = rows.with_columns(pl.col("judge").replace({NOBODY: SAMPLE}))
    sizes = sorted({round(each) for each in rows["labels"]})
    across, up = ({"type": "log", "nice": False, "domain": domain} for domain in domains)
    x = field(
        "labels:Q", title="expert labels per topic, logarithmic", scale=across,
        axis={"values": sizes, "format": ",", "labelOverlap": "greedy"},
    )  # fmt: skip
    y = field("width:Q", title=f"width for {measure}, logarithmic", scale=up, axis={"tickCount": 6, "format": "~g"})
    shown = [SAMPLE, *coloured]
    colour = field("judge:N", title=None, scale=by_name(shown, [INK, *COLOURS[: len(coloured)]]))
    told = {"data": rows.filter(pl.col("judge").is_in(shown)), "x": x, "y": y}
    views = in_grey(rows, shown, x, y, by="judge")
    if all_:
        views.append(chart(DASHED, data=pl.DataFrame({"width": [all_]}), y=y))
    return layer(
        *views,
        chart(mark("line"), **told, color=colour | {"legend": STROKES if coloured else None}),
        chart(dot(34), **told, color=colour, tooltip=["judge:N", "labels:Q .1f", "width:Q .4f"]),
        width=320, height=260, title=panel_title(title, 320),
    )  # fmt: skip


def _width_at_most_labels(rows: pl.DataFrame) -> str:
    most = rows.filter(pl.col("per_topic") == pl.col("per_topic").max()).sort("width", maintain_order=True)
    alone, best = most.filter(judge=NOBODY).row(0, named=True), most.row(0, named=True)
    said = (
        f"With {alone['labels']:.1f} expert labels per topic, 95% intervals of {alone['measure']} for these topics are "
        f"{alone['width']:.3f} wide from the sample alone"
    )
    if best["judge"] != NOBODY:
        said += f", and {best['width']:.3f} with {best['judge']}, the narrowest of {counted(most.height - 1, 'judge')}"
    return f"{said}."
