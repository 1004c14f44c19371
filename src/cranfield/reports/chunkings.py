"""The report of chunkings: how much of the evidence each finds, which is better, and on which topics."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import numpy as np

from cranfield import __version__
from cranfield.comparison import Comparison, compare_groups, compare_scores
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted
from cranfield.reports.document import (
    Block,
    FirstSheet,
    Folded,
    ReportDocument,
    ReportTable,
    Section,
    Words,
    pictured,
)
from cranfield.reports.first_sheet import pasted, written
from cranfield.reports.sentence import MOST_CAVEATS, Speech
from cranfield.results.sheet import Sheet
from cranfield.scoring.grouping import TopicGroups
from cranfield.scoring.orientation import direction
from cranfield.scoring.panel import did_not_run, panel_of
from cranfield.scoring.scores import Scores
from cranfield.statistics.on_paper import side
from cranfield.statistics.usual import NOT_RUN

_MOST = 10
"""This many topics are named at either end."""


def document_of(
    scores: Scores, day: date, title: str | None, collection: str | None, baseline: str | None,
    groups: TopicGroups | None,
) -> ReportDocument:  # fmt: skip
    """Lay out a page about chunks that were scored: the first measure decides."""
    if not scores.audit.complete:
        raise InputError("a report looks at what is unjudged, which scores alone do not show; give qrels and runs")
    gone = panel_of(scores, not_run=NOT_RUN).not_run
    if len(gone) == len(scores.runs):
        raise InputError("each chunking lacks most of the topics that some chunking has: none of them ran")
    scores = scores.of_runs([run for run in scores.runs if run not in dict(gone)])
    baseline = None if baseline in dict(gone) else baseline
    sorted_ = scores.sorted_by()
    tested = len(scores.runs) > 1 and len(scores.topics) > 1
    found = compare_scores(sorted_, baseline=baseline) if tested else None
    over = f"{counted(len(scores.runs), 'chunking')} on {scores.population.of_topics}"
    what = f"{collection}: {over}" if collection else over
    measures = [str(measure) for measure in scores.measures]
    measured = f"Measured by {', '.join(measures)}{'; the first decides' * (len(measures) > 1)}."
    says, sure = _headline(sorted_, found, baseline)
    means = ReportTable.of(sorted_, "means")
    told = scores.audit.findings
    grave = [*did_not_run(gone, len(scores.topics)), *(each.says for each in told if each.severity != "remark")]
    above, below = grave[:MOST_CAVEATS], grave[MOST_CAVEATS:]
    below += [each.says for each in told if each.says not in grave]
    first = FirstSheet(
        says,
        sure,
        caveats=tuple(map(_sentence, above)),
        blocks=(means,),
        pasted=tuple(pasted(f"{says} {sure}".rstrip(), means, day)),
    )
    sections = [
        Section("significance", "Which chunkings differ significantly?", tuple(_tested(sorted_, found))),
        Section("topics", "On which topics do they differ most?", tuple(_topics(sorted_))),
        Section("read", "What was read?", (Words(tuple(map(_sentence, below)), listed=True),), appendix=True),
    ]
    if groups is not None:
        sections.insert(1, Section("groups", "What of groups of topics?", tuple(_grouped(sorted_, groups, baseline))))
    named = f"{what}, {written(day)}"
    lead = measured if title is None else f"{named}. {measured}"
    made = f"Written by cranfield {__version__} on {written(day)}."
    return ReportDocument(title or named, lead, tuple(each for each in sections if each.blocks), made, first)


def _sentence(said: str) -> str:
    return f"{said[:1].upper()}{said[1:]}."


def _headline(scores: Scores, found: Comparison | None, baseline: str | None) -> tuple[str, str]:
    """Say which chunking leads and by how much, and how sure that is."""
    measure, leader = str(scores.measures[0]), scores.runs[0]
    if found is None:
        why = "It is the only chunking" if len(scores.runs) == 1 else "One topic allows no test of differences"
        return f"{leader} has a mean {measure} of {scores[leader, measure]:.4f}. {why}.", ""
    other = scores.runs[1] if baseline in (None, leader) else baseline
    pair = pl.col("run_a").is_in([leader, other]) & pl.col("run_b").is_in([leader, other])
    row = found.to_polars().filter(pair & (pl.col("measure") == measure)).row(0, named=True)
    apart = abs(row["difference"])
    if not side(apart):
        return f"{leader} and {other} have the same mean {measure}, {row['mean_a']:.4f}.", ""
    low, high = row["low"], row["high"]
    if low is not None and high is not None and row["difference"] < 0:
        low, high = -high, -low
    verdict = "a significant difference" if row["significant"] else "not significant"
    p = Speech().format("{0:p}", row["p_adjusted"])
    sure = f"The lead lies between {low:.4f} and {high:.4f} ({p})." if low is not None else f"{p}."
    return f"{leader} leads {other} by {apart:.4f} in {measure}: {verdict}.", sure


def _tested(scores: Scores, found: Comparison | None) -> Iterator[Block]:
    if found is None:
        return
    yield pictured(scores.plot, "leaderboard")
    yield ReportTable.of(found, "significance", layout="pairs")
    yield Words.of(*map(_sentence, found.notes))


def _topics(scores: Scores) -> Iterator[Block]:
    """Show the topics on which the first two are furthest apart, by the measure that decides."""
    if len(scores.runs) < 2:
        return
    ahead, behind = scores.runs[:2]
    apart = scores.values[0, 0] - scores.values[0, 1]
    order = np.argsort(-direction(scores.measures[0]) * apart, kind="stable")
    some = [*order[:_MOST], *order[max(_MOST, len(order) - _MOST) :]]
    rows = pl.DataFrame(
        {
            "topic": [scores.topics[place] for place in some],
            ahead: scores.values[0, 0][some],
            behind: scores.values[0, 1][some],
            "difference": apart[some],
        }
    )
    says = f"{scores.measures[0]} of {ahead} and {behind}, the largest gain of {ahead} first."
    yield ReportTable("topics", Sheet.of(rows, caption=says), rows)


def _grouped(scores: Scores, groups: TopicGroups, baseline: str | None) -> Iterator[Block]:
    found = scores.by_group(groups)
    yield ReportTable("groups", Sheet.of(found.table(), caption=found.caption()), found.to_polars())
    if len(scores.runs) > 1 and len(scores.topics) > 1:
        tested = compare_groups(scores, groups, baseline=baseline)
        table = ReportTable("groups-significance", Sheet.of(tested.table(), caption=tested.caption()), tested.rows)
        yield Folded("Which chunkings differ significantly in which group", (table,))
