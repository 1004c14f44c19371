"""Long work in steps: progress is shown and finished steps are kept, so that interrupted work can resume."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from cranfield.experiments.declared import Rows, Table
from cranfield.formats import all_or_nothing, parquet, read_bytes, write_whole
from cranfield.formats.writing import when_written
from cranfield.plumbing import threads
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import checked, shown


class Work:
    """Reports the progress of a long experiment (steps done, total) and keeps finished steps (by default in memory)."""

    def __init__(self, progress: Callable[[int, int], None] | None = None, folder: Path | str | None = None) -> None:
        if progress is not None and not callable(progress):
            raise InputError(f"progress must be a function, not {shown(progress)}")
        self.progress = progress
        self.folder: Path | None = checked("folder", folder, Path | None)
        self._name, self._depends_on = "", dict[str, object]()
        self._tables: Mapping[str, Table] = {}
        self._used: set[Path] = set()

    def on(self, name: str, depends_on: Mapping[str, object], tables: Mapping[str, Table] | None = None) -> Work:
        """Return the work on one task; ``depends_on`` must contain everything its result depends on."""
        task = Work(self.progress, self.folder)
        task._name, task._depends_on, task._used = name, dict(depends_on), self._used
        task._tables = tables or {}
        return task

    def also_on(self, **more: object) -> Work:
        """Return the work on the same task with further dependencies."""
        return self.on(self._name, self._depends_on | more, self._tables)

    def table(
        self, name: str, steps: Sequence[int], do: Callable[[int], Rows], *, in_threads: bool = False
    ) -> pl.DataFrame:
        """Do all steps as `steps` does; each returns rows of the table that the experiment declares by this name."""
        return self.steps(steps, lambda step: self._tables[name].made(do(step)), in_threads=in_threads)

    def steps(
        self, steps: Sequence[int], do: Callable[[int], pl.DataFrame], *, in_threads: bool = False
    ) -> pl.DataFrame:
        """Do all steps, or read those kept by an interrupted run of the same task; return their rows, in their order.

        With ``in_threads`` up to `threads.allowed` steps run at once, which is worthwhile if each computes on large
        arrays; no step may change what another reads.
        """
        parts = []
        folder = self._folder_of_the_task()

        def done_or_kept(step: int) -> pl.DataFrame:
            kept = None if folder is None else next(folder.glob(f"{step:06}.*.parquet"), None)
            return _read(kept) if kept is not None else _kept(folder, step, do(step))

        workers = min(threads.allowed(), len(steps)) if in_threads else 1
        for done, rows in enumerate(threads.in_turn(done_or_kept, steps, workers, workers), start=1):
            parts.append(rows)
            if self.progress:
                self.progress(done, len(steps))
        # A column may have no value in a step. Else not relaxed, which would rechunk: sums differ in their last digit.
        alike = all(part.schema == parts[0].schema for part in parts)
        return pl.concat(parts, how="vertical" if alike else "vertical_relaxed")

    def finished(self) -> None:
        """Remove the kept steps, once the results are written."""
        for folder in self._used:
            when_written(partial(shutil.rmtree, folder, ignore_errors=True))

    def _folder_of_the_task(self) -> Path | None:
        if self.folder is None:
            return None
        digest = hashlib.sha256(json.dumps(self._depends_on, sort_keys=True, default=str).encode()).hexdigest()[:12]
        folder = self.folder / f".{self._name}-{digest}"
        self._used.add(folder)
        return folder


def _kept(folder: Path | None, step: int, rows: pl.DataFrame) -> pl.DataFrame:
    """Keep the rows of a step in a file that is named after its step and its content."""
    if folder is not None:
        buffer = io.BytesIO()
        rows.write_parquet(buffer)
        folder.mkdir(parents=True, exist_ok=True)
        with all_or_nothing(now=True):
            write_whole(folder / _file_name(folder, f"{step:06}", buffer.getvalue()), buffer.getvalue())
    return rows


def _read(file: Path) -> pl.DataFrame:
    data = read_bytes(file)
    if file.name != _file_name(file.parent, file.name.partition(".")[0], data):
        raise InputError("is damaged; remove it, and its step is done again", source=str(file))
    return parquet.table(data, source=str(file))


def _file_name(folder: Path, step: str, data: bytes) -> str:
    """Name a step's file, so that neither another content nor another step's or study's can pass for it."""
    digest = hashlib.sha256(f"{folder.name}/{step}/".encode() + data).hexdigest()[:12]
    return f"{step}.{digest}.parquet"
