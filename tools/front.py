"""Draw the picture of the front page: `python -m tools.front` writes docs/front-light.svg and docs/front-dark.svg.

It answers why one ranker of the demonstration is better than another on one topic.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import cranfield as cf
from cranfield.demonstration import demonstration
from tools.pages import ROOT

TOPIC, RUNS, MEASURE, TOP = "25", ("bm25", "likelihood"), "nDCG@10", 10
SIZE: Final = 150_000
"""Bytes that each of the two may have."""
_COLOUR: Final = re.compile(r"#([0-9a-fA-F]{6})|rgb\((\d+), ?(\d+), ?(\d+)\)")
_TURN: Final = ((-0.574, 1.430, 0.144), (0.426, 0.430, 0.144), (0.426, 1.430, -0.856))
"""A turn of hues by 180 degrees, as style sheets define it."""


def front() -> cf.Figure:
    """Return the figure, its title a sentence with the words of the topic."""
    found = demonstration()
    one, two = ({name: found.runs[name]} for name in RUNS)
    why = cf.why(found.qrels, one, two, MEASURE, topic=TOPIC)
    figure, swap = why.plot("why"), why.swap
    best = float(why.documents["grade"].drop_nulls().to_numpy().max())
    first = why.documents.filter(grade=best)
    in_top = {name: int((first[f"rank_{side}"] <= TOP).sum()) for name, side in ((why.a, "a"), (why.b, "b"))}
    lead = abs(why.value_a - why.value_b)
    title = [f"{why.better} beats {why.other} by {lead:.2f} in {MEASURE} on", f"“{found.topics[TOPIC]}”"]
    says = [
        f"{why.better} has {in_top[str(why.better)]} documents of grade {best:g} in its top {TOP}, {why.other} has "
        f"{in_top[str(why.other)]}. Line and number: what a document contributes to the lead.",
    ]
    if swap:
        says.append(
            f"Rings: swapping ranks {swap.high} and {swap.low} would lift {swap.run} most, to {swap.after:.2f}."
        )
    spec: dict[str, Any] = {**figure.spec, "title": {"text": title, "subtitle": says}, "background": None}
    return cf.Figure(figure.name, spec)


def dark(drawn: str) -> str:
    """Change light and dark in a drawing and keep its hues, as `cranfield.pages.look.IN_THE_DARK` does on pages."""

    def turned(found: re.Match[str]) -> str:
        written = [found[1][i : i + 2] for i in (0, 2, 4)] if found[1] else found.groups()[1:]
        inverted = [0.92 - 0.84 * int(each, 16 if found[1] else 10) / 255 for each in written]
        return "#" + "".join(f"{round(255 * min(max(each, 0), 1)):02x}" for each in _mixed(inverted))

    return _COLOUR.sub(turned, drawn)


def _mixed(inverted: list[float]) -> Iterator[float]:
    for row in _TURN:
        yield sum(part * channel for part, channel in zip(row, inverted, strict=True))


def main() -> None:
    """Write both."""
    drawn = front().to_bytes("svg").decode()
    for name, text in (("light", drawn), ("dark", dark(drawn))):
        (ROOT / "docs" / f"front-{name}.svg").write_text(text, encoding="utf-8")
        print(f"docs/front-{name}.svg: {len(text.encode()):,} bytes of at most {SIZE:,}")  # noqa: T201


if __name__ == "__main__":
    main()
