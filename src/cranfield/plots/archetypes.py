"""What the curves of cumulated relative position look like, and what that makes of Twist."""

from __future__ import annotations

from typing import Any

from cranfield.plots.grammar import Spec, chart, concat, field, layer, mark, vconcat
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.printing import AS_LARGE
from cranfield.plots.theme import COLOURS, INK
from cranfield.plots.walks import FULL_SCALE, OWN_LEGENDS, OWN_SCALES, limits_of
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.wording import counted

SYMBOLS = {
    **{"CrossingRank": "min x", "BalancePoint": "β", "Recovery": "ρ"},
    **{"ForwardSpace": "σ+", "BackwardSpace": "σ−", "Space": "σ", "Twist": "τ"},
}
"""The rows of the paper's Figures 4, 5 and 6, without superscripts, which few fonts have."""
WIDTH, HEIGHT, LINE = 270, 140, 14
COLUMNS = {"symbol": 0, "paper": 42, "median": 132, "so": 196}
"""Where the columns of the table below a curve stand."""


@plot(of="archetypes")
def archetypes(examples: pl.DataFrame, figures: pl.DataFrame) -> Drawing:
    """What do the curves of the runs look like, and is Twist made of them as the paper says?

    Of each archetype that was found one ranking, the one of median Twist: its CRP (blue), that of the
    full-scale list (dashed), and R (dotted). Below it, of all rankings of the archetype, the first
    crossing (min x), the balance point β, the recovery ratio ρ, the space ratios σ+, σ− and σ, and
    Twist τ: what the paper says, the median here, and of how many rankings it is true.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The Twist measure for IR
    evaluation", JASIST 67(3), Figures 3 to 6.
    """
    panels: list[Spec] = []
    said: list[str] = []
    length = Scope(n=int(examples["rank"].to_numpy().max(initial=0))).length
    for rows in examples.partition_by("archetype", maintain_order=True):
        known = figures.filter(pl.col("archetype") == rows["archetype"][0])
        count = int(known["rankings"][0])
        title = f"{rows['archetype'][0]} ({counted(count, 'ranking')})"
        below = f"{rows['run'][0]}, topic {rows['topic'][0]}, R = {rows['recall_base'][0]}"
        curve = {**_curve(rows), "title": {"text": title, "subtitle": below, "fontSize": 12.5}}
        panels.append(vconcat(curve, _table(known), spacing=8))
        twist = known.filter(pl.col("quantity") == "Twist").row(0, named=True)
        said.append(f"{title}: median Twist {twist['median']:.3f}, for example {below}.")
    return Drawing(
        concat(*panels, columns=3, spacing=30, resolve=OWN_LEGENDS, usermeta=OWN_SCALES),
        f"Archetypes of rankings ({length}): cumulated relative position (CRP) by rank",
        " ".join(said),
        (
            "Blue: the ranking of median Twist; dashed: the full-scale list; dotted: R. "
            "Each panel has a scale of its own: shapes are compared. "
            "Below: what the paper says of all rankings of the archetype, their median, and of how many it is true.",
        ),
    )


def _curve(rows: pl.DataFrame) -> Spec:
    limits = limits_of([rows], "crp", "full_scale")
    last = int(rows["rank"].max())  # type: ignore[arg-type]
    scale = {"type": "log", "domain": [1, max(last, 2)], "nice": False}
    x = field("rank:Q", title="rank (logarithmic)", scale=scale, axis={"tickCount": 4, "format": "d"})
    y = {"domain": list(limits), "nice": False}
    both = {"data": rows.select("rank", "crp", "full_scale"), "x": x}
    dashed = mark("line", clip=True, strokeDash=FULL_SCALE.dash, color=FULL_SCALE.colour, strokeWidth=1.4)
    worst = chart(dashed, **both, y=field("full_scale:Q", title="CRP (ranks)", scale=y))
    line = mark("line", clip=True, color=COLOURS[0], point=rows.height == 1)
    run = chart(line, **both, y=field("crp:Q", scale=y))
    zero = chart(mark("rule", color=INK), data=pl.DataFrame({"crp": [0]}), y="crp:Q")
    here = pl.DataFrame({"rank": [rows["recall_base"][0]]}).filter(pl.col("rank") <= last)
    end = chart(mark("rule", color=INK, strokeDash=[2, 2]), data=here, x=x)
    return layer(zero, end, worst, run, width=WIDTH, height=HEIGHT)


def _table(known: pl.DataFrame) -> Spec:
    """Write the columns of a table as text."""
    rows = [_row(row) for row in known.iter_rows(named=True)]
    table = pl.DataFrame([dict.fromkeys(COLUMNS, ""), *rows]).with_row_index("line")
    heads = dict(zip(COLUMNS, ("", "paper", "median", "true of"), strict=True))
    table = table.with_columns(
        pl.when(pl.col("line") == 0).then(pl.lit(head)).otherwise(pl.col(column)).alias(column)
        for column, head in heads.items()
    )
    y = field("line:Q", axis=None, scale={"domain": [-0.5, len(rows) + 0.5], "reverse": True, "nice": False})
    words = mark("text", align="left", fontSize=10.5)
    columns = (chart(words, x={"value": left}, y=y, text=f"{column}:N") for column, left in COLUMNS.items())
    bare = {"style": AS_LARGE, "strokeOpacity": 0}
    return layer(*columns, data=table, width=WIDTH, height=LINE * (len(rows) + 1), view=bare)


def _row(of: dict[str, Any]) -> dict[str, str]:
    ranks = of["quantity"] in ("CrossingRank", "BalancePoint")
    median = "none" if of["paper"] == "∞" else f"{of['median']:g}" if ranks else f"{of['median']:.3f}"
    so = "a limit" if of["as_said"] is None else f"{of['as_said']:,} of {of['rankings']:,}"
    return {"symbol": SYMBOLS[of["quantity"]], "paper": of["paper"], "median": median, "so": so}
