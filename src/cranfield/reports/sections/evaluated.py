"""What was evaluated."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cranfield.plumbing.wording import counted, percent
from cranfield.reports.document import Block, Folded, ReportTable, Words
from cranfield.reports.evidence import Evidence
from cranfield.reports.section import section


@section("What was evaluated", place=100)
def evaluated(evidence: Evidence) -> Iterator[Block]:
    """Say what the runs and judgments are, and what they lack, in words first."""
    audit = evidence.scores.audit
    yield Words.of(*_collection(evidence))
    yield Words(audit.facts(), listed=True)
    table = ReportTable("audit", audit.sheet().filled(), audit.to_polars())
    yield Folded("Every run: what it lacks, and what is unjudged or tied", (table,))


def _collection(evidence: Evidence) -> Iterator[str]:
    runs, judgments = evidence.runs, evidence.runs.judgments
    rel = runs.grading.rel
    grades = judgments.given
    base = judgments.recall_base(rel)
    relevant = "above 0" if rel is None else f"of {rel:g} or higher"
    found = counted(int(base.sum()), "document")
    yield f"{evidence.over}."
    each = f", {base.min():.0f} to {base.max():.0f} of them a topic, with a median of {np.median(base):g}"
    yield (
        f"Of {counted(len(grades), 'judgment')}, with grades from {grades[0]:g} to {grades[-1]:g}, "
        f"{percent(base.sum() / max(1, len(grades)))} are relevant (a grade {relevant}): {found}"
        f"{each if len(base) > 1 else ''}."
    )
    longest = max(int(batch.length.max(initial=0)) for batch in runs.batches)
    yield f"The longest list has {counted(longest, 'document')}."
