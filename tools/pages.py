"""The built pages, and a browser to look at them: what `tools.screenshots` and the tests of the pages share."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

ROOT = Path(__file__).parents[1]
BUILT = ROOT / "docs" / "_build"
WIDTHS = (1280, 390)
"""Widths in pixels at which the pages are looked at: a small laptop, and a telephone."""


def build(folder: Path = BUILT) -> Path:
    """Build the pages into a folder; warnings are errors."""
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "docs", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True)  # noqa: S603 - all of it is ours
    return folder


def pages_in(folder: Path) -> dict[str, Path]:
    """Return the built pages, by the names that the documentation has for them (`evaluating`, `api/index`)."""
    found = {path.relative_to(folder).with_suffix("").as_posix(): path for path in sorted(folder.rglob("*.html"))}
    return {name: path for name, path in found.items() if not name.startswith("_")}


def chromium() -> str | None:
    """Return the path of the browser, if there is one."""
    return shutil.which("chromium") or shutil.which("google-chrome")


_open: list[Browser] = []
"""The browser that is open in this process, if there is one."""


@contextmanager
def browser() -> Iterator[Browser]:
    """Start the browser, which takes a second; within the block every window is one of this browser."""
    if _open:
        yield _open[0]
        return
    with sync_playwright() as playwright:
        _open.append(playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"]))
        try:
            yield _open[0]
        finally:
            _open.pop().close()


@contextmanager
def browsing(width: int, *, dark: bool = False) -> Iterator[Page]:
    """Open a window of this width in the browser, that knows nothing of others; it has no screen and needs none."""
    size: ViewportSize = {"width": width, "height": 900}
    with browser() as started:
        context = started.new_context(viewport=size, color_scheme="dark" if dark else "light")
        try:
            yield context.new_page()
        finally:
            context.close()
