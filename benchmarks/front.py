"""``python -m benchmarks.front``: the README's two tables, from the pages that hold what was measured and tried."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.process import ROOT
from benchmarks.report import cells
from benchmarks.sections import PAGE, heading

README: Final = ROOT / "README.md"
COMPARISON: Final = ROOT / "docs" / "comparison.md"

CONTENDERS: Final = ("cranfield", "pytrec_eval", "trec_eval 9.0.8 -O3", "ir_measures", "ranx", "PyTerrier")
"""The columns of times; one that nothing was measured of is left out."""


class Timed(NamedTuple):
    """A row of times: where the page has it, and whose stand for ours."""

    name: str
    section: str
    ours: str = "cranfield"
    work: str = ""


TIMED: Final = (
    Timed("129 runs × 50 topics × 1,000 documents, from files", "reference"),
    Timed("the same without a compiler", "reference", ours="cranfield in Python"),
    Timed("129 runs × 50 topics × 100 documents, from files", "short"),
    Timed("a dict in a loop, 50 topics × 100 documents", "memory", work="in a loop, 50 × 100"),
    Timed("a dict in a loop, 50 topics × 10 documents", "memory", work="in a loop, 50 × 10"),
)
ROWS: Final = (
    "significance tests",
    "corrected for their number",
    "an audit of the input: ties, missing topics, unjudged documents",
    "the share of judged documents",
    "bounds for unjudged documents",
    "the documents to judge next, and when to stop",
    "samples with known chances",
    "effort: relative position, CRP, Twist",
    "lists that should end",
    "figures, for print as well",
    "a report as one file",
    "fusion of runs",
)
"""The rows of the comparison that the README shows."""
LEFT_OUT: Final = "MATTERS"
"""A column of the page that the README has no room for."""


def _split(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip()[1:-1].split("|")]


def times(page: str) -> str:
    """Lay out the times of the page of benchmarks; the shortest of a row is bold."""
    found = [_times(page, row) for row in TIMED]
    shown = [name for name in CONTENDERS if any(row.get(name) for row in found)]
    lines = [cells("", *(name.removesuffix(" -O3") for name in shown)), f"|---|{'--:|' * len(shown)}"]
    for row, measured in zip(TIMED, found, strict=True):
        least = min(filter(None, measured.values()), key=_seconds, default="")
        named = [
            f"**{time}**" if time and time == least else time for time in (measured.get(name, "") for name in shown)
        ]
        lines.append(cells(row.name, *named))
    return "\n".join(lines)


def _times(page: str, row: Timed) -> dict[str, str]:
    """Return the time of each contender in a section."""
    section = page.partition(f"{heading(row.section)}\n")[2].partition("\n## ")[0]
    found: dict[str, str] = {}
    work = ""
    for line in section.splitlines():
        values = _split(line) if line.startswith("|") else []
        if row.work:
            work = values[0] or work if values else work
            name, time = values[1:3] if work == row.work and len(values) > 2 else ("", "")
        else:
            name, time = (re.sub(r" [\d.]+(\.dev\d+)?( -O3)?$", r"\2", values[0]), values[1]) if values else ("", "")
            name = values[0] if name and values[0] in CONTENDERS else name
        if name == row.ours:
            found["cranfield"] = time
        elif name in CONTENDERS[1:] and time[:1].isdigit():
            found[name] = time
    return found


def _seconds(time: str) -> float:
    value, unit = time.split()
    return float(value.replace(",", "")) * {"s": 1, "ms": 1e-3}[unit]


def comparison(page: str) -> str:
    """Lay out the README's rows of the page of comparison."""
    table = [_split(line) for line in page.splitlines() if line.startswith("|")]
    head = table[0]
    kept = [place for place, name in enumerate(head) if name != LEFT_OUT]
    named = {re.sub(r"^\d+\. ", "", row[0]): row for row in table}
    lines = [cells(*(head[place] for place in kept)), f"|---|{'---|' * (len(kept) - 1)}"]
    lines += [cells(name, *(named[name][place] for place in kept[1:])) for name in ROWS]
    return "\n".join(lines)


def put(readme: str, benchmarks: str, compared: str) -> str:
    """Return the README with both tables as the pages have them."""
    for mark, table, page in (("times", times, benchmarks), ("comparison", comparison, compared)):
        before, opening, rest = readme.partition(f"<!-- {mark}: python -m benchmarks.front -->\n")
        after = rest.partition("\n\n")[2]
        if not opening:
            raise ValueError(f"README.md has no comment <!-- {mark}: python -m benchmarks.front -->")
        readme = f"{before}{opening}{table(page)}\n\n{after}"
    return readme


def read(path: Path) -> str:
    """Return a page."""
    return path.read_text(encoding="utf-8")


def write() -> None:
    """Put both tables into the README."""
    README.write_text(put(read(README), read(PAGE), read(COMPARISON)), encoding="utf-8")


if __name__ == "__main__":
    write()
