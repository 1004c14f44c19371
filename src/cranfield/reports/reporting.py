"""``report()``: one file that says what was evaluated, what was found, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Unpack

import cranfield.reports.sections  # noqa: F401 - registers them
from cranfield.errors import InputError
from cranfield.experiments.experiment import number_measures
from cranfield.formats import QrelsLike, RunsLike, write_whole
from cranfield.judged_runs import JudgedRuns, join
from cranfield.judgments import Judgments
from cranfield.measures.machinery.names import MeasureNames
from cranfield.reports import page
from cranfield.reports.document import Document
from cranfield.reports.evidence import Evidence
from cranfield.reports.section import sections_of
from cranfield.reports.sentence import sentences_of
from cranfield.results import OneTable

if TYPE_CHECKING:
    from cranfield.conditions import Asked
    from cranfield.formats.files import FilePath

MEASURES: Final = ("nDCG@10", "AP", "RBP(p=0.8)", "RR", "Twist@100", "Judged@10")


@dataclass(frozen=True)
class Report:
    """A report: a document, and the evidence that it was written from."""

    evidence: Evidence
    document: Document

    @property
    def sentences(self) -> OneTable:
        """What was found, in sentences, what matters most first: columns name, sentence, and numbers in JSON."""
        return sentences_of(self.evidence)

    def to_html(self) -> str:
        """Return it as one page that needs no network."""
        return page.html(self.document)

    def save(self, path: FilePath) -> None:
        """Write it as one page, whole or not at all."""
        if not str(path).endswith((".html", ".htm")):
            raise InputError("a report is written to a file in .html", source=str(path))
        write_whole(path, self.to_html().encode())

    def _repr_html_(self) -> str:
        return self.to_html()


def report(
    qrels: QrelsLike | Judgments | JudgedRuns,
    runs: RunsLike | None = None,
    measures: MeasureNames = MEASURES,
    *,
    baseline: str | None = None,
    seed: int = 7,
    progress: Callable[[int, int], None] | None = None,
    **conditions: Unpack[Asked],
) -> Report:
    """Write a report about runs."""
    joined = join(qrels, runs, bounds=True, progress=progress, **conditions).under(bounds=True)
    evidence = Evidence(joined, tuple(number_measures(measures)), baseline, seed=seed)
    sections = tuple(sections_of(evidence))
    title = f"{len(joined.runs)} runs on {len(joined.topics)} topics"
    return Report(evidence, Document(title, f"Measured by {', '.join(map(str, evidence.measures))}.", sections))
