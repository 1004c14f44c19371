"""The guide to choosing a measure: its tree and its advice, from the data that ``cranfield choose`` asks."""

from __future__ import annotations

from html import escape

from cranfield.measures.framework.guide import Advice, branches

ROW, INDENT, MARGIN = 30, 26, 12
WIDTH = 760


def advice() -> str:
    """List the advice below the tree, with its reasons."""
    given = dict.fromkeys(node for _, _, node in branches() if isinstance(node, Advice))
    return "".join(f"- `{'`, `'.join(_measures(node))}`: {node.reason.format(n='n', p='p')}\n" for node in given)


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
