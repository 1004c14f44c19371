"""The page that goes through the papers: what it names exists, and no numbered item of a paper is passed over."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import click
import pytest
from tools.each import each_of

import cranfield as cf
from cranfield.cli import main
from cranfield.experiments import EXPERIMENTS
from cranfield.measures.framework.names import parse_measures
from cranfield.plots import PLOTS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
WRITTEN = {path.name.replace("_page.py", ".md") for path in DOCS.glob("*_page.py")}
"""Pages that are written when the documentation is built."""
NOTHING = "—"

NUMBERED = {
    "Cumulated gain-based indicators of IR performance": {"Equation": 6, "Table": 1, "Figure": 4},
    "Cumulated relative position": {"Equation": 10, "Figure": 3},
    "Strategic system comparisons via targeted relevance judgments": {"Table": 5, "Figure": 3},
    "Ranking interruptus": {"Propert": 7, "Table": 3, "Figure": 4},
    "The Twist measure for IR evaluation": {"Definition": 15, "Proposition": 3, "Table": 4, "Figure": 14},
}
"""Each paper, and up to which number it has items of each kind (properties are numbered in one series)."""


class Row(NamedTuple):
    """What one row of the page says."""

    paper: str
    item: str
    commands: str
    tests: str
    page: str


def rows() -> Iterator[Row]:
    """Read the tables of the pages that the page of all papers lists, in its order."""
    paper = ""
    pages = re.findall(r"\((papers/.*?\.md)\)", (DOCS / "papers.md").read_text(encoding="utf-8"))
    for line in (line for page in pages for line in (DOCS / page).read_text(encoding="utf-8").splitlines()):
        if line.startswith("# Coverage: "):
            paper = line.removeprefix("# Coverage: ")
        elif line.startswith("| ") and not line.startswith("| In the paper |"):
            yield Row(paper, *(cell.strip() for cell in line.strip("|").split("|")))


ROWS = list(rows())
each = each_of("row", ROWS)


def named(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def numbers(kind: str, text: str) -> set[int]:
    """Read the numbers of items of one kind: ``Equations 2 and 3``, ``Figures 4 to 6``."""
    found = set[int]()
    for first, link, last in re.findall(rf"{kind}\w* (\d+)(?: (and|to) (\d+))?", text):
        ends = [int(number) for number in (first, last) if number]
        found |= set(range(ends[0], ends[-1] + 1)) if link == "to" else set(ends)
    return found


def anchors(page: Path) -> set[str]:
    """Name the headings of a page as its links do."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def check_command(line: str) -> None:
    """Hold a command to what there is: its name, its options, its measures, the table it prints."""
    words = shlex.split(line)[1:]
    command: click.Command = main
    path = list[str]()
    while isinstance(command, click.Group):
        path.append(words.pop(0))
        found = command.get_command(click.Context(command), path[-1])
        assert found is not None, f"no command {' '.join(path)}"
        command = found
    options = {flag for parameter in command.params for flag in (*parameter.opts, *parameter.secondary_opts)}
    given = [word.partition("=")[0] for word in words if word.startswith("-")]
    assert set(given) <= options, f"{line}: no {set(given) - options}"
    for option, value in pairwise(words):
        if option == "-m":
            parse_measures(value, complete=False)
        if option == "--oracle":
            parse_measures(value)
        if option == "--figure":
            assert value in PLOTS
        if option == "--table":
            assert value in EXPERIMENTS[path[-1]].tables


@each
def test_every_item_is_had_tested_and_explained(row: Row) -> None:
    if row.commands == NOTHING:
        assert row.tests == NOTHING
        return
    assert named(row.commands)
    assert named(row.tests)
    assert re.search(r"\]\([\w.]", row.page)


@each
def test_commands_and_measures_exist(row: Row) -> None:
    for name in named(row.commands):
        if name.startswith("cranfield "):
            check_command(name)
        elif name.startswith("cf."):
            assert hasattr(cf, name.removeprefix("cf."))
        elif name.startswith("--"):
            assert name.split()[0] in row.commands.replace(f"`{name}`", "")  # an option of a command beside it
        elif name != "ideal":  # a column
            assert parse_measures(name, complete=False)


@each
def test_tests_exist(row: Row) -> None:
    for name in named(row.tests):
        file, _, function = name.partition("::")
        text = (ROOT / "tests" / file).read_text(encoding="utf-8")
        assert not function or f"\ndef {function}(" in text, f"{file} has no {function}"


@each
def test_pages_exist(row: Row) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", row.page):
        page, _, anchor = target.partition("#")
        file = DOCS / "papers" / page
        assert file.name in WRITTEN or file.exists(), page
        assert not anchor or anchor in anchors(file), target


@pytest.mark.parametrize("paper", NUMBERED)
def test_no_numbered_item_of_a_paper_is_passed_over(paper: str) -> None:
    items = "\n".join(row.item for row in ROWS if row.paper == paper)
    for kind, last in NUMBERED[paper].items():
        assert numbers(kind, items) == set(range(1, last + 1)), kind


def test_there_are_five_papers() -> None:
    assert list(dict.fromkeys(row.paper for row in ROWS)) == list(NUMBERED)


def test_what_is_read_off_the_page() -> None:
    assert numbers("Figure", "3.4, Figures 1 and 2: so; Figures 4 to 6, Figure 9") == {1, 2, 4, 5, 6, 9}
    with pytest.raises(AssertionError, match="no command nonsense"):
        check_command("cranfield nonsense qrels.txt")
    with pytest.raises(AssertionError, match="--nonsense"):
        check_command("cranfield evaluate qrels.txt runs --nonsense 3")
    with pytest.raises(cf.MeasureError):
        check_command("cranfield evaluate qrels.txt runs -m Nonsense")
