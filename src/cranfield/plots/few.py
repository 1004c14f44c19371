"""Some of many runs: the three or more that are shown, and names short enough to stand within or next to a figure."""

from __future__ import annotations

from collections.abc import Sequence

from cranfield.statistics.on_paper import side

LONGEST_SHOWN = 30
"""How many letters of a name are shown where names stand within a figure."""


def shortened(name: str, most: int = LONGEST_SHOWN) -> str:
    """Cut the middle out of a long name: runs of one team often differ in their last letters only.

    >>> shortened("bm25"), shortened("a-team-with-a-long-name-run-17", 16)
    ('bm25', 'a-team-w…-run-17')
    """
    if len(name) <= most:
        return name
    end = (most - 1) // 2
    return f"{name[: most - 1 - end]}…{name[-end:]}"


def three_of(runs: int) -> list[int]:
    """Return the indices of the best, the middle and the worst of ordered runs; of fewer than three, all."""
    return list(range(runs)) if runs <= 3 else [0, (runs - 1) // 2, runs - 1]


def said_of_three(values: Sequence[float], by: str) -> str:
    """Say which three runs are shown; empty if all are.

    >>> said_of_three([0.3, 0.2, 0.1], "AP"), said_of_three([0.4, 0.3, 0.2, 0.1], "AP")
    ('', 'Of 4 runs the best by AP, the one in the middle and the worst.')
    >>> said_of_three([0.0] * 4, "AP")
    'Of 4 runs, which are level by AP, three.'
    """
    if len(values) <= 3:
        return ""
    which = (
        "runs the best by {}, the one in the middle and the worst"
        if apart(values)
        else "runs, which are level by {}, three"
    )
    return f"Of {len(values):,} {which.format(by)}."


def apart(values: Sequence[float]) -> bool:
    """Tell whether the first and the last of ordered values differ by more than rounding."""
    return bool(side(values[0] - values[-1]))


def labels_of(names: Sequence[str], most: int = LONGEST_SHOWN) -> dict[str, str]:
    """Shorten names, unless two would become the same.

    >>> labels_of(["bm25", "a_very_long_name_of_a_run_v2"], 11)
    {'bm25': 'bm25', 'a_very_long_name_of_a_run_v2': 'a_ver…un_v2'}
    >>> labels_of(["many_letters_1_in_it", "many_letters_2_in_it"], 7)["many_letters_1_in_it"]
    'many_letters_1_in_it'
    """
    short = {name: shortened(name, most) for name in names}
    return short if len(set(short.values())) == len(short) else {name: name for name in names}


def best_middle_worst(runs: int, most: int) -> list[int]:
    """Return the indices of the runs shown: half are the best, a quarter lie around the median, a quarter are worst.

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
    """Say which runs are shown, unless all are."""
    if runs <= most:
        return []
    quarter = most // 4
    return [f"Of {runs} {of}s: the best {most - 2 * quarter}, {quarter} around the median, the worst {quarter}."]
