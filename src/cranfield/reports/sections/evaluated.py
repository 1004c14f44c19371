"""What was evaluated, what was found, and how it was computed."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Final

import numpy as np

from cranfield import __version__
from cranfield.experiments.provenance import code_digest
from cranfield.formats.files import is_stream
from cranfield.plumbing.escaping import storable
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, percent
from cranfield.reports.elements import Block, Folded, ReportTable, Words
from cranfield.reports.facts import DRAWS, SIGNS, Evidence
from cranfield.reports.section import section
from cranfield.results.sheet import Sheet

_TOLD: Final = ("missing topics", "unjudged", "unequally judged", "no relevant document", "level", "complete", "order")
"""Findings of the audit that sentences and facts of the page tell."""


@section("What was evaluated", place=100)
def evaluated(evidence: Evidence) -> Iterator[Block]:
    """Describe the runs and judgments, and what they lack, in words first."""
    audit = evidence.scores.audit
    yield Words.of(*_collection(evidence))
    # That a run seems to be cut to judged documents is in no sentence.
    told = [found.says for found in audit.findings if found.code not in _TOLD or "probably cut" in found.says]
    told += [
        found.says.partition(" (")[2].rstrip(")") for found in audit.findings if found.code == "level" and audit.turned
    ]
    yield Words(tuple(f"{says[:1].upper()}{says[1:]}." for says in told), listed=True)
    command = evidence.command("evaluate", *evidence.asking(evidence.measure), "--sort", "--full-audit")
    table = ReportTable("audit", audit.sheet().filled(), audit.to_polars(), command)
    yield Folded("What each run lacks, and how much of it is unjudged or tied", (table,))


def _collection(evidence: Evidence) -> Iterator[str]:
    runs, judgments = evidence.runs, evidence.runs.judgments
    rel = runs.grading.rel
    grades = judgments.given
    base = judgments.recall_base(rel)
    found = counted(int(base.sum()), "document")
    if not len(grades):  # every topic is one without an answer
        yield "There are no judgments."
        return
    each = f", {base.min():.0f} to {base.max():.0f} a topic (median {np.median(base):g})"
    if base.any():
        yield (
            f"{percent(base.sum() / len(grades))} of the judged documents are relevant: {found}"
            f"{each if len(base) > 1 else ''}."
        )
    longest = max(int(batch.length.max(initial=0)) for batch in runs.batches)
    yield f"The longest list has {counted(longest, 'document')}."


@section("How was it computed?", place=190)
def made(evidence: Evidence) -> Iterator[Block]:
    """Name versions, inputs, conditions and random choices, so that the evaluation can be repeated."""
    yield Words.of(
        "The command below each table, and on paper at the end, computes it again; its file holds all rows in full "
        "precision.",
        f"Software: cranfield {__version__} (code {code_digest()}), Python {platform.python_version()}, "
        f"numpy {version('numpy')}, polars {version('polars')} and scipy {version('scipy')}.",
    )
    yield Words(tuple(_conditions(evidence)), listed=True)
    inputs = _inputs(evidence)
    if inputs.height:
        says = "The first 16 digits of each file's SHA-256."
        yield Folded("The files that were read", (ReportTable("inputs", Sheet.of(inputs, caption=says), inputs),))


def _conditions(evidence: Evidence) -> Iterator[str]:
    runs = evidence.runs
    yield f"Random seed: {evidence.seed}."
    if evidence.testable:
        yield (
            f"Resamples: {evidence.certificate.settings['resamples']:,} sign patterns for likely ranks, {SIGNS} for "
            f"each pair's leads at any rank and grade, {DRAWS} draws of topics for correlations."
        )
    yield f"Digest of all rankings, judgments and conditions: {runs.fingerprint}."
    yield from (f"{note[:1].upper()}{note[1:].rstrip('.')}." for note in evidence.scores.notes)


def _inputs(evidence: Evidence) -> pl.DataFrame:
    """Name the files with their digests; judgments read by a name have it, and what came from memory has no row."""
    found = [("judgments", evidence.qrels_file), *((source.name, source.path) for source in evidence.runs.sources)]
    of_topics = {
        "excluded documents": evidence.runs.reading.exclude,
        "costs": evidence.runs.reading.costs,
        "weights": evidence.weights,
        "groups": evidence.groups,
    }
    found += [(name, Path(str(given))) for name, given in of_topics.items() if given and Path(str(given)).is_file()]
    files = [(name, path) for name, path in found if path is not None and not is_stream(path)]
    provenance = evidence.runs.judgments.provenance
    rows: list[tuple[str, str, str | None]] = [("judgments", provenance, None)] if provenance else []
    rows += [(name, storable(str(path)), hashlib.sha256(path.read_bytes()).hexdigest()[:16]) for name, path in files]
    return pl.DataFrame(rows, schema=dict.fromkeys(("holds", "file", "sha256"), pl.String), orient="row")
