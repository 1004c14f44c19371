"""How fine the differences are that the topics show."""

from __future__ import annotations

from itertools import pairwise

from cranfield.lazily import pl
from cranfield.reports.evidence import Evidence
from cranfield.reports.sentence import Said, sentence


@sentence(place=52)
def neighbours(evidence: Evidence) -> Said | None:
    """Of three runs or more all pairs were tested, on two topics or more."""
    standing = evidence.standing
    if evidence.baseline is not None or len(standing.names) < 3 or len(standing.panel.topics) < 2:
        return None
    found = evidence.comparison.differences.filter(pl.col("measure") == standing.named)
    significant = {frozenset(pair) for pair in found.filter("significant").select("run_a", "run_b").iter_rows()}
    names = [standing.names[run] for run in standing.order]
    apart = sum(frozenset(pair) in significant for pair in pairwise(names))
    return Said.of(
        "Of {pairs} pairs of runs that follow each other in rank, {apart:differs|differ} significantly; of all pairs "
        "{share:%} do."
        if apart
        else "No two runs that follow each other in rank differ significantly; of all pairs {share:%} do.",
        pairs=len(names) - 1,
        apart=apart,
        share=len(significant) / max(1, found.height),
    )
