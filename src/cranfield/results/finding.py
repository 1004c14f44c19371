"""One thing that was found of what users brought: by a check of runs, or by the audit of an evaluation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from cranfield.plumbing.interchange import record

Severity: TypeAlias = Literal["error", "warning", "remark"]
"""A track would reject the run, or evaluation refuses it; allowed, but probably not meant; good to know."""

SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "remark")


@record
@dataclass(frozen=True)
class Finding:
    """One thing that was found of a run, or of runs and judgments, however often it is there."""

    severity: Severity
    code: str  # What it is, in a word or two that stay the same
    count: int  # How many lines, topics, documents or runs it is about
    line: int | None
    """The first line that it is about, or the row of a table, counted from 1; None where it is about none."""
    says: str  # A sentence, with the first few examples
    advice: str = ""  # What to do about it, where there is something

    def __str__(self) -> str:
        return f"{self.says}: {self.advice}" if self.advice else self.says


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings by severity; those of one severity stay as they are."""
    return tuple(sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity)))


def failing(findings: Iterable[Finding], *, strict: bool) -> bool:
    """Whether there is an error among them; if strict, a warning is enough."""
    return any(finding.severity in SEVERITIES[: 2 if strict else 1] for finding in findings)
