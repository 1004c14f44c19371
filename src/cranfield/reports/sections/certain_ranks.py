"""Which ranks are certain, which are likely, and what would settle the others."""

from __future__ import annotations

from collections.abc import Iterator

from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, named
from cranfield.reports.elements import Block, Folded, Words
from cranfield.reports.facts import Evidence
from cranfield.reports.section import found_table, plotted, section, tested
from cranfield.reports.sentence import Said

_RANKS = {
    "run": "run", "mean": "mean", "rank": "rank", "certain_from": "certain: from", "certain_to": "to",
    "likely_from": "likely: from", "likely_to": "to ", "may_lead_by_t": "not significantly worse than the best?",
}  # fmt: skip
_PAIRS = {
    "better": "better", "other": "other", "difference": "difference", "least": "at least", "certain": "certain?",
    "documents": "documents to judge", "p": "p", "significant": "significant?",
}  # fmt: skip


@section("Which ranks are certain?", place=lambda evidence: 50 if evidence.several else 110, needs=tested)
def certain_ranks(evidence: Evidence) -> Iterator[Block]:
    """Show the ranks that unjudged documents allow, and those that other topics do."""
    found = evidence.certificate
    asked = evidence.asking(evidence.measure)
    yield Words.of(*said(evidence))
    if evidence.several:
        yield plotted(evidence, found.plot, "certificate", *asked)
    says = (
        f"Certain: {evidence.scope_of_grades.whatever} (what no run retrieved counts as not relevant). Likely: "
        f"{evidence.scope.on_others().alike}, all runs at once, with 95% confidence."
        + "".join(f" {doubt[:1].upper()}{doubt[1:]}." for doubt in _doubts(evidence))
    )
    asked += ["--seed", str(evidence.seed)]
    table = found_table(evidence, found, "ranks", _RANKS, *asked, says=says)
    yield Folded("Between which ranks each run lies", (table,))
    says = (
        "Neighbours in rank, and the leader with each other run. At least: the least difference, "
        f"{evidence.scope_of_grades.whatever}. Documents to judge: how many, found not relevant, would make it "
        "certain; empty where it is settled, or where not even all of them would do."
    )
    title = f"What would settle the order of {counted(found['pairs'].height, 'pair')}"
    yield Folded(title, (found_table(evidence, found, "pairs", _PAIRS, *asked, says=says),))


def said(evidence: Evidence) -> Iterator[str]:
    """Say how many ranks are certain, and how many are likely to stay."""
    ranks = evidence.certificate["ranks"]
    runs, others = ranks.height, evidence.scope.on_others()
    certain = ranks.filter(pl.col("certain_from") == pl.col("certain_to")).height
    if evidence.standing.open:
        yield Said.of(
            f"{_of(certain, runs)} certain in {{measure}}, {{scope.whatever}}.",
            scope=evidence.scope_of_grades, measure=evidence.named,
        ).words  # fmt: skip
    if _doubts(evidence):
        return
    likely = ranks.filter(pl.col("likely_from") == pl.col("likely_to"))["run"].to_list()
    names = ": {names}" if 0 < len(likely) < runs else ""
    yield Said.of(
        f"{_of(len(likely), runs)} settled in {{measure}} {{scope.alike}}{names}.",
        scope=others, measure=evidence.named, names=named(likely),
    ).words  # fmt: skip


def leading(evidence: Evidence) -> str:
    """Say which runs may lead on other topics."""
    leads = evidence.certificate["ranks"].filter("may_lead_by_t")["run"].to_list()
    return Said.of(
        "{names} may each be first in {measure} {scope.alike}." if len(leads) > 1 else
        "{names} is significantly better than all others in {measure} {scope.alike}.",
        scope=evidence.scope.on_others(), measure=evidence.named, names=named(leads),
    ).words  # fmt: skip


def _doubts(evidence: Evidence) -> list[str]:
    """Return what speaks against the likely ranks."""
    return [note for note in evidence.certificate.notes if note.startswith("likely ranks")]


def _of(ranks: int, runs: int) -> str:
    """Count ranks among those of all runs."""
    if ranks == runs:
        return "Both ranks are" if runs == 2 else f"All {runs:,} ranks are"
    return f"{ranks:,} of {runs:,} ranks {'is' if ranks == 1 else 'are'}" if ranks else "No rank is"
