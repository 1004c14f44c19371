"""Which run is best, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator

from cranfield.reports.document import Block, Picture, Table
from cranfield.reports.evidence import Evidence
from cranfield.reports.section import section


@section("Which run is best?", place=30)
def leaderboard(evidence: Evidence) -> Iterator[Block]:
    """Show means, with what unjudged documents could make of them."""
    measures = [word for measure in evidence.measures for word in ("-m", str(measure))]
    command = evidence.command("evaluate", *measures, "--bounds", "--sort")
    yield Table.of(evidence.scores, "leaderboard", command=command)
    command = evidence.command("plot leaderboard", "-m", str(evidence.measure), "--bounds", "-o", "leaderboard.html")
    yield Picture(evidence.runs.scores([evidence.measure]).plot("leaderboard"), command=command)
