"""What was found, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from cranfield.reports.document import Block, Folded, Words
from cranfield.reports.evidence import Evidence
from cranfield.reports.section import section
from cranfield.reports.sentence import said_of

MOST = 10
"""How many sentences are read; others are there for those who ask."""


@section("What was found", place=10)
def findings(evidence: Evidence) -> Iterator[Block]:
    """Say what holds, what matters most first."""
    sentences = [said.words for _, said in said_of(evidence)]
    yield Words.of(*sentences[:MOST], listed=True)
    if sentences[MOST:]:
        yield Folded("What matters less", (Words.of(*sentences[MOST:], listed=True),))
