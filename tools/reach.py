"""Which lines does each test reach? A plugin of pytest, which also runs tests in a wished order: `-p tools.reach`.

`REACH_FILES` names the folders of sources that are looked at, and `REACH_INTO` the file that what was found goes to.
`REACH_ONLY` names a file of tests, one a line: they alone are run, in that order.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Generator
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest

FOLDERS: Final = tuple(os.environ.get("REACH_FILES", "").split(os.pathsep))
FOUND: Final[dict[str, tuple[float, dict[str, list[int]]]]] = {}
"""By test: how many seconds it took, and the lines that it reached, by file."""
TELL_NOTHING: Final = set[str]()


class Lines:
    """The lines that are reached while a test runs, by file."""

    def __init__(self) -> None:
        self.reached = dict[str, set[int]]()

    def call(self, frame: FrameType, event: str, arg: Any) -> Any:
        """Follow a function that is called, where its file is looked at."""
        if not frame.f_code.co_filename.startswith(FOLDERS):
            return None
        lines = self.reached.setdefault(frame.f_code.co_filename, set())
        lines.add(frame.f_lineno)

        def line(frame: FrameType, event: str, arg: Any) -> Any:
            lines.add(frame.f_lineno)
            return line

        return line


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remember a test that fails as the sources are, or is skipped: it tells nothing of a change."""
    if not report.passed:
        TELL_NOTHING.add(report.nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Note the lines that a test reaches, its fixtures included."""
    if "REACH_INTO" not in os.environ:
        return (yield)
    lines, began = Lines(), time.perf_counter()
    sys.settrace(lines.call)
    threading.settrace(lines.call)
    try:
        return (yield)
    finally:
        sys.settrace(None)
        threading.settrace(None)
        reached = {file: sorted(of_file) for file, of_file in lines.reached.items()}
        FOUND[item.nodeid] = (round(time.perf_counter() - began, 3), reached)


def pytest_sessionfinish() -> None:
    """Write down what was found."""
    if into := os.environ.get("REACH_INTO"):
        found = {name: each for name, each in FOUND.items() if name not in TELL_NOTHING}
        Path(into).write_text(json.dumps(found), encoding="utf-8")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests that are wished, in that order."""
    if only := os.environ.get("REACH_ONLY"):
        place = {name: at for at, name in enumerate(Path(only).read_text(encoding="utf-8").splitlines())}
        items[:] = sorted((one for one in items if one.nodeid in place), key=lambda one: place[one.nodeid])
