"""How a command ends: done (0), found wanting (1), refused (2), undecided (3, 4), a bug (70), a signal (130, 143)."""

from __future__ import annotations

import errno
import io
import os
import re
import signal
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shlex import join
from typing import IO, Final, NoReturn

import click
from click.exceptions import Abort, Exit, NoArgsIsHelpError

from cranfield.plumbing.errors import CranfieldError
from cranfield.plumbing.escaping import storable, told
from cranfield.plumbing.interrupts import TERMINATED, stop
from cranfield.plumbing.interrupts import met as met_signals
from cranfield.plumbing.limits import met
from cranfield.plumbing.surface import shell

FOUND_WANTING: Final = 1
REFUSED: Final = 2
BUG: Final = 70
_INTERRUPTED: Final = 130

DEPENDENCIES: Final = ("narwhals", "numpy", "polars", "rich", "scipy", "threadpoolctl", "zstandard")
"""What pip installs along with cranfield, unless it was told not to; each is imported where it is needed."""

PLEASE_REPORT: Final = "this is a bug of cranfield's: please report it, with what `cranfield --debug ...` prints"
TYPED: Final = "cranfield.typed"
"""The key under which click's ``ctx.meta`` has what was typed."""
RESUME: Final = "cranfield.resume"
"""The key under which a command says, in click's ``ctx.meta``, how what is interrupted is taken up again."""


class Ending(click.ClickException):
    """The end of a command that is not done: a line on stderr (broken at the width of a terminal), and a status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.exit_code = status  # type: ignore[misc]  # click declares it for the class

    def show(self, file: IO[str] | None = None) -> None:
        """Say it in one line, if it can be said at all."""
        with suppress(OSError):
            line = f"cranfield: {told(' '.join(self.format_message().split()))}"
            click.echo(wrapped(line, file or sys.stderr, indent="  "), file=file or sys.stderr)


def wrapped(text: str, stream: IO[str], *, indent: str = "") -> str:
    """Break a sentence at the width of the terminal that it goes to; it stays whole where it goes elsewhere."""
    if not stream.isatty():
        return text
    from shutil import get_terminal_size

    width = max(get_terminal_size().columns, 20)
    return textwrap.fill(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


_LAST_STANDARD: Final = 2  # The highest of the numbers that standard streams have


@contextmanager
def one_line() -> Iterator[None]:
    """Say in one line why a command ends before it is done."""
    met_signals.clear()  # another command's, in the same process
    try:
        with shell():
            yield
    except (NoArgsIsHelpError, Exit, Abort, Ending, SystemExit):
        raise
    except BrokenPipeError:  # the reader, `head` perhaps, has seen enough
        _write_nowhere()
        raise Exit(0) from None
    except BaseException as error:  # noqa: BLE001 - what is nobody's is our own doing, and is said so
        raise _end_of(error) from None


def _write_nowhere() -> None:
    """Let what is still to be written to a stream that nobody reads go nowhere, also at Python's own end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(nowhere, stream.fileno())


def _end_of(error: BaseException) -> BaseException:
    """Say how a command ends that met this."""
    if signal.SIGTERM in met_signals:
        return SystemExit(TERMINATED)
    if met_signals or isinstance(error, KeyboardInterrupt):
        ctx = click.get_current_context(silent=True)
        resume = ctx.meta.get(RESUME) if ctx else None
        return Ending(f"interrupted; {resume}" if resume else "interrupted", _INTERRUPTED)
    refusal = _refusal(error)
    if refusal is None:
        return Ending(_bug(error), BUG)
    return Ending(refusal, error.exit_code if isinstance(error, click.UsageError) else REFUSED)


def _refusal(error: BaseException) -> str | None:
    """Say what is wrong with what the user gave, or with the machine; None where it is neither."""
    if isinstance(error, CranfieldError):
        return str(error)
    if isinstance(error, click.UsageError):
        return _said(error)
    if isinstance(error, ModuleNotFoundError) and error.name in DEPENDENCIES:
        return f"this needs {error.name}, which is not installed: pip install {error.name}"
    if (lacking := met(error)) is not None:
        return lacking
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else "the output cannot be written: "
        return f"{where}{error.strerror or error}"
    return None


def _said(error: click.UsageError) -> str:
    """Say what click refuses as we say it, and where to read more."""
    text = error.format_message().rstrip(".")
    text = re.sub(r"(extra arguments \(\S+ \S+) .*\)", r"\1 ...)", text)  # the files of a folder, perhaps
    text = re.sub(r"^Argument '(\w+)' takes (\d+) values$", r"this command takes \2 \1", text)
    help_ = f" (see `{error.ctx.command_path} --help`)" if error.ctx else ""
    return f"{text[:1].lower()}{text[1:]}{help_}"


def _bug(error: BaseException) -> str:
    """Say what happened, and where; with --debug, Python's traceback comes before."""
    import traceback

    ctx = click.get_current_context(silent=True)
    if ctx and ctx.find_root().params.get("debug"):
        traceback.print_exception(error)
    last = traceback.extract_tb(error.__traceback__)[-1]
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text} ({last.filename}, line {last.lineno}); {PLEASE_REPORT}"


def found_wanting(is_so: object) -> None:
    """End with the status of something found wanting, if it is."""
    if is_so:
        click.get_current_context().exit(FOUND_WANTING)


def on_resume(how: str) -> None:
    """Remember what to say if the command is interrupted from now on."""
    click.get_current_context().meta[RESUME] = how


class _Closed(io.RawIOBase):
    """A standard output that was closed before the command began."""

    def writable(self) -> bool:
        """Someone may try."""
        return True

    def write(self, data: object) -> NoReturn:
        """There is nowhere to write to."""
        raise OSError(errno.EBADF, "the standard output is closed")


def prepare() -> None:
    """Make the streams and signals of the process fit for a command."""
    _take_standard_numbers()
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(_Closed(), 1), write_through=True)
    if sys.stderr is None:  # nobody wants to hear it
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - it lasts as long as the process
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # an encoding without sigma writes \u03c3
            stream.reconfigure(errors="backslashreplace")
    with suppress(ValueError):  # in another thread than the main one, signals are not ours
        signal.signal(signal.SIGTERM, stop)
        signal.signal(signal.SIGINT, stop)


def _take_standard_numbers() -> None:
    """Open nothing under the numbers of closed standard streams, lest a library write into a file opened there."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= _LAST_STANDARD:
        os.set_inheritable(number, True)
    os.close(number)


def remember(ctx: click.Context, arguments: Sequence[str]) -> None:
    """Keep what was typed behind ``cranfield``, for what says how it was made."""
    ctx.meta[TYPED] = tuple(arguments)


def typed() -> str:
    """Return the command that was called, as it can be typed again."""
    return storable(join(["cranfield", *click.get_current_context().meta[TYPED]]))
