"""A signal that comes where nothing can be raised is met again."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """
import signal, sys, time
from cranfield.plumbing.interrupts import stop, unraisable

sys.unraisablehook = unraisable
signal.signal(signal.SIGINT, stop)
signal.signal(signal.SIGTERM, stop)

class Garbage:
    def __del__(self):
        signal.raise_signal(signal.{name})

Garbage()
try:
    for _ in range(100):
        time.sleep(0.1)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_that_got_lost_is_met_again(name: str, status: int) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", SCRIPT.format(name=name)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (status, "")
