"""What was evaluated."""

from __future__ import annotations

from collections.abc import Iterator

from cranfield.reports.document import Block, Folded, Table, Words
from cranfield.reports.evidence import Evidence
from cranfield.reports.section import section


@section("What was evaluated", place=20)
def evaluated(evidence: Evidence) -> Iterator[Block]:
    """Say what the runs and judgments lack, in words first."""
    audit = evidence.scores.audit
    yield Words.of(audit.caption())
    yield Words(audit.remarks(), listed=True)
    yield Folded("Every run", (Table.of(audit, "audit", command=evidence.command("evaluate")),))
