"""Take the four pictures of the README's tiles, all of the demonstration's texts: `python -m tools.tiles [FOLDER]`.

The report's first sheet says who leads, the explorer's page of a topic why, a gate whether a ranking
may ship, and the page for judging asks a person. It takes chromium.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import textwrap
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final

import cranfield as cf
from cranfield.demonstration import demonstration
from tools import exploring, judging
from tools.pages import ROOT, browsing

if TYPE_CHECKING:
    from playwright.sync_api import Page

WIDTH, HEIGHT = 880, 560
"""Pixels of a tile; the README shows it half as wide."""
LARGEST: Final = 100_000
"""Bytes that a tile may have."""
COLUMNS: Final = 78


def report(scratch: Path, tile: Path) -> None:
    """Picture the first sheet of a report."""
    small = demonstration()
    page = scratch / "report.html"
    cf.report(small.qrels, small.runs, ["nDCG@10", "AP"], title="Search in docstrings").save(page)
    with browsing(WIDTH) as window:
        window.goto(page.as_uri())
        window.wait_for_selector("svg")
        taken(window, tile, "text=leads")


def why(scratch: Path, tile: Path) -> None:
    """Picture the explorer's page of two runs: what makes one list of a topic better."""
    del scratch
    with exploring.serving() as address, exploring.watching(address, WIDTH) as window:
        exploring.opened(window, f"{address}/pair?a=bm25&b=cosine&topic=15&measure=nDCG%4010")
        taken(window, tile, "h2")


def judge(scratch: Path, tile: Path) -> None:
    """Picture the page on which an assessor judges."""
    task = judging.demonstrated(scratch)
    with judging.serving(task) as server, judging.windows() as browser:
        ann = browser.of(server, "Ann", WIDTH)
        for key in "0101001100":
            judging.judged(ann, key)
        taken(ann, tile)


def gate(scratch: Path, tile: Path) -> None:
    """Draw what a gate prints in a terminal."""
    small = demonstration()
    cf.write_qrels(cf.read_qrels(small.qrels), scratch / "qrels.txt")
    for name in ("names", "bm25"):
        cf.write_run(cf.read_run(small.runs[name]), scratch / f"{name}.run")
    command = "cranfield gate qrels.txt names.run bm25.run --margin 2%"
    environment = {"COLUMNS": str(COLUMNS), "PATH": str(Path(sys.executable).parent)}
    done = subprocess.run(  # noqa: S603 - our own command
        command.split(), cwd=scratch, env=environment, capture_output=True, text=True, check=False
    )
    said = (done.stdout + done.stderr).splitlines()
    lines = [f"$ {command}", *(each for line in said for each in as_shown(line))]
    height = 20 * len(lines) + 30
    text = "".join(
        f'<text x="16" y="{28 + 20 * row}" xml:space="preserve" fill="{"#8ab4f8" if row == 0 else "#e8eaed"}">'
        f"{escape(line)}</text>\n"
        for row, line in enumerate(lines)
    )
    tile.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 680 {height}" font-family="ui-monospace, monospace" '
        f'font-size="14"><rect width="680" height="{height}" rx="8" fill="#202124"/>\n{text}</svg>\n',
        encoding="utf-8",
    )


def as_shown(line: str) -> list[str]:
    """Break a sentence as a terminal does; a row of a table is cut."""
    if "  " in line.strip():
        return [line if len(line) <= COLUMNS else f"{line[: COLUMNS - 1]}…"]
    return textwrap.wrap(line, COLUMNS, subsequent_indent="  ", break_on_hyphens=False)


def taken(window: Page, tile: Path, top: str = "") -> None:
    """Take the picture of a page, from what is named on, or of what a window shows."""
    window.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    window.wait_for_timeout(500)
    if not top:
        window.screenshot(path=tile)
        return
    box = window.locator(top).first.bounding_box()
    y = box["y"] - 16 if box else 0
    window.screenshot(path=tile, full_page=True, clip={"x": 0, "y": y, "width": WIDTH, "height": HEIGHT})


TILES: Final = {
    "tile-report.png": report,
    "tile-why.png": why,
    "tile-gate.svg": gate,
    "tile-judging.png": judge,
}


def main() -> None:
    """Take all pictures, and say how large they are."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs"
    for name, take in TILES.items():
        with tempfile.TemporaryDirectory() as scratch:
            take(Path(scratch), folder / name)
        size = (folder / name).stat().st_size
        print(f"{folder / name}: {size:,} bytes{', too large' if size > LARGEST else ''}")  # noqa: T201


if __name__ == "__main__":
    main()
