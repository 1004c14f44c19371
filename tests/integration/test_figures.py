"""Figures as a browser shows them: drawn, without a word on the console, and without asking anybody for anything."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from click.testing import CliRunner
from playwright.sync_api import Page
from tools.pages import WIDTHS, browsing, chromium

import cranfield as cf
from cranfield.campaigns import simulate, write_campaign
from cranfield.cli import main
from cranfield.plots import PLOTS, Figure
from cranfield.plots.drawn import is_vega
from cranfield.plots.printing import AS_LARGE

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(chromium() is None, reason="there is no Chromium here to look at figures with"),
]

BRIGHT = ".mark-line path[stroke-opacity='0.85']"
"""Lines of parallel coordinates that are kept."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a small campaign."""
    folder = tmp_path_factory.mktemp("campaign")
    write_campaign(simulate(systems=6, topics=8, depth=50, seed=3), folder)
    return folder


@pytest.fixture
def window(browser: None) -> Iterator[Page]:
    """Open a window of a browser that has no network."""
    with browsing(WIDTHS[0]) as window:
        window.context.set_offline(True)
        yield window


@pytest.fixture
def said(window: Page) -> list[str]:
    """Return what is said on the console: Vega says its warnings there."""
    said: list[str] = []
    window.on("console", lambda message: said.append(message.text))
    window.on("pageerror", lambda error: said.append(str(error)))
    return said


@pytest.mark.parametrize("name", sorted(PLOTS))
def test_every_page_is_drawn_and_asks_for_nothing(
    figure_of: Callable[[str], Figure], tmp_path: Path, window: Page, said: list[str], name: str
) -> None:
    """On a telephone a figure is as wide as the page; what is written for Vega itself is moved to and fro instead."""
    asked: list[str] = []
    window.on("request", lambda request: asked.append(request.url))
    figure = figure_of(name)
    figure.save(page := tmp_path / "figure.html")
    window.set_viewport_size({"width": WIDTHS[1], "height": 900})
    window.goto(page.as_uri())
    window.wait_for_selector("html[data-drawn]")
    drawing = window.locator("svg.marks")
    assert drawing.count() == 1
    room, shown = (
        each.evaluate("each => each.getBoundingClientRect().width") for each in (window.locator(".wide"), drawing)
    )
    full = is_vega(figure.spec) or AS_LARGE in str(figure.spec)  # matrices full of numbers are
    assert full or shown <= room + 1
    assert shown >= 0.6 * float(drawing.get_attribute("width") or 0) - 1
    assert window.title() == figure.title
    assert window.locator("figcaption").inner_text().startswith(figure.description[:40])
    for width in reversed(WIDTHS):
        window.set_viewport_size({"width": width, "height": 900})
        assert window.evaluate("document.documentElement.scrollWidth") <= width
    assert not said
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


def test_a_page_says_the_command_that_draws_it(folder: Path, tmp_path: Path, window: Page) -> None:
    files = [str(folder / "qrels.txt"), str(folder / "runs")]
    call = ["plot", *files, "--figure", "curves", "-m", "nDCG(base=2)", "-o", str(tmp_path / "figure.html")]
    assert CliRunner().invoke(main, call).exit_code == 0
    window.goto((tmp_path / "figure.html").as_uri())
    window.get_by_text("The command that draws it").click()
    assert shlex.split(window.locator("figcaption pre").inner_text()) == ["cranfield", *call]
    cf.plot("curves", files[0], files[1], "nDCG", topic="401", depth=30).save(tmp_path / "figure.html")
    window.goto((tmp_path / "figure.html").as_uri())
    window.get_by_text("The command that draws it").click()
    said = window.locator("figcaption pre").inner_text()
    assert said == "cf.plot('curves', qrels, runs, 'nDCG', topic='401', depth=30)"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_page_is_for_everybody(figure_of: Callable[[str], Figure], tmp_path: Path, *, dark: bool) -> None:
    """It has what axe-core asks for, the ground that somebody chose, and a picture to take away."""
    figure_of("leaderboard").save(page := tmp_path / "figure.html")
    with browsing(WIDTHS[1], dark=dark) as window:
        window.goto(page.as_uri())
        window.wait_for_selector("html[data-drawn]")
        assert Axe().run(window).response["violations"] == []
        ground = window.evaluate("getComputedStyle(document.body).backgroundColor")
        assert ground == ("rgb(20, 23, 28)" if dark else "rgb(255, 255, 255)")
        for kind, begins in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
            with window.expect_download() as download:
                window.get_by_role("button", name=f"Save this figure as {kind}").click()
            download.value.save_as(file := tmp_path / download.value.suggested_filename)
            assert file.name == f"Leaderboard by AP.{kind.lower()}"
            assert file.read_bytes().startswith(begins)


def test_what_vega_warns_of_would_be_heard(tmp_path: Path, window: Page, said: list[str]) -> None:
    qrels = {"1": {"a": 1}}
    figure = cf.plot("leaderboard", qrels, {"r": qrels}, "RR")
    bars, points, *others = figure.spec["layer"]
    points = {**points, "encoding": {**points["encoding"], "shape": {"field": "mean", "type": "quantitative"}}}
    Figure("wrong", {**figure.spec, "layer": [bars, points, *others]}).save(page := tmp_path / "page.html")
    window.goto(page.as_uri())
    window.wait_for_selector("svg.marks")
    assert any("shape encoding should be discrete" in words for words in said)


@pytest.mark.parametrize("width", WIDTHS)
def test_brushes_on_axes_choose_lines(folder: Path, tmp_path: Path, window: Page, width: int) -> None:
    """Where a figure is shown smaller than it is, too: there the mouse is where it seems to be."""
    window.set_viewport_size({"width": width, "height": 900})
    run = min((folder / "runs").iterdir())
    figure = cf.plot("parallel", folder / "qrels.txt", run, ["NumRel", "AP", "nDCG"])
    figure.save(page := tmp_path / "parallel.html")
    window.goto(page.as_uri())
    window.wait_for_selector("html[data-drawn]")
    rows = figure.spec["data"][0]["values"]

    def middle(axis: int) -> float:
        """Return a place on an axis between the fourth and the fifth of its eight lines."""
        at = sorted(row[f"at{axis}"] for row in rows)
        return float(at[3] + at[4]) / 2

    def brush(axis: int, low: float, high: float) -> None:
        box = window.locator(f".handle{axis} path").bounding_box()
        assert box
        x = box["x"] + box["width"] / 2
        window.mouse.move(x, box["y"] + box["height"] * (1 - high) + 1)
        window.mouse.down()
        window.mouse.move(x, box["y"] + box["height"] * (1 - low) - 1, steps=4)
        window.mouse.up()

    def kept(names: set[str]) -> None:
        window.wait_for_function(f"document.querySelectorAll(`{BRIGHT}`).length == {len(names)}")
        labels = [line.get_attribute("aria-label") or "" for line in window.locator(BRIGHT).all()]
        assert {label.partition(":")[0] for label in labels} == names

    kept({row["name"] for row in rows})
    brush(1, middle(1), 1.0)
    high = {row["name"] for row in rows if row["at1"] > middle(1)}
    kept(high)
    brush(0, 0.0, middle(0))
    few = {row["name"] for row in rows if row["at0"] < middle(0)}
    assert len(high & few) < len(few)
    kept(high & few)
    handle = window.locator(".handle1 path").bounding_box()
    assert handle
    window.mouse.dblclick(handle["x"] + 5, handle["y"] + 5)
    kept(few)


@pytest.mark.parametrize("dark", [False, True])
def test_a_dark_page_has_dark_figures_and_paper_is_white(
    figure_of: Callable[[str], Figure], tmp_path: Path, *, dark: bool
) -> None:
    """The colours are those of the filter; on paper there is none."""
    page = tmp_path / "figure.html"
    figure_of("leaderboard").save(page)
    with browsing(800, dark=dark) as window:
        window.goto(page.as_uri())
        window.wait_for_function("document.documentElement.dataset.drawn === 'yes'")
        seen = "getComputedStyle(document.querySelector('.drawing')).filter"
        assert window.evaluate(seen) == ("invert(0.92) hue-rotate(180deg)" if dark else "none")
        window.emulate_media(media="print")
        assert window.evaluate(seen) == "none"
