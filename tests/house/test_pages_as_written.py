"""The pages as they are written: what Markdown would take for something else is found before anything is built."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tools.each import each_of
from tools.outputs import BLOCK
from tools.wrap import wrapped
from tools.written import stale

ROOT = Path(__file__).parents[2]
WRITTEN = {path.name.replace("_page.py", ".md") for path in (ROOT / "docs").glob("*_page.py")}
"""Pages that are written from declarations when the documentation is built."""

PAGES = [ROOT / name for name in ("README.md", "CHANGELOG.md")]
PAGES += sorted((ROOT / "docs").glob("*.md")) + sorted((ROOT / "docs" / "studies").glob("*.md"))
PAGES = [page for page in PAGES if page.name not in WRITTEN]
COLUMNS = 100
"""Columns of code for which there is room at 1,280 pixels."""


def lines_of(text: str) -> Iterator[tuple[int, str, str | None]]:
    """Give each line of a page with its number, and the language of the fence that it stands in (None outside)."""
    fence: str | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if found := re.match(r"\s*```(.*)", line):
            fence = found[1] if fence is None else None
        else:
            yield number, line, fence


def loose_examples(text: str) -> list[int]:
    """Return the lines with examples outside blocks of their own, which Markdown takes for quotations of quotations.

    What is declared a `code-block` is a whole file, with the examples of its docstrings.
    """
    own = {"pycon", "{code-block} python"}
    return [number for number, line, fence in lines_of(text) if line.lstrip().startswith(">>>") and fence not in own]


def lists_by_accident(text: str) -> list[int]:
    """Return the lines of a paragraph that begin as an item does, with a dash, a plus, a star or a first number."""
    found, indents = [], set[int]()
    above = ""
    for number, line, fence in lines_of(text):
        item = re.match(r" *(?:[-+*]|1[.)]) ", line)
        indent = len(line) - len(line.lstrip())
        if not above.strip() or fence is not None:
            indents.clear()
        elif item and indent not in indents:
            found.append(number)
        if re.match(r" *(?:[-+*]|\d+[.)]) ", line):
            indents.add(indent)
        above = line if fence is None else ""
    return found


def test_what_pages_hold_of_declarations_is_of_today() -> None:
    assert stale() == [], "python -m tools.written"


@each_of("page", PAGES)
def test_markdown_takes_nothing_for_something_else(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert not loose_examples(text), "examples belong into ```pycon blocks"
    assert not lists_by_accident(text), "lines of a paragraph that become a list"


@each_of("page", PAGES)
def test_blocks_fit_the_page(page: Path) -> None:
    text = BLOCK.sub(lambda output: "\n" * output[0].count("\n"), page.read_text(encoding="utf-8"))  # set by the tool
    wide = [number for number, line, fence in lines_of(text) if fence and fence[0] != "{" and len(line) > COLUMNS]
    assert not wide


def test_what_markdown_would_misread_is_found() -> None:
    assert loose_examples("text\n\n>>> 1 + 1\n2\n") == [3]
    assert loose_examples("```python\n>>> 1 + 1\n```\n") == [2]
    assert loose_examples("```pycon\n>>> 1 + 1\n2\n\n```\n") == []
    assert lists_by_accident("at most R / (N\n- R), which is\n") == [2]
    assert lists_by_accident("- for 1 / log2(i +\n  1) it is\n") == [2]
    assert lists_by_accident("in the year\n2019. It is\n") == []
    assert lists_by_accident("- one\n- two,\n  too\n- three\n\n1. first\n2. second\n") == []


@each_of("page", PAGES)
def test_prose_is_wrapped(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert wrapped(text) == text, f"python -m tools.wrap {page.relative_to(ROOT)}"


def test_what_means_something_at_the_beginning_of_a_line_is_not_moved_there() -> None:
    before = "word " * 19
    assert wrapped(f"{before}and - dash, 1. one, # hash and `some code` at the end\n") == (
        f"{before.strip()} and -\ndash, 1. one, # hash and `some code` at the end\n"
    )
    kept = f"| {before * 2} |\n\n```text\n{before * 2}\n```\n"
    assert wrapped(kept) == kept


def test_ticks_of_an_axis_differ() -> None:
    """Figures of the pages are slim: places are rounded, and numbers that are read are not."""
    labels = r'<g class="mark-text role-axis-label"[^>]*>(.*?)</g>'
    for file in sorted((ROOT / "docs").glob("figure-*.svg")):
        for axis in re.findall(labels, file.read_text(encoding="utf-8"), re.DOTALL):
            told = [word for shown, word in re.findall(r"(<text[^>]*>)([^<]+)<", axis) if 'opacity="0"' not in shown]
            assert len(told) == len(set(told)), f"{file.name}: {told}"
