"""What a browser shows: the leaderboard, who leads and how sure that is; and a sheet for each run.

The sheets are those of the appendix of TREC's proceedings.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from cranfield.judged.judgments import is_relevant
from cranfield.measures.framework.names import parse_measures
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, percent
from cranfield.reports.elements import Block, Folded, Links, Picture, ReportDocument, ReportTable, Section, Words
from cranfield.reports.section import SECTIONS
from cranfield.results.sheet import Sheet
from cranfield.track.computed import Results
from cranfield.track.submissions import file_name

MOST_LINKS: Final = 40  # More sheets than these are named where somebody asks for them
_CHANGES = {
    "measure": "measure", "tau": "tau with and without", "least_tau": "at least", "difference": "change in score",
    "largest_difference": "at most", "ranks_lost": "ranks lost", "run": "by",
}  # fmt: skip
FROM_THE_REPORT = ("leaderboard", "certain-ranks", "unjudged", "dominance")  # The sections that a report has, too
_RUNS = {
    "team": "team", "run": "run", "measure": "measure", "unique_documents": "judged, found only by it",
    "unique_relevant": "relevant", "score_with": "score", "score_without": "without them",
    "difference": "difference", "ranks_lost": "ranks lost",
}  # fmt: skip


def leaderboard(found: Results) -> ReportDocument:
    """Put the page together."""
    evidence, settings = found.evidence, found.settings
    lead = f"{evidence.over}. Measures: {', '.join(map(str, evidence.scores.measures))}; {evidence.named} decides."
    parts = (
        Section("runs", "All runs", tuple(_runs(found))),
        *(written for name in FROM_THE_REPORT if (written := SECTIONS[name].of(evidence.ran)) is not None),
        Section("topics", "Topics, the hardest first", tuple(_topics(found))),
        Section("teams", "Teams, and how a new run would fare", tuple(_teams(found))),
        Section("made", "Judgments and measures", tuple(_made(found))),
    )
    sections = sorted(parts, key=lambda each: each.appendix)
    by = f" by {', '.join(settings.organisers)}" if settings.organisers else ""
    return ReportDocument(settings.name, lead, tuple(sections), f"{settings.name}, version {settings.version}{by}.")


def _runs(found: Results) -> Iterator[Block]:
    scores = found.scores
    teams = {name: each.team for name, each in found.submissions.items()}
    yield ReportTable("scores", scores.sheet(), scores.to_polars())
    names = ((f"{run} ({teams[run]})" if teams[run] else run, f"sheets/{file_name(run)}.html") for run in scores.runs)
    yield Words.of("A sheet for each run shows its curve, every topic against the median, and what it alone found.")
    links = Links(tuple(names))
    yield links if len(scores.runs) <= MOST_LINKS else Folded("The sheets of all runs", (links,))


def _topics(found: Results) -> Iterator[Block]:
    named, most = found.evidence.named, found.settings.results.hard
    rows = found.by_topic.filter(measure=named).drop("measure")
    nothing = rows.filter(best=0)["topic"].to_list()
    yield Words.of(
        f"Best, median and worst {named} of all runs on each topic; the topics with the lowest median come first.",
        *[f"No run scores above 0 on {counted(len(nothing), 'topic')}: {', '.join(nothing[:10])}."] * bool(nothing),
    )
    yield ReportTable("topics", Sheet.of(rows.rename({"best_run": "by"})).first(most), rows)


def _teams(found: Results) -> Iterator[Block]:
    try:
        tables = found.without_teams
    except InputError as refused:
        yield Words.of(f"Not for these runs: {refused.problem}.")
        return
    runs, named = tables["runs"], found.evidence.named
    of_teams = runs.filter(measure=named).unique("team", keep="first", maintain_order=True)
    alone = of_teams.select("team", "unique_documents", "unique_relevant")
    alone = alone.sort("unique_relevant", descending=True, maintain_order=True)
    depth = found.pool_depth
    where = "" if depth is None else f" down to rank {depth:,}, the depth of the pool"
    yield Words.of(
        f"The first table counts the judged documents that one team alone retrieved{where}, and the relevant ones "
        "among them. The second shows how a new team's runs would fare. It leaves out each team in turn, treats its "
        "documents as unjudged, and scores all runs again: the mean and the largest change in the team's scores, and "
        "the ranks lost.",
        *(["Runs that were not pooled count as if they had been."] if found.unpooled else []),
    )
    columns = {"team": "team", "unique_documents": "judged, found only by it", "unique_relevant": "relevant ones"}
    yield ReportTable("teams", Sheet.of(alone.rename(columns)), alone)
    yield ReportTable.found(tables, "correlation", _CHANGES)
    yield Folded("Run by run", (ReportTable.found(tables, "runs", _RUNS),))
    yield Words.of(*(f"Note: {note}." for note in tables.notes))


def _made(found: Results) -> Iterator[Block]:
    settings, evidence = found.settings, found.evidence
    known = settings.measures.known
    yield Words.of(*([f"Convention: {known.title}.", *known.said()] if known else []), listed=True)
    yield Words.of(*evidence.runs.audit.lines("--rel"), listed=True)
    if settings.pool.method == "sample":
        yield Words.of(
            "Only a sample of the pool was judged: these scores count other documents as not relevant. Estimates for "
            "the whole pool are in estimates.csv."
        )
    files = pl.read_csv((found.track.folder / "judgments" / "files.csv").read_bytes())
    yield ReportTable(
        "judgments",
        Sheet.of(files.drop("sha256"), caption="Files of judgments, and how many judgments of each file count."),
        files,
    )


_RANKS = (5, 10, 20, 30, 100)
"""Ranks down to which the unjudged share is shown."""


def sheet(found: Results, run: str) -> ReportDocument:
    """Put a run's sheet together."""
    submission = found.submissions[run]
    evidence, settings = found.evidence, found.settings
    where = f"{settings.name}, by {submission.team}." if submission.team else f"{settings.name}."
    rows = found.scores
    place = rows.places_by(rows.measures[0])[rows.runs.index(run)]
    lead = f"{where} Number {place} of {evidence.over} by {evidence.named}."
    if run in found.unpooled:
        lead += " Its documents were not pooled; its score rests on what other runs found."
    sections = (
        Section("scores", "Scores", tuple(_scores(found, run))),
        Section("curves", "Recall and precision", tuple(_curves(found, run))),
        Section("topics", "Topic by topic", tuple(_topic_by_topic(found, run))),
        Section("unjudged", "Unjudged documents", tuple(_unjudged(found, run))),
        Section("alone", "Found only by this run", tuple(_alone(found, run))),
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
    says = f"Means over {scores.population}; the best and the median mean of {counted(len(scores.runs), 'run')}."
    yield ReportTable("scores", Sheet.of(table, caption=says), table)
    retrieved, relevant, both = found.counts.averages[:, found.counts.runs.index(run)].astype(int)
    all_of_them = counted(int(relevant), "relevant document")
    found_ = f"{int(both):,} of the {all_of_them}" if relevant else "no document is relevant"
    yield Words.of(f"The run has {counted(int(retrieved), 'document')} for the judged topics, and {found_}.")


def _curves(found: Results, run: str) -> Iterator[Block]:
    yield Picture(found.curves.plot("recall-precision", run=run))
    at, averages = found.curves.runs.index(run), found.curves.averages
    levels = [level / 10 for level in range(averages.shape[0])]
    table = pl.DataFrame({"recall": levels, "precision": averages[:, at], "median run": np.median(averages, axis=1)})
    yield Folded("In numbers", (ReportTable("curve", Sheet.of(table, caption="Interpolated precision."), table),))


def _topic_by_topic(found: Results, run: str) -> Iterator[Block]:
    named = found.evidence.named
    yield Picture(found.decisive.plot("against-median", run=run))
    others = found.by_topic.filter(measure=named).select("topic", "relevant", "best", "median", "worst")
    own = found.scores.per_topic.filter(measure=named, run=run).select("topic", score="value")
    less = (pl.col("score") - pl.col("median")).alias("minus the median")
    table = own.join(others, on="topic", maintain_order="left").with_columns(less)
    shown = Sheet.of(table, caption=f"{named}: this run, with the best, median and worst of all runs.")
    yield Folded(f"{named} of each topic, in numbers", (ReportTable("topics", shown, table),))


def _unjudged(found: Results, run: str) -> Iterator[Block]:
    shares = found.runs.of_runs([run]).scores(parse_measures([f"Judged@{rank}" for rank in _RANKS])).averages[:, 0]
    says = ", ".join(f"{percent(1 - share)} of the first {rank}" for rank, share in zip(_RANKS, shares, strict=True))
    yield Words.of(f"{says} documents are unjudged, on average over topics; scores count them as not relevant.")
    present = found.runs.present[found.runs.runs.index(run)]
    if lacking := [topic for topic, there in zip(found.runs.topics, present, strict=True) if not there]:
        lacks = counted(len(lacking), "judged topic")
        yield Words.of(f"The run has no documents for {lacks}: {', '.join(lacking[:10])}.")
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
    are = counted(len(mine), "judged document of this run is", "judged documents of this run are")
    of_them = f"{int(relevant.sum())} of them {'is' if relevant.sum() == 1 else 'are'} relevant"
    yield Words.of(
        f"{are} in no other run, at any rank; {of_them}."
        if len(mine)
        else "Other runs have every judged document of this run, too."
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
    shown = Sheet.of(table, keys=2, caption="Relevant documents that no other run found.")
    yield Folded("List", (ReportTable("found-alone", shown, table),))
