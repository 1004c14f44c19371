"""Write reports for few runs and for many, and take pictures of them, to judge them by eye:

    python -m tools.report_pictures FOLDER [NAME]...

Each page is pictured at the widths of a small laptop and of a telephone, light and dark, and as it is printed: as PDF,
and as pictures of its pages where `pdftoppm` is there. It takes chromium.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import cranfield as cf
from cranfield.campaigns import simulate, write_campaign
from tools.pages import WIDTHS, browsing
from tools.pictures import COLLECTIONS, REAL

DRAWN = "document.documentElement.dataset.drawn === 'yes'"
"""What holds of a page when all its figures are there."""
WAIT = 120_000
"""Milliseconds that its figures may take."""
PAPER: Mapping[str, Any] = {"format": "A4", "margin": dict.fromkeys(("top", "bottom", "left", "right"), "15mm")}
"""How it is printed."""


def reports(scratch: Path) -> Iterator[tuple[str, Callable[[], cf.Report]]]:
    """Name the reports; each is made when it is asked for."""
    qrels = {"1": {"a": 1, "b": 0}}
    yield "1-run-1-topic", partial(cf.report, qrels, {"bm25": {"1": {"a": 2.0, "x": 1.0}}})
    for runs, topics in ((2, 5), (37, 43)):
        name, folder = f"{runs}-runs-{topics}-topics", scratch / f"{runs}-{topics}"
        yield name, partial(_simulated, folder, runs, topics)
    for name in ("dl19-passage", "covid-round1"):
        if (REAL / name).is_dir():
            yield name, partial(cf.report, REAL / name / "qrels.txt", REAL / name / "runs", rel=COLLECTIONS[name])


def _simulated(folder: Path, runs: int, topics: int) -> cf.Report:
    write_campaign(simulate(systems=max(runs, 4), topics=topics, depth=200, seed=1), folder)
    return cf.report(folder / "qrels.txt", sorted((folder / "runs").iterdir())[:runs])


def main(folder: Path, names: list[str]) -> None:
    """Write the pages and their pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for name, make in reports(Path(scratch)):
            if names and name not in names:
                continue
            begun = time.perf_counter()
            page = folder / f"{name}.html"
            make().save(page)
            seconds, size = time.perf_counter() - begun, page.stat().st_size / 1e6
            print(f"{page}: {seconds:.1f} s, {size:.1f} MB")  # noqa: T201
            picture(page)


def picture(page: Path) -> None:
    """Take the pictures of a page."""
    for width in WIDTHS:
        for dark in (False, True):
            with browsing(width, dark=dark) as window:
                window.goto(page.as_uri())
                window.wait_for_function(DRAWN, timeout=WAIT)
                look = "dark" if dark else "light"
                window.screenshot(path=page.with_name(f"{page.stem}-{width}-{look}.png"), full_page=True)
                if not dark:
                    height = window.evaluate("document.documentElement.scrollHeight")
                    print(f"  at {width} pixels it is {height} high")  # noqa: T201
    with browsing(WIDTHS[0]) as window:
        window.goto(page.as_uri())
        window.wait_for_function(DRAWN, timeout=WAIT)
        printed = page.with_suffix(".pdf")
        window.pdf(path=printed, **PAPER)
    if shutil.which("pdftoppm"):
        command = ["pdftoppm", "-r", "60", "-png", str(printed), str(printed.with_name(f"{printed.stem}-print"))]
        subprocess.run(command, check=True)  # noqa: S603
        print(f"  on paper it has {len([*page.parent.glob(f'{page.stem}-print-*.png')])} pages")  # noqa: T201


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit("usage: python -m tools.report_pictures FOLDER [NAME]...")
    main(Path(sys.argv[1]), sys.argv[2:])
