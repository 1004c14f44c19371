"""Judging as people do it: two assessors and an organiser in a browser, a server that dies, a sheet without one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tools.judging import Server, Windows, commanded, judged, made, ready, serving, shown, windows
from tools.pages import chromium

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(chromium() is None, reason="there is no Chromium here to judge with"),
]
RUNS = {
    "wings": {"1": ["w1", "w2", "w3"], "2": ["w4", "w5", "w6"]},
    "tails": {"1": ["t1", "t2", "t3"], "2": ["t4", "t5", "t6"]},
}
TOPICS = {"1": "lift of a wing", "2": "drag of a tail"}
TEXT = "The lift of a wing was measured. 𝒩 tails were not. Nothing else is said of {}."
DOCUMENTS = [
    {"_id": each, "title": f"Report {each}", "text": TEXT.format(each), "year": 1955}
    for by_topic in RUNS.values() for found in by_topic.values() for each in found
] + [{"_id": "x1", "title": "On propellers", "text": "Nobody retrieved what says propellers lift a wing."}]  # fmt: skip
BARS = "() => [...document.querySelectorAll('#bars rect')].map((each) => each.getAttribute('width')).join()"
SELECT = """(place, wanted) => {
  const nodes = document.createTreeWalker(place, NodeFilter.SHOW_TEXT), range = document.createRange();
  const start = place.textContent.indexOf(wanted);
  for (let at = 0, node; (node = nodes.nextNode()); at += node.length) {
    for (const [want, set] of [[start, "setStart"], [start + wanted.length, "setEnd"]]) {
      if (at <= want && want <= at + node.length) range[set](node, want - at);
    }
  }
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}"""
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)> \u202e${7*7}\u0007 & <b>{{ 7*7 }}</b>"


def exported(task: Path, what: str) -> list[list[str]]:
    return [line.split() for line in commanded("export", task, what).splitlines()]


def events(task: Path, kind: str) -> list[dict[str, object]]:
    found = (json.loads(line) for line in commanded("export", task, "log").splitlines())
    return [each for each in found if each["event"] == kind]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Server]:
    task = made(tmp_path, RUNS, DOCUMENTS, TOPICS, "--per-document", "2", "--reason-from", "2", "--p", "0.5")
    with serving(task) as server:
        yield server


def saved(page: Page) -> None:
    expect(page.locator("#saved")).to_have_text("Saved")


def test_two_assessors_and_an_organiser(served: Server) -> None:
    """They judge by keys, take back, give reasons, search and disagree; the organiser settles, and may stop."""
    with windows(served.address) as browser:
        organiser, ann, ben = (browser.of(served, who) for who in ("organiser", "Ann", "Ben"))
        expect(ann.locator("mark.term").first).to_have_text("lift" if "lift" in ann.inner_text("#asked") else "tails")
        first = the_bars_move(organiser, ann)
        undone_and_with_a_reason(served.task, ann, first)
        settled(served.task, organiser, ben, first)
        searched_and_changed(served.task, ann)
        judged_to_the_end(organiser, ann, ben)
        observed(organiser, browser.opened())
        revoked(organiser, ben)
        browser.wrong = [each for each in browser.wrong if "status of 401" not in each]


def the_bars_move(organiser: Page, ann: Page) -> str:
    """What one does moves the other's bars, within a second and without a new page."""
    organiser.evaluate("window.mark = 'the same page'")
    before = organiser.evaluate(BARS)
    first = judged(ann, "1")
    organiser.wait_for_function(f"before => ({BARS})() !== before", arg=before, timeout=1_000, polling=20)
    assert organiser.evaluate("window.mark") == "the same page"
    return first


def undone_and_with_a_reason(task: Path, ann: Page, first: str) -> None:
    """Undone, the same document is there again; the highest grade asks for a reason, which is selected."""
    ann.keyboard.press("u")
    expect(ann.locator("#doc-id")).to_have_text(first)
    ann.keyboard.press("2")
    expect(ann.locator("#hint")).to_contain_text("needs a reason")
    ann.keyboard.press("Escape")
    ann.locator("#text").evaluate(SELECT, "tails")
    expect(ann.locator("#quote")).to_have_text("tails")
    judged(ann, "2")
    saved(ann)
    [reason] = [each["rationale"] for each in events(task, "assessed") if each["grade"] == 2]
    start = TEXT.index("tails")
    assert reason == {"sentence": "", "start": start, "end": start + 5}  # as Python counts, behind a wide letter


def settled(task: Path, organiser: Page, ben: Page, first: str) -> None:
    """They disagree, and the organiser settles it."""
    ben.locator("#which").select_option(topic := "1" if first[1] in "123" else "2")
    assert ready(ben)
    while shown(ben) != first:
        judged(ben, "1" if shown(ben).startswith("w") else "0")
    judged(ben, "1")
    expect(organiser.locator("#disagreements")).to_contain_text("1 document graded differently; 1 has no grade")
    organiser.get_by_role("link", name="Settle them").click()
    expect(organiser.locator("#doc-id")).to_have_text(first)
    expect(organiser.locator("#given")).to_contain_text("Ann: Highly relevant")
    expect(organiser.locator("#given")).to_contain_text("tails")  # the passage that Ann gives as her reason
    expect(organiser.locator("#given")).to_contain_text("Ben: Partly relevant")
    organiser.keyboard.press("c")
    expect(organiser.locator("#nothing")).to_contain_text("All disagreements are settled")
    organiser.keyboard.press("u")
    expect(organiser.locator("#doc-id")).to_have_text(first)
    organiser.keyboard.press("2")
    saved(organiser)
    organiser.goto(organiser.url.replace("/settle", "/organise"))
    expect(organiser.locator("#disagreements")).to_contain_text("all of them settled")
    assert [topic, "0", first, "2"] in exported(task, "qrels-adjudicated")


def searched_and_changed(task: Path, ann: Page) -> None:
    """A document that no run found is searched for and judged; a mind is changed among what was judged."""
    ann.keyboard.press("x")
    ann.keyboard.type("propellers")
    ann.keyboard.press("Enter")
    ann.locator("#found button").first.click()
    expect(ann.locator("#doc-id")).to_have_text("x1")
    judged(ann, "1")
    saved(ann)
    ann.keyboard.press("h")
    ann.locator("#history-list button", has_text="On propellers").click()
    expect(ann.locator("#notices")).to_contain_text("You judged this document “Partly relevant”")
    ann.keyboard.press("0")
    saved(ann)
    assert [each["grade"] for each in events(task, "amended")] == [0]


def judged_to_the_end(organiser: Page, ann: Page, ben: Page) -> None:
    """In the end one system is best, wherever what is left would stand."""
    for each in (ann, ben):
        each.locator("#which").select_option("")
        while ready(each):
            judged(each, "1" if shown(each).startswith("w") else "0")
    expect(organiser.locator("#advice")).to_contain_text("You may stop")
    expect(organiser.locator("#bars tr").first).to_contain_text("leads")


def observed(organiser: Page, observer: Page) -> None:
    """An observer sees the same, and can change nothing."""
    organiser.get_by_label("Name", exact=True).fill("Olga")
    organiser.get_by_label("Role").select_option("observer")
    organiser.get_by_role("button", name="Make a link").click()
    observer.goto(organiser.locator("#made .link").input_value())
    observer.get_by_role("button", name="Begin").click()
    expect(observer.locator("#advice")).to_contain_text("You may stop")
    assert observer.locator("main button:visible").count() == 0


def revoked(organiser: Page, ben: Page) -> None:
    """Who is let in no longer keeps what they did."""
    organiser.get_by_role("button", name="Revoke: Ben").click()
    organiser.get_by_role("button", name="Yes").click()
    expect(organiser.locator("#people tr", has_text="Ben")).to_contain_text("revoked")
    ben.keyboard.press("u")
    expect(ben.locator("#saved")).to_contain_text("Not saved: you are no longer signed in. 1 action is kept")


def test_nothing_is_lost_while_the_server_is_away(served: Server) -> None:
    with windows(served.address) as browser:
        ann = browser.of(served, "Ann")
        done = [judged(ann, "1")]
        expect(ann.locator("#progress")).to_contain_text("left")
        ann.wait_for_load_state("networkidle")
        served.kill()
        done.append(judged(ann, "0"))
        expect(ann.locator("#saved")).to_contain_text("Not saved: 1 action is kept")
        expect(ann.locator("#saved")).to_have_attribute("data-state", "not")
        while ready(ann):
            done.append(judged(ann, "1"))
        assert len(done) > 2  # it goes on with what is there
        expect(ann.locator("#nothing")).to_contain_text("The server does not answer")
        served.start()
        saved(ann)
        ann.wait_for_selector("#paper:not([hidden])")
        assert shown(ann) not in done
        assert [each["document"] for each in events(served.task, "assessed")] == done
        browser.wrong = [each for each in browser.wrong if "ERR_CONNECTION" not in each and "ERR_EMPTY" not in each]


def test_what_waits_outlives_the_page(served: Server) -> None:
    with windows(served.address) as browser:
        ann = browser.of(served, "Ann")
        ann.on("dialog", lambda dialog: dialog.accept())
        ann.wait_for_load_state("networkidle")
        ann.route("**/api/judge", lambda route: route.abort())
        before = judged(ann, "1")
        expect(ann.locator("#saved")).to_contain_text("Not saved: 1 action is kept")
        ann.unroute("**/api/judge")
        ann.reload()
        saved(ann)
        assert [each["document"] for each in events(served.task, "assessed")] == [before]
        browser.wrong = [each for each in browser.wrong if "ERR_FAILED" not in each]


def test_a_sheet_is_judged_offline_and_imported(tmp_path: Path) -> None:
    task = made(tmp_path, RUNS, DOCUMENTS, TOPICS, "--reason-from", "2")
    sheet = tmp_path / "sheet.html"
    commanded("sheet", task, "--topic", "1", "-o", sheet)
    with windows("file:") as browser:
        page = browser.opened()
        page.goto(sheet.as_uri())
        page.keyboard.press("1")
        expect(page.locator("#hint")).to_have_text("Enter your name first, at the top.")
        page.keyboard.type("Cleo")
        page.keyboard.press("Escape")
        page.keyboard.press(".")
        expect(page.locator("#quote")).to_have_text(TEXT.partition(" 𝒩")[0])
        page.keyboard.press(">")
        done = {judged(page, "1"): 1}
        expect(page.locator("#notices")).to_contain_text("which you judged “Partly relevant”")
        done[judged(page, "0")] = 0
        judged(page, "0")
        page.keyboard.press("u")
        page.keyboard.press("2")
        page.keyboard.type("It says so.")
        done[shown(page)] = 2
        page.keyboard.press("Enter")
        page.reload()  # it is kept
        expect(page.locator("#who")).to_have_value("Cleo")
        while ready(page):
            done[judged(page, "c")] = -1
        expect(page.locator("#nothing")).to_contain_text("All documents are judged")
        with page.expect_download() as download:
            page.get_by_role("button", name="Download your judgments").click()
        lines = tmp_path / "judgments.jsonl"
        download.value.save_as(lines)
    commanded("import", task, lines)
    commanded("import", task, lines)  # once more adds nothing
    graded = {row[2]: int(row[3]) for row in exported(task, "qrels") if row[0] == "1"}
    assert graded == {document: grade for document, grade in done.items() if grade >= 0}
    found = events(task, "assessed")
    assert {each["assessor"] for each in found} == {"Cleo"}
    assert found[0]["rationale"] == {"sentence": "", "start": 0, "end": TEXT.index(" Nothing")}


def test_hostile_texts_are_only_texts(tmp_path: Path) -> None:
    documents = [{"_id": "d<i>1", "title": HOSTILE, "text": HOSTILE + " wing", HOSTILE: HOSTILE}]
    runs = {"a": {"1": ["d<i>1"]}, "b<i>": {"1": ["d<i>1"]}}
    task = made(tmp_path, {"a": runs["a"]}, documents, {"1": HOSTILE}, "--title", HOSTILE, guidelines=HOSTILE)
    sheet = tmp_path / "sheet.html"
    commanded("sheet", task, "--topic", "1", "-o", sheet)
    with serving(task) as server, windows(server.address) as browser:
        ann, organiser = browser.of(server, "Ann"), browser.of(server, "organiser")
        alone = browser.opened()
        alone.goto(sheet.as_uri())
        for page in (ann, organiser, alone):
            page.on("dialog", lambda dialog: browser.wrong.append(dialog.message))
        for page in (ann, alone):
            expect(page.locator("#text")).to_contain_text("<img src=x onerror=alert(2)>")
            assert page.locator("#text img, #text script, #text b, #asked b, #guidelines-text b").count() == 0
        ann.locator("#note").fill(HOSTILE)
        ann.keyboard.press("Escape")
        ann.keyboard.press("f")
        ann.locator("#flag-why").fill(HOSTILE)
        ann.get_by_role("button", name="Flag", exact=True).click()
        ann.locator("#own").fill("<img")
        assert "".join(ann.locator("mark.own").all_inner_texts()) == "<img" * HOSTILE.count("<img")
        expect(organiser.locator("#flags")).to_contain_text("onerror=alert(2)")
        for path in ("/first", "/pair"):
            ann.goto(server.address + path)
            ann.wait_for_load_state("networkidle")
            assert ann.locator(".reads img, .reads b").count() == 0
        assert organiser.locator("main img, main script").count() == 0


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (390, False), (390, True)])
def test_everybody_can_use_them(everything: Windows, in_use: tuple[Server, Path], width: int, dark: bool) -> None:
    """axe finds no violation at all, nothing is wider than the window, and grades can be given by touch."""
    from axe_playwright_python.sync_playwright import Axe

    server, sheet = in_use
    page = everything.opened(width, dark=dark)
    page.context.add_cookies(everything.cookies)  # type: ignore[attr-defined]
    for address in (*(server.address + path for path in ("/", "/first", "/pair", "/organise")), sheet.as_uri()):
        page.goto(address)
        page.wait_for_selector("#paper:not([hidden]), .cards li, #bars tr")
        for details in page.locator("details").all():
            details.evaluate("each => { each.open = true; }")
        found = Axe().run(page).response["violations"]
        assert [(each["id"], each["nodes"][0]["html"]) for each in found] == [], address
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address
    page.goto(server.address)
    page.wait_for_selector("#paper:not([hidden])")
    assert page.get_by_role("button", name="Partly relevant").bounding_box()["y"] < 900  # type: ignore[index]
    page.keyboard.press("?")
    assert Axe().run(page).response["violations"] == []


@pytest.fixture(scope="module")
def in_use(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Path]]:
    folder = tmp_path_factory.mktemp("judging")
    task = made(folder, RUNS, DOCUMENTS, TOPICS, "--per-document", "2", "--title", "Reports on wings")
    sheet = folder / "sheet.html"
    commanded("sheet", task, "--topic", "1", "-o", sheet)
    with serving(task) as server:
        yield server, sheet


@pytest.fixture(scope="module")
def everything(in_use: tuple[Server, Path]) -> Iterator[Windows]:
    """A browser in which the organiser is let in, after two have judged and disagreed."""
    server, _ = in_use
    with windows() as browser:
        for who, keys in (("Ann", "110"), ("Ben", "001")):
            page = browser.of(server, who)
            for key in keys:
                judged(page, key)
            page.keyboard.press("f")
            page.get_by_role("button", name="Flag", exact=True).click()
            saved(page)
        browser.cookies = browser.of(server, "organiser").context.cookies()  # type: ignore[attr-defined]
        yield browser
