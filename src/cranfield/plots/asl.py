"""Which measure tells more runs apart: the achieved significance level of each pair."""

from __future__ import annotations

from cranfield.plots.grammar import chart, field, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import INK, STROKES, colours, dashes
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

HIGHEST = 0.15
"""Above that nobody asks whether a difference is significant; Sakai's figures end there too."""
MOST_PLACES = 400
"""How many points a line is drawn with: it looks like one of all pairs."""


@plot(of="discriminative-power")
def asl(asl: pl.DataFrame, power: pl.DataFrame) -> Drawing:
    """Which measure tells more pairs of runs apart?

    The pairs are sorted by the achieved significance level of their difference, the one that is
    hardest to tell apart first. The further left a curve comes down, the more pairs the measure
    tells apart. The legend has the share below alpha, and the difference Δ that suffices for it.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The Twist measure for IR
    evaluation", JASIST 67(3), Figure 14; Sakai (2006), SIGIR, section 3.
    """
    alpha = power["alpha"][0]
    first = power.filter(pl.col("alpha") == alpha)
    named = {
        row["measure"]: f"{row['measure']}: {row['share']:.1%}" + (f", Δ {row['delta']:.3f}" if row["delta"] else "")
        for row in first.iter_rows(named=True)
    }
    pairs = int(first["pairs"][0])
    step = max(1, pairs // MOST_PLACES)
    rows = asl.filter(((pl.col("place") - 1) % step == 0) | (pl.col("place") == pairs))
    rows = rows.with_columns(pl.col("measure").replace_strict(named).alias("series"))
    series = list(named.values())
    title = f"share of pairs below {alpha:g}" + (", Δ" if first["delta"].count() else "")
    legend = {**STROKES, "title": title}
    lines = chart(
        mark("line", clip=True, point=pairs == 1),
        data=rows,
        x=field("place:Q", title="pairs of runs, the hardest to tell apart first", scale={"nice": False}),
        y=field("asl:Q", title="achieved significance level", scale={"domain": [0, HIGHEST], "nice": False}),
        color=field("series:N", scale=colours(series), legend=legend),
        strokeDash=field("series:N", scale=dashes(series), legend=legend),
        tooltip=["measure:N", "place:Q", field("asl:Q", format=".4f")],
    )
    alphas = {"data": power.select("alpha").unique(maintain_order=True), "y": "alpha:Q"}
    rules = chart(mark("rule", color=INK, strokeDash=[3, 3], strokeWidth=1), **alphas)
    label = field("alpha:Q", format="~g")
    words = chart(mark("text", align="right", dx=-4, dy=-6), **alphas, x={"value": 520}, text=label)
    return Drawing(
        layer(lines, rules, words, width=520, height=320),
        "Achieved significance level of each pair of runs",
        f"Of {counted(pairs, 'pair')}, told apart at {alpha:g}: " + "; ".join(series) + ".",
        (f"{counted(pairs, 'pair')} of runs" + (f", every {step}th drawn." if step > 1 else "."),),
    )
