"""What weights of topics change, and how the runs fare in groups of topics."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cranfield.comparison import compare_groups, compare_scores
from cranfield.plumbing.wording import counted, named
from cranfield.reports.document import Block, Folded, ReportTable, Words
from cranfield.reports.evidence import Evidence, as_option
from cranfield.reports.section import section
from cranfield.results.result import OneTable
from cranfield.results.sheet import Sheet
from cranfield.scoring.grouping import TopicGroups
from cranfield.scoring.scores import Scores
from cranfield.scoring.weighting import TopicWeights


@section(
    "What of topics that count for more, and of groups of topics?", place=45,
    needs=lambda evidence: bool(evidence.weights or evidence.groups),
)  # fmt: skip
def slices(evidence: Evidence) -> Iterator[Block]:
    """Show weighted means and their tests, and means and tests by group; all other sections count topics alike."""
    scores = evidence.as_judged.scores([evidence.measure]).of_runs(evidence.scores.runs)
    weighted = scores.weighted_by(evidence.weights)
    if evidence.weights is not None:
        yield from _weighted(evidence, evidence.weights, scores, weighted)
    if evidence.groups is not None:
        yield from _grouped(evidence, evidence.groups, weighted)


def _weighted(evidence: Evidence, weights: TopicWeights, scores: Scores, weighted: Scores) -> Iterator[Block]:
    """Say whether another run leads, and show the means."""
    by = weighted.sorted_by()
    first, now = _leading(scores), _leading(weighted)
    lead = (
        f"{now} with and without weights." if first == now
        else f"{now} where topics are weighted, and {first} where all count alike."
    )  # fmt: skip
    asked = [*evidence.asking(evidence.measure), "--weights", as_option(weights)]
    yield Words.of(
        f"Here topics are {weights.described(scores.topics)}; in all other sections they count alike.",
        *([lead] if len(by.runs) > 1 else []),
    )
    yield ReportTable.of(by, "weighted", command=evidence.command("evaluate", *asked, "--sort"))
    if len(by.runs) > 1 and len(by.topics) > 1:
        found = compare_scores(by, baseline=evidence.baseline)
        command = evidence.command("compare", *asked, *evidence.against, "--sort")
        table = ReportTable.of(found, "weighted-significance", command=command)
        yield Folded("Which weighted means differ significantly", (table,))


def _leading(scores: Scores) -> str:
    """Name the runs that share the lead, or the one that has it."""
    first = np.flatnonzero(scores.places_by(scores.measures[0]) == 1)
    return f"{named([scores.runs[run] for run in first])} {'leads' if len(first) == 1 else 'share the lead'}"


def _grouped(evidence: Evidence, groups: TopicGroups, scores: Scores) -> Iterator[Block]:
    """Name the worst groups, and show means and tests."""
    found = scores.by_group(groups)
    asked = [*evidence.asking(evidence.measure), "--groups", as_option(groups)]
    asked += [] if evidence.weights is None else ["--weights", as_option(evidence.weights)]
    yield Words.of(*_sentences(found))
    yield _table(found, "groups", evidence.command("evaluate", *asked))
    if len(scores.runs) > 1 and len(scores.topics) > 1:
        tested = compare_groups(scores, groups, baseline=evidence.baseline)
        significant = int(tested.rows["significant"].sum())
        of = counted(int(tested.rows["p"].is_not_null().sum()), "comparison")
        yield Words.of(
            f"Within groups, {significant} of {of} are significant, corrected over all of them.",
            *(note for note in _sentences(tested) if note.startswith("Ahead")),
        )
        table = _table(tested, "groups-significance", evidence.command("compare", *asked, *evidence.against))
        yield Folded("Which runs differ significantly in which group", (table,))


def _sentences(found: OneTable) -> Iterator[str]:
    for note in found.notes:
        yield f"{note[:1].upper()}{note[1:]}."


def _table(found: OneTable, name: str, command: str) -> ReportTable:
    return ReportTable(name, Sheet.of(found.table(), caption=found.caption()), found.to_polars(), command)
