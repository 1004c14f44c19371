"""The page of benchmarks: an introduction, and sections that are measured one by one and keep their place in it."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from tools.wrap import wrapped

from benchmarks.contender import installed
from benchmarks.process import ROOT

PAGE: Final = ROOT / "docs" / "benchmarks.md"
TITLES: Final = {
    "reference": "The reference work: 129 runs, four measures",
    "trec8": "Real runs: TREC-8 ad hoc",
    "covid": "Real runs: TREC-COVID, first round",
    "short": "129 runs of 100 documents",
    "topics": "1,000 topics of 10 documents",
    "packed": "129 runs packed by gzip",
    "parquet": "Runs in Parquet",
    "all_trec": "trec_eval's whole set of measures",
    "everything": "Every measure there is, in one call",
    "many_runs": "Ten times as many runs: does memory grow?",
    "small": "One small run",
    "help": "Start-up",
    "growth": "Growth with runs, topics and depth",
    "memory": "Runs in memory",
    "waits": "Waits that people feel",
    "experiments": "Experiments beside plain scripts",
    "large": "Large runs",
    "explorer": "The explorer",
}
"""All sections, in the order of the page."""


def heading(name: str) -> str:
    """Give the line with which a section begins."""
    return f"## {TITLES[name]}"


_ORDER: Final = tuple(map(heading, TITLES))


def introduction() -> str:
    """Say what holds for all sections."""
    machine = f"{os.cpu_count()} cores, {_memory()}, {platform.system()} {platform.machine()}"
    libraries = ", ".join(f"{name} {installed(name)() or 'absent'}" for name in ("numpy", "polars", "scipy"))
    return (
        "# Benchmarks\n\n"
        "`python -m benchmarks` makes this page, or with `--only NAME` one of its sections anew; each says when and on "
        "which processor it was measured, and what else the machine did. Contenders take turns. *Time* is the median "
        "by the clock, *spread* the shortest and the longest, *CPU* the median time of all processors together, "
        "*memory* the highest resident set of a process. A *ratio* says how many times as long as cranfield a "
        "contender takes: the median over the turns.\n\n"
        f"Machine: {machine}. Python {platform.python_version()}, {libraries}.\n"
    )


def today(load: float) -> str:
    """Say when something was measured, on what, and how busy the machine was before."""
    when = f"Measured {datetime.now(UTC):%Y-%m-%d} on {processor()}"
    return f"{when}; load average {load:.1f} on {os.cpu_count()} processors before."


def load() -> float:
    """Return how many processes wanted a processor within the last minute."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")


def verdict(reached: bool) -> str:
    """Say whether a goal is reached."""
    return "reached" if reached else "**missed**"


def processor() -> str:
    """Name the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or "unknown processor"


def _memory() -> str:
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return "unknown memory"
    return f"{total / 1024**3:.0f} GB"


def put(page: str, new: str) -> str:
    r"""Put a section in its place in a page, and drop those that no one measures any more.

    >>> put("# All\\n\\n## The explorer\\n\\nslow\\n", "## Large runs\\n\\nfast\\n")
    '# All\\n\\n## Large runs\\n\\nfast\\n\\n## The explorer\\n\\nslow\\n'
    """
    found = _sections(page)
    found[_first_line(new)] = new
    before = page.partition("\n## ")[0].rstrip() if not page.startswith("## ") else ""
    return "\n\n".join(part.rstrip() for part in (before, *(found.get(each, "") for each in _ORDER)) if part) + "\n"


def _sections(page: str) -> dict[str, str]:
    parts = f"\n{page}".split("\n## ")[1:]
    return {_first_line(f"## {part}"): f"## {part.rstrip()}\n" for part in parts}


def _first_line(text: str) -> str:
    return text.partition("\n")[0]


def write(text: str, output: Path) -> None:
    """Write a page whole or not at all."""
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_name(f".{output.name}.{os.getpid()}.partial")
    try:
        partial.write_text(wrapped(text), encoding="utf-8")
        partial.replace(output)
    finally:
        partial.unlink(missing_ok=True)


def write_section(new: str, output: Path) -> None:
    """Put a section into the page in a file, below the introduction as it is now."""
    former = output.read_text(encoding="utf-8") if output.exists() else ""
    sections = f"\n{former}".partition("\n## ")
    write(put(introduction() + "".join(sections[1:]), new), output)
