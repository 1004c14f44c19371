"""What is wrong with a figure, read from what Vega has drawn: words on words, marks outside their frame, and the like.

    with tools.scene.drawing() as window:
        print(tools.scene.faults(window, figure.spec))

A figure is drawn in Chromium by the scripts of our own pages. Looked at are the boxes of its words as they are set,
and the scene graph of Vega, which knows to which panel, axis and legend each mark belongs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page

from cranfield.pages import writer
from cranfield.plots.grammar import Spec
from tools.pages import WIDTHS, browsing

SCRIPT: Final = Path(__file__).with_suffix(".js")
CONTRAST: Final = 4.5
"""What WCAG 2.2 asks for of small letters, at level AA."""


@contextmanager
def drawing() -> Iterator[Page]:
    """Open an empty page that knows how to draw, and has no network."""
    with browsing(WIDTHS[0]) as window:
        window.context.set_offline(True)
        window.set_content("<!doctype html><meta charset=utf-8><body style='margin:0;background:#fff'>")
        for name in writer.DRAWING:
            window.add_script_tag(content=writer.VENDORED.joinpath(name).read_text(encoding="utf-8"))
        window.add_script_tag(content=SCRIPT.read_text(encoding="utf-8"))
        yield window


def faults(window: Page, spec: Spec, *, contrast: float = CONTRAST) -> list[str]:
    """Draw a figure, and say what is wrong with it.

    - Two pieces of text, or a piece of text and a symbol of a legend, lie on each other.
    - Text, or a mark of a panel, is outside its frame; text is cut off.
    - Text has too little contrast with what is below it.
    - Axes with one title, of panels side by side or below each other, end at different values. A
      figure whose panels are not there to be compared says so: ``usermeta: {"scales": "own"}``.
    - A legend has two entries that look alike, or a stroke that no line of the figure has.
    """
    found: list[str] = window.evaluate("([spec, contrast]) => faults(spec, contrast)", [_plain(spec), contrast])
    return found


def _plain(part: Any) -> Any:
    """Return it as JSON has it."""
    if isinstance(part, dict):
        return {name: _plain(each) for name, each in part.items()}
    return [_plain(each) for each in part] if isinstance(part, list | tuple) else part
