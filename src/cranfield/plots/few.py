"""Some of many: the three runs or more, and the topics, that are shown, and names short enough for a figure."""

from __future__ import annotations

from collections.abc import Sequence

from cranfield.plumbing.wording import named
from cranfield.statistics.on_paper import side

LONGEST_SHOWN = 30
"""How many letters of a name are shown where names stand within a figure."""


def shortened(name: str, most: int = LONGEST_SHOWN) -> str:
    """Cut the middle out of a long name: runs of one team often differ in their last letters only."""
    if len(name) <= most:
        return name
    end = (most - 1) // 2
    return f"{name[: most - 1 - end]}…{name[-end:]}"


def step_of(many: int, most: int) -> int:
    """Return the step at which at most this many are drawn."""
    return 1 + (many - 1) // most


def three_of(runs: int) -> list[int]:
    """Return the indices of the best, the middle and the worst of ordered runs; of fewer than three, all."""
    return list(range(runs)) if runs <= 3 else [0, (runs - 1) // 2, runs - 1]


def said_of_three(values: Sequence[float], by: str) -> str:
    """Say which three runs are shown; empty if all are."""
    if len(values) <= 3:
        return ""
    which = (
        "The best, the middle and the worst of {:,} runs by {}." if apart(values) else "Three of {:,} runs level by {}."
    )
    return which.format(len(values), by)


def apart(values: Sequence[float]) -> bool:
    """Tell whether the first and the last of ordered values differ by more than rounding."""
    return bool(side(values[0] - values[-1]))


def ends_told(names: Sequence[str], values: Sequence[float]) -> tuple[str, str]:
    """Say who is first and who is last of ordered values, all who tie: more than three are counted.

    >>> ends_told("abc", [0.5, 0.3, 0.3]), ends_told("abcdef", [1, 1, 1, 1, 0, 0])
    (('is a', 'are b and c'), ('are 4 that tie', 'are e and f'))
    """
    tied = [
        [name for name, value in zip(names, values, strict=True) if not side(value - end)]
        for end in (values[0], values[-1])
    ]
    first, last = (
        f"is {each[0]}" if len(each) == 1 else f"are {named(each) if len(each) <= 3 else f'{len(each):,} that tie'}"
        for each in tied
    )
    return first, last


def labels_of(names: Sequence[str], most: int = LONGEST_SHOWN) -> dict[str, str]:
    """Shorten names, unless two would become the same."""
    short = {name: shortened(name, most) for name in names}
    return short if len(set(short.values())) == len(short) else {name: name for name in names}


def best_middle_worst(runs: int, most: int) -> list[int]:
    """Return the indices of the runs shown: half are the best, a quarter lie around the median, a quarter are worst."""
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
