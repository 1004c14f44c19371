"""Two runs as a person compares them: a server of its own, a browser, no network."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Page, expect
from tools.exploring import opened, serving, watching
from tools.pages import chromium

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(chromium() is None, reason="there is no Chromium here to look around with"),
]
PAIR = "/pair?measure=nDCG@10&a=bm25&b=names"
BAR = """() => {
  const place = document.querySelector('.drawing[data-figure^="/figure/differences"]');
  const view = views.get(place);
  const x = view.scale("x"), y = view.scale("y"), [left, top] = view.origin(), padding = view.padding();
  const [topic] = x.domain();
  return { topic, x: padding.left + left + x(topic) + x.bandwidth() / 2, y: padding.top + top + y(0) - 2 };
}"""
"""Where the first bar begins, in pixels of its figure, and which topic it is."""


def asked_of(page: Page) -> dict[str, list[str]]:
    """Return what the address asks for."""
    return parse_qs(urlparse(page.url).query)


def tabbed_to(page: Page, selector: str, most: int = 200) -> None:
    """Press Tab until something is reached."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"Tab does not lead to {selector}")


def gone(page: Page, path: str) -> None:
    """Press Enter, and wait for the page that it leads to."""
    with page.expect_navigation(url=lambda url: urlparse(url).path == path):
        page.keyboard.press("Enter")
    page.wait_for_selector("html[data-drawn]")


def test_a_bar_leads_to_both_lists(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, explored_at + PAIR)
    bar = explored_page.evaluate(BAR)
    explored_page.locator(".drawing[data-figure^='/figure/differences'] canvas").click(
        position={"x": bar["x"], "y": bar["y"]}
    )
    explored_page.wait_for_url("**/topic?*")
    asked = asked_of(explored_page)
    assert (asked["topic"], asked["run"], asked["measure"]) == ([bar["topic"]], ["bm25", "names"], ["nDCG@10"])
    expect(explored_page.locator(".ranked")).to_have_count(2)
    explored_page.wait_for_selector("html[data-drawn]")


def test_from_the_leaderboard_to_a_deciding_document_with_keys_alone(explored_page: Page, explored_at: str) -> None:
    page = explored_page
    opened(page, f"{explored_at}/overview?measure=RBP(p%3D0.8)")
    tabbed_to(page, "form[action='/pair'] button:not([type=button])")
    gone(page, "/pair")
    tabbed_to(page, "select[name=by]")
    page.keyboard.type("overlap")
    tabbed_to(page, "form.choices button")
    gone(page, "/pair")
    assert asked_of(page)["by"] == ["overlap"]
    overlaps = page.eval_on_selector_all(
        "section[aria-labelledby=differ] tbody tr", "rows => rows.map(row => row.cells[6].textContent)"
    )
    assert overlaps == sorted(overlaps)

    tabbed_to(page, "section[aria-labelledby=differ] tbody a")
    most = page.evaluate("document.activeElement.textContent")
    gone(page, "/topic")
    assert asked_of(page)["topic"] == [most]
    expect(page.locator(".ranked")).to_have_count(2)
    page.go_back()  # Alt with the left arrow, which is the browser's own
    page.wait_for_url("**/pair?*")
    page.wait_for_selector("html[data-drawn]")
    assert asked_of(page)["by"] == ["overlap"]

    tabbed_to(page, "a[aria-label^='Documents that decide']")
    gone(page, "/pair")
    expect(page.locator("#why")).to_contain_text(f"topic {most}")
    tabbed_to(page, "section[aria-labelledby=why] tbody a[href^='/document']")
    name = page.evaluate("document.activeElement.textContent")
    gone(page, "/document")
    expect(page.locator("h1")).to_have_text(name)


def test_what_it_takes_is_tried_on_the_page_of_the_topic(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/pair?measure=nDCG@10&a=cosine&b=names")
    found = explored_page.locator("section[aria-labelledby=overtake]")
    expect(found).to_contain_text("Documents needed: exactly 1.")
    found.locator("a[href*=changes]").click()
    explored_page.wait_for_selector("text=Changed.")
    explored_page.wait_for_selector("html[data-drawn]")
    table = explored_page.locator(".list table.values").filter(has_text="nDCG@10")
    after = [float(each.locator("tr", has_text="nDCG@10").locator("td").nth(2).inner_text()) for each in table.all()]
    assert after[0] > after[1]  # the one that was behind stands first


def test_nothing_serious_for_those_who_cannot_see(explored_page: Page, explored_at: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    for more in ("&by=overlap", "&by=effort+against+gain&topic=15", "&measure=AP&a=cosine", "&b=bm25"):
        opened(explored_page, f"{explored_at}{PAIR}{more}")
        assert explored_page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        found = Axe().run(explored_page).response["violations"]
        assert [each["id"] for each in found if each["impact"] in {"serious", "critical"}] == []


def test_what_is_not_retrieved_stands_clear_of_the_ranks_on_a_telephone(tmp_path: Path, browser: None) -> None:
    """The words ran from one list into the ranks of the other, which are 60 pixels apart there."""
    drawn = "views.get(document.querySelector('.drawing[data-figure^=\"/figure/why\"]')).toSVG()"
    (tmp_path / "qrels.txt").write_text("".join(f"{topic} 0 document-{n} 1\n" for topic in (1, 2) for n in range(6)))
    for run, found in (("one", range(4)), ("other", range(1, 6))):
        rows = (f"{topic} Q0 document-{n} 0 {9 - n} {run}\n" for topic in (1, 2) for n in found)
        (tmp_path / run).write_text("".join(rows))
    with serving([str(tmp_path / name) for name in ("qrels.txt", "one", "other")]) as served:
        for width in (1280, 390):
            with watching(served, width) as page:
                opened(page, f"{served}/pair?measure=nDCG@10&a=one&b=other")
                svg = page.evaluate(drawn)
                assert [svg.count(f">{words}<") for words in ("not retrieved", "✕", "✕: not retrieved.")] == (
                    [3, 0, 0] if width > 390 else [0, 3, 1]
                )
                assert page.evaluate("document.documentElement.scrollWidth") == width
