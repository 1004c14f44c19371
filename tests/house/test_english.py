"""Plain English: the pages and the help are free of the shapes that a native reader stumbles over.

The rules stand in docs/contributing.md. Here are those that a regular expression can see. Code, links'
targets and quotations of papers are left out; `STANDS` has what may stay, and why.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
import pytest
from tools.each import each_of
from tools.sentences import docstrings, files, printed
from tools.written import MARK

from cranfield.cli import main

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
WRITTEN = {path.name.replace("_page.py", ".md") for path in DOCS.glob("*_page.py")}
PAGES: Final = [
    page
    for page in (
        ROOT / "README.md",
        ROOT / "CHANGELOG.md",
        *sorted(DOCS.glob("*.md")),
        *sorted(DOCS.glob("[sp]*/*.md")),
    )
    if page.name not in WRITTEN
]

SHAPES: Final = {
    "existing, available": r"\b(?:\w+s|\w+ments) that there (?:are|is)\b",
    "compared with": r"\b(?:held|holds?) (?:\w+ ){0,4}against\b",
    "says, reports": r"\b(?:is|are|was) said\b",
    "how many": r"\bof \w+(?: \w+)? so many\b",
    "treats as": r"\b(?:takes?|has) (?:it|them|this|one) for\b",
    "a relative clause beside its noun": r"\bwhat (?:a|an|the) \w+ is that\b",
    "next to, compared with": r"\bbeside\b",
    "in the same way, similar": r"(?<!look )(?<!nearly )\balike\b",
    "depends on": r"\bhangs? on\b",
    "as you like": r"\bas (?:\w+ )?(?:\w+ )?one likes\b",
}
"""Each shape, under the words that say the same plainly."""
SPOKEN: Final = SHAPES | {
    "everything that, all": r"\ball that\b",
    "subject first": r"(?:^|[.:] )(?:Tried|Named|Unjudged|Counted|Shown|Drawn|Left out) (?:were|are|is|was)\b",
    "this way": r"\b(?:made|computed) so\b",
    "this many, a number": r"\b(?:so many(?! that)|as there are)\b",
    "by default": r"\bif nothing else is\b",
    "says, reports (or: is told apart)": r"\b(?:is|are) told\b(?! (?:apart|from))",
}
"""What programs say is not to have these either: sentences that are printed, and docstrings."""
CLEAN: Final = (
    "__init__.py",
    "__main__.py",
    "app",
    "axioms",
    "campaigns",
    "checks",
    "cli",
    "comparison",
    "compat",
    "conformance",
    "conventions",
    "demonstration",
    "experiments",
    "formats",
    "judged",
    "lists",
    "measures",
    "pages",
    "pairs",
    "plots",
    "plotting.py",
    "plumbing",
    "public.py",
    "reports",
    "reproductions",
    "results",
    "scoring",
    "selection",
    "statistics",
    "stopping",
    "testing.py",
    "track",
)
"""Rooms whose printed sentences and docstrings are plain; a room that is rewritten is added here."""
NAMED: Final = (
    r"\bbeside(?==|\s+(?:Measures|(?:The|Further) reference lists|or vectors))|\A\s*beside\s*\Z"
    r"|\balike(?=:|\s+\((?:how|from))"
)
"""A parameter, a column and a button that keep their names."""
HEADINGS: Final = r"(?m)^#{1,2} (?:What|Who|How|Which|Is|Are|Does|Do|Can|When|Why|Where)\b(?!-).*$"
"""A heading names the thing; the question that it answers may be the subtitle."""

STANDS: Final[dict[str, str]] = {
    "explore.md": "names a button that reads beside",
    "benchmarks.md": "written by the benchmarks",
    "calibration.md": "written by the benchmarks",
    "corrections.md": "tells what was printed, in the words of its day",
}
"""Pages that are left alone, and why."""
PHRASES: Final = (
    "## What three collections say",  # tools.reproduced writes below it
)


def prose(text: str) -> str:
    """Leave out code, targets of links, quotations, and the phrases that stand."""
    for phrase in PHRASES:
        text = text.replace(phrase, "")
    text = re.sub(r"```.*?\n\s*```|`[^`\n]*`|\]\([^)]*\)", " ", text, flags=re.DOTALL)
    return re.sub(r"[“\"][^”\"]*[”\"]", " ", text)


def faults(text: str, shapes: dict[str, str] = SHAPES) -> Iterator[str]:
    """Name each shape that a text has, with what to say instead."""
    plain = " ".join(prose(text).split())
    for instead, shape in shapes.items():
        for found in re.finditer(shape, plain, re.IGNORECASE):
            yield f"{plain[max(found.start() - 30, 0) : found.end() + 30]!r}: {instead}"


@each_of("page", [page for page in PAGES if page.name not in STANDS])
def test_pages_are_plain(page: Path) -> None:
    text = page.read_text(encoding="utf-8").partition(MARK)[0]
    asked = [] if page.name in {"faq.md", "CHANGELOG.md"} else re.findall(HEADINGS, prose(text))
    assert [*faults(text), *asked] == []


@pytest.mark.integration  # all sources are parsed
@each_of("path", files(*CLEAN))
def test_what_the_program_says_is_plain(path: Path) -> None:
    said = [*printed(path), *docstrings(path)]
    found = {f"{each.file}:{each.line}": [*faults(without_examples(each.words), SPOKEN)] for each in said}
    assert {place: shapes for place, shapes in found.items() if shapes} == {}


def without_examples(docstring: str) -> str:
    """Leave doctests and what a format string fills in out, and make code of reST look like that of Markdown."""
    text = re.sub(r"(?m)^ *>>>(?:.*\n)*?(?: *\n|.*\Z)|\{[^{}]*\}|--[\w-]+", " ", docstring)
    return re.sub(NAMED, " ", text.replace("``", "`"))


def commands(group: click.Group, above: click.Context | None = None) -> Iterator[tuple[str, str]]:
    """Give each command and the first line of its help."""
    context = click.Context(group, above)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield name, (command.help or "").strip().partition("\n")[0]
        if isinstance(command, click.Group):
            yield from commands(command, context)


@each_of("command", list(commands(main)))
def test_help_is_plain(command: tuple[str, str]) -> None:
    _, line = command
    assert list(faults(line)) == []


def test_what_stands_is_there() -> None:
    assert STANDS.keys() <= {page.name for page in PAGES}
    assert all((ROOT / "docs" / "claims.md").read_text(encoding="utf-8").count(phrase) for phrase in PHRASES)


def test_each_shape_is_seen() -> None:
    for text in (
        "All runs that there are.",
        "It is held against the scores.",
        "What is said here.",
        "Of others so many are drawn.",
        "It takes them for one.",
        "What a topic is that a run lacks.",
        "The value beside the name.",
        "They rank alike.",
        "It hangs on p.",
        "As often as one likes.",
    ):
        assert len([*faults(text)]) == 1, text
    for text in (
        "All that is here.",
        "Tried were the relevant documents.",
        "They were computed so.",
        "With so many runs.",
        "Used if nothing else is asked.",
        "It is told on the page.",
    ):
        assert len([*faults(text, SPOKEN)]) == 1, text
    assert [*faults(without_examples("A sum.\n\n>>> beside\nalike\n\nMore."), SPOKEN)] == []
    assert re.findall(HEADINGS, "# What is found\n") == ["# What is found"]
    assert re.findall(HEADINGS, "## How-to\n## Findings\n") == []
    assert [*faults('`beside` and "takes it for one", [here](beside.md); they look alike.')] == []
