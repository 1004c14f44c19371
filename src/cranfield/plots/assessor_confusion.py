"""Where assessors part."""

from __future__ import annotations

from typing import Any

from cranfield.plots.grammar import Spec, chart, concat, field, layer, mark, when
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, DARK_FROM, HALO, INK, RISING, named
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

MOST_PAIRS = 12
"""More matrices than that do not fit on a page."""
MOST_GRADES = 20
"""Nor does a matrix of more grades."""


@plot(of="assessors")
def assessor_confusion(confusion: pl.DataFrame, agreement: pl.DataFrame) -> Drawing:
    """Which grades do two assessors take for each other?

    A row is a grade of the one, a column a grade of the other, and the number says on how many
    documents these two met; the darker a cell, the larger its share of the row. Framed cells are
    those where both agree: away from them, above or below, one assessor is the more generous.
    """
    if (grades := confusion["grade_a"].n_unique()) > MOST_GRADES:
        raise InputError(f"{grades:,} different grades do not fit a matrix, which has at most {MOST_GRADES}")
    pairs = agreement.rows(named=True)
    shown = pairs[:MOST_PAIRS]
    charts = [_panel(_of_pair(confusion, pair), pair) for pair in shown]
    says = ["A number is of documents; the darker, the larger its share of the row; framed: the same grade."]
    if len(pairs) == 1:
        says.append(f"{_summed_up(pairs[0])}.")
    if len(pairs) > MOST_PAIRS:
        says.append(f"The first {MOST_PAIRS} of {len(pairs)} pairs of assessors.")
    return Drawing(
        charts[0] if len(charts) == 1 else concat(*charts, columns=3, spacing=28),
        "Which grades assessors take for each other",
        " ".join(_described(_of_pair(confusion, pair), pair) for pair in shown),
        tuple(says),
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


def _panel(rows: pl.DataFrame, pair: dict[str, Any]) -> Spec:
    grades = rows["grade_a"].unique(maintain_order=True).to_list()
    number = field("documents:Q", format=",")
    cell = {
        "x": field("grade_b:N", sort=grades, title=pair["assessor_b"], axis={"labelAngle": 0, "orient": "top"}),
        "y": field("grade_a:N", sort=grades, title=pair["assessor_a"], axis={"titleLimit": max(26 * len(grades), 60)}),
        "tooltip": ["grade_a:N", "grade_b:N", "documents:Q", field("share:Q", format=".1%", title="of the row")],
        # Without it, Vega-Lite makes an expression of the titles, which are names of assessors.
        "description": number,
    }
    scale = named([0, 0.5, 1], RISING)
    share = field("share:Q", title="share of the row", scale=scale, legend={"format": "%"})
    shaded = chart(mark("rect", stroke=HALO), **cell, color=share)
    framed = chart(mark("rect", filled=False, stroke=INK, strokeWidth=1.5), **cell, where=["datum.same"])
    text = chart(
        mark("text", fontSize=10), **cell, text=number, color=when(f"datum.share > {DARK_FROM}", HALO, COLOURS[-1])
    )
    title = {"text": _summed_up(pair), "fontSize": 11, "fontWeight": "normal", "offset": 6}
    return layer(shaded, framed, text, data=rows, width={"step": 44}, height={"step": 26}, title=title)


def _summed_up(pair: dict[str, Any]) -> str:
    kappa = "" if pair["kappa"] is None else f", κ {pair['kappa']:.2f}"
    return f"{counted(pair['documents'], 'document')}, {pair['same_grade']:.0%} the same{kappa}"


def _described(rows: pl.DataFrame, pair: dict[str, Any]) -> str:
    apart = rows.filter(~pl.col("same")).sort("documents", descending=True, maintain_order=True)
    said = (
        f"{pair['assessor_a']} and {pair['assessor_b']} gave the same grade to {pair['same_grade']:.0%} of "
        f"{counted(pair['documents'], 'document')}"
    )
    if not apart.height or not apart["documents"][0]:
        return f"{said}."
    most = apart.row(0, named=True)
    return f"{said}; they part most often by {most['grade_a']} and {most['grade_b']}, on {most['documents']:,}."
