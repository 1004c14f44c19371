"""How time and memory grow with runs, topics and depth: ours and pytrec_eval's, whole processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.contenders import peer_pytrec_eval
from benchmarks.lineup import OURS
from benchmarks.report import cells
from benchmarks.sections import heading
from benchmarks.timing import Patience, Workload, take_turns
from benchmarks.workloads import Size, make

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

BASE = (32, 50, 100)
SIZES = (
    *((runs, 50, 100) for runs in (8, 32, 128)),
    *((32, topics, 100) for topics in (10, 250)),
    *((32, 50, depth) for depth in (10, 1000)),
)
"""Runs, topics and depth: one of the three is less or more than in the base."""


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
    for runs, topics, depth in sizes:
        files = make(Size(runs, topics, depth, pool_depth=min(depth, 50)))
        work = Workload(f"{runs}x{topics}x{depth}", "means", files)
        found = [each for each in take_turns(work, contenders, patience, scratch, say) if each.done]
        taken = [[f"{m.seconds:.2f} s", f"{m.processor:.2f} s", f"{m.megabytes:.0f} MB"] for m in found]
        ratio = f"{found[1].times(found[0])[0]:.1f}" if len(found) == len(contenders) else ""
        measured = [cell for each in taken for cell in each]
        lines.append(cells(*(f"{size:,}" for size in (runs, topics, depth, files.lines)), *measured, ratio))
    return "\n".join(lines) + "\n"
