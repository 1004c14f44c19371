"""Signals: those that wait while names of files are changed, and those that get lost on their way."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Final

TERMINATED: Final = 128 + signal.SIGTERM
"""The exit status of what was terminated."""
AGAIN: Final = 0.05
"""Seconds after which a signal that got lost is met again."""

MOST_WAITS: Final = 10
"""How often a signal waits for a library's own code to be done."""

waited: Final = list[int]()
"""The signals that waited for a library."""
met: Final = list[int]()
"""The signals that were met: what fails after one, failed of it (a library may have swallowed what it raised)."""


def stop(number: int, frame: FrameType | None) -> None:
    """End as if by sys.exit, or as Ctrl-C does, so that whatever was begun is cleaned up."""
    # Compiled code that calls Python (polars, when it first looks for numpy) takes what is raised there for the end of
    # the world, and says so on stderr. A signal that lands in a library waits for it to return, but not for long.
    if _in_a_library(frame) and len(waited) < MOST_WAITS:
        waited.append(number)
        _once_more(number)
        return
    met.append(number)
    raise SystemExit(TERMINATED) if number == signal.SIGTERM else KeyboardInterrupt


def _in_a_library(frame: FrameType | None) -> bool:
    """Whether the code of an installed library runs, or the standard library's on its behalf."""
    while frame is not None:
        room = str(frame.f_globals.get("__name__")).partition(".")[0]
        if room not in sys.stdlib_module_names:
            return room != "cranfield" and "-packages" in frame.f_code.co_filename
        frame = frame.f_back
    return False


def unraisable(what: sys.UnraisableHookArgs) -> None:
    """Let a signal be met again that came where nothing can be raised, as while modules or garbage are looked after."""
    if what.exc_type is KeyboardInterrupt:
        _once_more(signal.SIGINT)
    elif isinstance(what.exc_value, SystemExit) and what.exc_value.code == TERMINATED:
        _once_more(signal.SIGTERM)
    elif not met:  # what goes wrong at such an end is nobody's matter
        sys.__unraisablehook__(what)


def _once_more(number: int) -> None:
    timer = threading.Timer(AGAIN, _thread.interrupt_main, (number,))
    timer.daemon = True
    timer.start()


@contextmanager
def signals_wait() -> Iterator[None]:
    """Let interrupts and terminations wait until this ends, as names of several files are changed.

    >>> try:
    ...     with signals_wait():
    ...         signal.raise_signal(signal.SIGINT)
    ...         print("still here")
    ... except KeyboardInterrupt:
    ...     print("interrupted")
    still here
    interrupted
    """
    if threading.current_thread() is not threading.main_thread():  # others get no signals
        yield
        return
    came: list[int] = []

    def come() -> None:
        for number in came:
            signal.raise_signal(number)

    with ExitStack() as stack:
        stack.callback(come)
        for number in (signal.SIGINT, signal.SIGTERM):
            before = signal.getsignal(number)
            if before not in {None, signal.SIG_IGN}:
                stack.callback(signal.signal, number, before)
                signal.signal(number, lambda number, frame: came.append(number))
        yield
