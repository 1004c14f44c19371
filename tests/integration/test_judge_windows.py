"""One person in several windows, tasks that are called alike, and an organiser who settles what others disagree on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tools.judging import Server, commanded, judged, made, ready, serving, shown, windows
from tools.pages import chromium

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(chromium() is None, reason="there is no Chromium here to judge with"),
]
TOPICS = {"1": "lift of a wing", "2": "drag of a tail"}
LISTS = {topic: [f"d{topic}{number:02}" for number in range(20)] for topic in TOPICS}
RUNS = {"one": LISTS, "other": {topic: found[::-1] for topic, found in LISTS.items()}}
DOCUMENTS = [
    {"_id": each, "title": f"Report {each}", "text": f"What {each} says of the lift of a wing."}
    for found in LISTS.values() for each in found
]  # fmt: skip


def task(folder: Path, *options: str) -> Path:
    return made(folder, RUNS, DOCUMENTS, TOPICS, *options)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Server]:
    with serving(task(tmp_path)) as server:
        yield server


def saved(page: Page) -> None:
    expect(page.locator("#saved")).to_have_text("Saved")


def qrels(folder: Path, what: str = "qrels") -> dict[str, str]:
    return {line.split()[2]: line.split()[3] for line in commanded("export", folder, what).splitlines()}


def test_forty_disagreements_are_settled_by_keys_alone(tmp_path: Path) -> None:
    """Ann gives 0 to all of topic 1 and 1 to all of topic 2; Ben gives 2 to all."""
    folder = task(tmp_path, "--per-document", "2")
    for who, grades in (("Ann", {"1": 0, "2": 1}), ("Ben", {"1": 2, "2": 2})):
        lines = [f"{topic} 0 {each} {grades[topic]}\n" for topic, found in LISTS.items() for each in found]
        (tmp_path / f"{who}.txt").write_text("".join(lines))
        commanded("import", folder, tmp_path / f"{who}.txt", "--by", who)
    assert qrels(folder) == {}
    with serving(folder) as server, windows(server.address) as browser:
        organiser = browser.of(server, "organiser")
        organiser.wait_for_selector("#disagreements a")
        organiser.goto(f"{server.address}/settle")
        expect(organiser.locator("#progress")).to_contain_text("40 of 40 documents to settle")
        expect(organiser.locator("#asked")).to_contain_text("lift of a wing")
        expect(organiser.locator("#given li")).to_have_count(2)
        given: dict[str, str] = {}
        for number in range(40):
            expect(organiser.locator("#progress")).to_contain_text(f"{40 - number} of 40")
            expect(organiser.locator("#doc-id")).to_have_text(re.compile(r"d\d{3}"))
            document = organiser.locator("#doc-id").inner_text()
            assert document not in given
            if number == 7:  # a wrong key, taken back
                organiser.keyboard.press("0")
                expect(organiser.locator("#doc-id")).not_to_have_text(document)
                organiser.keyboard.press("u")
                expect(organiser.locator("#doc-id")).to_have_text(document)
            given[document] = key = "012c"[number % 4]
            organiser.keyboard.press(key)
        expect(organiser.locator("#nothing")).to_contain_text("All disagreements are settled")
        saved(organiser)
    assert qrels(folder) == {document: key for document, key in given.items() if key != "c"}
    assert commanded("status", folder).count("to settle") == 0


def test_a_document_without_text_is_settled_by_its_name(tmp_path: Path) -> None:
    """As on the page of judging, it is said that there is none: an empty page could be one that does not load."""
    folder = made(tmp_path, RUNS, DOCUMENTS[1:], TOPICS, "--per-document", "2")  # without d100
    for who, grade in (("Ann", 0), ("Ben", 2)):
        (tmp_path / "q.txt").write_text(f"1 0 d100 {grade}\n")
        commanded("import", folder, tmp_path / "q.txt", "--by", who)
    with serving(folder) as server, windows(server.address) as browser:
        organiser = browser.of(server, "organiser")
        organiser.wait_for_selector("#disagreements a")
        organiser.goto(f"{server.address}/settle")
        expect(organiser.locator("#doc-title")).to_have_text("d100")
        expect(organiser.locator("#text")).to_have_text("The text of this document is missing from the task.")


def test_filters_narrow_what_is_settled(tmp_path: Path) -> None:
    folder = task(tmp_path, "--per-document", "2", "--assessor", "Cleo")
    for who, graded in (
        ("Ann", {"d100": 0, "d101": 0, "d200": 1}),
        ("Ben", {"d100": 2, "d101": 1}),
        ("Cleo", {"d200": 2}),
    ):
        lines = "".join(f"{each[1]} 0 {each} {grade}\n" for each, grade in graded.items())
        (tmp_path / "q.txt").write_text(lines)
        commanded("import", folder, tmp_path / "q.txt", "--by", who)
    with serving(folder) as server, windows(server.address) as browser:
        organiser = browser.of(server, "organiser")
        organiser.wait_for_selector("#disagreements a")
        organiser.goto(f"{server.address}/settle")
        for box, value, document in (("#by", "2", "d100"), ("#whose", "Cleo", "d200"), ("#which", "1", "d100")):
            organiser.locator(box).select_option(value)
            expect(organiser.locator("#progress")).to_contain_text("shown" if box != "#which" else "3 of 3")
            expect(organiser.locator("#doc-id")).to_have_text(document)
            organiser.locator(box).select_option("0" if box == "#by" else "")
        organiser.locator("#which-state").select_option("settled")
        expect(organiser.locator("#nothing")).to_contain_text("Nothing is left that fits")


def test_undo_takes_back_what_it_shows_whatever_other_windows_did(served: Server) -> None:
    with windows(served.address) as browser:
        bench = browser.of(served, "Ann")
        bench.locator("#which").select_option("1")
        assert ready(bench)
        here = judged(bench, "2")
        saved(bench)
        first = bench.context.new_page()
        first.goto(f"{served.address}/first")
        row = first.locator(f'#list > li:not([data-document="{here}"])').first
        there = row.get_attribute("data-document")
        row.get_by_role("button", name="Partly relevant").click()
        saved(first)
        bench.bring_to_front()
        bench.keyboard.press("u")
        expect(bench.locator("#doc-id")).to_have_text(here)
        saved(bench)
        assert qrels(served.task) == {there: "1"}
        judged(bench, "1")
        saved(bench)
        assert qrels(served.task) == {there: "1", here: "1"}
        bench.reload()  # nothing was judged on this page: the last judgment of the topic is named
        assert ready(bench)
        bench.keyboard.press("u")
        expect(bench.locator("#doc-id")).to_have_text(here)
        saved(bench)
        assert qrels(served.task) == {there: "1"}


def test_what_one_window_judged_another_asks_for_no_more(served: Server) -> None:
    """Both have the same documents at hand; the second said that its judgment was not accepted."""
    with windows(served.address) as browser:
        one = browser.of(served, "Ann")
        assert ready(one)
        other = one.context.new_page()
        other.goto(f"{served.address}/")
        assert ready(other)
        here = shown(one)
        assert shown(other) == here
        one.bring_to_front()
        judged(one, "1")
        saved(one)
        expect(other.locator("#hint")).to_have_text("You judged the last document in another window.")
        there = shown(other)
        assert there != here
        other.bring_to_front()
        judged(other, "2")
        saved(other)
        expect(one.locator("#doc-id")).not_to_have_text(there)
        expect(one.locator("#refused")).to_be_empty()
        expect(other.locator("#refused")).to_be_empty()
        assert qrels(served.task) == {here: "1", there: "2"}


def test_two_browsers_of_one_person_say_what_was_judged(served: Server) -> None:
    """The same grade is the same judgment; another one is refused, with the grade that stands."""
    with windows(served.address) as browser:
        one = browser.of(served, "Ann")
        assert ready(one)
        other = browser.opened()
        cookies: Any = one.context.cookies()
        other.context.add_cookies(cookies)
        other.goto(f"{served.address}/")
        assert ready(other)
        for key, what in (("1", ""), ("2", "with grade 1: change it there")):
            here = shown(one)
            assert shown(other) == here
            judged(one, "1")
            saved(one)
            judged(other, key)
            saved(other)
            expect(other.locator("#refused")).to_contain_text(f"of topic '{here[1]}', {what}" if what else "")
            assert qrels(served.task)[here] == "1"
            assert ready(one)
            assert ready(other)
        assert set(qrels(served.task).values()) == {"1"}
        assert all("409 (Conflict)" in each for each in browser.wrong)
        browser.wrong = []


def test_a_judgment_that_waits_is_never_delivered_to_another_task(tmp_path: Path) -> None:
    """Two tasks of one title, one after the other at the same address."""
    one, other = task(tmp_path / "one"), task(tmp_path / "other")
    with windows() as browser, serving(one) as server:
        browser.served = server.address
        ann = browser.of(server, "Ann")
        ann.on("dialog", lambda dialog: dialog.accept())
        ann.wait_for_load_state("networkidle")
        cookies: Any = ann.context.cookies()  # the other task's replaces it
        server.kill()
        kept = judged(ann, "1")
        expect(ann.locator("#saved")).to_contain_text("Not saved: 1 action is kept")
        server.task, links = other, server.links
        server.links = {}
        server.start()
        ann.goto(server.links["Ann"])
        ann.get_by_role("button", name="Begin").click()
        assert ready(ann)
        saved(ann)
        judged(ann, "2")
        saved(ann)
        assert kept not in qrels(other) or qrels(other)[kept] == "2"
        assert set(qrels(other).values()) == {"2"}
        server.kill()
        server.task, server.links = one, links
        server.start()
        ann.context.clear_cookies()
        ann.context.add_cookies(cookies)
        ann.goto(f"{server.address}/")
        expect(ann.locator("#saved")).to_have_text("Saved")
        assert qrels(one) == {kept: "1"}
        browser.wrong = []


def test_regrading_on_the_first_ten_keeps_note_and_reason(served: Server) -> None:
    with windows(served.address) as browser:
        ann = browser.of(served, "Ann")
        ann.locator("#which").select_option("1")
        assert ready(ann)
        ann.keyboard.press("n")
        ann.keyboard.type("a note")
        ann.keyboard.press("Escape")
        ann.keyboard.press("r")
        ann.keyboard.type("a reason")
        ann.keyboard.press("Enter")
        here = judged(ann, "1")
        saved(ann)
        ann.goto(f"{served.address}/first")
        ann.locator("#run").select_option("one" if here in LISTS["1"][:10] else "other")
        ann.locator(f'#list > li[data-document="{here}"]').get_by_role("button", name="Highly relevant").click()
        saved(ann)
        row = next(line for line in commanded("export", served.task, "judgments").splitlines() if f",{here}," in line)
        assert row.split(",")[2] == "2"
        assert "a note" in row
        assert "a reason" in row


def test_two_windows_of_one_sheet_lose_nothing(tmp_path: Path) -> None:
    folder = task(tmp_path)
    commanded("sheet", folder, "--topic", "1", "-o", tmp_path / "sheet.html")
    with windows("file:") as browser:
        one = browser.opened()
        one.goto((tmp_path / "sheet.html").as_uri())
        one.locator("#who").fill("Ann")
        one.keyboard.press("Enter")
        other = one.context.new_page()
        other.goto((tmp_path / "sheet.html").as_uri())
        done = set()
        for page in (one, other, one, other):
            page.bring_to_front()
            assert ready(page)
            done.add((shown(page), id(page)))
            judged(page, "1")
        with one.expect_download() as download:
            one.locator("#download").click()
        download.value.save_as(tmp_path / "back.jsonl")
        text = (tmp_path / "back.jsonl").read_text()
        assert text.count('"event":"assessed"') == 4
    commanded("import", folder, tmp_path / "back.jsonl")
    assert set(qrels(folder)) == {document for document, _ in done}
