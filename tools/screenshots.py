"""Take pictures of the built pages, at both widths: `python -m tools.screenshots [FOLDER] [--pages NAME...] [--dark]`.

A page that is longer than a picture can well be is cut into several: `evaluating-1280-1.png`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from playwright.sync_api import FloatRect, Page

from tools.pages import BUILT, WIDTHS, browsing, build, pages_in

TALLEST = 3000
"""Pixels of a page in one picture."""


def main() -> None:
    """Take the pictures, and say where they are."""
    parser = argparse.ArgumentParser(prog="python -m tools.screenshots", description="Take pictures of the pages.")
    parser.add_argument("folder", type=Path, nargs="?", default=BUILT / "screenshots", help="where they go")
    parser.add_argument("--pages", metavar="NAME", nargs="+", help="such as evaluating or api/index; all without it")
    parser.add_argument("--dark", action="store_true", help="as somebody sees them who asks for dark pages")
    asked = parser.parse_args()
    pages = pages_in(build())
    if unknown := sorted(set(asked.pages or ()) - set(pages)):
        parser.error(f"no page {unknown[0]}; there are {', '.join(pages)}")
    asked.folder.mkdir(parents=True, exist_ok=True)
    for width in WIDTHS:
        with browsing(width, dark=asked.dark) as window:
            for name in asked.pages or pages:
                window.goto(pages[name].as_uri())
                count = take(window, width, asked.folder / f"{name.replace('/', '-')}-{width}")
                print(f"{name}, {width} px: {count}")  # noqa: T201 - what it is for
    print(asked.folder)  # noqa: T201


def take(window: Page, width: int, target: Path) -> int:
    """Take the pictures of the page that is shown, and return how many there are."""
    height = int(window.evaluate("document.documentElement.scrollHeight"))
    tops = range(0, height, TALLEST)
    for number, top in enumerate(tops, 1):
        clip: FloatRect = {"x": 0, "y": top, "width": width, "height": min(TALLEST, height - top)}
        window.screenshot(path=f"{target}-{number}.png", full_page=True, clip=clip)
    return len(tops)


if __name__ == "__main__":
    main()
