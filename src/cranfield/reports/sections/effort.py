"""What the gain cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cranfield.experiments import EXPERIMENTS, Findings
from cranfield.lazily import pl
from cranfield.presentation.sheet import Sheet
from cranfield.reports.document import Block, Folded, Picture, Table, Words
from cranfield.reports.evidence import LAST_RANK, Evidence
from cranfield.reports.phrases import percent
from cranfield.reports.section import section

EFFORT: Final = f"Twist@{LAST_RANK}"
LOST: Final = ("typical B", "worst")
"""Archetypes of lists that never make up for what they missed."""
SHARES: Final = {
    "diagonal": "both agree (on the diagonal)",
    "high_high": "much gain at much effort",
    "gray": "grey area, above the diagonal",
    "below": "below the diagonal",
    "good": "much gain at little effort",
    "best_at_less_effort": "little effort, of the quarter with the highest gain",
}


@section("What did the gain cost?", place=70)
def effort(evidence: Evidence) -> Iterator[Block]:
    """Show effort against gain, and which archetypes the lists are."""
    asked = evidence.asking(evidence.measure)
    found = EXPERIMENTS["effort-gain"](evidence.as_judged, [evidence.measure], effort=EFFORT)
    shapes = EXPERIMENTS["archetypes"](evidence.as_judged, n=LAST_RANK)
    yield Words.of(*_said(found, shapes, str(evidence.named)))
    yield Picture(found.plot("effort-gain"))
    says = (
        f"Shares of all lists of a run for a topic, {found['points'].height:,} in all. Much effort is {EFFORT} below "
        "0.5, much gain a value above the median."
    )
    command = evidence.experiment("effort-gain", "shares", *asked, "--effort", EFFORT)
    shares = found["shares"].unpivot(index="measure", variable_name="part", value_name="share").drop("measure")
    shown = Sheet.of(shares.with_columns(pl.col("part").replace_strict(SHARES)), caption=says)
    yield Table("effort-gain-shares", shown, found["shares"], command)
    says = "Which archetypes the curves of cumulated relative position are, and how often."
    command = evidence.experiment("archetypes", "shares", "--n", str(LAST_RANK))
    yield Table.found(shapes, "shares", says=says, command=command)
    yield Picture(shapes.plot("archetypes"))
    says = "On how many topics each run is of each archetype."
    command = evidence.experiment("archetypes", "runs", "--n", str(LAST_RANK))
    yield Folded("Archetypes run by run", (Table.found(shapes, "runs", says=says, command=command),))


def _said(found: Findings, shapes: Findings, measure: str) -> Iterator[str]:
    shares = found["shares"].row(0, named=True)
    yield (
        f"{percent(shares['good'])} of the lists have a gain above the median at little effort, "
        f"{percent(shares['high_high'])} such a gain at much effort, which {measure} alone does not show."
    )
    most = shapes["shares"].sort("rankings", descending=True, maintain_order=True).row(0, named=True)
    lost = shapes["shares"].filter(pl.col("archetype").is_in(LOST))["share"].to_list()
    yield f"The most frequent archetype is {most['archetype']} ({percent(most['share'])})."
    yield (
        f"In {percent(sum(lost))} of the lists what was missed at the top is not made up for within {LAST_RANK} ranks "
        f"({' and '.join(LOST)})."
    )
