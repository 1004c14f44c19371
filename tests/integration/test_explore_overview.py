"""The leaderboard and a run as a person uses them: lines are brushed, typed, kept, and come back."""

from __future__ import annotations

from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Page, expect
from tools.exploring import drawn, opened
from tools.pages import chromium

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(chromium() is None, reason="there is no Chromium here to look around with"),
]
PAGES = (
    "/overview?with=ranges&with=groups&with=archetypes",
    "/overview?figure=parallel&low.RecoveryValue=0.2",
    "/run?run=bm25",
    "/run?run=cosine&low.RecoveryValue=0.2",
)
BRIGHT = (
    "views.get(document.querySelector('.drawing')).data('lines').filter((line) => line.kept).map((line) => line.name)"
)
"""The lines that the figure keeps."""


def kept(page: Page) -> list[str]:
    """Return the lines that the page lists."""
    return page.locator("[data-kept] + .wide tbody th").all_inner_texts()


def asked(page: Page) -> dict[str, list[str]]:
    """Return what the address says."""
    return parse_qs(urlparse(page.url).query)


def at(page: Page, what: str) -> list[float]:
    """Return places on the screen: ``x(axis)``, and ``y(part)``, where 1 is the upper end of an axis."""
    page.locator(".drawing canvas").evaluate("canvas => canvas.scrollIntoView({ block: 'center', inline: 'nearest' })")
    found: list[float] = page.evaluate(
        f"""(() => {{
            const place = document.querySelector(".drawing"), view = views.get(place);
            const box = place.querySelector("canvas").getBoundingClientRect();
            const [left, top] = view.origin(), room = view.padding();
            const x = (axis) => box.x + left + room.left + view.scale("across")(String(axis));
            const y = (part) => box.y + top + room.top + (1 - part) * view.height();
            return {what};
        }})()"""
    )
    return found


def brush(page: Page, axis: int, low: float, high: float) -> None:
    """Drag along an axis, from one part of it to another."""
    x, start, end = at(page, f"[x({axis}), y({low}), y({high})]")
    page.mouse.move(x, start)
    page.mouse.down()
    page.mouse.move(x, end, steps=5)
    page.mouse.up()


def test_every_page_is_drawn_and_fits(explored_page: Page, explored_at: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    for address in PAGES:
        opened(explored_page, explored_at + address)
        assert explored_page.locator(".drawing[data-drawn=no]").count() == 0
        assert explored_page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        found = Axe().run(explored_page).response["violations"]
        assert [each["id"] for each in found if each["impact"] in {"serious", "critical"}] == []


def test_lines_are_brushed_and_listed(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/run?run=bm25")
    brush(explored_page, 0, 0.2, 0.6)
    explored_page.wait_for_selector("[data-kept] + .wide")
    drawn(explored_page)
    low, high = (float(asked(explored_page)[f"{end}.NumRel"][0]) for end in ("low", "high"))
    assert [low, high] == pytest.approx([0.2 * 29, 0.6 * 29], abs=0.5)  # a topic has up to 29 relevant documents
    some = kept(explored_page)
    assert 0 < len(some) < 25
    assert set(some) == set(explored_page.evaluate(BRIGHT))
    explored_page.reload()
    drawn(explored_page)
    assert kept(explored_page) == some
    assert set(some) == set(explored_page.evaluate(BRIGHT))
    # A second axis keeps fewer; another page and back again keeps them, too.
    explored_page.locator("input[name='low.CRPMin']").fill("0.3")
    explored_page.keyboard.press("Enter")
    expect(explored_page.locator("[data-kept]")).not_to_have_text(f"{len(some)} of 25 topics kept.")
    drawn(explored_page)
    fewer = kept(explored_page)
    assert set(fewer) < set(some)
    assert set(fewer) == set(explored_page.evaluate(BRIGHT))
    explored_page.locator("[data-kept] + .wide tbody a").first.click()
    explored_page.wait_for_url("**/topic?topic=*run=bm25*")
    explored_page.go_back()
    explored_page.wait_for_selector("[data-kept] + .wide")
    drawn(explored_page)
    assert kept(explored_page) == fewer
    assert set(fewer) == set(explored_page.evaluate(BRIGHT))
    explored_page.get_by_text("Keep all").click()
    expect(explored_page.locator("[data-kept]")).to_contain_text("25 of 25 topics kept")


def test_the_picture_keeps_what_is_listed(explored_page: Page, explored_at: str) -> None:
    """Topics 1 and others have exactly ten relevant documents; ends are kept, and whichever end is given first."""
    for ends in ("low.NumRel=10", "high.NumRel=10", "low.NumRel=12&high.NumRel=10", "low.NumRel=10&high.NumRel=10"):
        opened(explored_page, f"{explored_at}/run?run=bm25&{ends}")
        assert set(kept(explored_page)) == set(explored_page.evaluate(BRIGHT))
        assert "1" in kept(explored_page)


def test_a_double_click_frees_an_axis(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/run?run=bm25&low.NumRel=10&low.CRPMin=0.12345")
    x, y = at(explored_page, "[x(0), y(0.5)]")
    explored_page.mouse.dblclick(x, y)
    explored_page.wait_for_url("**/run?run=bm25&low.CRPMin=0.12345")  # the other axis is as it was
    drawn(explored_page)
    assert set(kept(explored_page)) == set(explored_page.evaluate(BRIGHT))


def test_what_is_looked_at_stays_in_sight(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/run?run=bm25")
    region = explored_page.locator(".picture .wide")
    region.evaluate("region => { region.scrollLeft = 1000; }")
    before = region.evaluate("region => region.scrollLeft")
    brush(explored_page, 5, 0.2, 0.9)
    explored_page.wait_for_selector("[data-kept] + .wide")
    drawn(explored_page)
    assert region.evaluate("region => region.scrollLeft") == before


def test_a_click_on_a_line_leads_to_what_it_is(explored_page: Page, explored_at: str) -> None:
    for address, there in (("/run?run=bm25", "**/topic?topic=*"), ("/overview?figure=parallel", "**/run?run=*")):
        opened(explored_page, explored_at + address)
        first, next_ = "view.data('lines')[0]", "view.scale('across').domain()[1]"  # the first measure that has an axis
        where = at(explored_page, f"[(x(-1) + x({next_})) / 2, (y({first}['at-1']) + y({first}['at' + {next_}])) / 2]")
        explored_page.mouse.click(*where)
        explored_page.wait_for_url(there)


def test_without_scripts_the_same_lines_are_listed(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/run?run=bm25&low.NumRel=10")
    listed = kept(explored_page)
    browser = explored_page.context.browser
    assert browser is not None
    plain = browser.new_page(java_script_enabled=False)
    plain.goto(f"{explored_at}/run?run=bm25")
    plain.get_by_text("Keep lines between two values").click()
    plain.locator("input[name='low.NumRel']").fill("10")
    plain.get_by_role("button", name="Keep these").click()
    assert kept(plain) == listed


def test_from_a_measure_to_a_list_with_keys_alone(explored_page: Page, explored_at: str) -> None:
    """Choose a measure, sort, open a run, keep some of its lines, open one of its topics."""
    opened(explored_page, f"{explored_at}/overview")
    keys = explored_page.keyboard
    explored_page.locator("select[name=measure]").focus()
    keys.press("ArrowDown")
    tab_to(explored_page, "button", "Show")
    keys.press("Enter")
    explored_page.wait_for_url("**measure=AP*")
    drawn(explored_page)
    tab_to(explored_page, "button", "AP")
    keys.press("Enter")
    expect(explored_page.get_by_role("region", name="Leaderboard").locator("th[aria-sort]")).to_have_text("AP")
    tab_to(explored_page, "a", "bm25")
    keys.press("Enter")
    explored_page.wait_for_url("**/run?run=bm25&measure=AP")
    drawn(explored_page)
    tab_to(explored_page, "summary", "Keep lines between two values")
    keys.press("Enter")
    keys.press("Tab")
    keys.type("10")
    keys.press("Enter")
    explored_page.wait_for_selector("[data-kept] + .wide")
    drawn(explored_page)
    assert explored_page.locator("#said").inner_text() == explored_page.locator("[data-kept]").inner_text()
    first = kept(explored_page)[0]
    tab_to(explored_page, "a", first)
    keys.press("Enter")
    explored_page.wait_for_url(f"**/topic?topic={first}&run=bm25&measure=AP")


def tab_to(page: Page, tag: str, text: str) -> None:
    """Press Tab until the focus is there."""
    for _ in range(150):
        page.keyboard.press("Tab")
        if page.evaluate("[document.activeElement.localName, document.activeElement.innerText]") == [tag, text]:
            return
    raise AssertionError(f"Tab does not lead to {tag} {text}")


def test_what_the_sliders_leave_is_grey_and_said_to_be(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/overview?measure=nDCG%4010")
    colour = "cell => getComputedStyle(cell).color"
    row = explored_page.locator("table.board tbody tr").first
    moved, left = row.locator("td[data-of=mean]"), row.locator("td.number:not([data-of])").first
    assert moved.evaluate(colour) == left.evaluate(colour)
    expect(explored_page.locator("[data-stays]")).to_be_hidden()
    explored_page.locator("[data-slider=relevant]").fill("3")
    expect(explored_page.locator("[data-stays]")).to_contain_text("the sliders move nDCG@10")
    assert moved.evaluate(colour) != left.evaluate(colour)
    explored_page.locator("[data-reset]").click()
    assert moved.evaluate(colour) == left.evaluate(colour)


def test_a_topic_is_named_with_its_words(explored_page: Page, explored_at: str) -> None:
    words = "temporary file that goes away by itself"
    opened(explored_page, f"{explored_at}/pair?a=bm25&b=likelihood&topic=25&measure=nDCG%4010")
    assert words in explored_page.locator("#why").inner_text()
    assert words in str(
        explored_page.evaluate("fetch(document.querySelector('.drawing').dataset.figure).then(a => a.text())")
    )


def test_names_of_topics_do_not_run_into_each_other(explored_page: Page, explored_at: str) -> None:
    """On a telephone columns were 3 pixels wide; they keep ten, and the heat map is scrolled."""
    opened(explored_page, f"{explored_at}/overview")
    place = ".drawing[data-figure^='/figure/heatmap']"
    step = explored_page.evaluate(f"""views.get(document.querySelector("{place}")).signal("x_step")""")
    assert step >= 10
    region = explored_page.locator(".wide", has=explored_page.locator(place))
    end = region.evaluate(
        "each => { each.scrollLeft = 1e6; return each.scrollLeft + each.clientWidth - each.scrollWidth; }"
    )
    assert abs(end) <= 1
    assert explored_page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
