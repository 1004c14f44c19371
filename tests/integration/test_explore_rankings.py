"""All rankings in the browser: brushed and picked with the pointer, and the same with the keyboard alone."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Page, expect
from tools.exploring import drawn, opened
from tools.pages import chromium

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(chromium() is None, reason="there is no Chromium here to look around with"),
]
LISTS = ".picked .list h2"
ON_PAGE = """([x, y]) => {
  const place = document.querySelector(".drawing");
  place.scrollIntoView({ block: "center" });
  const view = views.get(place);
  const { left, top } = place.querySelector("canvas").getBoundingClientRect();
  const [across, down] = view.origin();
  const around = view.padding();
  return [left + around.left + across + view.scale("x")(x), top + around.top + down + view.scale("y")(y)];
}"""
ALONE = """() => {
  const rows = views.get(document.querySelector(".drawing")).data("rankings");
  const far = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
  return rows.filter((one) => rows.every((other) => other === one || far(one, other) > 0.05))
    .map(({ run, topic, x, y }) => ({ run, topic, x, y }));
}"""
SIGNAL = "name => views.get(document.querySelector('.drawing')).signal(name)"
RINGED = "() => views.get(document.querySelector('.drawing')).data('picked').map(({ x, y }) => [x, y])"


def at(page: Page, x: float, y: float) -> tuple[float, float]:
    """Return where values lie on the screen."""
    across, down = page.evaluate(ON_PAGE, [x, y])
    return across, down


def alone(page: Page) -> list[dict[str, object]]:
    """Return the rankings that no other is near."""
    found: list[dict[str, object]] = page.evaluate(ALONE)
    return found


def asked(page: Page, name: str) -> list[str]:
    return parse_qs(urlparse(page.url).query).get(name, [])


def click(page: Page, x: object, y: object, *, shift: bool = False) -> None:
    page.mouse.move(*at(page, float(str(x)), float(str(y))))
    if shift:
        page.keyboard.down("Shift")
    page.mouse.down()
    page.mouse.up()
    if shift:
        page.keyboard.up("Shift")


def named(place: int, ranking: dict[str, object]) -> re.Pattern[str]:
    """Return the heading of a list that is pinned, with the words of its topic."""
    return re.compile(rf"^{place} {ranking['run']} on topic {ranking['topic']} \S")


def test_rankings_are_picked_and_pinned(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/rankings")
    one, other = alone(explored_page)[:2]
    lists = explored_page.locator(LISTS)
    click(explored_page, one["x"], one["y"])
    expect(lists).to_have_text([named(1, one)])
    drawn(explored_page)
    assert explored_page.locator(".picked .drawing canvas").count() == 1
    click(explored_page, other["x"], other["y"], shift=True)
    both = [named(1, one), named(2, other)]
    expect(lists).to_have_text(both)
    drawn(explored_page)
    assert explored_page.evaluate(RINGED) == [[one["x"], one["y"]], [other["x"], other["y"]]]
    assert asked(explored_page, "pick_topic") == [one["topic"], other["topic"]]
    explored_page.reload()
    drawn(explored_page)
    expect(lists).to_have_text(both)
    assert len(explored_page.evaluate(RINGED)) == 2
    explored_page.go_back()
    expect(lists).to_have_text(both[:1])
    drawn(explored_page)
    assert explored_page.evaluate(RINGED) == [[one["x"], one["y"]]]
    explored_page.keyboard.press("Escape")
    expect(lists).to_have_count(0)
    drawn(explored_page)
    assert explored_page.evaluate(RINGED) == []
    assert asked(explored_page, "pick_run") == []
    explored_page.go_back()
    expect(lists).to_have_text(both[:1])
    drawn(explored_page)


def test_a_click_beside_a_point_is_one_on_it_and_one_far_from_all_ends_it(
    explored_page: Page, explored_at: str
) -> None:
    opened(explored_page, f"{explored_at}/rankings")
    one = alone(explored_page)[0]
    across, down = at(explored_page, float(str(one["x"])), float(str(one["y"])))
    explored_page.mouse.click(across + 5, down + 5)
    expect(explored_page.locator(LISTS)).to_have_text([named(1, one)])
    drawn(explored_page)
    click(explored_page, 0.97, 0.03)
    expect(explored_page.locator(LISTS)).to_have_count(0)
    drawn(explored_page)


def test_a_brush_chooses_and_is_in_the_address(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/rankings")
    before = explored_page.evaluate("history.length")
    explored_page.mouse.move(*at(explored_page, 0.2, 0.9))
    explored_page.mouse.down()
    explored_page.mouse.move(*at(explored_page, 0.4, 0.7), steps=3)
    assert asked(explored_page, "x_from") == []  # not at each step
    explored_page.mouse.move(*at(explored_page, 0.6, 0.4), steps=3)
    explored_page.mouse.up()
    expect(explored_page.locator("#chosen")).to_have_text(re.compile("of 100 rankings chosen"))
    drawn(explored_page)
    assert explored_page.evaluate("history.length") == before
    ends = [float(asked(explored_page, name)[0]) for name in ("x_from", "x_to", "y_from", "y_to")]
    assert ends == pytest.approx([0.2, 0.6, 0.4, 0.9], abs=0.01)
    said = explored_page.locator("#chosen").text_content() or ""
    rows = explored_page.eval_on_selector_all(
        "#table tbody tr", "rows => rows.map(row => [4, 5].map(i => Number(row.cells[i].textContent)))"
    )
    assert said.startswith(f"{len(rows)} of")
    assert all(ends[0] <= x <= ends[1] and ends[2] <= y <= ends[3] for x, y in rows)
    expect(explored_page.locator("#said")).to_have_text(said)
    explored_page.reload()
    drawn(explored_page)
    assert explored_page.evaluate(SIGNAL, "brush") == ends
    expect(explored_page.locator("#chosen")).to_have_text(said)
    explored_page.keyboard.press("Escape")
    expect(explored_page.locator("#chosen")).to_have_text("All 100 rankings")
    drawn(explored_page)
    assert explored_page.evaluate(SIGNAL, "brush") is None


def test_the_same_with_keys_alone(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/rankings")
    field = explored_page.get_by_role("spinbutton", name="nDCG@10 from")
    field.focus()
    explored_page.keyboard.type("0.5")
    with explored_page.expect_navigation():
        explored_page.keyboard.press("Enter")
    drawn(explored_page)
    assert explored_page.evaluate(SIGNAL, "brush") == [0, 1, 0.5, 1]  # ends that are not given are the axes'
    first = explored_page.locator("#table tbody tr").nth(0)
    name, topic = first.locator("th").inner_text(), first.locator("td").nth(1).inner_text()
    first.get_by_text("curves").focus()
    explored_page.keyboard.press("Enter")
    expect(explored_page.locator(LISTS)).to_have_text([f"1 {name} on topic {topic}"])
    expect(explored_page.locator(LISTS)).to_be_focused()
    drawn(explored_page)
    explored_page.get_by_text("To the table").focus()
    explored_page.keyboard.press("Enter")
    expect(explored_page.locator("#table")).to_be_focused()
    explored_page.locator("#table tbody tr").nth(1).get_by_text("beside").focus()
    explored_page.keyboard.press("Enter")
    expect(explored_page.locator(LISTS)).to_have_count(2)
    expect(explored_page.locator(LISTS).nth(1)).to_be_focused()
    drawn(explored_page)
    assert len(explored_page.evaluate(RINGED)) == 2
    explored_page.locator(".counts a").nth(2).focus()  # an archetype
    explored_page.keyboard.press("Enter")
    expect(explored_page.locator("#chosen")).to_be_focused()
    drawn(explored_page)
    kept = explored_page.evaluate(SIGNAL, "kept")
    assert set(kept) == {"0", "1"}
    assert len(kept) == 100
    assert explored_page.locator(LISTS).count() == 2
    explored_page.keyboard.press("Escape")
    expect(explored_page.locator(LISTS)).to_have_count(0)
    drawn(explored_page)


def test_it_fits_and_nothing_is_serious_for_those_who_cannot_see(explored_page: Page, explored_at: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    for query in ("", "?y_from=0.5&run=bm25&pick_run=bm25&pick_topic=15&pick_run=cosine&pick_topic=3", "?x_from=2"):
        opened(explored_page, f"{explored_at}/rankings{query}")
        assert explored_page.locator(".drawing[data-drawn=no]").count() == 0
        assert explored_page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        found = Axe().run(explored_page).response["violations"]
        assert [each["id"] for each in found if each["impact"] in {"serious", "critical"}] == []
