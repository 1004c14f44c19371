"""The leaderboard for the web: one page that says who leads, how sure that is, and what the collection is worth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted
from cranfield.reports import page
from cranfield.reports.document import Block, Folded, Links, ReportDocument, ReportTable, Section, Words
from cranfield.reports.section import SECTIONS
from cranfield.results.sheet import Sheet
from cranfield.track.computed import PAGE, Results
from cranfield.track.steps import Files
from cranfield.track.submissions import file_name

MOST_LINKS: Final = 40
"""More sheets than these are named where somebody asks for them."""
CHANGES = {
    "measure": "measure", "tau": "tau with and without", "least_tau": "at least", "difference": "change of a score",
    "largest_difference": "at most", "ranks_lost": "ranks lost", "run": "by",
}  # fmt: skip
FROM_THE_REPORT = ("leaderboard", "certain-ranks", "unjudged", "dominance")
"""The sections that a report has, too."""
RUNS = {
    "team": "team", "run": "run", "measure": "measure", "unique_documents": "judged documents alone",
    "unique_relevant": "relevant", "score_with": "score", "score_without": "without them",
    "difference": "difference", "ranks_lost": "ranks lost",
}  # fmt: skip


def made(found: Results) -> Files:
    """Write the page."""
    return {PAGE: page.html(document(found))}


def document(found: Results) -> ReportDocument:
    """Put the page together."""
    evidence, settings = found.evidence, found.settings
    lead = f"{evidence.over}. Measured by {', '.join(map(str, evidence.scores.measures))}; {evidence.named} decides."
    parts = (
        Section("runs", "All runs", tuple(_runs(found))),
        *(written for name in FROM_THE_REPORT if (written := SECTIONS[name].of(evidence)) is not None),
        Section("topics", "Topics, the hardest first", tuple(_topics(found))),
        Section("teams", "Teams, and a run that takes no part", tuple(_teams(found))),
        Section("made", "Judgments and measures", tuple(_made(found))),
    )
    sections = sorted(parts, key=lambda each: each.appendix)
    by = f" by {', '.join(settings.organisers)}" if settings.organisers else ""
    return ReportDocument(settings.name, lead, tuple(sections), f"{settings.name}, version {settings.version}{by}.")


def _runs(found: Results) -> Iterator[Block]:
    scores = found.scores
    shown = scores.sheet()
    teams = {name: each.team for name, each in found.submissions.items()}
    table = scores.to_polars()
    yield ReportTable("scores", shown, table)
    names = ((f"{run} ({teams[run]})" if teams[run] else run, f"sheets/{file_name(run)}.html") for run in scores.runs)
    yield Words.of("A sheet for each run has its curve, every topic against the median, and what it alone found.")
    links = Links(tuple(names))
    yield links if len(scores.runs) <= MOST_LINKS else Folded("The sheets of all runs", (links,))


def _topics(found: Results) -> Iterator[Block]:
    named, most = found.evidence.named, found.settings.results.hard
    rows = found.by_topic.filter(measure=named).drop("measure")
    nothing = rows.filter(best=0)["topic"].to_list()
    yield Words.of(
        f"Best, median and worst {named} of all runs on each topic; the topics with the lowest median come first.",
        *(
            [f"No run scores anything on {counted(len(nothing), 'topic')}: {', '.join(nothing[:10])}."]
            if nothing
            else []
        ),
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
    alone = of_teams.select("team", "unique_documents", "unique_relevant").sort(
        "unique_relevant", descending=True, maintain_order=True
    )
    yield Words.of(
        "Judged documents that one team alone retrieved, and how many of them are relevant. The second table leaves "
        "out each team in turn: its documents become unjudged, and all runs are scored again. So the runs of a team "
        "fare that takes no part: the mean and the largest change of their scores, and how many ranks they may lose.",
        *(["Runs that were not pooled count as if they had been."] if found.unpooled else []),
    )
    columns = {"team": "team", "unique_documents": "judged documents alone", "unique_relevant": "relevant ones"}
    yield ReportTable("teams", Sheet.of(alone.rename(columns)), alone)
    yield ReportTable.found(tables, "correlation", CHANGES)
    yield Folded("Run by run", (ReportTable.found(tables, "runs", RUNS),))
    yield Words.of(*(f"Note: {note}." for note in tables.notes))


def _made(found: Results) -> Iterator[Block]:
    settings, evidence = found.settings, found.evidence
    known = settings.measures.known
    judgments = evidence.runs.audit.lines("--rel")
    yield Words.of(*([f"Convention: {known.title}.", *known.said()] if known else []), listed=True)
    yield Words.of(*judgments, listed=True)
    if settings.pool.method == "sample":
        yield Words.of(
            "Only a sample of the pool was judged: scores here count what was not drawn as not relevant. Estimates "
            "of the scores, had the whole pool been judged, are in estimates.csv."
        )
    files = pl.read_csv(found.track.folder / "judgments" / "files.csv")
    yield ReportTable(
        "judgments", Sheet.of(files.drop("sha256"), caption="Files of judgments, and how many of each count."), files
    )
