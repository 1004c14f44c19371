"""Scores to cut at, or to answer from: what each threshold gains and loses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cranfield.plots.grammar import Spec, chart, concat, field, grid, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, DASHES, INK, JUDGED, SHAPES, STROKES, UNJUDGED, by_name, panel_title
from cranfield.plots.walks import OWN_SCALES
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, percent

_MOST_RUNS = 9  # More panels than that are too small, or too many for a page
_LARGE_PANEL, _SMALL_PANEL = (460, 260), (230, 140)  # Width and height of a panel that is alone, and of one of several
_ERRORS = {"answered": "answered, without an answer", "silent": "silent, with an answer"}
_KINDS = [GUARANTEED, _PLAIN] = ["with a guarantee", "plain threshold"]


def _upright(column: str, threshold: float | None) -> Iterator[Spec]:
    """Draw a threshold, where there is one."""
    if threshold is not None:
        here = pl.DataFrame({column: [threshold]})
        yield chart(mark("rule", color=INK, strokeWidth=2), data=here, x=f"{column}:Q")


@plot(of="score-distributions")
def score_distributions(histogram: pl.DataFrame, cuts: pl.DataFrame) -> Drawing:
    """Do a run's scores separate relevant documents from the others, and where should its lists be cut?

    Scores are scaled from the lowest (0) to the highest (1) of each list. The height of a step is the share of the
    relevant documents (solid line), of those judged not relevant (dashed) or of the unjudged ones (dotted, filled) with
    scores in that range. The vertical line is the score at which it would have been best to end all lists of the run,
    in hindsight.
    """
    best = cuts.sort("cut", descending=True, nulls_last=True, maintain_order=True)
    shown = best.head(_MOST_RUNS).rows(named=True)
    size = _LARGE_PANEL if len(shown) == 1 else _SMALL_PANEL
    return Drawing(
        grid([_distributions(histogram.filter(run=row["run"]), row, *size) for row in shown], columns=3, spacing=22),
        "Scores of relevant, non-relevant and unjudged documents",
        " ".join(map(_separated, shown)),
        f"Vertical line: the best cut for all lists of a run by {cuts['measure'][0]}, in hindsight.",
        f"The best {_MOST_RUNS} of {cuts.height} runs at that cut." if cuts.height > _MOST_RUNS else "",
        "" if histogram.filter(state="relevant")["documents"].sum() else "No document is relevant.",
    )


def _distributions(rows: pl.DataFrame, cut: dict[str, Any], width: int, height: int) -> Spec:
    # Steps need a last point, where the last part ends.
    last = rows.group_by("state", maintain_order=True).last().with_columns(low=pl.col("high"))
    steps = pl.concat([rows, last.select(rows.columns)]).drop_nulls("share")
    axis, scale = {"format": "%", "values": [0, 0.01, 0.05, 0.2, 0.5, 1]}, {"type": "sqrt", "domain": [0, 1]}
    place = {
        "x": field("low:Q", title="score, from the lowest to the highest of the list", scale={"domain": [0, 1]}),
        "y": field("share:Q", title="share of its kind (√ scale)", axis=axis, scale=scale, stack=False),
    }
    shades = by_name(JUDGED, JUDGED.values())
    kind = {"data": steps, **place, "color": field("state:N", title=None, scale=shades, legend=STROKES)}
    dash = field("state:N", title=None, scale=by_name(JUDGED, DASHES[:3]), legend=STROKES)
    tips = ["state:N", "low:Q .2f", "high:Q .2f", "documents:Q", "share:Q .1%"]
    felt = {"data": rows.drop_nulls("share"), **place, "x2": "high", "y2": {"value": height}, "tooltip": tips}
    count = dict(rows.group_by("state").agg(pl.col("documents").sum()).iter_rows())
    below = [_cut_at(cut), ", ".join(f"{count[state]:,} {state.removeprefix('judged ')}" for state in JUDGED)]
    return layer(
        chart(
            mark("area", interpolate="step-after", opacity=0.5), **kind, where=[f"datum.state == '{UNJUDGED}'"]
        ),
        chart(mark("line", interpolate="step-after"), **kind, strokeDash=dash),
        chart(mark("rect", opacity=0), **felt),
        *_upright("low", cut["threshold"]),
        width=width, height=height,
        title={"text": cut["run"], "subtitle": below, "fontSize": 12, "subtitleFontSize": 10, "offset": 6},
    )  # fmt: skip


def _cut_at(cut: dict[str, Any]) -> str:
    where = "empty" if cut["threshold"] is None else f"cut at {cut['threshold']:.2f}"
    return f"{where}: {cut['measure']} {cut['cut']:.3f}, whole {cut['whole']:.3f}"


def _separated(cut: dict[str, Any]) -> str:
    apart = cut["separation"]
    said = f"{cut['run']}, {_cut_at(cut)}, {cut['length']:.1f} documents a list"
    return (
        f"{said}." if apart is None else f"{said}; a relevant document scores higher in {percent(apart)} of the cases."
    )


@plot(of="abstention")
def abstention(best: pl.DataFrame, curve: pl.DataFrame) -> Drawing:
    """At which score should a system begin to answer, and which errors does each threshold make?

    A panel for each run. The horizontal axis is the threshold: the lowest top score that is answered. The solid line is
    the share of the topics without an answer that are answered, the dashed line the share of the topics with an answer
    that get none. The vertical line is the threshold with the least loss on these topics.
    """
    shown = best.sort("promised", maintain_order=True).head(_MOST_RUNS).rows(named=True)
    alone = len(shown) == 1
    panels = [_errors(curve.filter(run=row["run"]), row, *(_LARGE_PANEL if alone else _SMALL_PANEL)) for row in shown]
    return Drawing(
        grid(panels, columns=3, spacing=22, usermeta=OWN_SCALES),
        "Errors by answering threshold",
        " ".join(
            f"{row['run']}, {counted(row['answerable'], 'topic')} with an answer, {row['unanswerable']} without: "
            f"{'; '.join(_answered_from(row))}."
            for row in shown
        ),
        "Vertical line: the threshold with the least loss on these topics.",
        f"{shown[0]['run']}: {'; '.join(_answered_from(shown[0]))}." if alone else "",
        f"The {_MOST_RUNS} of {best.height} runs with the least promised loss." if best.height > _MOST_RUNS else "",
    )


def _errors(rows: pl.DataFrame, row: dict[str, Any], width: int, height: int) -> Spec:
    """Draw both errors as steps; where nothing is answered the lines end a little above the highest score."""
    scores = rows["threshold"].drop_nulls().to_list() or [0.0]
    low, high = min(scores), max(scores)
    end = high + ((high - low) or abs(high) or 1.0) * 0.04
    steps = (
        rows.with_columns(pl.col("threshold").fill_null(end))
        .unpivot(list(_ERRORS), index="threshold", variable_name="error", value_name="share")
        .with_columns(pl.col("error").replace_strict(_ERRORS))
    )
    names = list(_ERRORS.values())
    line = chart(
        mark("line", interpolate="step-before"),
        data=steps,
        x=field("threshold:Q", title="lowest top score that is answered", scale={"zero": False, "nice": False}),
        y=field("share:Q", title="share of its kind of topics", axis={"format": "%"}, scale={"domain": [0, 1]}),
        color=field("error:N", title=None, scale=by_name(names, (COLOURS[1], COLOURS[0])), legend=STROKES),
        strokeDash=field("error:N", title=None, scale=by_name(names, DASHES[:2])),
        tooltip=["error:N", "threshold:Q .4g", "share:Q .1%"],
    )
    title = panel_title(row["run"], width, *_answered_from(row))
    return layer(line, *_upright("threshold", row["threshold"]), width=width, height=height, title=title)


def _answered_from(row: dict[str, Any]) -> list[str]:
    """Say from which score to answer, which errors that makes, and what it loses."""
    threshold = row["threshold"]
    return [
        "best never to answer" if threshold is None else f"answer from {threshold:.4g}",
        f"wrong: {counted(row['wrong answers'], 'answer')}, {counted(row['wrong silences'], 'silence')}",
        f"loss {row['loss']:.3f}, promised {row['promised']:.3f}",
    ]


@plot(of="cut-guarantee")
def cut_guarantee(runs: pl.DataFrame) -> Drawing:
    """Do lists that are cut with a guarantee lose no more than promised, and do those cut without one?

    A point is a run: its mean loss over random splits of the topics, on the topics that the rule did not learn from.
    Each level has a panel with a line at the level: guaranteed cuts stay left of the line, apart from chance; plain
    thresholds lie around it or beyond. Only the first of several measures is shown.

    Paper: Angelopoulos, Bates, Fisch, Lei and Schuster (2024), "Conformal risk control", ICLR,
    section 3, which shows such losses as histograms.
    """
    measure = runs["measure"][0]
    shown = runs.filter(measure=measure)
    rows = pl.concat([
        shown.select("run", "rule", "level", "kept", loss="lost", error="error", threshold=pl.lit(GUARANTEED)),
        shown.select("run", "rule", "level", "kept", loss="plain", error="plain_error", threshold=pl.lit(_PLAIN)),
    ])  # fmt: skip
    parts = {level: rows.filter(level=level) for level in shown["level"].unique().sort()}
    measures = runs["measure"].n_unique()
    return Drawing(
        concat(
            *(_losses(part, level, measure) for level, part in parts.items()),
            columns=3, spacing=24, usermeta=OWN_SCALES,
        ),
        f"Loss in {measure} from cutting lists, on topics that the rule did not see",
        " ".join(f"Level {level:g}: {', '.join(map(_lost, part.partition_by('threshold')))}."
                 for level, part in parts.items()),
        f"A point is one of {counted(shown['run'].n_unique(), 'run')}; the line is the promised level. Rows: the "
        "cutting rules.",
        "" if rows["loss"].max() else "No run loses anything at any level.",
        f"The first of {measures} measures." if measures > 1 else "",
    )  # fmt: skip


def _losses(rows: pl.DataFrame, level: float, measure: str) -> Spec:
    rules = rows["rule"].unique(maintain_order=True).to_list()
    points = chart(
        mark("point", size=40, opacity=0.75, strokeWidth=1.5),
        data=rows.drop("level"),
        x=field("loss:Q", title=f"share of {measure} lost", scale={"zero": False, "nice": True}),
        y=field("rule:N", title=None, sort=rules),
        yOffset=field("threshold:N", sort=_KINDS),
        color=field("threshold:N", title=None, scale=by_name(_KINDS, COLOURS[:2])),
        shape=field("threshold:N", title=None, scale=by_name(_KINDS, SHAPES[:2])),
        tooltip=["run:N", "rule:N", "threshold:N", "loss:Q .4f", "error:Q .4f"],
    )
    line = chart(mark("rule", color=INK, strokeWidth=1.5), data=pl.DataFrame({"loss": [level]}), x="loss:Q")
    title = {"text": f"at most {level:g}", "fontSize": 12, "offset": 6}
    return layer(line, points, width=220, height=34 * len(rules), title=title)


def _lost(rows: pl.DataFrame) -> str:
    loss = rows["loss"].to_numpy()
    return f"{rows['threshold'][0]} {loss.min():.4f} to {loss.max():.4f}"
