"""Python that imports click and ends: the least that a command line built on it can take."""

from __future__ import annotations

import sys

from benchmarks.contender import Contender, installed

CONTENDERS = (
    Contender(
        name="click",
        version=installed("click"),
        processes=lambda task: [[sys.executable, "-c", "import click"]],
        computes={"help": "`import click`"},
    ),
)
