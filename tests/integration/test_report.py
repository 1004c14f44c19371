"""The report in a browser: without a network, without a word on the console, by keyboard alone, on paper."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page
from tools.pages import WIDTHS, browsing, chromium
from tools.report_pictures import DRAWN, PAPER, WAIT

from cranfield.campaigns import simulate, write_campaign
from cranfield.reports import Report, report
from cranfield.reports.elements import Picture, ReportTable

PAPER_READ = all(map(shutil.which, ("pdftotext", "pdftoppm")))
on_paper = pytest.mark.skipif(not PAPER_READ, reason="there is no poppler here to look at paper with")

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(chromium() is None, reason="there is no Chromium here to look at pages with"),
]

CUT = """
[...document.querySelectorAll('.sliced svg.marks')].map((drawing) => {
  const parts = [...drawing.nextElementSibling.children].map((part) => part.viewBox.baseVal);
  const shown = drawing.getBoundingClientRect();
  const scale = drawing.height.baseVal.value / shown.height;
  const ends = parts.slice(1).map((part) => part.y);
  const words = [...drawing.querySelectorAll('text')].filter((word) => {
    const box = word.getBoundingClientRect();
    const [top, bottom] = [(box.top - shown.top) * scale + 1, (box.bottom - shown.top) * scale - 1];
    return ends.some((end) => top < end && end < bottom);
  });
  return { height: drawing.height.baseVal.value, parts: parts.map(({ height }) => ({ height })), words: words.length };
})
"""
"""Of each drawing in slices: its height, those of its slices, and how many words are cut."""
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
def opened(page: Path, browser: None) -> Iterator[Callable[..., Page]]:
    """Open the page in a window that has no network; nothing may be said on the console, and nothing asked for."""
    said: list[str] = []
    windows = []

    def opened(width: int = WIDTHS[0], *, dark: bool = False) -> Page:
        opening = browsing(width, dark=dark)
        window = opening.__enter__()
        windows.append(opening)
        window.context.set_offline(True)
        window.on("console", lambda message: said.append(message.text))
        window.on("pageerror", lambda error: said.append(str(error)))
        window.on("request", lambda request: said.append(request.url) if request.url.startswith("http") else None)
        window.on("requestfailed", lambda request: said.append(f"failed: {request.url}"))
        window.goto(page.as_uri())
        window.wait_for_function(DRAWN, timeout=WAIT)
        return window

    yield opened
    for opening in windows:
        opening.__exit__(None, None, None)
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
    open_all(window)
    table = window.locator("#table-means table")

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
    assert {"All 6 runs by all measures", "Sentence", "Table in LaTeX", "What was evaluated"} <= {*texts}
    window.locator("#effort > details > summary").focus()
    window.keyboard.press("Enter")
    window.locator("#table-archetypes-shares").wait_for(state="visible")
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


@pytest.mark.parametrize("width", [*WIDTHS, 1000])
def test_the_page_does_not_scroll_sideways(opened: Callable[..., Page], width: int) -> None:
    window = opened(width)
    open_all(window)
    assert window.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_a_telephone_names_every_topic(tmp_path: Path) -> None:
    """The heatmap named every second one. What does not fit is scrolled, and no letter is under 0.6 of its size."""
    write_campaign(simulate(systems=4, topics=50, depth=20, seed=3), tmp_path)
    report(tmp_path / "qrels.txt", tmp_path / "runs").save(tmp_path / "page.html")
    topics = {line.split()[0] for line in (tmp_path / "qrels.txt").read_text().splitlines()}
    with browsing(WIDTHS[-1]) as window:
        window.goto((tmp_path / "page.html").as_uri())
        window.wait_for_function(DRAWN, timeout=WAIT)
        drawing = window.locator("figure", has_text="by run and topic").locator("svg.marks")
        named = [each for each in drawing.locator("text").all_text_contents() if each in topics]
        assert sorted(named) == sorted(topics)
        last = drawing.locator("text", has_text=named[-1]).last
        last.scroll_into_view_if_needed()
        box, letters = last.bounding_box(), last.evaluate("each => each.getScreenCTM().a")
        assert box is not None
        assert box["x"] + box["width"] <= WIDTHS[-1]
        assert abs(letters) > 0.59 or abs(last.evaluate("each => each.getScreenCTM().b")) > 0.59
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
        assert bare.locator("#table-means tbody tr").count() == len(found.evidence.runs.runs)


def test_the_first_sheet_says_what_matters(opened: Callable[..., Page], found: Report) -> None:
    window, first = opened(), found.document.first
    assert first is not None
    says = window.locator("#first .says")
    assert says.inner_text() == first.says and says.bounding_box()["y"] < 300  # type: ignore[index]
    size, usual = (
        window.locator(name).first.evaluate("each => parseFloat(getComputedStyle(each).fontSize)")
        for name in ("#first .says", "#topics p")
    )
    assert size >= 1.3 * usual
    assert window.locator("#first .caveats li").all_inner_texts() == list(first.caveats)
    facts = dict(zip(*(window.locator(f"#first {tag}").all_inner_texts() for tag in ("dt", "dd")), strict=True))
    facts["Command"] = facts["Command"].removesuffix("copy").strip()
    assert facts == dict(first.facts)
    assert window.title() == found.document.title and "campaign" in window.title()


def test_what_authors_paste_is_one_click_away(opened: Callable[..., Page], found: Report) -> None:
    window, first = opened(), found.document.first
    assert first is not None and len(first.pasted) == 5
    window.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for each in first.pasted:
        window.locator("button.copy", has_text=each.name).click()
        window.locator("button.copy", has_text="copied").wait_for()
        assert window.evaluate("navigator.clipboard.readText()") == each.text
        window.locator("button.copy", has_text=each.name).wait_for()
    open_all(window)
    window.locator("#table-means button.copy").click()
    window.locator("#table-means button.copy", has_text="copied").wait_for()
    table = next(table for table in found.document.tables() if table.name == "means")
    assert window.evaluate("navigator.clipboard.readText()") == table.command


def test_a_frame_that_refuses_the_clipboard_copies_a_selection(opened: Callable[..., Page], found: Report) -> None:
    window, first = opened(), found.document.first
    assert first is not None
    window.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    window.evaluate("document.addEventListener('copy', () => { window.taken = document.getSelection().toString(); })")
    window.locator("button.copy", has_text="Sentence").click()
    window.locator("button.copy", has_text="copied").wait_for()
    assert window.evaluate("window.taken") == first.pasted[0].text


def test_the_appendix_is_closed_on_a_screen_and_opens_for_a_link(opened: Callable[..., Page]) -> None:
    window = opened()
    parts = window.locator("section.appendix > details")
    assert parts.count() >= 4
    assert not any(part.evaluate("each => each.open") for part in parts.all())
    window.locator("nav a[href='#effort']").click()
    window.locator("#table-archetypes-shares").wait_for(state="visible")


@on_paper
@pytest.mark.parametrize(("systems", "topics", "most"), [(2, 5, 4500), (37, 43, 9000)])
def test_no_page_is_longer_than_is_read(tmp_path: Path, systems: int, topics: int, most: int) -> None:
    write_campaign(simulate(systems=max(systems, 4), topics=topics, depth=60, seed=1), tmp_path)
    found = report(tmp_path / "qrels.txt", sorted((tmp_path / "runs").iterdir())[:systems])
    found.save(tmp_path / "page.html")
    with browsing(WIDTHS[0]) as window:
        window.goto((tmp_path / "page.html").as_uri())
        window.wait_for_function(DRAWN, timeout=WAIT)
        assert window.evaluate("document.documentElement.scrollHeight") <= most
        window.pdf(path=tmp_path / "page.pdf", **PAPER)
        window.emulate_media(media="print")
        sizes = window.evaluate(
            "[...document.querySelectorAll('td, th, code')].map(each => parseFloat(getComputedStyle(each).fontSize))"
        )
        assert min(sizes) >= 9.33  # pixels: 7 points
    first, sheet = found.document.first, "".join(printed(tmp_path / "page.pdf")[0].split())
    assert first is not None
    names = (table.sheet.columns[0].cells for table in first.blocks if isinstance(table, ReportTable))
    for words in (first.says, *first.caveats, *first.facts[0], *(str(name) for cells in names for name in cells)):
        assert "".join(words.split()) in sheet, words  # so that it can be printed alone
    empty = [1 - filled for filled in inked(tmp_path / "page.pdf")[:-1]]
    assert all(share < 0.5 for share in empty), empty


def printed(file: Path) -> list[str]:
    """Return what stands on each page."""
    done = subprocess.run(["pdftotext", "-layout", str(file), "-"], check=True, capture_output=True, text=True)
    return done.stdout.split("\f")[:-1]


def inked(file: Path) -> list[float]:
    """Return how far down each page something is printed, as a share of the page."""
    subprocess.run(["pdftoppm", "-r", "20", "-gray", str(file), str(file.with_suffix(""))], check=True)
    found = []
    for page in sorted(file.parent.glob(f"{file.stem}-*.pgm")):
        header, size, _, pixels = page.read_bytes().split(b"\n", 3)
        assert header == b"P5"
        width, height = map(int, size.split())
        dark = (np.frombuffer(pixels, np.uint8).reshape(height, width) < 200).any(axis=1)
        found.append(float(np.flatnonzero(dark).max() / height))
    return found


@on_paper
def test_paper_shows_what_a_screen_hides(opened: Callable[..., Page], found: Report, tmp_path: Path) -> None:
    window = opened()
    window.pdf(path=tmp_path / "report.pdf", **PAPER)
    assert not window.locator("main details[open]").count() and not window.locator(".slices").count()  # as it was
    pages = printed(tmp_path / "report.pdf")
    text = " ".join(pages)
    for section in found.document.sections:
        assert section.title.split("?")[0] in text
    assert "archetype" in text and all(f"cranfield experiment {name}" in text for name in ("certificate", "truncation"))


def test_tall_drawings_are_sliced_on_paper_where_no_word_is(opened: Callable[..., Page]) -> None:
    window = opened()
    window.evaluate("document.querySelectorAll('.drawing svg.marks').forEach(each => slice(each))")
    cut = window.evaluate(CUT)
    heights = [sum(part["height"] for part in drawing["parts"]) for drawing in cut]
    assert heights == pytest.approx([drawing["height"] for drawing in cut])
    assert all(drawing["words"] == 0 for drawing in cut)
