"""The commands of the README and of all pages do what the pages say."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.walk import NOT_RUN, PAGES, commands, walk

pytestmark = pytest.mark.integration

WITH_COMMANDS = [page for page in PAGES if [*commands(page, page.read_text(encoding="utf-8"))]]


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_commands_do_what_the_page_says(page: Path) -> None:
    found = [f"line {command.line}: {command.text}\n{fault}" for command, fault in walk(page)]
    assert not found, "\n".join(found)


def test_what_is_not_run_is_on_the_pages() -> None:
    texts = [command.text for page in WITH_COMMANDS for command in commands(page, page.read_text(encoding="utf-8"))]
    assert [start for start in NOT_RUN if not any(text.startswith(start) for text in texts)] == []
    assert sum(not text.startswith(tuple(NOT_RUN)) for text in texts) > 40


@pytest.mark.parametrize(
    ("block", "fault"),
    [
        ("cranfield evaluate qrels.txt nothing.run", "ends with status 2"),
        ("$ cranfield --version\ncranfield, version 0", "prints"),
        ("$ cranfield evaluate qrels.txt nothing.run\nrun  AP", "ends with status 2"),
        ("$ cranfield --version\ncranfield: there is no such thing", "ends with status 0"),
    ],
)
def test_faults_are_seen(block: str, fault: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\n```console\n{block}\n```\n", encoding="utf-8")
    [(command, found)] = walk(page)
    assert (command.line, found.partition(":")[0].split("\n")[0]) == (4, fault)
