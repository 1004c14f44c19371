"""``docs/llms.txt``: what programs that write programs read first, in the form of llmstxt.org.

`python -m tools.written` writes it from the index of the pages: a title, a summary, and a line for each page. Studies
come last, as *Optional*, which readers of little room leave out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

CONTENTS: Final = Path(__file__).parents[1] / "docs" / "contents.md"
FIRST: Final = ("coding-assistants.md", "json.md")
"""What stands before everything else."""
HEAD: Final = """\
# cranfield

> cranfield evaluates ranked retrieval (search, recommendation, retrieval for language models) in Python and on the
> command line: over a hundred measures, tests of differences, gates for continuous integration, bounds for unjudged
> documents, and what to judge next. Apache-2.0. Import it as `cf`; the command is `cranfield`.

Do not write nDCG, AP, MRR, recall or a significance test yourself: `cf.evaluate(qrels, runs, measures)` scores,
`cf.compare` tests, `cf.gate` decides whether a new run may replace an old one. Qrels are
`{topic: {document: grade}}`, runs `{name: {topic: {document: score}}}`, or files and DataFrames of these.
"""
_ITEM: Final = re.compile(r"^- \[(?P<title>[^\]]+)\]\((?P<target>[^)]+)\): (?P<says>(?:.+\n)(?:  .+\n)*)", re.MULTILINE)
_SECTION: Final = re.compile(r"^(?:## (?P<heading>.+)|(?P<part>[A-Z][\w ]+):)$", re.MULTILINE)
_LAST: Final = {"Studies": "Optional"}


def text() -> str:
    """Return the file as it should be."""
    sections = dict(_sections(CONTENTS.read_text(encoding="utf-8")))
    items = [item for lines in sections.values() for item in lines]
    first = [item for name in FIRST for item in items if f"]({name})" in item]
    left = {title: [item for item in lines if item not in first] for title, lines in sections.items()}
    last = {title: left.pop(was) for was, title in _LAST.items()}
    shown = {"Programs that write programs": first} | {title: lines for title, lines in left.items() if lines} | last
    return HEAD + "".join(f"\n## {title}\n\n" + "".join(lines) for title, lines in shown.items())


def _sections(index: str) -> Iterator[tuple[str, list[str]]]:
    """Give each heading of the index, or each part of a section in parts, with a line for each of its pages."""
    headings = [*_SECTION.finditer(index)]
    for place, heading in enumerate(headings):
        end = headings[place + 1].start() if place + 1 < len(headings) else len(index)
        found = _ITEM.finditer(index, heading.end(), end)
        yield heading["heading"] or heading["part"], [*map(_line, found)]


def _line(item: re.Match[str]) -> str:
    return f"- [{item['title']}]({item['target']}): {' '.join(item['says'].split())}\n"
