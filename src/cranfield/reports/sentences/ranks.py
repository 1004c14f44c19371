"""How fine the differences are that the topics show."""

from __future__ import annotations

from itertools import pairwise

from cranfield.reports.evidence import Evidence
from cranfield.reports.sentence import Said, sentence


@sentence(place=52)
def neighbours(evidence: Evidence) -> Said | None:
    """Of three runs or more all pairs were tested, on two topics or more."""
    standing = evidence.standing
    if evidence.baseline is not None or len(standing.names) < 3 or len(standing.panel.topics) < 2:
        return None
    apart = neighbours_apart(evidence)
    significant = evidence.comparison.differences["significant"]
    return Said.of(
        (
            "Of {pairs} pairs of runs that follow each other in rank by {measure}, {apart:differs|differ} significantly"
            if apart
            else "No two runs that follow each other in rank by {measure} differ significantly"
        )
        + " {scope.alike}; of all pairs {share:%} do.",
        scope=evidence.scope.on_others(),
        measure=evidence.named,
        pairs=len(standing.names) - 1,
        apart=apart,
        share=float(significant.sum() / len(significant)),
    )


def neighbours_apart(evidence: Evidence) -> int:
    """Count the runs that differ significantly from the next in rank, all pairs having been tested."""
    found = evidence.comparison.differences.filter("significant")
    significant = {frozenset(pair) for pair in found.select("run_a", "run_b").iter_rows()}
    names = [evidence.standing.names[run] for run in evidence.standing.order]
    return sum(frozenset(pair) in significant for pair in pairwise(names))
