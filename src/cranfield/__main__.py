"""``python -m cranfield`` is the command ``cranfield``."""

import atexit
import gc
import os
import signal
import sys
import threading
import warnings

INTERRUPTED = 130


def main() -> None:
    """Run the command; an interrupt while it is still being loaded ends it as one later on does."""
    if not sys.warnoptions:  # what a library warns of is for programmers; who is one says -W
        warnings.simplefilter("ignore")
    gc.set_threshold(250_000)  # what is imported stays: to look for garbage in it time and again takes longer
    try:
        from cranfield.cli import main as command
        from cranfield.cli._ending import unraisable

        sys.unraisablehook = unraisable
        command(prog_name="cranfield")
    except SystemExit as end:
        if not end.code:
            _leave()
        raise
    except KeyboardInterrupt:
        sys.stderr.write("cranfield: interrupted\n")
        sys.exit(INTERRUPTED)
    finally:  # what was to be done is done, or said; Python's own end is not to be interrupted
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _leave() -> None:
    """End a process that did what it was asked to, without taking Python apart, which takes as long as 30 runs."""
    if threading.active_count() > 1:
        return
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
