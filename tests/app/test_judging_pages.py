"""The pages of a judging task as they are written: who sees which, and the sheet that holds what people brought."""

from __future__ import annotations

import json
import re
from collections import Counter
from importlib.resources import files

import pytest

from cranfield.app.judging.answers import DocumentShown, Grade, Me, TaskShown, TopicShown
from cranfield.app.judging.serving import JUDGING_PACKAGE, JUDGING_PAGES, doorway, written
from cranfield.app.judging.sheets import SHEET_SCRIPTS, script, sheet
from cranfield.plumbing.errors import InputError

ATTACK = "</script><script>alert(1)</script>"
ASSETS = files(JUDGING_PACKAGE).joinpath("assets")
DECLARED = re.compile(r"^(?:export )?(?:async )?(?:const|let|function|class) (\w+)", re.MULTILINE)


def task(title: str = "Wings") -> TaskShown:
    topics = [TopicShown(each, f"topic {title}", {}, [], 0, 1, 0) for each in ("1", "2")]
    return TaskShown(
        "t", title, [Grade(0, "no"), Grade(1, title)], title, None, topics, ["x"], True, Me("A", "assessor", False)
    )


def document(text: str) -> DocumentShown:
    return DocumentShown("1", "d", text, {"year": text}, text, [], [], [], "digest", False, False, False)


def test_people_see_the_pages_of_their_role() -> None:
    links = {
        role: re.findall(
            r'<a href="(/\w*)"', written(next(p for p in JUDGING_PAGES if role in JUDGING_PAGES[p].roles), role)
        )
        for role in ("assessor", "organiser", "observer")
    }
    assert links == {
        "assessor": ["/", "/first", "/pair"],
        "organiser": ["/", "/first", "/pair", "/settle", "/organise"],
        "observer": ["/observe"],
    }


def test_nothing_stands_in_a_page_that_its_policy_forbids() -> None:
    for page in [doorway(), *(written(path, role) for path, each in JUDGING_PAGES.items() for role in each.roles)]:
        assert not re.search(r"<script(?![^>]*src=)|\son\w+=|\sstyle=|<style|https?://", page)
        for name in re.findall(r"/assets/([\w.]+)", page):
            assert name == "look.css" or ASSETS.joinpath(name).is_file()


def test_modules_of_a_sheet_have_names_of_their_own() -> None:
    """They stand in one script: a name of two would be one thing there, and two on the server's pages."""
    names = Counter(
        name for module in SHEET_SCRIPTS for name in DECLARED.findall(ASSETS.joinpath(module).read_text("utf-8"))
    )
    assert len(names) > 40
    assert [name for name, times in names.items() if times > 1] == []
    assert not re.search(r"^(?:import|export)\b", script(), re.MULTILINE)


def test_a_sheet_holds_texts_as_data_alone() -> None:
    page = sheet(task(ATTACK), "1", [document(ATTACK)], assessor=ATTACK)
    assert page.count(ATTACK) == 0
    assert page.count("<script") == 2  # the data, and our own script, by its hash
    [told] = re.findall(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)
    said = json.loads(told)
    assert said["documents"][0]["text"] == said["assessor"] == said["task"]["title"] == ATTACK
    assert [topic["id"] for topic in said["task"]["topics"]] == ["1"]


def test_sheets_of_other_documents_have_other_names() -> None:
    name = re.compile(r'"id": "(\w{16})"')
    one, other = (name.findall(sheet(task(), "1", [document(text)])) for text in ("a", "b"))
    assert one and other and one != other
    assert one == name.findall(sheet(task(), "1", [document("a")]))


def test_a_sheet_needs_a_topic_and_documents() -> None:
    with pytest.raises(InputError, match="there is no topic '3'; choose from 1, 2"):
        sheet(task(), "3", [document("a")])
    with pytest.raises(InputError, match="topic '1' has no documents"):
        sheet(task(), "1", [])
