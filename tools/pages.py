"""The built pages, and a browser to look at them: what `tools.screenshots` and the tests of the pages share."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, sync_playwright

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


@contextmanager
def browsing(width: int, *, dark: bool = False) -> Iterator[Page]:
    """Open a window of this width in the browser; it has no screen and needs none."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        size: ViewportSize = {"width": width, "height": 900}
        yield browser.new_page(viewport=size, color_scheme="dark" if dark else "light")
        browser.close()
