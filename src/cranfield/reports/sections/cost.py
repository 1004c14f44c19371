"""What the lists of each run cost whoever reads them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from cranfield.comparison import compare
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.wording import counted
from cranfield.reports.elements import Block, Folded, ReportTable, Words
from cranfield.reports.facts import Evidence
from cranfield.reports.section import section
from cranfield.reports.sentence import Said
from cranfield.results.programs import ends
from cranfield.results.sheet import ROWS_SHOWN, Sheet, SheetColumn
from cranfield.statistics.on_paper import side

_COST: Final = "Cost"


@section(
    "What do the lists cost?", place=lambda evidence: 47 if evidence.several else 14,
    needs=lambda evidence: evidence.runs.reading.costs is not None,
)  # fmt: skip
def cost(evidence: Evidence) -> Iterator[Block]:
    """Show what the whole lists cost, on average and in total, and how sure the difference is."""
    scores = evidence.as_judged.scores([_COST])
    topics = evidence.population.counting(scores.topics)
    totals = scores.of_topics(topics).values[0].sum(axis=1)
    costs, folded = evidence.runs.reading.costs, list[Block]()
    unit = (costs and costs.unit) or "cost"
    if len(scores.runs) > 1 and len(topics) > 1:
        found = compare(evidence.as_judged, measures=[_COST], baseline=evidence.base, seed=evidence.seed)
        if evidence.contest is not None:
            yield Words.of(_difference(found.differences.row(0, named=True), unit, found.method))
        against = [] if evidence.base is None else ["--baseline", evidence.base]
        command = evidence.command("compare", "-m", _COST, *against, "--layout", "pairs")
        table = ReportTable.of(found, "cost-significance", command=command, layout="pairs")
        folded.append(Folded("In numbers", (table,)))
    columns = (
        SheetColumn("run", list(scores.runs)),
        SheetColumn(f"{unit}, mean", scores.averages[0].tolist(), numeric=True),
        SheetColumn(f"{unit}, total", [f"{total:,.10g}" for total in totals], numeric=True),
    )
    says = f"Cost of all documents of a list: mean by topic, and total of {counted(len(topics), 'topic')}."
    command = evidence.command("evaluate", "-m", _COST)
    yield ReportTable("cost", Sheet(columns, caption=says).first(ROWS_SHOWN), scores.to_polars(), command)
    yield from folded


def _difference(row: dict[str, Any], unit: str, method: str) -> str:
    """Say by how much the lists of the one of two runs cost more or less than those of the other, the base."""
    less = side(row["difference"]) < 0
    low, high = (-row["high"], -row["low"]) if less and row["low"] is not None else (row["low"], row["high"])
    words = "{new} costs {by} {unit}{interval} a topic {more} than {base} by {measure} {scope.alike} ({p:p}; {method})."
    return Said.of(
        words, scope=Scope((_COST,)).on_others(), measure=_COST, new=row["run_a"], base=row["run_b"], unit=unit,
        by=abs(row["difference"]), interval=ends(low, high), more="less" if less else "more", p=row["p_adjusted"],
        method=method,
    ).words  # fmt: skip
