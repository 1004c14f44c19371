"""Better for whom? Pairs of runs of which one is nowhere worse."""

from __future__ import annotations

from collections.abc import Iterator

from cranfield.experiments import Findings
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import named
from cranfield.reports.elements import Block, Folded, ReportTable, Words, pictured
from cranfield.reports.facts import SIGNS, Evidence
from cranfield.reports.section import found_table, section, two_runs
from cranfield.results.sheet import ROWS_SHOWN, Sheet

_PAIRS = {
    "run_a": "run", "run_b": "and", "dominates": "which dominates", "a_wins_by": "largest lead of run",
    "a_lead": "lead", "b_wins_by": "largest lead of the other", "b_lead": "lead ",
}  # fmt: skip
_RUNS = {"run": "run", "better_than": "better than", "worse_than": "worse than", "layer": "runs above it"}


@section("Better for whom?", place=120, needs=two_runs)
def dominance(evidence: Evidence) -> Iterator[Block]:
    """Show which runs are no worse at any rank and grade."""
    found = evidence.dominance
    yield Words.of(*_said(evidence))
    if evidence.several:
        yield pictured(found.plot, "dominance")
    options = ["--depth", str(evidence.dominance_depth), "--resamples", str(SIGNS), "--seed", str(evidence.seed)]
    says = (
        "Pairs in which one run is no worse at any rank and relevance level: as judged, on every topic, "
        f"{evidence.scope_of_grades.whatever} (surely), or for some of these grades (possibly). Equal: pairs in which "
        "neither is better. Undominated: runs that no other is better than."
    )
    yield found_table(evidence, found, "summary", None, *options, says=says)
    says = "How many runs each dominates, how many dominate it, and how many are above it in the longest chain."
    yield Folded("Run by run", (found_table(evidence, found, "runs", _RUNS, *options, says=says),))
    if not evidence.many:
        yield Folded("Pair by pair", (_pairs(found, evidence.experiment("dominance", "pairs", *options)),))


def _pairs(found: Findings, command: str) -> ReportTable:
    """Show which run of each pair dominates, by its name."""
    rows = found["pairs"]
    which = pl.when(dominates="run_a").then("run_a").when(dominates="run_b").then("run_b").otherwise("dominates")
    says = "Which run of each pair dominates, and by which precision each leads most."
    named = rows.with_columns(dominates=which).select(pl.col(name).alias(title) for name, title in _PAIRS.items())
    return ReportTable("dominance-pairs", Sheet.of(named, caption=says).first(ROWS_SHOWN), rows, command)


def _said(evidence: Evidence) -> Iterator[str]:
    found = evidence.dominance
    first = found["runs"].filter(pl.col("layer") == 0)["run"].to_list()
    if evidence.several:
        yield f"No run is better than {named(first)} by all of these measures."
    if evidence.many:
        yield f"Lists are followed down to rank {evidence.dominance_depth} only, since there are many runs."
