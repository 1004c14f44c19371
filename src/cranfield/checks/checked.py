"""What a check found: sentences with a severity, by run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.interchange import record
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import LINE
from cranfield.plumbing.wording import counted
from cranfield.results.finding import SEVERITIES, Finding, Severity, failing
from cranfield.results.result import Result

_EXAMPLES: Final = 3


@record
@dataclass(frozen=True)
class CheckedRun:
    """A run, by its file or its name, and what was found of it, the worst first."""

    run: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Checked(Result):
    """The findings for all runs.

    Attributes
    ----------
    runs
        One entry for each run, in the order given.
    qrels
        The file of judgments that stood among the runs; None where none did.

    Examples
    --------
    Findings that all runs share are printed once.

    >>> print(Checked((CheckedRun("bm25.run", (Finding("error", "length", 1, None, "too long"),)),
    ...                CheckedRun("dense.run", ()))))
    bm25.run: 1 error
      error: too long
    dense.run: nothing found
    """

    runs: tuple[CheckedRun, ...]
    qrels: str | None = None

    def fails(self, *, strict: bool = False) -> bool:
        """Whether any run has an error; if strict, a warning counts too."""
        return failing((finding for run in self.runs for finding in run.findings), strict=strict)

    def to_polars(self, **which: object) -> pl.DataFrame:
        """Return a table with a row for each finding; a run without findings has none."""
        names = ("severity", "code", "count", "line", "says")
        rows = [(run.run, *(getattr(found, name) for name in names)) for run in self.runs for found in run.findings]
        numbers = {"count": pl.Int64, "line": pl.Int64}
        schema = {"run": pl.String} | {name: numbers.get(name, pl.String) for name in names}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def table(self, **which: object) -> pl.DataFrame:
        """Return the same, less what the sentences say."""
        return self.to_polars().select("run", "severity", "says")

    def caption(self, **which: object) -> str:
        """Count the findings, in one line, and name the judgments that were found among the runs."""
        by = f" (judgments: {self.qrels})" if self.qrels else ""
        return f"{counted(len(self.runs), 'run')}{by}: {_counted(found for run in self.runs for found in run.findings)}"

    def __str__(self) -> str:
        return str(self.render()).rstrip("\n")

    def render(self, format: str = "table", **which: Any) -> str | bytes:  # noqa: A002
        """Return what all runs share, and then the sentences of each; as any other format, the findings as a table."""
        if format != "table":
            return super().render(format, **which)
        first, *others = self.runs
        shared = [found for found in first.findings if others and all(found in run.findings for run in others)]
        said = [f"each of {len(self.runs):,} runs: {_counted(shared)}", *map(_said, shared)] if shared else []
        own = {run.run: [found for found in run.findings if found not in shared] for run in self.runs}
        for run, findings in own.items():
            if findings or not shared:
                said += [f"{run}: {_counted(findings)}", *map(_said, findings)]
        same = sum(not findings for findings in own.values())
        said += [f"{counted(same, 'run')}: nothing else"] if shared and same else []
        return "".join(f"{printable(sentence)}\n" for sentence in said)


def _said(found: Finding) -> str:
    return f"  {found.severity}: {found.says}"


def _counted(findings: Iterable[Finding]) -> str:
    """Say how many there are of each severity: ``1 error, 1 remark``."""
    counts = Counter(found.severity for found in findings)
    said = ", ".join(counted(counts[severity], severity) for severity in SEVERITIES if counts[severity])
    return said or "nothing found"


def some(examples: Iterable[str], count: int) -> str:
    """Name the first few of many."""
    shown = [example for example, _ in zip(examples, range(_EXAMPLES), strict=False)]
    return ", ".join(shown) + (f" and {count - len(shown):,} more" if count > len(shown) else "")


def on_lines(severity: Severity, code: str, what: str, lines: pl.DataFrame, shown: str) -> Iterator[Finding]:
    """Give a finding about these lines, if there are any."""
    if lines.height:
        first = lines.sort(LINE).head(_EXAMPLES).to_dicts()
        examples = some((f"line {each[LINE]} ({shown.format(**each)})" for each in first), lines.height)
        says = f"{what}, on {counted(lines.height, 'line')}: {examples}"
        yield Finding(severity, code, lines.height, first[0][LINE], says)


def of_topics(severity: Severity, code: str, what: str, topics: list[str]) -> Iterator[Finding]:
    """Give a finding about these topics, if there are any, each with what is to be shown of it."""
    if topics:
        says = f"{what}: {counted(len(topics), 'topic')} ({some(topics, len(topics))})"
        yield Finding(severity, code, len(topics), None, says)


def refusal(error: InputError) -> Finding:
    """Give the finding that a run cannot be read."""
    where = f"line {error.line}: " if error.line else ""
    return Finding("error", "refused", 1, error.line, f"cannot be read: {where}{error.problem}")
