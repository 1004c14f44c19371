"""What the commands share: where results go, and how progress is shown."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from cranfield.errors import CranfieldError

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

FORMATS = ("table", "csv", "json", "latex", "markdown", "trec_eval", "parquet")


def write_result(result: str | bytes, format_: str, output: str | None) -> None:
    """Write a result to a file, whole or not at all, or to the standard output."""
    if output is not None and output != "-":
        from cranfield.formats import write_whole

        write_whole(output, result.encode() if isinstance(result, str) else result)
    elif isinstance(result, bytes):
        if sys.stdout.isatty():
            raise CranfieldError(f"{format_} is not for a terminal; say where to write it with -o FILE")
        sys.stdout.buffer.write(result)
    else:
        sys.stdout.buffer.write(result.encode())


def make_folder(folder: str, purpose: str) -> None:
    """Make the folder of the results before the work, which may take an hour, rather than fail after it."""
    from pathlib import Path

    from cranfield.errors import InputError

    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be the folder of the {purpose} ({error.strerror})", source=folder) from None


class Progress:
    """A bar on the terminal, for what takes longer than a second; nothing elsewhere.

    Called with how much is done and how much there is.
    """

    def __init__(self, noun: str) -> None:
        self.noun = noun
        self.began = time.monotonic()
        self.bar: Bar | None = None

    def __call__(self, done: int, of: int) -> None:
        """Show how far it is."""
        if not sys.stderr.isatty() or (self.bar is None and time.monotonic() - self.began < 1):
            return
        if self.bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            columns = BarColumn(), MofNCompleteColumn(), self.noun, TimeRemainingColumn()
            self.bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self.task = self.bar.add_task(self.noun, total=of)
            self.bar.start()
        self.bar.update(self.task, completed=done)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.bar is not None:
            self.bar.stop()
