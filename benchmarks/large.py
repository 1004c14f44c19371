"""``python -m benchmarks.large FOLDER``: one run of 100 million rows in Parquet, its topics lying together or not.

The run is made from a seed in the folder, in a process of its own, and removed afterwards. Each
task is a whole process, from files to averages. The memory is that of all its processes together,
looked at every few milliseconds, and never below the highest resident set of one; the temporary
disk is what its open files take in the folder for temporary files.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from math import gcd
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import click

from benchmarks.process import ROOT, ProcessFailedError
from benchmarks.sections import PAGE, heading, verdict, write_section

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import polars as pl

    Numbers = npt.NDArray[np.uint64]

MEASURES: Final = ("AP", "nDCG@10", "RBP")
DEPTH: Final = 100
JUDGED: Final = 5
ROWS_AT_ONCE: Final = 1_000_000
MEGABYTE: Final = 2**20


@dataclass(frozen=True)
class Task:
    """One file of the run, and what it is meant to take."""

    name: str
    title: str
    rows_a_second: float
    megabytes: float = 3 * 1024


TASKS: Final = (
    Task("together", "topics lying together", 2_500_000),
    Task("scattered", "rows scattered over the file", 2_500_000 / 3),
)


@dataclass(frozen=True)
class Usage:
    """What a process took, its children included."""

    seconds: float
    processor: float
    megabytes: float
    disk: float
    output: str


# ---- making the files


def make(folder: Path, rows: int, seed: int = 7) -> None:
    """Make the judgments, and the run twice: as it should lie, and scattered."""
    folder.mkdir(parents=True, exist_ok=True)
    topics = rows // DEPTH
    _write(folder / "qrels.parquet", (_judged(first, end, seed) for first, end in _cut(topics, 100_000)))
    parts = list(_cut(rows, ROWS_AT_ONCE))
    stride = next(n for n in range(int(rows * 0.618) | 1, 2 * rows, 2) if gcd(n, rows) == 1)
    _write(folder / "together.parquet", (_rows(_numbers(*part), seed) for part in parts))
    _write(folder / "scattered.parquet", (_rows(_numbers(*part) * stride % rows, seed) for part in parts))


def _cut(number: int, size: int) -> Iterator[tuple[int, int]]:
    """Cut so many things into pieces of a size."""
    return ((first, min(first + size, number)) for first in range(0, number, size))


def _numbers(first: int, end: int) -> Numbers:
    import numpy as np

    return np.arange(first, end, dtype=np.uint64)


def _write(path: Path, tables: Iterator[pl.DataFrame]) -> None:
    """Write tables as the row groups of a file."""
    import polars as pl
    from pyarrow import parquet

    writer = None
    for table in tables:
        arrow = table.to_arrow(compat_level=pl.CompatLevel.oldest())
        writer = writer or parquet.ParquetWriter(path, arrow.schema, compression="zstd")
        writer.write_table(arrow)
    if writer:
        writer.close()


def _rows(number: Numbers, seed: int) -> pl.DataFrame:
    """Make some rows of the run: of each all follows from its number."""
    import polars as pl

    topic, rank = number // DEPTH, number % DEPTH
    score = (DEPTH - rank) + _drawn(number, seed) / 2**64
    return pl.DataFrame({"query_id": _topics(topic), "doc_id": _documents(topic, rank, seed), "score": score})


def _judged(first: int, end: int, seed: int) -> pl.DataFrame:
    """Make the judgments of some topics: three documents that were retrieved, and two that were not."""
    import numpy as np
    import polars as pl

    topic = np.repeat(_numbers(first, end), JUDGED)
    nth = _numbers(0, len(topic)) % JUDGED
    drawn = _drawn(topic * JUDGED + nth, seed + 1)
    share = DEPTH // JUDGED
    rank = np.where(nth < 3, nth * share + drawn % share, DEPTH + nth)
    grade = (drawn >> np.uint64(32)) % 4
    columns = {"query_id": _topics(topic), "doc_id": _documents(topic, rank, seed), "relevance": grade.astype(np.int64)}
    return pl.DataFrame(columns)


def _topics(topic: Numbers) -> pl.Series:
    """Name topics by 8 digits."""
    import polars as pl

    return pl.Series(topic + 10_000_000).cast(pl.String)


def _documents(topic: Numbers, rank: Numbers, seed: int) -> pl.Series:
    """Name a topic's documents by 8 to 12 digits, all different."""
    import polars as pl

    number = (_drawn(topic, seed + 2) + rank * (_drawn(topic, seed + 3) | 1)) % 2**23
    return pl.Series(number * 100_003 + 10_000_000).cast(pl.String)


def _drawn(number: Numbers, seed: int) -> Numbers:
    """Draw a number of 64 bits for each number (splitmix64)."""
    import numpy as np

    x = (number + np.uint64(seed << 40)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


# ---- measuring


def measure(command: list[str], temporary: Path) -> Usage:
    """Run a command, and look at all its processes while it runs."""
    environment = os.environ | {"TMPDIR": str(temporary)}
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        began = time.perf_counter()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, env=environment, cwd=ROOT
        )
        megabytes = disk = 0.0
        while True:
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            if ended:
                break
            family = _family(process.pid)
            megabytes = max(megabytes, sum(map(_resident, family)))
            disk = max(disk, sum(open_files(pid, temporary) for pid in family))
            time.sleep(0.02)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        said = _text(errors)
        if process.returncode:
            raise ProcessFailedError(said.splitlines()[-1] if said else f"exit status {process.returncode}")
        peak = usage.ru_maxrss / (MEGABYTE if sys.platform == "darwin" else 1024)
        return Usage(seconds, usage.ru_utime + usage.ru_stime, max(megabytes, peak), disk, _text(output))


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace").strip()


def _family(pid: int) -> list[int]:
    """Name a process and all that it began, directly or not; elsewhere than on Linux none."""
    found = [pid] if Path(f"/proc/{pid}").exists() else []
    for each in found:
        for children in Path(f"/proc/{each}/task").glob("*/children"):
            with suppress(OSError):
                found += map(int, children.read_text().split())
    return found


def _resident(pid: int) -> float:
    """Give the memory of a process in MB; what it shares with others counts in each."""
    with suppress(OSError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / MEGABYTE
    return 0.0


def open_files(pid: int, folder: Path) -> float:
    """Give what the files of a folder that a process has open take on the disk, in MB: they may have no name."""
    size = 0
    with suppress(OSError):
        for file in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                if str(file.readlink()).startswith(str(folder)):
                    size += file.stat().st_blocks * 512
    return size / MEGABYTE


# ---- the table


def section(rows: int, results: dict[Task, list[Usage]], command: str, load: str) -> str:
    """Write the section of the page; ``load`` says how busy the machine was with other things."""
    measures = ", ".join(MEASURES)
    repetitions = max(map(len, results.values()))
    lines = [
        heading("large"),
        "",
        f"Made by `{command}`, {datetime.now(UTC):%Y-%m-%d}. One run of {rows:,} rows, {rows // DEPTH:,} topics and "
        f"{JUDGED * (rows // DEPTH):,} judgments, in Parquet: {measures}, averages. *Time* is the median of "
        f"{repetitions} repetition{'s'[: repetitions != 1]}, *CPU* the least time of the processors "
        f"together, *memory* the highest of all processes together, *disk* that of temporary files. {load}",
        "",
        "| rows | time | spread | CPU | rows a second | goal | memory | goal | disk | |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|---|",
        *(_row(task, rows, usages) for task, usages in results.items()),
    ]
    return "\n".join(lines) + "\n"


def _row(task: Task, rows: int, usages: list[Usage]) -> str:
    times = [usage.seconds for usage in usages]
    seconds, megabytes = statistics.median(times), max(usage.megabytes for usage in usages)
    reached = rows / seconds >= task.rows_a_second and megabytes <= task.megabytes
    cells = [
        task.title,
        f"{seconds:.1f} s",
        f"{min(times):.1f}–{max(times):.1f}",
        f"{min(usage.processor for usage in usages):.1f} s",
        f"{rows / seconds / 1e6:.2f} million",
        f"{task.rows_a_second / 1e6:.2f}",
        f"{megabytes / 1024:.2f} GB",
        f"{task.megabytes / 1024:.0f}",
        f"{max(usage.disk for usage in usages) / 1024:.1f} GB",
        verdict(reached),
    ]
    return f"| {' | '.join(cells)} |"


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--rows", type=click.IntRange(min=DEPTH), default=100_000_000, show_default=True, help="Rows of the run.")
@click.option("--repeat", type=click.IntRange(min=1), default=3, show_default=True, help="Repetitions of each task.")
@click.option("--keep", is_flag=True, help="Leave the files in the folder; the next call finds them there.")
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), default=PAGE,
    show_default="docs/benchmarks.md", help="The page that gets the table.",
)  # fmt: skip
@click.option("--only-make", is_flag=True, hidden=True)
def main(*, folder: Path, rows: int, repeat: int, keep: bool, output: Path, only_make: bool) -> None:
    """Time cranfield on one large run in Parquet, which is made in FOLDER (4 GB for 100 million rows)."""
    work = folder.resolve() / str(rows)
    if only_make:
        make(work, rows)
        return
    command = f"python -m benchmarks.large FOLDER --rows {rows} --repeat {repeat}"
    temporary = work / "temporary"
    load = f"{_busy().capitalize()} on {os.cpu_count()} processors before it began."
    try:
        if not (work / "made").exists():
            made = [sys.executable, "-m", "benchmarks.large", str(folder.resolve()), "--rows", str(rows), "--only-make"]
            subprocess.run(made, cwd=ROOT, check=True)
            (work / "made").touch()
        temporary.mkdir(exist_ok=True)
        results = times(work, temporary, repeat)
    except ProcessFailedError as error:
        raise click.ClickException(str(error)) from error
    finally:
        if not keep:
            shutil.rmtree(work, ignore_errors=True)
    new = section(rows, results, command, load)
    write_section(new, output)
    click.echo(new)


def times(work: Path, temporary: Path, repeat: int) -> dict[Task, list[Usage]]:
    """Let the tasks take turns; all of them find the same."""
    results: dict[Task, list[Usage]] = {task: [] for task in TASKS}
    asked = [part for measure in MEASURES for part in ("-m", measure)]
    for turn in range(repeat):
        for task, usages in results.items():
            files = [str(work / "qrels.parquet"), f"run={work / task.name}.parquet"]
            command = [sys.executable, "-m", "cranfield", "evaluate", *files, *asked, "--format", "csv"]
            usages.append(measure(command, temporary))
            click.echo(f"{task.title} {turn + 1}/{repeat}: {usages[-1].seconds:.1f} s, {_busy()}", err=True)
    found = {usage.output for usages in results.values() for usage in usages}
    if len(found) > 1:
        raise ProcessFailedError("the averages differ: " + " | ".join(sorted(found)))
    return results


def _busy() -> str:
    return f"load average {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "load unknown"


if __name__ == "__main__":
    main()
