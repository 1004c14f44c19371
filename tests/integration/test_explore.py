"""The explorer as a person uses it: a server of its own, a browser, no network."""

from __future__ import annotations

from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Page, expect
from tools.exploring import changes_of, drawn, opened, serving
from tools.pages import browsing, chromium

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(chromium() is None, reason="there is no Chromium here to look around with"),
]
PAGES = (
    "/overview", "/topics", "/pair", "/topic?topic=15&run=bm25&run=cosine", "/document?topic=15&document=glob.glob",
)  # fmt: skip


def test_every_page_is_drawn_and_fits(explored_page: Page, explored_at: str) -> None:
    for address in PAGES:
        opened(explored_page, explored_at + address)
        assert explored_page.locator(".drawing[data-drawn=no]").count() == 0
        assert explored_page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_nothing_serious_for_those_who_cannot_see(explored_page: Page, explored_at: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    for address in PAGES:
        opened(explored_page, explored_at + address)
        # The tool is put into the page by the tester, past the page's own rule of what may run.
        found = Axe().run(explored_page).response["violations"]
        assert [each["id"] for each in found if each["impact"] in {"serious", "critical"}] == []


def test_what_if_with_keys_alone(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/topic?topic=15&run=bm25")
    third = explored_page.locator(".ranked li").nth(2)
    name = third.get_attribute("data-document") or ""
    third.focus()
    explored_page.keyboard.press("Alt+ArrowUp")
    explored_page.wait_for_selector("text=Changed.")
    explored_page.wait_for_selector("html[data-drawn]")
    assert changes_of(explored_page) == [["bm25", name, 2]]
    assert explored_page.evaluate("document.activeElement.dataset.document") == name
    explored_page.keyboard.press("Alt+ArrowUp")
    expect(explored_page.locator(".ranked li").nth(0)).to_have_attribute("data-document", name)
    explored_page.wait_for_selector("html[data-drawn]")
    assert len(changes_of(explored_page)) == 2
    explored_page.keyboard.press("u")
    expect(explored_page.locator(".ranked li").nth(1)).to_have_attribute("data-document", name)
    explored_page.wait_for_selector("html[data-drawn]")
    explored_page.go_back()
    expect(explored_page.locator(".ranked li").nth(0)).to_have_attribute("data-document", name)
    explored_page.wait_for_selector("html[data-drawn]")


def test_a_document_is_dragged_and_judged(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/topic?topic=15&run=bm25")
    names = explored_page.eval_on_selector_all(".ranked li", "items => items.map(item => item.dataset.document)")
    explored_page.locator(".ranked li").nth(5).drag_to(explored_page.locator(".ranked li").nth(0))
    explored_page.wait_for_selector("text=Changed.")
    assert changes_of(explored_page) == [["bm25", names[5], 1]]
    explored_page.wait_for_selector("html[data-drawn]")
    grade = explored_page.locator(".ranked li").nth(9).locator("select")
    grade.focus()
    grade.select_option("2")
    expect(explored_page.locator(".ranked li").nth(9).locator(".grade")).to_have_text("2")
    explored_page.wait_for_selector("html[data-drawn]")
    with explored_page.expect_download() as download:
        explored_page.get_by_text("changed qrels").click()
    assert f"15 0 {changes_of(explored_page)[1][0]} 2" in download.value.path().read_text()


def test_a_click_in_the_picture_leads_to_the_lists(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/overview")
    explored_page.locator(".drawing canvas").click(position={"x": 95, "y": 110})
    explored_page.wait_for_url("**/topic?topic=*")
    explored_page.wait_for_selector("html[data-drawn]")


def test_tables_are_sorted_and_taken_away(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/topics")
    explored_page.get_by_role("button", name="mean").click()
    values = explored_page.eval_on_selector_all(
        "tbody td:nth-child(5)", "cells => cells.map(cell => Number(cell.textContent))"
    )
    assert values == sorted(values, reverse=True)
    with explored_page.expect_download() as download:
        explored_page.get_by_text("topics.csv").click()
    assert download.value.path().read_text().startswith("topic,title,relevant,judged,mean")


def test_one_cursor_goes_through_lists_and_curves(explored_page: Page, explored_at: str) -> None:
    """Of 20 ranks each has its document in both lists, wherever in the curves the pointer is."""
    opened(explored_page, f"{explored_at}/topic?topic=15&run=bm25&run=cosine&to=20")
    cursor = "() => views.get(document.querySelectorAll('.drawing')[1]).signal('cursor')"
    ranks = "items => items.map(item => item.dataset.rank)"
    explored_page.locator(".ranked li").nth(4).hover()
    here = explored_page.locator(".ranked li.here")
    expect(here).to_have_count(2)
    assert here.evaluate_all(ranks) == ["5", "5"]
    assert explored_page.evaluate(cursor) == 5
    canvas = explored_page.locator(".drawing canvas").first
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    explored_page.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + box["height"] * 0.4)
    explored_page.wait_for_function(f"![0, 5].includes(({cursor})())")
    rank = explored_page.evaluate(cursor)
    assert 6 <= rank <= 20
    assert here.evaluate_all(ranks) == [str(rank)] * 2


def test_a_list_in_another_order_with_keys_alone(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/topic?topic=15&run=bm25&run=cosine")
    explored_page.get_by_label("Shown").first.focus()
    explored_page.keyboard.type("ideal")
    expect(explored_page.locator(".ranked").first.locator(".grade").first).to_have_text("2")
    drawn(explored_page)
    assert parse_qs(urlparse(explored_page.url).query)["order"] == ["ideal list", "as it is"]
    assert explored_page.locator(".ranked").first.locator("li[draggable]").count() == 0
    explored_page.go_back()
    expect(explored_page.locator(".ranked").first.locator("li[draggable]")).to_have_count(20)
    drawn(explored_page)


def test_tabs_have_states_of_their_own(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/topic?topic=15&run=bm25")
    with explored_page.expect_popup() as popup:
        explored_page.evaluate("window.open(location.href)")
    other = popup.value
    drawn(other)
    other.locator(".ranked li").nth(3).focus()
    other.keyboard.press("Alt+ArrowUp")
    other.wait_for_selector("text=Changed.")
    drawn(other)
    explored_page.reload()
    drawn(explored_page)
    assert explored_page.get_by_text("Changed.").count() == 0
    other.reload()
    drawn(other)
    assert other.get_by_text("Changed.").count() == 1
    other.close()


def test_links_put_a_page_in_the_place_of_the_one_before(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/topics")
    explored_page.evaluate("window.kept = true")
    explored_page.locator("tbody th a").first.click()
    explored_page.wait_for_url("**/topic?*")
    drawn(explored_page)
    assert explored_page.title() == "A topic - cranfield explore"
    assert explored_page.evaluate("window.kept")
    explored_page.go_back()
    expect(explored_page.locator("h1")).to_have_text("Topics")
    drawn(explored_page)


def test_lists_are_added_and_left_out_with_keys_alone(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/topic?topic=15&run=bm25&run=cosine")
    explored_page.get_by_label("Another", exact=True).focus()
    explored_page.keyboard.type("names")
    explored_page.keyboard.press("Enter")
    expect(explored_page.locator("section.list")).to_have_count(3)
    drawn(explored_page)
    explored_page.get_by_role("checkbox", name="bm25").focus()
    explored_page.keyboard.press("Space")
    explored_page.keyboard.press("Enter")
    expect(explored_page.locator("section.list")).to_have_count(2)
    drawn(explored_page)
    assert parse_qs(urlparse(explored_page.url).query)["run"] == ["cosine", "names"]


def test_curves_fill_the_room_that_there_is(explored_page: Page, explored_at: str) -> None:
    """In another window curves have another width, and no figure has to be scrolled unless it is tiny."""
    opened(explored_page, f"{explored_at}/topic?topic=15&run=bm25&run=cosine")
    canvas, window = explored_page.locator(".drawing canvas").first, explored_page.viewport_size
    assert window is not None
    before = canvas.evaluate("canvas => getComputedStyle(canvas).width")
    explored_page.set_viewport_size({"width": 1000, "height": window["height"]})
    expect(canvas).not_to_have_css("width", before)
    scrolled = "each => each.scrollWidth > each.clientWidth + 1"
    regions = explored_page.locator("figure .wide").all()
    assert not any(region.evaluate(scrolled) for region in regions)
    explored_page.set_viewport_size(window)
    expect(canvas).to_have_css("width", before)


def test_a_document_is_moved_without_dragging(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/topic?topic=15&run=bm25")
    items = explored_page.locator(".ranked li")
    names = items.evaluate_all("items => items.map(item => item.dataset.document)")
    places = items.nth(4).get_by_label("Another grade or place")
    places.focus()
    assert places.locator("optgroup[label=move] option").all_inner_texts() == ["to the top", "one up", "one down"]
    places.select_option("to the top")
    expect(items.nth(0)).to_have_attribute("data-document", names[4])
    drawn(explored_page)
    first = items.nth(0).get_by_label("Another grade or place")
    first.focus()
    assert first.locator("optgroup[label=move] option").all_inner_texts() == ["one down"]
    first.select_option("one down")
    expect(items.nth(1)).to_have_attribute("data-document", names[4])
    drawn(explored_page)
    assert changes_of(explored_page) == [["bm25", names[4], 1], ["bm25", names[4], 2]]


def test_an_explorer_that_was_ended_is_missed() -> None:
    """The browser says so on its console, too, which is why nobody watches that here."""
    with browsing(1280) as page:
        with serving() as address:
            opened(page, f"{address}/topic?topic=15&run=bm25")
        for _ in range(2):
            page.keyboard.press("/")
            expect(page.get_by_role("alert")).to_contain_text("Start it again")
        assert page.locator(".ranked li").count() == 20


HASTY = """
async () => {
  const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
  const items = () => document.querySelector(".ranked").querySelectorAll("li");
  for (let turn = 0; turn < 15; turn += 1) {
    const how = { dataTransfer: new DataTransfer(), bubbles: true, cancelable: true };
    const [moved, to] = [items()[1 + (7 * turn) % 18], items()[(5 * turn) % 17]];
    for (const [item, kind] of [[moved, "dragstart"], [to, "dragover"], [to, "drop"]]) {
      item.dispatchEvent(new DragEvent(kind, how));
    }
    if (turn % 5 === 2) history.back();
    if (turn % 5 === 3) history.forward();
    if (turn % 5 === 4) document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "u", bubbles: true }));
    await wait([0, 5, 30, 80][turn % 4]);
  }
}
"""
"""Move documents faster than pages come, and go back, forward and undo in between."""
SHOWN = """
async () => {
  const view = document.getElementById("view");
  const fresh = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
  const said = (page) => [...page.querySelectorAll("section.list")].map((list) => [
    [...list.querySelectorAll("li")].map((item) => item.dataset.document),
    [...list.querySelectorAll("td")].map((cell) => cell.textContent),
    list.querySelector(".drawing").dataset.figure,
  ]);
  const rows = [];
  for (const place of view.querySelectorAll(".drawing")) {
    const spec = await (await fetch(place.dataset.figure)).json();
    const numbers = (rows) => rows.map(({ rank, crp, gain }) => [rank, crp, gain]);
    const known = (name) => numbers(window.views.get(place).data(name));
    const asked = (name) => numbers(spec.data.find((each) => each.name === name).values);
    rows.push(["steps", "before"].map((name) => [known(name), asked(name)]));
  }
  return { here: said(document), there: said(fresh), rows };
}
"""
"""What lists and curves say, and what they should say at this address."""


def test_hasty_hands_end_with_what_the_address_says(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/topic?topic=15&run=bm25&run=cosine")
    explored_page.evaluate(HASTY)
    explored_page.wait_for_timeout(1_500)
    drawn(explored_page)
    assert len(changes_of(explored_page)) > 3
    found = explored_page.evaluate(SHOWN)
    assert len(found["here"]) == 2
    assert found["here"] == found["there"]
    for curves in found["rows"]:
        for shown, asked in curves:
            assert shown == asked


MIDDLES = """
(places) => {
  const items = document.querySelector(".ranked").querySelectorAll("li");
  items[Math.max(...places)].scrollIntoView({ block: "center" });
  return places.map((place) => items[place].getBoundingClientRect()).map((box) => [box.x + 10, box.y + box.height / 2]);
}
"""
"""Where documents of the first list are, in one breath: a moment later there may be others."""


def dragged(page: Page, start: int, end: int, *, meanwhile: int = 0) -> None:
    """Drag a document with the pointer; hold it over its place for some milliseconds."""
    [(x, y), (_, to)] = page.evaluate(MIDDLES, [start, end])
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 2, y + 4)
    page.mouse.move(x + 2, to, steps=3)
    page.wait_for_timeout(meanwhile)
    page.mouse.move(x + 3, to + 1)
    page.mouse.up()


def test_a_page_is_not_replaced_under_the_hand(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/topic?topic=15&run=bm25")
    explored_page.evaluate("""() => {
      const now = window.fetch;
      window.fetch = async (...asked) => { await new Promise((done) => setTimeout(done, 400)); return now(...asked); };
    }""")
    dragged(explored_page, 4, 2, meanwhile=100)
    dragged(explored_page, 3, 1, meanwhile=1_200)  # the page of the first one comes while the second is held
    assert explored_page.locator("text=No changes.").count() == 1
    expect(explored_page.locator("text=Changed.")).to_be_visible()
    drawn(explored_page)
    assert [rank for *_, rank in changes_of(explored_page)] == [3, 2]


def test_a_document_that_stays_where_it_is_changes_nothing(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/topic?topic=15&run=bm25&first=100")
    dragged(explored_page, 3, 3, meanwhile=100)
    last = explored_page.locator(".ranked li").last
    last.focus()
    explored_page.keyboard.press("Alt+ArrowDown")
    explored_page.wait_for_timeout(300)
    assert changes_of(explored_page) == []
    assert explored_page.locator(".problem").count() == 0


def test_keys_may_be_faster_than_pages(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/topic?topic=15&run=bm25&run=cosine")
    tenth = explored_page.locator(".ranked").first.locator("li").nth(9)
    name = tenth.get_attribute("data-document")
    tenth.focus()
    for _ in range(5):
        explored_page.keyboard.press("Alt+ArrowUp")
    expect(explored_page.locator(".ranked").first.locator("li").nth(4)).to_have_attribute("data-document", name or "")
    drawn(explored_page)
    assert [rank for *_, rank in changes_of(explored_page)] == [9, 8, 7, 6, 5]


def test_a_change_leaves_the_reader_where_he_is(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/topic?topic=15&run=bm25&run=cosine")
    points = explored_page.locator("details.points").nth(1)
    points.locator("summary").click()
    choice = explored_page.locator(".ranked").nth(1).locator("li").nth(2).locator("select")
    choice.focus()
    choice.select_option("2")
    explored_page.wait_for_selector("text=Changed.")
    drawn(explored_page)
    assert explored_page.locator("details.points").nth(1).get_attribute("open") is not None
    assert explored_page.locator("details.points").nth(0).get_attribute("open") is None
    expect(explored_page.locator(".ranked").nth(1).locator("li").nth(2).locator("select")).to_be_focused()


def test_curves_of_another_topic_are_drawn_anew(explored_page: Page, explored_at: str) -> None:
    """Only rows are given to curves that stay, and what stands above them names the topic."""
    drawing = "views.get(document.querySelector('.drawing'))"
    opened(explored_page, f"{explored_at}/topic?topic=15&run=bm25")
    explored_page.evaluate(f"void (window.first = {drawing})")
    go = "async (to) => { const { go } = await import('/assets/app.js'); await go(new URL(to, location.href)); }"
    explored_page.evaluate(go, "/topic?topic=15&run=bm25&measure=AP")
    drawn(explored_page)
    assert explored_page.evaluate(f"window.first === {drawing}")
    explored_page.evaluate(go, "/topic?topic=3&run=bm25")
    drawn(explored_page)
    assert not explored_page.evaluate(f"window.first === {drawing}")
    assert "Topic 3; 1 run" in explored_page.evaluate(f"{drawing}.scenegraph().toJSON()")


def test_show_keeps_the_order_of_each_list(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/topic?topic=15&run=bm25&run=cosine&order=&order=ideal+list")
    explored_page.get_by_role("checkbox", name="bm25").uncheck()
    explored_page.get_by_role("button", name="Show").click()
    expect(explored_page.locator("section.list")).to_have_count(1)
    drawn(explored_page)
    expect(explored_page.locator("section.list select[data-state=order]")).to_have_value("ideal list")
