"""One sheet for each run, as the appendix of TREC's proceedings has it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cranfield.judged.judgments import is_relevant
from cranfield.measures.framework.names import parse_measures
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import RUN
from cranfield.plumbing.wording import counted, percent
from cranfield.reports import page
from cranfield.reports.document import Block, Folded, Picture, ReportDocument, ReportTable, Section, Words
from cranfield.results.sheet import Sheet
from cranfield.track.computed import SHEETS, Results
from cranfield.track.steps import Files
from cranfield.track.submissions import file_name

RANKS = (5, 10, 20, 30, 100)
"""Down to these ranks it is said how much is unjudged."""


def made(found: Results) -> Files:
    """Write the sheets of all runs."""
    return {f"{SHEETS}/{file_name(run)}.html": page.html(sheet(found, run), drawn=True) for run in found.scores.runs}


def sheet(found: Results, run: str) -> ReportDocument:
    """Put a run's sheet together."""
    submission = found.submissions[run]
    evidence, settings = found.evidence, found.settings
    where = f"{settings.name}, by {submission.team}." if submission.team else f"{settings.name}."
    rows = found.scores
    place = rows.places_by(rows.measures[0])[rows.runs.index(run)]
    lead = f"{where} Number {place} of {evidence.over} by {evidence.named}."
    lead += "" if run not in found.unpooled else " Its documents were not pooled: it is judged by what others found."
    sections = (
        Section("scores", "Scores", tuple(_scores(found, run))),
        Section("curves", "Recall and precision", tuple(_curves(found, run))),
        Section("topics", "Topic by topic", tuple(_topics(found, run))),
        Section("unjudged", "Unjudged documents", tuple(_unjudged(found, run))),
        Section("alone", "Found by this run alone", tuple(_alone(found, run))),
    )
    return ReportDocument(run, lead, sections, f"{found.settings.name}, version {found.settings.version}.")


def _scores(found: Results, run: str) -> Iterator[Block]:
    scores = found.scores
    at = scores.runs.index(run)
    rows = []
    for measure, averages in zip(scores.measures, scores.averages, strict=True):
        place, middle = scores.places_by(measure), float(np.median(averages))
        best = float(averages[place.argmin()])
        rows.append((scores.label(measure), float(averages[at]), int(place[at]), best, middle))
    table = pl.DataFrame(rows, schema=["measure", "score", "rank", "best run", "median run"], orient="row")
    says = f"Means over {scores.population}; the best and the median mean of {len(scores.runs)} runs."
    yield ReportTable("scores", Sheet.of(table, caption=says), table)
    retrieved, relevant, both = found.counts.averages[:, found.counts.runs.index(run)].astype(int)
    yield Words.of(
        f"The run has {counted(int(retrieved), 'document')} for the judged topics, and {int(both):,} of the "
        f"{counted(int(relevant), 'relevant document')}."
    )


def _curves(found: Results, run: str) -> Iterator[Block]:
    yield Picture(found.curves.plot("recall-precision", run=run))
    at, averages = found.curves.runs.index(run), found.curves.averages
    levels = [level / 10 for level in range(averages.shape[0])]
    table = pl.DataFrame({"recall": levels, "precision": averages[:, at], "median run": np.median(averages, axis=1)})
    yield Folded("In numbers", (ReportTable("curve", Sheet.of(table, caption="Interpolated precision."), table),))


def _topics(found: Results, run: str) -> Iterator[Block]:
    named = found.evidence.named
    yield Picture(found.decisive.plot("against-median", run=run))
    others = found.by_topic.filter(measure=named).select("topic", "relevant", "best", "median", "worst")
    own = found.scores.per_topic.filter((pl.col("measure") == named) & (pl.col(RUN) == run)).select(
        "topic", score="value"
    )
    table = own.join(others, on="topic", maintain_order="left").with_columns(
        (pl.col("score") - pl.col("median")).alias("less the median")
    )
    yield Folded(
        f"{named} of each topic, in numbers",
        (
            ReportTable(
                "topics", Sheet.of(table, caption=f"{named}: this run, and the best, median and worst of all."), table
            ),
        ),
    )


def _unjudged(found: Results, run: str) -> Iterator[Block]:
    shares = found.runs.of_runs([run]).scores(parse_measures([f"Judged@{rank}" for rank in RANKS])).averages[:, 0]
    says = ", ".join(f"{percent(1 - share)} of the first {rank}" for rank, share in zip(RANKS, shares, strict=True))
    yield Words.of(f"Nobody judged {says} documents, as a mean over the topics; scores count these as not relevant.")
    missing = found.runs.topics
    present = found.runs.present[found.runs.runs.index(run)]
    lacking = [topic for topic, there in zip(missing, present, strict=True) if not there]
    if lacking:
        yield Words.of(
            f"The run has no documents for {counted(len(lacking), 'judged topic')}: {', '.join(lacking[:10])}."
        )
    ranges = found.evidence.ranges
    if ranges is not None and found.evidence.named in map(str, ranges.measures) and ranges.limits is not None:
        at = [str(measure) for measure in ranges.measures].index(found.evidence.named)
        low, high = (ranges.averaged(ends)[at][ranges.runs.index(run)] for ends in ranges.limits)
        yield Words.of(
            f"By {found.evidence.named} its mean would lie between {low:.4f} and {high:.4f}, "
            f"{found.evidence.scope_of_grades.whatever}."
        )


def _alone(found: Results, run: str) -> Iterator[Block]:
    runs, place = found.runs, found.runs.runs.index(run)
    mine = np.flatnonzero(found.owners == place)
    relevant = is_relevant(runs.judgments.grade[mine], runs.grading.rel)
    ranked = runs.of_run(place)
    rank = dict(zip(ranked.judgment.tolist(), ranked.rank.tolist(), strict=True))
    yield Words.of(
        f"No other run has {counted(len(mine), 'judged document')} that this one has; {int(relevant.sum())} of them "
        f"{'is' if relevant.sum() == 1 else 'are'} relevant."
    )
    rows = mine[relevant]
    if not len(rows):
        return
    table = pl.DataFrame(
        {
            "topic": [runs.topics[topic] for topic in runs.judgments.topic[rows]],
            "document": runs.judgments.ids(rows),
            "grade": runs.judgments.grade[rows],
            "rank": [rank[judgment] for judgment in rows.tolist()],
        }
    ).with_columns(pl.col("grade").cast(pl.Int64))
    shown = ReportTable(
        "found-alone", Sheet.of(table, keys=2, caption="Relevant documents that no other run has."), table
    )
    yield Folded("Which ones", (shown,))
