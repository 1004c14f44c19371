"""The step `results`: official scores, everything that follows from them, part by part, and what they show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

from cranfield.experiments import Findings
from cranfield.judged.audit import UNJUDGED_AT
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, percent
from cranfield.reports import html_page
from cranfield.reports.facts import Evidence
from cranfield.reports.first_sheet import headline
from cranfield.reports.reviewing import review_of
from cranfield.reports.sections.certain_ranks import leading
from cranfield.reports.sections.certain_ranks import said as certain_and_likely
from cranfield.track import site
from cranfield.track.check_step import FINDINGS, RUNS, accepted
from cranfield.track.computed import CLAIMS, PAGE, RESULTS, SHEETS, TOPIC_RESULTS, Results, tables_of
from cranfield.track.judge_step import QRELS, VERSIONS
from cranfield.track.pool_step import CHANCES, contributing
from cranfield.track.steps import Files, StepPart
from cranfield.track.submissions import file_name
from cranfield.track.track import Track
from cranfield.track.track_file import part

NO_JUDGMENTS: Final = "no judgments yet: judge in the task, or name filled-in forms or qrels under [judgments] files"


def parts(track: Track) -> Iterator[StepPart]:
    """Return what the step makes."""
    if track.shop.digest(QRELS) is None:
        raise InputError(NO_JUDGMENTS, source=str(track.folder))
    settings, runs = track.settings, accepted(track)
    if not runs:
        raise InputError("no run is accepted; the letters give the reasons", source=str(track.folder))
    named = [(each.run, track.shown(each.file)) for each in runs]
    given: dict[str, object] = {"qrels": track.shop.digest(QRELS), "runs": named}
    given |= {"files": track.digests(*(each.file for each in runs)), "conditions": settings.measures.conditions}
    decides = {**given, "measure": settings.measures.names[0], "seed": settings.results.seed}
    every = {**given, "measures": settings.measures.names, "seed": settings.results.seed}
    teams = {"teams": [(each.run, each.team) for each in runs], "depth": settings.pool.depth}
    pooled = {"pooled": sorted(each.run for each in contributing(track))}
    found = Results(track)
    # A part names all that it follows from: with less it would be stale after a change, with more be made for nothing.

    def made(name: str, follows: Mapping[str, object], make: Callable[[], Files]) -> StepPart:
        return StepPart(f"results/{name}", follows, partial(_or_why, f"{RESULTS}/{name}.txt", make))

    yield StepPart("results/official", given, found.official)
    yield StepPart("results/scores", every, found.tables)
    yield made("significance", decides, found.significance)
    yield made("certificate", decides, lambda: tables_of(found.evidence.certificate))
    yield made("dominance", decides, lambda: tables_of(found.evidence.dominance))
    yield StepPart("results/topics", every, lambda: {TOPIC_RESULTS: found.by_topic.write_csv()})
    with_teams = {**every, **teams, "check": track.shop.digest(RUNS)}
    yield made("reusability", with_teams, lambda: tables_of(found.without_teams))
    if settings.pool.method == "sample":
        yield made("estimates", {**every, "chances": track.shop.digest(CHANCES)}, found.estimates)
    shown = {**every, **teams, **pooled, "name": [settings.name, settings.version], "results": part(settings.results)}
    said = {
        "organisers": settings.organisers,
        "judgments": track.shop.digest(VERSIONS),
        "chances": bool(settings.pool.per_topic),
    }
    yield StepPart(
        "results/claims",
        {**every, **pooled, "check": track.shop.digest(RUNS), "findings": track.shop.digest(FINDINGS)},
        lambda: {CLAIMS: "".join(f"{line}\n" for line in _claims(found))},
    )
    yield StepPart("results/sheets", shown, lambda: _sheets(found))
    yield StepPart("results/page", {**shown, **said}, lambda: {PAGE: html_page.html(site.leaderboard(found))})


def _sheets(found: Results) -> Files:
    return {
        f"{SHEETS}/{file_name(run)}.html": html_page.html(site.sheet(found, run), drawn=True)
        for run in found.scores.runs
    }


def _or_why(note: str, make: Callable[[], Files]) -> Files:
    """Make files; where these runs do not suffice, say why."""
    try:
        return make()
    except InputError as refused:
        return {note: f"Not for these runs: {refused.problem}.\n"}


_REVIEWED = (
    "Test",
    "Unjudged",
    "What this could change",
    "Ties",
    "Missing topics",
    "Topics without relevant documents",
)
"""The parts of a review that are shown."""


def _claims(found: Results) -> Iterator[str]:
    """Say in Markdown what may be said, each sentence from where the report has it."""
    evidence = found.evidence
    yield f"- {headline(evidence).words}"
    if evidence.ran.several and evidence.ran.testable:
        yield from (f"- {each}" for each in (*certain_and_likely(evidence.ran), leading(evidence.ran)))
    items = dict(review_of(evidence).answers.select("item", "answer").iter_rows())
    yield from (f"- {item}: {printable(items[item])}" for item in _REVIEWED if item in items)
    yield from ("", "All runs, ordered by the first measure:", "", *_table(found, evidence), "")
    yield from _checked(found.track)


def _table(found: Results, evidence: Evidence) -> Iterator[str]:
    """Say of each run how much of it is unjudged, and between which ranks it lies."""
    first, last = UNJUDGED_AT
    ranks = _ranks(evidence.certificate) if evidence.several and evidence.testable else {}
    yield f"| run | certain ranks | likely ranks | unjudged of the first {first} | of the first {last} | pooled |"
    yield "|---|---|---|---|---|---|"
    shares = dict(zip((each.run for each in evidence.runs.audit.runs), evidence.runs.audit.unjudged, strict=True))
    for run in found.scores.runs:
        certain, likely = ranks.get(run, ("", ""))
        unjudged = " | ".join(percent(float(share)) for share in shares[run])
        yield f"| {_cell(run)} | {certain} | {likely} | {unjudged} | {'no' if run in found.unpooled else 'yes'} |"


def _ranks(certificate: Findings) -> dict[str, tuple[str, str]]:
    columns = ("run", "certain_from", "certain_to", "likely_from", "likely_to")
    return {
        run: (_span(certain_from, certain_to), _span(likely_from, likely_to))
        for run, certain_from, certain_to, likely_from, likely_to in certificate["ranks"].select(columns).iter_rows()
    }


def _span(first: int | None, last: int | None) -> str:
    """Write between which ranks a run lies: ``1 to 4``."""
    return "" if first is None else f"{first}" if first == last else f"{first} to {last}"


def _checked(track: Track) -> Iterator[str]:
    """Say which runs were rejected, and why, and of which accepted ones the check warned."""
    said = pl.read_csv((track.folder / RUNS).read_bytes(), infer_schema=False).select("team", "run", "file", "accepted")
    said = said.join(pl.read_csv((track.folder / FINDINGS).read_bytes(), infer_schema=False), on="file", how="left")
    rejected = said.filter(accepted="no", rejects="yes")
    warned = said.filter(pl.col("severity") != "remark", accepted="yes")
    count = said.filter(accepted="no")["file"].n_unique()
    yield f"{counted(count, 'run')} rejected" + (":" if count else ".")
    yield from _listed(rejected)
    if warned.height:
        yield from ("", "Accepted, with a warning:", *_listed(warned))


def _listed(said: pl.DataFrame) -> Iterator[str]:
    yield ""
    for (run, _), rows in said.group_by("run", "file", maintain_order=True):
        yield f"- {_cell(str(run))}: {', '.join(dict.fromkeys(rows['code']))}"


def _cell(name: str) -> str:
    """Write a name so that it ends no cell of a table, and marks nothing up."""
    return "".join(f"\\{each}" if each in "\\|*_`[]<>#" else each for each in printable(name))
