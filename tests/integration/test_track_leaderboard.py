"""The leaderboard of a track in a browser: links in line, and buttons whole on a telephone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tools.pages import browsing, chromium

from cranfield.reports import html_page
from cranfield.reports.elements import Links, ReportDocument, Section

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(chromium() is None, reason="there is no Chromium here to look at pages with"),
]

BUTTON = '<span class="again"><code class="command">cranfield plot leaderboard qrels.txt RUN... -m AP</code>'


def test_links_stand_in_line_and_a_button_keeps_its_word_whole(tmp_path: Path) -> None:
    """The n-th links of all columns have one height; the button behind a long command is one line high at 390."""
    links = Links(tuple((f"run-{n}", f"sheets/run-{n}.html") for n in range(11)))
    file = tmp_path / "index.html"
    file.write_text(html_page.html(ReportDocument("Toy", "11 runs.", (Section("runs", "All runs", (links,)),))))
    with browsing(1280) as window:
        window.goto(file.as_uri())
        boxes: list[Any] = [each.bounding_box() for each in window.locator(".links a").all()]
        columns = sorted({round(box["x"]) for box in boxes})
        assert len(columns) > 1
        tops = [[box["y"] for box in boxes if round(box["x"]) == column] for column in columns]
        for column in tops[1:]:
            assert column == pytest.approx(tops[0][: len(column)], abs=0.5)
    with browsing(390) as window:
        window.goto(file.as_uri())
        again = f"{BUTTON}<button type='button' class='copy'>copy</button></span>"
        window.locator(".links").evaluate("(each, html) => { each.outerHTML = html; }", again)
        box = window.locator("button.copy").bounding_box()
        assert box is not None and box["height"] < 40
