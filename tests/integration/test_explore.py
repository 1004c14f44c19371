"""The explorer as a person uses it: a server of its own, a browser, no network."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlparse
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, expect
from tools.pages import WIDTHS, browsing, chromium

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(chromium() is None, reason="there is no Chromium here to look around with"),
]
PAGES = (
    "/overview", "/topics", "/pair", "/topic?topic=15&run=bm25&run=cosine", "/document?topic=15&document=glob.glob",
)  # fmt: skip


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "cranfield", "explore", "--demo", "--no-browser", "--port", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    line = process.stderr.readline()
    assert line.startswith(f"ready at http://127.0.0.1:{port}")
    for _ in range(100):  # it says so just before it listens
        try:
            with urlopen(f"http://127.0.0.1:{port}/topics"):
                break
        except OSError:
            time.sleep(0.1)
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    assert process.wait(timeout=20) in {0, 143, -15}
    process.stderr.close()


@pytest.fixture(params=WIDTHS)
def page(request: pytest.FixtureRequest, served: str) -> Iterator[Page]:
    with browsing(request.param) as page:
        wrong: list[str] = []
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "request",
            lambda asked: None if asked.url.startswith((served, "data:", "blob:")) else wrong.append(asked.url),
        )
        page.set_default_timeout(20_000)
        expect.set_options(timeout=20_000)
        yield page
        assert not wrong


def opened(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("html[data-drawn]")


def changes_of(page: Page) -> list[Any]:
    found = parse_qs(urlparse(page.url).query).get("changes", ["[]"])[0]
    return list(json.loads(found))


def test_every_page_is_drawn_and_fits(page: Page, served: str) -> None:
    for address in PAGES:
        opened(page, served + address)
        assert page.locator(".drawing[data-drawn=no]").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_nothing_serious_for_those_who_cannot_see(page: Page, served: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    for address in PAGES:
        opened(page, served + address)
        # The tool is put into the page by the tester, past the page's own rule of what may run.
        found = Axe().run(page).response["violations"]
        assert [each["id"] for each in found if each["impact"] in {"serious", "critical"}] == []


def test_what_if_with_keys_alone(page: Page, served: str) -> None:
    opened(page, f"{served}/topic?topic=15&run=bm25")
    third = page.locator(".ranked li").nth(2)
    name = third.get_attribute("data-document") or ""
    third.focus()
    page.keyboard.press("Alt+ArrowUp")
    page.wait_for_selector("text=Changed.")
    page.wait_for_selector("html[data-drawn]")
    assert changes_of(page) == [["bm25", name, 2]]
    assert page.evaluate("document.activeElement.dataset.document") == name
    page.keyboard.press("Alt+ArrowUp")
    expect(page.locator(".ranked li").nth(0)).to_have_attribute("data-document", name)
    page.wait_for_selector("html[data-drawn]")
    assert len(changes_of(page)) == 2
    page.keyboard.press("u")
    expect(page.locator(".ranked li").nth(1)).to_have_attribute("data-document", name)
    page.wait_for_selector("html[data-drawn]")
    page.go_back()
    expect(page.locator(".ranked li").nth(0)).to_have_attribute("data-document", name)
    page.wait_for_selector("html[data-drawn]")


def test_a_document_is_dragged_and_judged(page: Page, served: str) -> None:
    opened(page, f"{served}/topic?topic=15&run=bm25")
    names = page.eval_on_selector_all(".ranked li", "items => items.map(item => item.dataset.document)")
    page.locator(".ranked li").nth(5).drag_to(page.locator(".ranked li").nth(0))
    page.wait_for_selector("text=Changed.")
    assert changes_of(page) == [["bm25", names[5], 1]]
    page.wait_for_selector("html[data-drawn]")
    page.locator(".ranked li").nth(9).locator("select").select_option("2")
    expect(page.locator(".ranked li").nth(9).locator(".grade")).to_have_text("2")
    page.wait_for_selector("html[data-drawn]")
    with page.expect_download() as download:
        page.get_by_text("changed qrels").click()
    assert f"15 0 {changes_of(page)[1][0]} 2" in download.value.path().read_text()


def test_a_click_in_the_picture_leads_to_the_lists(page: Page, served: str) -> None:
    opened(page, f"{served}/overview")
    page.locator(".drawing canvas").click(position={"x": 95, "y": 78})
    page.wait_for_url("**/topic?topic=*")
    page.wait_for_selector("html[data-drawn]")


def test_tables_are_sorted_and_taken_away(page: Page, served: str) -> None:
    opened(page, f"{served}/topics")
    page.get_by_role("button", name="mean").click()
    values = page.eval_on_selector_all("tbody td:nth-child(5)", "cells => cells.map(cell => Number(cell.textContent))")
    assert values == sorted(values, reverse=True)
    with page.expect_download() as download:
        page.get_by_text("topics.csv").click()
    assert download.value.path().read_text().startswith("topic,title,relevant,judged,mean")
