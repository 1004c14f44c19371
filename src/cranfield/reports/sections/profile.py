"""What a single run is like: topic by topic."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cranfield.measures.framework.names import parse_measures
from cranfield.plots.appendix_sheets import LEVELS
from cranfield.plumbing.wording import counted
from cranfield.reports.document import Block, ReportTable, Words, pictured
from cranfield.reports.evidence import Evidence
from cranfield.reports.section import section
from cranfield.results.sheet import ROWS_SHOWN, Sheet, SheetColumn
from cranfield.scoring.orientation import oriented


@section("How does the run fare on each topic?", place=10)
def profile(evidence: Evidence) -> Iterator[Block]:
    """Show the profile of a run that is alone: its topics, the worst first."""
    scores = evidence.scores
    if not evidence.alone:
        return
    worst_first = np.argsort(oriented(scores.measures[0], scores.values[0, 0]), kind="stable")
    topics = [scores.topics[place] for place in worst_first]
    yield Words.of(*_said(evidence, topics))
    if len(topics) > 1:
        yield from _picture(evidence)
    relevant = evidence.runs.judgments.recall_base(evidence.runs.grading.rel).astype(np.int64)
    columns = [("relevant", relevant), ("retrieved", evidence.as_judged.of_run(0).length.ravel())]
    columns += [(str(measure), scores.values[place, 0]) for place, measure in enumerate(scores.measures)]
    sheet = Sheet(
        (
            SheetColumn("topic", topics),
            *(SheetColumn(name, values[worst_first].tolist(), numeric=True) for name, values in columns),
        ),
        caption=f"Topics by {evidence.named}, the worst first.",
    )
    command = evidence.command("evaluate", *evidence.asking(*evidence.measures), "--per-topic", "--sort")
    yield ReportTable("by-topic", sheet.first(ROWS_SHOWN), scores.to_polars(per_topic=True), command)


def _picture(evidence: Evidence) -> Iterator[Block]:
    """Show precision over recall, and the measure that decides topic by topic."""
    asked = (*parse_measures(LEVELS), evidence.measure)
    command = evidence.command("plot recall-precision", *evidence.asking(*asked), "-o", "recall-precision.html")
    yield pictured(evidence.as_judged.scores(asked).plot, "recall-precision", command=command)


def _said(evidence: Evidence, topics: list[str]) -> Iterator[str]:
    scores = evidence.scores
    values = scores.values[0, 0]
    if len(topics) == 1:
        yield f"There is one topic, {topics[0]}: {evidence.named} is {values[0]:.4f}."
        return
    quartiles = np.quantile(values, (0.25, 0.5, 0.75))
    yield (
        f"By {evidence.named} half of the topics lie between {quartiles[0]:.4f} and {quartiles[2]:.4f}, with a median "
        f"of {quartiles[1]:.4f}; the worst is topic {topics[0]}, the best topic {topics[-1]}."
    )
    nothing = int((values == 0).sum())
    if nothing:
        yield f"It is 0 on {counted(nothing, 'topic')}."
