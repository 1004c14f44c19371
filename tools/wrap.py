"""Wrap the prose of the pages: `python -m tools.wrap [FILE...]`, without files of all Markdown in the repository.

Only paragraphs and items of lists with a line over `LONGEST` change; what stands in `code` is never parted. Tables,
blocks of code and directives stay as they are.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
WIDTH: Final = 100
LONGEST: Final = 104
"""Lines up to here are left alone: about 100 columns, and no change for a word."""
_FENCE: Final = re.compile(r"\s*(`{3,}|~{3,}|:{3,}|\${2})")
_ITEM: Final = re.compile(r"(\s*)(?:[-*+]|\d+\.)\s+")
_VERBATIM: Final = re.compile(r"\s*(#|\||>|<|:|%|\[[^\]]+\]:|\([\w-]+\)=|---|===|\+\+\+)|.*(\\|  )$")
_WORD: Final = re.compile(r"(?:(`+)(?:(?!\1).|\n)+?\1(?!`)|\$[^$\n]+\$|\S)+")
_BEGINS_SOMETHING: Final = re.compile(r"([-+*>|=:%]|\d+[.)])$|[#<>|]|-{3}|={3}|`{3}|~{3}|\${2}|\d+\.$")
"""What means something else at the beginning of a line."""


def wrapped(text: str) -> str:
    r"""Return a page with its prose wrapped.

    >>> print(wrapped("- " + "word " * 25 + "`a b`\n"), end="")
    - word word word word word word word word word word word word word word word word word word word
      word word word word word word `a b`
    """
    return "".join(
        line for prose, block in _blocks(text.splitlines(keepends=True)) for line in (_block(block) if prose else block)
    )


def _blocks(lines: list[str]) -> Iterator[tuple[bool, list[str]]]:
    """Part a page into paragraphs and items (True), and lines that stay as they are (False)."""
    block: list[str] = []
    fence = ""
    for line in lines:
        found = _FENCE.match(line)
        if fence or found or not line.strip() or _VERBATIM.match(line.rstrip("\n")):
            if block:
                yield True, block
                block = []
            yield False, [line]
            if fence:
                fence = "" if line.strip() == fence else fence
            elif found and line.strip().count(found[1]) == 1:
                fence = found[1]
            continue
        if block and (_ITEM.match(line) or _indent(line) < _indent(block[0])):
            yield True, block
            block = []
        block.append(line)
    if block:
        yield True, block


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _block(lines: list[str]) -> list[str]:
    """Wrap a paragraph or an item, if it has a long line."""
    if all(len(line.rstrip("\n")) <= LONGEST for line in lines):
        return lines
    item = _ITEM.match(lines[0])
    first = item[0] if item else " " * _indent(lines[0])
    text = "".join(lines)[len(first) :]
    made, line = [], first
    for found in _WORD.finditer(text):
        word = " ".join(found[0].split("\n"))
        room = len(line) + len(word) + (not line.endswith(" "))
        if line.strip() and line != first and room > WIDTH and not _BEGINS_SOMETHING.match(word):
            made.append(line)
            line = " " * len(first)
        line += word if not line.strip() or line == first else f" {word}"
    return [f"{each}\n" for each in (*made, line)]


def pages() -> list[Path]:
    """List all Markdown that is kept, but what tests compare with as it is."""
    asked = ["git", "ls-files", "*.md"]
    named = subprocess.run(asked, cwd=ROOT, check=True, capture_output=True, text=True).stdout  # noqa: S603
    return [ROOT / name for name in named.splitlines() if not name.startswith("tests/golden/")]


def main() -> None:
    """Wrap what is named, or all."""
    for path in [Path(name) for name in sys.argv[1:]] or pages():
        text = path.read_text(encoding="utf-8")
        if (found := wrapped(text)) != text:
            path.write_text(found, encoding="utf-8")


if __name__ == "__main__":
    main()
