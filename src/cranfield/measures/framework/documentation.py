"""The parts of a measure's docstring: what it asks, its formula, its source, and its worked examples."""

from __future__ import annotations

import inspect


class Documentation:
    """The parts of a measure's docstring.

    >>> from cranfield.measures import AP
    >>> AP.documentation().question
    'How early do the relevant documents come, averaged over all of them?'
    """

    def __init__(self, docstring: str | None) -> None:
        paragraphs = inspect.cleandoc(docstring or "").split("\n\n")
        self.question = " ".join(paragraphs[0].split())
        self.formula = paragraphs[1].strip() if len(paragraphs) > 1 else ""
        rest = paragraphs[2:]
        self.paper = next((" ".join(p.split())[7:] for p in rest if p.startswith("Paper: ")), "")
        self.examples = [p for p in rest if p.startswith(">>> ")]
        self.notes = [" ".join(p.split()) for p in rest if not p.startswith(("Paper: ", ">>> "))]
