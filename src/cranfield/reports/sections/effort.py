"""What the gain cost, and where the lists should have ended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cranfield.experiments import EXPERIMENTS, Findings
from cranfield.lists.archetypes import kinds_of_documents
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.misplacement import LENGTH
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.wording import named, percent
from cranfield.reports.elements import Block, Folded, ReportTable, Words, pictured
from cranfield.reports.facts import LAST_RANK, Evidence
from cranfield.reports.section import found_table, plotted, section
from cranfield.results.sheet import Sheet
from cranfield.scoring.orientation import direction

_EFFORT: Final = f"Twist@{LAST_RANK}"
_FEWEST_TOPICS: Final = 10  # Fewer topics have no medians and quartiles worth the name
LOST: Final = ("typical B", "worst")  # Archetypes of lists that never make up for what they missed
_SHARES: Final = {
    "diagonal": "both agree (on the diagonal)",
    "high_high": "much gain at much effort",
    "gray": "grey area, above the diagonal",
    "below": "below the diagonal",
    "good": "much gain at little effort",
    "best_at_less_effort": "little effort, of the quarter with the highest gain",
}


@section("What did the gain cost?", place=lambda evidence: 30 if evidence.alone else 140)
def effort(evidence: Evidence) -> Iterator[Block]:
    """Show effort against gain, and the archetypes of the lists."""
    gain = next((each for each in evidence.of_quality if direction(each) > 0 and not each.of_misplacement), None)
    if gain is not None and len(evidence.runs.topics) >= _FEWEST_TOPICS:
        yield from _against(evidence, gain)
    yield from _shapes(evidence)


def _against(evidence: Evidence, gain: Measure) -> Iterator[Block]:
    """Set gain against effort."""
    found = EXPERIMENTS["effort-gain"](evidence.as_judged, [gain], effort=_EFFORT)
    rows = found["shares"]
    share = rows.row(0, named=True)
    yield Words.of(
        f"{percent(share['good'])} of the lists have {share['measure']} above the median with little effort, "
        f"{percent(share['high_high'])} with much.",
        *_noted(found),
    )
    yield pictured(found.plot, "effort-gain")
    says = (
        f"Shares of {found['points'].height:,} lists, one for each run and topic. Much effort: {_EFFORT} below 0.5. "
        f"Much gain: {gain} above the median."
    )
    command = evidence.experiment("effort-gain", "shares", *evidence.asking(gain), "--effort", _EFFORT)
    parts = rows.unpivot(index="measure", variable_name="part", value_name="share").drop("measure")
    shown = Sheet.of(parts.with_columns(pl.col("part").replace_strict(_SHARES)), caption=says)
    yield ReportTable("effort-gain-shares", shown, rows, command)


def _shapes(evidence: Evidence) -> Iterator[Block]:
    """Show the archetypes, with a curve of each, and how often they are."""
    found = EXPERIMENTS["archetypes"](evidence.as_judged, n=LENGTH)
    scope = Scope(n=LENGTH)
    if not found["rankings"].height:
        yield Words.of("No list has an archetype, since nothing is relevant to the topics.")
        return
    shares = dict(found["shares"].select("archetype", "share").iter_rows())
    most = [name for name, share in shares.items() if share == max(shares.values())]
    which = f"archetype is {most[0]}" if len(most) == 1 else f"archetypes are {named(most)}"
    yield Words.of(
        f"The most frequent {which}, with {percent(max(shares.values()))} of the lists{' each' * (len(most) > 1)} "
        f"({scope.length}).",
        f"{percent(sum(shares[name] for name in LOST))} of the lists never make up for what they missed at the top "
        f"({' and '.join(LOST)}; {scope.length}).",
        *_noted(found),
    )
    asked = ["--n", str(LENGTH)]
    says = (
        "Number of curves of cumulated relative position of each archetype; lists are cut or padded to "
        f"{scope.length}.{kinds_of_documents(evidence.runs.grading.rel)}"
    )
    yield found_table(evidence, found, "shares", None, *asked, says=says)
    yield pictured(found.plot, "archetypes")
    says = f"Topics on which each run is of each archetype; {scope.length}."
    yield Folded("Archetypes run by run", (found_table(evidence, found, "runs", None, *asked, says=says),))


def _noted(found: Findings) -> Iterator[str]:
    return (f"{note[:1].upper()}{note[1:]}." for note in found.notes)


KNOW_AN_END: Final = ("SetF", "RBU(p=0.8)", "OIE")
"""Measures that know when a list should end: of a set, of a user who pays for each document, and of information."""
_SUMMARY: Final = {
    "measure": "measure", "empty": "empty", "untouched": "whole", "median_length": "median length",
    "mean_length": "mean length", "whole": "value of whole", "optimal": "value of best",
}  # fmt: skip


@section("Where should the lists have ended?", place=lambda evidence: 35 if evidence.alone else 150)
def endings(evidence: Evidence) -> Iterator[Block]:
    """Show the best lengths of the lists by measures that know when one should end."""
    found = EXPERIMENTS["truncation"](evidence.as_judged, KNOW_AN_END)
    yield Words.of(*_said(found))
    asked = [word for name in KNOW_AN_END for word in ("-m", name)]
    yield plotted(evidence, found.plot, "optimal-length", *asked)
    says = "The best length of a list is where its value is highest. Empty, whole: shares of lists best empty or whole."
    yield found_table(evidence, found, "summary", _SUMMARY, *asked, says=says)
    picture = pictured(found.plot, "truncation-utility")
    says = "Shares of topics by number of relevant documents, and of lists by best length."
    lengths = found_table(evidence, found, "intervals", None, *asked, says=says)
    yield Folded("What shorter lists are worth, and how long the best ones are", (picture, lengths))


def _said(found: Findings) -> Iterator[str]:
    rows = [*found["summary"].iter_rows(named=True)]
    medians = ", ".join(f"{row['median_length']:g} by {row['measure']}" for row in rows)
    yield f"The best length of a list has a median of {medians}."
    yield "Most measures never punish a list for going on; these three do."
