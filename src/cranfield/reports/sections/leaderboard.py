"""Which run is best, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cranfield.experiments import EXPERIMENTS
from cranfield.reports.elements import Block, Folded, ReportTable, pictured
from cranfield.reports.facts import Evidence
from cranfield.reports.first_sheet import MOST_ROWS, leaderboard_of
from cranfield.reports.section import found_table, section, tested

DIFFERENCES: Final = {
    "run": "run", "baseline": "less", "difference": "difference", "low": "from", "high": "to",
    "better": "topics better", "worse": "worse",
}  # fmt: skip


@section("Which run is best?", place=20, needs=tested)
def leaderboard(evidence: Evidence) -> Iterator[Block]:
    """Show the means, their uncertainty, and which differences are significant."""
    if evidence.gate is not None:  # which the first sheet gives in words
        yield from _estimated(evidence)
        yield _table(evidence)
        return
    if len(evidence.scores.runs) > MOST_ROWS:  # the best of them are on the first sheet
        yield leaderboard_of(evidence)
    yield from _significance(evidence)
    if not evidence.several:
        yield from _estimated(evidence)


def _estimated(evidence: Evidence) -> Iterator[Block]:
    """Show how large the difference of two runs is, and how sure."""
    baseline = evidence.base or evidence.scores.runs[1]
    asked = [*evidence.asking(evidence.measure), "--baseline", baseline, "--seed", str(evidence.seed)]
    found = EXPERIMENTS["estimation"](evidence.as_judged, [evidence.measure], baseline=baseline, seed=evidence.seed)
    yield pictured(found.plot, "estimation")
    says = f"Difference in {evidence.named}. From, to: 95% interval {evidence.scope.on_others().alike}."
    yield Folded("In numbers", (found_table(evidence, found, "differences", DIFFERENCES, *asked, says=says),))


def _significance(evidence: Evidence) -> Iterator[Block]:
    found = evidence.comparison
    if evidence.baseline is None and evidence.several:
        command = evidence.command("compare", *evidence.asking(evidence.measure), "--plot", "groups.html")
        yield pictured(found.plot, "critical-difference", command=command)
    yield _table(evidence)


def _table(evidence: Evidence) -> Folded:
    command = evidence.command("compare", *evidence.asking(evidence.measure), *evidence.against, "--sort")
    table = ReportTable.of(evidence.comparison, "significance", command=command)
    return Folded("Which run is significantly better than which", (table,))
