"""``python -m cranfield`` is the command ``cranfield``."""

import atexit
import gc
import os
import signal
import sys
import threading
import warnings
from contextlib import suppress

_INTERRUPTED = 130

LOADED = 80_000  # About how many objects Python looks after once a command, and what it needs, is loaded


def main() -> None:
    """Run the command; an interrupt while it is still being loaded ends it as one later on does."""
    if not sys.warnoptions:  # what a library warns of is for programmers; who is one says -W
        warnings.simplefilter("ignore")
    _look_for_garbage_later()
    try:
        from cranfield.plumbing.interrupts import unraisable

        sys.unraisablehook = unraisable
        from cranfield.cli import main as command

        command(prog_name="cranfield")
    except SystemExit as end:
        _undisturbed()
        if not end.code and threading.active_count() == 1 and not _watched():
            _leave()
        raise
    except KeyboardInterrupt:
        sys.stderr.write("cranfield: interrupted\n")
        sys.exit(_INTERRUPTED)
    finally:
        _undisturbed()


def _look_for_garbage_later() -> None:
    """Look for garbage when as much is there as a command loads, which stays; and from then on as Python does.

    What comes later may hold large arrays: with fewer looks a report took four times the memory.
    """
    usual = gc.get_threshold()

    def loaded(phase: str, info: object) -> None:
        del phase, info
        gc.callbacks.remove(loaded)
        gc.set_threshold(*usual)

    gc.set_threshold(LOADED)
    gc.callbacks.append(loaded)


def _undisturbed() -> None:
    """What was to be done is done, or said; Python's own end is not to be interrupted."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _watched() -> bool:
    """Say whether a profiler, a debugger or a measure of coverage looks on, which is to have the last word."""
    watching = [sys.gettrace(), sys.getprofile()]
    if sys.version_info >= (3, 12):
        watching += map(sys.monitoring.get_tool, range(6))
    return any(each is not None for each in watching)


def _leave() -> None:
    """End without taking Python apart, which takes as long as to read 30 runs, once all is written.

    What cannot be written is left to Python's own end to say.
    """
    atexit._run_exitfuncs()
    with suppress(AttributeError, OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


if __name__ == "__main__":
    main()
