"""Cascades: a user may be satisfied by each document, and then stops, so that what is below counts the less."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from cranfield.judged.rankings import Cells
from cranfield.measures.framework.gain_measure import GainMeasure
from cranfield.measures.framework.gains import linear
from cranfield.measures.framework.parameters import parameter
from cranfield.plumbing.arrays import Floats

Mode: TypeAlias = Literal["paper", "ntcir"]


def variant() -> Mode:
    """Declare whose weights and chances a cascade has."""
    return parameter(
        "paper",
        "'paper' has P = (2^g - 1) / 2^max and the weight (1 - p) p^(i-1); 'ntcir' P = g / (max + 1) and p^i",
        kind=str,
        choices=("paper", "ntcir"),
    )


def satisfaction(grade: Floats | float, top_grade: float, mode: Mode = "paper") -> Floats:
    """P = (2^g - 1) / 2^(the largest grade); NTCIREVAL's is g / (the largest grade + 1)."""
    gain = linear(grade)
    if mode == "ntcir":
        return gain / (top_grade + 1)
    # One grade above the largest is as good as any: P is 1 or more from there on, and 2^g need not
    # be a number.
    chance: Floats = np.exp2(np.minimum(gain - top_grade, 1.0)) - np.exp2(-top_grade)
    return chance


class Satisfying(GainMeasure, registered=False):
    """A measure whose gain is P: the chance that a document satisfies the user."""

    mode: Mode = "paper"  # a parameter of those measures that have it

    def gain_of(self, grade: Floats | float, top_grade: float) -> Floats:
        """P: the chance to be satisfied."""
        return satisfaction(grade, top_grade, self.mode)


def unsatisfied(cells: Cells, chance: Floats) -> Floats:
    """Π_{j<i} (1 - P(j)): the chance that nothing above a document satisfied the user."""
    return cells.before(1 - chance, np.multiply)


def stopping(cells: Cells, chance: Floats) -> Floats:
    """P(i) Π_{j<i} (1 - P(j)): the chance that a user who may stop at each document stops at this one."""
    return chance * unsatisfied(cells, chance)
