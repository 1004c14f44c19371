"""The log: a file of events as JSON lines, which only ever grows."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, TypeAlias

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import checked
from cranfield.plumbing.wording import counted
from cranfield.selection.records.events import Event, event_of

Torn: TypeAlias = Literal["refuse", "aside"]
_END: Final = b"\n"  # What ends a line of a log; other ends of lines, such as U+2028, stand within strings of JSON
_BESIDE: Final = ".torn"  # What the name of the file ends with that keeps torn lines

ACTS: Final = "cranfield.judging/1"
"""What the lines of a judging task's log say they are, if they are not events of records."""


class Log:
    """A file of events, one a line; an event is added at its end, and no line is ever changed.

    The log that a judging task exports is read, too. Its lines on who takes part and what people saw
    have no say in grades, and are passed over.

    A line is written whole and handed to the operating system before `append` returns. If the
    computer stops nevertheless while it is written, the last line may be torn. Whole lines are
    never lost. One process at a time may add to a log.

    Parameters
    ----------
    path
        The file. It need not exist.
    torn
        What to do with a torn last line: ``"refuse"`` to read the log, or set it ``"aside"``, into a
        file of the same name that ends in ``.torn``, and go on after the last whole line.

    Raises
    ------
    InputError
        If the last line is torn and not to be set aside, any line is not an event, or the file
        cannot be read.

    Examples
    --------
    >>> import os, tempfile
    >>> from cranfield.selection.records import Assessed
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = Log(os.path.join(folder, "judging.jsonl"))
    ...     log.append(Assessed("e1", 10, "1", "a", 1, "Ann"))
    ...     [event.id for event in Log(log.path)]
    ['e1']
    """

    def __init__(self, path: str | Path, torn: Torn = "refuse") -> None:
        self.path, torn = checked("path", path, Path), checked("torn", torn, Torn)
        source = str(self.path)
        try:
            data = self.path.read_bytes() if self.path.exists() else b""
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror})", source=source) from None
        *whole, rest = data.split(_END)
        self._events = [
            _read(line, source, n) for n, line in lines_of(data[: len(data) - len(rest)]) if not _is_act(line)
        ]
        self._ended = True
        if not rest:
            return
        if _is_act(rest):
            self._ended = False
        elif _is_json(rest):  # whole, but for its end: no part of an object is an object
            self._events.append(_read(rest, source, len(whole) + 1))
            self._ended = False
        elif torn == "refuse":
            raise InputError(
                "the last line is torn: it was not written to its end; "
                f"{counted(len(self._events), 'event before it is', 'events before it are')} whole. "
                f"Log(..., torn='aside') in Python moves it to {self.path.name}{_BESIDE} and goes on after them",
                source=source,
                line=len(whole) + 1,
            )
        else:
            try:
                _set_aside(self.path, rest, len(data) - len(rest))
            except OSError as error:
                raise InputError(f"the torn line cannot be set aside ({error.strerror})", source=source) from None

    def __iter__(self) -> Iterator[Event]:
        """Go through the events, in the order in which they were added."""
        return iter(self._events)

    def __len__(self) -> int:
        return len(self._events)

    def append(self, event: Event) -> None:
        """Add an event at the end of the file. If that fails, the file is left as it was."""
        line = event.to_line().encode() + b"\n"
        size = None
        try:
            with self.path.open("ab") as file:
                size = file.tell()
                file.write(line if self._ended else b"\n" + line)
        except OSError as error:
            if size is not None:
                with suppress(OSError):
                    os.truncate(self.path, size)
            raise InputError(f"cannot be written ({error.strerror})", source=str(self.path)) from None
        self._ended = True
        self._events.append(event)


def lines_of(log: bytes) -> Iterator[tuple[int, bytes]]:
    r"""Give the lines of a log that hold something, with their numbers. What ends a line is b"\n" alone.

    >>> list(lines_of("one\u2028more\n\ntwo".encode()))[1]
    (3, b'two')
    """
    return ((number, line) for number, line in enumerate(log.split(_END), 1) if line.strip())


def _read(line: bytes, source: str, number: int) -> Event:
    try:
        return event_of(line)
    except InputError as error:
        raise InputError(error.problem, source=source, line=number) from None


def _is_act(line: bytes) -> bool:
    """Tell whether a line is whole and of a judging task's own."""
    if ACTS.encode() not in line:
        return False
    with suppress(ValueError, RecursionError):
        said = json.loads(line)
        return isinstance(said, dict) and said.get("schema") == ACTS
    return False


def _is_json(line: bytes) -> bool:
    with suppress(ValueError, RecursionError):
        json.loads(line)
        return True
    return False


def _set_aside(path: Path, torn: bytes, whole: int) -> None:
    """Keep the torn bytes in a file next to the log before they are cut off."""
    with path.with_name(path.name + _BESIDE).open("ab") as beside:
        beside.write(torn + b"\n")
    with path.open("r+b") as file:
        file.truncate(whole)
