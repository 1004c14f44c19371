"""Which measure tells more runs apart: the achieved significance level of each pair."""

from __future__ import annotations

from cranfield.plots.grammar import alt
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import INK, colours, dashes
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
    lines = (
        alt.Chart(rows)
        .mark_line(clip=True, point=pairs == 1)
        .encode(
            x=alt.X("place:Q", title="pairs of runs, the hardest to tell apart first", scale=alt.Scale(nice=False)),
            y=alt.Y("asl:Q", title="achieved significance level", scale=alt.Scale(domain=[0, HIGHEST], nice=False)),
            color=alt.Color("series:N", title=title, scale=colours(series)),
            strokeDash=alt.StrokeDash("series:N", title=title, scale=dashes(series)),
            tooltip=["measure:N", "place:Q", alt.Tooltip("asl:Q", format=".4f")],
        )
    )
    levels = power.select("alpha").unique(maintain_order=True)
    rules = alt.Chart(levels).mark_rule(color=INK, strokeDash=[3, 3], strokeWidth=1).encode(y="alpha:Q")
    label = alt.Text("alpha:Q", format="~g")
    words = alt.Chart(levels).mark_text(align="right", dx=-4, dy=-6).encode(y="alpha:Q", x=alt.value(520), text=label)
    return Drawing(
        alt.layer(lines, rules, words).properties(width=520, height=320),
        "Achieved significance level of each pair of runs",
        f"Of {counted(pairs, 'pair')}, told apart at {alpha:g}: " + "; ".join(series) + ".",
        (f"{counted(pairs, 'pair')} of runs" + (f", every {step}th drawn." if step > 1 else "."),),
    )
