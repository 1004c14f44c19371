"""What may be said of a track's results, and how far they may be trusted: sentences of the report, and all runs."""

from __future__ import annotations

from collections.abc import Iterator

from cranfield.experiments import Findings
from cranfield.judged.audit import UNJUDGED_AT
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, percent
from cranfield.reports.evidence import Evidence
from cranfield.reports.first_sheet import headline
from cranfield.reports.reviewing import review_of
from cranfield.reports.sections.certain_ranks import said as certain_and_likely
from cranfield.track.checking import FINDINGS, RUNS
from cranfield.track.computed import CLAIMS, Results
from cranfield.track.steps import Files
from cranfield.track.track import Track

_REVIEWED = (
    "Test",
    "Unjudged",
    "What that could change",
    "Ties",
    "Missing topics",
    "Topics without relevant documents",
)
"""What of a review is told."""


def made(found: Results) -> Files:
    """Write them as Markdown, each sentence from where the report has it."""
    return {CLAIMS: "".join(f"{line}\n" for line in _lines(found))}


def _lines(found: Results) -> Iterator[str]:
    evidence = found.evidence
    yield f"- {headline(evidence).words}"
    if evidence.several and evidence.testable:
        yield from (f"- {each}" for each in certain_and_likely(evidence))
    items = dict(review_of(evidence).answers.select("item", "answer").iter_rows())
    yield from (f"- {item}: {printable(items[item])}" for item in _REVIEWED if item in items)
    yield ""
    yield "Each run, by the order of the first measure:"
    yield ""
    yield from _table(found, evidence)
    yield ""
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
    """Write between which ranks a run lies.

    >>> _span(2, 2), _span(1, 4), _span(None, None)
    ('2', '1 to 4', '')
    """
    return "" if first is None else f"{first}" if first == last else f"{first} to {last}"


def _checked(track: Track) -> Iterator[str]:
    """Say which runs were rejected, and why, and of which accepted ones the check warned."""
    said = pl.read_csv(track.folder / RUNS, infer_schema=False).select("team", "run", "file", "accepted")
    said = said.join(pl.read_csv(track.folder / FINDINGS, infer_schema=False), on="file", how="left")
    rejected = said.filter(accepted="no", rejects="yes")
    warned = said.filter(pl.col("severity") != "remark", accepted="yes")
    count = said.filter(accepted="no")["file"].n_unique()
    yield f"{counted(count, 'run')} rejected" + (":" if count else ".")
    yield from _listed(rejected)
    if warned.height:
        yield ""
        yield "Accepted, with a warning:"
        yield from _listed(warned)


def _listed(said: pl.DataFrame) -> Iterator[str]:
    yield ""
    for (run, _), rows in said.group_by("run", "file", maintain_order=True):
        yield f"- {_cell(str(run))}: {', '.join(dict.fromkeys(rows['code']))}"


def _cell(name: str) -> str:
    r"""Write a name so that it ends no cell of a table, and marks nothing up.

    >>> print(_cell("a|b_<c>"))
    a\|b\_\<c\>
    """
    return "".join(f"\\{each}" if each in "\\|*_`[]<>#" else each for each in printable(name))
