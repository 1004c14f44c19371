"""How time and memory grow with runs, topics and depth: ours and pytrec_eval's, whole processes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from benchmarks.contenders import peer_pytrec_eval
from benchmarks.lineup import OURS
from benchmarks.report import cells
from benchmarks.sections import heading, verdict
from benchmarks.timing import Patience, Workload, take_turns
from benchmarks.workloads import TINY, Size, make

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

BASE = (32, 50, 100)
SIZES = (
    *((runs, 50, 100) for runs in (8, 32, 128)),
    *((32, topics, 100) for topics in (10, 250)),
    *((32, 50, depth) for depth in (10, 1000)),
)
"""Runs, topics and depth: one of the three is less or more than in the base."""
STEEPEST = 1.0
"""The largest exponent that the time may grow by."""


def section(
    sizes: Sequence[tuple[int, int, int]], patience: Patience, scratch: Path, remark: str, say: Callable[[str], None]
) -> str:
    """Measure, and write the section."""
    contenders = (OURS, *peer_pytrec_eval.CONTENDERS)
    lines = [
        heading("growth"),
        "",
        f"The means of four measures, as in the reference work; one size differs from {' × '.join(map(str, BASE))}. "
        f"{remark}",
        "",
        "| runs | topics | depth | documents | cranfield | CPU | memory | pytrec_eval | CPU | memory | ratio |",
        f"|{'--:|' * 11}",
    ]
    taken_by = dict[tuple[int, int, int], tuple[int, float]]()
    for runs, topics, depth in sizes:
        files = make(Size(runs, topics, depth, pool_depth=min(depth, 50)))
        work = Workload(f"{runs}x{topics}x{depth}", "means", files)
        found = [each for each in take_turns(work, contenders, patience, scratch, say) if each.done]
        taken_by[runs, topics, depth] = files.lines, found[0].processor
        taken = [[f"{m.seconds:.2f} s", f"{m.processor:.2f} s", f"{m.megabytes:.0f} MB"] for m in found]
        ratio = f"{found[1].times(found[0])[0]:.1f}" if len(found) == len(contenders) else ""
        measured = [cell for each in taken for cell in each]
        lines.append(cells(*(f"{size:,}" for size in (runs, topics, depth, files.lines)), *measured, ratio))
    if BASE in taken_by:
        small = Workload("start", "means", make(TINY).first(1))
        start = take_turns(small, (OURS,), patience, scratch, say)[0].processor
        lines += [
            "",
            f"The exponent with which cranfield's CPU grows, less the {start:.2f} s that one small run takes:",
            "",
            "| more | documents | CPU | exponent | goal | |",
            f"|---|{'--:|' * 4}---|",
            *exponents(taken_by, start),
        ]
    return "\n".join(lines) + "\n"


def exponents(taken_by: Mapping[tuple[int, int, int], tuple[int, float]], start: float) -> Iterator[str]:
    """Compare the base with the largest of each size."""
    documents, seconds = taken_by[BASE]
    for place, name in enumerate(("runs", "topics", "ranks")):
        largest = max(taken_by, key=lambda size: (size[place], sum(size)))
        more, longer = taken_by[largest]
        exponent = math.log((longer - start) / max(seconds - start, 0.01)) / math.log(more / documents)
        grown = f"{documents:,} to {more:,}", f"{seconds:.2f} to {longer:.2f} s"
        yield cells(name, *grown, f"{exponent:.2f}", f"at most {STEEPEST:g}", verdict(exponent <= STEEPEST))
