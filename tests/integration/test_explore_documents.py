"""Documents as a person reads them: what others wrote is shown, and nothing of it runs or calls anybody."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tools.exploring import opened, serving, watching
from tools.pages import WIDTHS, browsing, chromium

import cranfield as cf

pytestmark = [
    pytest.mark.integration,
    pytest.mark.usefixtures("browser"),
    pytest.mark.skipif(chromium() is None, reason="there is no Chromium here to look around with"),
]
EVIL = """<!doctype html><html><head><title>On wings</title>
<meta http-equiv="refresh" content="0;url=ELSEWHERE/refresh">
<link rel="stylesheet" href="ELSEWHERE/link.css"><link rel="preconnect" href="ELSEWHERE">
<style>@import url(ELSEWHERE/import.css); h1 { background: url(ELSEWHERE/background.png); color: #0059a8; }</style>
<script>top.location = "ELSEWHERE/script"; alert(1);</script><script src="ELSEWHERE/script.js"></script>
</head><body onload="alert(2)"><h1>Wings</h1>
<p id="said">They lift.</p>
<img src="ELSEWHERE/image.png" onerror="alert(3)"><img src="nothing" onerror="document.getElementById('said').remove()">
<svg onload="alert(4)"></svg><iframe src="ELSEWHERE/frame"></iframe><object data="ELSEWHERE/object"></object>
<video src="ELSEWHERE/video" poster="ELSEWHERE/poster" autoplay></video><audio src="ELSEWHERE/audio" autoplay></audio>
<picture><source srcset="ELSEWHERE/source"><img srcset="ELSEWHERE/set 2x"></picture>
<input type="image" src="ELSEWHERE/i">
<svg><image href="ELSEWHERE/image"/><use href="ELSEWHERE/use#a"/>
<a xlink:href="ELSEWHERE/svg"><text y="9">svg</text></a>
<foreignObject><iframe/src="ELSEWHERE/foreign"></iframe></foreignObject></svg>
<embed src="ELSEWHERE/embed"><iframe srcdoc="<script>alert(6)</script><img src='ELSEWHERE/srcdoc'>"></iframe>
<table background="ELSEWHERE/table"><tr><td>x</table><p style="background: image-set(url(ELSEWHERE/image-set) 1x)">y</p>
<style>@font-face { font-family: f; src: url(ELSEWHERE/font); } #said { font-family: f; }</style>
<script type="speculationrules">{"prefetch": [{"source": "list", "urls": ["ELSEWHERE/speculation"]}]}</script>
<details open ontoggle="alert(7)"><summary>z</summary></details><input autofocus onfocus="alert(8)">
<form action="ELSEWHERE/form" target="_top"><button id="send">Send</button>
<button id="other" formaction="ELSEWHERE/formaction">Send</button></form>
<a id="top" href="ELSEWHERE/top" target="_top">top</a> <a id="new" href="ELSEWHERE/new" target="_blank">new</a>
<a id="js" href="javascript:alert(5)">js</a> <a id="own" href="ELSEWHERE/own">own</a>
</body></html>"""


@pytest.fixture(scope="module")
def called() -> Iterator[tuple[str, list[bytes]]]:
    """Listen on this machine as if it were another, and write down who calls."""
    calls: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def listen() -> None:
            while True:
                try:
                    caller, _ = server.accept()
                except OSError:
                    return
                with caller:
                    caller.settimeout(1)
                    try:
                        calls.append(caller.recv(100))
                    except OSError:
                        calls.append(b"connected ahead")

        threading.Thread(target=listen, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}", calls


@pytest.fixture(scope="module")
def evil_at(tmp_path_factory: pytest.TempPathFactory, called: tuple[str, list[bytes]]) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("documents")
    documents = {
        "evil": {"html": EVIL.replace("ELSEWHERE", called[0])},
        "page": {"text": "<html lang='en'><title>Tails</title><h1>Tails</h1><p>They <b>do not</b> lift."},
        "line": {"title": "One line", "text": "wings " + "x" * 10**6},
        "long": {"title": "Many lines", "text": "Wings in a slipstream.\n" * 45_000},
        "odd": {"title": "Odd \x00\u202e", "text": "nul \x00 esc \x1b[31m turned \u202eround\u202c"},
        "empty": {"text": ""},
    }
    lines = [json.dumps({"doc_id": name, **parts}) for name, parts in documents.items()]
    (folder / "docs.jsonl").write_text("\n".join(lines), "utf-8")
    (folder / "topics.tsv").write_text("1\twings in a slipstream\n", "utf-8")
    cf.write_qrels(cf.read_qrels({"1": {"evil": 0, "line": 1, "long": 2}}), folder / "qrels.txt")
    run = {"1": {name: 10.0 - place for place, name in enumerate((*documents, "lost"))}}
    cf.write_run(cf.read_run(run), folder / "run.txt", name="run")
    files = ["qrels.txt", "run.txt", "--docs", "docs.jsonl", "--topics-file", "topics.tsv"]
    with serving([str(folder / each) if "." in each else each for each in files]) as address:
        yield address


def test_nothing_on_a_page_runs_or_calls(evil_at: str, called: tuple[str, list[bytes]]) -> None:
    address = f"{evil_at}/document?topic=1&document=evil&as=page"
    with browsing(1280) as page:
        dialogs: list[str] = []
        page.on("dialog", lambda dialog: dialogs.append(dialog.message))
        page.on("popup", lambda popup: dialogs.append(popup.url))
        opened(page, address)
        framed = page.frame_locator("iframe.page")
        expect(framed.locator("h1")).to_have_text("Wings")
        expect(framed.locator("h1")).to_have_css("color", "rgb(0, 89, 168)")  # its own style is kept
        page.wait_for_timeout(500)
        for link in ("#send", "#other", "#top", "#new", "#js"):
            framed.locator(link).click()
            page.wait_for_timeout(100)
        expect(framed.locator("#said")).to_have_text("They lift.")
        framed.locator("#own").click()
        page.wait_for_timeout(500)
        assert page.url == address
        assert page.title().startswith("A document")
        assert dialogs == []
    assert called[1] == []


def test_nor_if_it_is_opened_by_itself(evil_at: str, called: tuple[str, list[bytes]]) -> None:
    with browsing(1280) as page:
        dialogs: list[str] = []
        page.on("dialog", lambda dialog: dialogs.append(dialog.message))
        page.goto(f"{evil_at}/document.html?document=evil")
        page.wait_for_timeout(500)
        page.locator("#send").click()
        page.locator("#js").click()
        page.wait_for_timeout(200)
        expect(page.locator("#said")).to_have_text("They lift.")
        assert dialogs == []
    assert called[1] == []


def test_as_text_it_is_one(evil_at: str) -> None:
    with watching(evil_at, 1280) as page:
        opened(page, f"{evil_at}/document?topic=1&document=evil")
        expect(page.locator("pre.text")).to_contain_text("Wings")
        assert "alert" not in page.locator("pre.text").inner_text()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["evil", "page&as=page", "line", "long", "odd", "empty", "lost"])
def test_every_text_is_shown_at_once_and_fits(evil_at: str, name: str, width: int) -> None:
    with watching(evil_at, width) as page:
        began = time.perf_counter()
        opened(page, f"{evil_at}/document?topic=1&document={name}")
        assert time.perf_counter() - began < 10  # most of it is the browser, and it takes a second
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        nothing_serious(page)


def test_runs_are_sorted_by_rank_and_those_without_come_last(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/document?topic=15&document=glob.glob")
    for order in ("descending", "ascending"):
        explored_page.get_by_role("button", name="rank").click()
        expect(explored_page.locator("th[aria-sort]")).to_have_attribute("aria-sort", order)
    ranks = explored_page.locator("tbody td:first-child").all_inner_texts()
    assert ranks[-1] == "not retrieved"
    assert ranks[:-1] == sorted(ranks[:-1], key=int)


def test_the_whole_of_a_long_text_is_a_file(evil_at: str) -> None:
    with watching(evil_at, 1280) as page:
        opened(page, f"{evil_at}/document?topic=1&document=line")
        assert len(page.locator("pre.text").inner_text()) == 100_000
        with page.expect_download() as download:
            page.get_by_text("text as a file").click()
        assert download.value.suggested_filename == "line.txt"
        assert len(Path(download.value.path()).read_text()) == 10**6 + len("wings ")


def nothing_serious(page: Page) -> None:
    """Hold a page against what those who cannot see need."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    assert [each["id"] for each in found if each["impact"] in {"serious", "critical"}] == []


@pytest.mark.parametrize("width", WIDTHS)
def test_from_search_to_what_if_with_keys_alone(explored_at: str, width: int) -> None:
    with watching(explored_at, width) as page:
        opened(page, f"{explored_at}/overview")
        page.keyboard.press("/")
        page.wait_for_url("**/search")
        page.wait_for_selector("html[data-drawn]")
        assert page.evaluate("document.activeElement.name") == "find"
        page.keyboard.type("iglob")
        page.keyboard.press("Enter")
        page.wait_for_url("**find=iglob*")
        page.wait_for_selector("html[data-drawn]")
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        nothing_serious(page)
        follow(page, "glob.iglob")
        page.wait_for_url("**/document?*")
        page.wait_for_selector("html[data-drawn]")
        expect(page.locator("h1")).to_have_text("glob.iglob")
        follow(page, "unjudged")
        page.wait_for_url("**/topic?*")
        page.wait_for_selector("html[data-drawn]")
        expect(page.locator(".changed")).to_contain_text("Changed.")
        page.keyboard.press("/")
        page.wait_for_url("**/search")


def test_a_slash_that_is_typed_stays_where_it_is(explored_page: Page, explored_at: str) -> None:
    opened(explored_page, f"{explored_at}/topics")
    explored_page.get_by_role("searchbox").focus()
    explored_page.keyboard.type("a/b")
    assert explored_page.get_by_role("searchbox").input_value() == "a/b"
    assert explored_page.url.endswith("/topics")
    opened(explored_page, f"{explored_at}/search")
    explored_page.get_by_role("button", name="Search").focus()
    explored_page.keyboard.press("/")
    assert explored_page.evaluate("document.activeElement.name") == "find"


def follow(page: Page, link: str) -> None:
    """Press Tab until a link has the focus, then Enter."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent.trim()") == link:
            page.keyboard.press("Enter")
            return
    raise AssertionError(f"no key leads to {link}")
