"""Where the lists should have ended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cranfield.experiments import EXPERIMENTS, Findings
from cranfield.plumbing.wording import percent
from cranfield.reports.document import Block, Folded, ReportTable, Words, pictured
from cranfield.reports.evidence import Evidence
from cranfield.reports.section import section

KNOW_AN_END: Final = ("SetF", "RBU(p=0.8)", "OIE")
"""Measures that know when a list should end: of a set, of a user who pays for each document, and of information."""
SUMMARY: Final = {
    "measure": "measure", "empty": "empty", "untouched": "whole", "median_length": "median length",
    "mean_length": "mean length", "whole": "value of whole", "optimal": "value of best",
}  # fmt: skip


@section("Where should the lists have ended?", place=lambda evidence: 35 if evidence.alone else 150)
def endings(evidence: Evidence) -> Iterator[Block]:
    """Show the best lengths of the lists by measures that know when one should end."""
    found = EXPERIMENTS["truncation"](evidence.as_judged, KNOW_AN_END)
    yield Words.of(*_said(found))
    asked = [word for name in KNOW_AN_END for word in ("-m", name)]
    command = evidence.command("plot optimal-length", *asked, "-o", "optimal-length.html")
    yield pictured(found.plot, "optimal-length", command=command)
    says = "The best length of a list is where it is worth most. Empty, whole: the shares of lists that are best so."
    command = evidence.experiment("truncation", "summary", *asked)
    yield ReportTable.found(found, "summary", SUMMARY, says=says, command=command)
    picture = pictured(found.plot, "truncation-utility")
    says = "Shares of the topics by their relevant documents, and of the lists by their best length."
    command = evidence.experiment("truncation", "intervals", *asked)
    lengths = ReportTable.found(found, "intervals", says=says, command=command)
    yield Folded("What lists are worth that end early, and how long the best ones are", (picture, lengths))


def _said(found: Findings) -> Iterator[str]:
    rows = [*found["summary"].iter_rows(named=True)]
    medians = ", ".join(f"{row['median_length']:g} by {row['measure']}" for row in rows)
    empty = ", ".join(f"{percent(row['empty'])} by {row['measure']}" for row in rows)
    yield "Most measures never punish a list for going on; these three do."
    yield f"The best length of the lists has a median of {medians}; best empty would have been {empty}."
