"""What stands after a mean: letters of the runs that it beats, numbers where they are many, a dagger; what is equal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase
from typing import Final

import numpy as np

BETTER, WORSE = "†", "‡"
EQUIVALENT, NOT_WORSE = "≈", "≥"
"""What stands alone beside a dagger, and before the labels of several runs."""


@dataclass(frozen=True)
class Marking:
    """One way of marking the cells of a table; all of a table are marked alike.

    Attributes
    ----------
    noun
        What the labels of runs are.
    label
        What the run of this place, from 0, is called.
    several
        What stands for several runs, by their places.
    to_the_right
        Whether means and marks stand to the right of their column; to the left, marks may be long.
    room
        What must follow some marks, unseen, so that all cells of a column to the right are as wide.
    """

    noun: str
    label: Callable[[int], str]
    several: Callable[[Sequence[int]], str]
    to_the_right: bool
    room: Callable[[str, Sequence[str]], str]


def marking(runs: int) -> Marking:
    """Return how this many runs are marked: by letters, as long as there are enough letters.

    >>> [marking(many).several([0, 2, 3, 4]) for many in (26, 27)]
    ['acde', '1,3-5']
    """
    return LETTERS if runs <= len(ascii_lowercase) else NUMBERS


def explained(runs: int, baseline: Sequence[str] | None, margin: float | None) -> tuple[str, str]:
    """Say what the marks of so many runs mean: those of significance, and those of a margin, where there is one.

    >>> explained(3, None, 0.05)
    ('Letters: significantly better than the run of that letter', '; letters after ≈: equivalent within 0.05')
    """
    noun = marking(runs).noun
    marks = f"{noun.capitalize()}s: significantly better than the run of that {noun}"
    after, it = f"; {noun}s after ", " than it"
    match baseline:
        case (only,):
            marks = f"† significantly better than {only}, ‡ significantly worse"
            after, it = "; ", ""
        case (*several, last):
            marks += f", of those compared with {', '.join(several)} and {last}"
    if margin is None:
        return marks, ""
    equal = f"{after}{EQUIVALENT}: equivalent within {margin:g}"
    return marks, f"{equal}{after}{NOT_WORSE}: not worse{it} by more than {margin:g}" if baseline else equal


def daggers(runs: int) -> Marking:
    """Return how this many runs are marked against a baseline: each is better, or worse, or neither."""
    return replace(marking(runs), to_the_right=True, room=_one_dagger)


def ragged(marks: Marking) -> Marking:
    """Return the same for marks of any length, which end where they end."""
    return replace(marks, to_the_right=False, room=_nothing)


def _letters(places: Sequence[int]) -> str:
    return "".join(ascii_lowercase[place] for place in places)


def _other_letters(marks: str, column: Sequence[str]) -> str:
    return "".join(sorted(set("".join(column)) - set(marks)))


def _ranges(places: Sequence[int]) -> str:
    """Write numbers, from 1, as ranges.

    >>> _ranges([2, 3, 4, 5, 6, 11]), _ranges([])
    ('3-7,12', '')
    """
    numbers = np.asarray(places, dtype=np.intp) + 1
    parts = np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1) if len(numbers) else []
    return ",".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)


def _nothing(marks: str, column: Sequence[str]) -> str:
    return ""


def _one_dagger(marks: str, column: Sequence[str]) -> str:
    return "" if marks else min(filter(None, column), default="")


LETTERS: Final = Marking("letter", ascii_lowercase.__getitem__, _letters, True, _other_letters)
NUMBERS: Final = Marking("number", lambda place: str(place + 1), _ranges, False, _nothing)
