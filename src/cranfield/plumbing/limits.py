"""Limits of the machine that libraries in native code do not survive: tried before such a library begins.

Clusters set them: ``ulimit -v`` for addresses, ``-u`` for threads, ``-n`` for open files. Where one of
them is met, such a library ends the process with a page about its own sources; here it is a sentence.
"""

from __future__ import annotations

import errno
import mmap
import os
from contextlib import ExitStack
from threading import Event, Thread
from typing import Final

from cranfield.plumbing.errors import InputError

_MEMORY: Final = "not enough memory"

_SIGNS: Final = {
    "failed to map segment": f"{_MEMORY} (a library cannot be loaded)",
    "Cannot allocate memory": _MEMORY,
    "start new thread": "the system allows no more threads (see ulimit -u)",
    "Resource temporarily unavailable": "the system allows no more threads or processes (see ulimit -u)",
    "Too many open files": "too many open files (see ulimit -n)",
}
"""By what libraries say when a limit is met, what it means."""


def met(error: BaseException) -> str | None:
    """Say which limit something failed of; None where it was none.

    >>> met(RuntimeError("can't start new thread"))
    'the system allows no more threads (see ulimit -u)'
    >>> met(RuntimeError("something else"))
    """
    if isinstance(error, MemoryError):
        return _MEMORY + _limit()
    text = str(error)
    meaning = next((meaning for sign, meaning in _SIGNS.items() if sign in text), None)
    return meaning + _limit() if meaning and meaning.startswith(_MEMORY) else meaning


def _limit() -> str:
    """Say what a limit leaves a process, where one is set."""
    if os.name == "nt":  # no such limit is set there
        return ""
    from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit

    most = getrlimit(RLIMIT_AS)[0]
    return "" if most == RLIM_INFINITY else f"; the limit is {most / 1e9:.1f} GB of address space (ulimit -v)"


def require_addresses(size: int, what: str, instead: str) -> None:
    """Refuse what reserves more addresses than the process may have: they are reserved once, and given back.

    >>> require_addresses(1 << 20, "drawing", "write .html")
    >>> require_addresses(1 << 50, "drawing", "write .html")
    Traceback (most recent call last):
    ...
    cranfield.InputError: drawing reserves 1125900 GB of addresses, more than the limit leaves (ulimit -v); write .html
    """
    if os.name == "nt":  # no such limit is set there
        return
    try:
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)
        mmap.mmap(-1, size, flags=flags, prot=0).close()
    except OSError as error:
        if error.errno != errno.ENOMEM:
            raise
        problem = f"{what} reserves {size / 1e9:.0f} GB of addresses, more than the limit leaves (ulimit -v)"
        raise InputError(f"{problem}; {instead}") from None


def require_files(number: int, what: str, instead: str) -> None:
    """Refuse what opens more files at once than the process may: this many are opened, and closed, to see.

    >>> require_files(8, "drawing", "write .html")
    """
    with ExitStack() as opened:
        try:
            for _ in range(number):
                opened.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        except OSError as error:
            if error.errno not in {errno.EMFILE, errno.ENFILE}:
                raise
            problem = f"{what} opens {number} files at once, more than the limit leaves (ulimit -n)"
            raise InputError(f"{problem}; {instead}") from None


def require_threads(number: int, what: str, instead: str) -> None:
    """Refuse what starts more threads than the system allows: this many are started, and ended, to see.

    >>> require_threads(4, "this", "set OPENBLAS_NUM_THREADS=1")
    """
    done = Event()
    started: list[Thread] = []
    try:
        for _ in range(number):
            thread = Thread(target=done.wait, daemon=True)
            thread.start()
            started.append(thread)
    except RuntimeError:
        problem = f"{what} starts {number} threads, but the system allows {len(started)} (ulimit -u or -v)"
        raise InputError(f"{problem}; {instead}") from None
    finally:
        done.set()
        for thread in started:
            thread.join()
