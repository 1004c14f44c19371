"""The explorer answers: questions that a person has, the clicks or keys that they take, and what is then said."""

from __future__ import annotations

from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Locator, Page, expect
from tools.exploring import drawn, opened, watching
from tools.pages import chromium

import cranfield as cf
from cranfield.demonstration import demonstration

pytestmark = [
    pytest.mark.integration,
    pytest.mark.usefixtures("browser"),
    pytest.mark.skipif(chromium() is None, reason="there is no Chromium here to look around with"),
]
MEASURE = "nDCG@10"


class Hand:
    """Clicks, and counts them."""

    def __init__(self, page: Page) -> None:
        self.page, self.clicks = page, 0

    def click(self, what: Locator) -> None:
        before = self.page.url
        what.click()
        self.page.wait_for_function("before => location.href !== before", arg=before)
        drawn(self.page)
        self.clicks += 1


@pytest.fixture
def best_two() -> list[str]:
    made = demonstration()
    return list(cf.evaluate(made.qrels, made.runs, MEASURE).sorted_by().runs[:2])


def test_the_topic_where_the_best_two_differ_most_and_why(
    explored_page: Page, explored_at: str, best_two: list[str]
) -> None:
    made = demonstration()
    a, b = best_two
    expected = cf.why(made.qrels, {a: made.runs[a]}, {b: made.runs[b]}, MEASURE)
    opened(explored_page, f"{explored_at}/overview")
    hand = Hand(explored_page)
    hand.click(explored_page.get_by_role("button", name="Compare the two"))
    reason = explored_page.locator("#of-why")
    expect(reason.get_by_role("heading")).to_contain_text(f"Why: topic {expected.topic}")
    expect(reason).to_contain_text(expected.says())
    expect(reason.locator("tbody tr").first).to_contain_text(str(expected.deciding["document"][0]))
    assert hand.clicks == 1
    hand.click(reason.get_by_role("link", name="Both lists"))
    assert parse_qs(urlparse(explored_page.url).query)["run"] == [a, b]
    assert hand.clicks == 2


def test_the_swap_that_helps_most(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/overview")
    hand = Hand(explored_page)
    hand.click(explored_page.locator("#of-hardest tbody a").nth(4))
    lists = explored_page.locator("section.list").first
    said = lists.locator(".swap").inner_text()
    hand.click(lists.locator("a[data-swap]"))
    assert hand.clicks == 2
    value = explored_page.locator("table.values").first.locator("tr", has_text=MEASURE).locator("td").first.inner_text()
    assert f" to {value} (+" in said
    expect(explored_page.get_by_text("Changed.")).to_be_visible()


def test_what_is_odd_about_a_run(explored_page: Page, explored_at: str) -> None:
    made = demonstration()
    [low, high] = cf.ties(made.qrels, {"names": made.runs["names"]}, [MEASURE]).to_polars().select("low", "high").row(0)
    opened(explored_page, f"{explored_at}/overview")
    row = explored_page.locator("table.board tbody tr[data-run=names]")
    expect(row.locator(".chip").first).to_have_text(f"ties {low:.4f} to {high:.4f}")
    hand = Hand(explored_page)
    hand.click(row.locator("th a"))
    said = explored_page.locator("section.odd li").first
    expect(said).to_contain_text(f"between {low:.4f} (worst grades first) and {high:.4f} (best grades first)")
    box = said.bounding_box()
    assert box is not None and box["y"] < 900  # it is seen at once
    assert hand.clicks == 1


def test_from_the_leaderboard_to_the_text_of_a_document(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/overview")
    hand = Hand(explored_page)
    hand.click(explored_page.locator("table.board tbody th a").first)
    hand.click(explored_page.get_by_role("region", name="Its topics").locator("tbody th a").first)
    hand.click(explored_page.locator(".ranked li .what a").first)
    expect(explored_page.locator("pre.text")).to_be_visible()
    assert hand.clicks == 3


def tabbed_to(page: Page, selector: str, most: int = 40) -> int:
    """Press Tab until something is reached; so often."""
    for pressed in range(1, most + 1):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return pressed
    raise AssertionError(f"Tab does not lead to {selector} within {most} stops")


def entered(page: Page, path: str) -> None:
    """Press Enter, and wait for the page that it leads to."""
    before = page.url
    page.keyboard.press("Enter")
    page.wait_for_function("before => location.href !== before", arg=before)
    drawn(page)
    assert urlparse(page.url).path == path


def test_the_same_with_keys_alone(explored_page: Page, explored_at: str, best_two: list[str]) -> None:
    page = explored_page
    opened(page, f"{explored_at}/overview")
    tabbed_to(page, "a.skip[href='#of-leaderboard']", 10)
    page.keyboard.press("Enter")
    expect(page.locator("#of-leaderboard")).to_be_focused()
    # The first run, odd or not; its first topic; its first document, and the text of it.
    tabbed_to(page, "table.board tbody th a", 20)
    entered(page, "/run")
    expect(page.locator("section.odd li").first).to_be_visible()
    tabbed_to(page, "[aria-label='Its topics'] tbody th a")
    page.keyboard.press("ArrowDown")
    entered(page, "/topic")
    page.keyboard.press("1")
    expect(page.locator(".ranked li").first).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    entered(page, "/document")
    expect(page.locator("pre.text")).to_be_visible()
    # Why the best two differ, and the swap that helps the list most.
    opened(page, f"{explored_at}/overview")
    tabbed_to(page, "form[action='/pair'] button:not([type=button])")
    entered(page, "/pair")
    tabbed_to(page, "#of-why a[href^='/topic']", 20)
    entered(page, "/topic")
    assert parse_qs(urlparse(page.url).query)["run"] == best_two
    page.keyboard.press("s")
    expect(page.get_by_text("Changed.")).to_be_visible()
    drawn(page)


def test_a_list_is_one_stop_and_arrows_go_through_it(explored_page: Page, explored_at: str) -> None:
    page = explored_page
    opened(page, f"{explored_at}/topic?topic=15&run=bm25&run=cosine")
    stops = "list => [...list.querySelectorAll('li, a, select')].filter((each) => each.tabIndex === 0).length"
    assert page.locator(".ranked").evaluate_all(f"lists => lists.map({stops})") == [3, 3]  # document, link, change
    page.keyboard.press("2")
    second = page.locator(".ranked").nth(1).locator("li")
    expect(second.nth(0)).to_be_focused()
    for key, place in (("ArrowDown", 1), ("End", 19), ("ArrowDown", 19), ("ArrowUp", 18), ("Home", 0)):
        page.keyboard.press(key)
        expect(second.nth(place)).to_be_focused()
    assert page.locator(".ranked").evaluate_all(f"lists => lists.map({stops})") == [3, 3]


def test_all_keys_are_shown(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/overview")
    keys = explored_page.locator("#keys")
    expect(keys).not_to_be_visible()
    explored_page.keyboard.press("?")
    expect(keys).to_be_visible()
    expect(keys).to_contain_text("move the document that has the focus")
    explored_page.keyboard.press("Escape")
    expect(keys).not_to_be_visible()
    explored_page.get_by_role("button", name="Keys").click()
    expect(keys).to_be_visible()


BOARD = """() => [...document.querySelectorAll("table.board tbody tr")].map((row) => [
  row.dataset.run, row.querySelector("[data-of=mean]").textContent, row.querySelector("[data-of=place]").dataset.value,
])"""


def slid(page: Page, name: str, key: str) -> None:
    """Move a slider, and wait for the leaderboard."""
    page.locator(f"[data-slider={name}]").press(key)
    page.wait_for_function("() => !document.querySelector('.sliders').hasAttribute('aria-busy')")


def test_sliders_reorder_the_leaderboard(explored_page: Page, explored_at: str) -> None:
    made = demonstration()
    bounds = cf.ties(made.qrels, made.runs, ["AP"]).to_polars()
    ended = {run: dict(zip(bounds["run"], bounds[run], strict=True)) for run in ("low", "high")}
    opened(explored_page, f"{explored_at}/overview?measure=AP")
    before = explored_page.evaluate("document.querySelectorAll('table.board tbody [data-of=mean]').length")
    assert before == 4
    for keys, of in (("End", "high"), ("Home", "low")):
        slid(explored_page, "ties", keys)
        expected = sorted(ended[of].items(), key=lambda each: -each[1])
        assert explored_page.evaluate(BOARD) == [
            [run, f"{value:.4f}", f"{place}"] for place, (run, value) in enumerate(expected, start=1)
        ]
    assert parse_qs(urlparse(explored_page.url).query)["ties"] == ["worst"]
    # All unjudged documents are relevant: as good as the judgments that would say so.
    slid(explored_page, "relevant", "End")
    found = explored_page.evaluate(BOARD)
    assert parse_qs(urlparse(explored_page.url).query)["relevant"] == ["all"]
    explored_page.reload()
    drawn(explored_page)
    explored_page.wait_for_function("() => document.querySelector('[data-of=could]:not([hidden])')")
    assert explored_page.evaluate(BOARD) == found
    explored_page.get_by_role("button", name="As it is").click()
    explored_page.wait_for_function("() => !location.search.includes('ties')")
    scores = cf.evaluate(made.qrels, made.runs, "AP").sorted_by()
    assert [[run, mean] for run, mean, _ in explored_page.evaluate(BOARD)] == [
        [run, f"{mean:.4f}"] for run, mean in zip(scores.runs, scores.averages[0], strict=True)
    ]


CUT = """() => [...document.querySelectorAll(".wide")].filter((each) => each.checkVisibility()
  && each.scrollWidth > each.clientWidth + 1).map((each) => each.getAttribute("aria-label"))"""
PAGES = (
    "/overview", "/overview?ties=best&with=ranges&with=groups", "/topics", "/run?run=names", "/pair?b=names", "/lesson",
    "/topic?topic=15&run=bm25&run=cosine", "/topic?topic=15&run=bm25&run=cosine&run=names&run=likelihood",
    "/document?topic=15&document=glob.glob",
)  # fmt: skip
WIDER = {"topics of names across measures", "differences by topic", "heatmap"}
"""Figures that have a width of their own, which a telephone has not."""


@pytest.mark.parametrize(("width", "dark"), [(390, False), (768, True), (1200, False), (1280, False), (1920, True)])
def test_nothing_is_cut_and_all_can_read_it(explored_at: str, width: int, dark: bool) -> None:
    from axe_playwright_python.sync_playwright import Axe

    with watching(explored_at, width, dark=dark) as page:
        for address in PAGES:
            opened(page, explored_at + address)
            page.wait_for_timeout(100)  # a table that does not fit is laid out anew
            assert set(page.evaluate(CUT)) <= (WIDER if width < 1280 else set()), address
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), address
            found = Axe().run(page).response["violations"]
            assert [each["id"] for each in found if each["impact"] in {"serious", "critical"}] == [], address


def test_lists_have_the_same_axes_and_stand_near_the_controls(explored_at: str) -> None:
    domains = """() => [...document.querySelectorAll(".shows .drawing")].map((place) =>
      ["x", "crp", "gain"].map((name) => views.get(place).scale(name).domain()))"""
    with watching(explored_at, 1280) as page:
        opened(page, f"{explored_at}/topic?topic=15&run=bm25&run=names")
        page.wait_for_timeout(200)
        one, other = page.evaluate(domains)
        assert one == other
        controls, first = (page.locator(each).first.bounding_box() for each in ("form.choices", ".ranked li"))
        assert controls is not None and first is not None
        assert first["y"] - controls["y"] - controls["height"] < 300
        figure = page.locator(".shows .drawing").first.bounding_box()
        assert figure is not None
        assert figure["x"] + figure["width"] <= first["x"]  # beside it, and not above it
        page.locator(".ranked li").nth(3).drag_to(page.locator(".ranked li").nth(0))
        page.wait_for_selector("text=Changed.")
        drawn(page)
        page.wait_for_timeout(200)
        again = page.evaluate(domains)
        assert again[0] == again[1]


def test_every_step_of_the_lesson_leads_somewhere(explored_at: str) -> None:
    with watching(explored_at, 1280) as page:
        opened(page, f"{explored_at}/lesson")
        links = page.eval_on_selector_all(".lesson p a", "links => links.map((link) => link.href)")
        assert len(links) == 8
        for link in links:
            opened(page, link)
            assert page.locator(".problem").count() == 0
            assert page.locator(".drawing[data-drawn=no]").count() == 0
