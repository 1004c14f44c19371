"""Figures as a browser shows them: drawn, without a word on the console, and without asking anybody for anything."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.pages import WIDTHS, browsing, chromium

import cranfield as cf
from cranfield.campaigns import simulate, write_campaign
from cranfield.plots import PLOTS

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(chromium() is None, reason="there is no Chromium here to look at figures with"),
]


def test_every_page_is_drawn_and_asks_for_nothing(tmp_path: Path) -> None:
    write_campaign(simulate(systems=6, topics=8, depth=50, seed=3), tmp_path)
    said: list[str] = []
    asked: list[str] = []
    with browsing(WIDTHS[0]) as window:
        window.on("console", lambda message: said.append(message.text))
        window.on("pageerror", lambda error: said.append(str(error)))
        window.on("request", lambda request: asked.append(request.url))
        for name in PLOTS:
            page = tmp_path / f"{name}.html"
            runs = sorted((tmp_path / "runs").iterdir())
            cf.plot(name, tmp_path / "qrels.txt", runs[:2] if name == "differences" else runs).save(page)
            window.goto(page.as_uri())
            window.wait_for_selector("svg.marks")
    assert not said
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
