"""Pages whose figures are drawn already, and links between pages."""

from __future__ import annotations

import cranfield as cf
from cranfield.reports.elements import Links, Picture, ReportDocument, Section
from cranfield.reports.html_page import html


def document() -> ReportDocument:
    scores = cf.evaluate({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 1.0}}}, "RR")
    blocks = (Picture(scores.plot("leaderboard"), "Means."), Links((("<b>", "sheets/b.html"),)))
    return ReportDocument("Two runs", "1 topic", (Section("all", "All", blocks),))


def test_figures_that_are_drawn_need_no_scripts_that_draw() -> None:
    alive, drawn = html(document()), html(document(), drawn=True)
    assert drawn.count('<img class="still" alt=') == drawn.count("data:image/svg+xml;base64,") == 1
    assert "vega" in alive
    assert "vega" not in drawn
    assert len(drawn) < len(alive) / 5
    assert "Figures, sorting, copies" in alive
    assert "Sorting, copies" in drawn


def test_links_are_escaped() -> None:
    assert '<li><a href="sheets/b.html">&lt;b&gt;</a></li>' in html(document(), drawn=True)
