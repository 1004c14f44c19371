"""Which ranks are certain, which are likely, and what would settle the others."""

from __future__ import annotations

from collections.abc import Iterator

from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, named
from cranfield.reports.document import Block, Folded, Words
from cranfield.reports.evidence import Evidence
from cranfield.reports.section import found_table, plotted, section, two_runs
from cranfield.reports.sentence import Said

_RANKS = {
    "run": "run", "mean": "mean", "rank": "rank", "certain_from": "certain: from", "certain_to": "to",
    "likely_from": "likely: from", "likely_to": "to ", "may_lead": "ties with the leader?",
}  # fmt: skip
_PAIRS = {
    "better": "better", "other": "other", "difference": "difference", "least": "at least", "certain": "certain?",
    "documents": "documents to judge", "p": "p", "significant": "significant?",
}  # fmt: skip


@section("Which ranks are certain?", place=lambda evidence: 50 if evidence.several else 110, needs=two_runs)
def certain_ranks(evidence: Evidence) -> Iterator[Block]:
    """Show which ranks unjudged documents allow, and which other topics do."""
    found = evidence.certificate
    asked = evidence.asking(evidence.measure)
    yield Words.of(*said(evidence))
    if evidence.several:
        yield plotted(evidence, found.plot, "certificate", *asked)
    says = (
        f"Ranks that a run can have: certain, {evidence.scope_of_grades.whatever} (documents that no run retrieved "
        f"count as not relevant); likely, {evidence.scope.on_others().alike}, all runs at once, with 95% confidence."
    )
    asked += ["--seed", str(evidence.seed)]
    yield Folded(
        "Between which ranks each run lies", (found_table(evidence, found, "ranks", _RANKS, *asked, says=says),)
    )
    says = (
        "Neighbours, and every run with the leader. At least: what is left of the difference, "
        f"{evidence.scope_of_grades.whatever}. "
        "Documents to judge: so many of them, found not relevant, would make it certain; empty where it is settled, or "
        "not even all would do."
    )
    title = f"What would settle the order of {counted(found['pairs'].height, 'pair')}"
    yield Folded(title, (found_table(evidence, found, "pairs", _PAIRS, *asked, says=says),))


def said(evidence: Evidence) -> Iterator[str]:
    """Say how many ranks are certain and how many likely, and which runs may lead."""
    ranks = evidence.certificate["ranks"]
    runs = ranks.height
    certain = ranks.filter(pl.col("certain_from") == pl.col("certain_to")).height
    likely = ranks.filter(pl.col("likely_from") == pl.col("likely_to")).height
    others = evidence.scope.on_others()
    yield Said.of(
        "By {measure}, {certain} of {runs:run|runs} {keeps} rank, {scope.whatever}.",
        scope=evidence.scope_of_grades, measure=evidence.named, certain=certain, runs=runs,
        keeps="keeps its" if certain == 1 else "keep their",
    ).words  # fmt: skip
    leads = ranks.filter("may_lead")["run"].to_list()
    yield Said.of(
        "{likely:run has|runs have} a single likely rank by {measure} {scope.alike}, and {leads:run|runs} may lead "
        "there, no other being significantly better: {names}.",
        scope=others, measure=evidence.named, likely=likely, leads=len(leads), names=named(leads),
    ).words  # fmt: skip
