"""What was found, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from cranfield.reports.document import Block, Folded, Words
from cranfield.reports.evidence import Evidence
from cranfield.reports.section import section
from cranfield.reports.sentence import caveats_of, found_in

MOST_SENTENCES = 10
"""How many sentences are read; others are there for those who ask."""


@section("What was found", place=15)
def findings(evidence: Evidence) -> Iterator[Block]:
    """Say what holds, what matters most first; what stands on the first sheet or in another section is left out."""
    caveats = caveats_of(evidence)
    here = [(each, said) for each, said in found_in(evidence) if each.section is None]
    sentences = [said.words for each, said in here if each.name not in caveats]
    yield Words.of(*sentences[:MOST_SENTENCES], listed=True)
    if sentences[MOST_SENTENCES:]:
        yield Folded("What matters less", (Words.of(*sentences[MOST_SENTENCES:], listed=True),))
