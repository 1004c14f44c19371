"""Which runs are shown, where not all fit: the best, the one in the middle and the worst."""

from __future__ import annotations


def few_of(runs: int, most: int) -> list[int]:
    """Choose places among runs that are in order, the best first, at most so many, and three at least.

    All of them where they fit; else the best, and behind them the one in the middle and the worst.

    >>> few_of(3, 3), few_of(143, 3), few_of(11, 4)
    ([0, 1, 2], [0, 71, 142], [0, 1, 5, 10])
    >>> few_of(7, 6)  # the one in the middle is among the best
    [0, 1, 2, 3, 4, 6]
    """
    if runs <= most:
        return list(range(runs))
    return [*range(most - 2), max((runs - 1) // 2, most - 2), runs - 1]


def said_of(runs: int, most: int, by: str = "") -> str:
    """Say which they are, and by what they are in order, or nothing where all are shown.

    >>> said_of(3, 3), said_of(143, 3), said_of(143, 24, "AP")
    ('', 'Of 143 runs the best, the middle and the worst.', 'Of 143 runs the best 22 by AP, the middle and the worst.')
    >>> said_of(7, 6)
    'Of 7 runs the best 5 and the worst.'
    """
    if runs <= most:
        return ""
    within = (runs - 1) // 2 <= most - 2
    many = most - 1 if within else most - 2
    best = " ".join(filter(None, ["the best", str(many) if many > 1 else "", f"by {by}" if by else ""]))
    return f"Of {runs:,} runs {best}{'' if within else ', the middle'} and the worst."
