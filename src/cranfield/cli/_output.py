"""What the commands share: where results go, and how progress is shown."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, TypeVar

import click

from cranfield.cli._ending import FOUND_WANTING
from cranfield.cli._files import FileWritten
from cranfield.plumbing.errors import CranfieldError
from cranfield.plumbing.escaping import printable
from cranfield.results.output_formats import FORMATS, format_for, render
from cranfield.results.sheet import Sheet
from cranfield.results.terminal import show

if TYPE_CHECKING:
    import polars as pl
    from rich.progress import Progress as Bar

    from cranfield.judged.audit import Audit
    from cranfield.results.result import OneTable, Result
    from cranfield.scoring.collection_scores import CollectionScores
    from cranfield.selection.estimates import Estimates

MINUTE = 60.0
"""Seconds between two lines that say how far it is, where there is no terminal."""

PIECE: Final = 1 << 20
"""How much of a long text is encoded at a time."""

_Command = TypeVar("_Command", bound=Callable[..., object])


class Destination(NamedTuple):
    """Where a result goes: in which format, to which file (None: the standard output), and how much is said of it."""

    format: str
    file: str | None
    quiet: bool

    @property
    def on_terminal(self) -> bool:
        """Whether a person is looking."""
        return self.format == "table" and self.file is None and sys.stdout.isatty()

    def say(self, *lines: str) -> None:
        """Say on stderr what to know beside the result, unless nobody wants to."""
        say(*lines, quiet=self.quiet)


def say(*lines: str, quiet: bool) -> None:
    """Say something on stderr, unless nobody wants to hear it."""
    for line in () if quiet else lines:
        click.echo(printable(line), err=True)


def quietly(command: _Command) -> _Command:
    """Add ``--quiet``."""
    return click.option("--quiet", is_flag=True, help="Print no audit, notes or captions on stderr.")(command)


def plotted(meaning: str) -> Callable[[_Command], _Command]:
    """Add ``--plot``; a file that no figure can be written to is refused before the work."""

    def checked(ctx: click.Context, option: click.Parameter, file: str | None) -> str | None:
        del ctx, option
        if file is not None:
            from cranfield.plots.figure import format_of

            format_of(file)
        return file

    return click.option(
        "--plot", metavar="FILE", type=FileWritten(), callback=checked,
        help=f"{meaning}: .html, .png, .svg, .pdf or .json.",
    )  # fmt: skip


def presented(*further: str, meaning: str = "") -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add ``--format``, ``-o`` and ``--quiet``, all of which the command gets as the `Destination` ``to``."""

    def add(command: Callable[..., None]) -> Callable[..., None]:
        run = presented_to(command)
        for option in reversed(destination_options(*further, meaning=meaning)):
            run = option(run)
        return run

    return add


def presented_to(command: Callable[..., None]) -> Callable[..., None]:
    """Make the `Destination` of the options, and refuse formats that contradict the file's name, before the work."""

    @wraps(command)
    def run(*, format_: str | None, output: str | None, quiet: bool, **options: Any) -> None:
        file = None if output == "-" else output
        format_ = format_ or "table" if file is None else format_for(file, format_)
        command(to=Destination(format_, file, quiet), **options)

    return run


def destination_options(*further: str, meaning: str = "") -> list[Callable[[_Command], _Command]]:
    """Return the options that say where a result goes."""
    default = "[default: what the suffix of -o says, or table]"
    return [
        click.option(
            "--format", "format_", type=click.Choice((*FORMATS, *further), case_sensitive=False),
            help=f"{meaning} {default}".strip()
        ),
        click.option(
            "-o", "--output", metavar="FILE", type=FileWritten(),
            help="Write there (whole or not at all), in the format of its suffix: .txt .csv .json .tex .md .html "
            ".parquet, each with .gz or .zst behind it if you like.",
        ),
        quietly,
    ]  # fmt: skip


def present(result: Result | pl.DataFrame, to: Destination, *, captioned: bool = True, **which: Any) -> None:
    """Show a result: on a terminal with rules, emphasis and a caption below; as text elsewhere, in a file whole."""
    from cranfield.results.result import Result

    if to.on_terminal:
        sheet = result.sheet(**which) if isinstance(result, Result) else Sheet.of(result)
        show(sheet, captioned=captioned and not to.quiet)
    else:
        write(result.render(to.format, **which) if isinstance(result, Result) else render(result, to.format), to)


def present_with_caption(result: Result, to: Destination, **which: Any) -> None:
    """Show a result, and say its caption on stderr where it does not stand below the table."""
    present(result, to, **which)
    if not to.on_terminal:
        to.say(result.caption(**which))


def present_with_notes(result: OneTable | Estimates, to: Destination, **which: Any) -> None:
    """Show a result with its caption, and say its notes on stderr."""
    present_with_caption(result, to, **which)
    to.say(*(f"note: {note}" for note in result.notes))


def write(text: str | bytes, to: Destination) -> None:
    """Write a text to the file, whole or not at all, or to the standard output."""
    if to.file is not None:
        from cranfield.formats import write_whole

        write_whole(to.file, text if isinstance(text, bytes) else text.encode())
        return
    if isinstance(text, bytes) and sys.stdout.isatty():
        raise CranfieldError(f"{to.format} is not for a terminal; say where to write it with -o FILE")
    for start in range(0, len(text), PIECE):
        piece = text[start : start + PIECE]
        sys.stdout.buffer.write(piece if isinstance(piece, bytes) else piece.encode())
    sys.stdout.buffer.flush()


def end_with_audit(found: Audit, to: Destination, *, audit: bool, strict: bool) -> None:
    """Say the audit on stderr; if strict, end with status 1 where it warns."""
    if audit:
        say_audit(found, to)
    if found.fails(strict=strict):
        click.get_current_context().exit(FOUND_WANTING)


def end_with_audits(scores: CollectionScores, to: Destination, *, audit: bool, strict: bool) -> None:
    """Say the audit of each collection; if strict, end with status 1 where any warns."""
    if audit:
        to.say(*(f"audit: {line}" for line in scores.audited("--rel")))
    if any(each.audit.fails(strict=strict) for each in scores.scores.values()):
        click.get_current_context().exit(FOUND_WANTING)


def say_audit(found: Audit, to: Destination) -> None:
    """Say the audit on stderr."""
    to.say(*(f"audit: {line}" for line in found.lines("--rel")))


def make_folder(folder: str, purpose: str) -> None:
    """Make the folder of the results before the work, which may take an hour, rather than fail after it.

    If the command fails, and nothing is in it, it goes again.
    """
    from cranfield.formats import all_or_nothing
    from cranfield.plumbing.errors import InputError

    try:
        with all_or_nothing() as changes:
            changes.make_folder(Path(folder))
    except OSError as error:
        raise InputError(f"cannot be the folder of the {purpose} ({error.strerror})", source=folder) from None


class Progress:
    """A bar on the terminal, for what takes longer than a second; elsewhere a line a minute.

    Called with how much is done and how much there is.
    """

    def __init__(self, noun: str) -> None:
        self.noun = noun
        self.began = self.spoke = time.monotonic()
        self.bar: Bar | None = None

    def __call__(self, done: int, of: int) -> None:
        """Show how far it is."""
        if not sys.stderr.isatty():
            self._speak(done, of)
            return
        if self.bar is None and time.monotonic() - self.began < 1:
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

    def _speak(self, done: int, of: int) -> None:
        """Say how far it is, if nothing was said for a minute."""
        now = time.monotonic()
        if now - self.spoke >= MINUTE:
            self.spoke = now
            click.echo(f"{self.noun}: {done} of {of}", err=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.bar is not None:
            self.bar.stop()
