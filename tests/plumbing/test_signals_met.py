"""A signal that comes where nothing can be raised, or in a library, is met again."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

LOST = """
import signal, sys, time
from cranfield.plumbing.interrupts import stop, unraisable

sys.unraisablehook = unraisable
signal.signal(signal.SIGINT, stop)
signal.signal(signal.SIGTERM, stop)

class Garbage:
    def __del__(self):
        signal.raise_signal(signal.{name})

Garbage()
"""
IN_A_LIBRARY = """
import signal, sys, time
from types import ModuleType
from cranfield.plumbing.interrupts import stop

signal.signal(signal.SIGINT, stop)
signal.signal(signal.SIGTERM, stop)

library = ModuleType("library")
exec(compile('''
import re, signal, time
def called(rounds):
    try:
        re.sub("a", lambda found: signal.raise_signal(signal.{name}) or "b", "a")  # the standard library's frames above
        for _ in range(rounds):
            time.sleep(0.01)
        return "returned"
    except BaseException as error:
        return repr(error)
''', "site-packages/library.py", "exec"), vars(library))
print(library.called({rounds}), flush=True)
"""
WAIT = """
try:
    for _ in range(100):
        time.sleep(0.1)
except KeyboardInterrupt:
    sys.exit(130)
"""


pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
BOTH = pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143)])


def ended(script: str) -> tuple[int, str, str]:
    """Run a script, and return its exit status and what it said."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@BOTH
def test_a_signal_that_got_lost_is_met_again(name: str, status: int) -> None:
    assert ended(LOST.format(name=name) + WAIT) == (status, "", "")


@BOTH
def test_a_signal_in_a_library_waits_until_it_returns(name: str, status: int) -> None:
    """Polars panics, and prints a traceback of its own, where Python raises below it."""
    assert ended(IN_A_LIBRARY.format(name=name, rounds=3) + WAIT) == (status, "returned\n", "")


@BOTH
def test_a_library_that_does_not_return_is_interrupted(name: str, status: int) -> None:
    found, said, _ = ended(IN_A_LIBRARY.format(name=name, rounds=1000))
    assert (found, said.partition("(")[0]) == (0, {130: "KeyboardInterrupt", 143: "SystemExit"}[status])
