"""The errors of a threshold of the first score: answers where there is none, and silence where there is one."""

from __future__ import annotations

from typing import Any

from cranfield.plots.grammar import Spec, chart, concat, field, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, DASHES, INK, STROKES, named, panel_title
from cranfield.plots.walks import OWN_SCALES
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

MOST_RUNS = 9
"""More panels than that are too small, or too many for a page."""
_ERRORS = {"answered": "answered, without an answer", "silent": "silent, with an answer"}


@plot(of="abstention")
def abstention(best: pl.DataFrame, curve: pl.DataFrame) -> Drawing:
    """At which score should a system begin to answer, and which errors does each threshold make?

    A panel for each run. Across stands the lowest score of a first document that is answered. The whole
    line is the share of the topics without an answer that are answered, the dashed one the share of the
    topics with an answer that are met by silence. The vertical line is the threshold of the least loss on
    these topics.
    """
    ordered = best.sort("promised", maintain_order=True)
    shown = ordered.head(MOST_RUNS).rows(named=True)
    panels = [_panel(curve.filter(run=row["run"]), row, alone=len(shown) == 1) for row in shown]
    says = ["The vertical line: the threshold of the least loss on these topics."]
    if len(shown) == 1:
        says.append(f"{shown[0]['run']}: {'; '.join(_where(shown[0]))}.")
    if best.height > MOST_RUNS:
        says.append(f"The {MOST_RUNS} of {best.height} runs that promise the least loss.")
    return Drawing(
        panels[0] if len(panels) == 1 else concat(*panels, columns=3, spacing=22, usermeta=OWN_SCALES),
        "Errors by the score from which a system answers",
        " ".join(map(_described, shown)),
        tuple(says),
    )


def _panel(rows: pl.DataFrame, row: dict[str, Any], *, alone: bool) -> Spec:
    width, height = (460, 260) if alone else (230, 140)
    steps = _steps(rows)
    names = list(_ERRORS.values())
    place = {
        "x": field("threshold:Q", title="lowest first score that is answered", scale={"zero": False, "nice": False}),
        "y": field("share:Q", title="share of its kind of topics", axis={"format": "%"}, scale={"domain": [0, 1]}),
    }
    line = chart(
        mark("line", interpolate="step-before"),
        data=steps,
        **place,
        color=field("error:N", title=None, scale=named(names, (COLOURS[1], COLOURS[0])), legend=STROKES),
        strokeDash=field("error:N", title=None, scale=named(names, DASHES[:2])),
        tooltip=["error:N", field("threshold:Q", format=".4g"), field("share:Q", format=".1%")],
    )
    layers = [line]
    if row["threshold"] is not None:
        here = pl.DataFrame({"threshold": [row["threshold"]]})
        layers.append(chart(mark("rule", color=INK, strokeWidth=2), data=here, x="threshold:Q"))
    title = panel_title(row["run"], width, *_where(row))
    return layer(*layers, width=width, height=height, title=title)


def _steps(rows: pl.DataFrame) -> pl.DataFrame:
    """Put the errors below each other; where nothing is answered the lines end a little above the highest score."""
    scores = rows["threshold"].drop_nulls().to_list() or [0.0]
    low, high = min(scores), max(scores)
    end = high + ((high - low) or abs(high) or 1.0) * 0.04
    return (
        rows.with_columns(pl.col("threshold").fill_null(end))
        .unpivot(list(_ERRORS), index="threshold", variable_name="error", value_name="share")
        .with_columns(pl.col("error").replace_strict(_ERRORS))
    )


def _where(row: dict[str, Any]) -> list[str]:
    """Say from which score to answer, which errors that makes, and what it loses."""
    threshold = row["threshold"]
    return [
        "best never to answer" if threshold is None else f"answer from {threshold:.4g}",
        f"wrong: {counted(row['wrong answers'], 'answer')}, {counted(row['wrong silences'], 'silence')}",
        f"loss {row['loss']:.3f}, promised {row['promised']:.3f}",
    ]


def _described(row: dict[str, Any]) -> str:
    topics = f"{row['answerable']} topics with an answer, {row['unanswerable']} without"
    return f"{row['run']}, {topics}: {'; '.join(_where(row))}."
