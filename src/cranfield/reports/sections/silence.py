"""Which runs are silent where nothing is to be found, and which where something is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from cranfield.plumbing.arrays import Booleans
from cranfield.plumbing.wording import counted, named
from cranfield.reports.elements import Block, Folded, ReportTable, Words
from cranfield.reports.facts import Evidence
from cranfield.reports.section import section
from cranfield.results.sheet import ROWS_SHOWN, Sheet, SheetColumn

_COUNTS: Final = ("NumRel", "NumRet")  # What there is to be found for a topic, and how much a run has


@section("Who is silent, and rightly?", place=lambda evidence: 46 if evidence.several else 13)
def silence(evidence: Evidence) -> Iterator[Block]:
    """Show how often each run returns nothing, for topics with and without a relevant document."""
    scores = evidence.as_judged.scores(_COUNTS)
    counts = np.isin(scores.topics, evidence.population.counting(scores.topics))
    answerable = counts & ~np.isin(scores.topics, evidence.without_relevant)
    nothing = counts & ~answerable
    if not nothing.any() and not evidence.silent[:, answerable].any():
        return
    runs = evidence.runs.runs
    yield Words.of(
        *_said(runs, evidence.silent[:, nothing], "with nothing to find"),
        *_said(runs, evidence.silent[:, answerable], "with something to find"),
    )
    columns = (
        SheetColumn("run", list(runs)),
        _which("silent, rightly", evidence.silent & nothing, scores.topics),
        _which("not silent, wrongly", ~evidence.silent & nothing, scores.topics),
        _which("silent, wrongly", evidence.silent & answerable, scores.topics),
    )
    says = "Number of topics, and which. The file has what each run retrieved for each topic, and what is relevant."
    command = evidence.command("evaluate", *(word for name in _COUNTS for word in ("-m", name)), "--per-topic")
    sheet = Sheet(columns, caption=says).first(ROWS_SHOWN)
    table = ReportTable("silence", sheet, scores.to_polars(per_topic=True), command)
    yield Folded("Run by run", (table,)) if evidence.several else table


def _said(runs: Sequence[str], silent: Booleans, what: str) -> Iterator[str]:
    """Say how often two runs are silent, or which of more is most often."""
    if not silent.size:
        return
    many, of = silent.sum(axis=1).tolist(), f"{counted(silent.shape[1], 'topic')} {what}"
    if not any(many):
        yield f"{runs[0] if len(runs) == 1 else 'No run'} is {'never ' * (len(runs) == 1)}silent on {of}."
        return
    first, *others = sorted(range(len(runs)), key=lambda place: -many[place])
    other = f", and {runs[others[-1]]} on {many[others[-1]]:,}" if len(runs) == 2 else ""
    yield f"{runs[first]} is silent on {many[first]:,} of {of}{other or ', and no other run on more' * bool(others)}."


def _which(name: str, on: Booleans, topics: Sequence[str]) -> SheetColumn:
    """Count topics, and name them."""
    found = ([topics[at] for at in np.flatnonzero(row).tolist()] for row in on)
    return SheetColumn(name, [f"{len(names)}{f' ({named(names)})' * bool(names)}" for names in found])
