"""What was evaluated, what was found, and how it was computed."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import numpy as np

from cranfield import __version__
from cranfield.experiments.provenance import code_digest
from cranfield.formats.files import is_stream
from cranfield.judged.conditions import Conditions
from cranfield.plumbing.escaping import storable
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, percent
from cranfield.reports.document import Block, Folded, ReportTable, Words
from cranfield.reports.evidence import DRAWS, SIGNS, Evidence
from cranfield.reports.section import section
from cranfield.reports.sentence import caveats_of, found_in
from cranfield.results.sheet import Sheet


@section("What was evaluated", place=100)
def evaluated(evidence: Evidence) -> Iterator[Block]:
    """Say what the runs and judgments are, and what they lack, in words first."""
    audit = evidence.scores.audit
    yield Words.of(*_collection(evidence))
    yield Words(audit.facts(), listed=True)
    table = ReportTable("audit", audit.sheet().filled(), audit.to_polars())
    yield Folded("Every run: what it lacks, and what is unjudged or tied", (table,))


def _collection(evidence: Evidence) -> Iterator[str]:
    runs, judgments = evidence.runs, evidence.runs.judgments
    rel = runs.grading.rel
    grades = judgments.given
    base = judgments.recall_base(rel)
    relevant = "above 0" if rel is None else f"of {rel:g} or higher"
    found = counted(int(base.sum()), "document")
    yield f"{evidence.over}."
    if not len(grades):  # every topic is one without an answer
        yield "There is no judgment."
        return
    each = f", {base.min():.0f} to {base.max():.0f} of them a topic, with a median of {np.median(base):g}"
    yield (
        f"Of {counted(len(grades), 'judgment')}, with grades from {grades[0]:g} to {grades[-1]:g}, "
        f"{percent(base.sum() / max(1, len(grades)))} are relevant (a grade {relevant}): {found}"
        f"{each if len(base) > 1 else ''}."
    )
    longest = max(int(batch.length.max(initial=0)) for batch in runs.batches)
    yield f"The longest list has {counted(longest, 'document')}."


MOST_SENTENCES = 10
"""How many sentences are read; others are there for those who ask."""

_IN_SHORT = (
    "leader", "shared-lead", "alone", "one-topic", "lead-significant", "lead-not-significant", "against-baseline",
)  # fmt: skip
"""What the headline says."""


@section("What was found", place=15)
def findings(evidence: Evidence) -> Iterator[Block]:
    """Say what holds, what matters most first; what stands on the first sheet or in another section is left out."""
    above = {*caveats_of(evidence), *_IN_SHORT}
    here = [(each, said) for each, said in found_in(evidence) if each.section is None]
    sentences = [said.words for each, said in here if each.name not in above]
    yield Words.of(*sentences[:MOST_SENTENCES], listed=True)
    if sentences[MOST_SENTENCES:]:
        yield Folded("What matters less", (Words.of(*sentences[MOST_SENTENCES:], listed=True),))


@section("How was it computed?", place=190)
def made(evidence: Evidence) -> Iterator[Block]:
    """Name versions, inputs, conditions and what was left to chance, so that it can be done once more."""
    yield Words.of(
        "Below each table, and on paper at the end, stands the command that computes it once more; its file holds all "
        "rows in full precision.",
        f"By cranfield {__version__} (code {code_digest()}), Python {platform.python_version()}, "
        f"numpy {version('numpy')}, polars {version('polars')} and scipy {version('scipy')}.",
    )
    yield Words(tuple(_conditions(evidence)), listed=True)
    inputs = _inputs(evidence)
    if inputs.height:
        says = "The first 16 digits of the SHA-256 of each file, as it lies there."
        yield Folded("The files that were read", (ReportTable("inputs", Sheet.of(inputs, caption=says), inputs),))


def _conditions(evidence: Evidence) -> Iterator[str]:
    runs = evidence.runs
    described = Conditions(runs.reading, runs.grading.but(bounds=False)).described()
    yield f"Conditions: {', '.join(described) if described else 'the usual ones'}."
    measures = ", ".join(map(str, evidence.scores.measures))
    yield f"Measures: {measures}. The first one decides where one must: {evidence.named}."
    yield f"Seed of all that is left to chance: {evidence.seed}."
    if len(runs.runs) > 1 and len(runs.topics) > 1:
        yield (
            f"Resamples: {evidence.certificate.settings['resamples']:,} patterns of signs for likely ranks, "
            f"{SIGNS} for each pair's leads at any rank and grade, {DRAWS} draws of topics for "
            "correlations."
        )
    yield f"Digest of all rankings, judgments and conditions: {runs.fingerprint}."
    yield from (f"{note[:1].upper()}{note[1:].rstrip('.')}." for note in evidence.scores.notes)


def _inputs(evidence: Evidence) -> pl.DataFrame:
    """Name the files with their digests; what did not come from files has none."""
    found = [("judgments", evidence.qrels_file), *((source.name, source.path) for source in evidence.runs.sources)]
    of_topics = {
        "excluded documents": evidence.runs.reading.exclude,
        "costs": evidence.runs.reading.costs,
        "weights": evidence.weights,
        "groups": evidence.groups,
    }
    found += [(name, Path(str(given))) for name, given in of_topics.items() if given and Path(str(given)).is_file()]
    files = [(name, path) for name, path in found if path is not None and not is_stream(path)]
    rows = [(name, storable(str(path)), _digest(path)) for name, path in files]
    return pl.DataFrame(rows, schema=dict.fromkeys(("holds", "file", "sha256"), pl.String), orient="row")


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
