"""The explorer, served to a browser that hears of everything that goes wrong."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlparse
from urllib.request import urlopen

from tools.pages import browsing

if TYPE_CHECKING:
    from playwright.sync_api import Page

VIEWS = """
window.views = new WeakMap();
document.addEventListener("drawn", ({ target, detail }) => window.views.set(target, detail));
"""
"""Lets a test ask what draws a figure."""


@contextmanager
def serving(arguments: Sequence[str] = ("--demo",), *, wait: bool = True) -> Iterator[str]:
    """Serve the explorer until the end of the block; its address is given, once it answers or says that it will."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--no-token", "--no-browser", "--port", str(port)]
    command = [sys.executable, "-m", "cranfield", "explore", *arguments, *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)  # noqa: S603 - all of it is ours
    line = process.stderr.readline() if process.stderr else ""
    if not line.startswith(f"ready at http://127.0.0.1:{port}"):
        raise RuntimeError(f"the explorer does not start: {line}")
    for _ in range(100 if wait else 0):  # it says so just before it listens
        try:
            with urlopen(f"http://127.0.0.1:{port}/topics"):
                break
        except OSError:
            time.sleep(0.1)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.communicate(timeout=20)


@contextmanager
def watching(served: str, width: int, *, dark: bool = False, forgiving: bool = False) -> Iterator[Page]:
    """Open a page in the browser; at the end nothing may have gone wrong, and nothing been asked of another machine.

    ``forgiving`` lets pages be refused.
    """
    with browsing(width, dark=dark) as page:
        wrong: list[str] = []
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "request",
            lambda asked: None if asked.url.startswith((served, "data:", "blob:")) else wrong.append(asked.url),
        )
        page.add_init_script(VIEWS)
        page.set_default_timeout(20_000)
        yield page
        if forgiving:
            wrong = [each for each in wrong if "status of 400" not in each]
        if wrong:
            raise AssertionError("; ".join(wrong))


def opened(page: Page, address: str) -> None:
    """Go to a page, and wait until all its figures are drawn."""
    page.goto(address)
    drawn(page)


def drawn(page: Page) -> None:
    """Wait until all figures are drawn."""
    page.wait_for_selector("html[data-drawn]")


def changes_of(page: Page) -> list[Any]:
    """Return what is changed, as the address says it."""
    found = parse_qs(urlparse(page.url).query).get("changes", ["[]"])[0]
    return list(json.loads(found))
