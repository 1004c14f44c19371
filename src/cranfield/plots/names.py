"""Names that are too long for their place."""

from __future__ import annotations

LONGEST_SHOWN = 30
"""How many letters of a name are shown where names stand within a figure."""


def shortened(name: str, most: int = LONGEST_SHOWN) -> str:
    """Leave out the middle of a long name: runs of one team often differ in their last letters alone.

    >>> shortened("bm25"), shortened("a-team-with-a-long-name-run-17", 16)
    ('bm25', 'a-team-w…-run-17')
    """
    if len(name) <= most:
        return name
    end = (most - 1) // 2
    return f"{name[: most - 1 - end]}…{name[-end:]}"
