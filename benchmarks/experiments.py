"""Comparisons and experiments beside plain scripts that compute the same: whole processes, files in and tables out.

What a script finds is held against what ours does before anything is timed.
"""

from __future__ import annotations

import csv
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.contender import Contender
from benchmarks.lineup import OURS
from benchmarks.report import cells
from benchmarks.sections import heading
from benchmarks.timing import Patience, Workload, output_of, take_turns

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from benchmarks.contender import Task
    from benchmarks.workloads import Files

Key = tuple[str | float, ...]


class DisagreementError(Exception):
    """Ours and the script found different values."""


@dataclass(frozen=True)
class Study:
    """One command of ours, the script beside it, and how far what they find may be apart.

    Attributes
    ----------
    script
        Its name in ``benchmarks.plain``.
    command
        Ours, less the files.
    keys, value
        Columns of both tables: what tells the rows apart, and what is compared.
    apart
        The largest difference; where both draw at random, they draw differently.
    does
        What both do, for people.
    """

    script: str
    command: tuple[str, ...]
    keys: tuple[str, ...]
    value: str
    apart: float
    does: str

    def ours(self, task: Task) -> list[list[str]]:
        """Give our command line; the output is a table as csv, as the script's is."""
        options = ["--order", "trec9", "--format", "csv", "-o", task.output]
        return [[sys.executable, "-m", "cranfield", *self.command, *options, task.qrels, *task.runs]]

    def theirs(self, task: Task) -> list[list[str]]:
        """Give the command line of the script."""
        return [[sys.executable, "-m", f"benchmarks.plain.{self.script}", task.qrels, *task.runs]]

    def found(self, table: Path) -> dict[Key, float]:
        """Read what was found."""
        with table.open(encoding="utf-8", newline="") as lines:
            rows = [row for row in csv.DictReader(lines) if row[self.value]]
        return {tuple(_plain(row[key]) for key in self.keys): float(row[self.value]) for row in rows}


def _plain(text: str) -> str | float:
    try:
        return round(float(text), 9)
    except ValueError:
        return text


_EXPERIMENT = ("--top", "1")
STUDIES = (
    Study(
        "compare",
        ("compare", "-m", "AP", "--correction", "holm"),
        ("run_a", "run_b"), "p_adjusted", 1e-9,
        "t-test of all pairs by AP, Holm",
    ),
    Study(
        "correlation",
        ("experiment", "correlation", "-m", "AP", "-m", "nDCG", "-m", "Bpref", "-m", "P@10", *_EXPERIMENT),
        ("measure_a", "measure_b"), "correlation", 1e-9,
        "tau of 4 measures, 1,000 times over topics that are drawn",
    ),
    Study(
        "discriminative_power",
        ("experiment", "discriminative-power", "-m", "AP", "--alphas", "0.05", *_EXPERIMENT),
        ("measure",), "share", 0.03,
        "bootstrap of all pairs by AP, 1,000 resamples",
    ),
    Study(
        "swap",
        ("experiment", "swap", "-m", "AP", "--sizes", "25", "--table", "swaps", *_EXPERIMENT),
        ("measure", "low"), "rate", 0.03,
        "swap rates of AP, halves of the topics, 5,000 draws",
    ),
    Study(
        "downsampling",
        ("experiment", "downsampling", "-m", "AP", "-m", "P@10", "--pools", "random", "--rates", "0.7,0.5",
         "--repetitions", "10", *_EXPERIMENT),
        ("rate", "measure"), "tau", 0.05,
        "downsampling: 2 rates, 10 repetitions, 2 measures",
    ),
)  # fmt: skip


def section(files: Files, patience: Patience, scratch: Path, remark: str, say: Callable[[str], None]) -> str:
    """Measure, and write the section; where a script finds something else, the row says so."""
    runs = len(files.runs)
    lines = [
        heading("experiments"),
        "",
        f"Each script in `benchmarks/plain` scores the runs by pytrec_eval and goes on with numpy and scipy, as one "
        f"writes it: {runs} runs, {runs * (runs - 1) // 2:,} pairs. *Apart* is how far what it finds is from what ours "
        "does at most; those that draw at random draw differently. What ours computes beyond that (intervals, effect "
        f"sizes, further tables) is in its time. {remark}",
        "",
        "| what | cranfield | CPU | script | CPU | ratio | ratio of CPU | apart |",
        f"|---|{'--:|' * 7}",
    ]
    for study in STUDIES:
        work = Workload(study.script, "study", files)
        both = (
            Contender(OURS.name, OURS.version, study.ours, {"study": study.does}),
            Contender("script", lambda: "", study.theirs, {"study": study.does}),
        )
        measured = take_turns(work, both, patience, scratch, say)
        if not all(each.done for each in measured):
            failures = "; ".join(each.failure for each in measured if each.failure)
            lines.append(cells(study.does, "failed", "", "", "", "", "", failures.replace("|", "\\|")))
            continue
        ours, script = measured
        apart = difference(study, *(output_of(each, work, scratch) for each in both))
        taken = [cell for each in measured for cell in (f"{each.seconds:.2f} s", f"{each.processor:.2f} s")]
        ratios = [f"{ratio:.1f}" for ratio in script.times(ours)]
        lines.append(cells(study.does, *taken, *ratios, f"{apart:.1g}"))
    return "\n".join(lines) + "\n"


def difference(study: Study, ours: Path, theirs: Path) -> float:
    """Return how far what was found is apart at most, or raise where that is too much."""
    one, other = study.found(ours), study.found(theirs.with_suffix(".stdout"))
    if not other or not other.keys() <= one.keys():
        raise DisagreementError(f"{study.script}: the script finds {len(other)} values, and ours lacks some of them")
    worst = max(other, key=lambda key: abs(one[key] - other[key]))
    apart = abs(one[worst] - other[worst])
    if not apart <= study.apart:
        raise DisagreementError(f"{study.script}, {worst}: cranfield {one[worst]!r}, the script {other[worst]!r}")
    return apart
