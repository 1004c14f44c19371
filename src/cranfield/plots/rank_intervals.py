"""Between which ranks each run lies."""

from __future__ import annotations

from typing import Final

from cranfield.plots.certain_and_open import FEW_RANKS
from cranfield.plots.grammar import Spec, chart, dot, field, grid, layer, mark, when
from cranfield.plots.leaderboard import decimals, first_of, most_shown
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, HALO
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.wording import counted

_WIDTH: Final = 300  # Points from end to end of the axis


@plot(of="leaderboard", measures=("nDCG@10",))
def rank_intervals(ranks: pl.DataFrame) -> Drawing:
    """Between which ranks does each run lie?

    The line is the interval of a run's rank, for all runs at once; the dot is its rank by the mean, which is printed on
    the right. The dot is hollow where the run may lead: no run is significantly better.

    Paper: Mogstad, Romano, Shaikh and Wilhelm (2024), "Inference for ranks with applications to mobility across
    neighbourhoods and academic achievement across countries", Review of Economic Studies 91(1).
    """
    parts = {str(part["measure"][0]): part for part in ranks.partition_by("measure", maintain_order=True)}
    runs = next(iter(parts.values())).height
    return Drawing(
        grid([_panel(most_shown(part), measure, runs) for measure, part in parts.items()], columns=3, spacing=24),
        f"Ranks by {', '.join(parts)}",
        " ".join(_described(part, measure) for measure, part in parts.items()),
        "Line: interval of the rank, all runs at once. Dot: rank by the mean. Hollow: may lead, as no run is "
        "significantly better.",
        first_of(runs),
    )


def _panel(rows: pl.DataFrame, measure: str, runs: int) -> Spec:
    rows = rows.drop("measure")
    run = field("run:N", sort=rows["run"].to_list(), title=None)
    tips = ["run:N", "mean:Q .4f", "rank:Q", field("rank_from:Q", title="from"), field("rank_to:Q", title="to")]
    both = {"y": run, "tooltip": tips}
    scale = {"domain": [0.5, max(runs, 2) + 0.5], "nice": False}
    ticks = {"values": list(range(1, runs + 1))} if runs <= FEW_RANKS else {"tickCount": 6}
    left = field("rank_from:Q", title=f"rank by {measure}", scale=scale, axis={"format": "d", **ticks})
    layers = [
        chart(mark("rule", strokeWidth=2, color=COLOURS[5]), x=left, x2="rank_to", **both),
        chart(dot(45, stroke=COLOURS[0], strokeWidth=1.6), x="rank:Q", fill=when("datum.may_lead", HALO, COLOURS[0]),
              **both),
        chart(mark("text", align="left", dx=8), x={"value": _WIDTH}, y=run, text=f"mean:Q {decimals(rows)}"),
    ]  # fmt: skip
    return layer(*layers, data=rows, width=_WIDTH, height={"step": 16})


def _described(rows: pl.DataFrame, measure: str) -> str:
    first, may = rows.row(0, named=True), int(rows["may_lead"].sum())
    if rows.height == 1:
        return f"The {measure} of {first['run']} is {first['mean']:.3f}."
    lead = "leads" if may == 1 else f"is first of {may} that may lead"
    return (
        f"By {measure} {first['run']} {lead} {Scope().on_others().alike}, of {counted(rows.height, 'run')}, with "
        f"a mean of {first['mean']:.3f} and a rank from {first['rank_from']} to {first['rank_to']}."
    )
