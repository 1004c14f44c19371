"""Real collections, joined once for all tests of a process: to read one takes up to half a second."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeAlias

import cranfield as cf
from cranfield.scoring.judged_runs import JudgedRuns

Joined: TypeAlias = Callable[[str], JudgedRuns]
"""Gives a collection's runs by its name; tests only look at them."""


def joining(data: Path) -> Joined:
    """Join all runs of a folder of the data with their qrels, when they are asked for first."""

    @cache
    def joined(name: str) -> JudgedRuns:
        return cf.join(data / name / "qrels.txt", data / name / "runs")

    return joined
