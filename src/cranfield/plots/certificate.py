"""Which ranks each run could have."""

from __future__ import annotations

from cranfield.plots.grammar import Spec, chart, concat, field, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, INK, STROKES, named
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.wording import counted

MOST_RUNS = 60
"""More rows than that do not fit on a page."""
FEW_RANKS = 12
"""How many ranks each have a tick of their own."""
WIDTHS = (2, 7)
"""Of the lines, in points: of what is likely, and of what is certain."""
ALIKE = Scope().on_others().alike
LIKELY, CERTAIN = f"{ALIKE} (likely)", "by unjudged documents in these runs (certain)"


@plot(of="certificate")
def certificate(ranks: pl.DataFrame) -> Drawing:
    """Which ranks are certain, and which are likely?

    The mark is a run's rank. The thick line spans the ranks that it could have whatever grades the
    unjudged documents have; the thin one those that it could have on other topics of the same kind,
    all runs at once. Where it begins at 1, the run ties with the leader.
    """
    parts = ranks.partition_by("measure", maintain_order=True)
    runs = parts[0].height
    says = [
        f"Thick: ranks that grades of the unjudged documents in these runs allow. Thin: ranks {ALIKE}, all runs at "
        "once."
    ]
    for part in parts:
        lead, by_t = (counted(int(part[name].sum()), "run") for name in ("may_lead", "may_lead_by_t"))
        by = f"By {part['measure'][0]} " if len(parts) > 1 else ""
        says.append(f"{by}{lead} may lead; by paired t, Holm's correction over the pairs, {by_t}.")
    if runs > MOST_RUNS:
        says.append(f"The first {MOST_RUNS} of {runs} runs.")
    charts = [_panel(part.head(MOST_RUNS), runs) for part in parts]
    return Drawing(
        charts[0] if len(charts) == 1 else concat(*charts, columns=2, spacing=24),
        f"Ranks by {', '.join(part['measure'][0] for part in parts)}",
        " ".join(map(_described, parts)),
        tuple(says),
    )


def _panel(rows: pl.DataFrame, runs: int) -> Spec:
    run = field("run:N", sort=rows["run"].to_list(), title=None)
    ground = {"domain": [0.5, runs + 0.5], "nice": False}
    axis = {"format": "d"} | ({"values": list(range(1, runs + 1))} if runs <= FEW_RANKS else {})
    lines = pl.concat(
        rows.select("run", "rank", first=f"{kind}_from", last=f"{kind}_to", interval=pl.lit(name))
        for kind, name in (("likely", LIKELY), ("certain", CERTAIN))
    ).with_columns(pl.col("first") - 0.35, pl.col("last") + 0.35, lowest="first", highest="last")
    kinds = (LIKELY, CERTAIN)
    layers = [
        chart(
            mark("rule", strokeCap="butt"),
            data=lines.filter(pl.col("interval") == name),
            x=field("first:Q", title=f"rank by {rows['measure'][0]}", scale=ground, axis=axis),
            x2="last",
            y=run,
            color=field("interval:N", scale=named(kinds, (COLOURS[4], COLOURS[0])), legend=STROKES),
            strokeWidth={**field("interval", scale=named(kinds, WIDTHS), legend=STROKES), "type": "ordinal"},
            tooltip=["run:N", "rank:Q", "interval:N", "lowest:Q", "highest:Q"],
        )
        for name in kinds
    ]
    tick = mark("tick", color=INK, thickness=2, size=12)
    marks = chart(tick, data=rows, x="rank:Q", y=run, tooltip=["run:N", "rank:Q"])
    return layer(*layers, marks, width=420, height={"step": 15})


def _described(rows: pl.DataFrame) -> str:
    measure, runs = rows["measure"][0], rows.height
    fixed = rows.filter(pl.col("certain_from") == pl.col("certain_to")).height
    settled = rows.filter(pl.col("likely_from") == pl.col("likely_to")).height
    return (
        f"By {measure} {fixed} of {counted(runs, 'run')} {'has' if fixed == 1 else 'have'} one rank, "
        f"{Scope().graded().whatever}, {settled} {ALIKE}; {rows['may_lead'].sum()} tie with the "
        f"leader, {rows['run'][0]} ({rows['may_lead_by_t'].sum()} by paired t, Holm's correction over the pairs)."
    )
