"""The page that draws the guide to choosing a measure, from the data that ``cranfield choose`` asks."""

from __future__ import annotations

from html import escape
from pathlib import Path

from cranfield.measures.framework.guide import Advice, branches

ROW, INDENT, MARGIN = 30, 26, 12
WIDTH = 760

INTRODUCTION = """\
# Which measure?

It depends on who reads the list, and what for. `cranfield choose` asks a few questions and ends in a measure with its
parameters, the reason, and the command to run; `--answers` takes all answers at once:

```{program-output} cranfield choose --answers no,falls,gain,few,bound,10
:prompt:
```

From Python, `cranfield.choose` does the same:

```pycon
>>> import cranfield as cf
>>> cf.choose(["yes", "no", "no", "no", "10"]).measures
('RBPU(p=0.9,e=0.05)',)

```

The main line is Figure 4 of Amigó, Mizzaro and Spina (2022): does the length of the list count, does attention
fall, does the recall base matter, does redundancy. Added are effort (Twist) and judgments with gaps. A number of
documents n that a user reads on average becomes the persistence p = 1 - 1/n.

![The questions as a tree](choosing.svg)
"""

__test__ = {"the page": INTRODUCTION}  # its examples are doctests


def write_choosing_page(page: Path, picture: Path) -> None:
    """Write the page, the reasons below the tree, and the picture of the tree."""
    picture.write_text(drawn(), encoding="utf-8")
    page.write_text(INTRODUCTION + "\n## The advice\n\n" + _reasons(), encoding="utf-8")


def _reasons() -> str:
    advice = dict.fromkeys(node for _, _, node in branches() if isinstance(node, Advice))
    return "".join(f"- `{'`, `'.join(_measures(node))}`: {node.reason.format(n='n', p='p')}\n" for node in advice)


def _measures(node: Advice) -> list[str]:
    return [name.format(n="n", p="1-1/n") for name in node.measures]


def drawn() -> str:
    """Draw the tree: a row for each question, indented below the answer that led to it."""
    rows = list(branches())
    height = len(rows) * ROW + 2 * MARGIN
    parts = []
    above: dict[int, int] = {}  # the row of the last node at each depth
    for row, (depth, word, node) in enumerate(rows):
        y = MARGIN + row * ROW + ROW // 2
        above[depth] = y
        if depth:
            parts.append(_branch(depth, above[depth - 1], y))
        parts.append(_row(MARGIN + depth * INDENT, y, word, node if isinstance(node, Advice) else node.text))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'font-family="system-ui, sans-serif" font-size="14" role="img" aria-label="The questions as a tree">\n'
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _branch(depth: int, parent: int, y: int) -> str:
    x = MARGIN + (depth - 1) * INDENT + 8
    return f'<path d="M{x} {parent + 10}V{y}H{x + INDENT - 10}" fill="none" stroke="#b0b7c3"/>'


def _row(x: int, y: int, word: str, what: str | Advice) -> str:
    answer = f'<tspan font-weight="700" fill="#3b5bdb">{escape(word)} </tspan>' if word else ""
    if isinstance(what, str):
        return f'<text x="{x}" y="{y + 5}" fill="#222">{answer}{escape(what)}</text>'
    names = ", ".join(_measures(what))
    left = x + 9 * len(word) + 8
    return (
        f'<text x="{x}" y="{y + 5}">{answer}</text>'
        f'<rect x="{left}" y="{y - 11}" width="{8.6 * len(names) + 18:.0f}" height="22" rx="11" fill="#2b8a3e"/>'
        f'<text x="{left + 9}" y="{y + 5}" fill="#fff" font-family="ui-monospace, monospace">{escape(names)}</text>'
    )
