"""The report in a browser: without a network, without a word on the console, by keyboard alone, on paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page
from tools.pages import WIDTHS, browsing, chromium
from tools.report_pictures import DRAWN, PAPER, WAIT

from cranfield.campaigns import simulate, write_campaign
from cranfield.reports import Report, report
from cranfield.reports.document import Picture

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(chromium() is None, reason="there is no Chromium here to look at pages with"),
]

GRAVE = {"serious", "critical"}
"""What axe-core must not find."""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Write a report about a small campaign."""
    folder = tmp_path_factory.mktemp("campaign")
    write_campaign(simulate(systems=6, topics=8, depth=50, seed=3), folder)
    return report(folder / "qrels.txt", folder / "runs")


@pytest.fixture(scope="module")
def page(found: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "report.html"
    found.save(file)
    return file


@pytest.fixture
def opened(page: Path) -> Iterator[Callable[..., Page]]:
    """Open the page in a window that has no network; nothing may be said on the console, and nothing asked for."""
    said: list[str] = []
    windows = []

    def opened(width: int = WIDTHS[0], *, dark: bool = False) -> Page:
        browser = browsing(width, dark=dark)
        window = browser.__enter__()
        windows.append(browser)
        window.context.set_offline(True)
        window.on("console", lambda message: said.append(message.text))
        window.on("pageerror", lambda error: said.append(str(error)))
        window.on("request", lambda request: said.append(request.url) if request.url.startswith("http") else None)
        window.on("requestfailed", lambda request: said.append(f"failed: {request.url}"))
        window.goto(page.as_uri())
        window.wait_for_function(DRAWN, timeout=WAIT)
        return window

    yield opened
    for browser in windows:
        browser.__exit__(None, None, None)
    assert said == []


def open_all(window: Page) -> None:
    window.evaluate("document.querySelectorAll('main details').forEach(each => { each.open = true; })")


def test_every_figure_is_drawn(opened: Callable[..., Page], found: Report) -> None:
    window = opened()
    many = len([*found.document.pictures()])
    assert many >= 8
    assert window.locator(".drawing svg.marks").count() == many
    assert window.locator(".drawing").filter(has_text="could not be drawn").count() == 0
    assert all(isinstance(picture, Picture) and picture.figure.description for picture in found.document.pictures())


def test_contents_lead_to_their_sections(opened: Callable[..., Page], found: Report) -> None:
    window = opened()
    for section in found.document.sections:
        window.locator(f"nav a[href='#{section.name}']").click()
        heading = window.locator(f"#{section.name} h2")
        assert heading.inner_text() == section.title
        box = heading.bounding_box()
        assert box and -1 <= box["y"] < window.viewport_size["height"]  # type: ignore[index]


def test_downloads_give_the_rows(opened: Callable[..., Page], found: Report, tmp_path: Path) -> None:
    window = opened()
    open_all(window)
    for table in found.document.tables():
        with window.expect_download() as download:
            window.locator(f"button[data-file='{table.name}.csv']").click()
        download.value.save_as(file := tmp_path / download.value.suggested_filename)
        assert file.name == f"{table.name}.csv"
        window.wait_for_timeout(300)  # a browser takes the eleventh file within a second for an attack
        text = file.read_text(encoding="utf-8")
        assert text.count("\n") == table.rows.height + 1
        if not any(dtype.is_nested() for dtype in table.rows.dtypes):
            assert text == table.rows.write_csv(), table.name


def test_tables_are_sorted_by_what_they_say(opened: Callable[..., Page], found: Report) -> None:
    window = opened()
    table = window.locator("#table-leaderboard table")

    def column(place: int) -> list[str]:
        return [row.locator("th, td").nth(place).inner_text() for row in table.locator("tbody tr").all()]

    table.locator("thead button").nth(0).click()
    names = column(0)
    assert names == sorted(names, key=str.lower)
    assert table.locator("thead th").nth(0).get_attribute("aria-sort") == "ascending"
    table.locator("thead button").nth(1).click()
    assert column(0) == list(found.evidence.scores.runs)
    table.locator("thead button").nth(1).click()
    assert column(0) == list(found.evidence.scores.runs)[::-1]
    assert table.locator("thead th").nth(0).get_attribute("aria-sort") is None


def test_the_keyboard_alone_will_do(opened: Callable[..., Page]) -> None:
    window = opened()
    window.keyboard.press("Tab")
    assert window.evaluate("document.activeElement.className") == "skip"
    window.keyboard.press("Enter")
    assert window.evaluate("document.activeElement.id") == "content"
    reached, texts = set(), []
    for _ in range(400):
        window.keyboard.press("Tab")
        at = window.evaluate("[document.activeElement.tagName, document.activeElement.textContent.trim().slice(0, 40)]")
        if at[0] == "BODY":
            break
        reached.add(at[0])
        texts.append(at[1])
    assert {"SUMMARY", "BUTTON", "DIV"} <= reached
    assert "leaderboard.csv" in texts and "Topic by topic" in texts
    summary = window.locator("#topics main summary, #topics summary").last
    summary.focus()
    window.keyboard.press("Enter")
    assert window.locator("#table-by-topic").is_visible()
    header = window.locator("#table-by-topic thead button").first
    header.focus()
    window.keyboard.press("Enter")
    assert window.locator("#table-by-topic thead th").first.get_attribute("aria-sort") == "ascending"


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_grave(opened: Callable[..., Page], width: int, *, dark: bool) -> None:
    window = opened(width, dark=dark)
    open_all(window)
    violations = Axe().run(window).response["violations"]
    grave = [(each["id"], each["nodes"][0]["html"][:200]) for each in violations if each["impact"] in GRAVE]
    assert grave == []


@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_does_not_scroll_sideways(opened: Callable[..., Page], width: int) -> None:
    window = opened(width)
    open_all(window)
    assert window.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_it_can_be_printed(opened: Callable[..., Page], tmp_path: Path) -> None:
    window = opened()
    window.pdf(path=tmp_path / "report.pdf", **PAPER)
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
    window.emulate_media(media="print")
    assert not window.locator("nav").is_visible()
    assert not window.locator("button.download").first.is_visible()


def test_it_is_read_without_scripts(page: Path, found: Report) -> None:
    with browsing(WIDTHS[0]) as window:
        browser = window.context.browser
        assert browser is not None
        bare = browser.new_context(java_script_enabled=False).new_page()
        bare.goto(page.as_uri())
        assert bare.locator("noscript").inner_text()
        assert bare.locator("#table-leaderboard tbody tr").count() == len(found.evidence.runs.runs)
