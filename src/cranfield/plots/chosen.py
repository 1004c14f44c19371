"""Which runs are shown where not all fit: the best, those in the middle, and the worst."""

from __future__ import annotations


def best_middle_worst(runs: int, most: int) -> list[int]:
    """Return the places of the runs that are shown, of runs in order, the best first.

    Half of them are the best, a quarter lies around the median, a quarter are the worst.

    >>> best_middle_worst(3, 8), best_middle_worst(100, 8)
    ([0, 1, 2], [0, 1, 2, 3, 49, 50, 98, 99])
    """
    if runs <= most:
        return list(range(runs))
    quarter = most // 4
    middle = (runs - quarter) // 2
    return sorted(
        {*range(most - 2 * quarter), *range(middle, middle + quarter), *range(runs - quarter, runs)}
    )  # fmt: skip


def said_of(runs: int, most: int, of: str = "run") -> list[str]:
    """Say which are shown, unless all are.

    >>> said_of(100, 8), said_of(3, 8)
    (['Of 100 runs: the best 4, 2 around the median, the worst 2.'], [])
    """
    if runs <= most:
        return []
    quarter = most // 4
    return [f"Of {runs} {of}s: the best {most - 2 * quarter}, {quarter} around the median, the worst {quarter}."]
